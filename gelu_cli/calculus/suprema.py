"""The supremum of an error over a range, and the x at which it is.

Branch and bound: search the cell with the largest bound on |curve| first, until no bound exceeds a
value that is reached. Candidates are ends of stretches, critical points and limits at ±∞. The bits
of their enclosures double until one candidate is above the others, or all round alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from flint import arb, fmpq

from gelu_cli.calculus.bounding import Search, Spot
from gelu_cli.calculus.covering import BITS, Bracket, sign_at, zeros
from gelu_cli.calculus.curves import (
    Comparison,
    Curve,
    Stretch,
    first_ray,
    is_zero,
    on_ray_within,
    square_of,
    stretches,
)
from gelu_cli.calculus.places import ball_at, exactly_at, rounded_place
from gelu_cli.errors import ComputationError
from gelu_cli.numbers.far import ray_beyond
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.rays import FARTHEST, PRECISION, Undecided, on_first_ray
from gelu_cli.numbers.rounding import (
    TINY,
    Rounded,
    Target,
    exact_ball,
    round_ball,
    round_fraction,
    sign,
    working,
)

DOUBLINGS = 5
FARTHEST_RATIO = 7
"""Ratios of two tails are searched up to x = 2⁷: cells at x must be as narrow as 1/x."""


class Extreme(NamedTuple):
    """A supremum and its x, which is infinite if the supremum is a limit.

    `place` is x to more digits, by which the reference confirms the value; None if x is infinite.
    A supremum beyond float64 has an infinite `value`, and is `bounded` all the same.
    """

    value: Rounded
    x: Rounded
    bounded: bool = True
    place: fmpq | None = None


class Outside(NamedTuple):
    """A curve on a ray |x| ≥ 2ᵏ, k = `start`.

    `limit` is |its limit|; `excess` bounds |curve| − |limit| on the ray.
    """

    start: int
    limit: arb
    excess: arb


OpenRay: TypeAlias = tuple[Curve, bool, Outside]
"""A curve on a ray on which it is not monotone: the curve, True for the right, its bounds."""


def outside(curve: Curve, right: bool, start: int) -> Outside | None:
    """Return the limit of a curve on a ray; None if it is unbounded.

    Raises
    ------
    Undecided
        If the ray begins too near to 0.
    """
    ray = curve.on_ray(right, start)[0]
    if ray.grows():
        ray.sign()
        return None
    limit, rest = ray.limit()
    above = not sign(limit) or rest.sign() * sign(limit) > 0
    return Outside(start, abs(arb(limit)), rest.most() if above else arb(0))


def slope_sign(curve: Curve, right: bool, start: int) -> int:
    """Return the sign of the slope on a ray |x| ≥ 2ᵏ, k = `start`."""
    return curve.on_ray(right, start)[1].sign()


def supremum(parts: Sequence[Stretch], to: Target) -> Extreme | None:
    """Return the supremum of |curve| over stretches, correctly rounded.

    Return None if all curves are 0 everywhere. If |curve| is largest at several x, take the x
    nearest to 0, and of ±x the positive one.
    """
    search, rays, cells = Search(), list[OpenRay](), list[tuple[Curve, arb, arb]]()
    with working(BITS):
        for stretch in parts:
            curve, ends = stretch.curve, list[arb]()
            if curve.vanishes:
                continue
            for right in (False, True):
                if (end := add_end(search, rays, stretch, right)) is None:
                    return Extreme(math.inf, math.inf if right else -math.inf, bounded=False)
                ends.append(end)
            # A ratio to 0 is −1 everywhere, a line is highest at its ends.
            varies = not is_zero(curve.form) if curve.ratio else curve.has_rest
            if varies and ends[0] < ends[1]:
                cells.append((curve, ends[0], ends[1]))
        for cell in cells:
            search.push(*cell)
        search.run()
        for ray in rays:
            search_ray(search, *ray)
        search.run()
    return best_of(search.spots, to) if search.spots else None


def add_end(search: Search, rays: list[OpenRay], stretch: Stretch, right: bool) -> arb | None:
    """Add an end of a stretch, or its limit at ±∞, to the candidates.

    Return the x up to which cells are searched; None if |curve| is unbounded. A ray on which the
    curve is monotone needs no cells, as |curve| is largest at an end of the ray; another ray is
    added to `rays`.
    """
    curve, end, other = stretch.curve, stretch.ends()[right], stretch.ends()[not right]
    monotone = on_ray_within(stretch, right, slope_sign)
    if not isinstance(end, float):
        place = search.add_end(curve, end, right)
        return monotone[0] if monotone else place
    near = 0 if isinstance(other, float) else ray_beyond(other)
    found = on_first_ray(max(first_ray(curve), near), partial(outside, curve, right))
    if found is None:
        return None
    if found.limit > 0:
        search.reach(Spot(curve, end, found.limit), found.limit)
    if monotone:
        return monotone[0]
    rays.append((curve, right, found))
    return arb((1 if right else -1, found.start))


def search_ray(search: Search, curve: Curve, right: bool, found: Outside) -> None:
    """Queue cells along a ray until the bound beyond them is below `reached`."""
    start = found.start
    while found.excess > 0 and not found.limit + found.excess < search.reached:
        if start > (FARTHEST_RATIO if curve.ratio else FARTHEST):
            raise ComputationError(
                "the supremum is not told from a limit at infinity; take a finite --range"
            )
        near, far = arb((1, start)), arb((1, start + 2))
        search.push(curve, *((near, far) if right else (-far, -near)))
        start += 2
        with working(PRECISION):
            try:
                found = outside(curve, right, start) or found
            except Undecided:
                continue


def best_of(spots: Sequence[Spot], to: Target) -> Extreme:
    """Return the highest candidate; double the bits until it is certain."""
    for doubling in range(DOUBLINGS):
        prec = (max(to.bits_needed, 53) + 40) << doubling
        with working(prec + 32):
            found = [enclosed(spot, prec) for spot in spots]
            best = found[0]
            for each in found[1:]:
                best = higher(best, each)
            if (extreme := rounded(best, to)) is not None:
                return extreme
    raise ComputationError(
        "the supremum is too near to the middle between two numbers; take other --digits"
    )


def enclosed(spot: Spot, prec: int) -> tuple[arb, arb, Spot]:
    """Enclose |curve| and x at a candidate."""
    x = ball_at(spot.at, prec)
    if spot.limit is not None:
        return spot.limit, x, spot
    m = x.mid() if isinstance(spot.at, Bracket) else x
    y = spot.curve.taylor(m, 0)[0]
    if isinstance(spot.at, Bracket):  # by the mean value theorem, as the slope is 0 inside
        y += arb(0, (spot.curve.taylor(x, 2)[2] * (x - m) * (x - m)).abs_upper())
    return abs(y), x, spot


def higher(one: tuple[arb, arb, Spot], other: tuple[arb, arb, Spot]) -> tuple[arb, arb, Spot]:
    """Return the higher candidate; of equals the nearer to 0, or x > 0."""
    if other[0] > one[0] or other[0] < one[0]:
        return other if other[0] > one[0] else one
    a, b = abs(one[1]), abs(other[1])
    if b < a or b > a:
        return other if b < a else one
    return other if other[1] > one[1] else one


def rounded(best: tuple[arb, arb, Spot], to: Target) -> Extreme | None:
    """Round |curve| and x of a candidate; None if either is uncertain."""
    value, x, spot = best
    result = to.zero(False) if value < TINY else round_ball(to, value)
    if isinstance(spot.at, float):
        return None if result is None else Extreme(result, spot.at)
    exact = exactly_at(spot.at)
    place = round_ball(to, x) if exact is None else round_fraction(to, exact)
    if result is None or place is None:
        return None
    return Extreme(result, place, True, exact_ball(x))


def error_sup(
    comparison: Comparison,
    low: Any = -math.inf,
    high: Any = math.inf,
    to: Target = FLOAT64,
    relative: bool = False,
) -> Extreme:
    """Return the supremum of |form − target|, or of its ratio to |target|.

    Parameters
    ----------
    comparison
        From `curves.compare`.
    low, high
        Fractions or floats; they may be infinite.
    to
        What value and x are rounded to.
    relative
        Divide by the target: infinite where the target is 0 and the form is not.

    Examples
    --------
    >>> from gelu_cli.calculus.curves import compare
    >>> from gelu_cli.formulas import find_form
    >>> tanh = compare(find_form("tanh"), find_form("exact"), "value")
    >>> error_sup(tanh)[:2]
    (0.00047323552068728487, 2.69894138637727)
    """
    forms = [comparison.form, comparison.target]
    curve_of = comparison.ratio if relative else comparison.difference
    if not relative and all(form.symmetric for form in forms) and low == -high:
        low = 0  # the size of such errors is the same at ±x, and the positive x is named
    parts = stretches(forms, low, high, curve_of)
    if relative:
        poles = [pole for part in parts for pole in poles_on(part, comparison, to)]
        if poles:
            return min(poles, key=lambda pole: (abs(pole.x), pole.x < 0))
        parts = [part for part in parts if not is_zero(part.curve.target)]  # type: ignore[arg-type]
    if (found := supremum(parts, to)) is not None:
        return found
    first, last = square_of(low), square_of(high)
    nearest_to_0 = first if first > 0 else last if last < 0 else fmpq(0)
    return Extreme(to.zero(False), rounded_place(nearest_to_0, to))


def poles_on(stretch: Stretch, comparison: Comparison, to: Target) -> list[Extreme]:
    """List the x on a stretch at which the target is 0 and the form is not."""
    form, target = stretch.curve.form, stretch.curve.target
    assert target is not None
    if is_zero(form) or stretch.curve.vanishes:
        return []
    one, two = Curve(form), Curve(target)
    if is_zero(target):
        ends = [place for end in stretch.ends() if (place := rounded_place(end, to)) is not None]
        return [Extreme(math.inf, min(ends, key=lambda end: abs(float(end))), bounded=False)]
    found = []
    for end in stretch.ends():
        if not isinstance(end, float) and not sign_at(two, end) and sign_at(one, end):
            found.append(Extreme(math.inf, rounded_place(end, to), bounded=False))
    if comparison.divided == "gate" and comparison.quantity == "value" and found:
        return found
    if comparison.quantity != "value" or not comparison.target.has_gate:
        for bracket in zeros(Stretch(two, stretch.low, stretch.high)):
            found.append(Extreme(math.inf, rounded_place(bracket, to), bounded=False))
    return found
