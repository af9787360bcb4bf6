"""Counts, sums and extremes of errors, which add up in any order."""

from __future__ import annotations

from collections import Counter
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

ROW = np.dtype([("ulp", "f8"), ("x", "f8"), ("up", "f8"), ("got", "f8")])
Rows: TypeAlias = NDArray[np.void]
NO_ROWS: Rows = np.zeros(0, ROW)
FAILURES = ("wrong_inf", "wrong_nan", "wrong_sign")


class Extreme(NamedTuple):
    """The largest of some sizes, as an error: its inputs and result."""

    size: float
    x: float
    up: float
    got: float

    def larger(self, other: Extreme) -> Extreme:
        """Return the larger of two, of equal ones the earlier in bit patterns."""
        return max(self, other, key=Extreme._order)

    def _order(self) -> tuple[float, ...]:
        earlier = ((not np.signbit(each), -abs(each)) for each in (self.x, self.up))
        return self.size, *(key for keys in earlier for key in keys)


NOTHING = Extreme(-1.0, np.nan, np.nan, np.nan)


@dataclass
class Tally:
    """Counts, sums and extremes of the errors of results at some inputs.

    Attributes
    ----------
    numbers
        The `COUNTS`, and sums: `ulp` of errors; `weight` of results that are numbers, `lost` of
        others; `squares` of weight·error², `least` the same of correctly rounded results.
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

    numbers: Counter[str] = field(default_factory=Counter)
    peaks: NDArray[np.float64] = field(default_factory=lambda: np.full(CELLS, -1.0))
    over: Over = Over()  # noqa: RUF009 (it does not change)
    worst: Rows = field(default_factory=NO_ROWS.copy)
    failures: dict[str, Rows] = field(default_factory=dict)
    extremes: dict[str, Extreme] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        """Return a count or a sum by its name."""
        return np.asarray(self.numbers[name]).item()

    def count(self, **numbers: Any) -> None:
        """Add to counts and sums."""
        self.numbers.update(numbers)

    def add(self, other: Tally, keep: int) -> None:
        """Add what is found at other inputs; keep the `keep` worst."""
        self.numbers.update(other.numbers)
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
        both = both[np.lexsort((*order_of(both), -both["ulp"]))]
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
            self.failures[name] = both[np.lexsort(order_of(both))][:keep]

    def take_extreme(self, name: str, extreme: Extreme) -> None:
        """Keep an extreme if it exceeds the known one."""
        self.extremes[name] = extreme.larger(self.extremes.get(name, NOTHING))

    def size_of(self, name: str) -> float:
        """Return the size of an extreme, −1 if there is none."""
        return self.extremes.get(name, NOTHING).size


def order_of(rows: Rows) -> tuple[NDArray[Any], ...]:
    """Return keys by which rows are sorted: bit patterns of x, then of up."""
    x, up = rows["x"], rows["up"]
    return np.abs(up), np.signbit(up), np.abs(x), np.signbit(x)
