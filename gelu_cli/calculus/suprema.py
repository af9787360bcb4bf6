"""The supremum of an error over a range, and the x at which it is.

Candidates are ends of stretches (intervals on which the error curve is smooth), limits at ±∞, and
critical points. The search for critical points skips a cell (a part of a stretch) if a bound of
|curve| on the cell is below a value already attained. The precision of the candidates is doubled
until the largest value rounds to one number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cmp_to_key, reduce
from typing import Any, NamedTuple

from flint import arb, fmpq

from gelu_cli.calculus.covering import (
    BITS,
    Cell,
    Place,
    ball_at,
    coefficients,
    rounded_place,
    sign_at,
    zeros,
)
from gelu_cli.calculus.curves import (
    Comparison,
    Curve,
    Stretch,
    is_zero,
    position,
    square_of,
    stretches,
)
from gelu_cli.errors import ComputationError
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.rays import on_first_ray
from gelu_cli.numbers.rounding import TINY, Rounded, Target, exact_ball, round_ball, sign, working
from gelu_cli.numbers.series import Smooth

DOUBLINGS = 5
FARTHEST_SQUARE = 10**12
"""x·|x| at x = 10⁶. At an end farther out, a ratio may be indistinguishable from 0/0: give up."""


class Extreme(NamedTuple):
    """A supremum and its x; x is infinite if the supremum is a limit at ±∞.

    `place` is x to more digits, at which `reference.confirm` checks the value; None if x is
    infinite or a pole, or if the error is 0 everywhere. `value` is infinite if the error is not
    `bounded`, or is beyond the range of float64.
    """

    value: Rounded
    x: Rounded
    bounded: bool = True
    place: fmpq | None = None


class Spot(NamedTuple):
    """A candidate for the maximum of |curve|.

    `at` is an end (stored as x·|x|), the bracket of a critical point, or ±∞. At ±∞ `limit` is the
    limit of |curve|.
    """

    curve: Curve
    at: Place
    limit: arb | None = None


def supremum(parts: Sequence[Stretch], to: Target) -> Extreme | None:
    """Return the supremum of |curve| over stretches, correctly rounded.

    Return None if all curves are 0 everywhere. If |curve| is largest at several x, take the x
    nearest to 0; of two at the same distance, the positive x.
    """
    parts = [part for part in parts if not part.curve.vanishes]
    spots, reached = list[Spot](), arb(0)

    def reach(y: arb) -> bool:
        """Take a value of a curve into account; return True if it is finite."""
        nonlocal reached
        if y.is_finite():
            reached = reached.max(abs(y).lower())
        return bool(y.is_finite())

    def useless(cell: Cell) -> bool:
        """Return True if |curve| on the cell is below a value already attained."""
        if abs(cell.whole[0]).upper() < reached:
            return True
        reach(cell.near[0])
        y = cell.bound(0)
        if cell.curve.ratio and reached >= 1 and y < 1 and same_sign(cell):
            return True  # 0 < f/g < 2, so |f/g − 1| < 1 ≤ reached
        return bool(abs(y).upper() < reached)

    with working(BITS):
        for curve, *ends in parts:
            for end in ends:
                if isinstance(end, float):
                    limit = limit_of(curve, end > 0)
                    if limit is None:
                        return Extreme(math.inf, end, bounded=False)
                    if reach(limit) and limit > 0:
                        spots.append(Spot(curve, end, limit))
                elif reach(coefficients(curve, position(end), 0)[0]):
                    spots.append(Spot(curve, end))
                elif abs(end) > FARTHEST_SQUARE:
                    raise ComputationError(
                        "the range ends too far out for relative errors; take a nearer end, or inf"
                    )
        for part in parts:
            if not (part.curve.ratio and is_zero(part.curve.form)):  # f/g − 1 is −1 if f = 0
                spots += [Spot(part.curve, each) for each in zeros(part, 1, useless)]
    return best_of(spots, to) if spots else None


def same_sign(cell: Cell) -> bool:
    """Return True if f and g of a ratio have the same sign on the whole cell."""
    one, two = (sign_on(part, cell.x) for part in cell.curve.parts)
    return one * two > 0


def sign_on(part: Smooth, x: arb) -> int:
    """Return the sign of a quantity on a whole ball x; 0 if unknown."""
    found = sign(coefficients(Curve(part), x, 0)[0])
    if found or any(part.line) or x.contains(0):
        return found
    far = part.far(bool(x > 0))  # on a ray the sign is known, even if the enclosure contains 0
    return far.sign if far is not None and abs(x) > arb((1, far.start)) else 0


def limit_of(curve: Curve, right: bool) -> arb | None:
    """Return the limit of |curve| at ±∞; None if |curve| is unbounded."""

    def on_ray(k: int) -> arb | None:
        ray = curve.on_ray(right, k)
        ray.sign()  # raises Undecided if 2ᵏ is too small
        return None if ray.grows() else abs(ray.limit()[0])

    return on_first_ray(curve.first_ray, on_ray)


def best_of(spots: Sequence[Spot], to: Target) -> Extreme:
    """Return the highest candidate, doubling the bits until its value rounds."""
    for doubling in range(DOUBLINGS):
        prec = (max(to.bits_needed, 53) + 40) << doubling
        with working(prec + 32):
            found = [enclosed(spot, prec) for spot in spots]
            _, x, at = max(found, key=cmp_to_key(higher))
            height = reduce(arb.max, (each for each, *_ in found))
            value = to.zero(False) if height < TINY else round_ball(to, height)
        if value is not None:
            place = None if isinstance(at, float) else exact_ball(x)
            return Extreme(value, rounded_place(at, to), True, place)
    raise ComputationError(
        "the supremum is too near to the middle between two numbers; take other --digits"
    )


def enclosed(spot: Spot, prec: int) -> tuple[arb, arb, Place]:
    """Enclose |curve| and x at a candidate."""
    x = ball_at(spot.at, prec)
    return (abs(spot.curve.taylor(x, 0)[0]) if spot.limit is None else spot.limit), x, spot.at


def higher(one: tuple[arb, arb, Place], other: tuple[arb, arb, Place]) -> int:
    """Compare candidates by larger |curve|, then smaller |x|, then positive x."""
    (y, x, _), (z, w, _) = one, other
    return sign(y - z) or sign(abs(w) - abs(x)) or sign(x - w)


def error_sup(
    comparison: Comparison,
    low: Any = -math.inf,
    high: Any = math.inf,
    to: Target = FLOAT64,
    relative: bool = False,
) -> Extreme:
    """Return the supremum of |form − target| over a range, and its x.

    `low` and `high` are fractions or floats, also ±∞; value and x are rounded. If `relative`, the
    error is divided by the target: the error is ∞ if the target is 0 and the form is not.
    """
    forms = [comparison.form, comparison.target]
    curve_of = comparison.ratio if relative else comparison.difference
    if not relative and all(form.symmetric for form in forms) and low == -high:
        low = 0  # |error| is even, and the positive x is reported
    parts = stretches(forms, low, high, curve_of)
    if relative:
        poles = [pole for part in parts for pole in poles_on(part, to)]
        if poles:
            return min(poles, key=lambda pole: (abs(pole.x), pole.x < 0))
        parts = [part for part in parts if not is_zero(part.curve.target)]  # type: ignore[arg-type]
    if (found := supremum(parts, to)) is not None:
        return found
    first, last = square_of(low), square_of(high)
    nearest_to_0 = first if first > 0 else last if last < 0 else fmpq(0)
    return Extreme(to.zero(False), rounded_place(nearest_to_0, to))


def poles_on(stretch: Stretch, to: Target) -> list[Extreme]:
    """List x with target 0 ≠ form; the ends if the whole target is 0."""
    form, target = stretch.curve.form, stretch.curve.target
    assert target is not None
    if is_zero(form) or stretch.curve.vanishes:
        return []
    one, two, found = Curve(form), Curve(target), list[Place](stretch.ends())
    if not is_zero(target):
        ends = [end for end in stretch.ends() if not isinstance(end, float)]
        found = [end for end in ends if not sign_at(two, end) and sign_at(one, end)]
        found += zeros(Stretch(two, stretch.low, stretch.high))
    return [Extreme(math.inf, rounded_place(place, to), bounded=False) for place in found]
