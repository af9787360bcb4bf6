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
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    from gelu_cli.old.stages import watched_by

    shown = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    work = shown.add_task("working", total=None)
    start = Timer(after, shown.start)
    start.daemon = True
    start.start()
    try:
        with watched_by(lambda stage: shown.update(work, description=printable(stage)[:40])):
            yield lambda done, total: shown.update(work, completed=done, total=total)
    finally:
        start.cancel()
        start.join()
        shown.stop()
