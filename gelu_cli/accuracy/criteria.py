"""Acceptance criteria: what tests of others measure, and if they pass.

The reference of such a test is the correctly rounded result (`want`), as of one that computes in a
wider format and rounds. Criteria are measured of all inputs alike (`MEASURED`), and of draws: there
an input counts by its probability. What is seen of parts of the inputs adds up in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gelu_cli.accuracy.correlation import Sums, sums_of
from gelu_cli.accuracy.weights import STANDARD, Normal
from gelu_cli.numbers import FORMATS, Format
from gelu_cli.numbers.cells import Floats

MEASURED, DRAWN = "judged", "drawn"

RARE = 1e-6
"""A probability that tests do not see: they draw a million numbers or so."""


class Compared(NamedTuple):
    """Results of a kernel and exact values at some inputs.

    Attributes
    ----------
    x, up
        Inputs; `up` is one number for kernels of one input.
    got, want
        Results, and the correctly rounded ones, infinities and NaN among them.
    errors, least
        |got − y| and |got − y|/|y|, and the same of `want`.
    """

    x: Floats
    up: Any
    got: Floats
    want: Floats
    errors: Errors
    least: Errors


class Errors(NamedTuple):
    """Absolute and relative errors; an infinity or NaN that is right has none."""

    absolute: Floats
    relative: Floats


def errors_of(got: Floats, want: Floats, m: Floats, low: Any, unit: Any) -> Errors:
    """Measure errors against exact values (m + low)·unit.

    >>> errors_of(np.array([1.5, 0.0]), np.ones(2), np.full(2, 4.0), 0.0, 0.25)
    Errors(absolute=array([0.5, 1. ]), relative=array([0.5, 1. ]))
    """
    with np.errstate(all="ignore"):  # NaN and infinity are what is looked for
        errors, zero = np.abs(got / unit - m - low), m == 0
        relative = np.where(zero, inf, errors / np.abs(m))
        relative = np.where(got == 0, np.where(zero, 0.0, 1.0), relative)
        right = (np.isnan(got) & np.isnan(want)) | (np.isinf(got) & (got == want))
        return Errors(
            np.where(right, 0.0, _or_infinite(errors * unit)),
            np.where(right, 0.0, _or_infinite(relative)),
        )


def _or_infinite(values: Floats) -> Floats:
    return np.where(np.isnan(values), inf, values)


# Criteria.


class OfEach(NamedTuple):
    """A measure of single results, whose largest the threshold bounds."""

    value: Callable[[Compared], Floats]
    threshold: float | None = None


class OfAll(NamedTuple):
    """A measure of all results together, at most or at least a threshold."""

    value: Callable[[Sums], float]
    threshold: float
    at_least: bool = False

    def passes(self, value: float) -> bool:
        """Return True if a value passes."""
        return value >= self.threshold if self.at_least else value <= self.threshold


class OfReference(NamedTuple):
    """The largest error: up to `times` that of correct rounding, plus `slack`."""

    times: float
    slack: float


Criterion: TypeAlias = OfEach | OfAll | OfReference


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

    def criterion(
        self,
        own: Any,
        rounded: Callable[[Any], Any] = lambda values: values,
        *,
        equal_nan: bool = False,
    ) -> OfEach:
        """Measure errors over the tolerance by rounded operations on type `own`.

        Equal results are close, infinities too, and NaNs if `equal_nan`.
        """
        rtol, atol = own(self.rtol), rounded(np.array(self.atol, own))

        def value(block: Compared) -> Floats:
            got, want = block.got.astype(own), block.want.astype(own)
            allowed = rounded(atol + np.abs(rounded(rtol * want)))
            times = np.abs(rounded(got - want)).astype(np.float64) / allowed.astype(np.float64)
            equal = block.got == block.want
            if equal_nan:
                equal |= np.isnan(got) & np.isnan(want)
            return np.where(equal, 0.0, _or_infinite(times))

        return OfEach(value, 1.0)


TORCH = {
    "float64": Tolerance(1e-7, 1e-7),
    "float32": Tolerance(1.3e-6, 1e-5),
    "float16": Tolerance(1e-3, 1e-5),
    "bfloat16": Tolerance(1.6e-2, 1e-5),
}
"""Defaults of `torch.testing.assert_close`; of 8-bit formats, which have none, bits must agree.

Source: `_DTYPE_PRECISIONS` of torch/testing/_comparison.py, PyTorch 2.13."""


def torch_close(result: Format) -> OfEach:
    """Measure what `torch.testing.assert_close` does, in the results' format."""
    if result.width == 8:
        return OfEach(lambda block: (block.got != block.want).astype(np.float64), 0.0)
    if result.width == 16:
        return TORCH[result.name].criterion(
            np.float32, lambda values: values.astype(result.dtype).astype(np.float32)
        )
    return TORCH[result.name].criterion(np.dtype(result.name).type)


def numpy_close(result: Format, tolerance: Tolerance, *, equal_nan: bool) -> OfEach:
    """Measure what `numpy.isclose` does, in float32 if numpy lacks the format."""
    own = {"float64": np.float64, "float16": np.float16}.get(result.name, np.float32)
    return tolerance.criterion(own, equal_nan=equal_nan)


def _max_abs(most: float) -> OfEach:
    return OfEach(lambda block: _or_infinite(np.abs(block.got - block.want)), most)


def _tightest(name: str, value: Callable[[Errors], Floats]) -> dict[str, Criterion]:
    """Measure the least tolerance that results, or correct ones, pass."""
    return {
        name: OfEach(lambda block: value(block.errors)),
        f"{name}_of_format": OfEach(lambda block: value(block.least)),
    }


def _rtol_at_1e_5(errors: Errors) -> Floats:
    """Return the least rtol at an atol of 1e-5: (|got − y| − atol)/|y|, or 0."""
    share = np.where(errors.absolute > 1e-5, 1 - 1e-5 / errors.absolute, 0.0)
    return np.where(share > 0, errors.relative * share, 0.0)


ABSOLUTE = "tightest_atol"


@cache
def criteria_of(result: str, own: Tolerance | None = None) -> dict[str, Criterion]:
    """List the criteria of a format by name, one's own tolerance first.

    It is measured in float64, and a NaN that is right passes.
    """
    to = FORMATS[result]
    return {
        **({own.name: own.criterion(np.float64, equal_nan=True)} if own else {}),
        "torch.testing.assert_close": torch_close(to),
        "numpy.testing.assert_allclose": numpy_close(to, Tolerance(1e-7, 0), equal_nan=True),
        "numpy.allclose": numpy_close(to, Tolerance(1e-5, 1e-8), equal_nan=False),
        "max_abs_1e-2": _max_abs(1e-2),
        "max_abs_1e-3": _max_abs(1e-3),
        # PCC as `comp_pcc` of tenstorrent/tt-metal has it.
        "pcc_0.99": OfAll(lambda sums: sums.correlation, 0.99, at_least=True),
        "pcc_0.999": OfAll(lambda sums: sums.correlation, 0.999, at_least=True),
        "pcc_0.9999": OfAll(lambda sums: sums.correlation, 0.9999, at_least=True),
        "cosine_0.99": OfAll(lambda sums: sums.cosine, 0.99, at_least=True),
        # tests/test-backend-ops.cpp of ggml-org/llama.cpp: Σ(got − want)²/Σgot².
        "nmse_1e-7": OfAll(lambda sums: sums.normalized_error, 1e-7),
        # Dao-AILab's kernels: beside a reference that is computed in the format.
        "twice_ref_dist": OfReference(2.0, 1e-6),
        **_tightest("tightest_rtol", lambda errors: errors.relative),
        **_tightest("tightest_rtol_at_1e-5", _rtol_at_1e_5),
        **_tightest(ABSOLUTE, lambda errors: errors.absolute),
    }


# What is seen.


class Most(NamedTuple):
    """The largest of some numbers, and its inputs."""

    value: float
    x: float | None = None
    up: float | None = None

    @classmethod
    def of(cls, values: Floats, block: Compared) -> Most:
        """Find the first of the largest."""
        i = int(np.argmax(values))
        up = block.up[i] if isinstance(block.up, np.ndarray) else block.up
        return cls(float(values[i]), float(block.x[i]), float(up))

    @property
    def inputs(self) -> tuple[float | None, float | None]:
        """The inputs, if the number is not 0."""
        return (self.x, self.up) if self.value else (None, None)

    def larger(self, other: Most) -> Most:
        """Return the larger of two, of equal ones that of the earlier pattern."""
        return max(self, other, key=lambda each: (each.value, *map(_earliness, each[1:])))


def _earliness(x: float | None) -> tuple[bool, float]:
    return (False, -inf) if x is None else (not np.signbit(x), -abs(x))


@dataclass(frozen=True)
class Seen:
    """What is seen of a kernel at some inputs.

    Attributes
    ----------
    most
        By criterion of single results the largest value and, for draws, the likeliest that fails;
        by no name the root of the largest share of the squared errors.
    failing
        By criterion of single results the probability of the draws that fail.
    sums
        Sums of all results.
    """

    most: dict[tuple[str, str], Most]
    failing: dict[str, float]
    sums: dict[str, Sums]

    def add(self, other: Seen) -> Seen:
        """Add what is seen at other inputs."""
        return Seen(
            {key: each.larger(other.most[key]) for key, each in self.most.items()},
            {name: share + other.failing[name] for name, share in self.failing.items()},
            {inputs: each.add(other.sums[inputs]) for inputs, each in self.sums.items()},
        )


@np.errstate(all="ignore")  # NaN and infinity are what is looked for
def see(result: Format, block: Compared, weight: Floats, own: Tolerance | None = None) -> Seen:
    """See what criteria need of results at some inputs.

    Parameters
    ----------
    result
        The format of results.
    block
        Results and exact values.
    weight
        Probabilities of the inputs, or of as many in a row as there are inputs to a weight; empty
        if they have none.
    own
        A tolerance of one's own.
    """
    count = len(block.got)
    weight = np.repeat(weight, count // len(weight)) if len(weight) else np.zeros(count)
    most: dict[tuple[str, str], Most] = {}
    failing, sums = dict[str, float](), dict[str, Sums]()
    for name, criterion in criteria_of(result.name, own).items():
        if isinstance(criterion, OfEach):
            values = criterion.value(block)
            limit = inf if criterion.threshold is None else criterion.threshold
            fails = np.where(values > limit, weight, 0.0)
            most |= {(name, MEASURED): Most.of(values, block), (name, DRAWN): Most.of(fails, block)}
            failing[name] = float(np.sum(fails))
    for inputs, each in ((MEASURED, np.ones(count)), (DRAWN, weight)):
        errors = _or_infinite(np.abs(block.got - block.want)) * np.sqrt(each)
        errors = np.where((block.got == block.want) | (each == 0), 0.0, errors)
        most["", inputs] = Most.of(errors, block)
        sums[inputs] = sums_of(block.got, block.want, each)
    return Seen(most, failing, sums)


class Outcome(NamedTuple):
    """A row: what a criterion finds of all inputs alike, or of draws.

    Attributes
    ----------
    criterion, inputs
        Its name, and `judged` or the distribution of draws.
    passes
        None if nothing can fail.
    found, threshold
        What is measured; of single results and draws the probability that one fails.
    x, up
        The inputs that decide.
    """

    criterion: str
    inputs: str
    passes: bool | None
    found: float
    threshold: float | None
    x: float | None = None
    up: float | None = None


def outcomes(
    result: Format, seen: Seen, own: Tolerance | None = None, normal: Normal = STANDARD
) -> Iterator[Outcome]:
    """Yield the outcomes of all criteria."""
    drawn = seen.sums[DRAWN]
    if drawn.broken <= RARE * drawn.weight:
        drawn = drawn._replace(broken=0.0)
    for name, criterion in criteria_of(result.name, own).items():
        if isinstance(criterion, OfReference):
            error = seen.most[ABSOLUTE, MEASURED]
            of_format = seen.most[f"{ABSOLUTE}_of_format", MEASURED].value
            most = criterion.times * of_format + criterion.slack
            passes = error.value <= most
            yield Outcome(name, MEASURED, passes, error.value, most, error.x, error.up)
        elif isinstance(criterion, OfAll):
            both = ((MEASURED, MEASURED, seen.sums[MEASURED]), (DRAWN, str(normal), drawn))
            for inputs, label, sums in both:
                if sums.weight:
                    found = criterion.value(sums)
                    at = seen.most["", inputs]
                    passes = criterion.passes(found)
                    yield Outcome(name, label, passes, found, criterion.threshold, *at.inputs)
        else:
            largest, limit = seen.most[name, MEASURED], criterion.threshold
            within = None if limit is None else largest.value <= limit
            yield Outcome(name, MEASURED, within, largest.value, limit, largest.x, largest.up)
            if limit is not None and drawn.weight:
                share, likeliest = seen.failing[name] / drawn.weight, seen.most[name, DRAWN]
                yield Outcome(name, str(normal), share <= RARE, share, RARE, *likeliest.inputs)
