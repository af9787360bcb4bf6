"""Files and stdin as streams of bytes, read once from the beginning to the end."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from gelu_cli.errors import UsageError

CHUNK = 1 << 16


def name_of(source: str) -> str:
    """Return what a file, or stdin for `-`, is called in a message."""
    return "stdin" if source == "-" else f"'{source}'"


def ignore(note: str) -> None:
    """Take a note on what is read, where nobody asks for any."""


def is_piped() -> bool:
    """Return whether somebody pipes something in: a pipe, a socket or a file is stdin.

    A terminal is not, nor is /dev/null or what else is a device, nor a stdin that is closed.
    """
    if sys.stdin is None or sys.stdin.isatty():
        return False
    try:
        return not stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    except (OSError, ValueError):  # no file of the system's
        return not sys.stdin.closed


def comes_in() -> bool:
    """Return whether somebody pipes something in; it waits for the first byte, or for the end."""
    if not is_piped():
        return False
    with opened("-") as stream:
        return bool(first_byte(stream))


def is_left_unread() -> bool:
    """Return whether stdin was given to this process and holds data that nobody has read yet.

    Nothing is read or waited for. What the parent has as its stdin, too, is the parent's: a loop or
    a script may go on to read it, as may who has read the beginning of a file.
    """
    if not is_piped():
        return False
    try:
        import fcntl
        import termios

        descriptor = sys.stdin.fileno()
        if _is_of_the_parent(descriptor):
            return False
        left = bytes_left(sys.stdin.buffer)
        if left is not None:
            return left > 0 and not sys.stdin.buffer.tell()
        return any(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))
    except (ImportError, OSError, ValueError):  # no file of the system's, or it cannot be asked
        return False


def _is_of_the_parent(descriptor: int) -> bool:
    """Return whether the parent's stdin is the same, as far as the system tells: Linux does."""
    try:
        parents = os.stat(f"/proc/{os.getppid()}/fd/0")
    except OSError:
        return False
    return os.path.samestat(parents, os.fstat(descriptor))


def first_byte(stream: BinaryIO) -> bytes:
    """Return the first byte of a stream, which is still to be read; it waits until it comes."""
    if isinstance(stream, BufferedReader):
        return stream.peek(1)[:1]
    start = stream.read(1)
    stream.seek(-len(start), os.SEEK_CUR)
    return start


class Rejoined(RawIOBase):
    """A stream with what has been read of it already before what is still to come."""

    def __init__(self, begun: bytes, stdin: TextIO) -> None:
        self._begun, self._stdin = begun, stdin  # which would close what it reads if it went

    def readable(self) -> bool:
        """It is read, and nothing else."""
        return True

    def fileno(self) -> int:
        """The descriptor that the rest comes from."""
        return self._stdin.fileno()

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with what has come."""
        piece = self._begun[: len(buffer)] or _read1(self._stdin, len(buffer))
        self._begun = self._begun[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def _read1(stdin: TextIO, size: int) -> bytes:
    return cast("BufferedReader", stdin.buffer).read1(size)


def read_ahead(enough: Callable[[bytes], bool]) -> bytes:
    """Return how stdin begins, as soon as it is enough; it is still to be read from its start."""
    begun = b""
    while not enough(begun) and (piece := _read1(sys.stdin, CHUNK)):
        begun += piece
    sys.stdin = TextIOWrapper(BufferedReader(Rejoined(begun, sys.stdin)))
    return begun


@contextmanager
def opened(source: str) -> Iterator[BinaryIO]:
    """Open a file, or stdin for `-`; what goes wrong while it is read raises `UsageError`.

    Files are read, never mapped into memory: of a mapped one that becomes shorter, a read ends
    the process.
    """
    if not source:
        raise UsageError("cannot read '': that is no name of a file")
    try:
        if source != "-":
            with Path(source).open("rb") as stream:
                yield stream
        elif sys.stdin is None:
            raise UsageError("stdin is closed; name a file to read")
        else:
            yield sys.stdin.buffer
    except OSError as error:
        raise UsageError(f"cannot read '{source}': {error.strerror or error}") from None


def bytes_left(stream: BinaryIO) -> int | None:
    """Return how many bytes a file has from here on, or None for a pipe, a terminal, a device."""
    try:
        status = os.fstat(stream.fileno())
        return status.st_size - stream.tell() if stat.S_ISREG(status.st_mode) else None
    except (OSError, ValueError):  # no file of the system's
        return None


def shrunk(name: str) -> UsageError:
    """Return the error for a file that ends before what it had at first has been read."""
    return UsageError(f"{name} became shorter while it was read; read it when it is written")
