"""Roots of curves: brackets between two certain signs, and enclosures, not estimates, of them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic import Curve, Result, Rounding, mpf
from gelu_cli.old.arithmetic.exact import RATIONAL, Exact
from gelu_cli.old.arithmetic.interval import Interval, IntervalArithmetic
from gelu_cli.old.arithmetic.mpf import NEAREST, ONE, Mpf
from gelu_cli.old.calculus.stretches import Place
from gelu_cli.old.values.evaluate import rounded, too_near

FIRST_PRECISION, LAST_PRECISION = 64, 1024
"""Bits at which a sign is looked for."""

DOUBLINGS = 8
"""Of the bits with which a root is enclosed, until it is told what it rounds to."""

GUARD = 40
FEWEST_BITS = 53
"""Fewer would not tell the signs at the ends of a bracket."""

PATIENCE = 4
"""Steps in which the bracket must halve; then it is halved."""

MARGIN = 8
"""The first margin around an estimate, in bits above the last: most need no wider one."""

Bracket: TypeAlias = tuple[Fraction, Fraction]


class Root(NamedTuple):
    """Where a curve changes its sign in a bracket, as a `Place` is where it is cut."""

    curve: Curve
    bracket: Bracket
    what: str
    """How an error calls it."""

    infinite: bool = False

    def position(self, a: IntervalArithmetic) -> Interval:
        """Return an enclosure; raises `ComputationError` where the signs cannot be told."""
        x = enclose_root(self.curve, *self.bracket, a.precision)
        if x is None:
            raise ComputationError(
                f"{self.what} cannot be enclosed; take parameters of a size nearer to 1"
            )
        return x


Spot: TypeAlias = Place | Root
"""A place, or a root that is enclosed as narrowly as it takes."""


def exact(spot: Spot, x: Interval) -> Exact | None:
    """Return the number that a spot in an enclosure is, if every arithmetic takes it."""
    if isinstance(spot, Root):
        return rational_root(spot.curve, x)
    return None if spot.infinite else spot.exact


def sign_at(curve: Curve, place: Place) -> int:
    """Return the sign of a curve at a place; 0 where it is 0, or within 2**−1000 of it."""
    precision = FIRST_PRECISION
    while precision <= LAST_PRECISION:
        a = IntervalArithmetic(precision)
        y: Interval = curve(a, place.position(a))
        if y.sign:
            return y.sign
        precision *= 4
    return 0


def rational_root(curve: Curve, x: Interval) -> Fraction | None:
    """Return the root in an enclosure if it is a fraction of half as many bits.

    >>> line = lambda a, x: x * 4 + 3
    >>> x = enclose_root(line, Fraction(-1), Fraction(0), 60)
    >>> rational_root(line, x)
    Fraction(-3, 4)
    """
    low, middle, high = map(mpf.to_fraction, (x.low, x.middle, x.high))
    simple = middle.limit_denominator(1 << x.precision // 2)
    return simple if low <= simple <= high and curve(RATIONAL, simple) == 0 else None


def rounded_root(curve: Curve, bracket: Bracket, rounding: Rounding) -> Result | None:
    """Return the root in a bracket correctly rounded; None if there is none.

    Raises `ComputationError` if it is too near to the middle between two numbers.
    """
    for precision in precisions(rounding):
        x = enclose_root(curve, *bracket, precision)
        if x is None:
            return None
        rational = rational_root(curve, x)
        result = rounded(x if rational is None else rational, rounding)
        if result is not None:
            return result
    raise too_near("a root")


def precisions(rounding: Rounding) -> Iterator[int]:
    """Yield the bits with which a place that is to be rounded is enclosed, more and more."""
    first = max(rounding.precision, FEWEST_BITS) + GUARD
    yield from (first << doublings for doublings in range(DOUBLINGS))


def enclose_root(curve: Curve, low: Fraction, high: Fraction, precision: int) -> Interval | None:
    """Return an interval of about `precision` bits in which a curve changes its sign.

    Its signs at the ends of the interval returned are certain, and differ. Returns None if they do
    not at `low` and `high`. The way there is the false position in its Illinois form (Dowell &
    Jarratt, BIT 11, 1971), of order 1.44, and halving where that is slow.

    >>> enclose_root(lambda a, x: x * x - 2, Fraction(1), Fraction(2), 60)
    [1.4142135623730946042, 1.4142135623730954924]
    """
    arithmetic = IntervalArithmetic(precision)

    def f(x: Mpf) -> Interval:
        y: Interval = curve(arithmetic, Interval(x, x, precision))
        return y

    a, b = (mpf.from_fraction(end, precision) for end in (low, high))
    ya, yb = f(a), f(b)
    rising = yb.sign
    if ya.sign * rising >= 0:
        return None
    fa, fb = ya.middle, yb.middle
    last = 0
    width, patience = mpf.subtract(b, a), PATIENCE
    while True:
        x = mpf.shift(mpf.add(a, b, precision, NEAREST), -1)
        if patience:  # where the line through (a, fa) and (b, fb) meets 0
            slope = mpf.divide(mpf.subtract(b, a), mpf.subtract(fb, fa), precision, NEAREST)
            x = mpf.subtract(a, mpf.multiply(fa, slope), precision, NEAREST)
        y = f(x)
        side = y.sign
        if not side or (x in (a, b) and not patience):
            break
        # An end that stays for a second time has its weight halved, or it would stay for ever.
        halvings = -int(side == last)
        if side == rising:
            b, fb, fa = x, y.middle, mpf.shift(fa, halvings)
        else:
            a, fa, fb = x, y.middle, mpf.shift(fb, halvings)
        last = side
        patience = max(0, patience - 1)
        if mpf.compare(mpf.subtract(b, a), mpf.shift(width, -1)) <= 0:
            width, patience = mpf.subtract(b, a), PATIENCE
    # The least x ± 2**k at whose ends the signs are certain.
    k = mpf.exponent(x) - precision + MARGIN
    while True:
        margin = mpf.shift(ONE, k)
        around = Interval(mpf.subtract(x, margin), mpf.add(x, margin), precision)
        if [f(end).sign for end in (around.low, around.high)] == [-rising, rising]:
            return around
        k += 2
