"""The truth at runs of consecutive float32s: a line and a polynomial for each, with a proved bound.

On a run Arb gives the Taylor polynomial of the form about the middle, and on a ball around the run
the next coefficient, which bounds what it leaves out. As a sum of Chebyshev polynomials it is cut
where the rest is small. A run where the bound is too large (next to kinks and zeros) has none.

Where a form is nearly a line that float64s hold exactly (x/2 next to 0, x far to the right), the
polynomial is that of the distance from the line, so that errors however small keep their digits.

Consecutive numbers of a binade are evenly spaced. A sum of Chebyshev polynomials in the place
t ∈ [−1, 1] within a run therefore takes the same polynomials at the same t in every run, whatever
the form. The run is evaluated in rows: the coefficients of each row are a fixed matrix times those
of the run, and the values are the product of these small matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise
from math import copysign, inf, isfinite, ldexp
from typing import Any, NamedTuple

import numpy as np
from flint import acb_series, arb
from numpy.polynomial.chebyshev import chebder, chebint, chebval, chebvander, poly2cheb
from numpy.typing import NDArray

from gelu_cli.old.arithmetic import Curve
from gelu_cli.old.arithmetic.balls import SERIES, Ball, sign_of, working
from gelu_cli.old.arithmetic.dual import slope_of
from gelu_cli.old.arithmetic.exact import RATIONAL
from gelu_cli.old.arithmetic.format_arrays import LITTLE, Array, Floats, ulps
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.arithmetic.tails import tail_of
from gelu_cli.old.formulas.form import signed_square
from gelu_cli.old.sweeping.truth import LEAST_FLOAT, Question, slopes

FLOAT32 = FORMATS["float32"]
BINADE = 1 << 23
RUN = 1 << 16
"""Float32s in a binade, and in a run."""

LONGER = (BINADE, 1 << 19)
"""Float32s for which one polynomial is tried before each run has its own."""

ROWS = 1 << 8
"""Rows, and columns, in which a run is evaluated."""

SIGN_BIT = 1 << 31
LEAST_NORMAL = 2.0**FLOAT32.emin
LEAST_FLOAT32 = 2.0**-149

TERMS = 17
"""Of a Taylor polynomial; the next coefficient bounds the remainder."""

BITS, MOST_BITS = 128, 2048
"""Of balls at first, and at most: an asymptote is within 2⁻¹⁰⁰⁰ units of a form that is off it."""

LITTLE_BITS = 1152
"""These tell whether it is nearer: LITTLE/4 of a unit is over 2⁻¹⁰²⁷ of the line."""

PARTS = 8
"""Of a run on which one ball is not enough."""

CLOSE = 2.0**-22
"""A polynomial has to be this near to the truth, in units of the last place of a float32."""

FINE = 2.0**-28
"""And this near as a share of its largest value: six digits of it are printed."""

BESIDE = 2.0**-27
"""A form is beside a line if it is off it by less than this share of it, a quarter of the unit just
below a power of 2."""

ROUNDING = 2.0**-53
"""Of one operation of float64s, as a share of its result."""

FARTHEST = 128
"""The logarithm of all float32s is less: up to there it is looked for where a form is far out."""


class Line(NamedTuple):
    """slope·x + level, which float64s hold exactly: one of the two is 0."""

    slope: float = 0.0
    level: float = 0.0

    def at(self, x: Floats) -> Array:
        """Return the line at float32s."""
        if self.slope:
            return self.slope * x.astype(np.float64)
        return np.full(x.shape, self.level)

    def met_by(self, x: Floats, got: Floats) -> Line | None:
        """Return the line, made of float32s, if all results are on it, bit for bit.

        Results on 0 are all 0 or all −0.
        """
        line = Line(level=copysign(0.0, got[0])) if self.is_zero else self
        due = np.float32(line.slope) * x if line.slope else np.array([line.level], np.float32)
        return line if np.all(got.view(np.uint32) == due.view(np.uint32)) else None

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
    unit: float
    """The unit in the last place of a float32, the least one in the run."""

    slopes: tuple[int, int]
    """The signs of the derivative at the first and at the last x."""

    rising: int | None = None
    """1 or −1 where values rise or fall with x, 0 where they are constant, None if unknown."""

    coefficients: Array = np.zeros(1)
    """Of the Chebyshev polynomials, in such units."""

    bound: float = 0.0
    """How far values may be off, in such units."""

    beside: bool = False
    """Whether the line is nearer than ¼ of such a unit."""

    side: int = 0
    """The sign of the distance from the line, which may be too small for a float64."""

    holds: bool = False
    """Whether the line is made of float32s and so is what the form rounds to, and ever farther from
    it towards one end."""

    def inputs(self, place: NDArray[np.int64]) -> Floats:
        """Return the float32s at some places of the run."""
        return (self.first + place).astype(np.uint32).view(np.float32)

    def distance(self, place: slice | NDArray[np.int64]) -> Array:
        """Return how far the form is from the line at this place of the run, in its units."""
        distance = self._sum(self.coefficients, place)
        if self.beside and not isinstance(place, slice):
            distance[self.inputs(place) == 0] = 0.0  # lines go through the value at 0
        return distance

    def values(self, x: Floats, place: slice | NDArray[np.int64]) -> Array:
        """Return the values at x, which are at this place of the run.

        They are float64s on the right side of the line.
        """
        distance = self._sum(self.unit * self.coefficients, place)
        if not self.beside:
            return distance
        if self.line.is_zero:
            return np.where(distance == 0, self.side * LEAST_FLOAT, distance)
        line = self.line.at(x)
        y: Array = line + distance
        if self.side and np.any(same := y == line):
            outward = 1 if self.side * line[-1] > 0 else -1
            # numpy.nextafter takes ten times as long; what this gives at 0 is replaced below.
            y = np.where(same, (line.view(np.int64) + outward).view(np.float64), y)
        return np.where(x == 0, line, y) if self.line.slope and x[0] == 0 else y

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

    def part(self, number: int) -> Run | None:
        """Return the truth on one of the RUNs of it, None if it is not close enough to that."""
        part = self._replace(first=self.first + number * RUN, size=RUN)
        if not np.any(self.coefficients):
            return part
        count = len(self.coefficients)
        coefficients = _shifts(self.size, RUN)[number, :count, :count] @ self.coefficients
        fitted = _cut(coefficients, self.bound)
        return fitted and part._replace(coefficients=fitted[0], bound=fitted[1])

    def _sum(self, coefficients: Array, place: slice | NDArray[np.int64]) -> Array:
        """Return the sum of Chebyshev polynomials at this place; a slice lies in the first RUN."""
        if not isinstance(place, slice):
            return np.asarray(chebval(_places(place, self.size), coefficients))
        if not np.any(coefficients):
            return np.zeros(RUN)[place]
        count = len(coefficients)
        of_rows = _shifts(RUN, RUN // ROWS)[:, :count, :count] @ coefficients
        return (of_rows @ _columns()[:count]).reshape(RUN)[place]


def _places(place: Array | NDArray[np.int64], size: int) -> Array:
    """Return the t ∈ [−1, 1] of places in a run."""
    return np.asarray(place * (2 / (size - 1)) - 1, np.float64)


@cache
def _shifts(size: int, width: int) -> Array:
    """Return the matrices that lead from coefficients on a size to those on each part of a width.

    The constant goes to itself exactly: it is by far the largest coefficient.
    """
    nodes = np.cos((2 * np.arange(TERMS) + 1) * np.pi / (2 * TERMS))
    places = width * np.arange(size // width)[:, None] + (nodes + 1) / 2 * (width - 1)
    solve = np.asarray(np.linalg.inv(chebvander(nodes, TERMS - 1)), np.float64)
    shifts: Array = solve @ np.asarray(chebvander(_places(places, size), TERMS - 1), np.float64)
    shifts *= np.triu(np.ones((TERMS, TERMS)))
    shifts[:, 0, 0] = 1
    return shifts


@cache
def _columns() -> Array:
    """Return the Chebyshev polynomials at the places of a row, one below the other."""
    columns = chebvander(np.linspace(-1, 1, RUN // ROWS), TERMS - 1)
    return np.ascontiguousarray(np.asarray(columns, np.float64).T)


def _cut(coefficients: Array, bound: float) -> tuple[Array, float] | None:
    """Return as few Chebyshev coefficients as are close enough, and a bound of what is left out.

    None where all of them, which are off by a bound already, are not.
    """
    sizes = np.abs(coefficients)
    largest = abs(np.sum(coefficients[::2])) + abs(np.sum(coefficients[1::2]))  # at an end
    # Sums of `count` terms, in three products of matrices: of a part, of a row, at places there.
    roundings = 3 * ROUNDING * np.arange(1, len(sizes) + 2) * np.sum(sizes)
    bounds = np.append(np.cumsum(sizes[::-1])[::-1], 0.0) + bound + roundings
    enough, least = min(CLOSE, FINE * largest), np.min(bounds)
    if not least <= enough:
        return None
    # What is cut is little beside what is known, so that averages keep their digits.
    most = min(enough, max(1.5 * least, enough / 64))
    count = max(1, int(np.argmax(bounds <= most)))
    return coefficients[:count], float(bounds[count])


class Side:
    """The truth of a question on one side of 0, by runs of float32s.

    >>> from gelu_cli.old.formulas import find_form
    >>> side = Side(Question(find_form("exact"), "value", FLOAT32), 1)
    >>> side.binade(90).line
    Line(slope=0.5, level=0.0)
    >>> side.run(127, 0).values(np.array([1.0], np.float32), slice(0, 1)).round(6)
    array([0.841345])
    """

    def __init__(self, question: Question, sign: int) -> None:
        self.question, self.sign = question, sign
        self._kinks = [sign * float(kink) for kink in question.form.kinks]
        self._tangent, self._asymptote = self._lines()
        self._tails: dict[Line, _Tail] = {}
        self._field, self._bits = -1, BITS
        self._known: dict[tuple[int, int], Run | None] = {}
        self._little: dict[tuple[float, float], bool] = {}

    def binade(self, field: int) -> Run | None:
        """Return the truth on the float32s of an exponent field, if one polynomial gives it."""
        return self._fitted(field, 0, BINADE)

    def run(self, field: int, number: int) -> Run | None:
        """Return the truth on one of the RUNs of a binade, None if it has no polynomial.

        It is that of a longer run if that is known to rise or to fall.
        """
        for size in LONGER:
            place = number * RUN % size
            longer = self._fitted(field, number * RUN - place, size)
            if longer and longer.rising is not None and (part := longer.part(place // RUN)):
                return part
        return self._fitted(field, number * RUN, RUN)

    def _fitted(self, field: int, start: int, size: int) -> Run | None:
        """Return the truth on a run from a place of a binade on; those of one binade are kept."""
        if field != self._field:
            self._field, self._bits, self._known, self._little = field, BITS, {}, {}
        if (start, size) not in self._known:
            # Results in float64 tell more than polynomials do.
            fine = self.question.result.precision > FLOAT32.precision
            self._known[start, size] = None if fine else self._fit(field * BINADE + start, size)
        return self._known[start, size]

    def _fit(self, first: int, size: int) -> Run | None:
        step = ldexp(1.0, max(first // BINADE, 1) - 150)
        low = FLOAT32.number(first)
        high = low + step * (size - 1)
        beyond = RUN * step
        if any(low - beyond <= kink <= high + beyond for kink in self._kinks):
            return None
        curve, ends = curve_at(self.question, self.sign * high), self.sign * np.array([low, high])
        if found := self._on_asymptote(first, size, curve, ends):
            return found
        lines = [self._tangent, self._asymptote] if first else [self._tangent]
        parts = 1
        while True:
            with working(self._bits):
                try:
                    taylor = _Taylor(curve, lines, ends, self.sign * step, parts)
                except ValueError:  # it divides by what may be 0
                    return None
                found = self._by_taylor(first, size, taylor)
                more_bits = taylor.cancels and self._bits < MOST_BITS
            if found or not (more_bits or (parts == 1 and size == RUN)):
                return found
            if more_bits:
                self._bits *= 2  # for the runs that follow, too
            else:
                parts = PARTS

    def _on_asymptote(self, first: int, size: int, curve: Curve, ends: Array) -> Run | None:
        """Return the asymptote where a form comes ever nearer to it, less than LITTLE beside it."""
        line, tail = self._asymptote, self._tail(self._asymptote)
        if not (abs(ends[0]) > tail.start and tail.side * tail.way * self.sign <= 0):
            return None
        unit = _unit(line.at(ends))
        end = self.sign * FLOAT32.number(first | (BINADE - 1))
        with working(LITTLE_BITS):
            for x in (end, ends[0]):  # if it is not at the end of the binade it is nowhere there
                if (x, unit) not in self._little:
                    (distance,) = _series(_less(curve, line), x, 0.0, 0)
                    self._little[x, unit] = bool(abs(distance) / unit <= LITTLE / 4)
                if not self._little[x, unit]:
                    return None
        rising = self._way(NO_LINE, ends)
        run = self._run(first, size, line, unit, ends, rising, tail.way)
        return run._replace(side=tail.side)

    def _by_taylor(self, first: int, size: int, taylor: _Taylor) -> Run | None:
        """Return the run of a Taylor polynomial, None where it is not close enough."""
        line, ends = taylor.line, taylor.ends
        rising, way = (
            self._way(each, ends) if (sign := taylor.way(each)) is None else sign
            for each in (NO_LINE, line)
        )
        y = line.at(ends) + taylor.distances
        beside = not line.is_zero or bool(taylor.size < LEAST_FLOAT32 / 4)
        if not beside:
            least = float(taylor.least) if rising is None else np.min(y * np.sign(y[0]))
            # There may be a zero, or a part that is beside a line.
            if not least > 0 or (size > RUN and taylor.nears_a_line):
                return None
            y = np.array([least])
        run = self._run(first, size, line, _unit(y), ends, rising, way, beside=beside)
        if taylor.size == 0:
            return run
        fitted = taylor.polynomial(run.unit)
        if not fitted:
            return None
        run = run._replace(coefficients=fitted[0], bound=fitted[1])
        if not beside:
            return run
        # It is 0 at x = 0; else both ends have to be on one side, and all between them.
        distances = taylor.distances / run.unit
        side = int(np.sign(distances[np.argmax(np.abs(distances))]))
        sure = np.all(side * distances[0 if first else 1 :] > run.bound)
        between = way is not None or taylor.least / run.unit > run.bound
        return run._replace(side=side) if sure and between else None

    def _run(self, first: int, size: int, line: Line, unit: float, ends: Array,
             rising: int | None, way: int | None, *, beside: bool = True) -> Run:  # fmt: skip
        """Return a run whose distance from the line goes one way if that is not None."""
        turns = [rising] * 2 if rising is not None else slopes(self.question, ends).tolist()
        holds = beside and way is not None and self._is_result(first, line)
        pattern = first | (SIGN_BIT if self.sign < 0 else 0)
        return Run(
            pattern, size, line, unit, (turns[0], turns[1]), rising, beside=beside, holds=holds
        )

    def _is_result(self, first: int, line: Line) -> bool:
        """Return whether a line is made of numbers of the format of results.

        x/2 is a float32 from the second binade of normal numbers on; below, every other one is half
        way between two.
        """
        if not line.slope:
            return self.question.result.from_float(line.level) == line.level
        halves = abs(line.slope) == 0.5 and first >= 2 * BINADE
        return self.question.result is FLOAT32 and (abs(line.slope) == 1 or halves)

    def _way(self, line: Line, ends: Array) -> int | None:
        """Return the sign of the derivative of the distance from a line, if it has one far out."""
        tail = self._tail(line)
        return tail.way if min(abs(ends)) > tail.start else None

    def _tail(self, line: Line) -> _Tail:
        """Return from where on up to infinity the form is on one side of a line, and monotone."""
        if line not in self._tails:
            curve = _less(curve_at(self.question, self.sign * 2.0**FARTHEST), line)
            with working(BITS):
                side = tail_of(curve, self.sign, 2, FARTHEST)
                way = tail_of(slope_of(curve), self.sign, 2, FARTHEST)
            tail = _Tail(inf, 0, 0)
            if side and way:
                start = max([2.0 ** max(side[0], way[0]), *self._kinks])
                tail = _Tail(start, side[1], way[1])
            self._tails[line] = tail
        return self._tails[line]

    def _lines(self) -> tuple[Line, Line]:
        """Return the tangent at 0, or its level, and the asymptote, where float64s hold them."""
        near = curve_at(self.question, self.sign * LEAST_FLOAT32)
        level, slope = (curve(RATIONAL, Fraction(0)) for curve in (near, slope_of(near)))
        tangent = _line(slope, 0) if level == 0 else _line(0, level)
        end = self.question.limit(self.sign * inf)
        if isfinite(end):
            return tangent, Line(level=end)
        return tangent, Line(self.question._replace(quantity="gradient").limit(self.sign * inf))


class _Tail(NamedTuple):
    """How a form is beside a line for |x| > start: on which side, with which sign of its slope."""

    start: float
    side: int
    way: int


def _line(slope: Any, level: Any) -> Line:
    """Return the line of exact numbers, 0 if float64s do not hold them."""
    held = all(isinstance(each, Fraction | int) and float(each) == each for each in (slope, level))
    return Line(float(slope), float(level)) if held else NO_LINE


def _unit(y: Array) -> float:
    """Return the least unit in the last place of a float32."""
    return float(ulps(FLOAT32, np.min(np.abs(y))[None])[0])


def curve_at(question: Question, x: float) -> Curve:
    """Return what results should be, as a curve, on the piece that holds at x."""
    form = question.multiple
    return form.curve(form.piece_from(signed_square(Fraction(x))), question.quantity)


def _less(curve: Curve, line: Line) -> Curve:
    """Return a curve less a line."""
    slope, level = map(Fraction, line)
    return lambda a, x: curve(a, x) - a.rational(slope) * x - a.rational(level)


class _Taylor:
    """A curve on an interval as Σ aₖtᵏ, t ∈ [−1, 1], beside one of some lines if it is that near.

    The coefficients are balls, the last of them one that holds it at all points.
    """

    def __init__(
        self, curve: Curve, lines: Sequence[Line], ends: Array, step: float, parts: int
    ) -> None:
        """Have balls around so many parts; `step` is next to 0.

        Raises `ValueError` where it divides by what may be 0.
        """
        self.ends, (low, high) = ends, ends.tolist()
        self._middle, self._half = (low + high) / 2, (high - low) / 2
        self._terms = _series(curve, self._middle, self._half, TERMS - 1)
        cuts = map(arb, np.linspace(low, high, parts + 1).tolist())
        series = (_series(curve, a.union(b), self._half, TERMS) for a, b in pairwise(cuts))
        whole = [reduce(arb.union, coefficients) for coefficients in zip(*series, strict=True)]
        self._rest = abs(whole[TERMS])
        """A bound on what the polynomial leaves out."""

        self._slope, self._curvature = whole[1:3]
        self._lines = lines
        self._ends_beyond_0 = np.array([low or step, high])
        self.line = next((line for line in lines if self._is_beside(line)), NO_LINE)
        self._distance = self._less(self.line)
        self._sizes = [abs(each) for each in self._distance]
        self.size = (sum(self._sizes) + self._rest).upper()
        """A bound on the distance from the line."""

        self.least = (2 * self._sizes[0] - sum(self._sizes) - self._rest).lower()
        """What it is nowhere less than."""

        even, odd = (sum(self._distance[i::2], arb(0)) for i in (0, 1))
        self.distances = np.array([float((even - odd).mid()), float((even + odd).mid())])
        """Those at the ends."""

    @property
    def cancels(self) -> bool:
        """Whether more bits would tell more."""
        return not sum(each.rad() for each in self._distance) < FINE / 4 * self.size

    @property
    def nears_a_line(self) -> bool:
        """Whether it is beside a line at one of the ends."""
        ends = self._ends_beyond_0
        return any(
            bool(np.any(np.abs(self.distances - line.at(ends)) <= BESIDE * np.abs(line.at(ends))))
            for line in self._lines
        )

    def way(self, line: Line) -> int | None:
        """Return the sign of the derivative of the distance from a line, None if it has none."""
        less = arb(line.slope) * self._half
        first, slope = self._terms[1] - less, self._slope - less
        if slope.is_zero():
            return 0
        if line.slope and not self.ends[0]:  # a tangent at 0
            return sign_of(self._curvature) * (1 if self._half > 0 else -1) or None
        others = sum(k * each for k, each in enumerate(self._sizes) if k > 1)
        tells = abs(first) > others + TERMS * self._rest
        sign = sign_of(slope) or (sign_of(first) if tells else 0)
        return sign * (1 if self._half > 0 else -1) or None

    def polynomial(self, unit: float) -> tuple[Array, float] | None:
        """Return Chebyshev coefficients of the distance in a unit, and a bound on what is left out.

        None where that is too much.
        """
        terms = np.array([float(each.mid() / unit) for each in self._distance])
        radii = sum((each.rad() for each in self._distance), self._rest)
        bound = float((radii / unit).upper())
        # The constant, by far the largest, is added last.
        coefficients = _to_chebyshev()[:, 1:] @ terms[1:]
        coefficients[0] += terms[0]
        rounding = ROUNDING * (abs(terms[0]) + 2 * TERMS * np.sum(np.abs(terms[1:])))
        return _cut(coefficients, 2 * rounding + bound)

    def _less(self, line: Line) -> list[Ball]:
        value, slope, *others = self._terms
        at_middle = arb(line.slope) * self._middle + line.level
        return [value - at_middle, slope - arb(line.slope) * self._half, *others]

    def _is_beside(self, line: Line) -> bool:
        near = BESIDE * float(np.min(np.abs(line.at(self._ends_beyond_0))))
        value, slope, *others = self._less(line)
        return bool(
            near
            and abs(value) <= near
            and sum(map(abs, [value, slope, *others]), self._rest) <= near
        )


def _series(curve: Curve, x: Any, half: float, order: int) -> list[Ball]:
    """Return the coefficients of f(x + half·t) in t up to an order, for x in a ball."""
    series = acb_series([0], prec=order + 1) + curve(SERIES, acb_series([x, half], prec=order + 1))
    return [series[k].real for k in range(order + 1)]


@cache
def _to_chebyshev() -> Array:
    """Return the matrix that leads from powers of t to Chebyshev polynomials."""
    return np.array([np.append(poly2cheb(row), np.zeros(TERMS))[:TERMS]
                     for row in np.eye(TERMS)]).T  # fmt: skip
