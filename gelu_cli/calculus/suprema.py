"""Where a curve is farthest from 0: a supremum, not the maximum of a grid.

A grid tells where to look, in floats or, where these are too coarse, in enclosures. What is
reported is a critical point, enclosed between two certified signs of the derivative, or an end
of a stretch: the range's, a kink's, 0, ±∞.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from gelu_cli.arithmetic import Arithmetic, PointArithmetic, Real, Result, Rounding, mpf
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.dual import DualArithmetic
from gelu_cli.arithmetic.floats import FLOATS
from gelu_cli.arithmetic.interval import Interval, interval_arithmetic
from gelu_cli.arithmetic.irrational import Exact, nearest
from gelu_cli.arithmetic.mpf import Mpf
from gelu_cli.calculus.roots import enclose_root, enclosed, precisions, rational_root
from gelu_cli.calculus.stretches import Curve, Place, Stretch, grid
from gelu_cli.errors import ComputationError
from gelu_cli.stages import tell
from gelu_cli.values.evaluate import absolute, evaluate_at, rounded, too_near

NEAR = 1.0
"""A grid point lower than the highest one by so many octaves has no supremum beside it."""

DISTINCT = 2.0**-36
"""Neighbours whose heights differ by less form a plateau, or noise, but no peak."""

AGREE = 2.0**-6
"""What floats and enclosures may differ by, in octaves, for floats to be trusted."""


class Extreme(NamedTuple):
    """The supremum of |curve| and where it is; `x` is infinite where it is only approached.

    A value beyond float64 is infinite, and yet `bounded`.
    """

    value: Result
    x: Result
    bounded: bool = True


class _Candidate(NamedTuple):
    """A place, or a bracket around a critical point, on which a curve may be highest."""

    curve: Curve
    low: Place | Fraction
    high: Fraction | None = None

    def exact(self, x: Interval) -> Exact | None:
        """Return the place, enclosed by x, if it is a number that every arithmetic takes."""
        if isinstance(self.low, Place):
            return None if self.low.infinite else self.low.exact
        return rational_root(self.slope, x)

    def slope(self, a: Arithmetic, x: Real) -> Real:
        """Return the derivative of the curve, which is 0 at a critical point."""
        dual = DualArithmetic(a)
        return self.curve(dual, dual.variable(x)).derivative

    def enclose(self, precision: int) -> tuple[Interval, Interval] | None:
        """Return enclosures of |curve| and of x; None if the bracket holds no critical point."""
        a = interval_arithmetic(precision)
        if isinstance(self.low, Place):
            # As in `evaluate_at`: the whole part of what exp is taken of needs bits of its own.
            square = self.low.square
            size = square.numerator.bit_length() - square.denominator.bit_length()
            a = interval_arithmetic(precision + 3 * max(0, size) // 2)
            x: Interval | None = self.low.position(a)
        else:
            x = enclose_root(enclosed(self.slope), self.low, self.high or self.low, precision)
        return None if x is None else (abs(self.curve(a, x)), x)


def supremum(curves: Sequence[tuple[Stretch, Curve]], rounding: Rounding) -> Extreme:
    """Return the supremum of |curve| over stretches, each with its curve, correctly rounded.

    Of several places with the same supremum the one nearest to 0 is named, and of two opposite
    ones the positive.

    >>> from gelu_cli.calculus.stretches import stretches
    >>> from gelu_cli.arithmetic.formats import FLOAT64
    >>> cuts = stretches(Place.of(Fraction(-1)), Place.of(Fraction(3)), [])
    >>> parabola = lambda a, x: x * x - 2 * x
    >>> supremum([(cut, parabola) for cut in cuts], FLOAT64)
    Extreme(value=3.0, x=-1.0, bounded=True)
    """
    tell("supremum, looking at a grid")
    candidates = list(_candidates(curves))
    for precision in precisions(rounding):
        tell(f"supremum, enclosing it with {precision} bits")
        found = [(each, *pair) for each in candidates if (pair := each.enclose(precision))]
        if not found:
            raise ComputationError("no supremum can be enclosed; try another range")
        candidate, value, x = reduce(_higher, found)
        highest = [each for each in found if not value.is_above(each[1])]
        if _has_no_bound(candidate, value, x):
            return Extreme(math.inf, float(candidate.low), bounded=False)
        result, *others = {_rounded(*each, rounding) for each in highest}
        place = _rounded_place(candidate, x, rounding)
        if result is not None and place is not None and not others:
            return Extreme(result, place, bounded=_is_a_decimal(value))
    raise too_near("the supremum, or where it is,")


def _has_no_bound(candidate: _Candidate, value: Interval, x: Interval) -> bool:
    """Return whether |curve| has no limit: one is far below |x|, see `Form.limit_exponent`."""
    at_infinity = isinstance(candidate.low, Place) and candidate.low.infinite
    return at_infinity and mpf.compare(value.low, mpf.shift(abs(x).low, -8)) > 0


def _is_a_decimal(value: Interval) -> bool:
    """Return whether a number beyond float64 is one that decimals have."""
    return Decimals(1).settle(value.low, value.high) != math.inf


def _rounded(
    candidate: _Candidate, value: Interval, x: Interval, rounding: Rounding
) -> Result | None:
    """Return |curve| at a candidate, rounded, or None if that is not certain."""
    result = rounded(value, rounding)
    if result is not None:
        return result
    infinite = isinstance(candidate.low, Place) and candidate.low.infinite
    at = float(candidate.low) if infinite else candidate.exact(x)
    if at is None:
        return None

    def compute(a: PointArithmetic, x: Real, _: Exact) -> Mapping[str, Real]:
        return {"supremum": candidate.curve(a, x)}

    (result,) = evaluate_at(at, ["supremum"], compute, mpf.exponent(x.middle) - 1, rounding)
    return absolute(result)


def _rounded_place(candidate: _Candidate, x: Interval, rounding: Rounding) -> Result | None:
    if isinstance(candidate.low, Place) and candidate.low.infinite:
        return float(candidate.low)
    result, exact = rounded(x, rounding), None
    if result is None:
        exact = candidate.exact(x)
    return result if exact is None else nearest(exact, rounding)


def _higher(
    one: tuple[_Candidate, Interval, Interval], other: tuple[_Candidate, Interval, Interval]
) -> tuple[_Candidate, Interval, Interval]:
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


def _candidates(curves: Sequence[tuple[Stretch, Curve]]) -> Iterator[_Candidate]:
    points: list[list[Place | float]] = [
        [stretch.low, *grid(stretch), stretch.high] for stretch, _ in curves
    ]
    scans = [
        [_float_height(curve, x) for x in xs] for (_, curve), xs in zip(curves, points, strict=True)
    ]
    if not _trusted(curves, points, scans):
        scans = [
            [_height(curve, x) for x in xs] for (_, curve), xs in zip(curves, points, strict=True)
        ]
    enough = max(map(max, scans)) - NEAR
    for (stretch, curve), xs, heights in zip(curves, points, scans, strict=True):
        for end in (0, -1):
            if heights[end] >= enough:
                yield _Candidate(curve, (stretch.low, stretch.high)[end])
        for i in range(1, len(xs) - 1):
            left, here, right = heights[i - 1 : i + 2]
            if here >= enough and left <= here >= right and here - min(left, right) > DISTINCT:
                yield _Candidate(curve, Fraction(float(xs[i - 1])), Fraction(float(xs[i + 1])))


def _trusted(
    curves: Sequence[tuple[Stretch, Curve]],
    points: Sequence[Sequence[Place | float]],
    scans: Sequence[Sequence[float]],
) -> bool:
    """Return whether the highest float of the scan is what enclosures say it is.

    At ±∞ floats say nothing, and enclosures have been asked already.
    """
    finite = [(i, j) for i, xs in enumerate(points) for j, x in enumerate(xs)
              if not (isinstance(x, Place) and x.infinite)]  # fmt: skip
    i, j = max(finite, key=lambda at: scans[at[0]][at[1]])
    return abs(scans[i][j] - _height(curves[i][1], points[i][j])) < AGREE


def _float_height(curve: Curve, x: Place | float) -> float:
    """Return log₂|curve| at a point, from floats where they can tell."""
    try:
        y = abs(curve(FLOATS, float(x)))
    except ArithmeticError:
        y = math.nan
    if y == 0:
        return -math.inf
    return math.log2(y) if y < math.inf else _height(curve, x)


def _height(curve: Curve, x: Place | float) -> float:
    """Return log₂|curve| at a point, from an enclosure within a hundredth of the value."""
    at = x.square if isinstance(x, Place) else Fraction(x)
    precision = 64 + 3 * max(0, at.numerator.bit_length() - at.denominator.bit_length())
    last = precision + 512
    while precision <= last:
        a = interval_arithmetic(precision)
        y = abs(curve(a, x.position(a) if isinstance(x, Place) else a.rational(at)))
        low, high = _log2(y.low), _log2(y.high)
        if high == low or high - low < AGREE:
            return high
        precision *= 2
    return -math.inf


def _log2(y: Mpf) -> float:
    """Return the logarithm of y ≥ 0, infinite where it is beyond a float."""
    if not mpf.is_finite(y):
        return math.inf
    if not mpf.sign(y):
        return -math.inf
    size = mpf.exponent(y)
    if abs(size) > 1 << 1000:
        return math.inf if size > 0 else -math.inf
    return size + math.log2(mpf.to_float(mpf.shift(y, -size)))
