"""Text and bytes to stdout, or to what --output names: a file, a device, a pipe, a descriptor.

A file is replaced by a finished one: whole, and on the disk, or not at all. The new one is written
beside it, under a name made of its name.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import chain, islice
from pathlib import Path
from time import time
from typing import TextIO

from gelu_cli.errors import UsageError, refused
from gelu_cli.old.stages import tell
from gelu_cli.old.writing.pager import page
from gelu_cli.old.writing.signals import before_the_end
from gelu_cli.old.writing.streams import refusals

DEVICES = "/dev"
DESCRIPTORS = ("/dev/fd", "/proc/self/fd")
MOST_LINKS = 40
LONGEST = 40
"""Characters of a file's name in that of the new one, which may have 255 bytes."""
STALE = 86_400
"""Seconds after which an unfinished file is one that a killed writer has left."""


def check_path(path: str | None) -> str | None:
    """Return the file that --output names, None for stdout; raises `UsageError` if it names none.

    >>> check_path("-"), check_path("a.csv")
    (None, 'a.csv')
    """
    if path is None or path == "-":
        return None
    if not path:
        raise UsageError("--output needs the name of a file")
    if os.path.isdir(path) or path.endswith(os.sep):
        raise UsageError(f"--output '{path}' is a directory; name a file in it")
    target = os.path.realpath(path)
    if os.path.dirname(target) == DEVICES and not os.path.lexists(target):
        raise UsageError(f"--output '{path}': there is no such device; name a file")
    if os.path.exists(path) and stat.S_ISBLK(os.stat(path).st_mode):
        raise UsageError(
            f"--output '{path}' is a disk, which it would overwrite; name a file on it"
        )
    return path


def write_out(path: str | None, pieces: Iterable[str | bytes], *, paged: bool = False) -> None:
    """Write texts or bytes, one after the other; None is stdout, perhaps `paged`, else a file.

    The first one is computed before anything is opened: bad input leaves no trace. Raises
    `OutputError` where the system refuses to write.
    """
    pieces = _computed(pieces)
    pieces = chain([*islice(pieces, 1)], pieces)
    if paged and path is None:
        page()
    with refusals(path), _opened(path) as stream:
        for piece in pieces:
            if isinstance(piece, bytes):
                stream.buffer.write(piece)
                continue
            stream.write(piece)
            stream.flush()
            if stream.isatty() and not piece.endswith("\n"):
                tell("")  # the line goes on: nothing is to be written in its middle


def append_texts(path: str, texts: Iterable[str]) -> None:
    """Append texts to a file that others write as well; raises `OutputError` as `write_out`."""
    with refusals(path), open(path, "a", encoding="utf-8") as stream:
        stream.writelines(texts)


@contextmanager
def changed_alone(path: str) -> Iterator[None]:
    """Let no other gelu change a file in the block; raises `OutputError` where it must not be."""
    with refusals(path):
        folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY)
        try:
            with suppress(ImportError, OSError):  # a system or a disk without locks
                import fcntl

                fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)


def _computed(pieces: Iterable[str | bytes]) -> Iterator[str | bytes]:
    """Yield pieces; what the system refuses while one is computed is no failure of the output."""
    try:
        yield from pieces
    except OSError as error:
        raise refused(error) from None


def _opened(name: str | None) -> AbstractContextManager[TextIO]:
    """Replace a file by a finished one; open what is none, and our own descriptors, as they are."""
    if name is None:
        return nullcontext(sys.stdout)
    path = Path(name)
    descriptor = _descriptor(path)
    if descriptor is None and (not path.exists() or path.is_file()):
        return _replaced(Path(os.path.realpath(path)))
    place = path if descriptor is None else os.dup(descriptor)
    return open(place, "w", encoding="utf-8", newline="")


def _descriptor(path: Path) -> int | None:
    """Return N for /dev/fd/N and for links to it, as /dev/stdout is one; None for other paths."""
    folders = {os.path.realpath(folder) for folder in DESCRIPTORS}
    for _ in range(MOST_LINKS):
        if path.name.isdecimal() and os.path.realpath(path.parent) in folders:
            return int(path.name)
        if not path.is_symlink():
            break
        path = path.parent / os.readlink(path)
    return None


@contextmanager
def _replaced(target: Path) -> Iterator[TextIO]:
    """Yield a stream whose text becomes a file when the block ends, and nothing where it raises."""
    if target.is_symlink():  # links in a circle; Path.resolve() raises there before Python 3.13
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    old = target.stat() if target.exists() else None
    prefix = f".gelu.{target.name[:LONGEST]}."
    _remove_stale(target.parent, prefix)
    new = target.with_name(f"{prefix}{os.urandom(4).hex()}.tmp")
    with before_the_end(lambda: _remove(new)):
        try:
            mode = 0o600 if old else 0o666
            descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with open(descriptor, "w", encoding="utf-8", newline="") as stream:
                yield stream
                stream.flush()
                if old:
                    _make_like(descriptor, old)
                os.fsync(descriptor)
            # After it is closed: some disks refuse only then.
            os.replace(new, target)
        except BaseException:
            _remove(new)
            raise


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _remove_stale(folder: Path, prefix: str) -> None:
    """Remove the new files that writers of a file have left which were killed."""
    with suppress(OSError):
        for name in os.listdir(folder):
            path = folder / name
            if name.startswith(prefix) and time() - path.lstat().st_mtime > STALE:
                _remove(path)


def _make_like(descriptor: int, old: os.stat_result) -> None:
    """Give a new file the owner and group of the old one if the process may, and its mode."""
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except OSError:
            with suppress(OSError):
                os.fchown(descriptor, -1, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
