"""Dual numbers: a value and its derivative, carried through every operation.

They differentiate whatever is written on an `Arithmetic`, exactly, so that the derivative of an
error, of a ratio or of a curvature needs no formula of its own.
"""

from __future__ import annotations

from fractions import Fraction

from gelu_cli.old.arithmetic import Arithmetic, Curve, Operators, Real


class Dual(Operators):
    """A number u + u′ε with ε² = 0: the value u and the derivative u′."""

    __slots__ = ("derivative", "value")

    def __init__(self, value: Real, derivative: Real) -> None:
        self.value = value
        self.derivative = derivative

    def __add__(self, other: Dual | int) -> Dual:
        if isinstance(other, int):
            return Dual(self.value + other, self.derivative)
        return Dual(self.value + other.value, self.derivative + other.derivative)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.derivative)

    def __mul__(self, other: Dual | int) -> Dual:
        if isinstance(other, int):
            return Dual(self.value * other, self.derivative * other)
        return Dual(
            self.value * other.value,
            self.derivative * other.value + self.value * other.derivative,
        )

    def __truediv__(self, other: Dual | int) -> Dual:
        if isinstance(other, int):
            return Dual(self.value / other, self.derivative / other)
        quotient = self.value / other.value
        return Dual(quotient, (self.derivative - quotient * other.derivative) / other.value)

    def __rtruediv__(self, other: int) -> Dual:
        quotient = other / self.value
        return Dual(quotient, -quotient * self.derivative / self.value)

    def __pow__(self, power: int) -> Dual:
        if not power:  # 0·x⁻¹ would be no number at 0
            return Dual(self.value**0, 0 * self.derivative)
        return Dual(self.value**power, power * self.value ** (power - 1) * self.derivative)


class DualArithmetic:
    """The `Arithmetic` of dual numbers over another one.

    >>> from gelu_cli.old.arithmetic.exact import RATIONAL
    >>> a = DualArithmetic(RATIONAL)
    >>> a.exp(3 * a.variable(Fraction(0))).derivative
    Fraction(3, 1)
    """

    def __init__(self, base: Arithmetic) -> None:
        self.base = base

    def variable(self, x: Real) -> Dual:
        """Return the number with respect to which everything is differentiated."""
        return Dual(x, self.base.rational(1))

    def number(self, y: Dual | int) -> Dual:
        """Return y, also of a curve that is an int everywhere, as a dual number."""
        return self.rational(y) if isinstance(y, int) else y

    @property
    def pi(self) -> Dual:
        """π."""
        return Dual(self.base.pi, self.base.rational(0))

    def rational(self, value: Fraction | int) -> Dual:
        """Return the constant `value`."""
        return Dual(self.base.rational(value), self.base.rational(0))

    def sqrt(self, x: Dual) -> Dual:
        """Return √x; (√x)′ = 1/(2√x)."""
        root = self.base.sqrt(x.value)
        return Dual(root, x.derivative / (2 * root))

    def exp(self, x: Dual) -> Dual:
        """Return eˣ."""
        power = self.base.exp(x.value)
        return Dual(power, power * x.derivative)

    def expm1(self, x: Dual) -> Dual:
        """Return eˣ − 1."""
        return Dual(self.base.expm1(x.value), self.base.exp(x.value) * x.derivative)

    def erfc(self, x: Dual) -> Dual:
        """Return erfc(x); erfc′(x) = −2e^(−x²)/√π."""
        slope = -2 * self.base.exp(-x.value * x.value) / self.base.sqrt(self.base.pi)
        return Dual(self.base.erfc(x.value), slope * x.derivative)

    def logistics(self, x: Dual) -> tuple[Dual, Dual]:
        """Return σ(x) and σ(−x); σ′(x) = σ(x)σ(−x)."""
        s, t = self.base.logistics(x.value)
        slope = s * t * x.derivative
        return Dual(s, slope), Dual(t, -slope)

    def softplus(self, x: Dual) -> Dual:
        """Return log(1 + eˣ), whose derivative is σ(x)."""
        slope, _ = self.base.logistics(x.value)
        return Dual(self.base.softplus(x.value), slope * x.derivative)


def slope_of(curve: Curve) -> Curve:
    """Return the derivative of a curve.

    >>> from fractions import Fraction
    >>> from gelu_cli.old.arithmetic.exact import RATIONAL
    >>> slope_of(lambda a, x: x * x)(RATIONAL, Fraction(3))
    Fraction(6, 1)
    """

    def slope(a: Arithmetic, x: Real) -> Real:
        dual = DualArithmetic(a)
        return dual.number(curve(dual, dual.variable(x))).derivative

    return slope
