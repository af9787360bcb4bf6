"""Functions gated by a logistic: x·σ(βx)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms.form import Fit, Form, Gated, Parameter, always


def gate(a: Arithmetic, x: Real, beta: Real) -> Iterator[Real]:
    """Yield σ(βx), βσ(1 − σ) and β²σ(1 − σ)(1 − 2σ), with 1 − σ(z) written σ(−z)."""
    s, t = a.logistics(beta * x)
    yield s
    yield beta * s * t
    yield beta**2 * s * t * (t - s)


def taylor_gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield the gate with β = √(8/π), which makes f″(0) = β/2 equal to GELU's 2φ(0)."""
    return gate(a, x, a.sqrt(8 / a.pi))


def silu_gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield the gate with β = 1."""
    return gate(a, x, a.rational(1))


FORMS = (
    Form(
        name="sigmoid",
        definition="x·σ(β·x), β = 1.702",
        pieces=(Gated(gate),),
        parameters=(Parameter("beta", Fraction(1702, 1000)),),
        fit=Fit(("beta",), always),
        symmetric=True,
        aliases=("quick", "quick_gelu", "gelu_quick"),
        used_by="CLIP, Hugging Face (quick_gelu)",
        source="Hendrycks & Gimpel, Gaussian Error Linear Units, arXiv:1606.08415",
        since=2016,
    ),
    Form(
        name="sigmoid_taylor",
        definition="x·σ(β·x), β = √(8/π), GELU's curvature at 0",
        pieces=(Gated(taylor_gate),),
        fit=Fit(instead="sigmoid"),
        symmetric=True,
        source="f″(0) = β/2 = 2φ(0)",
    ),
    Form(
        name="silu",
        definition="x·σ(x)",
        pieces=(Gated(silu_gate),),
        fit=Fit(instead="sigmoid"),
        symmetric=True,
        aliases=("swish",),
        used_by="PyTorch and JAX (silu), Llama, EfficientNet",
        source="Elfwing, Uchibe & Doya, Neural Networks 107 (2018), arXiv:1702.03118",
        since=2017,
    ),
)
