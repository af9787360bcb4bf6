"""Acceptance criteria of other test suites, applied to a kernel.

The reference of such a test is the correctly rounded result (`want`), as of one that computes in a
wider format and rounds. Criteria are measured of all inputs alike (`MEASURED`), and of draws: there
an input counts by its probability. What is seen of parts of the inputs adds up in any order: sums
for Pearson's correlation are centred, so that little cancels, and add up as Chan, Golub and LeVeque
do (1983).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from gelu_cli.accuracy.judge import Block
from gelu_cli.accuracy.selection import Normal
from gelu_cli.accuracy.tally import Rows, largest_of
from gelu_cli.numbers.cells import Floats

MEASURED = "judged"

RARE = 1e-6
"""A probability that tests do not see: they draw a million numbers or so."""

CORRELATIONS = (0.99, 0.999, 0.9999)
"""Thresholds of `pcc_…`. NaN and infinities count as 0, as in tt-metal's `comp_pcc`."""

CONSTANT = 2.0**-48
"""Deviations below this share of the mean are rounding errors of equal numbers."""


class Tolerance(NamedTuple):
    """|got − want| ≤ atol + rtol·|want|; infinities and NaNs may be equal."""

    rtol: float = 0.0
    atol: float = 0.0

    @np.errstate(all="ignore")  # results may be NaN and infinite
    def excess(self, got: Floats, want: Floats) -> Floats:
        """Return |got − want|/(atol + rtol·|want|): close results have at most 1.

        >>> Tolerance(0.5, 1.0).excess(np.array([1.0, np.nan]), np.array([4.0, 0.0])).tolist()
        [1.0, inf]
        """
        times = np.abs(got - want) / (self.atol + self.rtol * np.abs(want))
        equal = (got == want) | (np.isnan(got) & np.isnan(want))
        return np.where(equal, 0.0, np.nan_to_num(times, nan=np.inf, posinf=np.inf))


TORCH = {
    "float64": Tolerance(1e-7, 1e-7),
    "float32": Tolerance(1.3e-6, 1e-5),
    "float16": Tolerance(1e-3, 1e-5),
    "bfloat16": Tolerance(1.6e-2, 1e-5),
}
"""Defaults of `torch.testing.assert_close`; of 8-bit formats, which have none, bits must agree.

Source: `_DTYPE_PRECISIONS` of torch/testing/_comparison.py, PyTorch 2.13."""


def tolerances_of(result: str, own: Tolerance | None = None) -> Mapping[str, Tolerance]:
    """List the tolerances of single results, the user's own first."""
    return {
        **({f"rtol={own.rtol:g},atol={own.atol:g}": own} if own else {}),
        "torch.testing.assert_close": TORCH.get(result, Tolerance()),
        "numpy.testing.assert_allclose": Tolerance(1e-7),
        "numpy.allclose": Tolerance(1e-5, 1e-8),
    }


class Seen(NamedTuple):
    """Findings on results, plain and weighted.

    Attributes
    ----------
    largest
        By tolerance the largest excess over it.
    failing
        By tolerance the probability of the draws that fail.
    sums
        Sums for the correlation over all inputs, and over draws.
    """

    largest: Mapping[str, Rows]
    failing: Mapping[str, float]
    sums: tuple[Sums, Sums]

    def add(self, other: Seen) -> Seen:
        """Add findings at other inputs."""
        return Seen(
            {name: largest_of(rows, other.largest[name]) for name, rows in self.largest.items()},
            {name: share + other.failing[name] for name, share in self.failing.items()},
            (self.sums[0].add(other.sums[0]), self.sums[1].add(other.sums[1])),
        )


def see(block: Block, got: Floats, own: Tolerance | None = None) -> Seen:
    """Apply the criteria to results at the inputs of a block."""
    count, want = len(got), block.truth.want
    weight = block.weight if len(block.weight) else np.zeros(1)
    weight = np.repeat(weight, count // len(weight))
    largest, failing = {}, {}
    for name, tolerance in tolerances_of(block.question.result.name, own).items():
        excess = tolerance.excess(got, want)
        worst = int(np.argmax(excess))
        largest[name] = block.rows([worst], excess[worst], got)
        failing[name] = float(np.sum(weight[excess > 1]))
    return Seen(largest, failing, (sums_of(got, want, np.ones(count)), sums_of(got, want, weight)))


class Outcome(NamedTuple):
    """A row: the outcome of a criterion, over all inputs or over draws.

    Attributes
    ----------
    criterion, inputs
        The name, and `judged` for all inputs or the distribution of draws.
    verdict
        `passes` or `fails`; None if nothing can fail.
    found, threshold
        The measured number, and its limit; for single results and draws `found` is the probability
        that a draw fails.
    x, up
        The inputs that decide; None for correlations and draws.
    """

    criterion: str
    inputs: str
    verdict: str | None
    found: float
    threshold: float | None
    x: float | None = None
    up: float | None = None


def outcomes(seen: Seen, normal: Normal) -> Iterator[Outcome]:
    """Yield the outcomes of all criteria."""
    said = {True: "passes", False: "fails"}
    of_draws = seen.sums[1].weight
    for name, rows in seen.largest.items():
        ((excess, *inputs, _),) = rows.tolist()
        yield Outcome(name, MEASURED, said[excess <= 1], excess, 1.0, *inputs)
        if of_draws:
            share = seen.failing[name] / of_draws
            yield Outcome(name, str(normal), said[share <= RARE], share, RARE)
    for least in CORRELATIONS:
        for inputs, sums in zip((MEASURED, str(normal)), seen.sums, strict=True):
            if sums.weight:
                found = sums.correlation
                yield Outcome(f"pcc_{least:g}", inputs, said[found >= least], found, least)


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
