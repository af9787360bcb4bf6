"""What is left out of what is read, and the notes on it."""

from __future__ import annotations

from collections.abc import Iterator

NULLS = "cell", "may be infinite or NaN, which JSON writes as null,"
CELLS, ROWS = ("cell", "cannot be read"), ("row", "cannot be read")
"""What is left out, and why."""


class LeftOut:
    """What is left out of a table: how many of each kind, and which is the first.

    If it `skips`, what cannot be read is left out; else it is an error, which names this remedy
    unless it is None, as the command has no such option.
    """

    def __init__(self, skips: bool | None = None) -> None:
        self.skips = skips
        self.remedy = "" if skips is None else "; --skip-unreadable leaves it out"
        self._found: dict[tuple[str, str], tuple[int, int, str]] = {}

    def add(self, kind: tuple[str, str], number: int, said: str) -> None:
        """Count what is in the row of that number."""
        count, at, first = self._found.get(kind, (0, number, said))
        self._found[kind] = (count + 1, *min((at, first), (number, said)))

    def notes(self) -> Iterator[str]:
        """Yield a note on each kind."""
        for (noun, reason), (count, _, said) in self._found.items():
            if count == 1:
                yield f"1 {noun} {reason} and is left out: {said}"
            else:
                yield f"{count:,} {noun}s {reason} and are left out; the first: {said}"


NOTHING = LeftOut()
