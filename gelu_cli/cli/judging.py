"""How results are judged, as the options say."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

DEFAULT_WORST = 10


class Judging(NamedTuple):
    """How results are judged: flushed to zero or not, how many of the worst, by which limits."""

    ftz: bool = False
    worst: int | None = None
    max_ulp: Fraction | None = None
    budget: str | None = None
    tighten: bool = False
    criteria: bool = False

    @property
    def keep(self) -> int:
        """How many of the worst inputs to show."""
        return self.worst or DEFAULT_WORST
