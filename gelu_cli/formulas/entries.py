"""The forms, each by a function on the left half-line.

A new form is one entry. The decorated function takes x < 0 and the parameters by name; it tends to
0 as x → −∞ and is accurate there *relative to itself*: eˣ/(1 + eˣ), never 1 − 1/(1 + eˣ).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import fmpq

from gelu_cli.errors import UsageError
from gelu_cli.formulas.form import Parameter
from gelu_cli.formulas.pieces import Cut, Piece, polynomial_of, to_fraction
from gelu_cli.formulas.register import function, gate, parameter, positive, register
from gelu_cli.formulas.special import (
    erfc,
    exp,
    log1p,
    logistic,
    normal_cdf,
    normal_density,
    normal_loss,
    pi,
    sqrt,
    sqrt_half,
    sqrt_two_over_pi,
)

FUNCTIONS = ("logistic", "tanh_fn", "erf", "Phi", "normal_pdf")
"""Functions that are not forms of GELU; they are found by name all the same."""

HALF = fmpq(1, 2)


def arguments_rise(settings: Mapping[str, fmpq], form: str) -> None:
    """Raise UsageError for a tanh whose argument turns back as |x| grows."""
    if settings["d"] < 0 or (settings["d"] == 0 and settings["c"] < 0):
        name = "d" if settings["d"] else "c"
        raise UsageError(
            f"{name} of '{form}' must not be negative: the gate would turn back as |x| grows; "
            f"give {name} >= 0"
        )


@gate(
    "x·Φ(x)",
    aliases=("none", "gelu", "gelu_python", "ggml_gelu_erf", "candle_gelu_erf", "keras_gelu"),
    used_by="PyTorch and ONNX (default), JAX (approximate=False), Hugging Face (gelu), Keras "
    "(activations.py: gelu), ggml (ggml-cuda/unary.cu: op_gelu_erf), candle (Tensor.gelu_erf)",
    source="Hendrycks & Gimpel, Gaussian Error Linear Units, arXiv:1606.08415",
    since=2016,
)
def exact(x: Any) -> Any:
    """Return Φ(x)."""
    return normal_cdf(x)


SCALE = Parameter("a", to_fraction("0.79788456080286535588"), 1, sqrt_two_over_pi, "√(2/π)")


@gate(
    "½x·(1 + tanh(a·(x + c·x³ + d·x⁵))), a = √(2/π), c = 0.044715, d = 0",
    parameter("c", "0.044715"),
    SCALE,
    parameter("d", "0"),
    check=arguments_rise,
    aliases=(
        "gelu_new",
        "gelu_fast",
        "gelu_pytorch_tanh",
        "gelu_tanh",
        "gelu_accurate",
        "gelu_python_tanh",
        "mlx_precise",
        "ggml_gelu",
        "candle_gelu",
        "tinygrad_gelu",
    ),
    used_by="JAX (default), PyTorch, Keras and ONNX (tanh), GPT-2, Gemma, MLX "
    "(activations.py: gelu_approx, precise), ggml (ggml-cpu/vec.h: ggml_gelu_f32), candle "
    "(Tensor.gelu), tinygrad (Tensor.gelu)",
    source="Hendrycks & Gimpel, Gaussian Error Linear Units, arXiv:1606.08415",
    since=2016,
)
def tanh(x: Any, c: Any, a: Any, d: Any) -> Any:
    """Return (1 + tanh u)/2 = σ(2u)."""
    square = x * x
    inner = c + square * d if d != 0 else c
    return logistic(2 * a * x * (1 + square * inner))


@gate(
    "tanh with c = (4 − π)/(6π), GELU's third-order term at 0",
    source="the coefficient of x³ in Φ(x) − ½ = φ(0)·(x − x³/6 + …), matched",
)
def tanh_taylor(x: Any) -> Any:
    """Return the gate of `tanh` with that c."""
    return tanh(x, (4 - pi()) / (6 * pi()), sqrt_two_over_pi(), 0)


@gate(
    "x·σ(β·x), β = 1.702",
    positive("beta", "1.702"),
    aliases=("quick", "quick_gelu", "gelu_quick", "mlx_fast", "ggml_gelu_quick"),
    used_by="CLIP, Hugging Face (quick_gelu), MLX (activations.py: gelu_fast_approx, fast), "
    "ggml (ggml-cuda/unary.cu: op_gelu_quick), tinygrad (Tensor.quick_gelu)",
    source="Hendrycks & Gimpel, Gaussian Error Linear Units, arXiv:1606.08415",
    since=2016,
)
def sigmoid(x: Any, beta: Any) -> Any:
    """Return σ(βx)."""
    return logistic(beta * x)


@gate("x·σ(β·x), β = √(8/π), GELU's curvature at 0", source="f″(0) = β/2 = 2φ(0)")
def sigmoid_taylor(x: Any) -> Any:
    """Return σ(√(8/π)·x)."""
    return logistic(2 * sqrt_two_over_pi() * x)


@gate(
    "x·σ(x)",
    same_as=("sigmoid", {"beta": fmpq(1)}),
    aliases=("swish",),
    used_by="PyTorch and JAX (silu), Llama, EfficientNet",
    source="Elfwing, Uchibe & Doya, Neural Networks 107 (2018), arXiv:1702.03118",
    since=2017,
)
def silu(x: Any) -> Any:
    """Return σ(x)."""
    return logistic(x)


@function(
    "ramp",
    "log(1 + eˣ)",
    used_by="PyTorch and JAX (softplus)",
    source="Dugas et al., NIPS 2000",
    since=2000,
)
def softplus(x: Any) -> Any:
    """Return log(1 + eˣ)."""
    return log1p(exp(x))


@function(
    "ramp",
    "E max(0, x + ε) = x·Φ(x/σ) + σ·φ(x/σ), ε ~ N(0, σ²), σ = 1",
    positive("sigma", "1"),
    source="the mean of a rectified normal variable; its derivative is Φ(x/σ)",
)
def noisy_relu(x: Any, sigma: Any) -> Any:
    """Return σ·(φ(z) + z·Φ(z)), z = x/σ."""
    return sigma * normal_loss(x / sigma)


@function(
    "ramp",
    "(x + √(x² + b))/2, b = 4",
    positive("b", "4"),
    source="Barron, Squareplus: A Softplus-Like Algebraic Rectifier, arXiv:2112.11687",
    since=2021,
)
def squareplus(x: Any, b: Any) -> Any:
    """Return (b/2)/(√(x² + b) − x), which does not cancel."""
    return b / 2 / (sqrt(x * x + b) - x)


def mish_left(x: Any) -> Any:
    """Return tanh(log(1 + eˣ)) = w/(w + 2), w = eˣ(eˣ + 2)."""
    e = exp(x)
    w = e * (e + 2)
    return w / (w + 2)


def mish_right(x: Any) -> Any:
    """Return 1 − tanh(log(1 + eˣ)), in powers of e⁻ˣ."""
    e = exp(-x)
    double_square = 2 * e * e
    return double_square / (1 + 2 * e + double_square)


register(
    "mish",
    "x·tanh(log(1 + eˣ))",
    [Piece(mish_left)],
    [Piece(mish_right, polynomial_of(1), sign=-1)],
    used_by="PyTorch (mish), YOLOv4",
    source="Misra, Mish, BMVC 2020, arXiv:1908.08681",
    since=2019,
)


def erf_by_abramowitz_stegun(x: Any, p: Any, **a: Any) -> Any:
    """Return Φ(x) of x < 0 by formula 7.1.26 of Abramowitz and Stegun."""
    z = x * -sqrt_half()
    t = 1 / (1 + p * z)
    total: Any = 0
    for coefficient in reversed(a.values()):
        total = (total + coefficient) * t
    return exp(x * x / -2) * total / 2


register(
    "erf_as",
    "exact with erf z ≈ 1 − (a1·t + … + a5·t⁵)·e^(−z²), t = 1/(1 + p·z), p = 0.3275911",
    [Piece(erf_by_abramowitz_stegun)],
    # The defaults add up to 1 − 10⁻⁹, so the gate jumps by 10⁻⁹ about ½.
    cuts=lambda **parameters: [Cut(fmpq(0), "mean")],
    parameters=(
        positive("p", "0.3275911"),
        parameter("a1", "0.254829592"),
        parameter("a2", "-0.284496736"),
        parameter("a3", "1.421413741"),
        parameter("a4", "-1.453152027"),
        parameter("a5", "1.061405429"),
    ),
    source="Abramowitz & Stegun, Handbook of Mathematical Functions, 7.1.26",
    since=1964,
)


function(
    "complementary",
    "σ(x) = 1/(1 + e⁻ˣ)",
    name="logistic",
    aliases=("expit",),
    used_by="PyTorch, JAX, Keras (sigmoid), SciPy (expit)",
)(logistic)

function(
    "odd",
    "tanh x = (eˣ − e⁻ˣ)/(eˣ + e⁻ˣ)",
    name="tanh_fn",
    offset=-1,
    used_by="every framework (tanh)",
)(lambda x: 2 * logistic(2 * x))

function(
    "odd",
    "erf x = 2/√π·∫₀ˣ e^(−t²) dt; the GELU with it is exact",
    name="erf",
    offset=-1,
    used_by="every framework (erf)",
)(lambda x: erfc(-x))

function(
    "complementary",
    "Φ(x) = ½·(1 + erf(x/√2)), the normal distribution function",
    name="Phi",
    aliases=("ndtr", "normal_cdf"),
    used_by="PyTorch, JAX and SciPy (ndtr)",
)(normal_cdf)

function(
    "even",
    "φ(x) = e^(−x²/2)/√(2π), the normal density",
    name="normal_pdf",
    zeros=frozenset({("curvature", -1), ("curvature", 1)}),
    used_by="JAX and SciPy (norm.pdf)",
)(normal_density)
