"""Enclosures: every operation returns an interval that holds the true result.

A form evaluated here comes with its own error bound, the width of the result: cancellation,
conditioning and rounding are all in it. The ends are numbers of any precision (`mpf`), and the
precision is an argument: no context, no global setting.

The four operations, integer powers and the square root round each end outward. The elementary
functions are monotone, so that the ends of the argument give the ends of the result; each end is
computed with `GUARD` bits more than asked for and moved outward by one unit of the precision
asked for. Their errors are a few units of the precision they work with; the guard leaves them
2**GUARD of them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cmp_to_key, partialmethod

from gelu_cli.old.arithmetic import Operators, Real, Result, Rounding, logistics_by_exp, mpf
from gelu_cli.old.arithmetic.mpf import (
    DOWN,
    INFINITY,
    MINUS_INFINITY,
    NAN,
    NEAREST,
    ONE,
    UP,
    ZERO,
    Mpf,
)

GUARD = 10
POWER_GUARD = 20
"""Further bits of a power whose inverse is asked for."""
QUARTER = mpf.from_float(0.25)


class Interval(Operators):
    """A closed interval [low, high] that holds one real number; its ends may be infinite.

    >>> third = IntervalArithmetic(20).rational(Fraction(1, 3))
    >>> mpf.to_float(third.low) < 1 / 3 < mpf.to_float(third.high)
    True
    """

    __slots__ = ("high", "low", "precision")

    def __init__(self, low: Mpf, high: Mpf, precision: int) -> None:
        self.low = low
        self.high = high
        self.precision = precision

    @property
    def sign(self) -> int:
        """1 or −1 if all of the interval is on that side of 0, else 0."""
        low, high = mpf.sign(self.low), mpf.sign(self.high)
        return low if low == high else 0

    @property
    def middle(self) -> Mpf:
        """The middle, to the precision of the interval."""
        return mpf.shift(mpf.add(self.low, self.high, self.precision, NEAREST), -1)

    def is_zero(self) -> bool:
        """Return whether the number is 0 for certain."""
        return bool(self.low == self.high == ZERO)

    def is_above(self, other: Interval) -> bool:
        """Return whether every number here is greater than every one there."""
        return mpf.compare(self.low, other.high) > 0

    def __neg__(self) -> Interval:
        return Interval(mpf.negative(self.high), mpf.negative(self.low), self.precision)

    def __abs__(self) -> Interval:
        if mpf.sign(self.low) >= 0:
            return self
        opposite = -self
        if mpf.sign(self.high) <= 0:
            return opposite
        larger = mpf.compare(opposite.high, self.high) > 0
        return Interval(ZERO, (opposite if larger else self).high, self.precision)

    def _ends(self, other: Interval | int) -> tuple[Mpf, Mpf]:
        if isinstance(other, int):
            value = mpf.from_int(other)
            return value, value
        return other.low, other.high

    def _between(
        self, operation: Callable[..., Mpf], low: tuple[Mpf, Mpf], high: tuple[Mpf, Mpf]
    ) -> Interval:
        """Return the interval between two results; one that is not defined leaves it unbounded."""
        first = operation(*low, self.precision, DOWN)
        last = operation(*high, self.precision, UP)
        return Interval(
            MINUS_INFINITY if first == NAN else first,
            INFINITY if last == NAN else last,
            self.precision,
        )

    def __add__(self, other: Interval | int) -> Interval:
        low, high = self._ends(other)
        return self._between(mpf.add, (self.low, low), (self.high, high))

    def __mul__(self, other: Interval | int) -> Interval:
        a, b = self.low, self.high
        c, d = self._ends(other)
        if mpf.sign(a) >= 0:
            low = a if mpf.sign(c) >= 0 else b, c
            high = b if mpf.sign(d) > 0 else a, d
        elif mpf.sign(b) <= 0:
            low = a if mpf.sign(d) > 0 else b, d
            high = b if mpf.sign(c) >= 0 else a, c
        elif mpf.sign(c) >= 0:
            low, high = (a, d), (b, d)
        elif mpf.sign(d) <= 0:
            low, high = (b, c), (a, c)
        else:
            low = min((a, d), (b, c), key=_by_product)
            high = max((a, c), (b, d), key=_by_product)
        return self._between(mpf.multiply, low, high)

    def __truediv__(self, other: Interval | int) -> Interval:
        """Return the quotient, without bounds where the divisor may be on either side of 0."""
        c, d = self._ends(other)
        if mpf.sign(c) < 0 < mpf.sign(d) or c == d == ZERO:
            return Interval(MINUS_INFINITY, INFINITY, self.precision)
        if mpf.sign(d) <= 0:
            return -self / Interval(mpf.negative(d), mpf.negative(c), self.precision)
        low = self.low, d if mpf.sign(self.low) >= 0 else c
        high = self.high, c if mpf.sign(self.high) >= 0 else d
        return self._between(
            lambda x, y, *how: NAN if y == ZERO else mpf.divide(x, y, *how), low, high
        )

    def __rtruediv__(self, other: int) -> Interval:
        value = mpf.from_int(other)
        return Interval(value, value, self.precision) / self

    def __pow__(self, power: int) -> Interval:
        if power < 0:
            wider = Interval(self.low, self.high, self.precision + POWER_GUARD) ** -power
            return 1 / Interval(wider.low, wider.high, self.precision)
        base = self if power % 2 else abs(self)
        low = mpf.power(base.low, power, self.precision, DOWN)
        return Interval(low, mpf.power(base.high, power, self.precision, UP), self.precision)

    def __repr__(self) -> str:
        ends = (mpf.to_text(end, 20) for end in (self.low, self.high))
        return f"[{', '.join(ends)}]"


_by_product = cmp_to_key(
    lambda one, other: mpf.compare(mpf.multiply(*one), mpf.multiply(*other))  # type: ignore[misc]
)


class IntervalArithmetic:
    """The `Arithmetic` of enclosures at a working precision in bits.

    >>> a = IntervalArithmetic(40)
    >>> tail = a.erfc(a.rational(27))  # 1 − erf(27) would be 0 at this precision
    >>> mpf.to_text(tail.low, 9)
    '5.23704892e-319'
    """

    def __init__(self, precision: int) -> None:
        self.precision = precision
        self.pi = Interval(mpf.pi(precision, DOWN), mpf.pi(precision, UP), precision)

    def rational(self, value: Real) -> Interval:
        """Return an enclosure of `value`, exact where it fits the precision."""
        if not isinstance(value, Fraction | int):
            enclosure: Interval = value.within(self)
            return enclosure
        low, high = (mpf.from_fraction(value, self.precision, end) for end in (DOWN, UP))
        return Interval(low, high, self.precision)

    enclosed = rational

    def anchor(self, value: Real) -> Real:
        """Return a number as what enclosures may be beside (`beside.Rests`)."""
        return Fraction(value) if isinstance(value, int) else value

    def inverse(self, anchor: Real) -> Real | None:
        """Return 1/anchor, None of 0."""
        return 1 / anchor if anchor else None

    def is_little(self, rest: Interval, anchor: Real) -> bool:
        """Return whether a rest is below a quarter of an anchor, which then has the sign."""
        size = max(map(mpf.exponent, (rest.low, rest.high)))
        if isinstance(anchor, Fraction):
            return size < anchor.numerator.bit_length() - anchor.denominator.bit_length() - 2
        return bool(size < anchor.exponent - 2)

    def is_next_to_0(self, v: Interval) -> bool:
        """Return whether |v| < 1/4."""
        return all(mpf.compare(mpf.absolute(end), QUARTER) < 0 for end in (v.low, v.high))

    def is_right(self, v: Interval) -> bool:
        """Return whether v > 1."""
        return mpf.compare(v.low, ONE) > 0

    def sqrt(self, x: Interval) -> Interval:
        """Return √x of a number that is not negative, though its enclosure may reach below 0."""
        low, high = (ZERO if mpf.sign(end) < 0 else end for end in (x.low, x.high))
        return Interval(
            mpf.sqrt(low, self.precision, DOWN), mpf.sqrt(high, self.precision, UP), self.precision
        )

    def log(self, x: Interval) -> Interval:
        """Return log x of a positive number, though its enclosure may reach to 0."""
        if mpf.sign(x.low) <= 0:
            return Interval(MINUS_INFINITY, INFINITY, self.precision)
        return self._increasing(mpf.log, x)

    def log1p(self, x: Interval) -> Interval:
        """Return log(1 + x), which is from x/(1 + x) to x."""
        if max(map(mpf.exponent, (x.low, x.high))) > -self.precision // 2:
            return self.log(1 + x)
        return Interval((x / (1 + x)).low, x.high, self.precision)

    def erfc(self, x: Interval) -> Interval:
        """Return erfc(x), which is −(an increasing function)."""
        return -self._increasing(mpf.minus_erfc, x)

    def expm1_less_x(self, x: Interval) -> Interval:
        """Return eˣ − 1 − x for |x| < 1, which rises away from 0, and more so to the right."""
        if not x.sign:
            ends = ZERO, abs(x).high
        else:
            ends = (x.high, x.low) if x.sign < 0 else (x.low, x.high)
        return self._increasing(mpf.expm1_less_x, Interval(*ends, self.precision))

    logistics = logistics_by_exp

    def _increasing(self, f: Callable[[Mpf, int], Mpf], x: Interval) -> Interval:
        working = self.precision + GUARD
        least = f(x.low, working)
        greatest = least if x.high == x.low else f(x.high, working)
        return Interval(
            _outward(least, self.precision, DOWN), _outward(greatest, self.precision, UP),
            self.precision,
        )  # fmt: skip

    exp = partialmethod(_increasing, mpf.exp)
    expm1 = partialmethod(_increasing, mpf.expm1)
    erf = partialmethod(_increasing, mpf.erf)
    softplus = partialmethod(_increasing, mpf.softplus)


def settled(
    rounding: Rounding, y: Interval, side: Callable[[Fraction], int | None]
) -> Result | None:
    """Return what the number in an enclosure rounds to, or None if that is not certain.

    Where the enclosure holds a number t half way between two numbers to round to, side(t) decides:
    the sign of what is enclosed less t, 0 if it is t itself, or None if that is not known.
    """
    result = rounding.settle(y.low, y.high)
    if result is not None or not (mpf.is_finite(y.low) and mpf.is_finite(y.high)):
        return result
    low, high = mpf.to_fraction(y.low), mpf.to_fraction(y.high)
    tie = rounding.tie(low)
    only_one = (high - low) * (1 << (rounding.precision + 2)) < abs(tie)
    if not (only_one and low <= tie <= high):
        return None
    sign = side(tie)
    return None if sign is None else rounding.exactly((low, tie, high)[sign + 1])


def _outward(y: Mpf, precision: int, rounding: str) -> Mpf:
    margin = mpf.shift(mpf.absolute(y), -precision)
    move = mpf.subtract if rounding == DOWN else mpf.add
    return move(y, margin, precision + GUARD, rounding)
