"""What long work does and how far it is, on stderr of a terminal."""

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

    Meanwhile the names of stages are shown, too. Nothing is shown if `quiet`, if stderr is not a
    terminal, or in the first seconds, `after`; when the block ends the line is erased.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    from gelu_cli.old.stages import watched_by

    shown = Progress(console=Console(stderr=True), transient=True)
    work = shown.add_task("working", total=None)

    def describe(stage: str) -> None:
        shown.update(work, description=escape(printable(stage)[:40]))

    start = Timer(after, shown.start)
    start.daemon = True
    start.start()
    try:
        with watched_by(describe):
            yield lambda done, total: shown.update(work, completed=done, total=total)
    finally:
        start.cancel()
        start.join()
        shown.stop()
