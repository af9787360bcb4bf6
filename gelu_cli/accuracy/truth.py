"""The exact values in units of the last place: (m + low)·unit each.

There are three sources, which look the same: any points (`truth_at`), consecutive float32s
(`runs`), and pairs of inputs (`products`). Values that float64s cannot tell from a multiple of ½
are found by exact arithmetic there, so that no consumer doubts a rounding or a count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.accuracy.question import Question
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import in_units_array
from gelu_cli.numbers.cells import Floats, Mask

Indices: TypeAlias = NDArray[np.int64]

FAINT = 2.0**-26
"""Arrays have this for values below 2⁻¹¹⁰⁰, in units of the least float64s."""


@dataclass
class Truth:
    """The exact values at some inputs, for all kernels with one question.

    Attributes
    ----------
    m, low
        Together the values in units; low is None if m alone is near enough. Where a result should
        be infinite or NaN whatever the format, m is that.
    unit
        An array, or a number if it is the same for all.
    result
        The format of results.
    error
        How far m + low may be off, in units.
    rising
        1 or −1 if the values are known to go one way along the inputs, 0 if they are constant.
    """

    m: Floats
    low: Floats | None
    unit: Any
    result: Format
    error: float = 0.0
    rising: int | None = None

    @property
    def y(self) -> Floats:
        """The values as float64s."""
        return np.asarray(self.m * self.unit)

    @cached_property
    def whole(self) -> Floats:
        """The integers that m + low round to, ties to even."""
        whole = np.rint(self.m)
        if self.low is None:
            return whole
        rest, low = self.m - whole, self.low
        total = rest + low
        up = np.where(np.abs(rest) == 0.5, rest * low > 0, np.abs(total) > 0.5)
        up |= (rest == 0) & (np.abs(low) == 0.5) & (whole % 2 == 1)  # float64s are units themselves
        places = np.flatnonzero(up)
        whole[places] += np.sign(total[places])
        return whole

    @cached_property
    def beyond(self) -> Mask | None:
        """Mask of values that round beyond the largest number, or None."""
        largest = self.result.largest
        with np.errstate(invalid="ignore", over="ignore"):
            if np.max(np.abs(self.whole)) * np.max(self.unit) <= largest:
                return None
            return np.asarray(~(np.abs(self.whole * self.unit) <= largest))

    @cached_property
    def want(self) -> Floats:
        """The correctly rounded results, infinities and NaN among them."""
        with np.errstate(invalid="ignore", over="ignore"):
            want: Floats = self.whole * self.unit
            if self.beyond is None:
                return want
            largest = np.copysign(np.inf, self.m) if self.result.infinite else np.nan
            return np.where(self.beyond & ~np.isnan(self.m), largest, want)

    @property
    def subnormal(self) -> Mask:
        """Mask of values below all normal numbers."""
        power, size = 2.0 ** (self.result.precision - 1), np.abs(self.m)
        below: Mask = size < power
        return below if self.low is None else below | ((size == power) & (self.low * self.m < 0))

    @property
    def rounding_errors(self) -> Floats:
        """The errors of correctly rounded results, in ULP."""
        rest = self.m - self.whole
        return np.abs(rest if self.low is None else rest + self.low)


def exact_at(question: Question, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Return m, low and unit at some inputs, one by one."""
    rows = np.array([question.in_units(each) for each in x.tolist()], np.float64).reshape(-1, 3)
    return rows[:, 0], rows[:, 1], np.ldexp(1.0, rows[:, 2].astype(np.int64))


def truth_at(question: Question, x: Floats) -> Truth:
    """Return the truth of a form at finite float64s, without its factor."""
    result, at = question.result, question.limited(x)
    m, low, exponent, error = in_units_array(question.form, question.of_form, at, result)
    unit = np.ldexp(1.0, exponent)
    if len(faint := np.flatnonzero((np.abs(m) == FAINT) & (low == 0))):
        plain = question._replace(times=to_fraction(1), glu=None, quantity=question.of_form)
        m[faint], low[faint], unit[faint] = exact_at(plain, at[faint])
    if (flat := question.flat(x)).any():
        m[flat], low[flat], unit[flat] = 0.0, 0.0, 2.0**result.least_exponent
    return Truth(m, low, unit, result, error)
