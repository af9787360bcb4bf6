"""Files written whole or not at all, stdout, and messages on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from shutil import copymode
from threading import Timer
from typing import Any

from gelu_cli.errors import OutputError, printable

SECONDS = 0.5
"""Seconds of work before progress is shown."""


@contextmanager
def opened(path: str | None, *, binary: bool = False) -> Iterator[Any]:
    """Open stdout, or a file that replaces `path` once it is complete.

    A write error becomes an OutputError.
    """
    if path in ("-", "/dev/stdout"):  # stdout may append to a file (>> log), which must stay
        path = None
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
    """Open a temporary file that later replaces `path`; keep its permissions."""
    text = {"mode": "w", "encoding": "utf-8", "newline": ""}
    how: Any = {"mode": "wb"} if binary else text
    if path.exists() and not path.is_file():  # a device or a named pipe
        with path.open(**how) as stream:
            yield stream
        return
    path = path.resolve()  # a link stays a link
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open(**how) as stream:
        try:
            yield stream
            stream.flush()
            if path.exists():
                copymode(path, temporary)
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink()
            raise


@contextmanager
def progress(quiet: bool, after: float = SECONDS) -> Iterator[Callable[[int, int], None]]:
    """Show progress while the block runs, and yield a callback (done, total).

    Nothing is shown if `quiet`, if stderr is not a terminal, or in the first `after` seconds. At
    the end the line is erased.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    shown = Progress(console=Console(stderr=True), transient=True)
    work = shown.add_task("working", total=None)

    start = Timer(after, shown.start)
    start.daemon = True
    start.start()
    try:
        yield lambda done, total: shown.update(work, completed=done, total=total)
    finally:
        start.cancel()
        start.join()
        shown.stop()


def say(message: str) -> None:
    """Print a line on stderr, wrapped at words on a terminal."""
    line = f"gelu: {printable(message)}"
    if sys.stderr.isatty():
        from shutil import get_terminal_size
        from textwrap import fill

        width = get_terminal_size().columns
        line = fill(line, width, break_long_words=False, break_on_hyphens=False)
    sys.stderr.write(f"{line}\n")
