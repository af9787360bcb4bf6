"""Tallies of errors: counts, sums and extremes, to be added in any order.

The profile has for each error bound an interval around 0 in which no error exceeds the bound.
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
"""`judged` results are finite where a finite result is expected. A `saturated` result is the
largest number of the format where the exact value rounds beyond that number."""

ROW = np.dtype([("size", "f8"), ("x", "f8"), ("up", "f8"), ("got", "f8")])
Rows: TypeAlias = NDArray[np.void]
NO_ROWS: Rows = np.zeros(0, ROW)
FAILURES = ("wrong_inf", "wrong_nan", "wrong_sign")


class Over(NamedTuple):
    """Excesses of errors over the `ULP_BOUNDS`, at inputs of one sign.

    `errors` has for each bound the least |x| with an error over the bound; ∞ if there is none.
    `left_out` counts for each bound the ignored excesses: zeros in place of subnormal values.
    """

    errors: Floats = np.full(len(ULP_BOUNDS), inf)
    left_out: NDArray[np.int64] = np.zeros(len(ULP_BOUNDS), np.int64)

    def add(self, other: Over) -> Over:
        """Return the excesses at the inputs of `self` and of `other`."""
        return Over(np.minimum(self.errors, other.errors), self.left_out + other.left_out)


def over_bounds(x: Floats, errors: Floats, zeros: Mask) -> Over:
    """Find the excesses of errors over the bounds, at inputs of one sign.

    `x` is in the order of |x|. `errors` are in ULP: ∞ for `FAILURES`, NaN for a right ∞ or NaN and
    for saturated results. `zeros` is the mask of results 0 in place of subnormal values.
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

    `low` and `high` are its ends; None if for each sign the error at the input nearest to 0 exceeds
    the bound. `share` is the probability that a random input is in the interval. `left_out` is as
    in `Over`, for this bound.
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

    `over` has the excesses at inputs of each sign, 1 and −1; inputs are of the format `dtype`, from
    `low` to `high`.
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
        The `COUNTS`, and these sums. `ulp`: errors in ULP; `weight`: weights of `judged` results;
        `lost`: weights of the other results; `squares`: weight·error², for absolute errors;
        `least`: `squares` if all results were correctly rounded.
    peaks
        For each cell of the region of x the largest error in ULP; ∞ for `wrong_inf` and
        `wrong_nan`; −1 in cells without errors in ULP.
    rows
        Rows of results by name. `ulp`: the largest errors; `abs`, `rel`, `ordinal`: one row, with
        the largest error; each of the `FAILURES`: some of these failures.
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
        """Add the tally of other inputs; keep the `keep` worst rows."""
        self.numbers.update(other.numbers)
        self.over = self.over.add(other.over)
        self.peaks = np.maximum(self.peaks, other.peaks)
        for name, rows in other.rows.items():
            self.keep(name, rows, 1 if name in ("abs", "rel", "ordinal") else keep)

    def keep(self, name: str, rows: Rows, most: int = 1) -> None:
        """Add rows under a name; keep the `most` rows with the largest errors."""
        if len(rows) and rows["size"].max() >= self.bar(name, most):
            self.rows[name] = largest_of(self.largest(name), rows, most)

    def bar(self, name: str, most: int = 1) -> float:
        """Return the least error that `keep` accepts; −1 if it accepts all."""
        known = self.largest(name)
        return float(known["size"][-1]) if len(known) >= most else -1.0

    def largest(self, name: str) -> Rows:
        """Return the rows under a name, the largest error first."""
        return self.rows.get(name, NO_ROWS)


def largest_of(one: Rows, other: Rows, most: int = 1) -> Rows:
    """Return rows of the `most` largest errors; ties: x > 0 first, small |x|."""
    rows = np.concatenate([one, other])
    x, up = rows["x"], rows["up"]
    order = np.lexsort((np.abs(up), np.signbit(up), np.abs(x), np.signbit(x), -rows["size"]))
    return rows[order[:most]]
