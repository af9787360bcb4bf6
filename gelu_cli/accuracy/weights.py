"""The probability that a draw of N(M, S²) rounds to each of some inputs.

An input has the draws that are nearest to it: its cell ends half way to the inputs beside it. A
cell [x − b/2, x + a/2] is known by the gaps b and a, which are exact where it is narrow, so that no
midpoint is rounded: neighbouring float64s have none.
"""

from __future__ import annotations

from math import erfc, inf, pi, sqrt
from typing import NamedTuple

import numpy as np

from gelu_cli.numbers import Format
from gelu_cli.numbers.cells import Floats

NARROW = 2.0**-10
"""Narrow cells have width·max(|middle|, 1) ≤ NARROW, in standard deviations: the density in the
middle times 1 + width²·(middle² − 1)/24 is then right to NARROW⁴/1920 < 2⁻⁵⁰."""

FAR = 40
"""Standard deviations beyond which there are no draws."""


class Normal(NamedTuple):
    """The normal distribution N(mean, sigma²) of inputs.

    >>> str(Normal()), str(Normal(1.0, 2.0))
    ('N(0, 1)', 'N(1, 2²)')
    """

    mean: float = 0.0
    sigma: float = 1.0

    def __str__(self) -> str:
        return f"N({self.mean:g}, {self.sigma:g}{'²' * (self.sigma != 1)})"

    def density(self, x: Floats) -> Floats:
        """Return the density at numbers."""
        z = (x - self.mean) / self.sigma
        return np.asarray(np.exp(-z * z / 2) / (self.sigma * sqrt(2 * pi)))


STANDARD = Normal()


def weights_of(of: Format, x: Floats, normal: Normal = STANDARD) -> Floats:
    """Return the probability of each input, to 11 digits above 10⁻³⁰⁰.

    Draws below 0 belong to the negative inputs, −0 among them, others to the positive ones. The
    inputs of each sign have the draws of the format's numbers from their first to their last.

    Parameters
    ----------
    of
        The format of inputs.
    x
        Finite inputs in the order of bit patterns, each once.
    normal
        The distribution.

    Examples
    --------
    >>> from gelu_cli.numbers import find_format
    >>> weights_of(find_format("e5m2"), np.array([1.0, 1.25, -1.0])).round(6).tolist()
    [0.043956, 0.045729, 0.043956]
    """
    weights = np.zeros(len(x))
    for sign, some in ((1, ~np.signbit(x)), (-1, np.signbit(x))):
        if not some.any():
            continue
        sizes = np.abs(x[some])
        first, last = (of.bits(float(each)) for each in sizes[[0, -1]])
        before = of.number(first - 1) if first else 0.0
        after = inf if last == of.top - 1 else of.number(last + 1)
        with np.errstate(over="ignore", invalid="ignore"):  # beyond the largest float64
            gaps = np.diff(sizes, prepend=before, append=after)
            left, right = (gaps[:-1], gaps[1:])[::sign]
            weights[some] = _of_cells(sign * sizes - normal.mean, left, right, normal.sigma)
    return weights


def _of_cells(x: Floats, left: Floats, right: Floats, sigma: float) -> Floats:
    """Return P(x − left/2 < X < x + right/2) for X ~ N(0, sigma²)."""
    width, middle = (left + right) / (2 * sigma), (x + (right - left) / 4) / sigma
    square = middle * middle
    weights = np.exp(-square / 2) / sqrt(2 * pi) * width * (1 + width * width * (square - 1) / 24)
    wide = ~(width * np.maximum(np.abs(middle), 1) <= NARROW)
    low, high = (x - left / 2) / sigma, (x + right / 2) / sigma
    weights[wide] = 0.0
    near = np.flatnonzero(wide & (low < FAR) & (high > -FAR))
    ends = zip(low[near].tolist(), high[near].tolist(), strict=True)
    weights[near] = [_between(*each) for each in ends]
    return np.asarray(weights)


def _between(low: float, high: float) -> float:
    """Return Φ(high) − Φ(low), on the side of 0 where Φ does not cancel."""
    side = sqrt(0.5) if low + high > 0 else -sqrt(0.5)
    return abs(erfc(side * low) - erfc(side * high)) / 2


def probability(low: float, high: float, normal: Normal = STANDARD) -> float:
    """Return P(low ≤ X ≤ high).

    >>> round(probability(-1.0, 1.0), 6), probability(0.0, float("inf"))
    (0.682689, 0.5)
    """
    mean, sigma = normal
    low, high = (min(max(end - mean, -FAR * sigma), FAR * sigma) for end in (low, high))
    width = np.array([high - low])
    return float(_of_cells(np.array([low / 2 + high / 2]), width, width, sigma)[0])
