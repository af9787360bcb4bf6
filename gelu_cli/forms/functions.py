"""Functions that are taken for GELU: those inside it, without the factor x.

They are no forms of it, and are neither listed nor found among them.
"""

from __future__ import annotations

from collections.abc import Iterator

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms import gelu, sigmoid
from gelu_cli.forms.form import Direct, Form


def tanh(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield tanh x = σ(2x) − σ(−2x) with two derivatives."""
    s, t = a.logistics(2 * x)
    yield s - t
    yield 4 * s * t
    yield 8 * s * t * (t - s)


def erf(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield erf x = 1 − erfc x with two derivatives."""
    yield 1 - a.erfc(x)
    slope = 2 * a.exp(-x * x) / a.sqrt(a.pi)
    yield slope
    yield -2 * x * slope


FUNCTIONS = (
    Form(
        name="logistic",
        definition="the logistic function",
        pieces=(Direct(sigmoid.silu_gate),),
    ),
    Form(name="tanh_fn", definition="the function tanh", pieces=(Direct(tanh),)),
    Form(name="erf", definition="the error function erf", pieces=(Direct(erf),)),
    Form(
        name="Phi",
        definition="the normal distribution function Φ",
        pieces=(Direct(gelu.gate),),
    ),
)
