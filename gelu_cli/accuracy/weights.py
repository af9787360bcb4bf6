"""How likely a draw of N(M, S²) rounds to each of some numbers: a stand-in."""

from __future__ import annotations

from math import inf, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.numbers import Format
from gelu_cli.numbers.cells import Floats

NARROW = 2.0**-10


class Normal(NamedTuple):
    """The distribution of inputs that averages are for."""

    mean: float = 0.0
    sigma: float = 1.0

    def density(self, x: Floats) -> Floats:
        """Return the density."""
        z = (x - self.mean) / self.sigma
        return np.asarray(np.exp(-z * z / 2) / (self.sigma * sqrt(2 * pi)))


STANDARD = Normal()


@np.errstate(over="ignore", invalid="ignore")
def weights_of(
    of: Format, x: Floats, normal: Normal, before: float = np.nan, after: float = np.nan
) -> Floats:
    """Return the probabilities of the cells of numbers in the order of bit patterns."""
    found = np.empty(len(x))
    negative = np.signbit(x)
    turn = int(np.argmax(negative)) if negative.any() else len(x)
    for sign, some in ((1, slice(0, turn)), (-1, slice(turn, len(x)))):
        sizes = np.abs(x[some]).astype(np.float64)
        if not len(sizes):
            continue
        first = before if some.start == 0 else np.nan
        last = after if some.stop == len(x) else np.nan
        bits = of.bits(float(sizes[0]))
        if np.isnan(first):
            first = of.number(bits - 1) if bits else 0.0
        if np.isnan(last):
            top = float(sizes[-1])
            last = inf if top == of.largest else of.number(of.bits(top) + 1)
        below = np.diff(sizes, prepend=first)
        above = np.diff(sizes, append=last)
        low, high = sizes - below / 2, sizes + above / 2
        middles = sizes + (above - below) / 4
        found[some] = _between(sign * low, sign * high, sign * middles, (below + above) / 2, normal)
    return found


def _between(low: Any, high: Any, middles: Any, widths: Any, normal: Normal) -> Floats:
    from scipy.special import erfc

    width, middle = widths / normal.sigma, (middles - normal.mean) / normal.sigma
    bend = 1 + width * width * (middle * middle - 1) / 24
    weights = normal.density(middles) * (widths * bend)
    wide = ~(width * np.maximum(np.abs(middle), 1) <= NARROW)
    ends = [(each[wide] - normal.mean) / normal.sigma for each in (low, high)]
    side = np.where(ends[0] + ends[1] < 0, -1.0, 1.0) / sqrt(2)
    weights[wide] = np.abs(erfc(side * ends[0]) - erfc(side * ends[1])) / 2
    return np.asarray(weights)


def probability(low: float, high: float, normal: Normal) -> float:
    """Return P(low ≤ X ≤ high)."""
    with np.errstate(over="ignore", invalid="ignore"):
        ends = np.array([low]), np.array([high])
        middle, width = ends[0] / 2 + ends[1] / 2, ends[1] - ends[0]
        return float(_between(*ends, middle, width, normal)[0])
