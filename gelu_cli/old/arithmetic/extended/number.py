"""Arrays of numbers of over 100 bits, each with a bound on its own error.

A number is (high + low ± error)·2**scale: a sum of two float64s (`double_double`), a bound on how
far it may be from the true value, and, only in blocks whose exponents leave float64's range, an
integer exponent. Every operation adds its own error to those it is given, so that a result of any
form, with any parameters, comes with a bound that knows of cancellation and of conditioning.

The bounds are computed in float64 themselves; their own rounding, some hundred times 2⁻⁵³, is
what `format_arrays.SLACK` is for. Products may underflow where a number is below 2⁻⁹⁰⁰:
`UNDERFLOW` is added for that, and `scale` keeps the numbers that matter far from there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic import Operators, mpf
from gelu_cli.old.arithmetic.extended.double_double import (
    UNIT,
    Floats,
    Pair,
    add,
    divide,
    fast_two_sum,
    multiply,
)

Scale: TypeAlias = NDArray[np.int64] | None

SUM, PRODUCT, QUOTIENT, ROOT = (n * UNIT**2 for n in (4, 7, 32, 16))
"""What an operation adds to the error, as a share of its result, or of its terms for a sum."""

UNDERFLOW = float(np.uint64(1 << 14).view(np.float64))
"""2⁻¹⁰⁶⁰, by its bits: Python computes a power as it compiles, which may be where it is flushed."""

SAFE = 2.0**200
"""Numbers whose size is within this factor of 1 need no scale."""

LARGEST = 2.0**1000

SHIFT = 2100
"""Float64 has no number that is another one times 2**−SHIFT."""


@dataclass(frozen=True, slots=True, eq=False)
class Extended(Operators):
    """Numbers (high + low)·2**scale, each within error·2**scale of the one it stands for.

    The parts are arrays, or float64s for a constant; `scale` None is 0. |low| ≤ ½ulp(high).
    Constants are shared, so that no number is changed: every operation returns a new one.

    >>> third = extended(np.array([1.0])) / 3
    >>> third.high + third.low, float(third.error[0]) < 2**-100
    (array([0.33333333]), True)
    """

    high: Floats
    low: Floats
    error: Floats
    scale: Scale = None

    @property
    def pair(self) -> Pair:
        """High and low."""
        return self.high, self.low

    def widened(self, by: Floats) -> Extended:
        """Return the same numbers with a larger error."""
        return Extended(self.high, self.low, self.error + by, self.scale)

    @property
    def _is_zero(self) -> bool:
        """Whether this is the constant 0, which has no error and gives none."""
        return isinstance(self.high, float) and self.high == 0 and self.error == 0

    def __neg__(self) -> Extended:
        return Extended(-self.high, -self.low, self.error, self.scale)

    def __add__(self, other: Extended | int) -> Extended:
        other = _number(other)
        if other._is_zero:
            return self
        if self._is_zero:
            return other
        a, b = aligned(self, other)
        high, low = add(a.pair, b.pair)
        error = a.error + b.error + SUM * (np.abs(a.high) + np.abs(b.high))
        return Extended(high, low, error, a.scale)

    def __mul__(self, other: Extended | int) -> Extended:
        other = _number(other)
        if self._is_zero or other._is_zero:
            return ZERO
        if is_power_of_two(other):
            return self._times_power_of_two(other.high)
        if is_power_of_two(self):
            return other._times_power_of_two(self.high)
        high, low = multiply(self.pair, other.pair)
        size = np.abs(other.high)
        error = np.abs(self.high) * (other.error + PRODUCT * size)
        error += self.error * (size + other.error) + UNDERFLOW
        return Extended(high, low, error, _sum_of_scales(self.scale, other.scale))

    def _times_power_of_two(self, power: float) -> Extended:
        return Extended(self.high * power, self.low * power, self.error * abs(power), self.scale)

    def __truediv__(self, other: Extended | int) -> Extended:
        other = _number(other)
        if self._is_zero:
            return ZERO
        if is_power_of_two(other):
            return self._times_power_of_two(1 / other.high)
        high, low = divide(self.pair, other.pair)
        size = np.abs(other.high)
        # Where the divisor may be 0, nothing is known; elsewhere 2·error ≤ size.
        least = np.where(2 * other.error <= size, size - other.error, 0.0)
        error = (self.error + np.abs(high) * other.error) / least + QUOTIENT * np.abs(high)
        scale = None if other.scale is None else -other.scale
        return Extended(high, low, error + UNDERFLOW, _sum_of_scales(self.scale, scale))

    def __rtruediv__(self, other: int) -> Extended:
        return _number(other) / self


ZERO = Extended(0.0, 0.0, 0.0)


def extended(x: NDArray[np.float64]) -> Extended:
    """Return float64s, finite and not 0, as numbers without error."""
    size = np.abs(x)
    if x.size == 0 or (size.max() <= SAFE and size.min() * SAFE >= 1):
        return Extended(x, np.zeros_like(x), np.zeros_like(x))
    mantissa, exponent = np.frexp(x)
    return Extended(mantissa, np.zeros_like(x), np.zeros_like(x), exponent.astype(np.int64))


@lru_cache(maxsize=1024)
def constant(value: Fraction | int) -> Extended:
    """Return a rational number as two float64s and what is left, rounded up, as the error.

    Beyond `LARGEST` nothing is known of it.

    >>> constant(Fraction(1, 3)).error < 2**-107
    True
    """
    value = Fraction(value)
    if abs(value) > LARGEST:
        return Extended(LARGEST, 0.0, math.inf)
    high = float(value)
    low = float(value - Fraction(high))
    rest = abs(value - Fraction(high) - Fraction(low))
    return Extended(high, low, math.nextafter(float(rest), math.inf) if rest else 0.0)


PI = constant(mpf.to_fraction(mpf.pi(300)))
"""π; what 300 bits leave out of it is beyond the bound of 106."""


def root(x: Extended) -> Extended:
    """Return √x for x > 0: one step of Newton's method, y + (x − y²)/(2y), from y = √high."""
    scale = None
    if x.scale is not None:
        scale = x.scale >> 1
        x = _shifted(x, x.scale & 1, x.scale)
    first = np.sqrt(x.high)
    square = multiply((first, 0.0), (first, 0.0))
    rest = add(x.pair, (-square[0], -square[1]))
    high, low = fast_two_sum(first, rest[0] / (2 * first))
    # Newton leaves (u²/2)·√x, the division and the sums round off a few u² more.
    return Extended(high, low, x.error / high + ROOT * high, scale)


def is_power_of_two(x: Extended) -> bool:
    """Return whether x is a constant by which float64s are multiplied without rounding."""
    return (
        isinstance(x.high, float)
        and x.low == 0
        and x.error == 0
        and abs(np.frexp(x.high)[0]) == 0.5
        and 1 / SAFE < abs(x.high) < SAFE
    )


def aligned(a: Extended, b: Extended) -> tuple[Extended, Extended]:
    """Return both numbers with one scale, the larger of theirs."""
    if a.scale is None and b.scale is None:
        return a, b
    scales: tuple[Any, Any] = (0 if a.scale is None else a.scale, 0 if b.scale is None else b.scale)
    scale = np.maximum(*scales)
    return _shifted(a, scales[0] - scale, scale), _shifted(b, scales[1] - scale, scale)


def _shifted(x: Extended, shift: NDArray[np.int64], scale: NDArray[np.int64]) -> Extended:
    by = np.maximum(shift, -SHIFT).astype(np.int32)
    error = np.ldexp(x.error, by) + UNDERFLOW
    return Extended(np.ldexp(x.high, by), np.ldexp(x.low, by), error, scale)


def choose(condition: NDArray[np.bool_], yes: Extended, no: Extended) -> Extended:
    """Return `yes` where the condition holds, `no` elsewhere."""
    high = np.where(condition, yes.high, no.high)
    low = np.where(condition, yes.low, no.low)
    error = np.where(condition, yes.error, no.error)
    if yes.scale is None and no.scale is None:
        return Extended(high, low, error)
    scales = [0 if x.scale is None else x.scale for x in (yes, no)]
    return Extended(high, low, error, np.where(condition, *scales))


def unscaled(x: Extended, limit: float) -> Extended:
    """Return x without a scale; ±limit, without error, stands for what is beyond."""
    y = x
    if x.scale is not None:
        y = _shifted(x, np.minimum(x.scale, SHIFT), np.zeros_like(x.scale))
    y = Extended(y.high, y.low, y.error)
    beyond = ~(np.abs(y.high) <= limit)  # NaN too, of which nothing is known
    if not np.any(beyond):
        return y
    error = np.where(x.error <= np.abs(x.high) * 2.0**-20, 0.0, np.inf)
    return choose(beyond, Extended(np.where(y.high < 0, -limit, limit), 0.0, error), y)


def magnitude(x: Extended) -> Extended:
    """Return |x|."""
    sign = np.copysign(1.0, x.high)
    return Extended(x.high * sign, x.low * sign, x.error, x.scale)


def _sum_of_scales(a: Scale, b: Scale) -> Scale:
    if a is None or b is None:
        return b if a is None else a
    return a + b


def _number(value: Extended | int) -> Extended:
    return constant(value) if isinstance(value, int) else value
