"""Softplus, and Mish that is gated by it."""

from __future__ import annotations

from collections.abc import Iterator

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms.form import Direct, Form, Gated


def softplus(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield log(1 + eˣ), σ(x) and σ(x)σ(−x)."""
    yield a.softplus(x)
    s, t = a.logistics(x)
    yield s
    yield s * t


def mish_gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield T = tanh(log(1 + eˣ)) with two derivatives.

    With s = σ(x), t = σ(−x) and eˣ = s/t this is T = n/(n + 2t²), n = s(1 + t), and 1 − T =
    2t²/(n + 2t²): nothing overflows, nothing cancels. T′ = (1 − T²)·s, T″ = T′·(t − 2Ts).
    Written as 1/(1 + 2t²/n), T is 1 less 2t² to the right, and no part of n is left beside it.
    """
    s, t = a.logistics(x)
    n, rest = s * (1 + t), 2 * t**2
    gate = 1 / (1 + rest / n)
    yield gate
    gradient = rest / (n + rest) * (1 + gate) * s
    yield gradient
    yield gradient * (t - 2 * gate * s)


FORMS = (
    Form(
        name="softplus",
        definition="log(1 + eˣ)",
        pieces=(Direct(softplus),),
        used_by="PyTorch and JAX (softplus)",
        source="Dugas et al., NIPS 2000",
        since=2000,
    ),
    Form(
        name="mish",
        definition="x·tanh(log(1 + eˣ))",
        pieces=(Gated(mish_gate),),
        used_by="PyTorch (mish), YOLOv4",
        source="Misra, Mish, BMVC 2020, arXiv:1908.08681",
        since=2019,
    ),
)
