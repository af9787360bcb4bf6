"""A lower bound of the largest error of every member of a family in a box of parameters.

The box is covered by smaller ones. At a few points the errors of all members in a small box are
enclosed at once, by interval arithmetic; a box is done with where at one of the points none of them
is below the goal, and is cut otherwise (branch and bound: Hansen & Walster, Global Optimization
Using Interval Analysis, 2004). Float64s only say at which point to look, and where to cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np

from gelu_cli.arithmetic import mpf
from gelu_cli.arithmetic.arrays import ARRAYS
from gelu_cli.arithmetic.dual import Dual, DualArithmetic
from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.arithmetic.interval import Interval, interval_arithmetic
from gelu_cli.calculus.comparison import End
from gelu_cli.calculus.stretches import Place
from gelu_cli.fitting.families import Family, Pieces
from gelu_cli.fitting.references import Reference, piece_beside

PRECISION = 64
"""Bits in which the errors of a box are enclosed."""

TRIED = 8
"""At so many points at most errors are enclosed, those first where corners are farthest off."""


class Covering:
    """Errors of the members of a family at points: in float64, and enclosed for whole boxes.

    Kinks move with each parameter in one direction, so that those of the corners of a box are on
    both sides of those of its other members.
    """

    def __init__(
        self,
        family: Family,
        best: Sequence[float],
        references: Sequence[Reference],
        low: End,
        high: End,
    ) -> None:
        self.family, self.references = family, list(references)
        self._low, self._high = low, high
        self._has_kinks = bool(family.form.kinks)
        self._a = interval_arithmetic(PRECISION)
        self._best = np.array(best)
        self._x = np.array([float(each.x) for each in references])
        self._right = np.array([each.right for each in references])
        self._speeds = np.array([each.speeds or (0.0,) * len(best) for each in references])
        self._moving = [(j, each.kink, each.right) for j, each in enumerate(references)
                        if each.kink is not None]  # fmt: skip
        is_fixed = not self._moving and not self._speeds.any()
        self._targets = self._targets_at(self._x) if is_fixed else None

    def with_reference(self, reference: Reference) -> Covering:
        """Return the same with one more point."""
        references = [*self.references, reference]
        return Covering(self.family, list(self._best), references, self._low, self._high)

    def errors(self, members: Sequence[Sequence[Fraction]], middle: Array | None = None) -> Array:
        """Return the errors of members at the points in float64 (members × points).

        Points that follow go with the member, or with the middle of a box. NaN stands for an
        error that does not count: a point out of the range.
        """
        values = np.array([[float(value) for value in member] for member in members])
        shape = len(members), len(self.references)
        x = np.broadcast_to(self._followed(values if middle is None else middle), shape).copy()
        part = np.zeros(shape, int)
        if self._has_kinks:
            kinks = np.array([[float(Place(kink.square)) for kink in self.family.member(each).kinks]
                              for each in members])  # fmt: skip
            for past in np.split(kinks, kinks.shape[1], axis=1):
                part += np.where(self._right, past <= x, past < x)
            for j, kink, right in self._moving:
                x[:, j], part[:, j] = kinks[:, kink], kink + right
        with np.errstate(all="ignore"):
            target = self._targets_at(x) if self._targets is None else self._targets
            error = np.empty(shape)
            for piece in np.unique(part):
                pieces, columns = Pieces(int(piece), 0), list(values.T[:, :, None])
                here = self.family.error_at(pieces, ARRAYS, x, columns, target)
                error = np.where(part == piece, here, error)
        error[(x < float(self._low)) | (x > float(self._high))] = np.nan
        return error

    def _followed(self, values: Array) -> Array:
        """Return where the points are for a member, or for each of several."""
        with np.errstate(all="ignore"):
            moves: Array = (values - self._best) @ self._speeds.T
        return self._x + np.nan_to_num(moves, posinf=np.nan, neginf=np.nan)

    @np.errstate(all="ignore")
    def _targets_at(self, x: Array) -> Array:
        kinks = [float(Place(kink.square)) for kink in self.family.target.kinks]
        part, target = np.searchsorted(kinks, x), np.empty(x.shape)
        for piece in range(len(kinks) + 1):
            here = self.family.target_at(Pieces(0, piece), ARRAYS, x)
            target = np.where(part == piece, here, target)
        return target

    def judge(self, box: Box, goal: Fraction) -> list[int] | None:
        """Return None if every member in a box has an error of at least `goal`.

        Otherwise the parameters, the one first that changes the errors most.
        """
        corners = self.errors(box.corners, box.middle)
        size = np.abs(corners)
        one_side = np.all(corners > 0, axis=0) | np.all(corners < 0, axis=0)
        least = np.where(one_side, np.min(size, axis=0), -inf)
        for j in np.argsort(-least)[:TRIED]:
            if least[j] >= float(goal) and self._is_above(int(j), box, goal):
                return None
        shape = (*[2] * len(box.low), len(self.references))
        cube = np.nan_to_num(corners, posinf=1e300, neginf=-1e300).reshape(shape)
        spread = [float(np.mean(np.minimum(np.abs(np.diff(cube, axis=i)), 1e300)))
                  for i in range(len(box.low))]  # fmt: skip
        return sorted(range(len(spread)), key=lambda i: -spread[i])

    def _is_above(self, j: int, box: Box, goal: Fraction) -> bool:
        """Return whether at a point all members of a box have an error of at least `goal`."""
        least = mpf.from_fraction(goal, PRECISION, mpf.UP)
        reference = self.references[j]
        if reference.speeds:
            reference = Reference(Fraction(float(self._followed(box.middle)[j])))
            if not self._low < reference.x < self._high:
                return False
        x, parts = self._place(reference, box)
        if x is None:
            return False
        values = [self._between(*ends) for ends in zip(box.low, box.high, strict=True)]
        return all(
            mpf.compare(abs(self.family.error_at(piece, self._a, x, values)).low, least) >= 0
            or self._is_above_by_slopes(piece, x, box, values, least)
            for piece in parts
        )

    def _is_above_by_slopes(
        self, pieces: Pieces, x: Interval, box: Box, values: list[Interval], least: mpf.Mpf
    ) -> bool:
        """Say the same from the error in the middle and the slopes in the box."""
        if x.low != x.high or not box.is_narrow:
            return False
        middle = [self._a.rational((low + high) / 2) for low, high in zip(*box, strict=True)]
        error = self.family.error_at(pieces, self._a, x, middle)
        dual, zero = DualArithmetic(self._a), self._a.rational(0)
        for i, at in enumerate(middle):
            given = [Dual(value, zero + (i == j)) for j, value in enumerate(values)]
            slope = self.family.error_at(pieces, dual, Dual(x, zero), given).derivative
            error = error + slope * (values[i] - at)
        return mpf.compare(abs(error).low, least) >= 0

    def _between(self, low: Fraction, high: Fraction) -> Interval:
        return Interval(self._a.rational(low).low, self._a.rational(high).high, PRECISION)

    def _place(self, reference: Reference, box: Box) -> tuple[Interval | None, list[Pieces]]:
        """Return where a reference is for the members of a box, and the pieces that may hold."""
        members = [self.family.member(corner) for corner in box.corners] if self._has_kinks else []
        if reference.kink is None:
            held = [piece_beside(member, reference) for member in members] or [0]
            target = piece_beside(self.family.target, reference)
            pieces = [Pieces(piece, target) for piece in range(min(held), max(held) + 1)]
            return self._a.rational(reference.x), pieces
        squares = [member.kinks[reference.kink].square for member in members]
        first, last = (Place(each).position(self._a) for each in (min(squares), max(squares)))
        least, most = mpf.to_fraction(first.low), mpf.to_fraction(last.high)
        if not self._low < least <= most < self._high:
            return None, []
        # Beside a kink of the target the points of a box may be on either side of it.
        targets = [
            piece_beside(self.family.target, Reference(x, right))
            for x in (least, most)
            for right in (False, True)
        ]
        piece = reference.kink + reference.right
        pieces = [Pieces(piece, target) for target in range(min(targets), max(targets) + 1)]
        return Interval(first.low, last.high, PRECISION), pieces


def left_over(
    covering: Covering, boxes: Sequence[Box], goal: Fraction, cut: Cut, most: int
) -> list[Box] | None:
    """Return the boxes that cannot be cut and may hold an error below `goal`.

    None if more than `most` boxes must be looked at.
    """
    left: list[Box] = []
    waiting = list(boxes)
    for _ in range(most):
        if not waiting:
            return left
        box = waiting.pop()
        order = covering.judge(box, goal)
        if order is None:
            continue
        for i in order:
            parts = cut(box.low[i], box.high[i])
            if parts:
                waiting.extend(box.part(i, *part) for part in parts)
                break
        else:
            left.append(box)
    return None


SPREAD = 16
"""The box goes from a so-manieth of the best constants to so many times them."""

NARROW = 4
"""Tangents are used for boxes whose sizes are below one in so many of the values."""


class Box(NamedTuple):
    """All members whose parameters lie between two values each."""

    low: tuple[Fraction, ...]
    high: tuple[Fraction, ...]

    def part(self, i: int, low: Fraction, high: Fraction) -> Box:
        """Return the box with other ends in one parameter."""
        return Box(
            (*self.low[:i], low, *self.low[i + 1 :]), (*self.high[:i], high, *self.high[i + 1 :])
        )

    @property
    def corners(self) -> list[tuple[Fraction, ...]]:
        """The members at its corners."""
        return list(product(*zip(self.low, self.high, strict=True)))

    @property
    def middle(self) -> Array:
        """The member in the middle, about."""
        middle: Array = (np.array(self.low, float) + np.array(self.high, float)) / 2
        return middle

    @property
    def is_narrow(self) -> bool:
        """Whether tangents may tell more than ends."""
        return all(NARROW * abs(high - low) <= abs(high) for low, high in zip(*self, strict=True))


Cut: TypeAlias = Callable[[Fraction, Fraction], Sequence[tuple[Fraction, Fraction]]]
"""(low, high) → two parts that cover what is between them, or nothing where it cannot be cut."""


def halves(low: Fraction, high: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Cut in the middle, or in that of the logarithms where the ends are of different sizes.

    >>> halves(Fraction(1), Fraction(64))
    [(Fraction(1, 1), Fraction(8, 1)), (Fraction(8, 1), Fraction(64, 1))]
    """
    middle = (low + high) / 2
    if low * high > 0 and not Fraction(1, 4) <= low / high <= 4:
        size = Fraction(float(abs(low)) ** 0.5 * float(abs(high)) ** 0.5)
        middle = size if low > 0 else -size
    elif low < 0 < high:
        middle = Fraction(0)
    return [(low, middle), (middle, high)]


def wide_box(family: Family, values: Sequence[Fraction]) -> Box:
    """Return the box of parameters up to `SPREAD` times as large, of either sign if it is free."""
    signs = {parameter.name: parameter.sign for parameter in family.form.parameters}
    ends = []
    for name, value in zip(family.free, values, strict=True):
        far = SPREAD * value
        near = value / SPREAD if signs[name] else -far
        ends.append((min(near, far), max(near, far)))
    low, high = zip(*ends, strict=True)
    return Box(low, high)


def in_words(family: Family, box: Box) -> str:
    """Return the ends of a box.

    >>> from gelu_cli.forms import find_form
    >>> family = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "value")
    >>> in_words(family, Box((Fraction(1, 4),), (Fraction(4),)))
    'beta from 0.25 to 4'
    """
    ends = zip(family.free, box.low, box.high, strict=True)
    return ", ".join(f"{name} from {float(low):.3g} to {float(high):.3g}"
                     for name, low, high in ends)  # fmt: skip
