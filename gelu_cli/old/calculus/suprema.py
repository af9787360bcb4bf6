"""Where a curve is farthest from 0: its supremum, rounded.

Branch and bound over a covering of the line (`coverings`) leaves some places and brackets, one of
which is the highest: ends of stretches, that is of the range, a kink, 0 or ±∞, and critical points.
These are enclosed, with more and more bits, until one is above the others or they round alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from flint import acb, arb

from gelu_cli.old.arithmetic import Curve, PointArithmetic, Real, Result, Rounding, mpf
from gelu_cli.old.arithmetic.balls import (
    BALLS,
    WILD,
    Ball,
    Taylor,
    exactly,
    log2_of,
    sign_of,
    taylor,
    working,
)
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.exact import Exact, nearest
from gelu_cli.old.arithmetic.interval import Interval, IntervalArithmetic
from gelu_cli.old.arithmetic.tails import size_between
from gelu_cli.old.calculus.coverings import BITS, Cover, Part, beside
from gelu_cli.old.calculus.roots import Root, Spot, exact, precisions
from gelu_cli.old.calculus.stretches import Place, Stretch, vanishes
from gelu_cli.old.stages import tell
from gelu_cli.old.values.evaluate import absolute, evaluate_at, rounded, too_near


class Extreme(NamedTuple):
    """The supremum of |curve| and where it is; `x` is infinite where it is only approached.

    A value beyond float64 is infinite, and yet `bounded`.
    """

    value: Result
    x: Result
    bounded: bool = True


class Hill(NamedTuple):
    """A curve on a stretch, and another one that has the sign of its derivative."""

    stretch: Stretch
    curve: Curve
    rising: Curve


class Peak(NamedTuple):
    """Where |curve| may be largest: at an end of a stretch, or at a critical point."""

    hill: Hill
    spot: Spot

    @property
    def infinity(self) -> float | None:
        """±∞, if it is there."""
        spot = self.spot
        return float(spot) if isinstance(spot, Place) and spot.infinite else None


def supremum(hills: Sequence[Hill], rounding: Rounding) -> Extreme:
    """Return the supremum of |curve| over stretches, each with its curve, correctly rounded.

    Of several places with the same supremum the one nearest to 0 is named, and of two opposite
    ones the positive.

    >>> from gelu_cli.old.arithmetic.dual import slope_of
    >>> from gelu_cli.old.calculus.stretches import Place, stretches
    >>> from gelu_cli.old.arithmetic.formats import FLOAT64
    >>> cuts = stretches(Place.of(-1), Place.of(3), [])
    >>> parabola = lambda a, x: x * x - 2 * x
    >>> supremum([Hill(cut, parabola, slope_of(parabola)) for cut in cuts], FLOAT64)
    Extreme(value=3.0, x=-1.0, bounded=True)
    """
    tell("supremum, covering the line")
    candidates = peaks(hills)
    for precision in precisions(rounding):
        tell(f"supremum, enclosing it with {precision} bits")
        found = [_enclosed(peak, precision) for peak in candidates]
        candidate, value, x = reduce(_higher, found)
        highest = [each for each in found if not value.is_above(each[1])]
        # A limit is far below |x|, see `Form.limit_exponent`.
        if candidate.infinity and mpf.compare(value.low, mpf.shift(abs(x).low, -8)) > 0:
            return Extreme(math.inf, candidate.infinity, bounded=False)
        result, *others = {_rounded(*each, rounding) for each in highest}
        place = candidate.infinity or rounded(x, rounding)
        if place is None:
            number = exact(candidate.spot, x)
            place = None if number is None else nearest(number, rounding)
        if result is not None and place is not None and not others:
            beyond_decimals = Decimals(1).settle(value.low, value.high) == math.inf
            return Extreme(result, place, bounded=not beyond_decimals)
    raise too_near("the supremum, or where it is,")


_Enclosed: TypeAlias = tuple[Peak, Interval, Interval]
"""A peak with |curve| there and x."""


def _enclosed(peak: Peak, precision: int) -> _Enclosed:
    a = IntervalArithmetic(precision)
    if isinstance(peak.spot, Place):
        # As in `evaluate_at`: the whole part of what exp is taken of needs bits of its own.
        square = peak.spot.square
        size = square.numerator.bit_length() - square.denominator.bit_length()
        a = IntervalArithmetic(precision + 3 * max(0, size) // 2)
    x = peak.spot.position(a)
    return peak, abs(peak.hill.curve(a, x)), x


def _higher(one: _Enclosed, other: _Enclosed) -> _Enclosed:
    """Return which is higher, else nearer to 0, else positive."""
    (_, value, x), (_, value2, x2) = one, other
    for better, worse in ((value, value2), (abs(x2), abs(x))):
        if better.is_above(worse):
            return one
        if worse.is_above(better):
            return other
    return other if x2.is_above(x) else one


def _rounded(candidate: Peak, value: Interval, x: Interval, rounding: Rounding) -> Result | None:
    """Return |curve| at a candidate, rounded, or None if that is not certain."""
    result = rounded(value, rounding)
    at = candidate.infinity or exact(candidate.spot, x)
    if result is not None or at is None:
        return result

    def compute(a: PointArithmetic, x: Real, _: Exact) -> Mapping[str, Real]:
        return {"supremum": candidate.hill.curve(a, x)}

    (result,) = evaluate_at(at, ["supremum"], compute, mpf.exponent(x.middle) - 1, rounding)
    return absolute(result)


def peaks(hills: Sequence[Hill]) -> list[Peak]:
    """Return all ends of stretches, and critical points, where |curve| may be largest.

    In the bracket of a critical point what tells the slope is monotone, and changes its sign.

    >>> from gelu_cli.old.arithmetic.dual import slope_of
    >>> stretch = Stretch(Place.of(-1), Place.of(4))
    >>> parabola = lambda a, x: x * x - 2 * x
    >>> found = peaks([Hill(stretch, parabola, slope_of(parabola))])
    >>> [float(peak.spot) for peak in found if isinstance(peak.spot, Place)]
    [4.0]
    """
    with working(BITS):
        return _Search(hills).run()


class _Search:
    """Branch and bound: the part that may be highest is looked at first."""

    def __init__(self, hills: Sequence[Hill]) -> None:
        self.reached = arb(0)
        self.heap: list[tuple[float, int, Ball, Hill, Cover, Part, Taylor | None]] = []
        self.pushed = 0
        ends = [
            (Peak(hill, place), place.position(BALLS)) for hill in hills for place in hill.stretch
        ]
        heights = [abs(acb(peak.hill.curve(BALLS, x)).real) for peak, x in ends]
        for height in heights:
            self.reached = max(self.reached, height.lower())
        for hill in hills:
            if not vanishes(hill.curve) and not vanishes(hill.rising):
                cover = Cover(hill.rising, hill.stretch)
                self.add(hill, cover, cover.whole)
        self.found = [
            peak
            for (peak, _), height in zip(ends, heights, strict=True)
            if not height < self.reached
        ]

    def add(self, hill: Hill, cover: Cover, part: Part) -> None:
        """Note a part that may be higher than what is reached."""
        height = abs(acb(hill.curve(BALLS, acb(part.ball.real.mid()))).real)
        self.reached = max(self.reached, height.lower())
        most, found = abs(beside(hill.curve, part.ball)).upper(), None
        if not most < self.reached:
            found = taylor(hill.curve, part.ball)
            most = most if found is None else abs(found.derivative()).upper().min(most)
        if not most < self.reached and part.is_in_an_octave and not most < WILD * height:
            most = size_between(hill.curve, part.low, part.high).min(most)
        if not most < self.reached:
            self.pushed += 1
            heappush(self.heap, (-log2_of(most), self.pushed, most, hill, cover, part, found))

    def run(self) -> list[Peak]:
        """Look at parts until no other one can be higher than what is reached."""
        while self.heap:
            *_, most, hill, cover, part, found = heappop(self.heap)
            if most < self.reached:
                continue
            sign = slope = 0
            if found and not (found.is_wild or cover.sides_at_0(part)):
                sign, slope = (sign_of(found.derivative(order)) for order in (1, 2))
            if not (sign or slope):
                sign, slope = cover.look(part)
            if sign:
                continue
            if slope:
                signs = [cover.sign_at(end) for end in (part.low, part.high)]
                if signs[0] * signs[1] < 0:
                    bracket = exactly(part.low), exactly(part.high)
                    self.found.append(Peak(hill, Root(hill.rising, bracket, "a supremum")))
                if all(signs):
                    continue
            for half in cover.halves(part):
                self.add(hill, cover, half)
        return self.found
