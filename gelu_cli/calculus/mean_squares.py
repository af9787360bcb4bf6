"""The root mean square of an error over a range, each x of it with the same weight."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from gelu_cli.arithmetic import Result, Rounding, mpf
from gelu_cli.arithmetic.multiprecision import Multiprecision, multiprecision
from gelu_cli.calculus.comparison import Comparison
from gelu_cli.errors import ComputationError

SPARE = 16
"""Bits beyond the rounding's own that the integral is to have."""

RAISE, LAST_RAISE = 64, 256
"""An estimate too near to the middle between two numbers gets more bits, a few times over."""


def root_mean_square(
    comparison: Comparison, low: Fraction, high: Fraction, rounding: Rounding
) -> Result:
    """Return √(1/(b − a)·∫ₐᵇ d² dx), d = form − target, for [a, b] = [low, high], rounded.

    The integral is taken stretch by stretch, by Gauss and Legendre's rule of mpmath, to more bits
    than are printed. Raises `ComputationError` if it does not converge.

    >>> from gelu_cli.forms import find_form
    >>> from gelu_cli.arithmetic.formats import FLOAT64
    >>> twice = find_form("elu").with_settings("elu:alpha=2", {"alpha": Fraction(2)})
    >>> pair = Comparison(twice, find_form("elu"), "curvature")  # e^x below 0, and 0 above
    >>> root_mean_square(pair, Fraction(-1), Fraction(1), FLOAT64)  # √((1 − e⁻²)/4)
    0.46493674751609687
    """
    for more in range(SPARE, LAST_RAISE, RAISE):
        bits = rounding.precision + more
        number = mpf.from_context(_estimate(comparison, low, high, multiprecision(2 * bits), bits))
        margin = mpf.shift(mpf.absolute(number), -bits)
        result = rounding.settle(mpf.subtract(number, margin), mpf.add(number, margin))
        if result is not None:
            return result
    raise _no_average(low, high)


def _estimate(
    comparison: Comparison, low: Fraction, high: Fraction, a: Multiprecision, bits: int
) -> Any:
    """Return the root mean square, relatively within 2**−bits."""
    total = error = a.rational(0)
    for stretch in comparison.stretches(low, high):
        difference = comparison.difference(stretch)
        ends = [end.position(a) for end in stretch]
        part, off = a.context.quad(
            lambda x, d=difference: d(a, x) ** 2, ends, method="gauss-legendre", error=True
        )
        total, error = total + part, error + off
    if error * (1 << bits) > total:
        raise _no_average(low, high)
    return a.sqrt(total / a.rational(high - low))


def _no_average(low: Fraction, high: Fraction) -> ComputationError:
    return ComputationError(
        f"no root mean square over {float(low):g}:{float(high):g} converges; take a shorter range"
    )
