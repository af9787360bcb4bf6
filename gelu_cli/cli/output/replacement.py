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
    _remove_left(target.parent, _prefix(target))
    new = _beside(target, os.urandom(4).hex())
    with before_the_end(lambda: _remove(new)):
        try:
            with _locked(new, 0o600 if old else 0o666, os.O_EXCL) as descriptor:
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
def alone(path: Path) -> Iterator[None]:
    """Hold the lock of a file, for which another process waits: a file beside it, locked."""
    lock = _beside(Path(os.path.realpath(path)), "lock")
    with _locked(lock, 0o666), before_the_end(lambda: _remove(lock)):
        try:
            yield
        finally:
            _remove(lock)


def _prefix(path: Path) -> str:
    return f".gelu.{path.name[:LONGEST]}."


def _beside(path: Path, name: str) -> Path:
    return path.with_name(f"{_prefix(path)}{name}{SUFFIX}")


@contextmanager
def _locked(path: Path, mode: int, exclusive: int = 0) -> Iterator[int]:
    """Make a file, or open one unless it is to be new, and hold its lock."""
    descriptor = _made(path, mode, exclusive)
    while not _is_at(path, descriptor):  # another writer saw it before it was locked
        _close(descriptor)
        descriptor = _made(path, mode, exclusive)
    try:
        yield descriptor
    finally:
        _close(descriptor)


def _made(path: Path, mode: int, exclusive: int) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | exclusive, mode)
    if fcntl:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def _is_at(path: Path, descriptor: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    return False


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
