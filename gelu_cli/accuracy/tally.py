"""Counts, sums and extremes of errors, which add up in any order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.accuracy.profile import Over
from gelu_cli.accuracy.regions import CELLS

COUNTS = (
    "inputs", "judged", "over_half_ulp", "over_1_ulp", "misrounded", "wrong_nan", "wrong_inf",
    "wrong_sign", "wrong_zero", "saturated", "non_monotone",
)  # fmt: skip
"""`judged` results are numbers where numbers are expected; `saturated` ones are the largest number
where the exact value is beyond it."""

SUMS = ("ulp", "weight", "lost", "squares", "least")
"""Of errors in ULP; of weights of results that are numbers, and of others; of weight·error², and
the same of correctly rounded results."""

NOTHING_OVER = Over()
ROW = np.dtype([("ulp", "f8"), ("x", "f8"), ("up", "f8"), ("got", "f8")])
Rows: TypeAlias = NDArray[np.void]
NO_ROWS: Rows = np.zeros(0, ROW)
FAILURES = ("wrong_inf", "wrong_nan", "wrong_sign")


class Extreme(NamedTuple):
    """The largest error of a type: its size, inputs and result."""

    size: float
    x: float
    up: float
    got: float

    def exceeds(self, other: Extreme | None) -> bool:
        """Return True if it is larger, or as large and earlier in bit patterns."""
        if other is None:
            return True
        mine, theirs = ((e.size, not np.signbit(e.x), -abs(e.x)) for e in (self, other))
        return mine > theirs


@dataclass
class Tally:
    """Counts, sums and extremes of the errors of results at some inputs.

    Attributes
    ----------
    counts, sums
        By `COUNTS` and `SUMS`.
    peaks
        The largest error in each cell of a region, infinite for failures, −1 without inputs.
    over
        The least |x| over each bound of `profile`.
    worst
        The largest errors of finite results, the largest first.
    failures
        By `FAILURES` the first results that are wrong.
    extremes
        The largest absolute (`abs`), relative (`rel`) and ordinal error.
    """

    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(COUNTS), np.int64))
    sums: NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(SUMS)))
    peaks: NDArray[np.float64] = field(default_factory=lambda: np.full(CELLS, -1.0))
    over: Over = NOTHING_OVER
    worst: Rows = field(default_factory=NO_ROWS.copy)
    failures: dict[str, Rows] = field(default_factory=dict)
    extremes: dict[str, Extreme] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        """Return a count or a sum by its name."""
        found = self.counts[COUNTS.index(name)] if name in COUNTS else self.sums[SUMS.index(name)]
        return found.item()

    def count(self, name: str, number: Any) -> None:
        """Add to a count."""
        self.counts[COUNTS.index(name)] += number

    def add(self, other: Tally, keep: int) -> None:
        """Add what is found at other inputs; keep the `keep` worst."""
        self.counts += other.counts
        self.sums += other.sums
        self.over = self.over.add(other.over)
        self.peaks = np.maximum(self.peaks, other.peaks)
        self.list_worst(other.worst, keep)
        for name, rows in other.failures.items():
            self.list_failures(name, rows, keep)
        for name, extreme in other.extremes.items():
            self.take_extreme(name, extreme)

    def list_worst(self, rows: Rows, keep: int) -> None:
        """Keep the largest errors; of equal ones those at both ends."""
        if not len(rows) or rows["ulp"].max() < self.bar(keep):
            return
        both = np.concatenate([self.worst, rows])
        both = both[np.lexsort((*_order(both), -both["ulp"]))]
        if len(both) > keep:
            least = both["ulp"][keep - 1]
            larger, equal = both[both["ulp"] > least], both[both["ulp"] == least]
            left = keep - len(larger)
            ends = equal[: left - left // 2], equal[len(equal) - left // 2 :]
            both = np.concatenate([larger, *ends])
        self.worst = both

    def bar(self, keep: int) -> float:
        """Return the size from which on an error is listed."""
        return float(self.worst["ulp"][-1]) if len(self.worst) >= keep else 0.0

    def list_failures(self, name: str, rows: Rows, keep: int) -> None:
        """Keep the first failures of a kind, in the order of bit patterns."""
        if len(rows):
            both = np.concatenate([self.failures.get(name, NO_ROWS), rows])
            self.failures[name] = both[np.lexsort(_order(both))][:keep]

    def take_extreme(self, name: str, extreme: Extreme) -> None:
        """Keep an extreme if it exceeds the known one."""
        if extreme.exceeds(self.extremes.get(name)):
            self.extremes[name] = extreme

    def size_of(self, name: str) -> float:
        """Return the size of an extreme, −1 if there is none."""
        extreme = self.extremes.get(name)
        return extreme.size if extreme else -1.0


def _order(rows: Rows) -> tuple[NDArray[Any], ...]:
    """Return keys by which rows are sorted: bit patterns of x, then of up."""
    x, up = rows["x"], rows["up"]
    return np.abs(up), np.signbit(up), np.abs(x), np.signbit(x)
