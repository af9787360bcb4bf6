"""Routines: ways of computing a form in floating point, the operations and their order.

Each is a few lines in the arithmetic of a format, which rounds every operation. They are what
frameworks and kernels do, flaws included; the gradients are those of their backward passes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gelu_cli.kernels.arithmetic import Arithmetic


class Routine(NamedTuple):
    """A way of computing a form: value and gradient."""

    name: str
    form: str
    definition: str
    value: Callable[[Arithmetic, Any], Any]
    gradient: Callable[[Arithmetic, Any], Any]


def density(a: Arithmetic, x: Any) -> Any:
    """Compute e^(−x²/2)/√(2π)."""
    return a.exp(-a(0.5) * x * x) / a.sqrt(a(2) * a.pi)


def erf_gate(a: Arithmetic, x: Any) -> Any:
    """Compute ½(1 + erf(x/√2)), which cancels in the negative tail."""
    return a(0.5) * (a(1) + a.erf(x * a.sqrt(a(0.5))))


def erfc_gate(a: Arithmetic, x: Any) -> Any:
    """Compute ½erfc(−x/√2)."""
    return a(0.5) * a.erfc(-x * a.sqrt(a(0.5)))


def cubic(a: Arithmetic, x: Any) -> Any:
    """Compute u = √(2/π)·(x + 0.044715x³)."""
    return a.sqrt(a(2) / a.pi) * (x + a(0.044715) * x * x * x)


def cubic_slope(a: Arithmetic, x: Any) -> Any:
    """Compute u′ = √(2/π)·(1 + 3·0.044715x²)."""
    return a.sqrt(a(2) / a.pi) * (a(1) + a(0.134145) * x * x)


def sigmoid(a: Arithmetic, z: Any) -> Any:
    """Compute 1/(1 + e^−z)."""
    return a(1) / (a(1) + a.exp(-z))


def exponential_tanh(a: Arithmetic, u: Any) -> Any:
    """Compute (e^2u − 1)/(e^2u + 1), which is NaN if e^2u overflows."""
    power = a.exp(a(2) * u)
    return (power - a(1)) / (power + a(1))


def by_tanh(a: Arithmetic, x: Any, t: Any) -> Any:
    """Compute ½x·(1 + t)."""
    return a(0.5) * x * (a(1) + t)


def by_tanh_gradient(a: Arithmetic, x: Any, t: Any) -> Any:
    """Compute ½(1 + t) + ½x·(1 − t²)·u′."""
    return a(0.5) * (a(1) + t) + a(0.5) * x * (a(1) - t * t) * cubic_slope(a, x)


def by_logistic_gradient(a: Arithmetic, x: Any, s: Any, slope: Any) -> Any:
    """Compute s + x·s(1 − s)·slope."""
    return s + x * s * (a(1) - s) * slope


ENTRIES = (
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
        lambda a, x: x * sigmoid(a, a(2) * cubic(a, x)),
        lambda a, x: by_logistic_gradient(
            a, x, sigmoid(a, a(2) * cubic(a, x)), a(2) * cubic_slope(a, x)
        ),
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
        lambda a, x: x * sigmoid(a, a(1.702) * x),
        lambda a, x: by_logistic_gradient(a, x, sigmoid(a, a(1.702) * x), a(1.702)),
    ),
)

ROUTINES: Mapping[str, Routine] = {entry.name: entry for entry in ENTRIES}
"""Every routine by name."""
