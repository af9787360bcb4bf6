"""The truth at runs of consecutive float32s: a line and a polynomial for each run.

Consecutive numbers of a binade are evenly spaced. A sum of Chebyshev polynomials in the place
t ∈ [−1, 1] within a run therefore takes the same polynomials at the same t in every run, whatever
the form. The run is evaluated in rows: the coefficients of each row are a fixed matrix times those
of the run, and the values are the product of these small matrices. `polynomials` finds them.
"""

from __future__ import annotations

from functools import lru_cache
from math import copysign
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebder, chebint, chebval, chebvander
from numpy.typing import NDArray

from gelu_cli.arithmetic.format_arrays import Array, Floats
from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.sweeping.truth import LEAST_FLOAT

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

DEGREES = (0, 1, 2, 4, 6, 9, 13)
"""Of the polynomials that are tried."""


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

    monotone: bool = False
    """Whether the derivative has one sign in between, if it has at the ends."""

    coefficients: Array = np.zeros(1)
    """Of the Chebyshev polynomials, in such units."""

    bound: float = 0.0
    """How far values may be off, in such units."""

    beside: bool = False
    """Whether the line is nearer than ¼ of such a unit."""

    side: float = 0.0
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
            y = np.where(same, _beside(line, self.side), y)
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

    def _sum(self, coefficients: Array, place: slice | NDArray[np.int64]) -> Array:
        """Return the sum of Chebyshev polynomials at this place; a slice lies in the first RUN."""
        if not isinstance(place, slice):
            return np.asarray(chebval(_places(place, self.size), coefficients))
        terms = len(coefficients)
        if not np.any(coefficients):
            return np.zeros(RUN)[place]
        of_rows = (_shifted(terms) @ coefficients).reshape(ROWS, terms)
        return (of_rows @ _columns(terms)).reshape(RUN)[place]

    @property
    def rising(self) -> int | None:
        """1 or −1 where values rise or fall with x, 0 where they are constant, None if unknown."""
        first, last = self.slopes
        return first if first == last and self.monotone else None


def _beside(numbers: Array, side: float) -> Array:
    """Return the float64s next to numbers of one sign, on one side; what it gives at 0 is nothing.

    numpy.nextafter takes ten times as long.
    """
    outward = 1 if side * numbers[-1] > 0 else -1
    return (numbers.view(np.int64) + outward).view(np.float64)


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
    shifted[:, :, 0] = np.eye(terms)[0]  # exactly: the constant is by far the largest coefficient
    return shifted.reshape(ROWS * terms, terms)
