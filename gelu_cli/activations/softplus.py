"""Softplus, and Mish that is gated by it."""

from __future__ import annotations

from gelu_cli.activations.form import Direct, Form, Gated
from gelu_cli.arithmetic import Arithmetic, Real


def softplus(a: Arithmetic, x: Real) -> tuple[Real, Real, Real]:
    """Return log(1 + eˣ), σ(x) and σ(x)σ(−x)."""
    s, t = a.logistic(x), a.logistic(-x)
    return a.softplus(x), s, s * t


def mish_gate(a: Arithmetic, x: Real) -> tuple[Real, Real, Real]:
    """Return T = tanh(log(1 + eˣ)) with two derivatives.

    With s = σ(x), t = σ(−x) and eˣ = s/t this is T = n/(n + 2t²), n = s(1 + t), and 1 − T =
    2t²/(n + 2t²): nothing overflows, nothing cancels. T′ = (1 − T²)·s, T″ = T′·(t − 2Ts).
    """
    s, t = a.logistic(x), a.logistic(-x)
    n, rest = s * (1 + t), 2 * t**2
    gate, complement = n / (n + rest), rest / (n + rest)
    gradient = complement * (1 + gate) * s
    return gate, gradient, gradient * (t - 2 * gate * s)


FORMS = (
    Form(
        name="softplus",
        definition="log(1 + eˣ)",
        pieces=(Direct(softplus),),
        used_by="PyTorch and JAX (softplus)",
        source="Dugas et al., NIPS 2000",
    ),
    Form(
        name="mish",
        definition="x·tanh(log(1 + eˣ))",
        pieces=(Gated(mish_gate),),
        used_by="PyTorch (mish), YOLOv4",
        source="Misra, Mish, BMVC 2020, arXiv:1908.08681",
    ),
)
