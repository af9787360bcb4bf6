"""Where a curve is farthest from 0: its supremum, rounded.

A covering of the line (`coverings`) leaves some places and brackets, one of which is the highest:
ends of stretches, that is of the range, a kink, 0 or ±∞, and critical points. These are enclosed,
with more and more bits, until one is above the others or they round alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from gelu_cli.arithmetic import PointArithmetic, Real, Result, Rounding, mpf
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.exact import Exact, nearest
from gelu_cli.arithmetic.interval import Interval, interval_arithmetic
from gelu_cli.calculus.coverings import Hill, Peak, peaks
from gelu_cli.calculus.roots import exact, precisions
from gelu_cli.calculus.stretches import Place
from gelu_cli.stages import tell
from gelu_cli.values.evaluate import absolute, evaluate_at, rounded, too_near


class Extreme(NamedTuple):
    """The supremum of |curve| and where it is; `x` is infinite where it is only approached.

    A value beyond float64 is infinite, and yet `bounded`.
    """

    value: Result
    x: Result
    bounded: bool = True


def _enclosed(peak: Peak, precision: int) -> tuple[Interval, Interval]:
    """Return enclosures of |curve| and of x."""
    a = interval_arithmetic(precision)
    if isinstance(peak.spot, Place):
        # As in `evaluate_at`: the whole part of what exp is taken of needs bits of its own.
        square = peak.spot.square
        size = square.numerator.bit_length() - square.denominator.bit_length()
        a = interval_arithmetic(precision + 3 * max(0, size) // 2)
    x = peak.spot.position(a)
    return abs(peak.hill.curve(a, x)), x


def supremum(hills: Sequence[Hill], rounding: Rounding) -> Extreme:
    """Return the supremum of |curve| over stretches, each with its curve, correctly rounded.

    Of several places with the same supremum the one nearest to 0 is named, and of two opposite
    ones the positive.

    >>> from gelu_cli.arithmetic.dual import slope_of
    >>> from gelu_cli.calculus.stretches import Place, stretches
    >>> from gelu_cli.arithmetic.formats import FLOAT64
    >>> cuts = stretches(Place.of(-1), Place.of(3), [])
    >>> parabola = lambda a, x: x * x - 2 * x
    >>> supremum([Hill(cut, parabola, slope_of(parabola)) for cut in cuts], FLOAT64)
    Extreme(value=3.0, x=-1.0, bounded=True)
    """
    tell("supremum, covering the line")
    candidates = peaks(hills)
    for precision in precisions(rounding):
        tell(f"supremum, enclosing it with {precision} bits")
        found = [(peak, *_enclosed(peak, precision)) for peak in candidates]
        candidate, value, x = reduce(_higher, found)
        highest = [each for each in found if not value.is_above(each[1])]
        # A limit is far below |x|, see `Form.limit_exponent`.
        if candidate.infinity and mpf.compare(value.low, mpf.shift(abs(x).low, -8)) > 0:
            return Extreme(math.inf, candidate.infinity, bounded=False)
        result, *others = {_rounded(*each, rounding) for each in highest}
        place = _rounded_place(candidate, x, rounding)
        if result is not None and place is not None and not others:
            beyond_decimals = Decimals(1).settle(value.low, value.high) == math.inf
            return Extreme(result, place, bounded=not beyond_decimals)
    raise too_near("the supremum, or where it is,")


def _rounded(candidate: Peak, value: Interval, x: Interval, rounding: Rounding) -> Result | None:
    """Return |curve| at a candidate, rounded, or None if that is not certain."""
    result = rounded(value, rounding)
    if result is not None:
        return result
    at = candidate.infinity or exact(candidate.spot, x)
    if at is None:
        return None

    def compute(a: PointArithmetic, x: Real, _: Exact) -> Mapping[str, Real]:
        return {"supremum": candidate.hill.curve(a, x)}

    (result,) = evaluate_at(at, ["supremum"], compute, mpf.exponent(x.middle) - 1, rounding)
    return absolute(result)


def _rounded_place(candidate: Peak, x: Interval, rounding: Rounding) -> Result | None:
    if candidate.infinity:
        return candidate.infinity
    result, number = rounded(x, rounding), None
    if result is None:
        number = exact(candidate.spot, x)
    return result if number is None else nearest(number, rounding)


def _higher(
    one: tuple[Peak, Interval, Interval], other: tuple[Peak, Interval, Interval]
) -> tuple[Peak, Interval, Interval]:
    (_, value, x), (_, value2, x2) = one, other
    if value.is_above(value2):
        return one
    if value2.is_above(value):
        return other
    distance, distance2 = abs(x), abs(x2)
    if distance.is_above(distance2):
        return other
    if distance2.is_above(distance):
        return one
    return other if x2.is_above(x) else one
