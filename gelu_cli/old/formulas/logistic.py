"""Functions gated by a logistic, x·σ(βx); softplus, whose slope it is, and Mish, gated by that."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gelu_cli.old.arithmetic import Arithmetic, Real
from gelu_cli.old.formulas.form import Direct, Fit, Form, Gated, Parameter, always


def gate(a: Arithmetic, x: Real, beta: Real) -> Iterator[Real]:
    """Yield σ(βx), βσ(1 − σ) and β²σ(1 − σ)(1 − 2σ), with 1 − σ(z) written σ(−z)."""
    s, t = a.logistics(beta * x)
    yield s
    yield beta * s * t
    yield beta**2 * s * t * (t - s)


def logistic_of(a: Arithmetic, w: Iterator[Real]) -> Iterator[Real]:
    """Yield σ(w) with two derivatives, from w with its own."""
    s, t = a.logistics(next(w))
    yield s
    w1 = next(w)
    yield w1 * s * t
    yield (next(w) + w1**2 * (t - s)) * s * t


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
        name="sigmoid",
        definition="x·σ(β·x), β = 1.702",
        pieces=(Gated(gate),),
        parameters=(Parameter("beta", Fraction(1702, 1000)),),
        fit=Fit(("beta",), always),
        symmetric=True,
        aliases=("quick", "quick_gelu", "gelu_quick", "mlx_fast", "ggml_gelu_quick"),
        used_by="CLIP, Hugging Face (quick_gelu), MLX (activations.py: gelu_fast_approx, fast), "
        "ggml (ggml-cuda/unary.cu: op_gelu_quick), tinygrad (Tensor.quick_gelu)",
        source="Hendrycks & Gimpel, Gaussian Error Linear Units, arXiv:1606.08415",
        since=2016,
    ),
    Form(
        name="sigmoid_taylor",
        definition="x·σ(β·x), β = √(8/π), GELU's curvature at 0",
        pieces=(Gated(lambda a, x: gate(a, x, a.sqrt(8 / a.pi))),),
        fit=Fit(instead="sigmoid"),
        symmetric=True,
        source="f″(0) = β/2 = 2φ(0)",
    ),
    Form(
        name="silu",
        definition="x·σ(x)",
        pieces=(Gated(lambda a, x: gate(a, x, a.rational(1))),),
        fit=Fit(instead="sigmoid"),
        symmetric=True,
        aliases=("swish",),
        used_by="PyTorch and JAX (silu), Llama, EfficientNet",
        source="Elfwing, Uchibe & Doya, Neural Networks 107 (2018), arXiv:1702.03118",
        since=2017,
    ),
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
