"""Sums over results and what is due, as a correlation or a mean squared error is made of them.

Each result has a weight: 1, or how likely a draw from N(0, 1) is nearest to its input.
"""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array


class Sums(NamedTuple):
    """Weighted means of results and of what is due, and sums of products, over 2**exponent each.

    Sums are centred, as deviations from the means, so that little cancels; products are in units of
    4**exponent, so that none overflows. Results that are NaN or infinite, and such as should be,
    are taken as 0. Two parts are added as Chan, Golub and LeVeque do (1983).
    """

    weight: float
    means: Array
    """Of results, and of what is due."""

    products: Array
    """Σ w·a·b, 2×2, for a and b the deviations of results and of what is due."""

    errors: float
    """Σ w·(got − want)²."""

    broken: float
    """The weight of results that are NaN, or infinite where another number is due."""

    exponent: int

    @property
    def correlation(self) -> float:
        """Pearson's correlation of results and what is due, NaN where one of them is constant."""
        return _cosine(self.products) if self.errors else 1.0

    @property
    def cosine(self) -> float:
        """Σ w·got·want/√(Σ w·got²·Σ w·want²), NaN where a result is NaN or infinite."""
        return nan if self.broken else _cosine(self._powers)

    @property
    def normalized_error(self) -> float:
        """Σ w·(got − want)²/Σ w·got², NaN where a result is NaN or infinite."""
        if self.broken:
            return nan
        power = float(self._powers[0, 0])
        return self.errors / power if power else inf if self.errors else 0.0

    @property
    def _powers(self) -> Array:
        """Σ w·a·b for a and b the results and what is due."""
        return self.products + self.weight * self.means[:, None] * self.means

    def add(self, other: Sums) -> Sums:
        """Return the sums over both parts."""
        if not (self.weight and other.weight):
            return self if self.weight else other
        exponent = max(self.exponent, other.exponent)
        weight = self.weight + other.weight
        share = other.weight / weight
        one, two = (2.0 ** max(each.exponent - exponent, -1000) for each in (self, other))
        means, apart = self.means * one, other.means * two - self.means * one
        return Sums(
            weight,
            means + apart * share,
            self.products * one**2
            + other.products * two**2
            + apart[:, None] * apart * (self.weight * share),
            self.errors * one**2 + other.errors * two**2,
            self.broken + other.broken,
            exponent,
        )


def _cosine(products: Array) -> float:
    (first, mixed), (_, second) = products.tolist()
    lengths = sqrt(first) * sqrt(second)
    return max(-1.0, min(1.0, mixed / lengths)) if lengths else nan


def sums_of(got: Array, want: Array, weights: Array) -> Sums:
    """Return the sums over some results, each with its weight; those without any are left out.

    >>> sums = sums_of(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]), np.ones(3))
    >>> round(sums.correlation, 6), sums.normalized_error == 1 / 21
    (0.981981, True)
    """
    weight = float(np.sum(weights))
    if not weight:
        return Sums(0.0, np.zeros(2), np.zeros((2, 2)), 0.0, 0.0, 0)
    broken = np.isnan(got) | (np.isinf(got) & (got != want))
    both = np.stack([np.where(np.isfinite(got), got, 0.0), np.where(np.isfinite(want), want, 0.0)])
    both[:, weights == 0] = 0.0
    exponent = int(np.frexp(np.max(np.abs(both)))[1])
    both = np.ldexp(both, -exponent)
    means = np.sum(weights * both, axis=1) / weight
    apart = both - means[:, None]
    return Sums(
        weight,
        means,
        np.sum(weights * apart[:, None] * apart, axis=2),
        float(np.sum(weights * (both[0] - both[1]) ** 2)),
        float(np.sum(weights[broken])),
        exponent,
    )
