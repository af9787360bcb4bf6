"""Arrays of numbers beside exact ones: anchor + rest, the rest to full relative precision.

GELU(x) is x less 10⁻²²⁵ at x = 32 and x/2 and a little more at 10⁻³⁰. Numbers of a fixed precision
lose how much, and on which side; sums of an anchor, a float64 without error, and an extended rest
keep both. Where a function leaves the neighbourhood of an exact number, its anchor is 0 and the
rest is all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic import Operators, Real
from gelu_cli.old.arithmetic.beside import BesideArithmetic
from gelu_cli.old.arithmetic.extended.double_double import Floats, two_sum
from gelu_cli.old.arithmetic.extended.functions import ExtendedArithmetic
from gelu_cli.old.arithmetic.extended.number import (
    PI,
    ZERO,
    Extended,
    choose,
    constant,
    extended,
    magnitude,
    root,
    unscaled,
)

Mask: TypeAlias = NDArray[np.bool_]

NEAR = 0.25
"""Arguments below it are near 0, where functions are anchored at their value at 0."""

BY_SERIES = 2.0**-8
"""Arguments below it have series in place of differences, which would lose 8 bits or more."""

LEAST, LARGEST = 2.0**-1000, 2.0**1000
"""Products of anchors between these are exact if one of the two is a power of 2."""

NOWHERE = -(1 << 40)
"""The scale of a 0 beside numbers of any scale."""


@dataclass(frozen=True, slots=True, eq=False)
class Anchored(Operators):
    """Numbers anchor + rest, each within the rest's error of the one it stands for.

    >>> y = 1 - anchored(np.array([0.5])) * ANCHORED.rational(Fraction(1, 3))
    >>> y.anchor.tolist(), (y.rest.high + y.rest.low).tolist()
    ([1.0], [-0.16666666666666666])
    """

    anchor: Floats
    rest: Extended

    @property
    def folded(self) -> Extended:
        """The numbers as extended ones, which may lose most of the rest."""
        if np.all(self.anchor == 0):
            return self.rest
        whole = _exact(self.anchor) + self.rest
        zero = np.asarray(self.anchor == 0)
        return choose(zero, self.rest, whole) if np.any(zero) else whole

    def _released(self, where: Mask | np.bool_) -> Anchored:
        """Return the same numbers, some of them without anchor."""
        released = np.where(where, self.anchor, 0.0)
        return Anchored(np.where(where, 0.0, self.anchor), self.rest + _exact(released))

    def __neg__(self) -> Anchored:
        rest = -self.rest
        positive = Extended(rest.high + 0.0, rest.low, rest.error, rest.scale)  # no zero is −0
        return Anchored(-self.anchor + 0.0, positive)

    def __add__(self, other: Anchored | int) -> Anchored:
        other = _number(other)
        anchor, lost = two_sum(self.anchor, other.anchor)
        rest = self.rest + other.rest
        return Anchored(anchor, rest + _exact(lost) if np.any(lost) else rest)

    def __mul__(self, other: Anchored | int) -> Anchored:
        other = _number(other)
        product = self.anchor * other.anchor
        simple = _is_simple(self.anchor) | _is_simple(other.anchor)
        kept = (product == 0) & ((self.anchor == 0) | (other.anchor == 0))
        kept |= simple & (np.abs(product) > LEAST) & (np.abs(product) < LARGEST)
        if not np.all(kept):
            a, b = self._released(~kept), other._released(~kept)
            product = np.where(kept, product, 0.0)
        else:
            a, b = self, other
        rest = a.rest * b.rest
        rest = rest + a.rest * _exact(b.anchor) + _exact(a.anchor) * b.rest
        return Anchored(product + 0.0, rest)

    def __truediv__(self, other: Anchored | int) -> Anchored:
        other = _number(other)
        kept = _is_simple(other.anchor) & (other.anchor != 0)
        # Beside a large rest the anchor would cancel.
        kept &= np.abs(unscaled(other.rest, LARGEST).high) < np.abs(other.anchor) / 2
        if not np.all(kept):
            a, b = self._released(~kept), other._released(~kept)
            divisor = np.where(kept, b.anchor, 1.0)
        else:
            a, b, divisor = self, other, other.anchor
        quotient = a.anchor / divisor
        return Anchored(quotient + 0.0, (a.rest - _exact(quotient) * b.rest) / b.folded)

    def __rtruediv__(self, other: int) -> Anchored:
        return _number(other) / self


def anchored(x: NDArray[np.float64]) -> Anchored:
    """Return float64s, finite and not 0, as their own anchors."""
    return Anchored(x, ZERO)


class ExtendedRests(ExtendedArithmetic):
    """Extended numbers as rests (`beside.Rests`), and the functions that do not cancel near 0."""

    def is_next_to_0(self, v: Extended) -> Any:
        """Return where |v| < 1/4."""
        return _size(v) < NEAR

    def is_right(self, v: Extended) -> Any:
        """Return where v > 0."""
        return np.asarray(v.high > 0)

    def erf(self, v: Extended) -> Extended:
        """Return erf(v) for |v| < NEAR: 1 − erfc(v), which loses 8 bits, or the series."""
        return choose(np.asarray(_size(v) < BY_SERIES), _erf_by_series(v), 1 - self.erfc(v))

    def expm1_less_x(self, v: Extended) -> Extended:
        """Return eᵛ − 1 − v for |v| < NEAR: the difference, which loses 9 bits, or the series."""
        series = _beyond_the_line(v)
        return choose(np.asarray(_size(v) < BY_SERIES), series, self.expm1(v) - v)


class AnchoredArithmetic(BesideArithmetic):
    """The `Arithmetic` of arrays of anchored numbers.

    >>> tail = ANCHORED.erfc(anchored(np.array([-20.0])))
    >>> tail.anchor, (tail.rest.high * 2.0**tail.rest.scale).tolist()
    (2.0, [-5.395865611607901e-176])
    """

    def rational(self, value: Real) -> Anchored:
        """Return the constant `value`, its own anchor where it is a float64."""
        nearest = float(value) if abs(Fraction(value)) < LARGEST else 0.0
        if nearest == value:
            return Anchored(nearest, ZERO)
        return Anchored(0.0, constant(value))

    def _beside(self, anchor: int, rest: Extended | None) -> Anchored:
        return Anchored(float(anchor), ZERO if rest is None else rest)

    def _pick(self, where: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
        return pick(where, yes, no)

    def _inward(self, v: Extended) -> Extended:
        return -magnitude(v)


ANCHORED = AnchoredArithmetic(ExtendedRests())


def _number(value: Anchored | int) -> Anchored:
    return Anchored(float(value), ZERO) if isinstance(value, int) else value


def _exact(anchor: Floats) -> Extended:
    """Return anchors as extended numbers; a 0 among them has no scale that others must meet."""
    if not isinstance(anchor, np.ndarray):
        return constant(Fraction(float(anchor)))
    zero = anchor == 0
    if not np.any(zero):
        return extended(anchor)
    number = extended(np.where(zero, LEAST, anchor))
    scale = np.where(zero, NOWHERE, 0 if number.scale is None else number.scale)
    return Extended(np.where(zero, 0.0, number.high), number.low, number.error, scale)


def _is_simple(anchor: Floats) -> Any:
    """Return which anchors are powers of 2."""
    return np.abs(np.frexp(anchor)[0]) == 0.5


def _size(v: Extended) -> Any:
    return np.abs(unscaled(v, 1.0).high)


def pick(
    where: Mask | np.bool_, yes: Callable[[], Anchored], no: Callable[[], Anchored]
) -> Anchored:
    """Return `yes` where the condition holds, `no` elsewhere, neither computed in vain."""
    if np.all(where):
        return yes()
    if not np.any(where):
        return no()
    a, b = yes(), no()
    rest = choose(np.asarray(where), a.rest, b.rest)
    return Anchored(np.where(where, a.anchor, b.anchor), rest)


def _erf_by_series(v: Extended) -> Extended:
    """Return erf(v) = 2v/√π·Σ (−v²)ⁿ/(n!·(2n + 1)) for |v| < 2⁻⁸; v¹⁴ is left out, 2⁻¹²⁸ of it."""
    square = v * v
    total = constant(Fraction(1, 720 * 13))
    for n, factorial in ((5, 120), (4, 24), (3, 6), (2, 2), (1, 1), (0, 1)):
        total = constant(Fraction((-1) ** n, factorial * (2 * n + 1))) + square * total
    result = 2 * v * total / root(PI)
    return result.widened(np.abs(result.high) * 2.0**-120)


def _beyond_the_line(v: Extended) -> Extended:
    """Return eᵛ − 1 − v = v²/2·(1 + v/3·(1 + v/4·(…))) for |v| < 2⁻⁸; v¹³ of it is left out."""
    total = constant(1)
    for n in range(14, 2, -1):
        total = 1 + v * total / n
    result = v * v * total / 2
    return result.widened(np.abs(result.high) * 2.0**-100)
