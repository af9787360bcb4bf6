"""What other people's checks measure of results: one entry in `CRITERIA` for each criterion.

An entry says what is measured in a format of results, and what passes. The checks compare with the
correctly rounded results, as tests do whose reference is computed in a wider format and rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.narrow import NarrowArithmetic
from gelu_cli.comparison.sums import Sums
from gelu_cli.sweeping.truth import Truth


class Errors:
    """Errors of results against the true values y; an infinity or NaN that is due has none."""

    def __init__(self, truth: Truth, results: Array) -> None:
        errors, _ = truth.ulp_errors(results)
        zero = truth.multiple == 0
        absolute = np.ldexp(errors, truth.unit_exponent)
        relative = np.where(zero, inf, errors / np.abs(truth.multiple))
        relative = np.where(results == 0, np.where(zero, 0.0, 1.0), relative)
        nan = np.isnan(results) & np.isnan(truth.want)
        right = nan | (np.isinf(results) & (results == truth.want))
        self.absolute: Array = np.where(right, 0.0, _or_infinite(absolute))
        """|result − y|."""
        self.relative: Array = np.where(right, 0.0, _or_infinite(relative))
        """|result − y|/|y|; 0 in place of another number is off by all of it."""


@dataclass(frozen=True)
class Compared:
    """Results beside the truth, at some finite inputs."""

    result: Format
    got: Array
    truth: Truth

    @property
    def want(self) -> Array:
        """The correctly rounded results."""
        return self.truth.want

    @cached_property
    def errors(self) -> Errors:
        """The errors of the results."""
        return Errors(self.truth, self.got)

    @cached_property
    def least_errors(self) -> Errors:
        """The errors of correctly rounded results."""
        return Errors(self.truth, self.want)


class EachResult(NamedTuple):
    """A measure of single results, of which the largest counts: it passes up to the threshold.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> from gelu_cli.forms import find_form
    >>> from gelu_cli.sweeping.truth import Question, truth_at
    >>> float32 = FORMATS["float32"]
    >>> ones = truth_at(Question(find_form("relu"), "value", float32), np.ones(2))
    >>> max_abs(0.01).value(Compared(float32, np.array([1.0, 1.5]), ones)).tolist()
    [0.0, 0.5]
    """

    measure: str
    """What is measured, as a formula."""

    value: Callable[[Compared], Array]
    threshold: float | None
    """None where nothing can fail: it is told what would pass."""

    beyond: str = ""
    """What holds of a result that does not pass, as a formula."""


class AllResults(NamedTuple):
    """A measure of all results together, which passes up to the threshold, or from there on."""

    measure: str
    value: Callable[[Sums], float]
    threshold: float
    at_least: bool = False

    def passes(self, value: float) -> bool:
        """Return whether a value passes; NaN does not."""
        return value >= self.threshold if self.at_least else value <= self.threshold


class Criterion(NamedTuple):
    """A check by its name, and what it measures of results in a format."""

    name: str
    of: Callable[[Format], EachResult | AllResults]


class Tolerance(NamedTuple):
    """|got − want| ≤ atol + rtol·|want|."""

    rtol: float
    atol: float

    def measured(self, value: Callable[[Compared], Array]) -> EachResult:
        """Return how many times the tolerance the errors are, as `value` computes it."""
        allowed = f"{self.rtol:g}·|want|"
        if self.atol:
            allowed = f"{self.atol:g} + {allowed}"
        return EachResult(f"|got − want|/({allowed})", value, 1.0, f"|got − want| > {allowed}")


TORCH = {
    "float64": Tolerance(1e-7, 1e-7),
    "float32": Tolerance(1.3e-6, 1e-5),
    "float16": Tolerance(1e-3, 1e-5),
    "bfloat16": Tolerance(1.6e-2, 1e-5),
}
"""The defaults of `torch.testing.assert_close`; 8-bit formats have none, and have to be equal.

Source: `_DTYPE_PRECISIONS` and `_compare_values` of torch/testing/_comparison.py, PyTorch 2.13.
"""


def torch_close(result: Format) -> EachResult:
    """Return what `torch.testing.assert_close` measures.

    `torch.isclose` computes in the format of the results: differences and tolerances are rounded.
    """
    if result.name not in TORCH:
        return EachResult("got ≠ want", _unequal, 0.0, "got ≠ want")
    tolerance = TORCH[result.name]
    own, rounded = _own(result), rounding_of(result)
    rtol, atol = own(tolerance.rtol), own(result.from_float(tolerance.atol))

    def value(block: Compared) -> Array:
        got, want = block.got.astype(own), block.want.astype(own)
        allowed = rounded(atol + np.abs(rounded(rtol * want)))
        return _times_allowed(block, np.abs(rounded(got - want)), allowed)

    return tolerance.measured(value)


def numpy_close(tolerance: Tolerance, *, equal_nan: bool) -> Callable[[Format], EachResult]:
    """Return what `numpy.isclose` measures; numbers of formats that it lacks are float32s there."""

    def of(result: Format) -> EachResult:
        own = np.float16 if result.name == "float16" else _own(result)
        rtol, atol = own(tolerance.rtol), own(tolerance.atol)

        def value(block: Compared) -> Array:
            got, want = block.got.astype(own), block.want.astype(own)
            times = _times_allowed(block, np.abs(got - want), atol + rtol * np.abs(want))
            both = np.isnan(got) & np.isnan(want)
            return np.where(both, 0.0, times) if equal_nan else times

        return tolerance.measured(value)

    return of


def max_abs(most: float) -> EachResult:
    """Return what a bound of the largest error measures; a NaN is beyond any."""

    def value(block: Compared) -> Array:
        return _or_infinite(np.abs(block.got - block.want))

    return EachResult("|got − want|", value, most, f"|got − want| > {most:g}")


def least_rtol_beside(atol: float) -> Callable[[Errors], Array]:
    """Return what gives the least rtol beside an atol: (|result − y| − atol)/|y|, or 0."""

    def value(errors: Errors) -> Array:
        share = np.where(errors.absolute > atol, 1 - atol / errors.absolute, 0.0)
        return np.where(share > 0, errors.relative * share, 0.0)

    return value


def needed(name: str, measure: str, value: Callable[[Errors], Array]) -> tuple[Criterion, ...]:
    """Return what a tolerance must be for the results to pass, and for correctly rounded ones."""
    theirs = EachResult(measure, lambda block: value(block.errors), None)
    of_format = EachResult(
        f"{measure}, correctly rounded", lambda block: value(block.least_errors), None
    )
    return (
        Criterion(name, lambda result: theirs),
        Criterion(f"{name}_of_format", lambda result: of_format),
    )


def pcc(least: float) -> AllResults:
    """Return Pearson's correlation, as Tenstorrent's `comp_pcc` has it: NaN and infinities are 0.

    Source: models/common/utility_functions.py of tenstorrent/tt-metal.
    """
    return AllResults("PCC", lambda sums: sums.correlation, least, at_least=True)


def _own(result: Format) -> Any:
    return np.float64 if result.width == 64 else np.float32


def rounding_of(result: Format) -> Callable[[Any], Any]:
    """Return how results of operations are rounded: those of 16 bits are computed in float32.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> rounding_of(FORMATS["bfloat16"])(np.array([1 + 2**-9], np.float32)).tolist()
    [1.0]
    """
    if result.width != 16:
        return lambda values: values
    a = NarrowArithmetic(result)
    return lambda values: a.floats(a.numbers(values))


def _unequal(block: Compared) -> Array:
    unequal: Array = (block.got != block.want).astype(np.float64)
    return unequal


def _times_allowed(block: Compared, errors: Any, allowed: Any) -> Array:
    """Return errors over what is allowed; what is equal is close, an infinity as well."""
    times = errors.astype(np.float64) / allowed.astype(np.float64)
    return np.where(block.got == block.want, 0.0, _or_infinite(times))


def _or_infinite(values: Array) -> Array:
    return np.where(np.isnan(values), inf, values)


CRITERIA = (
    Criterion("torch.testing.assert_close", torch_close),
    Criterion("numpy.testing.assert_allclose", numpy_close(Tolerance(1e-7, 0), equal_nan=True)),
    Criterion("numpy.allclose", numpy_close(Tolerance(1e-5, 1e-8), equal_nan=False)),
    Criterion("max_abs_1e-2", lambda result: max_abs(1e-2)),
    Criterion("max_abs_1e-3", lambda result: max_abs(1e-3)),
    Criterion("pcc_0.99", lambda result: pcc(0.99)),
    Criterion("pcc_0.999", lambda result: pcc(0.999)),
    Criterion("pcc_0.9999", lambda result: pcc(0.9999)),
    Criterion(
        "cosine_0.99",
        lambda result: AllResults("cosine", lambda sums: sums.cosine, 0.99, at_least=True),
    ),
    # `nmse` and `max_nmse_err` of tests/test-backend-ops.cpp of ggml-org/llama.cpp, in which the
    # backend under test comes first: Σ(got − want)²/Σgot².
    Criterion(
        "nmse_1e-7", lambda result: AllResults("NMSE", lambda sums: sums.normalized_error, 1e-7)
    ),
    *needed("tightest_rtol", "rtol at atol 0", lambda errors: errors.relative),
    *needed("tightest_rtol_at_1e-5", "rtol at atol 1e-5", least_rtol_beside(1e-5)),
    *needed("tightest_atol", "atol at rtol 0", lambda errors: errors.absolute),
)
"""In the order of the rows."""
