"""How far long work has come: one line on stderr, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable
from shutil import get_terminal_size
from time import monotonic
from types import TracebackType

from gelu_cli.cli.output.terminal import on_terminal
from gelu_cli.report.text import cut, printable, shortened

FIRST_SECONDS, SECONDS = 0.5, 0.25
ERASE = "\r\033[K"
LONGEST_NAME = 24
"""In cells: so the figures are seen behind it on 80 columns, and the share on 40."""


class Progress:
    """A line that is renewed a few times a second, and gone when the work ends."""

    def __init__(self, quiet: bool) -> None:
        self.shown = not quiet and on_terminal(sys.stderr)
        self.start = monotonic()
        self.last = self.start + FIRST_SECONDS - SECONDS
        self.written = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.written:
            print(ERASE, end="", file=sys.stderr, flush=True)

    def __call__(self, line: Callable[[float], str]) -> None:
        """Show what `line` says after so many seconds of work, if it is time for a new one."""
        now = monotonic()
        if not self.shown or now - self.last < SECONDS:
            return
        self.last, self.written = now, True
        width = get_terminal_size().columns - 1  # a line that is folded cannot be erased
        text = printable(line(now - self.start))
        print(f"{ERASE}{cut(text, width)}", end="", file=sys.stderr, flush=True)

    def over_inputs(self, name: str) -> Callable[[int, int], None]:
        """Return what shows that so many inputs of all of them are done."""
        short = shortened(printable(name), LONGEST_NAME)
        return lambda done, total: self(inputs_done(short, done, total))


def inputs_done(name: str, done: int, total: int) -> Callable[[float], str]:
    """Return the line for so many inputs of all of them: the share, the rate and the time left.

    >>> inputs_done("erfc", 500, 2000)(10.0)
    'erfc: 25%, 50 inputs a second, 30 s left'
    """

    def line(seconds: float) -> str:
        rate = done / seconds
        left = (total - done) / rate
        return f"{name}: {done / total:.0%}, {rate:,.0f} inputs a second, {left:.0f} s left"

    return line


def rows_done(rows: int) -> Callable[[float], str]:
    """Return the line for so many rows: their number, and the rate.

    >>> rows_done(5000)(2.0)
    '5,000 rows, 2,500 a second'
    """
    return lambda seconds: f"{rows:,} rows, {rows / seconds:,.0f} a second"
