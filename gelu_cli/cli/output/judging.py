"""How results are judged, as the options say, and what becomes of the verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

DEFAULT_WORST = 10


class Judging(NamedTuple):
    """How results are judged: flushed to zero or not, how many of the worst, by which limits."""

    ftz: bool
    worst: int | None
    max_ulp: Fraction | None
    budget: str | None
    tighten: bool
    criteria: bool

    @property
    def keep(self) -> int:
        """How many of the worst inputs to show."""
        return self.worst or DEFAULT_WORST
