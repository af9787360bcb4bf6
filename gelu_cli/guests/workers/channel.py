"""Messages between a process and its worker: pickles, one after the other, through a socket."""

from __future__ import annotations

import pickle
import socket
import sys
from collections.abc import Callable
from struct import Struct
from typing import Any, TypeAlias

Wait: TypeAlias = Callable[[bool], object]

MARK = b"gelu\x00msg"
HEADER = Struct(f"<{len(MARK)}sQ")
"""Before each message: a mark, which tells it from bytes that other code writes, and its length."""

PIECE = 1 << 20
"""Most bytes of one read: a length that other code has written may be anything."""

NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)
"""That the other side is gone is an error, not a SIGPIPE, which is to end the program silently."""

MACOS_NO_SIGNAL = 0x1022
"""SO_NOSIGPIPE, for all that is sent."""


class Channel:
    """One end of a socket.

    The two ends take turns. If both sent a message that exceeds the buffers of the socket, each
    would wait for the other to read.
    """

    def __init__(self, end: socket.socket) -> None:
        if sys.platform == "darwin":
            end.setsockopt(socket.SOL_SOCKET, MACOS_NO_SIGNAL, 1)
        self._socket = end

    def fileno(self) -> int:
        """Return the descriptor of the socket."""
        return self._socket.fileno()

    def send(self, message: Any) -> None:
        """Send what is picklable; raises OSError if the other side is gone."""
        frame = pickle.dumps(message, protocol=5)
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
            return pickle.loads(frame)
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
