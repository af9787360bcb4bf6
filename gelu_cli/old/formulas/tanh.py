"""GELU with Φ approximated by a hyperbolic tangent of a cubic, or a quintic."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from operator import mul

from gelu_cli.old.arithmetic import Arithmetic, Real
from gelu_cli.old.arithmetic.polynomials import odd_polynomial
from gelu_cli.old.formulas.form import Fit, Form, Gated, Parameter
from gelu_cli.old.formulas.logistic import logistic_of


def root(arithmetic: Arithmetic) -> Real:
    """Return √(2/π), the scale that gives Φ's slope at 0."""
    return arithmetic.sqrt(2 / arithmetic.pi)


def gate(arithmetic: Arithmetic, x: Real, c: Real, a: Real, d: Real) -> Iterator[Real]:
    """Yield σ(w), w = 2a·(x + cx³ + dx⁵), with two derivatives.

    σ(2u) = ½(1 + tanh u), but does not cancel where tanh u is near −1.
    """
    scale, jet = 2 * a, odd_polynomial((arithmetic.rational(1), c, d), x)
    return logistic_of(arithmetic, (scale * u for u in jet))


def expanded_gate(arithmetic: Arithmetic, x: Real, **terms: Real) -> Iterator[Real]:
    """Yield the same from a, a·c and a·d: some kernels multiply these with powers of x."""
    return logistic_of(arithmetic, (2 * u for u in odd_polynomial(list(terms.values()), x)))


SCALE = Fraction("0.79788456080286535588")
"""√(2/π), nearly."""

TURNS_BACK = "the nearest members have d < 0, and their argument turns back far out"


def ordered(free: Collection[str], settings: Mapping[str, Fraction]) -> bool:
    """Say whether members that differ in n parameters differ in n − 1 changes of sign at most.

    By Descartes' rule of signs for the difference of their arguments, x·(α + γx² + δx⁴): what is
    set is a multiple of x + c·x³ + d·x⁵.
    """
    set_as = {"a": Fraction(1), "c": settings["c"], "d": settings["d"]}
    steps = {name: [Fraction(name == other) for other in set_as] for name in free}
    if "a" in free:
        steps["a"] = [value if name == "a" or name not in free else Fraction(0)
                      for name, value in set_as.items()]  # fmt: skip
    differences = (
        [sum(map(mul, shares, column)) for column in zip(*steps.values(), strict=True)]
        for shares in product((-1, 0, 1), repeat=len(steps))
    )
    return all(_changes_of_sign(each) < len(free) for each in differences if any(each))


def _changes_of_sign(numbers: Sequence[Fraction]) -> int:
    signs = [number > 0 for number in numbers if number]
    return sum(one != other for one, other in pairwise(signs))


EXPANDED = Form(
    name="tanh",
    definition="½x·(1 + tanh(a·x + (a·c)·x³ + (a·d)·x⁵))",
    pieces=(Gated(expanded_gate),),
    parameters=(
        Parameter("a", SCALE, exact=root, text="√(2/π)"),
        Parameter("a·c", Fraction("0.035677408136300124")),
        Parameter("a·d", Fraction(0)),
    ),
    symmetric=True,
)

FORMS = (
    Form(
        name="tanh",
        definition="½x·(1 + tanh(a·(x + c·x³ + d·x⁵))), a = √(2/π), c = 0.044715, d = 0",
        pieces=(Gated(gate),),
        parameters=(
            Parameter("c", Fraction(44715, 10**6)),
            Parameter("a", SCALE, exact=root, text="√(2/π)"),
            Parameter("d", Fraction(0)),
        ),
        fit=Fit(("c",), ordered, no_best_on_the_line={"d": TURNS_BACK}, expanded=EXPANDED),
        symmetric=True,
        aliases=("gelu_new", "gelu_fast", "gelu_pytorch_tanh", "gelu_tanh", "gelu_accurate",
                 "gelu_python_tanh", "mlx_precise", "ggml_gelu", "candle_gelu", "tinygrad_gelu"),
        used_by="JAX (default), PyTorch, Keras and ONNX (tanh), GPT-2, Gemma, MLX "
        "(activations.py: gelu_approx, precise), ggml (ggml-cpu/vec.h: ggml_gelu_f32), candle "
        "(Tensor.gelu), tinygrad (Tensor.gelu)",
        source="Hendrycks & Gimpel, Gaussian Error Linear Units, arXiv:1606.08415",
        since=2016,
    ),
    Form(
        name="tanh_taylor",
        fit=Fit(instead="tanh"),
        definition="tanh with c = (4 − π)/(6π), GELU's third-order term at 0",
        pieces=(Gated(lambda a, x: gate(a, x, (4 - a.pi) / (6 * a.pi), root(a), 0)),),
        symmetric=True,
        source="the coefficient of x³ in Φ(x) − ½ = φ(0)·(x − x³/6 + …), matched",
    ),
)  # fmt: skip
