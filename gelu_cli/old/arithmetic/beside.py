"""Numbers beside exact ones: anchor + rest, so that what two numbers share cancels exactly.

GELU(60) is 60 less 10⁻⁷⁸², and GELU(10⁻³⁰⁰) is half of that and 10⁻⁶⁰¹. An enclosure of a hundred
bits tells neither from the exact number, and what two forms differ by there takes thousands of
bits. As the sum of an anchor, without error, and an enclosure of the rest both are well known: on
which side of a number they are, too, and what they have in common cancels.

Rests are enclosures of mpmath (`interval`), and anchors numbers; or rests are Arb's balls (`balls`)
at all x of a ball, and anchors polynomials in x. The functions serve arrays too (`anchored`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from gelu_cli.old.arithmetic import Operators, PointArithmetic, Real, Result, Rounding
from gelu_cli.old.arithmetic.exact import Exact, nearest, sign_of
from gelu_cli.old.arithmetic.interval import IntervalArithmetic, settled

LARGEST_POWER = 1 << 14
"""Largest |exponent| of an anchor that stays exact; 10^-99999999999 is an enclosure."""

Anchor = Any
"""An exact number, or a polynomial in x: it has + - * with its like, and is false if it is 0."""


Rests: TypeAlias = Any
"""An `Arithmetic` of enclosures, and the anchors that they are beside: `IntervalArithmetic`,
`balls.RestsAt`, `anchored.ExtendedRests`.

`anchor` makes a number an anchor, `inverse` is 1/anchor, None if that is no anchor, and `enclosed`
an enclosure of one. `is_little` tells whether anchor + rest is kept apart; if not, both become one
enclosure. Where `is_next_to_0`, functions are anchored at their value at 0, and where `is_right` at
their limit to the right. Beside the functions of forms there are `log`, `log1p`, `erf` and
`expm1_less_x`, to full relative precision next to 0.
"""


class Beside(Operators):
    """A number anchor + rest, the rest in an enclosure; None stands for a rest of 0.

    >>> a = BesideArithmetic(IntervalArithmetic(60))
    >>> a.rational(2) - a.erfc(a.rational(-20))  # 2 − erfc(−20) is erfc(20)
    0 + [5.3958656116079009243e-176, 5.3958656116079009336e-176]
    """

    __slots__ = ("a", "anchor", "rest")

    def __init__(self, anchor: Anchor, rest: Real | None, a: Rests) -> None:
        self.a = a
        self.anchor = anchor
        self.rest = None if rest is not None and rest.is_zero() else rest
        if self.rest is not None and anchor and not a.is_little(self.rest, anchor):
            self.anchor, self.rest = a.anchor(0), a.enclosed(anchor) + self.rest

    @property
    def folded(self) -> Real:
        """The whole number in one enclosure."""
        if self.rest is None:
            return self.a.enclosed(self.anchor)
        return self.a.enclosed(self.anchor) + self.rest if self.anchor else self.rest

    @property
    def sign(self) -> int | None:
        """The sign of the number, or None if it is not known."""
        if self.rest is None or self.anchor:
            return sign_of(self.anchor)
        return self.rest.sign or None

    def rounded(self, rounding: Rounding) -> Result | None:
        """Return the number rounded to nearest, or None if that is not certain.

        >>> from fractions import Fraction
        >>> from gelu_cli.old.arithmetic.decimals import Decimals
        >>> a = BesideArithmetic(IntervalArithmetic(60))
        >>> (a.rational(Fraction(1, 4)) - a.exp(a.rational(-(10**9)))).rounded(Decimals(1))
        Decimal('0.2')
        >>> (a.rational(Fraction(1, 4)) + a.exp(a.rational(-(10**9)))).rounded(Decimals(1))
        Decimal('0.3')
        """
        if self.rest is None:
            return nearest(self.anchor, rounding)
        if not self.anchor:
            return rounding.settle(self.rest.low, self.rest.high)
        return settled(rounding, self.folded, lambda tie: (self - self._with(tie, None)).sign)

    def _with(self, anchor: Anchor, rest: Real | None) -> Beside:
        return Beside(anchor, rest, self.a)

    def _number(self, value: Beside | int) -> Beside:
        return self._with(self.a.anchor(value), None) if isinstance(value, int) else value

    def __neg__(self) -> Beside:
        return self._with(-self.anchor, None if self.rest is None else -self.rest)

    def __add__(self, other: Beside | int) -> Beside:
        other = self._number(other)
        if self.rest is None or other.rest is None:
            rest = other.rest if self.rest is None else self.rest
        else:
            rest = self.rest + other.rest
        return self._with(self.anchor + other.anchor, rest)

    def __mul__(self, other: Beside | int) -> Beside:
        other = self._number(other)
        if other.rest is None:
            return self._times(other.anchor)
        if self.rest is None:
            return other._times(self.anchor)
        anchor = self.anchor * other.anchor
        if not anchor:
            return self._with(anchor, self.folded * other.folded)
        one, two = self.a.enclosed(self.anchor), self.a.enclosed(other.anchor)
        return self._with(anchor, self.rest * two + one * other.rest + self.rest * other.rest)

    def _times(self, factor: Anchor) -> Beside:
        if self.rest is None or not factor:
            return self._with(self.anchor * factor, None)
        return self._with(self.anchor * factor, self.rest * self.a.enclosed(factor))

    def __truediv__(self, other: Beside | int) -> Beside:
        other = self._number(other)
        inverse = self.a.inverse(other.anchor)
        if inverse is not None and other.rest is None:
            return self._times(inverse)
        if inverse is None or not self.anchor:
            return self._with(self.a.anchor(0), self.folded / other.folded)
        quotient = self.anchor * inverse
        rest = (self - other._times(quotient)).folded
        return self._with(quotient, rest / other.folded)

    def __rtruediv__(self, other: int) -> Beside:
        return self._number(other) / self

    def __pow__(self, power: int) -> Beside:
        if self.rest is None and abs(power) <= LARGEST_POWER:
            return self._with(self.anchor**power, None)
        if self.rest is None or not self.anchor:
            return self._with(self.a.anchor(0), self.folded**power)
        return super().__pow__(power)

    def __repr__(self) -> str:
        return f"{self.anchor} + {self.rest or 0}"


class BesideArithmetic:
    """The `Arithmetic` of numbers beside exact ones, whose rests are those of another arithmetic.

    >>> a = BesideArithmetic(IntervalArithmetic(60))
    >>> a.logistics(a.rational(100))
    (1 + [-3.7200759760208359683e-44, -3.7200759760208359528e-44], \
0 + [3.7200759760208359528e-44, 3.7200759760208359683e-44])
    """

    def __init__(self, rests: Rests) -> None:
        self.rests = rests

    @property
    def precision(self) -> float:
        """The bits that rests have."""
        precision: float = self.rests.precision
        return precision

    def _beside(self, anchor: int, rest: Real | None) -> Real:
        return Beside(self.rests.anchor(anchor), rest, self.rests)

    def _pick(self, where: Any, yes: Callable[[], Real], no: Callable[[], Real]) -> Real:
        return yes() if where else no()

    def _inward(self, v: Real) -> Real:
        """Return −v to the right, where functions are computed from it, else v."""
        return -v if self.rests.is_right(v) else v

    @property
    def pi(self) -> Real:
        """π."""
        return self._beside(0, self.rests.pi)

    def rational(self, value: Exact | int) -> Real:
        """Return `value`, its own anchor."""
        return Beside(self.rests.anchor(value), None, self.rests)

    def sqrt(self, x: Real) -> Real:
        """Return √x."""
        return self._beside(0, self.rests.sqrt(x.folded))

    def log(self, x: Beside) -> Real:
        """Return log x."""
        if x.anchor == 1 and x.rest is not None:
            return self._beside(0, self.rests.log1p(x.rest))
        return self._beside(0, self.rests.log(x.folded))

    def exp(self, x: Real) -> Real:
        """Return eˣ: 1 + (eˣ − 1) near 0."""
        a, v = self.rests, x.folded
        return self._pick(
            a.is_next_to_0(v),
            lambda: self._beside(1, a.expm1(v)),
            lambda: self._beside(0, a.exp(v)),
        )

    def expm1(self, x: Real) -> Real:
        """Return eˣ − 1: x + (x²/2 + …) near 0, −1 + eˣ to the left of it."""
        a, v = self.rests, x.folded

        def away() -> Real:
            return self._pick(
                a.is_right(-v),
                lambda: self._beside(-1, a.exp(v)),
                lambda: self._beside(0, a.expm1(v)),
            )

        return self._pick(a.is_next_to_0(v), lambda: x + self._beside(0, a.expm1_less_x(v)), away)

    def erfc(self, x: Real) -> Real:
        """Return erfc(x): 1 − erf(x) near 0, 2 − erfc(−x) to the left of it."""
        a, v = self.rests, x.folded

        def away() -> Real:
            tail = a.erfc(-self._inward(-v))
            return self._pick(
                a.is_right(-v), lambda: self._beside(2, -tail), lambda: self._beside(0, tail)
            )

        return self._pick(a.is_next_to_0(v), lambda: self._beside(1, -a.erf(v)), away)

    def logistics(self, x: Real) -> tuple[Real, Real]:
        """Return σ(x) and σ(−x): ½ ± ½tanh(x/2) near 0, else the smaller one and 1 less that."""
        a, v = self.rests, x.folded
        near = a.is_next_to_0(v)
        s, t = a.logistics(v)

        @cache
        def half() -> Real:
            """Return ½tanh(v/2)."""
            power = a.expm1(v)
            return power / (2 * (power + 2))

        def one(side: int, s: Real, t: Real) -> Real:
            return self._pick(
                near,
                lambda: self._beside(1, None) / 2 + side * self._beside(0, half()),
                lambda: self._pick(
                    a.is_right(side * v), lambda: self._beside(1, -t), lambda: self._beside(0, s)
                ),
            )

        return one(1, s, t), one(-1, t, s)

    def softplus(self, x: Real) -> Real:
        """Return log(1 + eˣ): x + log(1 + e⁻ˣ) to the right of 0."""
        v = x.folded
        rest = self._beside(0, self.rests.softplus(self._inward(v)))
        return self._pick(self.rests.is_right(v), lambda: x + rest, lambda: rest)


def anchored(a: PointArithmetic) -> PointArithmetic:
    """Return the arithmetic in which what numbers share cancels: enclosures are anchored."""
    return BesideArithmetic(a) if isinstance(a, IntervalArithmetic) else a
