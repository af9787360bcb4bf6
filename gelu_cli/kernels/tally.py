"""What is counted while results are judged, and added up over blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from heapq import nlargest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

HISTOGRAM_BUCKETS = 66
"""Of errors in ULP: up to ½, up to 1, up to 2, 4, 8 …, and the rest."""


class Worst(NamedTuple):
    """A large error: in ULP, at x, of the result got; a Fraction where float64 has no such size."""

    ulp: float | Fraction
    x: float
    got: float


class Failure(NamedTuple):
    """A NaN or an infinity where a number is due, or the other way round: at x, the result got."""

    x: float
    got: float


@dataclass
class Tally:
    """Counts and extremes of the errors of results, in the order of their inputs."""

    inputs: int = 0
    judged: int = 0
    sum_ulp: float = 0.0
    over_half_ulp: int = 0
    over_1_ulp: int = 0
    misrounded: int = 0
    wrong_nan: int = 0
    wrong_inf: int = 0
    wrong_sign: int = 0
    wrong_zero: int = 0
    non_monotone: int = 0
    histogram: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(HISTOGRAM_BUCKETS, np.int64)
    )
    worst: list[Worst] = field(default_factory=list)
    """The largest errors first; the earlier input where they are equal."""

    failures: list[Failure] = field(default_factory=list)
    furthest: tuple[int, float, float] = (-1, 0.0, 0.0)
    """The largest ordinal distance, its x, its result."""

    peaks: dict[int, float] = field(default_factory=dict)
    """The largest error in ULP in each cell of `analysis.inputs`, infinite where one failed."""

    ends: tuple[tuple[float, float], tuple[float, float]] | None = None
    """(result, true value) at the first and at the last input."""

    def add(self, other: Tally, keep: int) -> None:
        """Add the tally of the inputs that follow, and keep so many of the worst."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.histogram = self.histogram + other.histogram
        self.worst = nlargest(keep, self.worst + other.worst, key=lambda entry: entry.ulp)
        self.failures = (self.failures + other.failures)[:keep]
        self.furthest = max(self.furthest, other.furthest, key=lambda entry: entry[0])
        for cell, peak in other.peaks.items():
            self.peaks[cell] = max(peak, self.peaks.get(cell, 0.0))
        if self.ends and other.ends:
            self.non_monotone += _is_against(*self.ends[1], *other.ends[0])
            self.ends = self.ends[0], other.ends[1]
        self.ends = self.ends or other.ends


COUNTS = (
    "inputs", "judged", "sum_ulp", "over_half_ulp", "over_1_ulp", "misrounded", "wrong_nan",
    "wrong_inf", "wrong_sign", "wrong_zero", "non_monotone",
)  # fmt: skip


def _is_against(got: float, true: float, next_got: float, next_true: float) -> bool:
    """Return whether results step one way where the truth steps the other."""
    down, up = next_got < got and next_true > true, next_got > got and next_true < true
    return down or up
