"""Text and bytes to stdout, or to what --output names: a file, a device, a pipe, a descriptor."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

from gelu_cli.cli.output.streams import refusals
from gelu_cli.errors import UsageError, refused
from gelu_cli.stages import tell

DEVICES = "/dev"
DESCRIPTORS = ("/dev/fd", "/proc/self/fd")
MOST_LINKS = 40


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


def check_suffix(path: str, name: str, said: str | None) -> None:
    """Raise `UsageError` where the suffix of --output says another format than --format."""
    if said not in (None, name):
        raise UsageError(
            f"--format {name} contradicts --output '{path}', whose suffix says {said}; "
            "leave --format out, or choose another suffix"
        )


def write_texts(path: str | None, texts: Iterable[str]) -> None:
    """Write texts, one after the other, to stdout or a file; None is stdout.

    The first one is computed before anything is opened: bad input leaves no trace. Raises
    `OutputError` where the system refuses to write.
    """
    _write(path, texts, _write_text)


def append_texts(path: str, texts: Iterable[str]) -> None:
    """Append texts to a file that others write as well; raises `OutputError` as `write_texts`."""
    with refusals(path), open(path, "a", encoding="utf-8") as stream:
        stream.writelines(texts)


def write_bytes(path: str | None, pieces: Iterable[bytes]) -> None:
    """Write what is no text, piece by piece, to stdout or a file, as `write_texts` does."""
    _write(path, pieces, lambda stream, piece: stream.buffer.write(piece))


@contextmanager
def changed_alone(path: str) -> Iterator[None]:
    """Let no other gelu change a file in the block; raises `OutputError` where it must not be."""
    from gelu_cli.cli.output.replacement import alone

    with refusals(path), alone(Path(path)):
        yield


def _write(path: str | None, pieces: Iterable[Any], write: Callable[[TextIO, Any], object]) -> None:
    pieces = _computed(pieces)
    pieces = chain([*islice(pieces, 1)], pieces)
    with refusals(path), _opened(path) as stream:
        for piece in pieces:
            write(stream, piece)


def _computed(pieces: Iterable[Any]) -> Iterator[Any]:
    """Yield pieces; what the system refuses while one is computed is no failure of the output."""
    try:
        yield from pieces
    except OSError as error:
        raise refused(error) from None


def _write_text(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()
    if stream.isatty() and not text.endswith("\n"):
        tell("")  # the line goes on: nothing is to be written in its middle


def _opened(name: str | None) -> AbstractContextManager[TextIO]:
    """Replace a file by a finished one; open what is none, and our own descriptors, as they are."""
    if name is None:
        return nullcontext(sys.stdout)
    path = Path(name)
    descriptor = _descriptor(path)
    if descriptor is None and (not path.exists() or path.is_file()):
        from gelu_cli.cli.output.replacement import replaced

        return replaced(path)
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
