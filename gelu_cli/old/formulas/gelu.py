"""GELU itself, and ReLU under Gaussian noise."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gelu_cli.old.arithmetic import Arithmetic, Real
from gelu_cli.old.formulas.form import Direct, Form, Gated, Parameter


def normal_density(a: Arithmetic, x: Real) -> Real:
    """Return φ(x) = e^(−x²/2)/√(2π)."""
    return a.exp(-x * x / 2) / a.sqrt(2 * a.pi)


def normal_distribution(a: Arithmetic, x: Real) -> Real:
    """Return Φ(x) = ½erfc(−x/√2).

    It keeps its digits in the negative tail, where ½(1 + erf) has none.
    """
    return a.erfc(-x / a.sqrt(a.rational(2))) / 2


def gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield Φ, φ and φ′ = −xφ at x."""
    yield normal_distribution(a, x)
    density = normal_density(a, x)
    yield density
    yield -x * density


def noisy_relu(a: Arithmetic, x: Real, sigma: Real) -> Iterator[Real]:
    """Yield E max(0, x + ε) = xΦ(x/σ) + σφ(x/σ) for ε ~ N(0, σ²), Φ(x/σ) and φ(x/σ)/σ.

    The two terms cancel in the negative tail, to 1/z² of their size at z = x/σ.
    """
    z = x / sigma
    distribution, density = normal_distribution(a, z), normal_density(a, z)
    yield x * distribution + sigma * density
    yield distribution
    yield density / sigma


FORMS = (
    Form(
        name="exact",
        definition="x·Φ(x)",
        pieces=(Gated(gate),),
        symmetric=True,
        aliases=("none", "gelu", "gelu_python", "ggml_gelu_erf", "candle_gelu_erf", "keras_gelu"),
        used_by="PyTorch and ONNX (default), JAX (approximate=False), Hugging Face (gelu), Keras "
        "(activations.py: gelu), ggml (ggml-cuda/unary.cu: op_gelu_erf), candle (Tensor.gelu_erf)",
        source="Hendrycks & Gimpel, Gaussian Error Linear Units, arXiv:1606.08415",
        since=2016,
    ),
    Form(
        name="noisy_relu",
        definition="E max(0, x + ε) = x·Φ(x/σ) + σ·φ(x/σ), ε ~ N(0, σ²), σ = 1",
        pieces=(Direct(noisy_relu),),
        parameters=(Parameter("sigma", Fraction(1), sign=1),),
        source="the mean of a rectified normal variable; its derivative is Φ(x/σ)",
    ),
)
