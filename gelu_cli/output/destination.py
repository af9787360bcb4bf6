"""Files that are there whole or not at all, and stdout."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from shutil import copymode
from typing import Any

from gelu_cli.errors import OutputError


@contextmanager
def opened(path: str | None, *, binary: bool = False) -> Iterator[Any]:
    """Open stdout, or a file that takes its name when it is whole.

    A write error becomes an OutputError.
    """
    file: Any = nullcontext(sys.stdout) if path is None else _replaced(Path(path), binary=binary)
    try:
        with file as out:
            yield out
            out.flush()
    except OSError as error:
        place = "stdout" if path is None else path
        raise OutputError(f"cannot write to {place}: {error.strerror}") from None


@contextmanager
def _replaced(path: Path, *, binary: bool) -> Iterator[Any]:
    """Open a file beside `path` that replaces it at the end, with its mode."""
    text = {"mode": "w", "encoding": "utf-8", "newline": ""}
    how: Any = {"mode": "wb"} if binary else text
    if path.exists() and not path.is_file():  # a device or a named pipe
        with path.open(**how) as stream:
            yield stream
        return
    path = path.resolve()  # a link stays a link
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open(**how) as stream:
        try:
            yield stream
            stream.flush()
            if path.exists():
                copymode(path, beside)
            os.replace(beside, path)
        except BaseException:
            beside.unlink()
            raise
