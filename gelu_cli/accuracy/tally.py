"""Counts, sums and extremes of errors, which add up in any order.

The profile is the intervals around 0 in which all results are within a bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.accuracy.regions import CELLS
from gelu_cli.accuracy.selection import STANDARD, Normal, probability
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import pattern_range
from gelu_cli.numbers.cells import Floats, Mask

BOUNDS = 2.0 ** np.arange(-1, 64)
"""In ULP."""

COUNTS = (
    *("inputs", "judged", "over_half_ulp", "over_1_ulp", "misrounded"),
    *("wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero", "saturated", "non_monotone"),
)
"""`judged` results are numbers where numbers are expected; `saturated` ones are the largest number
where the exact value is beyond it."""

ROW = np.dtype([("size", "f8"), ("x", "f8"), ("up", "f8"), ("got", "f8")])
Rows: TypeAlias = NDArray[np.void]
NO_ROWS: Rows = np.zeros(0, ROW)
FAILURES = ("wrong_inf", "wrong_nan", "wrong_sign")


class Over(NamedTuple):
    """Results of one sign that exceed each of the `BOUNDS`.

    Attributes
    ----------
    errors
        The least |x| with an error over each bound; infinite if there is none.
    left_out
        Numbers of results that are left out, and would be over.
    """

    errors: Floats = np.full(len(BOUNDS), inf)
    left_out: NDArray[np.int64] = np.zeros(len(BOUNDS), np.int64)

    def add(self, other: Over) -> Over:
        """Return the same of both."""
        return Over(np.minimum(self.errors, other.errors), self.left_out + other.left_out)


def over_bounds(x: Floats, errors: Floats, zeros: Mask) -> Over:
    """Find the inputs over each bound.

    Parameters
    ----------
    x
        Inputs of one sign in the order of |x|.
    errors
        In ULP; infinite for failures, NaN for an infinity or NaN that is right.
    zeros
        Where a result is 0 and the exact value subnormal.
    """
    over = errors > BOUNDS[0]
    left_out, places = np.sort(errors[over & zeros]), np.flatnonzero(over & ~zeros)
    first = np.searchsorted(np.maximum.accumulate(errors[places]), BOUNDS, "right")
    return Over(
        np.append(np.abs(x[places]), inf)[first],
        len(left_out) - np.searchsorted(left_out, BOUNDS, "right"),
    )


class Within(NamedTuple):
    """An interval of inputs around 0, all of whose results are within a bound.

    Attributes
    ----------
    low, high
        Its ends; None if the input nearest to 0 is over the bound.
    share
        Its probability.
    left_out
        Number of results that are 0 where the exact value is subnormal, and would be over.
    """

    bound: float
    low: float | None
    high: float | None
    share: float
    left_out: int


def profile(
    dtype: Format,
    over: Mapping[int, Over],
    low: float = -inf,
    high: float = inf,
    normal: Normal = STANDARD,
) -> Iterator[Within]:
    """Yield intervals for ½, 1, 2, … ULP, as long as they widen.

    Parameters
    ----------
    dtype
        The format of inputs.
    over
        What is over bounds, by the sign of inputs, 1 and −1.
    low, high
        The range of inputs.
    normal
        The distribution of draws.

    Examples
    --------
    >>> from gelu_cli.numbers import find_format
    >>> x, errors, none = np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.5, 3.0]), np.zeros(3, bool)
    >>> over = {1: over_bounds(x, errors, none), -1: Over()}
    >>> [each[:3] for each in profile(find_format("e5m2"), over, -2, 2)][1:]
    [(1.0, -2.0, 1.75), (2.0, -2.0, 1.75), (4.0, -2.0, 2.0)]
    """
    for i, bound in enumerate(BOUNDS.tolist()):
        ends: list[float] = []
        for sign in (-1, 1):
            first, end = pattern_range(dtype, sign, low, high)
            size = float(over[sign].errors[i])
            end = min(end, dtype.bits(size)) if isfinite(size) else end
            if first < end:
                ends += sorted(sign * dtype.number(each) for each in (first, end - 1))
        around = (ends[0], ends[-1]) if ends else (None, None)
        share = probability(ends[0], ends[-1], normal) if ends else 0.0
        left_out = sum(int(each.left_out[i]) for each in over.values())
        yield Within(bound, around[0], around[1], share, left_out)
        if all(each.errors[i] == each.errors[-1] for each in over.values()):
            return


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
    rows
        The largest errors in ULP (`ulp`), and the largest absolute (`abs`), relative (`rel`) and
        ordinal one; by `FAILURES` some results that are wrong.
    """

    numbers: Counter[str] = field(default_factory=Counter)
    peaks: NDArray[np.float64] = field(default_factory=lambda: np.full(CELLS, -1.0))
    over: Over = Over()  # noqa: RUF009 (it does not change)
    rows: dict[str, Rows] = field(default_factory=dict)

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
        for name, rows in other.rows.items():
            self.keep(name, rows, 1 if name in ("abs", "rel", "ordinal") else keep)

    def keep(self, name: str, rows: Rows, most: int = 1) -> None:
        """Keep the largest errors."""
        if len(rows) and rows["size"].max() >= self.bar(name, most):
            self.rows[name] = largest_of(self.largest(name), rows, most)

    def bar(self, name: str, most: int = 1) -> float:
        """Return the size from which on an error is kept."""
        known = self.largest(name)
        return float(known["size"][-1]) if len(known) >= most else -1.0

    def largest(self, name: str) -> Rows:
        """Return the rows of a name, the largest first."""
        return self.rows.get(name, NO_ROWS)


def largest_of(one: Rows, other: Rows, most: int = 1) -> Rows:
    """Return the largest of all rows, of equal ones the first inputs."""
    rows = np.concatenate([one, other])
    x, up = rows["x"], rows["up"]
    order = np.lexsort((np.abs(up), np.signbit(up), np.abs(x), np.signbit(x), -rows["size"]))
    return rows[order[:most]]
