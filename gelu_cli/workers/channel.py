"""Messages between a process and its worker: pickles by a socket, arrays by memory they share."""

from __future__ import annotations

import os
import pickle
import socket
import sys
from mmap import mmap
from struct import Struct
from tempfile import TemporaryFile
from typing import IO, Any

ROOM = 1 << 24
"""Bytes for the arrays of a message, each way; what exceeds them goes by the socket."""

ALIGNMENT = 64
"""Of each array, in bytes: what vector instructions like."""

MARK = b"gelu\x00msg"
HEADER = Struct(f"<{len(MARK)}sQ")
"""Before each message: a mark, by which bytes of somebody else's are told, and its length."""

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
    file.truncate(2 * ROOM)  # it takes no more than is used
    return file


class Channel:
    """One end of a socket, and of the memory that both ends share.

    What is received holds views of the memory, until the other side is sent its next message.
    """

    def __init__(self, end: socket.socket, memory: int, *, of_worker: bool) -> None:
        if sys.platform == "darwin":
            end.setsockopt(socket.SOL_SOCKET, MACOS_NO_SIGNAL, 1)
        self._socket = end
        self._shared = memoryview(mmap(memory, 2 * ROOM))
        self._first = ROOM if of_worker else 0
        """Where what this end sends begins."""

    def fileno(self) -> int:
        """Return the descriptor of the socket."""
        return self._socket.fileno()

    def send(self, message: Any) -> None:
        """Send what is picklable; raises OSError if the other side is gone."""
        places: list[tuple[int, int]] = []
        end = self._first

        def shared(buffer: pickle.PickleBuffer) -> bool:
            """Copy an array to the shared memory; return whether it has to be pickled after all."""
            nonlocal end
            raw = buffer.raw()
            first = -(-end // ALIGNMENT) * ALIGNMENT
            if first + raw.nbytes > self._first + ROOM:
                return True
            end = first + raw.nbytes
            self._shared[first:end] = raw
            places.append((first, end))
            return False

        body = pickle.dumps(message, protocol=5, buffer_callback=shared)
        frame = pickle.dumps((places, body))
        self._socket.sendall(HEADER.pack(MARK, len(frame)) + frame, NO_SIGNAL)

    def receive(self) -> Any:
        """Return the next message.

        Raises EOFError if the other side is gone, OSError for what is no message.
        """
        mark, length = HEADER.unpack(self._exactly(HEADER.size))
        if mark != MARK:
            raise ConnectionError("no message of ours")
        try:
            places, body = pickle.loads(self._exactly(length))
            return pickle.loads(body, buffers=[self._shared[first:end] for first, end in places])
        except EOFError:
            raise
        except Exception:  # whatever comes of bytes that somebody else has written
            raise ConnectionError("no message of ours") from None

    def close(self) -> None:
        """Close this end of the socket, which tells the other one to end."""
        self._socket.close()

    def _exactly(self, size: int) -> bytearray:
        data = bytearray(size)
        rest = memoryview(data)
        while rest:
            received = self._socket.recv_into(rest)
            if not received:
                raise EOFError
            rest = rest[received:]
        return data
