"""The exact values in units of the last place: (m + low)·unit each.

There are three sources, which look the same: any points (`truth_at`), consecutive float32s
(`runs`), and pairs of inputs (`products`). Values that float64s cannot tell from a multiple of ½
are found by exact arithmetic here (`certified`), so that no consumer doubts a rounding or a count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.accuracy.question import Question
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import in_units_array
from gelu_cli.numbers.cells import Floats, Mask
from gelu_cli.numbers.points import in_units

Indices: TypeAlias = NDArray[np.int64]
Exactly: TypeAlias = Callable[[Indices], tuple[Floats, Floats, Floats]]
"""Finds m, low and unit at some of the inputs."""

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
    whole
        The integers that m + low round to.
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
    whole: Floats
    result: Format
    error: float = 0.0
    rising: int | None = None

    @property
    def y(self) -> Floats:
        """The values as float64s."""
        y: Floats = self.m * self.unit
        return y

    @cached_property
    def beyond(self) -> Mask | None:
        """Mask of values that round beyond the largest number, or None."""
        largest = self.result.largest
        whole = self.whole if self.rising is None else self.whole[[0, -1]]
        with np.errstate(invalid="ignore", over="ignore"):
            if np.max(np.abs(whole)) * np.max(self.unit) <= largest:
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

    def nearest(self, got: Floats, others: list[Truth]) -> Truth:
        """Return the truth for a machine that flushes subnormal numbers to 0.

        A result 0 is right where the value is subnormal; `others` are what flushed inputs give:
        each result counts by the nearest of them.
        """
        columns = self._columns()
        right = np.array([0.0, 0.0, 2.0**self.result.least_exponent, 0.0])[:, None]
        columns = np.where((got == 0) & self.subnormal, right, columns)
        errors = _apart(got, columns)
        for each in others:
            theirs = each._columns()
            apart = _apart(got, theirs)
            columns = np.where(apart < errors, theirs, columns)
            errors = np.fmin(errors, apart)
        m, low, unit, whole = columns
        return replace(self, m=m, low=low, unit=unit, whole=whole)

    def _columns(self) -> Floats:
        low = 0.0 if self.low is None else self.low
        return np.stack(np.broadcast_arrays(self.m, low, self.unit, self.whole))


def _apart(got: Floats, columns: Floats) -> Floats:
    """Return the errors of results in ULP."""
    m, low, unit, _ = columns
    apart: Floats = np.abs(got / unit - m - low)
    return apart


def rounded(m: Floats, low: Floats | None) -> Floats:
    """Return the integers that m + low round to, ties to even."""
    whole = np.rint(m)
    if low is None:
        return whole
    rest = m - whole
    total = rest + low
    up = np.where(np.abs(rest) == 0.5, rest * low > 0, np.abs(total) > 0.5)
    up |= (rest == 0) & (np.abs(low) == 0.5) & (whole % 2 == 1)  # float64s are units themselves
    places = np.flatnonzero(up)
    whole[places] += np.sign(total[places])
    return whole


def certified(result: Format, m: Floats, unit: Any, error: float, exactly: Exactly) -> Truth:
    """Return the truth, with values near multiples of ½ found exactly.

    Values are m·unit; those near a power of 2 are found exactly too. The signs of m are right.
    """
    whole = np.rint(m)
    rest = np.abs(m - whole)
    size = np.abs(m)
    unsure = (np.abs(rest - 0.25) >= 0.25 - error) & (size > 0.25)
    power, top = 2.0 ** (result.precision - 1), 2.0**result.precision
    if size.min() < power + error or size.max() > top - error:
        unsure |= (np.abs(size - power) <= error) | (size >= top - error)
    low = None
    if len(places := np.flatnonzero(unsure & np.isfinite(m))):
        low = np.zeros_like(m)
        unit = np.broadcast_to(unit, m.shape).copy() if isinstance(unit, float) else unit
        m[places], low[places], unit[places] = exactly(places)
        whole[places] = rounded(m[places], low[places])
    return Truth(m, low, unit, whole, result, error)


def exact_at(question: Question, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Return m, low and unit at some inputs, one by one."""
    rows = np.array([question.in_units(each) for each in x.tolist()], np.float64).reshape(-1, 3)
    return rows[:, 0], rows[:, 1], np.ldexp(1.0, rows[:, 2].astype(np.int64))


def truth_at(question: Question, x: Floats) -> Truth:
    """Return the truth of a form at finite float64s, without its factor."""
    result, at = question.result, question.limited(x)
    m, low, exponent, error = in_units_array(question.form, question.of_form, at, result)
    for i in np.flatnonzero((np.abs(m) == FAINT) & (low == 0)).tolist():
        m[i], low[i], exponent[i] = in_units(question.form, question.of_form, float(at[i]), result)
    if (flat := question.flat(x)).any():
        m[flat] = low[flat] = 0.0
        exponent[flat] = result.least_exponent
    return Truth(m, low, np.ldexp(1.0, exponent), rounded(m, low), result, error)
