"""Lines on stderr: progress of long work, errors, notes, written files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from gelu_cli.errors import printable

SECONDS = 0.5
"""Shorter work shows nothing."""


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
