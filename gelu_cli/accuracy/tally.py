"""Counts, sums and extremes of errors, which can be added in any order.

The profile lists for each error bound the interval around 0 in which no error exceeds it.
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

ULP_BOUNDS = 2.0 ** np.arange(-1, 64)
"""Error bounds of the profile, in ULP: ½, 1, 2, 4, …"""

COUNTS = (
    *("inputs", "judged", "over_half_ulp", "over_1_ulp", "misrounded"),
    *("wrong_nan", "wrong_inf", "wrong_sign", "wrong_zero", "saturated", "non_monotone"),
)
"""`judged` results are finite where finite results are expected; `saturated` results are the
largest number where the exact value rounds beyond it."""

ROW = np.dtype([("size", "f8"), ("x", "f8"), ("up", "f8"), ("got", "f8")])
Rows: TypeAlias = NDArray[np.void]
NO_ROWS: Rows = np.zeros(0, ROW)
FAILURES = ("wrong_inf", "wrong_nan", "wrong_sign")


class Over(NamedTuple):
    """Excesses over each of the bounds, at inputs of one sign.

    Attributes
    ----------
    errors
        For each bound the least |x| whose error exceeds it; infinite if there is none.
    left_out
        For each bound the number of results over it that are ignored: zeros for subnormal values.
    """

    errors: Floats = np.full(len(ULP_BOUNDS), inf)
    left_out: NDArray[np.int64] = np.zeros(len(ULP_BOUNDS), np.int64)

    def add(self, other: Over) -> Over:
        """Return the excesses at the inputs of both."""
        return Over(np.minimum(self.errors, other.errors), self.left_out + other.left_out)


def over_bounds(x: Floats, errors: Floats, zeros: Mask) -> Over:
    """Find for each bound the least |x| whose error exceeds it.

    Parameters
    ----------
    x
        Inputs of one sign in the order of |x|.
    errors
        Errors in ULP; infinite for failures, NaN for an infinity or NaN that is right.
    zeros
        Mask of the results that are 0 where the exact value is subnormal.
    """
    over = errors > ULP_BOUNDS[0]
    left_out, indices = np.sort(errors[over & zeros]), np.flatnonzero(over & ~zeros)
    first = np.searchsorted(np.maximum.accumulate(errors[indices]), ULP_BOUNDS, "right")
    return Over(
        np.append(np.abs(x[indices]), inf)[first],
        len(left_out) - np.searchsorted(left_out, ULP_BOUNDS, "right"),
    )


class Within(NamedTuple):
    """The largest interval around 0 in which all errors are within a bound.

    Attributes
    ----------
    low, high
        The ends; None if the error at the input nearest to 0 exceeds the bound.
    share
        The probability that a random input is in the interval.
    left_out
        Number of results over the bound that are ignored: zeros for subnormal exact values.
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
    """Yield the intervals within ½, 1, 2, … ULP until they stop widening.

    Parameters
    ----------
    dtype
        The format of inputs.
    over
        The excesses over the bounds by the sign of the inputs, 1 and −1.
    low, high
        The range of inputs.
    normal
        The distribution of random inputs.

    Examples
    --------
    >>> from gelu_cli.numbers import find_format
    >>> x, errors, none = np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.5, 3.0]), np.zeros(3, bool)
    >>> over = {1: over_bounds(x, errors, none), -1: Over()}
    >>> [each[:3] for each in profile(find_format("e5m2"), over, -2, 2)][1:]
    [(1.0, -2.0, 1.75), (2.0, -2.0, 1.75), (4.0, -2.0, 2.0)]
    """
    for i, bound in enumerate(ULP_BOUNDS.tolist()):
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
        The `COUNTS`, and sums: `ulp`, of errors in ULP; `weight`, of weights of `judged` results,
        and `lost`, of others; `squares`, of weight·error², and `least`, the same if all results
        were correctly rounded.
    peaks
        The largest error in ULP in each cell, infinite for failures, −1 in cells without inputs.
    over
        The excesses over the bounds of the profile.
    rows
        Results with the largest errors by name: several for `ulp`, one each for `abs`, `rel` and
        `ordinal`; and several failures for each of the `FAILURES`.
    """

    numbers: Counter[str] = field(default_factory=Counter)
    peaks: NDArray[np.float64] = field(default_factory=lambda: np.full(CELLS, -1.0))
    over: Over = Over()  # noqa: RUF009 (it is immutable)
    rows: dict[str, Rows] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        """Return a count or a sum by its name."""
        return np.asarray(self.numbers[name]).item()

    def count(self, **numbers: Any) -> None:
        """Add to counts and sums."""
        self.numbers.update(numbers)

    def add(self, other: Tally, keep: int) -> None:
        """Add the tally of other inputs; keep the `keep` worst of both."""
        self.numbers.update(other.numbers)
        self.over = self.over.add(other.over)
        self.peaks = np.maximum(self.peaks, other.peaks)
        for name, rows in other.rows.items():
            self.keep(name, rows, 1 if name in ("abs", "rel", "ordinal") else keep)

    def keep(self, name: str, rows: Rows, most: int = 1) -> None:
        """Add rows to those of a name; keep the `most` largest errors."""
        if len(rows) and rows["size"].max() >= self.bar(name, most):
            self.rows[name] = largest_of(self.largest(name), rows, most)

    def bar(self, name: str, most: int = 1) -> float:
        """Return the least error that `keep` accepts; −1 if it accepts all."""
        known = self.largest(name)
        return float(known["size"][-1]) if len(known) >= most else -1.0

    def largest(self, name: str) -> Rows:
        """Return the rows of a name, the largest first."""
        return self.rows.get(name, NO_ROWS)


def largest_of(one: Rows, other: Rows, most: int = 1) -> Rows:
    """Return the largest errors of both; positive and small x win ties."""
    rows = np.concatenate([one, other])
    x, up = rows["x"], rows["up"]
    order = np.lexsort((np.abs(up), np.signbit(up), np.abs(x), np.signbit(x), -rows["size"]))
    return rows[order[:most]]
