"""Enclosures beside exact numbers: anchor + rest, so that what two numbers share cancels exactly.

GELU(60) is 60 less 10⁻⁷⁸², and GELU(10⁻³⁰⁰) is half of that and 10⁻⁶⁰¹. An enclosure of a hundred
bits tells neither from the exact number, and what two forms differ by there takes thousands of
bits. As the sum of an anchor, a fraction without error, and an enclosure of the rest both are well
known: on which side of a number they are, too, and what they have in common cancels. `anchored` has
the same for arrays.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from gelu_cli.arithmetic import PointArithmetic, Real, Result, Rounding, mpf
from gelu_cli.arithmetic.interval import Interval, IntervalArithmetic, settled
from gelu_cli.arithmetic.irrational import Exact, exponent_of, nearest, sign_of
from gelu_cli.arithmetic.mpf import ONE, Mpf

LITTLE = 2
"""A rest is so many bits smaller than its anchor, or both are one enclosure."""

LONGEST = 1 << 17
"""Bits of a power that is an anchor: 10^-99999999999 is an enclosure."""

NEAR = mpf.from_float(0.25)
"""Arguments below it are near 0, where functions are anchored at their value at 0."""


class AnchoredInterval:
    """A number anchor + rest, the rest in an enclosure; None stands for a rest of 0.

    >>> a = AnchoredIntervalArithmetic(IntervalArithmetic(60))
    >>> a.rational(2) - a.erfc(a.rational(-20))  # 2 − erfc(−20) is erfc(20)
    0 + [5.3958656116079009243e-176, 5.3958656116079009336e-176]
    """

    __slots__ = ("anchor", "intervals", "rest")

    def __init__(self, anchor: Exact, rest: Interval | None, intervals: IntervalArithmetic) -> None:
        self.intervals = intervals
        self.anchor = anchor
        self.rest = None if rest is not None and rest.is_zero else rest
        if self.rest is not None and anchor and not _is_little(self.rest, anchor):
            self.anchor, self.rest = Fraction(0), intervals.rational(anchor) + self.rest

    @property
    def folded(self) -> Interval:
        """The whole number in one enclosure."""
        if self.rest is None:
            return self.intervals.rational(self.anchor)
        return self.intervals.rational(self.anchor) + self.rest if self.anchor else self.rest

    @property
    def sign(self) -> int | None:
        """The sign of the number, or None if it is not known."""
        if self.rest is None or self.anchor:
            return sign_of(self.anchor)
        return self.rest.sign or None

    def rounded(self, rounding: Rounding) -> Result | None:
        """Return the number rounded to nearest, or None if that is not certain.

        >>> from gelu_cli.arithmetic.decimals import Decimals
        >>> a = AnchoredIntervalArithmetic(IntervalArithmetic(60))
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

    def _with(self, anchor: Exact, rest: Interval | None) -> AnchoredInterval:
        return AnchoredInterval(anchor, rest, self.intervals)

    def _number(self, value: AnchoredInterval | int) -> AnchoredInterval:
        return self._with(Fraction(value), None) if isinstance(value, int) else value

    def __neg__(self) -> AnchoredInterval:
        return self._with(-self.anchor, None if self.rest is None else -self.rest)

    def __add__(self, other: AnchoredInterval | int) -> AnchoredInterval:
        other = self._number(other)
        if self.rest is None or other.rest is None:
            rest = other.rest if self.rest is None else self.rest
        else:
            rest = self.rest + other.rest
        return self._with(self.anchor + other.anchor, rest)

    __radd__ = __add__

    def __sub__(self, other: AnchoredInterval | int) -> AnchoredInterval:
        return self + -self._number(other)

    def __rsub__(self, other: int) -> AnchoredInterval:
        return -self + other

    def __mul__(self, other: AnchoredInterval | int) -> AnchoredInterval:
        other = self._number(other)
        if other.rest is None:
            return self._times(other.anchor)
        if self.rest is None:
            return other._times(self.anchor)
        anchor = self.anchor * other.anchor
        if not anchor:
            return self._with(anchor, self.folded * other.folded)
        a, b = (self.intervals.rational(each.anchor) for each in (self, other))
        return self._with(anchor, self.rest * b + a * other.rest + self.rest * other.rest)

    __rmul__ = __mul__

    def _times(self, factor: Exact) -> AnchoredInterval:
        if self.rest is None or not factor:
            return self._with(self.anchor * factor, None)
        return self._with(self.anchor * factor, self.rest * self.intervals.rational(factor))

    def __truediv__(self, other: AnchoredInterval | int) -> AnchoredInterval:
        other = self._number(other)
        if other.rest is None and other.anchor:
            return self._times(1 / other.anchor)
        if not (self.anchor and other.anchor):
            return self._with(Fraction(0), self.folded / other.folded)
        quotient = self.anchor / other.anchor
        rest = (self - other._times(quotient)).folded
        return self._with(quotient, rest / other.folded)

    def __rtruediv__(self, other: int) -> AnchoredInterval:
        return self._number(other) / self

    def __pow__(self, power: int) -> AnchoredInterval:
        if self.rest is None and abs(power * exponent_of(self.anchor)) < LONGEST:
            return self._with(self.anchor**power, None)
        if self.rest is None or not self.anchor:
            return self._with(Fraction(0), self.folded**power)
        result = self
        for _ in range(power - 1):
            result = result * self
        return result

    def __repr__(self) -> str:
        return f"{self.anchor} + {self.rest or 0}"


def _is_little(rest: Interval, anchor: Exact) -> bool:
    return max(map(mpf.exponent, (rest.low, rest.high))) < exponent_of(anchor) - LITTLE


class AnchoredIntervalArithmetic:
    """The `Arithmetic` of anchored enclosures, whose rests are those of another arithmetic.

    >>> a = AnchoredIntervalArithmetic(IntervalArithmetic(60))
    >>> a.logistics(a.rational(100))
    (1 + [-3.7200759760208359683e-44, -3.7200759760208359528e-44], \
0 + [3.7200759760208359528e-44, 3.7200759760208359683e-44])
    """

    def __init__(self, intervals: IntervalArithmetic) -> None:
        self.intervals = intervals

    @property
    def precision(self) -> int:
        """The working precision of the rests, in bits."""
        return self.intervals.precision

    def _beside(self, anchor: int, rest: Interval) -> AnchoredInterval:
        return AnchoredInterval(Fraction(anchor), rest, self.intervals)

    @property
    def pi(self) -> AnchoredInterval:
        """π."""
        return self._beside(0, self.intervals.pi)

    def rational(self, value: Exact | int) -> AnchoredInterval:
        """Return `value`, its own anchor."""
        anchor = Fraction(value) if isinstance(value, int) else value
        return AnchoredInterval(anchor, None, self.intervals)

    def sqrt(self, x: AnchoredInterval) -> AnchoredInterval:
        """Return √x."""
        return self._beside(0, self.intervals.sqrt(x.folded))

    def exp(self, x: AnchoredInterval) -> AnchoredInterval:
        """Return eˣ: 1 + (eˣ − 1) near 0."""
        v = x.folded
        if _is_near_0(v):
            return self._beside(1, self.intervals.expm1(v))
        return self._beside(0, self.intervals.exp(v))

    def expm1(self, x: AnchoredInterval) -> AnchoredInterval:
        """Return eˣ − 1: x + (x²/2 + …) near 0, −1 + eˣ to the left of it."""
        v = x.folded
        if _is_near_0(v) and v.sign:
            return x + self._beside(0, self.intervals.expm1_less_x(v))
        if _is_beyond(-v, ONE):
            return self._beside(-1, self.intervals.exp(v))
        return self._beside(0, self.intervals.expm1(v))

    def erfc(self, x: AnchoredInterval) -> AnchoredInterval:
        """Return erfc(x): 1 − erf(x) near 0, 2 − erfc(−x) to the left of it."""
        v = x.folded
        if _is_near_0(v):
            return self._beside(1, -self.intervals.erf(v))
        if _is_beyond(-v, ONE):
            return self._beside(2, -self.intervals.erfc(-v))
        return self._beside(0, self.intervals.erfc(v))

    def logistics(self, x: AnchoredInterval) -> tuple[AnchoredInterval, AnchoredInterval]:
        """Return σ(x) and σ(−x): ½ ± ½tanh(x/2) near 0, else the smaller one and 1 less that."""
        v = x.folded
        if _is_near_0(v):
            power = self.intervals.expm1(v)
            rest = power / (2 * (power + 2))
            half = self.rational(Fraction(1, 2))
            return half + self._beside(0, rest), half - self._beside(0, rest)
        s, t = self.intervals.logistics(v)
        if _is_beyond(v, ONE):
            return self._beside(1, -t), self._beside(0, t)
        if _is_beyond(-v, ONE):
            return self._beside(0, s), self._beside(1, -s)
        return self._beside(0, s), self._beside(0, t)

    def softplus(self, x: AnchoredInterval) -> AnchoredInterval:
        """Return log(1 + eˣ): x + log(1 + e⁻ˣ) to the right of 0."""
        v = x.folded
        if _is_beyond(v, ONE):
            return x + self._beside(0, self.intervals.softplus(-v))
        return self._beside(0, self.intervals.softplus(v))


def anchored(a: PointArithmetic) -> PointArithmetic:
    """Return the arithmetic in which what numbers share cancels: enclosures are anchored."""
    return _beside(a) if isinstance(a, IntervalArithmetic) else a


@lru_cache(maxsize=64)
def _beside(intervals: IntervalArithmetic) -> AnchoredIntervalArithmetic:
    return AnchoredIntervalArithmetic(intervals)


def whole(y: Real) -> Real:
    """Return a number of `anchored(a)` as one of a."""
    return y.folded if isinstance(y, AnchoredInterval) else y


def _is_near_0(v: Interval) -> bool:
    return all(mpf.compare(mpf.absolute(end), NEAR) < 0 for end in (v.low, v.high))


def _is_beyond(v: Interval, limit: Mpf) -> bool:
    """Return whether all of an enclosure is greater than a number."""
    return mpf.compare(v.low, limit) > 0
