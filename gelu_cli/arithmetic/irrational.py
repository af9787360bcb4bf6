"""Real numbers that are no fractions, such as π/2 and √2: known to as many bits as one asks for.

Such a number is an expression, which runs on every arithmetic: on fractions, to see whether it is
one after all, as √2·√8 is, and on enclosures, to see on which side of another number it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from gelu_cli.arithmetic import PointArithmetic, Real, Result, Rounding, mpf
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.interval import Interval, interval_arithmetic, settled
from gelu_cli.arithmetic.rational import RATIONAL
from gelu_cli.errors import ComputationError

Expression: TypeAlias = Callable[[PointArithmetic], Real]
"""A number in any arithmetic."""

FEW_BITS, MOST_BITS = 64, 1 << 16
GUARD = 32


class Irrational:
    """A real number other than 0 that is no fraction, or is not known to be one.

    Its sums, products and powers are such numbers too, or fractions.

    >>> root = square_root(Fraction(2))
    >>> root > Fraction(7, 5), float(root + 1), root - root
    (True, 2.414213562373095, Fraction(0, 1))
    """

    __slots__ = ("_bits", "_expression", "sign")

    def __init__(self, expression: Expression) -> None:
        self._expression = expression
        self._bits = FEW_BITS
        while not self._enclosed(self._bits).sign:
            if self._bits >= MOST_BITS:
                raise ComputationError(
                    f"a number cannot be told from 0 with {MOST_BITS} bits; write it more simply"
                )
            self._bits *= 2
        self.sign = self._enclosed(self._bits).sign
        """1 or −1."""

    def __repr__(self) -> str:
        return f"Irrational({mpf.to_text(self._enclosed(self._bits).middle, 17)}…)"

    def within(self, a: PointArithmetic) -> Real:
        """Return the number in an arithmetic."""
        return self._expression(a)

    def _enclosed(self, bits: int) -> Interval:
        enclosure: Interval = self.within(interval_arithmetic(bits))
        return enclosure

    @property
    def exponent(self) -> int:
        """A k with 2**(k − 1) ≤ |x| < 2**k, or one more or less."""
        return mpf.exponent(self._enclosed(self._bits).middle)

    def rounded(self, rounding: Rounding) -> Result:
        """Return the number, rounded to nearest once, whatever it is rounded to."""
        bits = max(self._bits, rounding.precision + GUARD)
        while True:
            result = settled(rounding, self._enclosed(bits), lambda tie: sign_of(self - tie))
            if result is not None:
                return result
            bits *= 2

    def __float__(self) -> float:
        nearest = float(self.rounded(FLOAT64))
        if math.isinf(nearest):
            raise OverflowError("a number beyond float64")
        return nearest

    def __floor__(self) -> int:
        nearest = mpf.to_int(self._enclosed(self.exponent + FEW_BITS).middle, mpf.NEAREST)
        return nearest if self >= nearest else nearest - 1

    def __neg__(self) -> Irrational:
        return Irrational(lambda a: -self.within(a))

    def __abs__(self) -> Irrational:
        return -self if self.sign < 0 else self

    def __add__(self, other: Exact | int) -> Exact:
        return real(lambda a: self.within(a) + a.rational(other)) if other != 0 else self

    def __sub__(self, other: Exact | int) -> Exact:
        return Fraction(0) if other is self else self + -other

    def __rsub__(self, other: Fraction | int) -> Exact:
        return -self + other

    def __mul__(self, other: Exact | int) -> Exact:
        return real(lambda a: self.within(a) * a.rational(other)) if other != 1 else self

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other: Exact | int) -> Exact:
        return Fraction(1) if other is self else real(lambda a: self.within(a) / a.rational(other))

    def __rtruediv__(self, other: Fraction | int) -> Exact:
        return real(lambda a: a.rational(other) / self.within(a))

    def __pow__(self, power: int) -> Exact:
        return real(lambda a: self.within(a) ** power) if power else Fraction(1)

    def __lt__(self, other: Exact | int) -> bool:
        return sign_of(self - other) < 0

    def __le__(self, other: Exact | int) -> bool:
        return sign_of(self - other) <= 0

    def __gt__(self, other: Exact | int) -> bool:
        return sign_of(self - other) > 0

    def __ge__(self, other: Exact | int) -> bool:
        return sign_of(self - other) >= 0


Exact: TypeAlias = Fraction | Irrational
"""A real number without any error."""


def real(expression: Expression) -> Exact:
    """Return the number that an expression is: a fraction where that is known.

    Raises `ComputationError` for a number that is not told from 0.

    >>> real(lambda a: a.sqrt(a.rational(Fraction(9, 4))))
    Fraction(3, 2)
    >>> real(lambda a: a.pi / 2)
    Irrational(1.5707963267948966…)
    """
    value = expression(RATIONAL)
    return value if isinstance(value, Fraction) else Irrational(expression)


def square_root(x: Exact) -> Exact:
    """Return √x, x ≥ 0."""
    return real(lambda a: a.sqrt(a.rational(x)))


def sign_of(x: Exact) -> int:
    """Return −1, 0 or 1."""
    return x.sign if isinstance(x, Irrational) else (x > 0) - (x < 0)


def exponent_of(x: Exact) -> int:
    """Return about the k with 2**(k − 1) ≤ |x| < 2**k, of 0 too."""
    if isinstance(x, Irrational):
        return x.exponent
    return x.numerator.bit_length() - x.denominator.bit_length()


def nearest(x: Exact, rounding: Rounding) -> Result:
    """Return a number rounded to nearest, once.

    >>> nearest(square_root(Fraction(2)), FLOAT64)
    1.4142135623730951
    """
    return x.rounded(rounding) if isinstance(x, Irrational) else rounding.exactly(x)
