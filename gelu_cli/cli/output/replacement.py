"""A file that is replaced by a finished one: whole, and on the disk, or not at all.

The new file is written beside the old one, under a name made of its name, and is locked while its
writer lives. So the next writer can tell what one that was killed has left, and remove it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import TextIO

from gelu_cli.cli.output.signals import before_the_end

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # no locks: what was left stays
    fcntl = None

SUFFIX = ".tmp"
LONGEST = 40
"""So many characters of a name are taken; a name has at most 255 bytes."""

UNABLE = {errno.EACCES, errno.EINVAL, errno.ENOTSUP}
"""How systems say that a folder cannot be brought to the disk by itself."""


@contextmanager
def replaced(path: Path) -> Iterator[TextIO]:
    """Yield a stream whose text becomes the file when the block ends, and nothing where it raises.

    A symbolic link stays, and the file that it leads to is replaced. Raises `OSError` where the
    system refuses.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # links in a circle; Path.resolve() raises there before Python 3.13
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    old = target.stat() if target.exists() else None
    prefix = f".gelu.{target.name[:LONGEST]}."
    _remove_left(target.parent, prefix)
    new = target.with_name(f"{prefix}{os.urandom(4).hex()}{SUFFIX}")
    with before_the_end(lambda: _remove(new)):
        try:
            with _locked(new, 0o600 if old else 0o666) as descriptor:
                with open(os.dup(descriptor), "w", encoding="utf-8", newline="") as stream:
                    yield stream
                    stream.flush()
                    if old:
                        _make_like(descriptor, old)
                    os.fsync(descriptor)
                # That it was closed well counts, too: some disks refuse only then.
                os.replace(new, target)
        except BaseException:
            _remove(new)
            raise
    _save_folder(target.parent)


@contextmanager
def _locked(path: Path, mode: int) -> Iterator[int]:
    """Make a file and hold its lock."""
    descriptor = _made(path, mode)
    while not _is_at(path, descriptor):  # another writer saw it before it was locked
        _close(descriptor)
        descriptor = _made(path, mode)
    try:
        yield descriptor
    finally:
        _close(descriptor)


def _made(path: Path, mode: int) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
    if fcntl:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def _is_at(path: Path, descriptor: int) -> bool:
    return path.exists() and os.path.samestat(path.stat(), os.fstat(descriptor))


def _close(descriptor: int) -> None:
    """Close a descriptor through which nothing was written."""
    with suppress(OSError):
        os.close(descriptor)


def _remove(path: Path) -> None:
    with suppress(OSError):
        os.unlink(path)


def _remove_left(folder: Path, prefix: str) -> None:
    """Remove the files of writers that are no more: those that nobody has locked."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if fcntl and name.startswith(prefix) and name.endswith(SUFFIX):
                _remove_unlocked(folder / name, fcntl)


def _remove_unlocked(path: Path, locks: ModuleType) -> None:
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            locks.flock(descriptor, locks.LOCK_EX | locks.LOCK_NB)
            if _is_at(path, descriptor):
                os.unlink(path)
        finally:
            _close(descriptor)


def _make_like(descriptor: int, old: os.stat_result) -> None:
    """Give a new file the owner and group of the old one if the process may, and its mode."""
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except OSError:
            with suppress(OSError):
                os.fchown(descriptor, -1, old.st_gid)
    mode = stat.S_IMODE(old.st_mode)
    if stat.S_IMODE(os.fstat(descriptor).st_mode) != mode:
        os.fchmod(descriptor, mode)


def _save_folder(folder: Path) -> None:
    """Bring to the disk what a folder holds, where the system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            _close(descriptor)
    except OSError as error:
        if error.errno not in UNABLE:
            raise
