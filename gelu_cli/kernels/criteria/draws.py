"""How likely a draw from N(0, 1) rounds to a number, or is nearest to it of those judged."""

from __future__ import annotations

from math import inf, pi, sqrt

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array, Floats
from gelu_cli.arithmetic.formats import Format

NARROW = 2.0**-10
"""Cells up to this share of 1/x wide have the density in their middle, and its bend."""


def draw_weights(number_format: Format, x: Floats) -> Array:
    """Return the probability that X ~ N(0, 1) is nearest to each of these numbers of a format.

    They are finite, in the order of their bits, each once. Beyond the first and the last of a sign
    a number of the format is next, whether it is judged or not: of consecutive numbers each has
    the draws that round to it. To 11 digits or more, unless they are below 1e-300.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> draw_weights(FORMATS["float8_e5m2"], np.array([1.0, 1.25])).round(6).tolist()
    [0.043956, 0.045729]
    """
    from scipy.special import erfc

    sizes = np.abs(x.astype(np.float64))
    below, above = _gaps(number_format, x, sizes)
    width = (below + above) / 2
    with np.errstate(over="ignore", invalid="ignore"):
        middle = sizes + (above - below) / 4
        bend = 1 + width * width * (middle * middle - 1) / 24
        weights = np.exp(-middle * middle / 2) * (width * bend / sqrt(2 * pi))
    wide = np.flatnonzero(width * np.maximum(sizes, 1) > NARROW)
    low, high = (sizes - below / 2)[wide], (sizes + above / 2)[wide]
    weights[wide] = (erfc(low / sqrt(2)) - erfc(high / sqrt(2))) / 2
    return weights


def _gaps(number_format: Format, x: Floats, sizes: Array) -> tuple[Array, Array]:
    """Return how far the next numbers are, towards 0 and away from it; from 0 there is none."""
    steps, sign = np.diff(sizes), np.signbit(x)
    below, above = np.zeros_like(sizes), np.zeros_like(sizes)
    below[1:], above[:-1] = steps, steps
    (turns,) = np.nonzero(sign[1:] != sign[:-1])
    for i in [0, *(turns + 1).tolist()]:
        bits = number_format.bits(float(sizes[i]))
        below[i] = sizes[i] - number_format.number(bits - 1) if bits else 0.0
    for i in [*turns.tolist(), len(x) - 1]:
        size = float(sizes[i])
        beyond = size == number_format.largest
        above[i] = inf if beyond else number_format.number(number_format.bits(size) + 1) - size
    return below, above
