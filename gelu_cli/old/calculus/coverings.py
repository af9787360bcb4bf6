"""The line covered with balls: where a curve changes its sign, or is farthest from 0 (`suprema`).

On each ball Taylor's theorem bounds the curve and its first two derivatives. A ball is done with
where the curve has a sign, or is monotone, or does not reach what is reached elsewhere; if not, it
is cut in two. Next to an end at which the curve is 0 the first derivative that is not tells, and
near infinity the term that outgrows the others (`tails`). So nothing is overlooked between two
points of a grid: what is not found is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flint import acb, arb, ctx

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic import Curve
from gelu_cli.old.arithmetic.balls import (
    BALLS,
    TERMS,
    Ball,
    beside_polynomials,
    bits_of,
    exactly,
    sign_of,
    taylor,
    working,
)
from gelu_cli.old.arithmetic.beside import Beside
from gelu_cli.old.arithmetic.dual import slope_of
from gelu_cli.old.arithmetic.exact import RATIONAL
from gelu_cli.old.arithmetic.tails import sign_between, tail_of
from gelu_cli.old.calculus.roots import Bracket, sign_at
from gelu_cli.old.calculus.stretches import Place, Stretch, vanishes

BITS = 128
"""Of the balls."""

CUT = 30
"""Bits of a place where a ball is cut: few, but no power of 2, where many a root is."""

MOST = 20_000
"""Balls on a stretch."""

NARROWEST = arb(2) ** -104
"""No ball is narrower, as a share of its numbers: the curve is 0 there, or too near to it."""

PATIENCE = 16
"""So much more often `tails` may tell nothing than something, and by one more in 32 parts."""

FARTHEST = 1 << 13
"""The exponent up to which a tail is looked for."""


class Part(NamedTuple):
    """A closed interval between two exact places."""

    low: Ball
    high: Ball

    @property
    def ball(self) -> Ball:
        """A ball around all of it."""
        return acb(self.low.union(self.high))

    @property
    def is_in_an_octave(self) -> bool:
        """Whether its numbers differ by a factor of 2 at most."""
        return bool(2 * self.low >= self.high > 0 or 2 * self.high <= self.low < 0)


class Cover:
    """A curve whose sign is asked for, and a stretch of the line up to where its tails begin."""

    def __init__(self, curve: Curve, stretch: Stretch) -> None:
        """Find the tails: where the curve has one sign up to infinity."""
        self.curve = curve
        self.stretch = stretch
        self.tails: dict[int, int] = {}
        self.ends = {-1: self._end(-1).lower(), 1: self._end(1).upper()}
        self.whole = Part(self.ends[-1], self.ends[1])
        self.orders = {side: self._order(side) for side in (-1, 1)}
        self.parts = self.untold = 0

    def _end(self, side: int) -> Ball:
        """Return the end on a side, or where the tail begins."""
        place = self.stretch[side > 0]
        if not place.infinite:
            return place.position(BALLS).real
        nearest = bits_of(abs(self.stretch[side < 0].position(BALLS).real) + 4)
        tail = tail_of(self.curve, side, nearest, FARTHEST)
        if tail is None:
            raise ComputationError("what a form tends to cannot be told; take other parameters")
        exponent, self.tails[side] = tail
        return side * arb(2) ** exponent

    def _order(self, side: int) -> int:
        """Return how many derivatives of the curve are 0 at an end, from the curve itself on."""
        place, curve = self.stretch[side > 0], self.curve
        if place.infinite or sign_of(acb(curve(BALLS, place.position(BALLS))).real):
            return 0
        for order in range(TERMS + 1):
            if curve(RATIONAL, place.position(RATIONAL)) != 0:
                return order
            curve = slope_of(curve)
        raise ComputationError("too many derivatives of a form are 0 at a kink")

    def halves(self, part: Part) -> tuple[Part, Part]:
        """Cut a part in two; raises `ComputationError` if there are too many."""
        self.parts += 1
        size = abs(part.low).max(abs(part.high))
        if self.parts > MOST or part.high - part.low < size * NARROWEST:
            raise ComputationError(
                "the signs of a form, or of its derivatives, cannot be told everywhere; "
                "take other parameters, or another range"
            )
        middle = _cut(part.low, part.high)
        return Part(part.low, middle), Part(middle, part.high)

    def look(self, part: Part) -> tuple[int, int]:
        """Return the sign of the curve on a part, else that of its derivative; 0 if not known.

        Next to an end P where n derivatives are 0 the sign is that of aₙ(ξ)·(x − P)ⁿ, at some ξ.
        """
        sign = sign_of(beside(self.curve, part.ball))
        if sign:
            return sign, 0
        found = taylor(self.curve, part.ball)
        if found is None or found.is_wild:
            return self._sign_far_out(part), 0
        sign, slope = (sign_of(found.derivative(order)) for order in (0, 1))
        for side in self.sides_at_0(part):
            if not sign:
                order = self.orders[side]
                last = sign_of(found.whole[order].real)
                sign, slope = last if side < 0 else last * (-1) ** order, 0
        return sign, slope

    def sides_at_0(self, part: Part) -> list[int]:
        """Return the sides on which a part ends with the stretch, and the curve is 0 there."""
        ends = {-1: part.low, 1: part.high}
        return [side for side, end in ends.items() if self.orders[side] and end == self.ends[side]]

    def _sign_far_out(self, part: Part) -> int:
        """Return what `tails` tell, which take long, as long as they tell more than they do not."""
        if not part.is_in_an_octave or self.untold > PATIENCE + self.parts // 32:
            return 0
        sign = sign_between(self.curve, part.low, part.high)
        self.untold += -1 if sign else 1
        return sign

    def sign_at(self, x: Ball) -> int:
        """Return the sign of the curve at an exact place, or at the end that it stands for."""
        for side, end in self.ends.items():
            if x == end:
                return self.tails.get(side) or sign_at(self.curve, self.stretch[side > 0])
        return sign_at(self.curve, Place.of(exactly(x)))


def _cut(low: Ball, high: Ball) -> Ball:
    """Return a place between two: in the middle of their exponents where these differ."""
    small, large = sorted((abs(low), abs(high)), key=float)
    with ctx.workprec(CUT):
        if large > 4 * small:
            least = small if small > 0 else large / (1 << 16)
            size = (arb(35) / 32 * (least * large).sqrt()).mid()
            return size if high > 0 else -size
        middle = (low + (high - low) * 15 / 31).mid()
    return middle if low < middle < high else (low + (high - low) * 15 / 31).mid()


def sign_changes(curve: Curve, stretch: Stretch) -> tuple[int, list[Bracket]]:
    """Return the first sign of a curve on a stretch, and brackets around all its sign changes.

    In each bracket the curve is monotone. The first sign is 0 if the curve is 0.

    >>> stretch = Stretch(Place.of(0), Place.of(3))
    >>> first, [(low, high)] = sign_changes(lambda a, x: x * x - 2, stretch)
    >>> first, low**2 < 2 < high**2
    (-1, True)
    """
    if vanishes(curve):
        return 0, []
    with working(BITS):
        cover = Cover(curve, stretch)
        left, parts = [cover.whole], []
        while left:
            part = left.pop()
            sign, slope = cover.look(part)
            if sign or slope:
                parts.append((part, sign))
            else:
                left.extend(reversed(cover.halves(part)))
        return _alternating(cover, parts)


def _alternating(cover: Cover, parts: Sequence[tuple[Part, int]]) -> tuple[int, list[Bracket]]:
    """Return the first sign, and the parts in which it changes; where it is 0 they are monotone."""
    signs = [sign for _, sign in parts]
    first = latest = signs[0] or cover.sign_at(parts[0][0].low)
    brackets = []
    for i, (part, sign) in enumerate(parts):
        if sign:
            latest = sign
            continue
        after = (signs[i + 1] if i + 1 < len(signs) else 0) or cover.sign_at(part.high)
        if not after or not latest:
            raise ComputationError("the sign of a form cannot be told where it is cut")
        if after != latest:
            brackets.append((exactly(part.low), exactly(part.high)))
        latest = after
    return first, brackets


def beside(curve: Curve, x: Ball) -> Ball:
    """Return a real ball around a curve on a ball; polynomials that it is near cancel exactly."""
    try:
        y = curve(*beside_polynomials(x))
    except ZeroDivisionError:
        return arb.nan()
    return acb(y.folded if isinstance(y, Beside) else y).real
