"""Branch and bound for a supremum.

The cell that may be highest is looked at first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any, NamedTuple

from flint import arb, fmpq

from gelu_cli.calculus.covering import MOST, SMALL, Bracket, Cell, sign_at, zero_at_end
from gelu_cli.calculus.curves import Curve, first_ray, position
from gelu_cli.errors import ComputationError
from gelu_cli.numbers.rays import FARTHEST, on_rays
from gelu_cli.numbers.rounding import leading_bit, sign
from gelu_cli.numbers.series import Smooth


class Spot(NamedTuple):
    """A candidate for the maximum of |curve|.

    `at` is an end as x·|x|, the bracket of a critical point, or ±∞; `limit` is |curve| at ±∞ or far
    out.
    """

    curve: Curve
    at: fmpq | Bracket | float
    limit: arb | None = None


@dataclass
class Search:
    """A branch and bound over stretches."""

    reached: arb = field(default_factory=lambda: arb(0))
    heap: list[Any] = field(default_factory=list)
    spots: list[Spot] = field(default_factory=list)
    ends: list[tuple[arb, fmpq]] = field(default_factory=list)
    count: int = 0

    def reach(self, spot: Spot, height: arb) -> None:
        """Note a candidate and |curve| there."""
        self.reached = self.reached.max(height.lower())
        self.spots.append(spot)

    def add_end(self, curve: Curve, square: fmpq, right: bool) -> arb:
        """Note an end of a stretch as a candidate; return its x rounded outward."""
        x = position(square)
        at = x.upper() if right else x.lower()
        self.ends.append((at, square))
        y = abs(Cell(curve, x, x).whole[0])
        if y.is_finite():
            self.reach(Spot(curve, square), y)
        elif abs(x) > arb((1, first_ray(curve))):
            y = far_height(curve, x)
            self.reach(Spot(curve, square, y), y)
        return at  # elsewhere a pole is looked for apart, and 0/0 has a limit inside

    def end_at(self, place: arb) -> fmpq | None:
        """Return the end of a stretch at a place, if there is one."""
        if place.is_zero():
            return fmpq(0)
        return next((end for at, end in self.ends if bool(place == at)), None)

    def monotone_from_end(self, cell: Cell) -> bool:
        """Return True if the slope has one sign, but for an end of a stretch."""
        if not cell.high - cell.low < SMALL:
            return False
        ends = (self.end_at(place) for place in (cell.low, cell.high))
        return any(end is not None and zero_at_end(cell, 1, end) for end in ends)

    def push(self, curve: Curve, low: arb, high: arb) -> None:
        """Queue a cell if |curve| on it may exceed `reached`."""
        cell = Cell(curve, low, high)
        if abs(cell.whole[0]).upper() < self.reached:
            return
        if cell.near[0].is_finite():
            self.reached = self.reached.max(abs(cell.near[0]).lower())
        y = cell.bound(0)
        most = abs(y).upper()
        if curve.ratio and self.reached >= 1 and y < 1 and same_sign(curve, low.union(high)):
            return  # the quotient is between 0 and 2
        if not most < self.reached:
            self.count += 1
            size = -math.inf if not most.is_finite() else -float(most.log())
            heappush(self.heap, (size, self.count, most, cell))

    def run(self) -> None:
        """Search cells until none left can exceed `reached`."""
        while self.heap:
            *_, most, cell = heappop(self.heap)
            if most < self.reached:
                continue
            if self.count > MOST:
                raise ComputationError("the supremum takes too long; take another range")
            slope = cell.bound(1)
            if sign(slope) or slope.is_zero() or self.monotone_from_end(cell):
                continue
            if sign(cell.bound(2)):
                ends = sign_at(cell.curve, cell.low, 1), sign_at(cell.curve, cell.high, 1)
                if ends[0] * ends[1] < 0:
                    bracket = Bracket(cell.curve, cell.low, cell.high, 1)
                    self.spots.append(Spot(cell.curve, bracket))
                places = zip(ends, (cell.low, cell.high), strict=True)
                if all(side or self.end_at(place) is not None for side, place in places):
                    continue  # a slope that 768 bits do not tell from 0 at an end is one there
            for half in cell.halves():
                self.push(cell.curve, *half)


def far_height(curve: Curve, x: arb) -> arb:
    """Enclose |curve| at an x so far out that a divisor may be 0."""
    start = min(leading_bit(x) - 1, FARTHEST)
    found = on_rays([start], lambda k: curve.on_ray(bool(x > 0), k)[0].height())
    if found is None:
        raise ComputationError("an end of the range is too far out; take a nearer one, or inf")
    return found[1]


def same_sign(curve: Curve, x: arb) -> bool:
    """Return True if both parts of a ratio have the same sign all over a ball."""
    assert curve.target is not None
    return sign_on(curve.form, x) * sign_on(curve.target, x) > 0


def sign_on(part: Smooth, x: arb) -> int:
    """Return the sign of a quantity on a whole ball, 0 if unknown."""
    found = sign(Curve(part).taylor(x, 0)[0])
    if found or any(part.line) or x.contains(0):
        return found
    far = part.far(bool(x > 0))  # the ball of a rest far out is too wide to have a sign
    return far.sign if far is not None and abs(x) > arb((1, far.start)) else 0
