"""Messages between a process and its worker: pickles by a socket, arrays by memory they share."""

from __future__ import annotations

import os
import pickle
import socket
import sys
from collections.abc import Callable
from mmap import mmap
from struct import Struct
from tempfile import TemporaryFile
from typing import IO, Any, TypeAlias

Wait: TypeAlias = Callable[[bool], object]

ROOM = 1 << 23
"""Bytes for the arrays of a message; the socket, which is slower, takes those beyond."""

MARK = b"gelu\x00msg"
HEADER = Struct(f"<{len(MARK)}sQ")
"""Before each message: a mark, which tells it from bytes that other code writes, and its length."""

PIECE = 1 << 20
"""Most bytes of one read: a length that other code has written may be anything."""

NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)
"""That the other side is gone is an error, not a SIGPIPE, which is to end the program silently."""

MACOS_NO_SIGNAL = 0x1022
"""SO_NOSIGPIPE, for all that is sent."""


def shared_memory() -> IO[bytes]:
    """Return a file without a name, with room for the arrays of a message."""
    if sys.platform == "linux":
        file: IO[bytes] = os.fdopen(os.memfd_create("gelu"), "r+b")
    else:
        file = TemporaryFile()  # noqa: SIM115 (the caller's)
    file.truncate(ROOM)  # it takes no more than is used
    return file


class Channel:
    """One end of a socket, and the memory that both ends share.

    The two ends take turns: there is room for the arrays of one message, and two ends that both
    sent more than a socket holds would wait for each other.
    """

    def __init__(self, end: socket.socket, memory: int) -> None:
        if sys.platform == "darwin":
            end.setsockopt(socket.SOL_SOCKET, MACOS_NO_SIGNAL, 1)
        self._socket = end
        self._shared = memoryview(mmap(memory, ROOM))

    def fileno(self) -> int:
        """Return the descriptor of the socket."""
        return self._socket.fileno()

    def send(self, message: Any) -> None:
        """Send what is picklable; raises OSError if the other side is gone."""
        places: list[tuple[int, int]] = []

        def is_beyond(buffer: pickle.PickleBuffer) -> bool:
            """Copy an array to the shared memory; return whether there is no room for it."""
            raw = buffer.raw()
            first = places[-1][1] if places else 0
            end = first + raw.nbytes
            if end > ROOM:
                return True
            self._shared[first:end] = raw
            places.append((first, end))
            return False

        body = pickle.dumps(message, protocol=5, buffer_callback=is_beyond)
        frame = pickle.dumps((places, body))
        self._socket.sendall(HEADER.pack(MARK, len(frame)) + frame, NO_SIGNAL)

    def receive(self, wait: Wait = lambda begun: None) -> Any:
        """Return the next message.

        Before each read `wait` is called, and told whether the message has begun; what it raises is
        raised. Raises EOFError if the other side is gone, OSError for what is no message.
        """
        mark, length = HEADER.unpack(self._exactly(HEADER.size, wait))
        if mark != MARK:
            raise ConnectionError("no message of ours")
        frame = self._exactly(length, wait, begun=True)
        try:
            places, body = pickle.loads(frame)
            arrays = [bytearray(self._shared[first:end]) for first, end in places]
            return pickle.loads(body, buffers=arrays)
        except Exception:  # whatever comes of bytes that other code has written
            raise ConnectionError("no message of ours") from None

    def close(self) -> None:
        """Close this end of the socket, which tells the other one to end."""
        self._socket.close()

    def _exactly(self, size: int, wait: Wait, *, begun: bool = False) -> bytearray:
        data = bytearray()
        while len(data) < size:
            wait(begun or bool(data))
            piece = self._socket.recv(min(size - len(data), PIECE))
            if not piece:
                raise EOFError
            data += piece
        return data
