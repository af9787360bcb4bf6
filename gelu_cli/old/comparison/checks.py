"""What other people's checks measure of results: one entry in `criteria_of` for each criterion.

An entry says what is measured in a format of results, and what passes. The checks compare with the
correctly rounded results, as tests do whose reference is computed in a wider format and rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from math import inf, nan, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.arithmetic.narrow import NarrowArithmetic
from gelu_cli.old.sweeping.truth import Truth


class Errors(NamedTuple):
    """|result − y| and |result − y|/|y|; an infinity or NaN that is due has none."""

    absolute: Array
    relative: Array

    @classmethod
    def of(cls, truth: Truth, results: Array) -> Errors:
        """Return the errors of results; 0 in place of another number is off by all of it."""
        errors, _ = truth.ulp_errors(results)
        zero = truth.multiple == 0
        relative = np.where(zero, inf, errors / np.abs(truth.multiple))
        relative = np.where(results == 0, np.where(zero, 0.0, 1.0), relative)
        nan = np.isnan(results) & np.isnan(truth.want)
        right = nan | (np.isinf(results) & (results == truth.want))
        both = np.ldexp(errors, truth.unit_exponent), relative
        return cls(*(np.where(right, 0.0, _or_infinite(each)) for each in both))


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
        return Errors.of(self.truth, self.got)

    @cached_property
    def least_errors(self) -> Errors:
        """The errors of correctly rounded results."""
        return Errors.of(self.truth, self.want)


class Sums(NamedTuple):
    """Weighted means of results and of what is due, and sums of products, over 2**exponent each.

    Each result has a weight: 1, or how likely a draw from N(0, 1) is nearest to its input. Sums are
    centred, as deviations from the means, so that little cancels; products are in units of
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


class EachResult(NamedTuple):
    """A measure of single results, of which the largest counts: it passes up to the threshold.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.sweeping.truth import Question, truth_at
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


class BesideReference(NamedTuple):
    """The largest error, which passes up to `times` that of correct rounding, plus `slack`."""

    measure: str
    times: float
    slack: float


Measure: TypeAlias = EachResult | AllResults | BesideReference


class Tolerance(NamedTuple):
    """|got − want| ≤ atol + rtol·|want|."""

    rtol: float = 0.0
    atol: float = 0.0

    @property
    def name(self) -> str:
        """What it is called as a criterion."""
        return f"rtol={self.rtol:g},atol={self.atol:g}"

    def measured(
        self,
        own: Any,
        rounded: Callable[[Any], Any] = lambda values: values,
        equal_nan: bool = False,
    ) -> EachResult:
        """Return how many times the tolerance errors are, in numbers of numpy's type `own`.

        `rounded` is what becomes of the result of each operation. What is equal is close, an
        infinity as well, and a NaN if `equal_nan`.
        """
        rtol, atol = own(self.rtol), rounded(np.array(self.atol, own))

        def value(block: Compared) -> Array:
            got, want = block.got.astype(own), block.want.astype(own)
            allowed = rounded(atol + np.abs(rounded(rtol * want)))
            errors = np.abs(rounded(got - want))
            times = errors.astype(np.float64) / allowed.astype(np.float64)
            equal = block.got == block.want
            if equal_nan:
                equal |= np.isnan(got) & np.isnan(want)
            return np.where(equal, 0.0, _or_infinite(times))

        terms = [f"{self.atol:g}"] * bool(self.atol) + [f"{self.rtol:g}·|want|"] * bool(self.rtol)
        allowed = " + ".join(terms) or "0"
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
    if result.name in TORCH:
        own = np.float64 if result.width == 64 else np.float32
        return TORCH[result.name].measured(own, rounding_of(result))
    unequal = "got ≠ want"
    return EachResult(
        unequal, lambda block: (block.got != block.want).astype(np.float64), 0.0, unequal
    )


def rounding_of(result: Format) -> Callable[[Any], Any]:
    """Return how results of operations are rounded: those of 16 bits are computed in float32.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> rounding_of(FORMATS["bfloat16"])(np.array([1 + 2**-9], np.float32)).tolist()
    [1.0]
    """
    if result.width != 16:
        return lambda values: values
    a = NarrowArithmetic(result)
    return lambda values: a.floats(a.numbers(values))


def numpy_close(result: Format, tolerance: Tolerance, *, equal_nan: bool) -> EachResult:
    """Return what `numpy.isclose` measures; numbers of formats that it lacks are float32s there."""
    own = {"float64": np.float64, "float16": np.float16}.get(result.name, np.float32)
    return tolerance.measured(own, equal_nan=equal_nan)


def max_abs(most: float) -> EachResult:
    """Return what a bound of the largest error measures; a NaN is beyond any."""
    return EachResult(
        "|got − want|",
        lambda block: _or_infinite(np.abs(block.got - block.want)),
        most,
        f"|got − want| > {most:g}",
    )


def needed(name: str, measure: str, value: Callable[[Errors], Array]) -> dict[str, Measure]:
    """Return what a tolerance must be for the results to pass, and for correctly rounded ones."""
    rounded = f"{measure}, correctly rounded"
    return {
        name: EachResult(measure, lambda block: value(block.errors), None),
        f"{name}_of_format": EachResult(rounded, lambda block: value(block.least_errors), None),
    }


def rtol_beside_1e_5(errors: Errors) -> Array:
    """Return the least rtol beside an atol of 1e-5: (|result − y| − atol)/|y|, or 0."""
    share = np.where(errors.absolute > 1e-5, 1 - 1e-5 / errors.absolute, 0.0)
    return np.where(share > 0, errors.relative * share, 0.0)


def pcc(least: float) -> AllResults:
    """Return Pearson's correlation, as Tenstorrent's `comp_pcc` has it: NaN and infinities are 0.

    Source: models/common/utility_functions.py of tenstorrent/tt-metal.
    """
    return AllResults("PCC", lambda sums: sums.correlation, least, at_least=True)


def _or_infinite(values: Array) -> Array:
    return np.where(np.isnan(values), inf, values)


ABSOLUTE = "tightest_atol"


@cache
def criteria_of(result: Format, tolerance: Tolerance | bool = True) -> dict[str, Measure]:
    """Return what each criterion measures of results in a format, in the order of the rows.

    The user's own tolerance, if there is one, is the first; it is that in float64, in which a NaN
    that is due is right.
    """
    own = [tolerance] if isinstance(tolerance, Tolerance) else []
    return {
        **{each.name: each.measured(np.float64, equal_nan=True) for each in own},
        "torch.testing.assert_close": torch_close(result),
        "numpy.testing.assert_allclose": numpy_close(result, Tolerance(1e-7, 0), equal_nan=True),
        "numpy.allclose": numpy_close(result, Tolerance(1e-5, 1e-8), equal_nan=False),
        "max_abs_1e-2": max_abs(1e-2),
        "max_abs_1e-3": max_abs(1e-3),
        "pcc_0.99": pcc(0.99),
        "pcc_0.999": pcc(0.999),
        "pcc_0.9999": pcc(0.9999),
        "cosine_0.99": AllResults("cosine", lambda sums: sums.cosine, 0.99, at_least=True),
        # `nmse` and `max_nmse_err` of tests/test-backend-ops.cpp of ggml-org/llama.cpp, in which
        # the backend under test comes first: Σ(got − want)²/Σgot².
        "nmse_1e-7": AllResults("NMSE", lambda sums: sums.normalized_error, 1e-7),
        # Tests of Dao-AILab's kernels, whose reference is computed in the format and in float32.
        "twice_ref_dist": BesideReference("max |got − y|", 2.0, 1e-6),
        **needed("tightest_rtol", "rtol at atol 0", lambda errors: errors.relative),
        **needed("tightest_rtol_at_1e-5", "rtol at atol 1e-5", rtol_beside_1e_5),
        **needed(ABSOLUTE, "atol at rtol 0", lambda errors: errors.absolute),
    }
