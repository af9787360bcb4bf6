"""Messages between a process and its worker: pickles by a socket, arrays by memory they share."""

from __future__ import annotations

import os
import pickle
import socket
import sys
from collections.abc import Callable
from itertools import cycle
from mmap import mmap
from struct import Struct
from tempfile import TemporaryFile
from typing import IO, Any, TypeAlias

Wait: TypeAlias = Callable[[bool], object]

ROOM = 1 << 23
"""Bytes for the arrays of a message; what exceeds them goes by the socket."""

AHEAD = 2
"""So many messages each way have room at once: a call may be sent while one is answered."""

ALIGNMENT = 64
"""Of each array, in bytes: what vector instructions like."""

MARK = b"gelu\x00msg"
HEADER = Struct(f"<{len(MARK)}sQ")
"""Before each message: a mark, by which bytes of somebody else's are told, and its length."""

PIECE = 1 << 20
"""Bytes that are read at once, whatever length somebody else has written."""

NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)
"""That the other side is gone is an error, not a SIGPIPE, which is to end the program silently."""

MACOS_NO_SIGNAL = 0x1022
"""SO_NOSIGPIPE, for all that is sent."""


def shared_memory() -> IO[bytes]:
    """Return a file without a name, with room for the arrays of both ways."""
    if sys.platform == "linux":
        file: IO[bytes] = os.fdopen(os.memfd_create("gelu"), "r+b")
    else:
        file = TemporaryFile()  # noqa: SIM115 (the caller's)
    file.truncate(2 * AHEAD * ROOM)  # it takes no more than is used
    return file


class Channel:
    """One end of a socket, and of the memory that both ends share.

    What is received holds views of the memory, until so many messages later its room is used again.
    """

    def __init__(self, end: socket.socket, memory: int, *, of_worker: bool) -> None:
        if sys.platform == "darwin":
            end.setsockopt(socket.SOL_SOCKET, MACOS_NO_SIGNAL, 1)
        self._socket = end
        self._shared = memoryview(mmap(memory, 2 * AHEAD * ROOM))
        first = AHEAD * ROOM if of_worker else 0
        self._rooms = cycle(range(first, first + AHEAD * ROOM, ROOM))
        """Where the arrays of what this end sends begin, in turn."""

    def fileno(self) -> int:
        """Return the descriptor of the socket."""
        return self._socket.fileno()

    def send(self, message: Any) -> None:
        """Send what is picklable; raises OSError if the other side is gone."""
        places: list[tuple[int, int]] = []
        end = room = next(self._rooms)

        def shared(buffer: pickle.PickleBuffer) -> bool:
            """Copy an array to the shared memory; return whether it has to be pickled after all."""
            nonlocal end
            raw = buffer.raw()
            first = -(-end // ALIGNMENT) * ALIGNMENT
            if first + raw.nbytes > room + ROOM:
                return True
            end = first + raw.nbytes
            self._shared[first:end] = raw
            places.append((first, end))
            return False

        body = pickle.dumps(message, protocol=5, buffer_callback=shared)
        frame = pickle.dumps((places, body))
        self._socket.sendall(HEADER.pack(MARK, len(frame)) + frame, NO_SIGNAL)

    def receive(self, wait: Wait = lambda begun: None, *, own: bool = False) -> Any:
        """Return the next message, with arrays of our `own` instead of views if so asked.

        Before each read `wait` is called, and told whether the message has begun; what it raises is
        raised. Raises EOFError if the other side is gone, OSError for what is no message.
        """
        mark, length = HEADER.unpack(self._exactly(HEADER.size, wait))
        if mark != MARK:
            raise ConnectionError("no message of ours")
        frame = self._exactly(length, wait, begun=True)
        try:
            places, body = pickle.loads(frame)
            views = [self._shared[first:end] for first, end in places]
            return pickle.loads(body, buffers=map(bytearray, views) if own else views)
        except Exception:  # whatever comes of bytes that somebody else has written
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
