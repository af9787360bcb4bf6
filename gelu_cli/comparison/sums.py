"""Sums over results and what is due, as a correlation or a mean squared error is made of them.

Each result has a weight: 1, or how likely a draw from N(0, 1) is nearest to its input.
"""

from __future__ import annotations

from math import inf, nan, pi, sqrt
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array, Floats
from gelu_cli.arithmetic.formats import Format


class Sums(NamedTuple):
    """Weighted means of results and of what is due, and sums of squares, over 2**exponent each.

    Sums are centred, as deviations from the means, so that little cancels; a squared deviation is
    in units of 4**exponent, so that none overflows. Results that are NaN or infinite, and such as
    should be, are taken as 0. Two parts are added as Chan, Golub and LeVeque do (1983).
    """

    weight: float
    got: float
    want: float
    got_got: float
    want_want: float
    got_want: float
    errors: float
    """Σ w·(got − want)²."""

    broken: float
    """The weight of results that are NaN, or infinite where another number is due."""

    exponent: int

    @property
    def correlation(self) -> float:
        """Pearson's correlation of results and what is due, NaN where one of them is constant."""
        if not self.errors:
            return 1.0
        return _cosine(self.got_want, self.got_got, self.want_want)

    @property
    def cosine(self) -> float:
        """Σ w·got·want/√(Σ w·got²·Σ w·want²), NaN where a result is NaN or infinite."""
        if self.broken:
            return nan
        mixed = self.got_want + self.weight * self.got * self.want
        return _cosine(mixed, self.got_power, self.want_want + self.weight * self.want**2)

    @property
    def normalized_error(self) -> float:
        """Σ w·(got − want)²/Σ w·got², NaN where a result is NaN or infinite."""
        if self.broken:
            return nan
        if not self.errors:
            return 0.0
        return self.errors / self.got_power if self.got_power else inf

    @property
    def got_power(self) -> float:
        """Σ w·got²."""
        return self.got_got + self.weight * self.got**2

    def in_units_of(self, exponent: int) -> Sums:
        """Return the same sums over another power of 2."""
        if exponent == self.exponent:
            return self
        scale = 2.0 ** max(self.exponent - exponent, -1000)
        square = scale * scale
        return self._replace(
            got=self.got * scale,
            want=self.want * scale,
            got_got=self.got_got * square,
            want_want=self.want_want * square,
            got_want=self.got_want * square,
            errors=self.errors * square,
            exponent=exponent,
        )

    def add(self, other: Sums) -> Sums:
        """Return the sums over both parts."""
        if not (self.weight and other.weight):
            return self if self.weight else other
        exponent = max(self.exponent, other.exponent)
        one, two = self.in_units_of(exponent), other.in_units_of(exponent)
        weight = one.weight + two.weight
        share = two.weight / weight
        got, want = two.got - one.got, two.want - one.want
        between = one.weight * share
        return Sums(
            weight,
            one.got + got * share,
            one.want + want * share,
            one.got_got + two.got_got + got * got * between,
            one.want_want + two.want_want + want * want * between,
            one.got_want + two.got_want + got * want * between,
            one.errors + two.errors,
            one.broken + two.broken,
            exponent,
        )


def _cosine(mixed: float, first: float, second: float) -> float:
    lengths = sqrt(first) * sqrt(second)
    return max(-1.0, min(1.0, mixed / lengths)) if lengths else nan


NOTHING = Sums(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0)


def sums_of(got: Array, want: Array, weights: Array) -> Sums:
    """Return the sums over some results, each with its weight; those without any are left out.

    >>> sums = sums_of(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]), np.ones(3))
    >>> round(sums.correlation, 6), sums.normalized_error == 1 / 21
    (0.981981, True)
    """
    weight = float(np.sum(weights))
    if not weight:
        return NOTHING
    broken = np.isnan(got) | (np.isinf(got) & (got != want))
    left = (weights > 0) & np.isfinite(got)
    got = np.where(left, got, 0.0)
    want = np.where((weights > 0) & np.isfinite(want), want, 0.0)
    largest = max(float(np.max(np.abs(got))), float(np.max(np.abs(want))))
    exponent = int(np.frexp(largest)[1])
    got, want = np.ldexp(got, -exponent), np.ldexp(want, -exponent)
    mean_got, mean_want = (float(np.sum(weights * each)) / weight for each in (got, want))
    off_got, off_want = got - mean_got, want - mean_want
    return Sums(
        weight,
        mean_got,
        mean_want,
        float(np.sum(weights * off_got * off_got)),
        float(np.sum(weights * off_want * off_want)),
        float(np.sum(weights * off_got * off_want)),
        float(np.sum(weights * (got - want) ** 2)),
        float(np.sum(weights[broken])),
        exponent,
    )


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
