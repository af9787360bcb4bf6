"""Correctly rounded results, and the comparison of a kernel with them.

A C kernel is compiled by each installed C compiler, with and without optimisation for this machine.
Its results for all bit patterns are compared with the correctly rounded results.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np

from gelu_cli.formulas import Form
from gelu_cli.making.builds import Run
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import evaluate_array

Bits: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Floats: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
Mask: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"

HALF_ULP = 0.5
PIECE, CHUNK = 63, (1 << 22) - 37  # inputs per call: 16 bits, float32; odd, so loop ends run
QUIET, SIGN = 0x7FC0_0000, 0x8000_0000  # the NaN that replaces every NaN in a digest; the sign bit

# Inputs of float32 whose results `sweep` does not compare bit by bit.
SPECIAL = np.array([0, SIGN, 0x7F80_0000, 0xFF80_0000, QUIET], np.uint32)


@dataclass(frozen=True)
class Proof:
    """Comparison of a kernel, as one compiler built it, at every input.

    If nothing was compiled, `compiler` names what ran the kernel. `fused` is True if a·b + c was
    rounded once. `max_ulp` is the largest error in ULP, at x = `max_ulp_x`; `misrounded` counts
    results that are not correctly rounded. `digest` is SHA-256 of all results in the order of the
    inputs' bit patterns, with all NaNs made equal.
    """

    compiler: str
    flags: str
    fused: bool
    max_ulp: float
    max_ulp_x: float
    misrounded: int
    digest: str


class Expected:
    """Correctly rounded results for inputs of a format, by default all.

    `to` is the format of inputs and results; `patterns` and `results` are their bit patterns, `x`
    the inputs as float64s.

    >>> expected = Expected(find_form("silu"), "value", find_format("float8_e5m2"))
    >>> int(expected.wrong(expected.results).sum())
    0
    """

    def __init__(self, form: Form, quantity: str, to: Format, patterns: Bits | None = None) -> None:
        self.form, self.quantity, self.to = form, quantity, to
        self.type = np.dtype(f"u{to.width // 8}")
        every = np.arange(1 << min(to.width, 16), dtype=self.type)
        self.patterns: Bits = every if patterns is None else patterns
        self.x = self.numbers(self.patterns)
        with np.errstate(invalid="ignore"):
            values = evaluate_array(form, quantity, self.x, to)
            self.results: Bits = values.astype(to.dtype).view(self.type)
        self.is_nan = np.isnan(values)
        self.inputs = len(self.patterns)

    def numbers(self, bits: Bits) -> Floats:
        """Convert bit patterns to float64s."""
        with np.errstate(invalid="ignore"):
            return bits.view(self.to.dtype).astype(np.float64)

    def wrong(self, results: Bits, bound: float = HALF_ULP) -> Mask:
        """Mark results beyond a bound in ULP; for ½, those not correctly rounded."""
        off: Mask = results != self.results
        if self.is_nan.any():
            off &= ~(self.is_nan & np.isnan(self.numbers(results)))
        if bound > HALF_ULP and off.any():
            places = np.flatnonzero(off)
            off[places] = ~(self.errors(results)[places] <= bound)
        return off

    def errors(self, results: Bits) -> Floats:
        """Return errors in ULP.

        A wrong sign, NaN or infinity is an error of ∞. At x = ±∞ and NaN right results have the
        error NaN, wrong results ∞.
        """
        y, right = self.numbers(results), self.numbers(self.results)
        m, low, exponent = self._units
        with np.errstate(invalid="ignore", over="ignore"):
            errors: Floats = np.abs(np.ldexp(y, -exponent) - m - low)
        errors[~np.isfinite(y) | (np.signbit(y) != np.signbit(right))] = np.inf
        special = ~np.isfinite(self.x)
        errors[special] = np.where(self.wrong(results)[special], np.inf, np.nan)
        return errors

    @cached_property
    def _units(self) -> tuple[Floats, Floats, Bits]:
        """m, low, exponent: exact values (m + low)·2^exponent; ULPs 2^exponent."""
        from gelu_cli.numbers.arrays import in_units_array

        finite = np.isfinite(self.x)
        m, low, exponent = np.zeros_like(self.x), np.zeros_like(self.x), np.zeros(self.x.shape, int)
        m[finite], low[finite], exponent[finite], _ = in_units_array(
            self.form, self.quantity, self.x[finite], self.to
        )
        return m, low, exponent

    def examine(self, run: Run) -> Proof:
        """Measure one build of a kernel at every input."""
        function = run.load()
        results = function(self.patterns)
        pieces = np.split(self.patterns, range(PIECE, self.inputs, PIECE))
        apart = np.concatenate([function(piece) for piece in pieces])
        errors = np.fmax(self.errors(results), self.errors(apart))
        misrounded = int((self.wrong(results) | self.wrong(apart)).sum())
        worst = int(np.nanargmax(errors))
        quiet = self.type.type(self.to.bits(np.nan))
        digest = sha256(np.where(np.isnan(self.numbers(results)), quiet, results).tobytes())
        largest = float(errors[worst]), float(self.x[worst])
        return Proof(run.by, run.flags, run.fused, *largest, misrounded, digest.hexdigest())


# The largest error in ULP, its x, the number of misrounded results, and the inputs beyond the
# bound, each with its right result.
Verdict: TypeAlias = "tuple[float, float, int, list[tuple[float, float]]]"


class EveryFloat32:
    """Comparison of float32 kernels at every input.

    `special` has the right results at zeros, infinities and NaN. `judge` measures a kernel, given
    as `file:function` of a library or as a function of float32 arrays.
    """

    inputs = 1 << 32

    def __init__(self, special: Expected, judge: Callable[[Any], Verdict]) -> None:
        self.special, self.judge = special, judge
        self.verdicts: dict[str, Verdict] = {}

    def verdict(self, function: Any) -> tuple[str, Verdict]:
        """Return a kernel's digest and verdict; equal digests share a verdict."""
        digest, wrong = self.digest(function)
        if digest not in self.verdicts:
            word = getattr(function, "word", None)
            ulp, x, misrounded, beyond = self.judge(
                word or (lambda x: function(x.view(np.uint32)).view(np.float32))
            )
            wrong += int(self.special.wrong(function(self.special.patterns)).sum())
            self.verdicts[digest] = (math.inf if wrong else ulp), x, misrounded + wrong, beyond
        return digest, self.verdicts[digest]

    def digest(self, function: Any) -> tuple[str, int]:
        """Return SHA-256 of results, NaNs made equal; count zeros of wrong sign."""
        found, wrong = sha256(), 0
        for start in range(0, self.inputs, CHUNK):
            x = np.arange(start, min(start + CHUNK, self.inputs), dtype=np.uint32)
            results = function(x)
            wrong += int(np.count_nonzero((results << 1 == 0) & (results != x & SIGN)))
            results[np.isnan(results.view(np.float32))] = QUIET
            found.update(results)
        return found.hexdigest(), wrong

    def examine(self, run: Run) -> Proof:
        """Measure one build of a kernel at every input."""
        digest, (ulp, x, misrounded, _) = self.verdict(run.load())
        return Proof(run.by, run.flags, run.fused, ulp, x, misrounded, digest)
