"""GELU with Φ approximated by a hyperbolic tangent of a cubic."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms.form import Bend, Fit, Form, Gated, Parameter, always


def gate(a: Arithmetic, x: Real, c: Real) -> Iterator[Real]:
    """Yield σ(2u), u = √(2/π)·(x + cx³), with two derivatives.

    σ(2u) = ½(1 + tanh u), but does not cancel where tanh u is near −1.
    """
    scale = 2 * a.sqrt(2 / a.pi)
    w = scale * (x + c * x**3)
    s, t = a.logistics(w)
    yield s
    w1 = scale * (1 + 3 * c * x**2)
    yield w1 * s * t
    w2 = scale * 6 * c * x
    yield (w2 + w1**2 * (t - s)) * s * t


def taylor_gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield the tanh gate with c = (4 − π)/(6π): its series and Φ's agree up to x⁴."""
    return gate(a, x, (4 - a.pi) / (6 * a.pi))


APART = Fraction(1, 16)
"""From this −c on 0 and ±1/√−c are one bend."""


def bends(c: Fraction) -> tuple[Bend, ...]:
    """Return 0, about which x + cx³ goes from −1 to 1, and ±1/√−c, where it is 0 again."""
    size = abs(c)
    if size >= 1:
        return (Bend(Fraction(0), Fraction(float(size) ** (-1 / 3))),)
    first = Bend(Fraction(0), Fraction(1))
    if c >= 0 or size > APART:
        return (first,)
    half = Fraction(1, 2)  # x + cx³ has the slope −2 there
    return Bend(-1 / size, half), first, Bend(1 / size, half)


FORMS = (
    Form(
        name="tanh",
        definition="½x·(1 + tanh(√(2/π)·(x + c·x³))), c = 0.044715",
        pieces=(Gated(gate),),
        bends_at=bends,
        parameters=(Parameter("c", Fraction(44715, 10**6)),),
        fit=Fit(("c",), always),
        symmetric=True,
        aliases=("gelu_new", "gelu_fast", "gelu_pytorch_tanh", "gelu_tanh", "gelu_accurate"),
        used_by="JAX (default), PyTorch, Keras and ONNX (tanh), GPT-2, Gemma",
        source="Hendrycks & Gimpel, Gaussian Error Linear Units, arXiv:1606.08415",
    ),
    Form(
        name="tanh_taylor",
        definition="tanh with c = (4 − π)/(6π), GELU's third-order term at 0",
        pieces=(Gated(taylor_gate),),
        source="the coefficient of x³ in Φ(x) − ½ = φ(0)·(x − x³/6 + …), matched",
    ),
)
