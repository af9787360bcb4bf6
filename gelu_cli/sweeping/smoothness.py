"""How smooth a form is on runs of float32s: a bound on a high derivative, and which way it goes.

On a ball around some runs Arb gives the power series of the form. Its coefficients there bound
derivatives: one of high order says how far a polynomial through values may be off between them, the
sign of the first one that the form is monotone. A ball is halved where that is not enough.

Which way the truth goes from input to input is known also where no float64 shows it: far out a form
comes nearer to its limit by ever less than a float64 holds, and its derivative has a sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf, nan
from typing import NamedTuple

import numpy as np
from flint import acb, arb
from numpy.typing import NDArray

from gelu_cli.arithmetic import Curve, PointArithmetic, Real
from gelu_cli.arithmetic.anchored import ANCHORED, anchored
from gelu_cli.arithmetic.balls import log2_of, series, sign_of, working
from gelu_cli.arithmetic.dual import DualArithmetic, slope_of
from gelu_cli.arithmetic.exact import RATIONAL, Exact
from gelu_cli.arithmetic.floats import FLOATS
from gelu_cli.arithmetic.format_arrays import Array, Floats
from gelu_cli.arithmetic.tails import tail_of
from gelu_cli.forms import ORDERS
from gelu_cli.forms.form import signed_square
from gelu_cli.sweeping.runs import NO_LINE, Line
from gelu_cli.sweeping.truth import Question
from gelu_cli.values.evaluate import SIGNS, evaluate_at
from gelu_cli.values.evaluate_arrays import smooth_parts

BITS = 128
ORDER = 17
"""Of the derivative: a polynomial through 17 values leaves out f⁽¹⁷⁾/17!·Π(t − tⱼ)."""

PRODUCT = 3.1e-5
"""The largest |Π(t − tⱼ)| for −1 ≤ t ≤ 1, tⱼ the points of `fitting` where values are compared."""

PARTS = 8
"""Of an interval on which one ball is not enough."""

MOST = 500
"""The logarithm of a remainder that is as good as infinite."""

NEAREST, FARTHEST = 40, 128
"""Exponents: up to 2⁻⁴⁰ or more, and from 2¹²⁸ or less on, a distance is known to be monotone."""


class Smoothness(NamedTuple):
    """Of some intervals: what is left out between the points, and whether f′ has one sign there."""

    remainders: Array
    monotone: list[bool]


def smoothness(
    side: Side,
    ends: Array,
    turns: NDArray[np.int64],
    kinked: NDArray[np.bool_],
    units: Array,
    limits: Array,
) -> Smoothness:
    """Return how smooth what results should be is on intervals that follow each other.

    `turns` are the signs of its derivative at their ends. Nothing is known of those that are
    kinked. A remainder, in its unit, is above its limit where it is not known to be less.
    """
    remainders = np.full(len(ends), inf)
    monotone = np.array([side.is_monotone(NO_LINE, *pair) for pair in ends.tolist()])
    scales = ORDER * np.log2(np.abs(ends[:, 1] - ends[:, 0]) / 2) - np.log2(units)
    left = [(0, len(ends), 1)]
    with working(BITS):
        while left:
            start, stop, parts = left.pop()
            some = slice(start, stop)
            if not kinked[some].any():
                cuts = np.linspace(ends[start, 0], ends[stop - 1, 1], parts + 1)
                size, way = _bounds(side.question, cuts.tolist())
                remainders[some] = PRODUCT * np.exp2(np.minimum(scales[some] + size, MOST))
                monotone[some] |= np.all(turns[some] == way, axis=1)
            close, turned = remainders[some] <= limits[some], turns[some, 0] != turns[some, 1]
            if np.all(kinked[some] | (close & (turned | monotone[some]))):
                continue
            if stop - start > 1:
                middle = (start + stop) // 2
                left += [(start, middle, 1), (middle, stop, 1)]
            elif parts == 1:
                left.append((start, stop, PARTS))
    return Smoothness(remainders, monotone.tolist())


def _bounds(question: Question, cuts: Sequence[float]) -> tuple[float, float]:
    """Return a bound on log₂|f⁽¹⁷⁾/17!| from the first cut to the last, and the sign of f′.

    That is NaN if it is not known. Between two cuts a ball is around all x.
    """
    sizes, ways = [], set()
    curve = curve_at(question, (cuts[0] + cuts[-1]) / 2)
    for first, last in pairwise(cuts):
        try:
            found = series(curve, acb(arb(first).union(arb(last))), ORDER)
        except ValueError:  # it divides by what may be 0
            return inf, nan
        sizes.append(log2_of(abs(found[ORDER])))
        slope = found[1].real
        ways.add(0.0 if slope.is_zero() else sign_of(slope) or nan)
    return max(sizes), ways.pop() if len(ways) == 1 else nan


def curve_at(question: Question, x: float) -> Curve:
    """Return what results should be, as a curve, on the piece that holds at x."""
    form = question.multiple
    return form.curve(form.piece_from(signed_square(Fraction(x))), question.quantity)


class Side:
    """The truth on one side of 0, and where its distance from a line is monotone.

    That is known next to 0 and far out.
    """

    def __init__(self, question: Question, sign: int) -> None:
        self.question, self.sign = question, sign
        self._known: dict[Line, tuple[float, float]] = {}

    def is_monotone(self, line: Line, first: float, last: float) -> bool:
        """Return whether the distance from a line is known to be so on an interval."""
        if line not in self._known:
            places = [abs(kink.position(FLOATS)) for kink in self.question.form.kinks]
            with working(BITS):
                near = min([self._near(line), *filter(None, places)])
                self._known[line] = near, max([self._far(line), *places])
        near, far = self._known[line]
        return bool(max(abs(first), abs(last)) < near or min(abs(first), abs(last)) > far)

    def _near(self, line: Line) -> float:
        """Return up to where it is, next to 0.

        There the form and its slope are those of the line, and the next derivative has a sign.
        """
        curve, slope = curve_at(self.question, self.sign * 2.0**-NEAREST), Fraction(line.slope)
        order = 2 if slope else 1
        tangent = not slope or slope_of(curve)(RATIONAL, Fraction(0)) == slope
        if curve(RATIONAL, Fraction(0)) != Fraction(line.level) or not tangent:
            return 0.0
        for k in range(0, NEAREST, 4):
            try:
                found = series(curve, acb(arb(0).union(arb(self.sign * 2.0**-k))), order)
            except ValueError:  # it divides by what may be 0
                continue
            if sign_of(found[order].real) or found[order].is_zero():
                return 2.0**-k
        return 0.0

    def _far(self, line: Line) -> float:
        """Return from where on it is, by the sign of its derivative up to infinity."""
        slope = slope_of(curve_at(self.question, self.sign * 2.0**FARTHEST))
        tail = tail_of(
            lambda a, x: slope(a, x) - a.rational(Fraction(line.slope)), self.sign, 2, FARTHEST
        )
        return 2.0 ** tail[0] if tail else inf


def slopes(question: Question, x: Array) -> NDArray[np.int64]:
    """Return the signs of the derivative of what results should be, at finite float64s."""
    form, quantity = question.multiple, question.quantity
    a = DualArithmetic(ANCHORED)
    signs = np.zeros(x.shape, np.int64)
    settled = np.zeros(x.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for piece, where in smooth_parts(form, x):
            point = a.variable(anchored(x[where]))
            y = getattr(form.on_piece(piece, a, point, ORDERS[quantity]), quantity)
            slope = y.derivative.folded()
            signs[where] = np.sign(slope.high)
            zero = (slope.high == 0) & (slope.error == 0)
            settled[where] = (np.abs(slope.high) > slope.error) | zero
    for i in np.flatnonzero(~settled).tolist():
        signs[i] = _slope(question, float(x[i]))
    return signs


def _slope(question: Question, x: float) -> int:
    form, quantity = question.multiple, question.quantity

    def compute(a: PointArithmetic, x: Real, point: Exact) -> Mapping[str, Real]:
        dual = DualArithmetic(a)
        values = form.evaluate(dual, dual.variable(x), point, ORDERS[quantity])
        return {"slope": getattr(values, quantity).derivative}

    (slope,) = evaluate_at(x, ["slope"], compute, form.limit_exponent, SIGNS)
    return int(slope)


def trends(
    question: Question, x: Array, got: Floats, y: Array, doubt: Array | float = 0.0
) -> Array:
    """Return which way the truth goes from each input to the next: 1, −1, or 0 if it is constant.

    Values y that differ by no more than `doubt` do not tell. There the derivative half way does,
    if there is a step of the results to be judged. NaN stands where two inputs are the same.
    """
    rise = np.diff(y)
    trends = np.sign(rise)
    unsure = np.flatnonzero((np.abs(rise) <= doubt) & (got[1:] != got[:-1]))
    if len(unsure):
        left, right = x[unsure], x[unsure + 1]
        middle = left + (right - left) / 2
        trends[unsure] = slopes(question, middle) * np.sign(right - left)
        trends[unsure[left == right]] = np.nan
    return trends
