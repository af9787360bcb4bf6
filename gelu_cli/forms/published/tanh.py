"""Φ by a hyperbolic tangent of a cubic: ½(1 + tanh(a·(x + c·x³)))."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms import find_form
from gelu_cli.forms.form import Form, Gated
from gelu_cli.forms.published.claims import Measure, PublishedSet, bound, constants, figure
from gelu_cli.forms.tanh import gate, root

TANH = find_form("tanh")
C = Fraction("0.044715")
SU_B = Fraction("0.035677337314877385")
SIX = Fraction(6)

SU = "Su Jianlin, 2020: fitted for the least maximum error of Φ"
NOVIGRAD = "novigrad (CUDA), which has √(2/5) for √(2/π)"
SWAPPED = "a converter before its fix, 2021, which has the two constants of the tanh form swapped"


def su_gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield the gate with a·c = 0.035677337314877385, a = √(2/π)."""
    scale = root(a)
    return gate(a, x, a.rational(SU_B) / scale, scale, a.rational(0))


def novigrad_gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield the gate with a = √(2/5)."""
    scale = a.sqrt(a.rational(Fraction(2, 5)))
    return gate(a, x, a.rational(C), scale, a.rational(0))


def swapped_gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield the gate with a = 0.044715 and c = √(2/π)."""
    return gate(a, x, root(a), a.rational(C), a.rational(0))


SETS = (
    PublishedSet(
        "page_1977",
        TANH,
        "Page, Applied Statistics 26 (1977); Hendrycks & Gimpel, arXiv:1606.08415; the maxima: "
        "four frameworks; the bound: MLX, gelu_approx",
        (
            figure("4.1e-4"),
            figure("4.7e-4"),
            figure("5e-4"),
            figure("0.00047326088"),
            bound("0.0005", Measure("value", -SIX, SIX)),
        ),
    ),
    PublishedSet(
        "megatron",
        constants(TANH, a="0.79788456", c="0.044715"),
        "Megatron-LM, fused_bias_gelu: 0.79788456·x·(1 + 0.044715·x²)",
    ),
    PublishedSet(
        "onnx_fastgelu",
        constants(TANH, a="0.797885", c="35677/797885"),
        "ONNX Runtime, FastGelu; MIGraphX: tanh(0.797885·x + 0.035677·x³)",
    ),
    PublishedSet(
        "ascend",
        constants(TANH, a="0.797884561", c="0.0455399241"),
        "CANN, Gelu on Ascend: x/(1 + exp(−1.595769122·(x + 0.0455399241·x³)))",
    ),
    PublishedSet(
        "mlx_2023",
        constants(TANH, a="0.800165", c="0.0433603"),
        "MLX, gelu_approx, 2023: x·σ(1.60033·x·(1 + 0.0433603·x²))",
        (bound("0.0003", Measure("value", -SIX, SIX)),),
    ),
    PublishedSet(
        "bowling_2009",
        constants(TANH, a="0.7988", c="441/9985"),
        "Bowling, Khasawneh, Kaewkuekool & Cho, J. Industrial Engineering and Management 2 "
        "(2009): σ(1.5976·x + 0.07056·x³); Stan's Phi_approx",
        (bound("0.00014", Measure("gate")),),
    ),
    PublishedSet(
        "cook_2025",
        constants(TANH, a="0.8", c="0"),
        "John D. Cook, 2025: ½x·(1 + tanh(0.8x))",
    ),
    PublishedSet(
        "su_2020",
        Form(
            name="su_2020",
            definition="½x·(1 + tanh(√(2/π)·x + 0.035677337314877385·x³))",
            pieces=(Gated(su_gate),),
            symmetric=True,
            source=SU,
        ),
        SU,
        measure=Measure("gate"),
    ),
    PublishedSet(
        "novigrad",
        Form(
            name="novigrad",
            definition="½x·(1 + tanh(√(2/5)·(x + 0.044715·x³)))",
            pieces=(Gated(novigrad_gate),),
            symmetric=True,
            source=NOVIGRAD,
        ),
        NOVIGRAD,
    ),
    PublishedSet(
        "swapped_constants",
        Form(
            name="swapped_constants",
            definition="½x·(1 + tanh(0.044715·(x + √(2/π)·x³)))",
            pieces=(Gated(swapped_gate),),
            symmetric=True,
            source=SWAPPED,
        ),
        SWAPPED,
    ),
)
