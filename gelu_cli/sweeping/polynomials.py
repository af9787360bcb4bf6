"""Polynomials for the truth at runs of consecutive float32s, fitted and bounded.

A sum of Chebyshev polynomials fits the form at Chebyshev points of a run, where the form is known
to float64. Its deviation is measured at other points. Between these it is bounded by interpolation:
by `LEBESGUE` times the largest of the measured ones, and what a polynomial through them leaves out,
which a power series of the form on a ball bounds (`smoothness`). A run where the bound is too large
(next to kinks and zeros) has no polynomial.

Where a form is nearly a line that float64s hold exactly (x/2 next to 0, x far to the right), the
polynomial is that of the distance from the line, so that errors however small keep their digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import NDArray

from gelu_cli.arithmetic.floats import FLOATS
from gelu_cli.arithmetic.format_arrays import BEYOND, LITTLE, Array, ulps
from gelu_cli.forms import ORDERS
from gelu_cli.forms.form import Form
from gelu_cli.sweeping.runs import (
    BINADE,
    DEGREES,
    FIELDS,
    FLOAT32,
    NO_LINE,
    RUN,
    RUNS,
    SIGN_BIT,
    Line,
    Run,
)
from gelu_cli.sweeping.smoothness import Side, slopes, smoothness
from gelu_cli.sweeping.truth import Question
from gelu_cli.values.evaluate_arrays import beside_anchors, smooth_parts

FIRST_WITHOUT_TIES = 2
"""From this exponent field on x/2 is a float32; below, every other one is half way between two."""

CLOSE = 2.0**-23
"""A polynomial has to be this near to the truth, in units of the last place of a float32."""

FINE = 2.0**-28
"""And this near as a share of its largest value: six digits of it are printed."""

BESIDE = 2.0**-27
"""A form is beside a line if it is off it by less than this share of it, a quarter of the unit just
below a power of 2."""

KNOWN = 2.0**-40
"""The share of a distance from a line that may be uncertain."""

LEBESGUE = 2.75
"""The largest size of a polynomial of degree 16 on a run, if it is 1 at most at the 17 points."""

ROUNDING = 2.0**-50
"""Of the sums of float64s, as a share of the largest value in the run."""


def truth_by_runs(side: Side, field: int) -> Sequence[Run | None]:
    """Return the truth for the runs of a binade of float32, in the order of the patterns.

    `field` is the exponent field. None stands for a run without a polynomial.

    >>> from gelu_cli.forms import find_form
    >>> runs = truth_by_runs(Side(Question(find_form("relu"), "value", FLOAT32), 1), 127)
    >>> x = np.array([1.0, 1.5], np.float32)
    >>> runs[0].values(x, slice(0, 2)).tolist()
    [1.0, 1.5]
    """
    return _fitted(side, field * BINADE + RUN * np.arange(RUNS), RUN)


def truth_by_binades(side: Side) -> Sequence[Run | None]:
    """Return the truth for binades of float32, by exponent field, where one polynomial gives it.

    >>> from gelu_cli.forms import find_form
    >>> runs = truth_by_binades(Side(Question(find_form("exact"), "value", FLOAT32), 1))
    >>> runs[90].line, runs[90].holds
    (Line(slope=0.5, level=0.0), True)
    """
    return _fitted(side, BINADE * np.arange(FIELDS), BINADE)


class Points(NamedTuple):
    """Anchored values at points: rests are rest·2**scale, with an error as a share of them.

    A rest is 0 where its sign is not known.
    """

    x: Array
    anchor: Array
    rest: Array
    scale: NDArray[np.int32]
    error: Array

    @property
    def value(self) -> Array:
        """The values as float64s."""
        value: Array = self.anchor + np.ldexp(self.rest, self.scale)
        return value


def _fitted(side: Side, patterns: NDArray[np.int64], size: int) -> Sequence[Run | None]:
    """Return the truth for runs of a size that begin at some bit patterns, their sign left out.

    Results in float64 tell more than polynomials do.
    """
    question, sign = side.question, side.sign
    if question.result.precision > FLOAT32.precision:
        return [None] * len(patterns)
    start = patterns.astype(np.uint32).view(np.float32).astype(np.float64)[:, None]
    step = np.ldexp(1.0, np.maximum(patterns // BINADE, 1) - 150)[:, None]
    t = np.concatenate(_points())
    x = sign * (start + step * ((t + 1) / 2 * (size - 1)))
    points = Points(*(part.reshape(x.shape) for part in _anchored_values(question, x.reshape(-1))))
    ends = sign * (start + step * np.array([0, size - 1]))
    turns = slopes(question, ends.reshape(-1)).reshape(ends.shape)
    kinked = _kinked(question.form, sign, start - RUN * step, start + (size + RUN) * step)
    rows = _Rows(side, points, turns, ends, kinked)
    firsts = (patterns | (SIGN_BIT if sign < 0 else 0)).tolist()
    return [rows.run(i, first, size) for i, first in enumerate(firsts)]


class _Rows:
    """Anchored values at the points of runs, a row each, and the polynomials that fit them."""

    def __init__(
        self,
        side: Side,
        points: Points,
        turns: NDArray[np.int64],
        ends: Array,
        kinked: NDArray[np.bool_],
    ) -> None:
        """Take the signs of the derivative at the ends of the runs, the ends, and which are kinked.

        Where the distance from a line is monotone, it is bounded by those at the ends.
        """
        self.question, self.points, self.kinked = side.question, points, kinked
        self.turns = turns.tolist()
        y = points.value
        self.units = ulps(FLOAT32, y).min(axis=1)
        self.lines = _lines(points)
        self.beside = np.array([not line.is_zero for line in self.lines]) | (
            _size(y) < self.units / 4
        )
        distance = np.ldexp(points.rest, points.scale - (np.frexp(self.units)[1] - 1)[:, None])
        self.distance = np.where(self.beside[:, None], distance, y / self.units[:, None])
        self.little = self.beside & (_size(self.distance) <= LITTLE / 4)
        self.distance_monotone = np.array(
            [side.is_monotone(line, *pair) for line, pair in zip(self.lines, ends, strict=True)]
        )
        enough = np.where(self.little, LITTLE, np.minimum(CLOSE, FINE * _size(self.distance)))
        known = kinked | (self.little & self.distance_monotone)
        limits = np.where(known, np.inf, enough / 4)
        self.smooth = smoothness(side, ends, turns, kinked, self.units, limits)
        errors = np.where(self.beside, KNOWN, ROUNDING)
        self.fits = _fits(self.distance, errors, self.smooth.remainders)

    def run(self, i: int, first: int, size: int) -> Run | None:
        """Return the run of a row; None if it is not well known."""
        if self.kinked[i]:
            return None
        turn, monotone, fit = self.turns[i], self.smooth.monotone[i], self.fits[i]
        run = Run(first, size, self.lines[i], float(self.units[i]), (turn[0], turn[1]), monotone)
        if not self.beside[i]:
            return fit and run._replace(coefficients=fit.coefficients, bound=fit.bound)
        points = Points(*(part[i] for part in self.points))
        side = float(np.sign(points.rest[0]))
        side = side or self.question.side(float(points.x[0]), float(points.anchor[0]))
        run = run._replace(beside=True, side=side, holds=_is_result(self.question, run))
        if self.little[i] and (
            self.distance_monotone[i] or self.smooth.remainders[i] <= LITTLE / 4
        ):
            return run
        if fit is None or np.max(points.error) > KNOWN:
            return None
        ever_farther = bool(self.distance_monotone[i] and np.min(side * self.distance[i]) >= 0)
        holds = run.holds and ever_farther
        return run._replace(coefficients=fit.coefficients, bound=fit.bound, holds=holds)


def _is_result(question: Question, run: Run) -> bool:
    """Return whether the line beside a run is made of numbers of the format of results."""
    slope, level = run.line
    if not slope:
        return question.result.from_float(level) == level
    without_ties = run.first % SIGN_BIT // BINADE >= FIRST_WITHOUT_TIES
    return question.result is FLOAT32 and (without_ties or slope == 1)


def _lines(points: Points) -> list[Line]:
    """Return the lines that all anchors of a row lie on, with the form beside it, or NO_LINE."""
    x, anchor = points.x, points.anchor
    near = _size(points.value - anchor) <= BESIDE * np.abs(anchor).min(axis=1)
    first = anchor[:, 0]
    with np.errstate(all="ignore"):  # x may be 0
        slope = first / x[:, 0]
        sloping = near & np.all(anchor == slope[:, None] * x, axis=1)
    level = near & np.all(anchor == first[:, None], axis=1)
    columns = (part.tolist() for part in (level, sloping, first, slope))
    return [
        Line(level=start) if flat else Line(rise) if rising else NO_LINE
        for flat, rising, start, rise in zip(*columns, strict=True)
    ]


class Fit(NamedTuple):
    """Coefficients of Chebyshev polynomials, and a bound of how far their sum is off."""

    coefficients: Array
    bound: float


def _fits(y: Array, errors: Array, remainders: Array) -> list[Fit | None]:
    """Return the polynomials of the least degree for rows of values at the points, in units.

    The errors are those of the values, as shares of the largest; remainders are what polynomials
    through the values at the checks leave out.
    """
    count = len(_points()[0])
    start, largest = y[:, :1], _size(y)
    steps = y - start  # from which the coefficients come with small roundings only
    enough = np.minimum(CLOSE, FINE * largest)
    constant = np.ptp(y, axis=1) <= ROUNDING * largest  # whether steps are no more than roundings
    fits: list[Fit | None] = [None] * len(y)
    left = np.arange(len(y))
    for degree in DEGREES:
        solve, evaluate = _fit(degree)
        coefficients = steps[left, :count] @ solve
        coefficients[:, :1] += start[left]
        deviations = _size(coefficients @ evaluate - y[left, count:])
        bounds = LEBESGUE * (deviations + errors[left] * largest[left]) + remainders[left]
        fit = (bounds <= enough[left]) & (constant[left] | (degree > 0))
        for i in np.flatnonzero(fit).tolist():
            fits[left[i]] = Fit(coefficients[i], float(bounds[i]))
        left = left[~fit]
    return fits


def _size(rows: Array) -> Array:
    """Return the largest size in each row."""
    size: Array = np.max(np.abs(rows), axis=1)
    return size


def _anchored_values(question: Question, x: Array) -> Points:
    """Return the values at points."""
    points = Points(x, *(np.zeros(x.shape, kind) for kind in (float, float, np.int32, float)))
    form, quantity = question.multiple, question.quantity
    with np.errstate(all="ignore"):
        for piece, where in smooth_parts(form, x):
            y = getattr(beside_anchors(form, piece, x[where], ORDERS[quantity]), quantity)
            known = np.abs(y.rest.high) > y.rest.error
            points.anchor[where] = y.anchor
            points.rest[where] = np.where(known, y.rest.high, 0.0)
            points.error[where] = np.where(known, y.rest.error / np.abs(y.rest.high), 0.0)
            scale = 0 if y.rest.scale is None else np.clip(y.rest.scale, -BEYOND, BEYOND)
            points.scale[where] = scale
    for i in np.flatnonzero(x == 0).tolist():
        points.anchor[i] = float(question.exactly(float(x[i])))
    return points


@lru_cache(maxsize=1)
def _points() -> tuple[Array, Array]:
    """Return Chebyshev points, and the ends and points between them: multiples of 1/1024."""
    count = DEGREES[-1] + 3
    k = np.arange(count)
    nodes = np.cos((2 * k + 1) * np.pi / (2 * count))
    checks = np.append(np.cos(k * np.pi / count), -1.0)
    return np.rint(nodes * 1024) * 2.0**-10, np.rint(checks * 1024) * 2.0**-10


@lru_cache(maxsize=len(DEGREES))
def _fit(degree: int) -> tuple[Array, Array]:
    """Return the matrices that lead from values at nodes to coefficients, and to the checks."""
    nodes, checks = _points()
    solve = np.asarray(np.linalg.pinv(chebvander(nodes, degree)), np.float64)
    return solve.T, np.asarray(chebvander(checks, degree), np.float64).T


def _kinked(form: Form, sign: int, low: Array, high: Array) -> NDArray[np.bool_]:
    """Return which of some intervals, of sizes of x, have a kink of the form."""
    kinked = np.zeros(len(low), dtype=bool)
    for kink in form.kinks:
        place = sign * kink.position(FLOATS)
        kinked |= ((low <= place) & (place <= high)).reshape(-1)
    return kinked
