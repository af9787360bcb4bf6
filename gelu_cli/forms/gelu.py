"""GELU itself."""

from __future__ import annotations

from collections.abc import Iterator

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms.form import Form, Gated


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


FORMS = (
    Form(
        name="exact",
        definition="x·Φ(x)",
        pieces=(Gated(gate),),
        symmetric=True,
        aliases=("none", "gelu", "erf", "gelu_python"),
        used_by="PyTorch, Keras and ONNX (default), JAX (approximate=False), Hugging Face (gelu)",
        source="Hendrycks & Gimpel, Gaussian Error Linear Units, arXiv:1606.08415",
        since=2016,
    ),
)
