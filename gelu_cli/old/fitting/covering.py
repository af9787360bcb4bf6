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
from flint import arb

from gelu_cli.old.arithmetic import mpf
from gelu_cli.old.arithmetic.arrays import ARRAYS
from gelu_cli.old.arithmetic.balls import working
from gelu_cli.old.arithmetic.dual import Dual, DualArithmetic
from gelu_cli.old.arithmetic.format_arrays import Array
from gelu_cli.old.arithmetic.interval import Interval, IntervalArithmetic
from gelu_cli.old.calculus.comparison import End
from gelu_cli.old.calculus.stretches import Place
from gelu_cli.old.fitting.families import Family, Pieces
from gelu_cli.old.fitting.newton import TWICE, Jet, Peak, jet, middle_of
from gelu_cli.old.fitting.samples import sampled
from gelu_cli.old.formulas import Form
from gelu_cli.old.formulas.form import signed_square

FARTHEST = 32
"""Members are compared at points up to here."""

LEAST_TOP = 0.25
"""Extrema that are as high as this share of the largest error are followed."""

POINTS = 160
"""All over the range."""

DOUBLE = 53
"""Bits of what only says where to look."""

PRECISION = 64
"""Bits in which the errors of a box are enclosed."""

TRIED = 8
"""Points at most at which errors are enclosed, those first where corners are farthest off."""

SPREAD = 16
"""A box of parameters goes from constant/SPREAD to constant·SPREAD."""

NARROW = 4
"""Tangents are used for boxes that are narrower than 1/NARROW of the values."""

LARGE = 1e300
"""Stands for larger errors where they are compared."""


class Reference(NamedTuple):
    """A point at which errors are looked at, on its right or its left: a number, or a kink.

    One that follows an extremum moves with the middle of a box, at a speed for each parameter.
    """

    x: Fraction
    right: bool = True
    kink: int | None = None
    speeds: tuple[float, ...] = ()

    def piece_of(self, form: Form) -> int:
        """Return which piece of a form holds beside the point."""
        square = signed_square(self.x)
        if self.right:
            return form.piece_from(square)
        return sum(kink.square < square for kink in form.kinks)


def references(
    family: Family, values: Sequence[float], low: End, high: End, peaks: Sequence[Peak] = ()
) -> list[Reference]:
    """Return points at which members are compared: near the peaks, over the range, at kinks."""
    samples = sampled(family, values, low, high)
    heights = np.abs(samples.error)
    inside = (np.abs(samples.x) <= FARTHEST) & (np.abs(samples.x) >= 1 / FARTHEST)
    thinned = np.flatnonzero(inside)
    thinned = thinned[:: max(1, len(thinned) // POINTS)]
    places = sorted({Fraction(samples.x[i]) for i in thinned})
    found = [Reference(x, right=x < high) for x in places if low <= x <= high]
    found += [reference for peak in peaks if (reference := at_peak(peak))]
    for i in range(1, len(heights) - 1):
        top = heights[i] >= max(LEAST_TOP * samples.largest, heights[i - 1], heights[i + 1])
        if inside[i] and top and len(set(samples.part[i - 1 : i + 2])) == 1:
            pieces, x = samples.pieces[samples.part[i]], float(samples.x[i])
            for _ in range(2):  # steps of Newton's method
                about = _jet_about(family, pieces, x, values)
                x -= float(about.slopes[-1]) / (float(about.bends[-1][-1]) or inf)
            found.append(Reference(Fraction(x), speeds=speeds(family, pieces, x, values)))
    found += [Reference(Fraction(0), right, kink)
              for kink in range(len(family.form.kinks)) for right in (False, True)]  # fmt: skip
    return found


def at_peak(peak: Peak) -> Reference | None:
    """Return a contact as a reference; None at a kink that moves, at infinity, at an irrational."""
    end = peak.contact.end
    if end and (end.kink is not None or end.place.infinite):
        return None
    x = end.place.rational if end else middle_of(peak.x)
    return None if x is None else Reference(x, right=peak.contact.side <= 0)


def speeds(family: Family, pieces: Pieces, x: float, values: Sequence[float]) -> tuple[float, ...]:
    """Return how an extremum moves with each parameter, −e_xv/e_xx, about."""
    *slopes, bend = map(float, _jet_about(family, pieces, x, values).bends[-1])
    return tuple(-slope / (bend or inf) for slope in slopes)


def _jet_about(family: Family, pieces: Pieces, x: float, values: Sequence[float]) -> Jet:
    """Return the error with its derivatives in the parameters and, at last, in x."""
    with working(DOUBLE):
        return jet(lambda given: family.error_at(pieces, TWICE, given[-1], given[:-1]),
                   [*map(arb, values), arb(x)])  # fmt: skip


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
        self._a = IntervalArithmetic(PRECISION)
        self._best = np.array(best)
        self._x = np.array([float(each.x) for each in references])
        self._right = np.array([each.right for each in references])
        self._speeds = np.array([each.speeds or (0.0,) * len(best) for each in references])
        self._moving = [(j, each.kink, each.right) for j, each in enumerate(references)
                        if each.kink is not None]  # fmt: skip

    def with_reference(self, reference: Reference) -> Covering:
        """Return the same with one more point."""
        references = [*self.references, reference]
        return Covering(self.family, list(self._best), references, self._low, self._high)

    @np.errstate(all="ignore")
    def errors(self, members: Sequence[Sequence[Fraction]], middle: Array | None = None) -> Array:
        """Return the errors of members at the points in float64 (members × points).

        Points that follow go with the member, or with the middle of a box. NaN stands for an
        error that does not count: a point out of the range.
        """
        values = np.array([[float(value) for value in member] for member in members])
        shape = len(members), len(self.references)
        x = np.broadcast_to(self._followed(values if middle is None else middle), shape).copy()
        part = np.zeros(shape, int)
        if self.family.form.kinks:
            kinks = np.array([[float(Place(kink.square)) for kink in self.family.member(each).kinks]
                              for each in members])  # fmt: skip
            for past in np.split(kinks, kinks.shape[1], axis=1):
                part += np.where(self._right, past <= x, past < x)
            for j, kink, right in self._moving:
                x[:, j], part[:, j] = kinks[:, kink], kink + right
        ends = [float(Place(kink.square)) for kink in self.family.target.kinks]
        of_target, error = np.searchsorted(ends, x), np.empty(shape)
        for pieces in {*map(Pieces, part.ravel().tolist(), of_target.ravel().tolist())}:
            here = self.family.error_at(pieces, ARRAYS, x, list(values.T[:, :, None]))
            error = np.where((part == pieces.form) & (of_target == pieces.target), here, error)
        error[(x < float(self._low)) | (x > float(self._high))] = np.nan
        return error

    @np.errstate(all="ignore")
    def _followed(self, values: Array) -> Array:
        """Return where the points are for a member, or for each of several."""
        moves: Array = (values - self._best) @ self._speeds.T
        return self._x + np.nan_to_num(moves, posinf=np.nan, neginf=np.nan)

    def judge(self, box: Box, goal: Fraction) -> list[int] | None:
        """Return None if every member in a box has an error of at least `goal`.

        Otherwise the parameters, the one first that changes the errors most.
        """
        corners = self.errors(box.corners, box.middle)
        one_side = np.all(corners > 0, axis=0) | np.all(corners < 0, axis=0)
        least = np.where(one_side, np.min(np.abs(corners), axis=0), -inf)
        for j in np.argsort(-least)[:TRIED]:
            if least[j] >= float(goal) and self._is_above(int(j), box, goal):
                return None
        shape = (*[2] * len(box.low), len(self.references))
        cube = np.nan_to_num(corners, posinf=LARGE, neginf=-LARGE).reshape(shape)
        spread = [float(np.mean(np.minimum(np.abs(np.diff(cube, axis=i)), LARGE)))
                  for i in range(len(box.low))]  # fmt: skip
        return sorted(range(len(spread)), key=lambda i: -spread[i])

    def _is_above(self, j: int, box: Box, goal: Fraction) -> bool:
        """Return whether at a point all members of a box have an error of at least `goal`.

        By interval arithmetic, or by the error in the middle and the slopes in the box.
        """
        least = mpf.from_fraction(goal, PRECISION, mpf.UP)
        reference = self.references[j]
        if reference.speeds:
            reference = Reference(Fraction(float(self._followed(box.middle)[j])))
            if not self._low < reference.x < self._high:
                return False
        x, parts = self._place(reference, box)
        if x is None:
            return False
        a, zero = self._a, self._a.rational(0)
        values = [Interval(a.rational(low).low, a.rational(high).high, PRECISION)
                  for low, high in zip(*box, strict=True)]  # fmt: skip
        is_narrow = all(
            NARROW * abs(high - low) <= abs(high) for low, high in zip(*box, strict=True)
        )
        for pieces in parts:
            error = self.family.error_at(pieces, a, x, values)
            if mpf.compare(abs(error).low, least) >= 0:
                continue
            if x.low != x.high or not is_narrow:
                return False
            middle = [a.rational((low + high) / 2) for low, high in zip(*box, strict=True)]
            error = self.family.error_at(pieces, a, x, middle)
            for i, at in enumerate(middle):
                given = [Dual(value, zero + (i == k)) for k, value in enumerate(values)]
                dual = DualArithmetic(a)
                slope = self.family.error_at(pieces, dual, Dual(x, zero), given).derivative
                error = error + slope * (values[i] - at)
            if mpf.compare(abs(error).low, least) < 0:
                return False
        return True

    def _place(self, reference: Reference, box: Box) -> tuple[Interval | None, list[Pieces]]:
        """Return where a reference is for the members of a box, and the pieces that may hold."""
        has_kinks = bool(self.family.form.kinks)
        members = [self.family.member(corner) for corner in box.corners] if has_kinks else []
        if reference.kink is None:
            held = [reference.piece_of(member) for member in members] or [0]
            target = reference.piece_of(self.family.target)
            pieces = [Pieces(piece, target) for piece in range(min(held), max(held) + 1)]
            return self._a.rational(reference.x), pieces
        squares = [member.kinks[reference.kink].square for member in members]
        first, last = (Place(each).position(self._a) for each in (min(squares), max(squares)))
        least, most = mpf.to_fraction(first.low), mpf.to_fraction(last.high)
        if not self._low < least <= most < self._high:
            return None, []
        # Beside a kink of the target the points of a box may be on either side of it.
        targets = [
            Reference(x, right).piece_of(self.family.target)
            for x in (least, most)
            for right in (False, True)
        ]
        piece = reference.kink + reference.right
        pieces = [Pieces(piece, target) for target in range(min(targets), max(targets) + 1)]
        return Interval(first.low, last.high, PRECISION), pieces


Cut: TypeAlias = Callable[[Fraction, Fraction], Sequence[tuple[Fraction, Fraction]]]
"""(low, high) → two parts that cover what is between them, or nothing where it cannot be cut."""


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
