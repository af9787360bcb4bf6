"""Sums for correlation, cosine and normalized error.

Parts add up as Chan, Golub and LeVeque do (1983): sums are centred, as deviations from the means,
so that little cancels.
"""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.numbers.cells import Floats


class Sums(NamedTuple):
    """Weighted sums of results and expected ones, scaled by a power of 2.

    Results that are NaN or infinite, and expected ones, are taken as 0.

    Attributes
    ----------
    weight
        The sum of weights.
    means
        Of results, and of expected ones.
    products
        Σ w·a·b, 2×2, for a and b the deviations of results and of expected ones from their means.
    errors
        Σ w·(got − want)².
    broken
        The weight of results that are NaN, or infinite where another number is right.
    exponent
        Means are over 2**exponent, products over its square.
    ends
        The least and the largest results, and expected ones, not scaled.
    """

    weight: float
    means: Floats
    products: Floats
    errors: float
    broken: float
    exponent: int
    ends: Floats

    @property
    def correlation(self) -> float:
        """Pearson's correlation: 1 of equal results, NaN of constant ones."""
        if not self.errors:
            return 1.0
        constant = bool(np.any(self.ends[0] == self.ends[1]))
        return nan if constant else _cosine(self.products)

    @property
    def cosine(self) -> float:
        """Σ w·got·want/√(Σ w·got²·Σ w·want²), NaN if a result is broken."""
        return nan if self.broken else _cosine(self._powers)

    @property
    def normalized_error(self) -> float:
        """Σ w·(got − want)²/Σ w·got², NaN if a result is broken."""
        if self.broken:
            return nan
        power = float(self._powers[0, 0])
        return self.errors / power if power else inf if self.errors else 0.0

    @property
    def _powers(self) -> Floats:
        """Σ w·a·b for a and b results and expected ones."""
        powers: Floats = self.products + self.weight * self.means[:, None] * self.means
        return powers

    def add(self, other: Sums) -> Sums:
        """Return the sums over both parts."""
        if not (self.weight and other.weight):
            return self if self.weight else other
        exponent = max(self.exponent, other.exponent)
        one, two = (2.0 ** max(each.exponent - exponent, -1000) for each in (self, other))
        weight = self.weight + other.weight
        share = other.weight / weight
        means, apart = self.means * one, other.means * two - self.means * one
        between = apart[:, None] * apart * (self.weight * share)
        return Sums(
            weight,
            means + apart * share,
            self.products * one**2 + other.products * two**2 + between,
            self.errors * one**2 + other.errors * two**2,
            self.broken + other.broken,
            exponent,
            np.stack([np.fmin(self.ends, other.ends)[0], np.fmax(self.ends, other.ends)[1]]),
        )


def _cosine(products: Any) -> float:
    (first, mixed), (_, second) = products.tolist()
    lengths = sqrt(first) * sqrt(second)
    return max(-1.0, min(1.0, mixed / lengths)) if lengths else nan


def sums_of(got: Floats, want: Floats, weights: Floats) -> Sums:
    """Return the sums over some results, each with its weight.

    >>> sums = sums_of(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]), np.ones(3))
    >>> round(sums.correlation, 6), sums.normalized_error == 1 / 21
    (0.981981, True)
    """
    some = weights > 0
    if not some.any():
        return Sums(0.0, np.zeros(2), np.zeros((2, 2)), 0.0, 0.0, 0, np.full((2, 2), nan))
    got, want, weights = got[some], want[some], weights[some]
    broken = np.isnan(got) | (np.isinf(got) & (got != want))
    both = np.stack([np.where(np.isfinite(each), each, 0.0) for each in (got, want)])
    ends = np.stack([both.min(axis=1), both.max(axis=1)])
    exponent = int(np.frexp(np.max(np.abs(ends)))[1])
    both = np.ldexp(both, -exponent)
    weight = float(np.sum(weights))
    means = np.sum(weights * both, axis=1) / weight
    apart = both - means[:, None]
    return Sums(
        weight,
        means,
        np.sum(weights * apart[:, None] * apart, axis=2),
        float(np.sum(weights * (both[0] - both[1]) ** 2)),
        float(np.sum(weights[broken])),
        exponent,
        ends,
    )
