"""Exact fractions: they settle what no finite precision can, a result that is itself a tie.

Polynomials such as hard GELU take rational values at rational points, and so do all forms at 0.
Such a value may lie exactly half way between two numbers of a format; an enclosure around it
would straddle the half way point at every precision.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import NoReturn


class IrrationalError(ArithmeticError):
    """The value is no fraction, or is not known to be one."""


class RationalArithmetic:
    """The `Arithmetic` of fractions; raises `IrrationalError` where it ends.

    >>> a = RationalArithmetic()
    >>> a.sqrt(Fraction(4, 9)) * a.logistic(Fraction(0))
    Fraction(1, 3)
    """

    @property
    def pi(self) -> NoReturn:
        """Raise: π is irrational."""
        raise IrrationalError("pi")

    def rational(self, value: Fraction | int) -> Fraction:
        """Return `value` itself."""
        return Fraction(value)

    def sqrt(self, x: Fraction) -> Fraction:
        """Return √x where it is a fraction."""
        root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
        if root * root != x:
            raise IrrationalError("sqrt")
        return root

    def exp(self, x: Fraction) -> Fraction:
        """Return e⁰ = 1; at any other fraction the exponential is transcendental."""
        return _at_zero(x, Fraction(1))

    def expm1(self, x: Fraction) -> Fraction:
        """Return e⁰ − 1 = 0."""
        return _at_zero(x, Fraction(0))

    def erfc(self, x: Fraction) -> Fraction:
        """Return erfc(0) = 1."""
        return _at_zero(x, Fraction(1))

    def logistic(self, x: Fraction) -> Fraction:
        """Return σ(0) = 1/2."""
        return _at_zero(x, Fraction(1, 2))

    def softplus(self, x: Fraction) -> NoReturn:
        """Raise: log(1 + eˣ) is rational at no fraction."""
        raise IrrationalError("softplus")


def _at_zero(x: Fraction, value: Fraction) -> Fraction:
    if x != 0:
        raise IrrationalError(str(x))
    return value


RATIONAL = RationalArithmetic()
