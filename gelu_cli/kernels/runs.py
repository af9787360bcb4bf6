"""The truth at runs of consecutive float32s: a line and a polynomial for each run.

Consecutive numbers of a binade are evenly spaced. A sum of Chebyshev polynomials in the place
t ∈ [−1, 1] within a run therefore takes the same polynomials at the same t in every run, whatever
the form. The run is evaluated in rows: the coefficients of each row are a fixed matrix times those
of the run, and the values are the product of these small matrices. The sum fits the form at
Chebyshev points, where the form is known to float64. Its deviation is measured at other points, and
eight times the largest one is taken as its bound. A run where the bound is too large (next to kinks
and zeros) has no polynomial.

Where a form is nearly a line that float64s hold exactly (x/2 next to 0, x far to the right), the
polynomial is that of the distance from the line, so that errors however small keep their digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebint, chebval, chebvander
from numpy.typing import NDArray

from gelu_cli.arithmetic.floats import FLOATS
from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.arithmetic.rounding import BEYOND, LITTLE, Array, Floats
from gelu_cli.arithmetic.ulp import ulps
from gelu_cli.forms import ORDERS
from gelu_cli.forms.form import Form
from gelu_cli.kernels.trends import slopes
from gelu_cli.kernels.truth import LEAST_FLOAT, Question
from gelu_cli.values.evaluate_arrays import beside_anchors, smooth_parts

FLOAT32 = FORMATS["float32"]
RUN = 1 << 16
RUNS = (1 << 23) // RUN
"""Float32s in a run, and runs in a binade."""

ROWS = 1 << 8
"""So many rows, and columns, has a run when it is evaluated."""

BINADE = 1 << 23
"""Float32s in a binade."""

SIGN_BIT = 1 << 31

FIELDS = 255
"""Exponent fields of the finite float32s."""

LEAST_NORMAL = 2.0**FLOAT32.emin

FIRST_WITHOUT_TIES = 2
"""From this exponent field on x/2 is a float32; below, every other one is half way between two."""

DEGREES = (0, 1, 2, 4, 6, 9, 13)
CLOSE = 2.0**-22
"""A polynomial has to be this near to the truth, in units of the last place of a float32."""

FINE = 2.0**-28
"""And this near as a share of its largest value: six digits of it are printed."""

BESIDE = 2.0**-27
"""A form is beside a line if it is off it by less than this share of it, a quarter of the unit just
below a power of 2."""

KNOWN = 2.0**-40
"""The share of a distance from a line that may be uncertain."""

SAFETY = 8.0
ROUNDING = 2.0**-50
"""Of the sums of float64s, as a share of the largest value in the run."""


class Line(NamedTuple):
    """slope·x + level, which float64s hold exactly: one of the two is 0."""

    slope: float = 0.0
    level: float = 0.0

    def at(self, x: Floats) -> Array:
        """Return the line at float32s."""
        if self.slope:
            return self.slope * x.astype(np.float64)
        return np.full(x.shape, self.level)

    def holds(self, x: Floats, got: Floats) -> bool:
        """Return whether all results are on the line, which is made of float32s."""
        line = np.float32(self.slope) * x if self.slope else np.float32(self.level)
        return bool(np.all(got == line))

    @property
    def is_zero(self) -> bool:
        """Whether the line is 0."""
        return self == NO_LINE


NO_LINE = Line()


class Run(NamedTuple):
    """The form on consecutive float32s: a line, and a sum of Chebyshev polynomials beside it.

    There are RUN of them, or BINADE.
    """

    first: int
    """The bit pattern of the first one."""

    size: int
    line: Line
    coefficients: Array
    unit: float
    """What the coefficients are multiples of: the unit in the last place of a float32, or 1."""

    bound: float
    """How far values may be off, in units of the last place of a float32."""

    beside: bool
    """Whether the line is nearer than ¼ of such a unit."""

    side: float
    """The sign of the distance from the line, which may be too small for a float64."""

    slopes: tuple[int, int]
    """The signs of the derivative at the first and at the last x."""

    holds: bool
    """Whether the line is made of float32s and so is what the form rounds to, and ever farther from
    it towards one end."""

    def inputs(self, place: NDArray[np.int64]) -> Floats:
        """Return the float32s at some places of the run."""
        return (self.first + place).astype(np.uint32).view(np.float32)

    def distance(self, place: slice | NDArray[np.int64]) -> Array:
        """Return how far the form is from the line at this place of the run, in its units."""
        if not isinstance(place, slice):
            return np.asarray(chebval(_places(place, self.size), self.coefficients))
        terms = len(self.coefficients)
        of_rows = (_shifted(terms) @ self.coefficients).reshape(ROWS, terms)
        return (of_rows @ _columns(terms)).reshape(RUN)[place]

    def values(self, x: Floats, place: slice | NDArray[np.int64]) -> Array:
        """Return the values at x, which are at this place of the run.

        They are float64s on the right side of the line.
        """
        distance = self.distance(place)
        if not self.beside:
            return distance
        distance *= self.unit
        if self.line.is_zero:
            return np.where(distance == 0, self.side * LEAST_FLOAT, distance)
        line = self.line.at(x)
        y: Array = line + distance
        if self.side:
            y = np.where(y == line, np.nextafter(line, self.side * np.inf), y)
        return np.where(x == 0, line, y) if self.line.slope else y

    def total(self, place: slice) -> float:
        """Return the sum of the distances at this place of the run, in its units."""
        if place.stop - place.start <= RUN:
            return float(np.sum(self.distance(np.arange(place.start, place.stop))))
        # Euler and Maclaurin's formula for the middles of steps; a step is less than 2⁻¹⁴.
        ends = _places(np.array([place.start, place.stop]) - 0.5, self.size)
        step = 2 / (self.size - 1)
        integral, slopes = chebint(self.coefficients), chebder(self.coefficients)
        total = chebval(ends, integral) / step - chebval(ends, slopes) * step / 24
        return float(total[1] - total[0])

    def settles(self, place: slice, ftz: bool) -> bool:
        """Return whether results on the line are right, and all others wrong, at this place.

        Where inputs or what is on the line may be flushed to zero, others are right too.
        """
        if not (self.holds and ftz):
            return self.holds
        ends = self.inputs(np.array([place.start, place.stop - 1])).astype(np.float64)
        return float(np.min(np.abs([ends, self.line.at(ends)]))) >= LEAST_NORMAL

    @property
    def rising(self) -> int | None:
        """1 or −1 where values rise or fall with x, 0 where they are constant, None if unknown."""
        first, last = self.slopes
        return first if first == last else None


def truth_by_runs(question: Question, sign: int, field: int) -> Sequence[Run | None]:
    """Return the truth for the runs of a binade of float32, in the order of the patterns.

    `field` is the exponent field, `sign` 1 or −1. None stands for a run without a polynomial.

    >>> from gelu_cli.forms import find_form
    >>> runs = truth_by_runs(Question(find_form("relu"), "value", FLOAT32), 1, 127)
    >>> x = np.array([1.0, 1.5], np.float32)
    >>> runs[0].values(x, slice(0, 2)).tolist()
    [1.0, 1.5]
    """
    return _truth(question, sign, field * BINADE + RUN * np.arange(RUNS), RUN)


def truth_by_binades(question: Question, sign: int) -> Sequence[Run | None]:
    """Return the truth for binades of float32, by exponent field, where one polynomial gives it.

    >>> from gelu_cli.forms import find_form
    >>> runs = truth_by_binades(Question(find_form("exact"), "value", FLOAT32), 1)
    >>> runs[90].line, runs[90].holds
    (Line(slope=0.5, level=0.0), True)
    """
    return _truth(question, sign, BINADE * np.arange(FIELDS), BINADE)


def _truth(
    question: Question, sign: int, patterns: NDArray[np.int64], size: int
) -> Sequence[Run | None]:
    """Return the truth for runs of a size that begin at some bit patterns, their sign left out."""
    start = patterns.astype(np.uint32).view(np.float32).astype(np.float64)[:, None]
    fields = patterns // BINADE
    step = np.ldexp(1.0, np.maximum(fields, 1) - 150)[:, None]
    t = np.concatenate(_points())
    x = sign * (start + step * ((t + 1) / 2 * (size - 1)))
    points = _anchored_values(question, x.reshape(-1))
    kinked = _kinked(question.form, sign, start - RUN * step, start + (size + RUN) * step)
    ends = sign * (start + step * np.array([0, size - 1]))
    turns = slopes(question, ends.reshape(-1)).reshape(ends.shape)
    bits = (patterns | (SIGN_BIT if sign < 0 else 0)).tolist()
    rows = zip(bits, turns, kinked, *(part.reshape(x.shape) for part in points), strict=True)
    return [
        None if bad else _run(question, first, size, row, Points(*some))
        for first, row, bad, *some in rows
    ]


class Points(NamedTuple):
    """Anchored values at points: rests are rest·2**scale, with an error as a share of them."""

    x: Array
    anchor: Array
    rest: Array
    scale: NDArray[np.int32]
    error: Array


def _anchored_values(question: Question, x: Array) -> Points:
    """Return the values at points; a rest is 0 where its sign is not known."""
    points = Points(x, *(np.zeros(x.shape, kind) for kind in (float, float, np.int32, float)))
    form, quantity, _ = question
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


def _places(place: Array | NDArray[np.int64], size: int) -> Array:
    """Return the t ∈ [−1, 1] of places in a run."""
    return np.asarray(place * (2 / (size - 1)) - 1, np.float64)


@lru_cache(maxsize=len(DEGREES))
def _columns(terms: int) -> Array:
    """Return the first Chebyshev polynomials at the places of a row, one below the other."""
    t = np.linspace(-1, 1, RUN // ROWS)
    return np.array(chebvander(t, terms - 1).T, np.float64, order="C")


@lru_cache(maxsize=len(DEGREES))
def _shifted(terms: int) -> Array:
    """Return the matrix that leads from coefficients on a run to those on each of its rows."""
    k = np.arange(terms)
    nodes = np.cos((2 * k + 1) * np.pi / (2 * terms))
    width = RUN // ROWS
    places = width * np.arange(ROWS)[:, None] + (nodes + 1) / 2 * (width - 1)
    solve = np.asarray(np.linalg.inv(chebvander(nodes, terms - 1)), np.float64)
    shifted: Array = solve @ np.asarray(chebvander(_places(places, RUN), terms - 1), np.float64)
    return shifted.reshape(ROWS * terms, terms)


@lru_cache(maxsize=1)
def _points() -> tuple[Array, Array]:
    """Return Chebyshev points, and points between them: multiples of 1/1024 near those."""
    count = DEGREES[-1] + 3
    k = np.arange(count)
    nodes = np.cos((2 * k + 1) * np.pi / (2 * count))
    checks = np.append(np.cos(k * np.pi / count), -1.0)
    return np.rint(nodes * 1024) * 2.0**-10, np.rint(checks * 1023) * 2.0**-10


@lru_cache(maxsize=8)
def _fit(degree: int) -> tuple[Array, Array]:
    """Return the matrices that lead from values at nodes to coefficients, and to the checks."""
    nodes, checks = _points()
    solve = np.asarray(np.linalg.pinv(chebvander(nodes, degree)), np.float64)
    return solve, np.asarray(chebvander(checks, degree), np.float64)


def _run(
    question: Question, first: int, size: int, ends: NDArray[np.int64], points: Points
) -> Run | None:
    turns = int(ends[0]), int(ends[1])
    x, anchor, rest, scale, error = points
    line = _line(x, anchor)
    y = anchor + np.ldexp(rest, scale)
    unit = float(np.min(ulps(FLOAT32, y)))
    if line is None or np.max(np.abs(y - anchor)) > BESIDE * np.min(np.abs(anchor)):
        line = NO_LINE
    beside = not line.is_zero or bool(np.max(np.abs(y)) < unit / 4)
    if not beside:
        found = _polynomial(y, unit)
        return found and Run(first, size, line, found[0], 1.0, found[1], False, 0.0, turns, False)
    side = float(np.sign(rest[0]) or question.side(float(x[0]), float(anchor[0])))
    distance = np.ldexp(rest, scale - (np.frexp(unit)[1] - 1))
    if np.max(np.abs(distance)) <= LITTLE:
        return Run(
            first, size, line, np.zeros(1), unit, 0.0, True, side, turns, _is_float32(line, first)
        )
    found = _polynomial(distance, 1.0)
    if found is None or np.max(error) > KNOWN:
        return None
    coefficients, bound = found
    holds = _is_float32(line, first) and _one_way(distance) and bool(np.all(x))
    holds = holds and bool(np.min(side * distance) >= 0)
    return Run(first, size, line, coefficients, unit, bound, True, side, turns, holds)


def _line(x: Array, anchor: Array) -> Line | None:
    """Return the line that all anchors of a run lie on."""
    if np.all(anchor == anchor[0]):
        return Line(level=float(anchor[0]))
    slope = float(anchor[0] / x[0])
    return Line(slope) if np.array_equal(anchor, slope * x) else None


def _is_float32(line: Line, first: int) -> bool:
    """Return whether the line is made of float32s in the binade of a bit pattern."""
    return first % SIGN_BIT // BINADE >= FIRST_WITHOUT_TIES or line.slope in (0, 1)


def _polynomial(y: Array, unit: float) -> tuple[Array, float] | None:
    """Return the coefficients for values at the points, and their bound in units."""
    count = len(_points()[0])
    at_nodes, at_checks = y[:count], y[count:]
    largest = np.max(np.abs(y))
    constant = np.ptp(y) <= ROUNDING * largest  # whether steps are no more than roundings
    for degree in DEGREES[not constant :]:
        solve, evaluate = _fit(degree)
        coefficients = solve @ at_nodes
        deviation = np.max(np.abs(evaluate @ coefficients - at_checks))
        bound = float(SAFETY * deviation + ROUNDING * largest)
        if bound <= min(CLOSE * unit, FINE * largest):
            return coefficients, bound / unit
    return None


def _one_way(y: Array) -> bool:
    """Return whether values at the points rise or fall all the way, or are constant."""
    steps = np.diff(y[np.argsort(np.concatenate(_points()))])
    return bool(np.all(steps >= 0) or np.all(steps <= 0))


def _kinked(form: Form, sign: int, low: Array, high: Array) -> NDArray[np.bool_]:
    """Return which of some intervals, of sizes of x, have a kink of the form."""
    kinked = np.zeros(len(low), dtype=bool)
    for kink in form.kinks:
        place = sign * kink.position(FLOATS)
        kinked |= ((low <= place) & (place <= high)).reshape(-1)
    return kinked
