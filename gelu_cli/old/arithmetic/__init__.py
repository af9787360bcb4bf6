"""How numbers are computed: what a formula may use, and the arithmetics that offer it.

A formula is written once, as a function whose first argument `a` is an arithmetic. The definitions
of the forms take an `Arithmetic` and run on every one of them: on rigorous enclosures (`interval`),
on exact numbers (`exact`), on arrays. Floating-point routines take a `FormatArithmetic`, whose
every operation rounds (`narrow`).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.mpf import Mpf

Real: TypeAlias = Any
"""A number of some arithmetic: it has + - * / with its like and with int, and ** with int."""


Curve: TypeAlias = Callable[[Any, Any], Any]
"""A function of an arithmetic and a number of it: the same formula on every arithmetic."""

Result: TypeAlias = float | Decimal
"""A number that is rounded."""


class Operators:
    """The operators of a number that follow from −x, x + y and x·y."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __neg__(self) -> Self: ...
        def __add__(self, other: Self | int) -> Self: ...
        def __mul__(self, other: Self | int) -> Self: ...

    def __radd__(self, other: int) -> Self:
        return self + other

    def __sub__(self, other: Self | int) -> Self:
        return self + -other

    def __rsub__(self, other: int) -> Self:
        return -self + other

    def __rmul__(self, other: int) -> Self:
        return self * other

    def __pow__(self, power: int) -> Self:
        result = self
        for _ in range(power - 1):
            result = result * self
        return result


class Rounding(Protocol):
    """A set of numbers to round to: a floating-point format, or N decimal digits."""

    @property
    def precision(self) -> int:
        """The bits of its numbers."""

    def settle(self, low: Mpf, high: Mpf) -> Result | None:
        """Return what all of [low, high] rounds to, or None if that is not one number."""

    def exactly(self, value: Fraction) -> Result:
        """Return `value` rounded."""

    def tie(self, value: Fraction) -> Fraction:
        """Return the number half way between the two numbers of the set around `value`.

        Of a number of the set it is the one above.
        """


class CommonArithmetic(Protocol):
    """What every arithmetic offers."""

    @property
    def pi(self) -> Real:
        """π."""

    def rational(self, value: Fraction | int) -> Real:
        """Return the number that `value` is."""

    def sqrt(self, x: Real) -> Real:
        """Return √x."""

    def exp(self, x: Real) -> Real:
        """Return eˣ."""

    def erfc(self, x: Real) -> Real:
        """Return erfc(x) = 2/√π·∫ₓ^∞ e^(−t²) dt, to full relative precision in the tail."""


class Arithmetic(CommonArithmetic, Protocol):
    """The functions that the definitions of the forms are made of: none of them cancels."""

    def expm1(self, x: Real) -> Real:
        """Return eˣ − 1, without cancellation near 0."""

    def logistics(self, x: Real) -> tuple[Real, Real]:
        """Return σ(x) = 1/(1 + e⁻ˣ) and σ(−x) = 1 − σ(x), each to full relative precision."""

    def softplus(self, x: Real) -> Real:
        """Return log(1 + eˣ)."""


class PointArithmetic(Arithmetic, Protocol):
    """An arithmetic that has every real number: exactly, within bounds, or as one not known."""

    @property
    def precision(self) -> float:
        """The bits it works with; infinite where numbers are exact."""

    def rational(self, value: Real) -> Real:
        """Return the number that `value` is: an int, a fraction, or an `exact.Irrational`."""


def logistics_by_exp(a: Arithmetic, x: Real) -> tuple[Real, Real]:
    """Return σ(x) = 1/(1 + E) and σ(−x) = E/(1 + E), E = e⁻ˣ, where no exponential overflows."""
    power = a.exp(-x)
    s = 1 / (1 + power)
    return s, power * s


class FormatArithmetic(CommonArithmetic, Protocol):
    """The functions that floating-point routines are made of, cancelling ones included."""

    def tanh(self, x: Real) -> Real:
        """Return tanh x."""

    def erf(self, x: Real) -> Real:
        """Return erf(x) = 2/√π·∫₀ˣ e^(−t²) dt."""
