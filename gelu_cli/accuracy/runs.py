"""Exact values at consecutive float32s, with a proved error bound.

A run is a sequence of consecutive float32s. Arb computes the form's Taylor polynomial about the
middle of the run and, on a ball that contains the run, the next coefficient, which bounds the
remainder. If this bound is too large, a shorter run is tried. If the form is near a line that
float64 represents (x/2 near 0, x far out), the polynomial approximates form − line, so that even
the smallest errors keep their digits.
"""

from __future__ import annotations

from functools import cache
from math import comb, ldexp, sqrt
from typing import Any, NamedTuple

import numpy as np
from flint import arb
from numpy.polynomial.polynomial import polyder, polyint, polyval

from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.truth import Truth, exact_at, truth_of
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import FORMATS
from gelu_cli.numbers.arrays import ulps
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.formats import LITTLE
from gelu_cli.numbers.rounding import sign, working
from gelu_cli.numbers.series import Line, Smooth, asymptote, tangent

FLOAT32 = FORMATS["float32"]
BINADE, RUN, ROW, NODES = 1 << 23, 1 << 16, 1 << 8, 6
"""BINADE, RUN and ROW count float32s. A ROW is interpolated from its values at NODES points."""

SIZES = (BINADE, 1 << 19, RUN)
TERMS = 17
CLOSE = 2.0**-22
"""Error bounds of polynomials are ≤ CLOSE ULP and, near a line, ≤ CLOSE·(largest |form − line|)."""

BESIDE = 2.0**-27
"""A form is near a line if |form − line| ≤ BESIDE·|line|, which is less than ¼ ULP."""

BITS, MOST_BITS = 128, 2048
NOTHING = arb((1, -1076))  # if |values| are smaller, the line is y = 0
NO_LINE = (0.0, 0.0)


class Run(NamedTuple):
    """Values at consecutive float32s: slope·x + level + unit·Σ aₖtᵏ.

    Attributes
    ----------
    first, size
        The bit pattern of the first |x|, where t = −1, and the number of patterns up to t = 1.
    bound
        A bound of the error of Σ aₖtᵏ.
    rising
        The sign of the derivative by x; 0 if the value is constant, None if unknown.
    beside, side
        True if the values are near the line slope·x + level, or near 0; if so, the sign of Σ aₖtᵏ,
        or 0 if the sign is unknown or the sum is 0.
    """

    first: int
    size: int
    slope: float
    level: float
    unit: float
    a: Floats
    bound: float
    rising: int | None
    beside: bool = False
    side: int = 0

    def sum_at(self, indices: Any) -> Any:
        """Return Σ aₖtᵏ at indices of the run."""
        return polyval(indices * (2 / (self.size - 1)) - 1, self.a)

    def distances(self, first: int, count: int) -> Floats:
        """Return Σ aₖtᵏ at `count` indices from `first` on, by interpolation."""
        if len(self.a) == 1:
            return np.full(count, self.a[0])
        nodes, between = _interpolation()
        start = first // ROW * ROW
        rows = np.arange(start, first + count, ROW)[:, None] + nodes
        return np.asarray((self.sum_at(rows) @ between).ravel()[first - start :][:count])

    def line(self, x: Any) -> Floats:
        """Return slope·x + level in float64."""
        return np.asarray(self.slope * x.astype(np.float64) + self.level)

    def total(self, start: int, stop: int) -> float:
        """Sum Σ aₖtᵏ over start ≤ index < stop (Euler and Maclaurin's formula)."""
        step = 2 / (self.size - 1)
        ends = (np.array([start, stop]) - 0.5) * step - 1
        whole, slope = polyval(ends, polyint(self.a)), polyval(ends, polyder(self.a))
        return float(np.diff(whole)[0] / step - np.diff(slope)[0] * step / 24)


@cache
def _interpolation() -> tuple[Floats, Floats]:
    """Return the Chebyshev nodes of a row, and the interpolation matrix."""
    nodes = (1 - np.cos((2 * np.arange(NODES) + 1) * np.pi / (2 * NODES))) / 2 * (ROW - 1)
    at, found = np.arange(ROW), []
    for i, node in enumerate(nodes):
        rest = np.delete(nodes, i)
        found.append(np.prod((at[:, None] - rest) / (node - rest), axis=1))
    return nodes, np.array(found)


class Expansion(NamedTuple):
    """Coefficients aₖ; a ball of all derivatives by t; the remainder's bound."""

    a: list[arb]
    slope: arb
    rest: arb

    @property
    def total(self) -> arb:
        """A bound of |value| on the whole run."""
        return sum((abs(each) for each in self.a), self.rest)

    @property
    def radii(self) -> arb:
        """A bound of the sum of the errors of the coefficients."""
        return sum((each.rad() for each in self.a), arb(0))

    def less(self, level: arb, slope: arb) -> Expansion:
        """Return the expansion minus (level + slope·t)."""
        a = [self.a[0] - level, self.a[1] - slope, *self.a[2:]]
        return Expansion(a, self.slope - slope, self.rest)

    def direction(self) -> int | None:
        """Return the sign of the slope; 0 for a constant, None if unknown."""
        if found := sign(self.slope):
            return found
        if self.slope.is_zero():
            return 0
        others = sum((k * abs(each) for k, each in enumerate(self.a) if k > 1), TERMS * self.rest)
        return (sign(self.a[1]) or None) if abs(self.a[1]) > others else None

    def least(self) -> arb:
        """Return a lower bound of |value| on the run, useless if negative."""
        least = (2 * abs(self.a[0]) - self.total).lower()
        if self.direction():  # monotone: the minimum is at an end
            even, odd = (sum(self.a[i::2], arb(0)) for i in (0, 1))
            ends = even - odd, even + odd
            if sign(ends[0]) == sign(ends[1]) != 0:
                lower, other = ((abs(each) - self.rest).lower() for each in ends)
                least = lower if lower < other else other
        return least


class Side:
    """Exact values at x of the sign `way`, 1 or −1; caches one binade's runs."""

    def __init__(self, question: Question, way: int) -> None:
        self.question, self.way = question, way
        cuts = [cut.square for cut in question.form.cuts if cut.square * way > 0]
        self.kinks = [sqrt(abs(int(s.p) / int(s.q))) for s in cuts]
        self.known: dict[tuple[int, int], Run | None] = {}
        self.bits, curve = BITS, (question.form, question.quantity, way > 0)
        self.far_line, self.beyond = asymptote(*curve)
        near = tangent(*curve)
        self.near = self._times(near) if near else NO_LINE
        self.far = self._times(self.far_line)

    def _times(self, line: Line) -> tuple[float, float]:
        """Return slope and level of times·line; NO_LINE if inexact in float64."""
        times = self.question.times
        line = line._replace(slope=line.slope * times, level=line.level * times)
        level, slope = (int(each.p) / int(each.q) for each in line[:2])
        return (slope, level) if line.plain else NO_LINE

    def run(self, first: int) -> Run | None:
        """Return the longest run that contains the pattern `first`, or None."""
        for size in SIZES:
            key = first // size * size, size
            if key not in self.known:
                if size == BINADE:
                    self.known, self.bits = {}, BITS
                fine = self.question.result.precision > FLOAT32.precision
                self.known[key] = None if fine else self.fit(*key)
            if found := self.known[key]:
                return found
        return None

    def fit(self, first: int, size: int) -> Run | None:
        """Fit a run; None near a kink of the form, or if no fit is accurate."""
        step = ldexp(1.0, max(first // BINADE, 1) - 150)
        low = FLOAT32.number(first)
        high = low + step * (size - 1)
        if any(low - RUN * step <= kink <= high + RUN * step for kink in self.kinks):
            return None
        ends = self.way * np.array([low, high])
        if low > self.beyond and any(self.far) == bool(self.far_line.level or self.far_line.slope):
            (slope, level), side = self.far, self.far_line.side * sign(self.question.times)
            rising, unit = sign(slope) if slope else -side * self.way, _unit(slope * ends + level)
            a = np.array([side * LITTLE])  # instead of a smaller distance
            return Run(first, size, slope, level, unit, a, 0.0, rising, True, side)
        piece, _ = self.question.form.piece_at(to_fraction(self.way * high))
        while True:
            with working(self.bits):
                try:
                    run, cancels = self._taylor(piece, first, size, ends, step)
                except (ValueError, ZeroDivisionError):  # division by a ball around 0
                    return None
            if run or not cancels or self.bits >= MOST_BITS:
                return run
            self.bits *= 2

    def _expansion(self, piece: int, low: float, high: float) -> Expansion:
        """Expand the quantity − k₀ − k₁·x (see `Smooth`) about a run's middle."""
        curve = Smooth(self.question.form, piece, self.question.quantity)
        middle, half = arb((low + high) / 2), arb((high - low) / 2)
        near = curve.expand(middle, TERMS)
        whole = curve.expand(arb(low).union(arb(high)), TERMS + 1)
        scale = [half**k * arb(self.question.times) for k in range(TERMS + 1)]
        a = [near[k] * scale[k] for k in range(TERMS)]
        return Expansion(a, whole[1] * scale[1], abs(whole[TERMS] * scale[TERMS]))

    def _taylor(
        self, piece: int, first: int, size: int, ends: Floats, step: float
    ) -> tuple[Run | None, bool]:
        """Return the run or None, and True if more precision may help."""
        question, (low, high) = self.question, ends.tolist()
        rest = self._expansion(piece, low, high)
        line_of_form = question.form.line(piece, question.quantity)
        k0, k1 = (each * question.times for each in line_of_form)
        middle, half = to_fraction((low + high) / 2), to_fraction((high - low) / 2)

        def less(slope: float, level: float) -> Expansion:
            a0, a1 = to_fraction(level) - k0, to_fraction(slope) - k1
            return rest.less(arb(a0 + a1 * middle), arb(a1 * half))

        outer = np.array([low or self.way * step, high])
        for line in (self.near, *([self.far] if first else []), NO_LINE):
            found = less(*line)
            most = BESIDE * np.min(np.abs(line[0] * outer + line[1]))
            if most and found.total <= most:
                break
        value = found if line == NO_LINE else less(*NO_LINE)
        beside = line != NO_LINE or bool(found.total < NOTHING)
        cancels, least = not found.radii < CLOSE / 64 * found.total, found.least()
        if not (beside or least > 0):  # there may be a zero
            return None, cancels
        unit = _unit(line[0] * ends + line[1] if line != NO_LINE else np.array([float(least)]))
        a, bound = _in_float64(found, unit, size)
        largest = max(abs(np.sum(a)), abs(np.sum(a * (-1.0) ** np.arange(len(a)))), abs(a[0]))
        if not bound <= (min(CLOSE, CLOSE * largest) if beside else CLOSE):
            return None, cancels
        rises = value.direction()
        side = sign(found.a[0]) if least > 0 or (not first and rises is not None) else 0
        if beside and a.any() and not side:
            return None, cancels
        rising = None if rises is None else rises * self.way
        return Run(first, size, *line, unit, a, bound, rising, beside, beside * side), cancels


def _in_float64(found: Expansion, unit: float, size: int) -> tuple[Floats, float]:
    """Return the leading coefficients, and an error bound, in units."""
    a = np.array([float(each.mid() / arb(unit)) for each in found.a])
    sizes = np.abs(a)
    interpolated = sizes @ [comb(k, NODES) * (ROW / size) ** NODES for k in range(TERMS)]
    bound = float(((found.radii + found.rest) / arb(unit)).upper())
    bound += float(interpolated) + 2.0**-50 * float(np.sum(sizes))
    keep = max(1, int(np.max(np.flatnonzero(sizes > bound / 64), initial=0)) + 1)
    return a[:keep], bound + float(np.sum(sizes[keep:]))


def _unit(y: Floats) -> float:
    return float(ulps(FLOAT32, np.array([np.min(np.abs(y))]))[0])


def truth_on(question: Question, run: Run | None, x: Any, first: int) -> Truth:
    """Return the exact values at float32s x, from the pattern `first` on."""
    if not run:
        return truth_of(question, x.astype(np.float64))
    part = run.distances(first - run.first, len(x))
    truth = _beside_line(question, run, x, part) if run.beside else _plain(question, run, x, part)
    falling = np.signbit(x[0])
    truth.rising = None if run.rising is None else -run.rising if falling else run.rising
    return truth


def _plain(question: Question, run: Run, x: Any, part: Floats) -> Truth:
    """Return values far from lines; recompute those near multiples of ½ ULP."""
    result = question.result
    ends = ulps(result, part[[0, -1]] * run.unit)
    unit: Any = float(ends[0])
    if run.rising is None or ends[0] != ends[1]:
        unit = ulps(result, part * run.unit)
    scale = run.unit / unit
    m, low, error = part * scale, None, 2 * run.bound * float(np.max(scale))
    rest = 2 * m
    rest -= np.rint(rest)
    near = np.flatnonzero(np.abs(rest, out=rest) <= 2 * error)
    if len(near := near[np.abs(m[near]) > 0.25]):
        low, unit = np.zeros_like(m), np.broadcast_to(unit, m.shape).copy()
        m[near], low[near], unit[near] = exact_at(question, x[near].astype(np.float64))
    return Truth(m, low, unit, result, error)


def _beside_line(question: Question, run: Run, x: Any, part: Floats) -> Truth:
    """Return the exact values near a line, or near 0."""
    result, y = question.result, run.line(x)
    unit = ulps(result, y)
    m, low = y / unit, part * (run.unit / unit)
    low = np.where(low == 0, run.side * LITTLE, low)
    below = (np.abs(m) == 2.0 ** (result.precision - 1)) & (low * m < 0)
    below &= unit > 2.0**result.least_exponent
    double = np.where(below, 2.0, 1.0)
    m, low, unit = m * double, low * double, unit / double
    error = 0.0
    if run.slope == 0 == run.level:
        m, low, error = low, np.zeros_like(low), run.bound
    if x[0] == 0:
        m[:1], low[:1], unit[:1] = exact_at(question, x[:1].astype(np.float64))
    return Truth(m, low, unit, result, error)
