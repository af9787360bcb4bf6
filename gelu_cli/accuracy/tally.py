"""Counts, sums and extremes of errors, which add up in any order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.accuracy.profile import Over
from gelu_cli.accuracy.regions import CELLS

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
