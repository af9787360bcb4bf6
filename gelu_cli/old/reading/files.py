"""Files and stdin: opened in one way, told by their first bytes, read as text that arrives."""

from __future__ import annotations

import codecs
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from gelu_cli.errors import UsageError

NPY = b"\x93NUMPY"
ARCHIVE = b"PK\x03\x04"
GZIP = b"\x1f\x8b"
CHUNK = 1 << 20
"""Bytes of text that are read at once, if they have come."""

LOOK = 0.5
"""Seconds after which a signal is heeded that came just before a wait."""


class NotTextError(UsageError):
    """Bytes that are no text in UTF-8."""


def name_of(source: str) -> str:
    """Return what a file, or stdin for `-`, is called in a message."""
    return "stdin" if source == "-" else f"'{source}'"


def ignore(note: str) -> None:
    """Drop a note: for callers that show none."""


def is_piped() -> bool:
    """Return whether stdin is a pipe, a socket or a file: no terminal, no device, not closed."""
    if sys.stdin is None or sys.stdin.isatty():
        return False
    try:
        return not stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    except (OSError, ValueError):  # no file of the system's
        return not sys.stdin.closed


def comes_in() -> bool:
    """Return whether anything is piped in; waits for the first byte, or for the end."""
    if not is_piped():
        return False
    with opened("-", unpacks=False) as stream:
        return bool(peek(stream))


def is_left_unread() -> bool:
    """Return whether stdin was given to this process and holds data that nobody has read yet.

    Nothing is read or waited for. A stdin that the parent has as well is the parent's: a loop or
    a script may go on to read it.
    """
    if not is_piped():
        return False
    try:
        import fcntl
        import termios

        descriptor = sys.stdin.fileno()
        with suppress(OSError):  # Linux alone tells
            if os.path.samestat(os.stat(f"/proc/{os.getppid()}/fd/0"), os.fstat(descriptor)):
                return False
        left = bytes_left(sys.stdin.buffer)
        if left is not None:
            return left > 0 and not sys.stdin.buffer.tell()
        return any(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))
    except (ImportError, OSError, ValueError):  # no file of the system's, or it cannot be asked
        return False


@contextmanager
def opened(source: str, *, unpacks: bool = True) -> Iterator[BinaryIO]:
    """Open a file, or stdin for `-`; a failing read raises `UsageError`.

    It `unpacks` gzip, which takes what it needs of the stream: stdin is then to be opened once.

    Files are read, never mapped into memory: if a mapped file is cut, a read ends the process.
    """
    if not source:
        raise UsageError("cannot read '': that is no name of a file")
    if source == "-" and sys.stdin is None:
        raise UsageError("stdin is closed; name a file to read")
    try:
        with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as stream:
            if not unpacks or not begins_as(stream, GZIP):
                yield stream
                return
            import gzip
            import zlib

            try:
                with gzip.open(stream) as content:
                    yield cast("BinaryIO", content)
            except (EOFError, zlib.error, gzip.BadGzipFile):
                raise UsageError(
                    f"cannot read {name_of(source)}: its gzip data are damaged or cut off; "
                    "pack it anew"
                ) from None
    except OSError as error:
        raise UsageError(f"cannot read {name_of(source)}: {error.strerror or error}") from None


def peek(stream: BinaryIO) -> bytes:
    """Return how a stream begins, without reading it; waits until something has come.

    Of a stream without a buffer it is not known, and empty.
    """
    if hasattr(stream, "peek"):
        return cast("bytes", stream.peek(len(NPY)))
    if not stream.seekable():
        return b""
    start = stream.read(CHUNK)
    stream.seek(-len(start), os.SEEK_CUR)
    return start


def begins_as(stream: BinaryIO, magic: bytes) -> bool:
    """Return whether a stream begins with some bytes, as far as it has come."""
    start = peek(stream)[: len(magic)]
    return start != b"" and magic.startswith(start)


def _is_unpacked(stream: BinaryIO) -> bool:
    """Return whether a stream is what gzip unpacks: the system knows only the packed one."""
    return hasattr(stream, "mtime")


def bytes_left(stream: BinaryIO) -> int | None:
    """Return how many bytes a file has from here on, or None for a pipe, a terminal, a device."""
    try:
        status = os.fstat(stream.fileno())
        is_file = stat.S_ISREG(status.st_mode) and not _is_unpacked(stream)
        return status.st_size - stream.tell() if is_file else None
    except (OSError, ValueError):  # no file of the system's
        return None


def shrunk(name: str) -> UsageError:
    """Return the error for a file that ends before what it had at first has been read."""
    return UsageError(f"{name} became shorter while it was read; read it when it is written")


def texts_of(stream: BinaryIO, name: str) -> Iterator[str]:
    """Yield text as it arrives, and "" where reading more would wait: hand on what there is."""
    from gelu_cli.old.stages import tell

    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    left = bytes_left(stream)
    read: Any = getattr(stream, "read1", stream.read)
    start = peek(stream)
    while chunk := read(CHUNK):
        left = None if left is None else left - len(chunk)
        if text := _decoded(decoder, chunk, name, start):
            yield text
        if _is_readable(stream, 0) is not True:
            yield ""
        if stream.isatty():
            tell("")  # a person types: nothing is to be written between the lines
        # Python heeds a signal that interrupts a read, but not one that comes just before it.
        while _is_readable(stream, LOOK) is False:
            pass
    if left is not None and left > 0:
        raise shrunk(name)
    if text := _decoded(decoder, b"", name, start):
        yield text


def _is_readable(stream: BinaryIO, seconds: float) -> bool | None:
    """Return whether more comes within some time, or None where the system cannot tell."""
    from select import select

    if _is_unpacked(stream):
        return None
    try:
        return bool(select([stream], [], [], seconds)[0])
    except (OSError, ValueError):  # no file of the system's, or none that it can ask about
        return None


def _decoded(decoder: Any, chunk: bytes, name: str, start: bytes) -> str:
    try:
        return cast("str", decoder.decode(chunk, final=not chunk))
    except UnicodeDecodeError:
        if start.startswith(NPY):
            raise UsageError(
                f"{name} is a .npy file: --input reads points from it, gelu check --dtype FORMAT "
                "reads results"
            ) from None
        if start.startswith(ARCHIVE):
            raise UsageError(
                f"{name} is an archive (.npz, .pt, .zip); save the numbers alone, by np.save"
            ) from None
        raise NotTextError(f"{name} is not text in UTF-8; if it is text, save it so") from None
