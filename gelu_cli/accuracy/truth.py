"""Exact values in units of the last place: each is (m + low)·unit.

A `Truth` is computed for any points (`truth_at`), for pairs of inputs (`truth_of`) or for
consecutive float32s (`runs`). If the error bound of m + low leaves a rounding uncertain, m and low
are recomputed by exact arithmetic, so that every rounding and every count is certain.

In a product F(x)·u, F is computed once for each x, as (M + L)·2ᵉ; u is exactly h + l, a sum of two
float64s. First (M + L)·h is rounded to one float64. If this leaves a rounding uncertain, M·h is
computed exactly as a sum of two float64s, and M·l + L·h is rounded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.accuracy.question import Question
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import in_units_array, two_floats
from gelu_cli.numbers.cells import Floats, Mask, two_sum
from gelu_cli.numbers.formats import LITTLE

Indices: TypeAlias = NDArray[np.int64]

PLACEHOLDER = 2.0**-26
"""For float64, `in_units_array` may return this |m| if |y| < 2⁻¹¹⁰⁰; `truth_at` recomputes y."""

ROUNDING = 2.0**-50
"""Bound of the relative error of up to seven float64 operations."""

CLEAR = 2.0**20
"""Products within CLEAR·(error bound) of a multiple of ½ are exact, so small errors keep digits."""

TINY, NOTHING = 2.0**-900, 2.0**-60
"""If |F(x)| < TINY ULP and |F(x)·u| < NOTHING ULP, only the sign of F(x)·u is used."""


@dataclass
class Truth:
    """The exact values at some inputs, the same for all compared kernels.

    Attributes
    ----------
    m, low
        The values in units are m + low; low is None if m alone is accurate enough. If F(gate)
        overflows in the intermediate format, m is ±∞ or NaN.
    unit
        The ULP of each value: an array, or a number if all values have the same ULP.
    error
        A bound of the error of m + low, in units.
    rising
        1 or −1 if the values are known to rise or fall along the inputs, 0 if constant, else None.
    """

    m: Floats
    low: Floats | None
    unit: Any
    result: Format
    error: float = 0.0
    rising: int | None = None

    @property
    def y(self) -> Floats:
        """The values in float64."""
        return self.y_at(slice(None))

    def y_at(self, indices: Any) -> Floats:
        """Return the values at some indices in float64."""
        m = self.m[indices] if self.low is None else self.m[indices] + self.low[indices]
        return np.asarray(m * (self.unit[indices] if np.ndim(self.unit) else self.unit))

    @cached_property
    def least(self) -> float:
        """The least |m|; NaN is ignored."""
        low, high = self._ends
        inside = not (low > 0 or high < 0)
        return float(np.fmin.reduce(np.abs(self.m)) if inside else min(abs(low), abs(high)))

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """The least and the largest m; NaN if one m is NaN."""
        return float(self.m.min()), float(self.m.max())

    @cached_property
    def whole(self) -> Floats:
        """The integers that m + low round to, ties to even."""
        whole = np.rint(self.m)
        if self.low is None:
            return whole
        some = np.flatnonzero(self.low)
        rest, low = self.m[some] - whole[some], self.low[some]
        total = rest + low
        up = np.where(np.abs(rest) == 0.5, rest * low > 0, np.abs(total) > 0.5)
        ties = np.flatnonzero((rest == 0) & (np.abs(low) == 0.5))  # of float64
        up[ties] = whole[some[ties]] % 2 == 1
        whole[some[up]] += np.sign(total[up])
        return whole

    @cached_property
    def beyond(self) -> Mask | None:
        """Mask of values that round beyond the largest number; None if none do."""
        largest, (low, high) = self.result.largest, self._ends
        with np.errstate(invalid="ignore", over="ignore"):
            if (max(-low, high) + 1) * np.max(self.unit) <= largest:
                return None
            beyond = ~(np.abs(self.whole * self.unit) <= largest)
            return beyond if beyond.any() else None

    @cached_property
    def want(self) -> Floats:
        """The correctly rounded results, including infinities and NaN."""
        with np.errstate(invalid="ignore", over="ignore"):
            want: Floats = self.whole * self.unit
            if self.beyond is None:
                return want
            largest = np.copysign(np.inf, self.m) if self.result.infinite else np.nan
            return np.where(self.beyond & ~np.isnan(self.m), largest, want)

    @property
    def power(self) -> float:
        """The least |m| of a normal number: a power of 2 in units of its own ULP."""
        return 2.0 ** (self.result.precision - 1)

    @property
    def subnormal(self) -> Mask:
        """Mask of values with |y| < 2^emin, the least normal number."""
        size = np.abs(self.m)
        below: Mask = size < self.power
        if self.low is not None:
            at = np.flatnonzero(size == self.power)
            below[at] = self.low[at] * self.m[at] < 0
        return below

    @property
    def rounding_errors(self) -> Floats:
        """Exact values minus correctly rounded ones, in ULP."""
        rest = self.m - self.whole
        return rest if self.low is None else rest + self.low


def exact_at(question: Question, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Return m, low and unit, computed by exact arithmetic at each input."""
    rows = np.array([question.in_units(each) for each in x.tolist()], np.float64).reshape(-1, 3)
    return rows[:, 0], rows[:, 1], np.ldexp(1.0, rows[:, 2].astype(np.int64))


def truth_at(question: Question, x: Floats) -> Truth:
    """Return the exact values of the form, without a factor, at finite x."""
    result, at = question.result, question.limited(x)
    m, low, exponent, error = in_units_array(question.form, question.of_form, at, result)
    unit = np.ldexp(1.0, exponent)
    if len(faint := np.flatnonzero((np.abs(m) == PLACEHOLDER) & (low == 0))):
        plain = question._replace(times=to_fraction(1), glu=None, quantity=question.of_form)
        m[faint], low[faint], unit[faint] = exact_at(plain, at[faint])
    if (flat := question.flat(x)).any():
        m[flat], low[flat], unit[flat] = 0.0, 0.0, 2.0**result.least_exponent
    return Truth(m, low, unit, result, error)


def truth_of(question: Question, x: Floats, ups: Floats | None = None) -> Truth:
    """Return the exact values at finite x, or at finite pairs grouped by x."""
    if ups is not None:
        high, low = question.factors(ups)
    elif question.times == 1:
        return truth_at(question, x)
    else:
        high, low = (np.full_like(x, each) for each in two_floats(question.times))
    is_new = np.diff(x.view(np.int64), prepend=~x.view(np.int64)[:1]) != 0
    factor, row = _factor_at(question, x[is_new].tobytes()), np.cumsum(is_new) - 1
    m, n, error, near = _rounded_products(question, factor, row, high, low)
    m_low = np.zeros_like(m)
    parts = _products(question, factor, row[near], high[near], low[near])
    m[near], m_low[near], n[near], most, sure = parts
    for i in near[~sure].tolist():
        one = question if ups is None else question.at(float(ups[i]))
        m[i], m_low[i], n[i] = one.in_units(float(x[i]))
    return Truth(m, m_low, np.ldexp(1.0, n), question.result, max(error, most))


@lru_cache(1)  # the calls of a unit of pairs have the same x
def _factor_at(question: Question, of_x: bytes) -> Truth:
    """Return F(x) in units, rounded to the intermediate format, if any."""
    x = np.frombuffer(of_x)
    if not (inner := question.inner):
        return truth_at(question, x)
    truth = truth_at(inner, x)
    m = np.where(np.isfinite(truth.want), truth.whole, truth.want)
    return replace(truth, m=m, low=np.zeros_like(m), error=0.0)


@np.errstate(all="ignore")  # F(x) may be infinite
def _rounded_products(
    question: Question, factor: Truth, row: Any, high: Floats, low: Floats
) -> tuple[Floats, Any, float, Indices]:
    """Return m, exponents of units, error bound, indices of uncertain values.

    A value is uncertain if u is not one float64, or a multiple of ½ is near (CLEAR, TINY).
    """
    result, y = question.result, factor.m if factor.low is None else factor.m + factor.low
    u, shift = np.frexp(high)
    m = np.where(np.abs(y) < TINY, 0.0, y)[row] * u
    exponent = (np.frexp(factor.unit)[1] - 1)[row] + shift
    n = np.maximum(np.frexp(m)[1] - 1 + exponent, result.emin) - result.precision + 1
    scale = np.ldexp(1.0, exponent - n)
    m *= scale
    error = factor.error * scale
    error += ROUNDING * np.abs(m)
    twice = 2 * m
    clear = (np.abs(twice - np.rint(twice)) > CLEAR * error + TINY) & (low == 0)
    return m, n, float(np.max(error, initial=0.0, where=clear)), np.flatnonzero(~clear)


@np.errstate(all="ignore")  # products may overflow
def _products(
    question: Question, factor: Truth, row: Any, high: Floats, low: Floats
) -> tuple[Floats, Floats, Any, float, Mask]:
    """Return m, low, exponents of units, error bound, mask of certain values."""
    result, low_of_f = question.result, 0.0 if factor.low is None else factor.low
    y = factor.m + low_of_f
    faint = (y != 0) & (np.abs(y) < TINY)  # products with subnormal parts would be slow
    parts = (np.where(faint, 0.0, each)[row] for each in (factor.m, low_of_f))
    f, f_low, sign, faint = *parts, np.sign(y)[row] * np.sign(high), faint[row]
    u, shift = np.frexp(high)
    u_low: Any = np.ldexp(low, -shift) if low.any() else 0.0
    exponent = (np.frexp(factor.unit)[1] - 1)[row] + shift
    first, lost = two_product(f, u)
    one, other = f * u_low, f_low * u
    m, m_low = two_sum(first, lost + (one + other))
    halves = 2 * f == np.rint(2 * f)  # then F − f has the sign of f_low
    known = halves & (lost == 0) & (u_low == 0)
    error = np.where(halves & (f_low == 0), 0.0, factor.error * np.abs(u))
    lower = np.abs(one) + np.abs(other)  # both are rounded, even if their sum cancels
    error += np.where(lower == 0, 0.0, ROUNDING * (lower + np.abs(lost)))

    mantissa, binade = np.frexp(m)
    binade = np.where(faint, result.emin, np.maximum(binade - 1 + exponent, result.emin))
    below = (np.abs(mantissa) == 0.5) & (m_low * m < 0) & (binade > result.emin)
    n = binade - result.precision + 1 - below
    scale = np.ldexp(1.0, exponent - n)
    m, m_low, error = m * scale, m_low * scale, error * scale

    half = np.rint(2 * m) / 2
    beyond = np.abs((m - half) + m_low)
    distance = np.minimum(beyond, np.abs(0.5 - beyond))
    size = np.abs(m_low) + error
    sure = (distance > error + ROUNDING * beyond) | (error == 0) | ~np.isfinite(f)
    sure |= (known & (m == half) & (size < 0.25)) | (np.abs(m) + size < 0.25)
    little = (sign != 0) & (faint | (np.abs(m) < LITTLE))
    sure = np.where(little & faint, scale * TINY < NOTHING, sure)
    m, m_low = np.where(little, sign * LITTLE, m), np.where(little, 0.0, m_low)
    m = np.where(np.isfinite(f), m, f * u)
    most = float(np.max(error, initial=0.0, where=sure & ~little))
    return m, m_low, np.where(m == 0, result.least_exponent, n), most, sure


def two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a·b rounded to float64, and its exact error (Dekker 1971)."""
    high, (c, d) = a * b, ((2.0**27 + 1) * each for each in (a, b))
    a1, b1 = c - (c - a), d - (d - b)
    a2, b2 = a - a1, b - b1
    return high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2
