"""Routines: ways of computing a form, operation by operation.

`a` is the `Arithmetic` of a format, which rounds every operation; a(2) is the number 2 in the
format. Frameworks use these routines, flaws included, and these gradients in backward passes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from gelu_cli.kernels.arithmetic import Arithmetic

Computation: TypeAlias = Callable[["Arithmetic", Any], Any]


class Routine(NamedTuple):
    """A way of computing a form."""

    name: str
    form: str
    definition: str
    value: Computation
    gradient: Computation


def density(a: Arithmetic, x: Any) -> Any:
    """Compute φ(x) = e^(−x²/2)/√(2π)."""
    return a.exp(-a(0.5) * x * x) / a.sqrt(a(2) * a.pi)


def erf_gate(a: Arithmetic, x: Any) -> Any:
    """Compute ½(1 + erf(x/√2)), which cancels in the negative tail."""
    return a(0.5) * (a(1) + a.erf(x * a.sqrt(a(0.5))))


def erfc_gate(a: Arithmetic, x: Any) -> Any:
    """Compute ½erfc(−x/√2)."""
    return a(0.5) * a.erfc(x * -a.sqrt(a(0.5)))


def cubic(a: Arithmetic, x: Any) -> Any:
    """Compute u = √(2/π)·(x + 0.044715x³)."""
    return a.sqrt(a(2) / a.pi) * (x + a(0.044715) * x * x * x)


def cubic_slope(a: Arithmetic, x: Any) -> Any:
    """Compute u′ = √(2/π)·(1 + 3·0.044715x²)."""
    return a.sqrt(a(2) / a.pi) * (a(1) + a(0.134145) * x * x)


def tanh(a: Arithmetic, u: Any) -> Any:
    """Compute tanh u by numpy's tanh."""
    return a.tanh(u)


def exponential_tanh(a: Arithmetic, u: Any) -> Any:
    """Compute (e^2u − 1)/(e^2u + 1), which is NaN if e^2u overflows."""
    power = a.exp(a(2) * u)
    return (power - a(1)) / (power + a(1))


def sigmoid(a: Arithmetic, z: Any) -> Any:
    """Compute σ(z) = 1/(1 + e^−z)."""
    return a(1) / (a(1) + a.exp(-z))


def by_gate(gate: Computation) -> tuple[Computation, Computation]:
    """Return functions for x·G(x) and for its gradient G + x·φ."""
    return lambda a, x: x * gate(a, x), lambda a, x: gate(a, x) + x * density(a, x)


def by_tanh(tanh: Computation) -> tuple[Computation, Computation]:
    """Return functions for ½x·(1 + t), where t = tanh u, and for its gradient."""

    def gradient(a: Arithmetic, x: Any) -> Any:
        t = tanh(a, cubic(a, x))
        return a(0.5) * (a(1) + t) + a(0.5) * x * (a(1) - t * t) * cubic_slope(a, x)

    return lambda a, x: a(0.5) * x * (a(1) + tanh(a, cubic(a, x))), gradient


def by_logistic(z: Computation, slope: Computation) -> tuple[Computation, Computation]:
    """Return functions for x·s and its gradient s + x·s(1 − s)·z′; s = σ(z)."""

    def gradient(a: Arithmetic, x: Any) -> Any:
        s = sigmoid(a, z(a, x))
        return s + x * s * (a(1) - s) * slope(a, x)

    return lambda a, x: x * sigmoid(a, z(a, x)), gradient


TWICE_CUBIC = by_logistic(lambda a, x: a(2) * cubic(a, x), lambda a, x: a(2) * cubic_slope(a, x))
LINE = by_logistic(lambda a, x: a(1.702) * x, lambda a, x: a(1.702))

ENTRIES = (
    Routine("erf_sum", "exact", "½x·(1 + erf(x/√2))", *by_gate(erf_gate)),
    Routine("erfc", "exact", "½x·erfc(−x/√2)", *by_gate(erfc_gate)),
    Routine("tanh_sum", "tanh", "½x·(1 + tanh u)", *by_tanh(tanh)),
    Routine("logistic", "tanh", "x·σ(2u)", *TWICE_CUBIC),
    Routine("exp_ratio", "tanh", "½x·(1 + (e^2u − 1)/(e^2u + 1))", *by_tanh(exponential_tanh)),
    Routine("sigmoid", "sigmoid", "x·σ(1.702x)", *LINE),
)
ROUTINES: Mapping[str, Routine] = {entry.name: entry for entry in ENTRIES}
