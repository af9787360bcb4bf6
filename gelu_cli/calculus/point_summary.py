"""Errors over many points.

Maxima, averages, percentiles, and maxima by region.

The errors are those of single points, each correctly rounded to float64; their sums are exact, so
that no number depends on blocks or their order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from flint import arb
from numpy.typing import NDArray

from gelu_cli.calculus.curves import Comparison
from gelu_cli.calculus.point_errors import errors_of_array
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.rounding import Rounded, Target, round_ball, round_fraction, working

PERCENTS = (50, 99)
PIECE = 18
"""Bits of a piece of a significand: it has three, and 2¹⁵ sums of products fit into a float64."""

MOST = 1 << 15
"""Numbers that are added up at a time."""


class Largest(NamedTuple):
    """The largest error, and the first x that has it."""

    value: float
    x: float


class Maxima(NamedTuple):
    """The number of points, and their largest absolute and relative errors."""

    n: int
    absolute: Largest
    relative: Largest


class Region(NamedTuple):
    """Points in [low, high), in the last region [low, high].

    Maxima are None without points.
    """

    low: float
    high: float
    maxima: Maxima | None


class Errors(NamedTuple):
    """The errors of a form over all points; percentiles as in PERCENTS."""

    maxima: Maxima
    mean: Fraction | float
    mean_square: Fraction | float
    percentiles: Sequence[float]
    regions: Sequence[Region]
    nan: int = 0
    infinite: int = 0


def summarise_points(comparison: Comparison, x: Floats, edges: Sequence[float] = ()) -> Errors:
    """Return the errors |form − target| over points.

    A relative error 0/0 counts as 0.

    Parameters
    ----------
    comparison
        From `curves.compare`.
    x
        Float64s; points that are not finite are counted and left out.
    edges
        Ascending; regions of x meet there.

    Raises
    ------
    UsageError
        If no point is finite.

    Examples
    --------
    >>> from gelu_cli.calculus.curves import compare
    >>> from gelu_cli.formulas import find_form
    >>> relu = compare(find_form("relu"), find_form("exact"), "gradient")
    >>> errors = summarise_points(relu, np.array([0.0, math.nan, 0.0, 0.0]))
    >>> errors.maxima.n, errors.maxima.relative.value, float(errors.mean)
    (3, 1.0, 0.5)
    """
    finite = x[np.isfinite(x)]
    if not len(finite):
        raise UsageError("none of the points is finite; a summary needs one that is")
    *_, difference, ratio = errors_of_array(comparison, finite)
    absolute, relative = np.abs(difference), np.abs(ratio)
    relative[np.isnan(relative)] = 0
    total, squares = exact_sums(absolute)
    n, nan = len(finite), int(np.isnan(x).sum())
    return Errors(
        maxima_of(finite, absolute, relative),
        total / n,
        squares / n,
        percentiles(absolute, PERCENTS),
        regions_of(finite, absolute, relative, edges),
        nan,
        len(x) - n - nan,
    )


def maxima_of(x: Floats, absolute: Floats, relative: Floats) -> Maxima:
    """Return the largest errors, each at its first x."""
    first, second = (
        Largest(float(errors[i]), float(x[i]))
        for errors, i in ((each, int(np.argmax(each))) for each in (absolute, relative))
    )
    return Maxima(len(x), first, second)


def regions_of(
    x: Floats, absolute: Floats, relative: Floats, edges: Sequence[float]
) -> list[Region]:
    """Return the regions from the least point to the largest, which belongs to the last one."""
    low, high = float(x.min()), float(x.max())
    ends = [low, *(edge for edge in edges if low < edge < high), high]
    if low == high:
        return [Region(low, high, maxima_of(x, absolute, relative))]
    index = np.minimum(np.searchsorted(ends, x, side="right") - 1, len(ends) - 2)
    found = []
    for i, (a, b) in enumerate(pairwise(ends)):
        here = np.flatnonzero(index == i)
        maxima = maxima_of(x[here], absolute[here], relative[here]) if len(here) else None
        found.append(Region(a, b, maxima))
    return found


def percentiles(numbers: Floats, percents: Sequence[int]) -> list[float]:
    """Return for each p the smallest number that at least p% of all do not exceed.

    >>> percentiles(np.array([3.0, 1.0, 4.0, 1.5, 9.0]), [50, 99])
    [3.0, 9.0]
    """
    ranks = [max(1, math.ceil(Fraction(p * len(numbers), 100))) - 1 for p in percents]
    found = np.partition(numbers, ranks)
    return [float(found[rank]) for rank in ranks]


def root(square: Fraction | float, to: Target) -> Rounded:
    """Return the square root of a mean square, correctly rounded."""
    if isinstance(square, float):
        return math.sqrt(square)
    fraction = to_fraction(square)
    exact = fraction.p.isqrt(), fraction.q.isqrt()
    if exact[0] ** 2 == fraction.p and exact[1] ** 2 == fraction.q:
        return round_fraction(to, to_fraction(Fraction(int(exact[0]), int(exact[1]))))
    for doubling in range(6):
        with working((to.bits_needed + 64) << doubling):
            if (found := round_ball(to, arb(fraction).sqrt())) is not None:
                return found
    raise ComputationError("a root mean square is too near to the middle between two numbers")


def exact_sums(numbers: Floats) -> tuple[Fraction | float, Fraction | float]:
    """Return Σy and Σy² of float64s y ≥ 0 exactly.

    Infinite if a number is not finite.

    >>> total, squares = exact_sums(np.array([2.0**60, 0.5]))
    >>> (total - 2**60, squares - 2**120)
    (Fraction(1, 2), Fraction(1, 4))
    """
    if not np.isfinite(numbers).all():
        return math.inf, math.inf
    total = squares = Fraction(0)
    for at in range(0, len(numbers), MOST):
        significands, exponents = np.frexp(numbers[at : at + MOST])
        wholes = np.ldexp(significands, 3 * PIECE).astype(np.int64)
        mask = (1 << PIECE) - 1
        thirds = (wholes >> 2 * PIECE, wholes >> PIECE & mask, wholes & mask)
        a, b, c = (third.astype(np.float64) for third in thirds)
        units = exponents.astype(np.int64) - 3 * PIECE
        square = {4: a * a, 3: 2 * a * b, 2: b * b + 2 * a * c, 1: 2 * b * c, 0: c * c}
        total += _total({2: a, 1: b, 0: c}, units)
        squares += _total(square, 2 * units)
    return total, squares


def _total(pieces: Mapping[int, Floats], exponents: NDArray[np.int64]) -> Fraction:
    """Return the sum of pieces·2**(exponent + PIECE·key), whose sums in float64 are exact."""
    least, total = int(exponents.min(initial=0)), 0
    for key, piece in pieces.items():
        sums = np.bincount(exponents - least, weights=piece)
        for place in np.flatnonzero(sums).tolist():
            total += int(sums[place]) << (place + PIECE * key)
    return total * Fraction(2) ** least
