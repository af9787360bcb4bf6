"""Apply the acceptance criteria of other test suites to a kernel.

Results are compared with correctly rounded results (`want`), as in a test that computes in a wider
format and rounds. Each criterion is applied to all inputs with equal weights (`MEASURED`), and to
random inputs, where the weight of an input is its probability. To avoid cancellation, Pearson's
correlation is computed from products of deviations from the means. The sums over two sets of inputs
are added by the formulas of Chan, Golub and LeVeque (1983).
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
"""A tolerance passes if random inputs fail with probability ≤ RARE: tests often have 10⁶ inputs."""

CORRELATIONS = (0.99, 0.999, 0.9999)
"""Thresholds of the criteria `pcc_…`. NaN and ±∞ count as 0, as in tt-metal's `comp_pcc`."""

CONSTANT = 2.0**-48
"""Numbers whose standard deviation is ≤ CONSTANT·|mean|, a rounding error, count as constant."""


class Tolerance(NamedTuple):
    """The criterion |got − want| ≤ atol + rtol·|want|; equal ±∞ and NaNs pass."""

    rtol: float = 0.0
    atol: float = 0.0

    @np.errstate(all="ignore")  # results may be NaN and infinite
    def excess(self, got: Floats, want: Floats) -> Floats:
        """Return |got − want|/(atol + rtol·|want|); a quotient ≤ 1 passes.

        >>> Tolerance(0.5, 1.0).excess(np.array([1.0, np.nan]), np.array([4.0, 0.0])).tolist()
        [1.0, inf]
        """
        ratio = np.abs(got - want) / (self.atol + self.rtol * np.abs(want))
        equal = (got == want) | (np.isnan(got) & np.isnan(want))
        return np.where(equal, 0.0, np.nan_to_num(ratio, nan=np.inf, posinf=np.inf))


TORCH = {
    "float64": Tolerance(1e-7, 1e-7),
    "float32": Tolerance(1.3e-6, 1e-5),
    "float16": Tolerance(1e-3, 1e-5),
    "bfloat16": Tolerance(1.6e-2, 1e-5),
}
"""Defaults of `torch.testing.assert_close`. The 8-bit formats have none: results must be equal.

Source: `_DTYPE_PRECISIONS` of torch/testing/_comparison.py, PyTorch 2.13."""


def tolerances_of(result: str, own: Tolerance | None = None) -> Mapping[str, Tolerance]:
    """Map names of criteria to tolerances; `own`, the user's, comes first."""
    return {
        **({f"rtol={own.rtol:g},atol={own.atol:g}": own} if own else {}),
        "torch.testing.assert_close": TORCH.get(result, Tolerance()),
        "numpy.testing.assert_allclose": Tolerance(1e-7),
        "numpy.allclose": Tolerance(1e-5, 1e-8),
    }


class Seen(NamedTuple):
    """Findings of the criteria at some inputs.

    `largest` has for each tolerance the result with the largest `excess`; `failing` has for each
    tolerance the sum of the probabilities of the inputs whose results fail. The two `sums` are for
    the correlation: with equal weights, and with probabilities as weights.
    """

    largest: Mapping[str, Rows]
    failing: Mapping[str, float]
    sums: tuple[Sums, Sums]

    def add(self, other: Seen) -> Seen:
        """Return the findings at the inputs of `self` and of `other`."""
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
    wrong = np.flatnonzero(got != want)
    wrong = wrong[~(np.isnan(got[wrong]) & np.isnan(want[wrong]))]
    at = wrong if len(wrong) else np.zeros(1, np.int64)
    largest, failing = {}, {}
    for name, tolerance in tolerances_of(block.question.result.name, own).items():
        excess = tolerance.excess(got[at], want[at])
        worst = int(np.argmax(excess))
        largest[name] = block.rows(at[[worst]], excess[worst], got)
        failing[name] = block.probability(at[excess > 1])
    both = np.stack([got, want])
    both[~np.isfinite(both)] = 0.0
    return Seen(largest, failing, (sums_of(both, np.ones(count)), sums_of(both, weight)))


class Outcome(NamedTuple):
    """The outcome of a criterion, over all inputs or over random inputs.

    `inputs` is `judged` for all inputs, or the name of the distribution of random inputs. `verdict`
    is `passes` or `fails`; None without a `threshold`. `found` is the measured number: the largest
    `excess`, the probability of failure (random inputs), the correlation (`pcc_…`) or the largest
    |got − y| (`tightest_atol`). The largest error is at `x` and `up`, which are None for
    correlations and random inputs.
    """

    criterion: str
    inputs: str
    verdict: str | None
    found: float
    threshold: float | None
    x: float | None = None
    up: float | None = None


def outcomes(seen: Seen, normal: Normal) -> Iterator[Outcome]:
    """Yield the outcomes of the tolerances and of the correlations."""
    verdicts = {True: "passes", False: "fails"}
    probability = seen.sums[1].weight
    for name, rows in seen.largest.items():
        ((excess, *inputs, _),) = rows.tolist()
        yield Outcome(name, MEASURED, verdicts[excess <= 1], excess, 1.0, *inputs)
        if probability:
            share = seen.failing[name] / probability
            yield Outcome(name, str(normal), verdicts[share <= RARE], share, RARE)
    for least in CORRELATIONS:
        for inputs, sums in zip((MEASURED, str(normal)), seen.sums, strict=True):
            if sums.weight:
                found = sums.correlation
                yield Outcome(f"pcc_{least:g}", inputs, verdicts[found >= least], found, least)


class Sums(NamedTuple):
    """Weighted sums for the correlation of results with correct results.

    To avoid overflow, all results are divided by 2**exponent. `weight` is the sum of the weights.
    `means` has the weighted means of the results and of the correct results; `products` is the 2×2
    matrix of Σ weight·a·b, where a and b are deviations from these means.
    """

    weight: float = 0.0
    means: Floats = np.zeros(2)
    products: Floats = np.zeros((2, 2))
    exponent: int = 0

    @property
    def correlation(self) -> float:
        """Correlation: 1 if got = want, else NaN if got or want is constant."""
        (first, mixed), (_, second) = self.products.tolist()
        if first == mixed == second and self.means[0] == self.means[1]:
            return 1.0
        if np.any(np.diag(self.products) <= self.weight * (CONSTANT * self.means) ** 2):
            return nan
        return float(np.clip(mixed / (sqrt(first) * sqrt(second)), -1, 1))

    def add(self, other: Sums) -> Sums:
        """Return the sums over the inputs of `self` and of `other`."""
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


def sums_of(both: Floats, weights: Floats) -> Sums:
    """Return the weighted sums of two rows: results and correct results.

    >>> round(sums_of(np.array([[1.0, 2.0, 4.0], [1.0, 2.0, 3.0]]), np.ones(3)).correlation, 6)
    0.981981
    """
    positive, weight = weights > 0, float(np.sum(weights))
    if not positive.any():
        return Sums()
    if not positive.all():
        both, weights = both[:, positive], weights[positive]
    exponent = int(np.frexp(max(both.max(), -both.min()))[1])
    both = np.ldexp(both, -exponent)
    means = both @ weights / weight
    apart = both - means[:, None]
    return Sums(weight, means, (weights * apart) @ apart.T, exponent)
