"""Files that are there whole or not at all, and stdout."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from gelu_cli.errors import OutputError


@contextmanager
def opened(path: str | None, *, binary: bool = False) -> Iterator[Any]:
    """Open stdout, or a file that takes its name when it is whole; write errors end with 3."""
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
    """Open a file beside `path` that replaces it at the end, with its mode, or is removed."""
    text = {"mode": "w", "encoding": "utf-8", "newline": ""}
    how: Any = {"mode": "wb"} if binary else text
    if path.exists() and not path.is_file():  # a device or a named pipe
        with path.open(**how) as stream:
            yield stream
        return
    path = path.resolve()  # a link stays a link
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    with NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name}.", delete=False, **how
    ) as stream:
        try:
            yield stream
            stream.flush()
            os.chmod(stream.name, mode)
            os.replace(stream.name, path)
        except BaseException:
            os.unlink(stream.name)
            raise


def _umask() -> int:
    """Read the permissions that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
