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
from typing import IO, Any

ROOM = 1 << 23
"""Bytes for the arrays of a message; the socket, which is slower, takes those beyond."""

HEADER = Struct("<8sQ")
"""Before each message: the mark of its call, and how many bytes it has.

A reply repeats the mark of its call, which tells it from bytes that other code writes.
"""

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
        self.socket = end
        self._shared = memoryview(mmap(memory, ROOM))

    def send(self, mark: bytes, message: Any) -> None:
        """Send what is picklable, with a mark of 8 bytes; raises OSError if nobody is there."""
        places: list[tuple[int, int]] = []

        def is_beyond(buffer: pickle.PickleBuffer) -> bool:
            """Copy an array to the shared memory; return whether there is no room for it."""
            raw = buffer.raw()
            first = places[-1][1] if places else 0
            end = first + raw.nbytes
            if end <= ROOM:
                self._shared[first:end] = raw
                places.append((first, end))
            return end > ROOM

        body = pickle.dumps(message, protocol=5, buffer_callback=is_beyond)
        frame = pickle.dumps((places, body))
        self.socket.sendall(HEADER.pack(mark, len(frame)) + frame, NO_SIGNAL)

    def receive(
        self, due: bytes | None = None, wait: Callable[[], object] = lambda: None
    ) -> tuple[bytes, Any]:
        """Return the mark and the message that come next.

        Before each read `wait` is called; what it raises is raised. Raises EOFError if the other
        side is gone, OSError for what is no message, or has another mark than is due.
        """
        mark, length = HEADER.unpack(self._read(HEADER.size, wait))
        if due and mark != due:
            raise ConnectionError("a reply to no call of ours")
        frame = self._read(length, wait)
        try:
            places, body = pickle.loads(frame)
            arrays = [bytearray(self._shared[first:end]) for first, end in places]
            return mark, pickle.loads(body, buffers=arrays)
        except Exception:  # whatever comes of bytes that other code has written
            raise ConnectionError("no message of ours") from None

    def _read(self, size: int, wait: Callable[[], object]) -> bytearray:
        data = bytearray(size)
        left = memoryview(data)
        while left:
            wait()
            count = self.socket.recv_into(left)
            if not count:
                raise EOFError
            left = left[count:]
        return data
