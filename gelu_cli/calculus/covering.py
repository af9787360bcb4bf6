"""Branch and bound for zeros and critical points of a curve.

A stretch is an interval on which the curve is smooth, and a cell is a part of a stretch. A cell on
which the curve has one sign has no zero. If the slope has one sign on the cell, the signs of the
curve at both ends of the cell show whether there is a zero. Any other cell is cut in two. On rays,
|x| ≥ 2ᵏ on a side, the sign is known from an asymptotic expansion. Critical points are the zeros of
the slope, and are found in the same way.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from itertools import takewhile
from typing import NamedTuple, TypeAlias

from flint import arb, ctx, fmpq

from gelu_cli.calculus.curves import Curve, End, Stretch, exact_root, position
from gelu_cli.errors import ComputationError
from gelu_cli.numbers.rays import FAINT, FARTHEST, PRECISION, on_rays
from gelu_cli.numbers.rounding import (
    Rounded,
    Target,
    round_by_doubling,
    round_fraction,
    sign,
    working,
)

BITS, TERMS = 96, 6  # bits of precision; Taylor terms
MOST, NEWTON = 60_000, 100  # most cells; most Newton steps
SMALL = arb((1, -6))  # `zero_at_end` is tried on shorter cells at an end of a stretch


def coefficients(curve: Curve, x: arb, n: int) -> list[arb]:
    """Return Taylor coefficients 0 to n; NaN if a divisor may be 0."""
    try:
        return curve.taylor(x, n)
    except (ValueError, ZeroDivisionError):
        return [arb.nan()] * (n + 1)


class Cell:
    """A curve on [low, high], enclosed by Taylor's theorem.

    `whole` encloses the Taylor coefficients at all x of the cell.
    """

    def __init__(self, curve: Curve, low: arb, high: arb) -> None:
        self.curve, self.low, self.high = curve, low, high
        self.x = low.union(high)
        self.middle = self.x.mid()
        self.whole = coefficients(curve, self.x, TERMS)

    @cached_property
    def near(self) -> list[arb]:
        """The Taylor coefficients at the middle."""
        return coefficients(self.curve, self.middle, TERMS - 1)

    def bound(self, order: int) -> arb:
        """Enclose the derivative of this order on the cell."""
        total = self.whole[TERMS] * math.perm(TERMS, order)
        for k in reversed(range(order, TERMS)):
            total = self.near[k] * math.perm(k, order) + (self.x - self.middle) * total
        plain = self.whole[order] * math.factorial(order)
        if not total.is_finite():
            return plain
        return total.intersection(plain) if plain.is_finite() else total

    def halves(self) -> Iterator[tuple[arb, arb]]:
        """Yield two parts, cut near the geometric mean if one |end| is far larger."""
        a, b = self.low, self.high
        if b - a < (abs(a) + abs(b)) * arb((1, 8 - ctx.prec)):
            raise ComputationError(
                "the signs of a form, or of its derivatives, are undecided somewhere; "
                "take other parameters, or another range"
            )
        small, large = sorted((abs(a), abs(b)), key=lambda y: float(y.mid()))
        if large > 8 * small:
            least = small.max(large * arb((1, -16)))
            middle = ((least * large).sqrt().mid() * (35 / arb(32))).mid() * (1 if b > 0 else -1)
        else:
            middle = (a + (b - a) * 15 / 31).mid()
        yield from ((a, middle), (middle, b))


def sign_at(curve: Curve, place: arb | fmpq, order: int = 0) -> int:
    """Return the sign of a derivative at a place; 0 if 768 bits do not decide.

    `place` is the ball x or, for an end of a stretch, the fraction x·|x|.
    """
    for prec in (max(ctx.prec, BITS), 8 * BITS):
        with working(prec):
            x = position(place) if isinstance(place, fmpq) else place
            if found := sign(coefficients(curve, x, order)[order]):
                return found
    return 0


class Bracket(NamedTuple):
    """An interval in which a curve (`order` 0) or its slope (1) has one zero."""

    curve: Curve
    low: arb
    high: arb
    order: int

    def narrowed(self, prec: int) -> arb:
        """Enclose the zero to `prec` bits, by at most NEWTON Newton steps."""
        x, bits, n = self.low.union(self.high), 64, self.order + 1
        for _ in range(NEWTON):
            with working(min(2 * bits, prec) + 32):
                y, slope = self.curve.taylor(x.mid(), n)[n - 1], coefficients(self.curve, x, n)[n]
                if not sign(slope):
                    slope = Cell(self.curve, x.lower(), x.upper()).bound(n) / n
                x = x.intersection(x.mid() - y / (slope * n))
            bits = max(64, x.rel_accuracy_bits())
            if bits >= prec:
                break
        return x


Place: TypeAlias = "End | Bracket"
"""A point of the axis: the signed square x·|x| of an end, ±∞, or the bracket of a zero."""


def ball_at(place: Place, bits: int) -> arb:
    """Enclose the x of a place; the zero of a bracket to `bits` bits."""
    return place.narrowed(bits) if isinstance(place, Bracket) else position(place)


def rounded_place(place: Place, to: Target) -> Rounded:
    """Round the x of a place."""
    if isinstance(place, float):
        return place
    if isinstance(place, fmpq) and (exact := exact_root(place)) is not None:
        return round_fraction(to, exact)
    return round_by_doubling(to, lambda bits: ball_at(place, bits), "a cut or a zero of a form")


class Range(NamedTuple):
    """The part of a stretch that is not on rays: from low to high.

    `cuts` lists each end that the part shares with the stretch, as (x, x·|x|); `signs` lists the
    sign on each ray.
    """

    low: arb
    high: arb
    cuts: list[tuple[arb, fmpq]]
    signs: list[int]


def finite_part(stretch: Stretch, order: int = 0) -> Range:
    """Return the part of a stretch that is not on a ray.

    On a ray the curve, or its slope if `order` is 1, has one sign. If the whole stretch is on a
    ray, the part is empty: low ≥ high.
    """
    curve, ends, cuts, signs = stretch.curve, list[arb](), list[tuple[arb, fmpq]](), list[int]()
    for right, end in enumerate(stretch.ends()):
        starts: Iterable[int] = range(curve.first_ray, FARTHEST)
        if not isinstance(end, float):
            far = end if right else -end
            starts = takewhile(lambda k: fmpq(4) ** k < far, starts)  # noqa: B023
        question = partial(ray_sign, curve, bool(right), order, isinstance(end, float))
        if found := on_rays(starts, question):
            ends.append(arb((1 if right else -1, found[0])))
            signs.append(found[1])
        elif isinstance(end, float):
            raise ComputationError(
                "a form's sign near infinity is unknown; take other parameters, or a finite --range"
            )
        else:
            place = position(end)
            ends.append(place.upper() if right else place.lower())
            cuts.append((ends[-1], end))
    return Range(ends[0], ends[1], cuts, signs)


def ray_sign(curve: Curve, right: bool, order: int, endless: bool, start: int) -> int:
    """Return the sign of a curve, or of its slope in |x|, for |x| ≥ 2^start.

    If the stretch is `endless`, and |curve| is below its limit at ±∞ on the whole ray, return 0 for
    the slope: no maximum of |curve| on the ray exceeds the limit.
    """
    ray = curve.on_ray(right, start)
    if not order:
        return ray.sign()
    limit, rest = ray.limit()
    opposite = endless and sign(limit) * rest.sign() < 0
    return 0 if opposite and rest.bound(True) < abs(limit) else ray.derivative().sign()


def zeros(
    stretch: Stretch, order: int = 0, useless: Callable[[Cell], bool] = lambda cell: False
) -> list[Bracket]:
    """Bracket the zeros of a curve, or of its slope, in ascending order.

    Zeros at ends of the stretch, and in cells for which `useless(cell)` is True, are left out. If
    the curve is 0 at an end, and the first derivative that is not 0 there has one sign on a cell at
    this end, the cell has no other zero.
    """
    curve, found, count = stretch.curve, list[Bracket](), 0
    if curve.vanishes:
        return []
    with working(BITS):
        a, b, cuts, _ = finite_part(stretch, order)
        parts = deque([(a, b)] if a < b else [])
        while parts:
            count += 1
            if count > MOST:
                raise ComputationError("a form or an error varies too quickly; take another range")
            low, high = parts.popleft()
            cell = Cell(curve, low, high)
            if useless(cell) or sign(y := cell.bound(order)) or y.is_zero():
                continue
            here = [end for at, end in cuts if at in (low, high)]
            if sign(cell.bound(order + 1)):
                places = (next((end for at, end in cuts if at == x), x) for x in (low, high))
                one, two = (sign_at(curve, place, order) for place in places)
                if one * two < 0:
                    found.append(Bracket(curve, low, high, order))
                if here or (one and two):
                    continue
            if high - low < SMALL and any(zero_at_end(cell, order, end) for end in here):
                continue
            parts.extend(cell.halves())
    return sorted(found, key=lambda each: float(each.low))


def zero_at_end(cell: Cell, order: int, end: fmpq) -> bool:
    """Return True if the first derivative ≠ 0 at an end keeps its sign.

    The cell has this end, and the derivative has one sign on the whole cell. Lower derivatives
    that 1,024 bits do not distinguish from 0 are taken for 0: they are 0 where a form that was 0
    becomes non-zero, and where two forms touch.
    """
    with working(PRECISION):
        near = coefficients(cell.curve, position(end), 2 * TERMS)
    whole = coefficients(cell.curve, cell.x, 2 * TERMS)
    h = cell.x - position(end)
    for k in range(order, TERMS + 1):
        if not near[k].contains(0):
            derivative = whole[k + TERMS] * math.comb(k + TERMS, k)
            for j in reversed(range(k, k + TERMS)):
                derivative = near[j] * math.comb(j, k) + h * derivative
            return bool(sign(derivative))
        if not abs(near[k]) < FAINT:
            return False
    return False


def signed_parts(stretch: Stretch) -> tuple[int, list[Bracket]]:
    """Return the leftmost sign (0 if the curve is 0), and the sign changes."""
    if stretch.curve.vanishes:
        return 0, []
    brackets = zeros(stretch)
    with working(BITS):
        if brackets:
            return -sign_at(stretch.curve, brackets[0].high), brackets
        low, high, _, signs = finite_part(stretch)
        inside = ((low + (high - low) * share / 32).mid() for share in (16, 7, 25, 3, 29))
        found = (*signs, *(sign_at(stretch.curve, x) for x in inside))
        if side := next(filter(None, found), 0):
            return side, []
    raise ComputationError("the sign of a form is undecided; take other parameters")
