"""The truth at runs of consecutive float32s: one polynomial for each run.

Consecutive numbers of a binade are evenly spaced. A sum of Chebyshev polynomials in the place
t ∈ [−1, 1] within a run therefore takes the same polynomials at the same t in every run: its values
cost the product of a vector with a fixed matrix, whatever the form. The sum fits the form at
Chebyshev points, where the form is known to float64. Its deviation is measured at other points, and
eight times the largest one is taken as its bound. A run where the bound is too large (next to kinks
and zeros) has no polynomial.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import NDArray

from gelu_cli.arithmetic.formats import FLOAT64, FORMATS
from gelu_cli.arithmetic.rounding import Array, Floats
from gelu_cli.kernels.truth import Question
from gelu_cli.values.evaluate_arrays import evaluate_array
from gelu_cli.values.near_zero import line_through_zero

FLOAT32 = FORMATS["float32"]
RUN = 1 << 16
RUNS = (1 << 23) // RUN
"""Float32s in a run, and runs in a binade."""

FIRST_WITHOUT_TIES = 2
"""From this exponent field on x/2 is a float32; below, every other one is half way between two."""

DEGREES = (0, 1, 2, 4, 6, 9, 13)
CLOSE = 2.0**-22
"""A polynomial has to be this near to the truth, in units of the last place of a float32."""

NEGLIGIBLE = 2.0**-200
"""2⁻⁵¹ of the least float32."""

SAFETY = 8.0
ROUNDING = 2.0**-50
"""Of the sums of float64s, as a share of the largest value in the run."""


class Run(Protocol):
    """The form on a run of float32s."""

    @property
    def bound(self) -> float:
        """How far values may be off, in units of the last place of a float32."""

    @property
    def rising(self) -> int:
        """1 or −1 where values go one way from pattern to pattern, 0 where that is not known."""

    @property
    def vanishing(self) -> bool:
        """Whether all values are so small that results of 0 are right to every digit shown."""

    def values(self, x: Floats, place: slice) -> Array:
        """Return the values at x, which are at this place of the run."""


class Polynomial(NamedTuple):
    """Coefficients of the Chebyshev polynomials."""

    coefficients: Array
    bound: float
    rising: int
    vanishing: bool

    def values(self, x: Floats, place: slice) -> Array:
        """Return the sums."""
        values: Array = self.coefficients @ _chebyshev()[: len(self.coefficients), place]
        return values


class Tangent(NamedTuple):
    """slope·x and a little to the side of f″(0), which is all there is to tell at tiny x."""

    slope: float
    side: float
    rising: int
    bound: float = 0.0
    vanishing: bool = False

    def values(self, x: Floats, place: slice) -> Array:
        """Return the float64s next to slope·x: nothing between them and the truth rounds apart."""
        line: Array = self.slope * x.astype(np.float64)
        beside: Array = np.nextafter(line, self.side * np.inf)
        return beside if place.start else np.where(line == 0, line, beside)


class Identity(NamedTuple):
    """x, where the form differs from it in no float64."""

    rising: int
    bound: float = 2.0**-28
    vanishing: bool = False

    def values(self, x: Floats, place: slice) -> Array:
        """Return x."""
        return x.astype(np.float64)


def truth_by_runs(question: Question, sign: int, field: int) -> Sequence[Run | None]:
    """Return the truth for the runs of a binade of float32, in the order of the patterns.

    `field` is the exponent field, `sign` 1 or −1. None stands for a run without a polynomial.

    >>> from gelu_cli.forms import find_form
    >>> runs = truth_by_runs(Question(find_form("relu"), "value", FLOAT32), 1, 127)
    >>> x = np.array([1.0, 1.5], np.float32)
    >>> runs[0].values(x, slice(0, 2)).tolist()
    [1.0, 1.5]
    """
    line = line_through_zero(question.form) if question.quantity == "value" else None
    if line and field < FIRST_WITHOUT_TIES:
        slope, side = line
        return [Tangent(slope, side, sign * int(np.sign(slope)))] * RUNS
    first = np.arange(RUNS, dtype=np.float64) * RUN
    start, step = _binade(field)
    nodes, checks = _points()
    t = np.concatenate([nodes, checks])
    x = sign * (start + step * (first[:, None] + (t + 1) / 2 * (RUN - 1)))
    (y,) = evaluate_array(question.form, [question.quantity], x.reshape(-1), FLOAT64)
    y = y.reshape(x.shape)
    kinked = _kinked(question, sign, start + step * first, step * RUN)
    return [
        None if bad else Identity(sign) if np.array_equal(points, row) else _polynomial(row)
        for points, row, bad in zip(x, y, kinked, strict=True)
    ]


def _binade(field: int) -> tuple[float, float]:
    """Return the least number with an exponent field, and the distance of its numbers."""
    exponent = max(field, 1) - 127
    return (0.0 if field == 0 else 2.0**exponent), 2.0 ** (exponent - 23)


@lru_cache(maxsize=1)
def _chebyshev() -> Array:
    """Return the Chebyshev polynomials at the places of a run, a row each."""
    return np.array(chebvander(np.linspace(-1, 1, RUN), DEGREES[-1]).T, np.float64, order="C")


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


def _polynomial(y: Array) -> Polynomial | None:
    count = len(_points()[0])
    at_nodes, at_checks = y[:count], y[count:]
    largest, least = np.max(np.abs(y)), np.min(np.abs(y))
    unit = _unit(least)
    constant = np.ptp(y) <= ROUNDING * largest  # whether steps are no more than roundings
    for degree in DEGREES[not constant :]:
        solve, evaluate = _fit(degree)
        coefficients = solve @ at_nodes
        deviation = np.max(np.abs(evaluate @ coefficients - at_checks))
        bound = float(SAFETY * deviation + ROUNDING * largest) / unit
        if bound <= CLOSE:
            vanishing = bool(largest < NEGLIGIBLE)
            return Polynomial(coefficients, bound, _rising(coefficients, unit * CLOSE), vanishing)
    return None


def _rising(coefficients: Array, slack: float) -> int:
    if len(coefficients) == 1:
        return 0
    slope, *others = np.arange(1, len(coefficients)) ** 2 * coefficients[1:]  # |Tₖ′| ≤ k²
    one_way = abs(slope) > 1.01 * np.sum(np.abs(others)) + slack
    return int(np.sign(slope)) if one_way else 0


def _unit(y: float) -> float:
    exponent = max(int(np.frexp(y)[1]) - 1, FLOAT32.emin)
    return float(2.0 ** (exponent - FLOAT32.precision + 1))


def _kinked(question: Question, sign: int, starts: Array, width: float) -> NDArray[np.bool_]:
    kinked = np.zeros(starts.shape, dtype=bool)
    for kink in question.form.kinks:
        place = sign * float(np.sign(float(kink.square))) * abs(float(kink.square)) ** 0.5
        kinked |= (starts - width <= place) & (place <= starts + 2 * width)
    return kinked
