"""The results that are right for every input, and the proof that a kernel returns them.

A kernel of an 8- or 16-bit format is compiled by each C compiler that is here, with and without
optimisation for this machine, and its results for all bit patterns are compared with the correctly
rounded ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np

from gelu_cli.formulas import Form
from gelu_cli.making.compilers import Run
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import evaluate_array

Bits: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Floats: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
Mask: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"

HALF_ULP = 0.5


class Expected:
    """Correctly rounded results for every bit pattern of a format.

    Parameters
    ----------
    form, quantity, to
        The function, and the format of inputs and results.

    Attributes
    ----------
    patterns, x
        Every bit pattern in ascending order, and the numbers.
    results
        Bit patterns of the correctly rounded results.

    Examples
    --------
    >>> from gelu_cli.formulas import find_form
    >>> from gelu_cli.numbers import find_format
    >>> expected = Expected(find_form("silu"), "value", find_format("float8_e5m2"))
    >>> int(expected.wrong(expected.results).sum())
    0
    """

    def __init__(self, form: Form, quantity: str, to: Format) -> None:
        self.form, self.quantity, self.to = form, quantity, to
        self.type = np.dtype(f"u{to.width // 8}")
        self.patterns: Bits = np.arange(1 << to.width, dtype=self.type)
        self.x = self.numbers(self.patterns)
        with np.errstate(invalid="ignore"):
            values = evaluate_array(form, quantity, self.x, to)
            self.results: Bits = values.astype(to.dtype).view(self.type)
        self.is_nan = np.isnan(values)

    def numbers(self, bits: Bits) -> Floats:
        """Convert bit patterns to float64s."""
        with np.errstate(invalid="ignore"):
            return bits.view(self.to.dtype).astype(np.float64)

    def wrong(self, results: Bits, bound: float = HALF_ULP) -> Mask:
        """Mark results that differ; above half a ULP those whose error exceeds the bound."""
        off: Mask = results != self.results
        if self.is_nan.any():
            off &= ~(self.is_nan & np.isnan(self.numbers(results)))
        if bound > HALF_ULP and off.any():
            places = np.flatnonzero(off)
            off[places] = ~(self.errors(results)[places] <= bound)
        return off

    def errors(self, results: Bits) -> Floats:
        """Return errors in ULP; ∞ for a wrong sign, NaN or infinity, NaN for non-finite inputs."""
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
        """The truth in units of its last place: (m + low)·2^exponent."""
        from gelu_cli.numbers.units import in_units_array

        finite = np.isfinite(self.x)
        m, low, exponent = np.zeros_like(self.x), np.zeros_like(self.x), np.zeros(self.x.shape, int)
        m[finite], low[finite], exponent[finite], _ = in_units_array(
            self.form, self.quantity, self.x[finite], self.to
        )
        return m, low, exponent

    def largest_error(self, results: Bits) -> tuple[float, float]:
        """Return the largest error in ULP and its x."""
        errors = self.errors(results)
        place = int(np.nanargmax(errors))
        return float(errors[place]), float(self.x[place])

    def digest(self, results: Bits) -> str:
        """Return SHA-256 of the results of all bit patterns, with one NaN."""
        quiet = self.type.type(self.to.bits(np.nan))
        return sha256(
            np.where(np.isnan(self.numbers(results)), quiet, results).tobytes()
        ).hexdigest()


@dataclass(frozen=True)
class Proof:
    """What was found for every input of a kernel that one compiler built.

    Attributes
    ----------
    compiler, flags
        Who compiled it and how; who ran it, if nothing was compiled.
    fused
        True if a·b + c was rounded once.
    max_ulp, max_ulp_x
        The largest error in ULP, and where.
    misrounded
        Number of results that are not the correctly rounded ones.
    digest
        SHA-256 of all results in the order of the bit patterns of the inputs, with one NaN.
    """

    compiler: str
    flags: str
    fused: bool
    max_ulp: float
    max_ulp_x: float
    misrounded: int
    digest: str

    @property
    def by(self) -> str:
        """The compiler and its flags."""
        return f"{self.compiler} {self.flags}".rstrip()


def prove(expected: Expected, runs: Iterable[Run]) -> list[Proof]:
    """Compare the results of a kernel for all inputs, by every way to run it."""
    proofs = []
    for run in runs:
        results = run.function(expected.patterns)
        misrounded = int(expected.wrong(results).sum())
        largest = expected.largest_error(results)
        digest = expected.digest(results)
        proofs.append(Proof(run.by, run.flags, run.fused, *largest, misrounded, digest))
    return proofs
