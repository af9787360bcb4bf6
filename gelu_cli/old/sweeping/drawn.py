"""Errors of results at inputs that are drawn from a normal distribution, X ~ N(mean, sigma²).

Each input has the probability that a draw rounds to it. The root mean square of the errors over
that of the errors of correctly rounded results is how much worse than rounding a kernel is.
"""

from __future__ import annotations

from functools import cache
from math import inf, nan, pi, sqrt
from operator import sub
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array, Floats, every_number
from gelu_cli.old.arithmetic.formats import Format


class Normal(NamedTuple):
    """The distribution of inputs that averages are for."""

    mean: float = 0.0
    sigma: float = 1.0

    def __str__(self) -> str:
        return f"N({self.mean:g}, {self.sigma:g}{'²' * (self.sigma != 1)})"


STANDARD = Normal()


class Drawn(NamedTuple):
    """Sums over results that are numbers: of weights, of squared errors, and of the least ones."""

    weight: float = 0.0
    squares: float = 0.0
    least: float = 0.0
    """Of correctly rounded results."""

    def add(self, other: Drawn) -> Drawn:
        """Return the sums over both parts."""
        return Drawn(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    @property
    def rms(self) -> float:
        """√E(got − y)², NaN where no draw meets an input."""
        return sqrt(self.squares / self.weight) if self.weight else nan

    @property
    def noise_ratio(self) -> float:
        """The same over that of correct rounding; 1 where both are 0, NaN where no draw meets."""
        if self.least:
            return sqrt(self.squares / self.least)
        return nan if not self.weight else inf if self.squares else 1.0


NONE_DRAWN = Drawn()

CHUNK = 64
"""Float32s in a row that have one weight: it is right to 2⁻¹⁷·x² of itself for X ~ N(0, 1)."""

FAR = 40
"""Standard deviations beyond which there is no draw."""


def drawn(number_format: Format, x: Floats, errors: Floats, least: Floats, normal: Normal) -> Drawn:
    """Return the sums over some inputs in the order of their bits; `least` may be `errors`.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> e5m2, errors, least = FORMATS["float8_e5m2"], np.array([0.2, 0.2]), np.array([0.1, 0.1])
    >>> found = drawn(e5m2, np.array([1.0, 1.25]), errors, least, STANDARD)
    >>> round(found.rms, 6), round(found.noise_ratio, 6)
    (0.2, 2.0)
    """
    mean, sigma = normal
    low, high = sorted((float(x[i]) - mean) / sigma for i in (0, -1))
    if low > FAR or high < -FAR:
        return NONE_DRAWN
    end = max(abs(float(x[0])), abs(float(x[-1])))
    change = min(max(-low, high), FAR) * CHUNK * 2.0**-23 * end / sigma  # of a density's logarithm
    if len(x) % CHUNK or change > 2.0**-6 or not _are_consecutive(number_format, x):
        weights = draw_weights(number_format, x, normal)
    else:
        middles = x[CHUNK // 2 :: CHUNK]
        weights = _density(middles.astype(np.float64), normal) * np.spacing(np.abs(middles))
    some = weights > 0
    sums = []
    for values in [errors] if least is errors else [errors, least]:
        rows = values.reshape(len(weights), -1)
        squares = np.einsum("ij,ij->i", rows, rows)
        sums.append(float(weights[some] @ squares[some]))
    return Drawn(float(np.sum(weights)) * (len(x) // len(weights)), sums[0], sums[-1])


def _are_consecutive(number_format: Format, x: Floats) -> bool:
    """Return whether these are float32s without one left out."""
    ends = (number_format.bits(float(each)) for each in x[[0, -1]])
    return number_format.width == 32 and sub(*ends) == 1 - len(x)


def _density(x: Array, normal: Normal) -> Array:
    z = (x - normal.mean) / normal.sigma
    density: Array = np.exp(-z * z / 2) / (normal.sigma * sqrt(2 * pi))
    return density


NARROW = 2.0**-10
"""Cells up to this share of 1/x wide have the density in their middle, and its bend."""


def draw_weights(number_format: Format, x: Floats, normal: Normal = STANDARD) -> Array:
    """Return the probability that X is nearest to each of these numbers of a format.

    They are finite, in the order of their bits, each once. Beyond the first and the last of a sign
    a number of the format is next, whether it is judged or not: of consecutive numbers each has
    the draws that round to it. To 11 digits or more, unless they are below 1e-300.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> draw_weights(FORMATS["float8_e5m2"], np.array([1.0, 1.25])).round(6).tolist()
    [0.043956, 0.045729]
    """
    sizes, sign = np.abs(x.astype(np.float64)), np.where(np.signbit(x), -1.0, 1.0)
    below, above = _gaps(number_format, x, sizes)
    ends = sign * (sizes - below / 2), sign * (sizes + above / 2)
    with np.errstate(invalid="ignore"):
        return cell_weights(sign * (sizes + (above - below) / 4), (below + above) / 2, ends, normal)


def weights_of_some(number_format: Format, x: Array, normal: Normal = STANDARD) -> Array:
    """Return the probability that X rounds to each of these numbers, in whatever order.

    The format has 16 bits or fewer.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> weights_of_some(FORMATS["float8_e5m2"], np.array([-1.25, 1.0, 8.0])).round(6).tolist()
    [0.045729, 0.043956, 0.0]
    """
    every, weights = _weights_of_all(number_format, normal)
    half = len(every) // 2
    some: Array = weights[np.searchsorted(every[:half], np.abs(x)) + half * np.signbit(x)]
    return some


@cache
def _weights_of_all(number_format: Format, normal: Normal) -> tuple[Array, Array]:
    every = every_number(number_format)
    return every, draw_weights(number_format, every, normal)


@np.errstate(over="ignore", invalid="ignore")
def cell_weights(middles: Array, widths: Array, ends: tuple[Array, Array], normal: Normal) -> Array:
    """Return the probability that X is in each of some cells.

    >>> ends = np.array([-1.0]), np.array([1.0])
    >>> cell_weights(np.zeros(1), np.array([2.0]), ends, STANDARD).round(6).tolist()
    [0.682689]
    """
    from scipy.special import erfc

    width, middle = widths / normal.sigma, (middles - normal.mean) / normal.sigma
    bend = 1 + width * width * (middle * middle - 1) / 24
    weights: Array = _density(middles, normal) * (widths * bend)
    wide = ~(width * np.maximum(np.abs(middle), 1) <= NARROW)
    low, high = ((end[wide] - normal.mean) / normal.sigma for end in ends)
    # On the side of 0 where Φ does not cancel.
    side = np.where(low + high < 0, -1.0, 1.0) / sqrt(2)
    weights[wide] = np.abs(erfc(side * low) - erfc(side * high)) / 2
    return weights


def weights_at(number_format: Format, x: Floats, some: Any, normal: Normal) -> Array:
    """Return what `draw_weights` does, to 6 digits, at some of the places."""
    if not _are_consecutive(number_format, x) or abs(x[-1]) * 2.0**-17 > normal.sigma:
        some_of_all: Array = draw_weights(number_format, x, normal)[some]
        return some_of_all
    weights: Array = _density(x[some].astype(np.float64), normal) * np.spacing(np.abs(x[some]))
    return weights


def _gaps(number_format: Format, x: Floats, sizes: Array) -> tuple[Array, Array]:
    """Return how far the next numbers are, towards 0 and away from it; from 0 there is none."""
    steps, sign = np.diff(sizes), np.signbit(x)
    below, above = np.append(0.0, steps), np.append(steps, 0.0)
    turns = np.flatnonzero(sign[1:] != sign[:-1]).tolist()
    for first, last in zip([0, *(i + 1 for i in turns)], [*turns, len(x) - 1], strict=True):
        least, most = float(sizes[first]), float(sizes[last])
        bits = number_format.bits(least)
        below[first] = least - number_format.number(bits - 1) if bits else 0.0
        beyond = number_format.number(number_format.bits(most) + 1)
        above[last] = inf if most == number_format.largest else beyond - most
    return below, above
