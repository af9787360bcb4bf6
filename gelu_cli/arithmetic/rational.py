"""Exact fractions: they settle what no finite precision can, a result that is itself a tie.

Polynomials such as hard GELU take rational values at rational points, and so do all forms at 0.
Such a value may lie exactly half way between two numbers of a format; an enclosure around it
would straddle the half way point at every precision.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from gelu_cli.arithmetic.irrational import Exact as Number


class Unknown:
    """A real number other than 0 that is no fraction, or is not known to be one.

    0 times it is 0, and 0 over it; nothing else about it is known.
    """

    def __mul__(self, other: Exact | int) -> Exact:
        return Fraction(0) if other == 0 else self

    __rmul__ = __rtruediv__ = __mul__

    def _unknown(self, other: Exact | int) -> Unknown:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = _unknown
    __truediv__ = __pow__ = _unknown

    def __neg__(self) -> Unknown:
        return self


Exact: TypeAlias = Fraction | Unknown
UNKNOWN: Final = Unknown()


class RationalArithmetic:
    """The `Arithmetic` of fractions, and of `UNKNOWN` where they end.

    >>> a = RationalArithmetic()
    >>> a.sqrt(Fraction(4, 9)) * a.logistics(0 * a.pi)[0]
    Fraction(1, 3)
    """

    pi = UNKNOWN

    def rational(self, value: Number | int) -> Exact:
        """Return a fraction itself, `UNKNOWN` for another number."""
        return Fraction(value) if isinstance(value, Fraction | int) else UNKNOWN

    def sqrt(self, x: Exact) -> Exact:
        """Return √x where it is a fraction."""
        if isinstance(x, Unknown):
            return x
        root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
        return root if root * root == x else UNKNOWN

    def exp(self, x: Exact) -> Exact:
        """Return e⁰ = 1; at any other fraction the exponential is transcendental."""
        return _at_zero(x, Fraction(1))

    def expm1(self, x: Exact) -> Exact:
        """Return e⁰ − 1 = 0."""
        return _at_zero(x, Fraction(0))

    def erfc(self, x: Exact) -> Exact:
        """Return erfc(0) = 1."""
        return _at_zero(x, Fraction(1))

    def logistics(self, x: Exact) -> tuple[Exact, Exact]:
        """Return σ(0) = 1/2, twice."""
        half = _at_zero(x, Fraction(1, 2))
        return half, half

    def softplus(self, x: Exact) -> Exact:
        """Return `UNKNOWN`: log(1 + eˣ) is rational at no fraction."""
        return UNKNOWN


def _at_zero(x: Exact, value: Fraction) -> Exact:
    return value if x == 0 else UNKNOWN


RATIONAL = RationalArithmetic()
