"""What is being done and how far it has come: one line on stderr, on a terminal only."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from shutil import get_terminal_size
from threading import Event, RLock, Thread
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from gelu_cli.errors import printable
from gelu_cli.old.report.text import cut, shortened
from gelu_cli.old.stages import watched_by
from gelu_cli.old.writing.pager import paging
from gelu_cli.old.writing.signals import before_the_end, interruptible
from gelu_cli.old.writing.streams import on_terminal

if TYPE_CHECKING:
    from gelu_cli.old.sweeping.implementations import Kernel
    from gelu_cli.old.sweeping.inputs import Inputs
    from gelu_cli.old.sweeping.sweep import Sweep

FIRST_SECONDS, SECONDS = 0.5, 0.25
ERASE = "\r\033[K"
LONGEST_NAME = 24
"""Cells of a kernel's name: the figures are then seen on 80 columns, the share on 40."""

Found = TypeVar("Found")
Line = Callable[[float], str]
"""What the line says after some seconds of work."""


class Progress:
    """A line that is renewed a few times a second, and gone when the work ends.

    It says what it was last told, by a call or by `gelu_cli.old.stages`. A thread renews it, so that
    the seconds go on while the work has nothing new to tell. There is none where stderr is no
    terminal, or one that cannot erase a line.
    """

    def __init__(self, quiet: bool) -> None:
        self.stream = sys.stderr
        can_erase = os.environ.get("TERM") != "dumb"
        self.shown = not quiet and can_erase and on_terminal(self.stream)
        self.start = monotonic()
        self.last = self.start + FIRST_SECONDS - SECONDS
        self.line = stage("working")
        self.written = self.held = False
        self.lock = RLock()  # an interrupt may come while the line is being written
        self.ended = Event()
        self.watching = ExitStack()

    def __enter__(self) -> Progress:
        if self.shown:
            told = watched_by(lambda text: self(stage(text)) if text else self._end())
            self.watching.enter_context(told)
            Thread(target=self._go_on, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.ended.set()
        self.watching.close()
        self._end()

    def __call__(self, line: Line) -> None:
        """Show what `line` says after so many seconds of work, if it is time for a new one."""
        self.line = line
        self.renew()

    def renew(self) -> None:
        """Show the line as it is now, if it is time for a new one."""
        if not self.shown or paging():
            return
        with self.lock:
            now = monotonic()
            if self.shown and not self.held and now - self.last >= SECONDS:
                self.last = now
                self.written = True
                text = printable(self.line(now - self.start))
                self._write(ERASE + cut(text, self._width()))

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Take the line away while something else is written to the same terminal."""
        with self.lock:
            self.held = True
            self._erase()
        try:
            yield
        finally:
            self.last = monotonic() + FIRST_SECONDS - SECONDS
            self.held = False

    def over_inputs(self, name: str) -> Callable[[int, int], None]:
        """Return what shows that so many inputs of all of them are done."""
        short = shortened(printable(name), LONGEST_NAME)
        return lambda done, total: self(inputs_done(short, done, total))

    def _go_on(self) -> None:
        while not self.ended.wait(SECONDS):
            self.renew()

    def _end(self) -> None:
        with self.lock:
            self._erase()
            self.shown = False

    def _erase(self) -> None:
        if self.written:
            self.written = False
            self._write(ERASE)

    def _write(self, text: str) -> None:
        try:
            self.stream.write(text)
            self.stream.flush()
        except (OSError, ValueError):  # a terminal that has gone, a stream that was closed
            self.shown = False

    def _width(self) -> int:
        """Return how long a line may be: one that is folded cannot be erased."""
        try:
            columns = os.get_terminal_size(self.stream.fileno()).columns
        except (OSError, ValueError):
            columns = 0
        return (columns or get_terminal_size().columns) - 1


def stage(text: str) -> Line:
    """Return the line for a stage of some work.

    >>> stage("tanh: step 1/64")(12.3)
    'tanh: step 1/64, 12 s'
    """
    return lambda seconds: f"{text}, {seconds:.0f} s"


def inputs_done(name: str, done: int, total: int) -> Line:
    """Return the line for so many inputs of all of them: the share, the rate and the time left.

    When all are done, it says nothing of the work that may be left.

    >>> inputs_done("erfc", 500, 2000)(10.0), inputs_done("erfc", 2000, 2000)(40.0)
    ('erfc: 25%, 50 inputs a second, 30 s left', 'erfc: 2,000 inputs judged, 40 s')
    """
    if done == total:
        return stage(f"{name}: {total:,} inputs judged")

    def line(seconds: float) -> str:
        rate = done / seconds
        share, left = min(done / total, 0.99), max(1.0, (total - done) / rate)
        return f"{name}: {share:.0%}, {rate:,.0f} inputs a second, {left:.0f} s left"

    return line


def rows_done(rows: int) -> Line:
    """Return the line for so many rows: their number, and the rate.

    >>> rows_done(5000)(2.0)
    '5,000 rows, 2,500 a second'
    """
    noun = "row" if rows == 1 else "rows"
    return lambda seconds: f"{rows:,} {noun}, {rows / seconds:,.0f} a second"


# Sweeps


def with_targets(kernels: Sequence[Kernel], inputs: Inputs, *, quiet: bool) -> list[Kernel]:
    """Return kernels with the forms that are found by their results, where --form auto asks."""
    from gelu_cli.old.sweeping.at import end_functions
    from gelu_cli.old.sweeping.nearest import with_nearest_forms

    with before_the_end(lambda: end_functions(kernels)), Progress(quiet):
        return with_nearest_forms(kernels, inputs.low, inputs.high)


def found_by(
    sweep: Sweep, find: Callable[[Callable[[int, int], None]], Found], name: str, *, quiet: bool
) -> Found:
    """Return what `find` finds while the sweep runs; an interrupt ends it early.

    `find` is given what to tell how many inputs of how many are judged; `name` is shown meanwhile.
    """
    with ExitStack() as started:
        started.enter_context(before_the_end(sweep.kill))
        with Progress(quiet):
            started.enter_context(sweep)
        with Progress(quiet) as progress, interruptible():
            return find(progress.over_inputs(name))
