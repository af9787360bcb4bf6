"""The probability that a draw of N(M, S²) rounds to each of some inputs.

An input has the draws that are nearest to it: its cell ends half way to the inputs beside it. A
cell [x − b/2, x + a/2] is known by the gaps b and a, which are exact where it is narrow, so that no
midpoint is rounded: neighbouring float64s have none.
"""

from __future__ import annotations

from math import erfc, inf, isnan, nan, pi, sqrt
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


def weights_of(
    of: Format, x: Floats, normal: Normal = STANDARD, before: float = nan, after: float = nan
) -> Floats:
    """Return the probability of each input, to 11 digits above 10⁻³⁰⁰.

    Draws below 0 belong to the negative inputs, −0 among them, others to the positive ones.

    Parameters
    ----------
    of
        The format of inputs.
    x
        Finite inputs in the order of bit patterns, each once.
    normal
        The distribution.
    before, after
        Sizes of the inputs before the first and after the last; by default of the next numbers.

    Examples
    --------
    >>> from gelu_cli.numbers import find_format
    >>> weights_of(find_format("e5m2"), np.array([1.0, 1.25, -1.0])).round(6).tolist()
    [0.043956, 0.045729, 0.043956]
    """
    turn = int(np.searchsorted(np.signbit(x), True))
    positive, negative = np.abs(x[:turn]), np.abs(x[turn:])
    ends = (before, nan, nan, after) if len(positive) and len(negative) else (before, after) * 2
    parts = [_of_sizes(of, positive, 1, normal, *ends[:2])] if len(positive) else []
    parts += [_of_sizes(of, negative, -1, normal, *ends[2:])] if len(negative) else []
    return np.concatenate([np.zeros(0), *parts])


@np.errstate(over="ignore", invalid="ignore")  # beyond the largest float64
def _of_sizes(
    of: Format, sizes: Floats, sign: int, normal: Normal, before: float, after: float
) -> Floats:
    if isnan(before):
        bits = of.bits(float(sizes[0]))
        before = of.number(bits - 1) if bits else 0.0
    if isnan(after):
        last = float(sizes[-1])
        after = inf if last == of.largest else of.number(of.bits(last) + 1)
    below, above = np.diff(sizes, prepend=before), np.diff(sizes, append=after)
    left, right = (below, above) if sign > 0 else (above, below)
    return _of_cells(sign * sizes - normal.mean, left, right, normal.sigma)


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
