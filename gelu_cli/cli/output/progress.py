"""How far a long run has come: one line on stderr, on a terminal only."""

from __future__ import annotations

import sys
from shutil import get_terminal_size
from time import monotonic
from types import TracebackType

FIRST_SECONDS, SECONDS = 0.5, 0.25


class Progress:
    """A line with the share done, the rate and the time left; gone when the run ends."""

    def __init__(self, name: str, quiet: bool) -> None:
        self.name = name
        self.shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
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
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def __call__(self, done: int, total: int) -> None:
        """Say that so many inputs of all of them are done."""
        now = monotonic()
        if not self.shown or now - self.last < SECONDS:
            return
        self.last, self.written = now, True
        rate = done / (now - self.start)
        left = (total - done) / rate
        line = f"{self.name}: {done / total:.0%}, {rate:,.0f} inputs a second, {left:.0f} s left"
        line = line[: get_terminal_size().columns - 1]  # a line that is folded cannot be erased
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
