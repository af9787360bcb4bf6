"""Branch and bound on the real axis.

Where a curve, or a derivative, changes its sign.

A cell is done with where the curve has a sign, or its slope has one: then the signs at its ends
decide. Else it is cut in two. Beyond ∓2ᵏ the curve has the sign that it has on a ray.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from flint import arb, ctx, fmpq

from gelu_cli.calculus.curves import Curve, Stretch, on_ray_within, position
from gelu_cli.errors import ComputationError
from gelu_cli.numbers.rounding import sign, working

BITS, TERMS, MOST = 96, 6, 60_000
SMALL = arb((1, -6))
"""Below this length a cell at a zero end is judged by the first derivative that is not 0."""


CONTACT = 1024
FAINT = arb((1, -900))
"""Bits by which a contact of two forms at 0 is told, and what is taken for 0 there."""


def coefficients(curve: Curve, x: arb, n: int) -> list[arb]:
    """Return Taylor coefficients, NaN if a divisor may be 0."""
    try:
        return curve.taylor(x, n)
    except (ValueError, ZeroDivisionError):
        return [arb.nan()] * (n + 1)


class Cell:
    """A curve on [low, high] by Taylor's theorem.

    It has the coefficients at the middle, and those on the whole interval.
    """

    def __init__(self, curve: Curve, low: arb, high: arb) -> None:
        self.curve, self.low, self.high = curve, low, high
        whole = low.union(high)
        self.middle = whole.mid()
        self.h = whole - self.middle
        self.whole = coefficients(curve, whole, TERMS)

    @cached_property
    def near(self) -> list[arb]:
        """The coefficients in the middle."""
        return coefficients(self.curve, self.middle, TERMS - 1)

    def bound(self, order: int) -> arb:
        """Return a ball around a derivative of the curve."""
        total = self.whole[TERMS] * math.perm(TERMS, order)
        for k in reversed(range(order, TERMS)):
            total = self.near[k] * math.perm(k, order) + self.h * total
        plain = self.whole[order] * math.factorial(order)
        if not total.is_finite():
            return plain
        return total.intersection(plain) if plain.is_finite() else total

    def halves(self) -> Iterator[tuple[arb, arb]]:
        """Yield both parts; far from 0 the cut is in the middle of the exponents."""
        a, b = self.low, self.high
        if b - a < (abs(a) + abs(b)) * arb((1, 8 - ctx.prec)):
            raise ComputationError(
                "the signs of a form, or of its derivatives, cannot be told everywhere; "
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
    """Return the sign of a derivative at a point, or at an end of a stretch.

    The sign is 0 if 768 bits do not distinguish the derivative from 0.
    """
    for prec in (max(ctx.prec, BITS), 8 * BITS):
        with working(prec):
            x = position(place) if isinstance(place, fmpq) else place
            try:
                if found := sign(curve.taylor(x, order)[order]):
                    return found
            except (ValueError, ZeroDivisionError):
                continue
    return 0


class Bracket(NamedTuple):
    """An interval in which a derivative of a curve changes its sign once."""

    curve: Curve
    low: arb
    high: arb
    order: int

    def narrowed(self, prec: int) -> arb:
        """Return a ball around the zero to about `prec` bits, by interval Newton."""
        x, bits, factor = self.low.union(self.high), 64, self.order + 1
        with working(BITS):
            rising = sign_at(self.curve, self.high, self.order)
        low, high = self.low, self.high
        for _ in range(200):
            with working(min(2 * bits, prec) + 32):
                m = x.mid()
                y = self.curve.taylor(m, self.order)[self.order]
                try:
                    slope = self.curve.taylor(x, factor)[factor] * factor
                except (ValueError, ZeroDivisionError):
                    slope = arb.nan()
                new = (m - y / slope) if sign(slope) else arb.nan()
                new = x.intersection(new) if new.is_finite() and x.overlaps(new) else x
                if not 2 * new.rad() < x.rad():  # cut in two
                    side = sign(y) or sign_at(self.curve, m, self.order)
                    if not side or not low < m < high:
                        return new
                    low, high = (low, m) if side == rising else (m, high)
                    new = low.union(high)
                low, high = low.max(new.lower()), high.min(new.upper())
                x = new
                bits = max(64, x.rel_accuracy_bits())
            if bits >= prec:
                break
        return x


class Range(NamedTuple):
    """The finite part of a stretch, and the signs on the rays beyond."""

    low: arb
    high: arb
    signs: tuple[int | None, int | None]


def finite_part(stretch: Stretch) -> Range:
    """Return the part of a stretch that is searched, up to where rays begin.

    It is empty, low ≥ high, if a ray holds all of the stretch.
    """
    ends: list[arb] = []
    signs: list[int | None] = []
    for right, end in enumerate(stretch.ends()):
        if found := on_ray_within(stretch, bool(right), ray_sign):
            ends.append(found[0])
            signs.append(found[1])
        elif isinstance(end, float):
            raise ComputationError("the limit of a form cannot be told; take other parameters")
        else:
            place = position(end)
            ends.append(place.upper() if right else place.lower())
            signs.append(None)
    return Range(ends[0], ends[1], (signs[0], signs[1]))


def ray_sign(curve: Curve, right: bool, start: int) -> int:
    """Return the sign of a curve for |x| ≥ 2ᵏ on a side."""
    return curve.on_ray(right, start)[0].sign()


def zeros(stretch: Stretch) -> list[Bracket]:
    """Bracket all zeros of a curve inside a stretch, in ascending order.

    Next to an end where the curve is 0, that its first derivative there has a sign all over the
    cell says that it is 0 nowhere else.
    """
    curve, found, count = stretch.curve, list[Bracket](), 0
    if curve.vanishes:
        return []
    with working(BITS):
        a, b, rays = finite_part(stretch)
        ends = zip((a, b), stretch.ends(), rays, strict=True)
        cuts = [(at, end) for at, end, ray in ends if ray is None and isinstance(end, fmpq)]
        parts = [(a, b)] if a < b else []
        while parts:
            count += 1
            if count > MOST:
                raise ComputationError("the signs of a form take too long; take another range")
            low, high = parts.pop()
            cell = Cell(curve, low, high)
            if sign(cell.bound(0)):
                continue
            here = [end for at, end in cuts if at in (low, high)]
            if sign(cell.bound(1)):
                places = (next((end for at, end in cuts if at == x), x) for x in (low, high))
                one, two = (sign_at(curve, place) for place in places)
                if one * two < 0:
                    found.append(Bracket(curve, low, high, 0))
                if here or (one and two):
                    continue
            if high - low < SMALL and any(zero_at_end(cell, 0, end) for end in here):
                continue
            parts.extend(reversed(list(cell.halves())))
    return found


def zero_at_end(cell: Cell, order: int, end: fmpq) -> bool:
    """Return True if the first non-zero derivative at a cut keeps its sign.

    A lower one that 1,024 bits do not tell from 0, where a form begins or two forms touch, is taken
    for 0.
    """
    with working(CONTACT):
        near = coefficients(cell.curve, position(end), 2 * TERMS)
    whole = coefficients(cell.curve, cell.low.union(cell.high), 2 * TERMS)
    h = cell.low.union(cell.high) - position(end)
    for k in range(order, TERMS + 1):
        if not near[k].contains(0):
            derivative = whole[k + TERMS] * math.comb(k + TERMS, k)
            for j in reversed(range(k, k + TERMS)):
                derivative = near[j] * math.comb(j, k) + h * derivative
            return bool(sign(derivative))
        if not (near[k].is_zero() or abs(near[k]) < FAINT):
            return False
    return False


def signed_parts(stretch: Stretch) -> tuple[int, list[Bracket]]:
    """Return the sign at the left of a stretch, 0 if all 0, and its changes."""
    if stretch.curve.vanishes:
        return 0, []
    brackets = zeros(stretch)
    with working(BITS):
        if brackets:
            return -sign_at(stretch.curve, brackets[0].high), brackets
        low, high, (ray, other) = finite_part(stretch)
        if ray or other:
            return ray or other or 0, []
        for share in (16, 7, 25, 3, 29):
            middle = (low + (high - low) * share / 32).mid()
            if side := sign_at(stretch.curve, middle):
                return side, []
    raise ComputationError("the sign of a form cannot be told; take other parameters")
