"""Text and bytes to stdout, or to a file that is replaced whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TextIO

from gelu_cli.errors import OutputError, UsageError
from gelu_cli.stages import tell


def check_path(path: str | None) -> str | None:
    """Return the file that --output names, None for stdout; raises `UsageError` if it names none.

    >>> check_path("-"), check_path("a.csv")
    (None, 'a.csv')
    """
    if path == "":
        raise UsageError("--output needs the name of a file")
    if path is not None and (Path(path).is_dir() or path.endswith(os.sep)):
        raise UsageError(f"--output '{path}' is a directory; name a file in it")
    return None if path == "-" else path


def write_texts(path: str | None, texts: Iterable[str]) -> None:
    """Write texts, one after the other, to stdout or a file; None is stdout.

    The first one is computed before anything is opened: bad input leaves no trace. Raises
    `OutputError` where the system refuses.
    """
    texts = iter(texts)
    texts = chain([next(texts, "")], texts)
    if path is None:
        _write(sys.stdout, texts)
    else:
        with _refusals(path), _opened(Path(path)) as stream:
            _write(stream, texts)


def write_bytes(path: str | None, content: bytes) -> None:
    """Write what is no text to stdout or a file; raises `OutputError` as `write_texts` does."""
    if path is None:
        sys.stdout.buffer.write(content)
    else:
        with _refusals(path), _opened(Path(path)) as stream:
            stream.buffer.write(content)


def _write(stream: TextIO, texts: Iterable[str]) -> None:
    for text in texts:
        stream.write(text)
        stream.flush()
        if stream.isatty() and not text.endswith("\n"):
            tell("")  # the line goes on: nothing is to be written in its middle


@contextmanager
def _refusals(path: str) -> Iterator[None]:
    """Turn what the system says into an `OutputError` that names the file."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"cannot write '{path}': {error.strerror}") from None


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    """Open a device or a fifo as it is; replace a file by a finished one beside it."""
    if path.parts[:2] == ("/", "dev") or (path.exists() and not path.is_file()):
        with path.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # links in a circle; Path.resolve() raises there before Python 3.13
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    from tempfile import NamedTemporaryFile

    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    with NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=target.parent, prefix=".gelu.",
        delete=False,
    ) as stream:  # fmt: skip
        try:
            yield stream  # type: ignore[misc]
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            os.replace(stream.name, target)
        except BaseException:
            os.unlink(stream.name)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
