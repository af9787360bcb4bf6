"""Expectations over normal distributions by Gauss's rule, on the line cut into short parts."""

import itertools
import math
from functools import cache

import numpy as np

from tests.truth.arb import kinks, values_and_gradients

NODES, WEIGHTS = np.polynomial.legendre.leggauss(28)


def sample(mean, sigma, cuts):
    """Return points and their weights: E f(X) = Σ w·f(x) for f smooth between the cuts.

    The line is cut where the density starts and ends as well, and on every scale between 1 and
    sigma, which the forms have.
    """
    reach = 12 * sigma
    scales = [side * 4.0**n for n in range(-1, 12) for side in (-1, 1)]
    density = [mean + side * sigma * n for n in (1, 4) for side in (-1, 1)]
    ends = {mean - reach, mean, mean + reach, *density, *cuts, *scales, 0.0}
    ends = sorted({min(max(end, mean - reach), mean + reach) for end in ends})
    halves = [((high + low) / 2, (high - low) / 2) for low, high in itertools.pairwise(ends)]
    x = np.concatenate([middle + half * NODES for middle, half in halves])
    weights = np.concatenate([half * WEIGHTS for _, half in halves])
    z = (x - mean) / sigma
    return x, weights * np.exp(-z * z / 2) / (sigma * math.sqrt(2 * math.pi))


@cache
def sampled(name, mean, sigma):
    """Return weights, and the values and the gradients of a form at the points they belong to."""
    x, weights = sample(mean, sigma, kinks(name))
    return weights, *values_and_gradients(name, x)
