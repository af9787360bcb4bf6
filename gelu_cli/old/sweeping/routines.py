"""Routines: ways of computing a form in floating point, the operations and their order.

Each is a few lines on a format's own arithmetic (`gelu_cli.old.arithmetic.FormatArithmetic`), which
rounds every operation. The routines are what frameworks and kernels do, flaws included, and the
gradients are those of their backward passes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from gelu_cli.errors import unknown
from gelu_cli.old.arithmetic import FormatArithmetic, Real

Computation: TypeAlias = Callable[[FormatArithmetic, Real], Real]
"""(a, x) → a result, in the arithmetic a of a format."""

QUANTITIES = ("value", "gradient")
"""What routines, and functions of the user's own, compute."""

HALF = Fraction(1, 2)
CUBIC = Fraction(44715, 10**6)
SLOPE = Fraction(1702, 1000)


class Routine(NamedTuple):
    """A way of computing a form: value and gradient."""

    name: str
    form: str
    definition: str
    value: Computation
    gradient: Computation

    def __reduce__(self) -> tuple[Any, ...]:
        # By its name, which another process knows: its computations are functions.
        return find_routine, (self.name,)


def density(a: FormatArithmetic, x: Real) -> Real:
    """Return e^(−x²/2)/√(2π)."""
    return a.exp(-a.rational(HALF) * x * x) / a.sqrt(2 * a.pi)


def erf_gate(a: FormatArithmetic, x: Real) -> Real:
    """Return ½(1 + erf(x/√2)), which cancels in the negative tail."""
    return a.rational(HALF) * (1 + a.erf(x * a.sqrt(a.rational(HALF))))


def erfc_gate(a: FormatArithmetic, x: Real) -> Real:
    """Return ½erfc(−x/√2)."""
    return a.rational(HALF) * a.erfc(-x * a.sqrt(a.rational(HALF)))


def cubic(a: FormatArithmetic, x: Real) -> Real:
    """Return u = √(2/π)·(x + 0.044715x³)."""
    return a.sqrt(2 / a.pi) * (x + a.rational(CUBIC) * x * x * x)


def cubic_slope(a: FormatArithmetic, x: Real) -> Real:
    """Return u′ = √(2/π)·(1 + 3·0.044715x²)."""
    return a.sqrt(2 / a.pi) * (1 + a.rational(3 * CUBIC) * x * x)


def sigmoid(a: FormatArithmetic, z: Real) -> Real:
    """Return 1/(1 + e^−z)."""
    return 1 / (1 + a.exp(-z))


def exponential_tanh(a: FormatArithmetic, u: Real) -> Real:
    """Return (e^2u − 1)/(e^2u + 1), which is NaN where e^2u overflows."""
    power = a.exp(2 * u)
    return (power - 1) / (power + 1)


def by_tanh(a: FormatArithmetic, x: Real, t: Real) -> Real:
    """Return ½x·(1 + t)."""
    return a.rational(HALF) * x * (1 + t)


def by_tanh_gradient(a: FormatArithmetic, x: Real, t: Real) -> Real:
    """Return ½(1 + t) + ½x·(1 − t²)·u′."""
    half = a.rational(HALF)
    return half * (1 + t) + half * x * (1 - t * t) * cubic_slope(a, x)


def by_logistic_gradient(s: Real, x: Real, slope: Real) -> Real:
    """Return s + x·s(1 − s)·slope."""
    return s + x * s * (1 - s) * slope


def logistic_gradient(a: FormatArithmetic, x: Real) -> Real:
    """Return the gradient of x·σ(2u)."""
    return by_logistic_gradient(sigmoid(a, 2 * cubic(a, x)), x, 2 * cubic_slope(a, x))


def sigmoid_gradient(a: FormatArithmetic, x: Real) -> Real:
    """Return the gradient of x·σ(1.702x)."""
    slope = a.rational(SLOPE)
    return by_logistic_gradient(sigmoid(a, slope * x), x, slope)


ROUTINES: Mapping[str, Routine] = {
    routine.name: routine
    for routine in (
        Routine(
            "erf_sum",
            "exact",
            "½x·(1 + erf(x/√2))",
            lambda a, x: x * erf_gate(a, x),
            lambda a, x: erf_gate(a, x) + x * density(a, x),
        ),
        Routine(
            "erfc",
            "exact",
            "½x·erfc(−x/√2)",
            lambda a, x: x * erfc_gate(a, x),
            lambda a, x: erfc_gate(a, x) + x * density(a, x),
        ),
        Routine(
            "tanh_sum",
            "tanh",
            "½x·(1 + tanh u)",
            lambda a, x: by_tanh(a, x, a.tanh(cubic(a, x))),
            lambda a, x: by_tanh_gradient(a, x, a.tanh(cubic(a, x))),
        ),
        Routine(
            "logistic",
            "tanh",
            "x·σ(2u)",
            lambda a, x: x * sigmoid(a, 2 * cubic(a, x)),
            logistic_gradient,
        ),
        Routine(
            "exp_ratio",
            "tanh",
            "½x·(1 + (e^2u − 1)/(e^2u + 1))",
            lambda a, x: by_tanh(a, x, exponential_tanh(a, cubic(a, x))),
            lambda a, x: by_tanh_gradient(a, x, exponential_tanh(a, cubic(a, x))),
        ),
        Routine(
            "sigmoid",
            "sigmoid",
            "x·σ(1.702x)",
            lambda a, x: x * sigmoid(a, a.rational(SLOPE) * x),
            sigmoid_gradient,
        ),
    )
}


def find_routine(name: str) -> Routine:
    """Return the routine of that name; raises `UsageError` where there is none.

    >>> find_routine("erf_sum").form
    'exact'
    """
    if name.lower() not in ROUTINES:
        raise unknown("routine", name, ROUTINES)
    return ROUTINES[name.lower()]
