"""Pearson's correlation of results and expected ones, part by part.

Sums are centred, so that little cancels, and add up as Chan, Golub and LeVeque do (1983).
"""

from __future__ import annotations

from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from gelu_cli.numbers.cells import Floats

CONSTANT = 2.0**-48
"""Deviations below this share of the mean are rounding errors of equal numbers."""


class Sums(NamedTuple):
    """Weighted sums of results and expected ones, scaled by a power of 2.

    Attributes
    ----------
    weight
        The sum of weights.
    means
        Of results, and of expected ones.
    products
        Σ w·a·b, 2×2, for a and b the deviations of results and of expected ones from their means.
    exponent
        Means are over 2**exponent, products over its square.
    """

    weight: float = 0.0
    means: Floats = np.zeros(2)
    products: Floats = np.zeros((2, 2))
    exponent: int = 0

    @property
    def correlation(self) -> float:
        """Pearson's correlation: 1 of equal results, NaN of constant ones."""
        (first, mixed), (_, second) = self.products.tolist()
        if first == mixed == second and self.means[0] == self.means[1]:
            return 1.0
        if np.any(np.diag(self.products) <= self.weight * (CONSTANT * self.means) ** 2):
            return nan
        return float(np.clip(mixed / (sqrt(first) * sqrt(second)), -1, 1))

    def add(self, other: Sums) -> Sums:
        """Return the sums over both parts."""
        if not (self.weight and other.weight):
            return self if self.weight else other
        exponent = max(self.exponent, other.exponent)
        one, two = (2.0 ** max(each.exponent - exponent, -1000) for each in (self, other))
        weight = self.weight + other.weight
        share = other.weight / weight
        apart = other.means * two - self.means * one
        between = np.outer(apart, apart) * (self.weight * share)
        products = self.products * one**2 + other.products * two**2 + between
        return Sums(weight, self.means * one + apart * share, products, exponent)


def sums_of(got: Floats, want: Floats, weights: Floats) -> Sums:
    """Return the sums over some results, each with its weight.

    NaN and infinities are taken as 0.

    >>> sums = sums_of(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]), np.ones(3))
    >>> round(sums.correlation, 6)
    0.981981
    """
    some = weights > 0
    if not some.any():
        return Sums()
    both = np.nan_to_num(np.stack([got, want])[:, some], nan=0.0, posinf=0.0, neginf=0.0)
    weights, weight = weights[some], float(np.sum(weights))
    exponent = int(np.frexp(np.max(np.abs(both)))[1])
    both = np.ldexp(both, -exponent)
    means = both @ weights / weight
    apart = both - means[:, None]
    return Sums(weight, means, (weights * apart) @ apart.T, exponent)
