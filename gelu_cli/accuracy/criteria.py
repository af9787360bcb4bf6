"""Acceptance criteria of other test suites, applied to a kernel.

The reference of such a test is the correctly rounded result (`want`), as of one that computes in a
wider format and rounds. Criteria are measured of all inputs alike (`MEASURED`), and of draws: there
an input counts by its probability. What is seen of parts of the inputs adds up in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.accuracy.correlation import Sums, sums_of
from gelu_cli.accuracy.judge import Block
from gelu_cli.accuracy.tally import Rows, largest_of
from gelu_cli.accuracy.weights import Normal
from gelu_cli.numbers import FORMATS
from gelu_cli.numbers.cells import Floats

MEASURED = "judged"

RARE = 1e-6
"""A probability that tests do not see: they draw a million numbers or so."""

CORRELATIONS = (0.99, 0.999, 0.9999)
"""Thresholds of `pcc_…`. NaN and infinities count as 0, as in tt-metal's `comp_pcc`."""


class Tolerance(NamedTuple):
    """|got − want| ≤ atol + rtol·|want|.

    >>> Tolerance(0.01).name
    'rtol=0.01,atol=0'
    """

    rtol: float = 0.0
    atol: float = 0.0

    @property
    def name(self) -> str:
        """The name as a criterion."""
        return f"rtol={self.rtol:g},atol={self.atol:g}"


TORCH = {
    "float64": Tolerance(1e-7, 1e-7),
    "float32": Tolerance(1.3e-6, 1e-5),
    "float16": Tolerance(1e-3, 1e-5),
    "bfloat16": Tolerance(1.6e-2, 1e-5),
}
"""Defaults of `torch.testing.assert_close`; of 8-bit formats, which have none, bits must agree.

Source: `_DTYPE_PRECISIONS` of torch/testing/_comparison.py, PyTorch 2.13."""


class Check(NamedTuple):
    """A tolerance, and the arithmetic in which a library applies it.

    Operations are of the dtype `of`, rounded to `stored`. Equal results are close, infinities too,
    and NaNs if `equal_nan`.
    """

    tolerance: Tolerance
    of: Any = np.float64
    stored: Any = np.float64
    equal_nan: bool = True

    def excess(self, got: Floats, want: Floats) -> Floats:
        """Return |got − want|/(atol + rtol·|want|): close results have at most 1."""

        def rounded(values: Any) -> Any:
            return values.astype(self.stored).astype(self.of)

        a, b = got.astype(self.of), want.astype(self.of)
        atol = rounded(np.array(self.tolerance.atol, self.of))
        allowed = rounded(atol + np.abs(rounded(self.of(self.tolerance.rtol) * b)))
        times = np.abs(rounded(a - b)).astype(np.float64) / allowed.astype(np.float64)
        equal = got == want
        if self.equal_nan:
            equal |= np.isnan(got) & np.isnan(want)
        return np.where(equal, 0.0, np.nan_to_num(times, nan=np.inf, posinf=np.inf))


@cache
def checks_of(result: str, own: Tolerance | None = None) -> Mapping[str, Check]:
    """List the checks of single results, the user's tolerance first."""
    to = FORMATS[result]
    wide = to.dtype.type if to.width > 16 else np.float32
    half = np.float16 if result == "float16" else wide
    return {
        **({own.name: Check(own)} if own else {}),
        "torch.testing.assert_close": Check(TORCH.get(result, Tolerance()), wide, to.dtype, False),
        "numpy.testing.assert_allclose": Check(Tolerance(1e-7), half, half),
        "numpy.allclose": Check(Tolerance(1e-5, 1e-8), half, half, False),
    }


class CheckFindings(NamedTuple):
    """The result of a check.

    Attributes
    ----------
    largest
        The largest excess over the tolerance.
    failing
        The probability of the draws that fail.
    likeliest
        The most probable input that fails.
    """

    largest: Rows
    failing: float
    likeliest: Rows

    def add(self, other: CheckFindings) -> CheckFindings:
        """Add findings at other inputs."""
        largest, likeliest = (largest_of(*each) for each in zip(self[::2], other[::2], strict=True))
        return CheckFindings(largest, self.failing + other.failing, likeliest)


class Seen(NamedTuple):
    """Findings of each check, and sums for correlations: plain and weighted."""

    checks: Mapping[str, CheckFindings]
    sums: tuple[Sums, Sums]

    def add(self, other: Seen) -> Seen:
        """Add findings at other inputs."""
        one, two = (a.add(b) for a, b in zip(self.sums, other.sums, strict=True))
        return Seen(
            {name: e.add(other.checks[name]) for name, e in self.checks.items()}, (one, two)
        )


@np.errstate(all="ignore")  # results may be NaN and infinite
def see(block: Block, got: Floats, own: Tolerance | None = None) -> Seen:
    """Apply the checks to results at the inputs of a block."""
    count, want = len(got), block.truth.want
    weight = block.weight if len(block.weight) else np.zeros(1)
    weight = np.repeat(weight, count // len(weight))
    checks = {}
    for name, check in checks_of(block.question.result.name, own).items():
        excess = check.excess(got, want)
        failing = np.where(excess > 1, weight, 0.0)
        largest, likeliest = (
            block.rows([i], each[i], got)
            for each in (excess, failing)
            for i in (int(np.argmax(each)),)
        )
        checks[name] = CheckFindings(largest, float(np.sum(failing)), likeliest)
    return Seen(checks, (sums_of(got, want, np.ones(count)), sums_of(got, want, weight)))


class Outcome(NamedTuple):
    """A row: the outcome of a criterion, over all inputs or over draws.

    Attributes
    ----------
    criterion, inputs
        The name, and `judged` for all inputs or the distribution of draws.
    passes
        None if nothing can fail.
    found, threshold
        The measured number, and its limit; for single results and draws `found` is the probability
        that a draw fails.
    x, up
        The inputs that decide; None for correlations.
    """

    criterion: str
    inputs: str
    passes: bool | None
    found: float
    threshold: float | None
    x: float | None = None
    up: float | None = None


def outcomes(seen: Seen, normal: Normal) -> Iterator[Outcome]:
    """Yield the outcomes of all criteria."""
    of_all, drawn = seen.sums
    for name, (largest, failing, likeliest) in seen.checks.items():
        ((excess, *inputs, _),) = largest.tolist()
        yield Outcome(name, MEASURED, excess <= 1, excess, 1.0, *inputs)
        if drawn.weight:
            share = failing / drawn.weight
            at = likeliest[["x", "up"]].tolist()[0] if share else (None, None)
            yield Outcome(name, str(normal), share <= RARE, share, RARE, *at)
    for least in CORRELATIONS:
        for inputs, sums in ((MEASURED, of_all), (str(normal), drawn)):
            if sums.weight:
                found = sums.correlation
                yield Outcome(f"pcc_{least:g}", inputs, found >= least, found, least)
