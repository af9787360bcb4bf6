"""Known mistakes: formulas that were printed or programmed in place of GELU, each with its name.

Each is a form, written on the `Arithmetic` like those of `gelu_cli.old.formulas`: so it runs on all
kinds of numbers, and is rounded correctly. But it is no form of GELU, and only `gelu identify`
knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from gelu_cli.old.arithmetic import Arithmetic, Real
from gelu_cli.old.formulas import tanh, typed_form
from gelu_cli.old.formulas.form import Direct, Form, Gated, Jet, Parameter, Piece
from gelu_cli.old.formulas.gelu import normal_density, normal_distribution
from gelu_cli.old.formulas.logistic import logistic_of
from gelu_cli.old.formulas.published.curves import constant, tanh_of
from gelu_cli.old.formulas.rectifiers import ONE, ZERO, hard_kinks, identity, kink_at_0, ramp_gate

CUBIC = Fraction("0.044715")


def _form(name: str, definition: str, piece: Piece, source: str = "") -> Form:
    return Form(name=name, definition=definition, pieces=(piece,), source=source)


def _tanh(name: str, argument: str, source: str = "") -> Form:
    return _form(name, f"½x·(1 + tanh({argument}))", tanh_of(argument), source)


def square_for_cube(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield ½(1 + tanh u) = σ(2u), u = √(2/π)·(x + c·x²), with two derivatives."""
    scale, c = 2 * tanh.root(a), a.rational(CUBIC)
    return logistic_of(a, iter([scale * (x + c * x**2), scale * (1 + 2 * c * x), scale * 2 * c]))


def normal(factor: int = 1, scale: str = "1", less: Fraction | int = 0) -> Jet:
    """Return the jet of m·(Φ(s·x) − l); erf(x/√2) is 2·(Φ(x) − ½)."""
    scale_in = constant(scale)

    def jet(a: Arithmetic, x: Real) -> Iterator[Real]:
        m, s = a.rational(factor), scale_in(a)
        yield m * (normal_distribution(a, s * x) - a.rational(less))
        density = m * s * normal_density(a, s * x)
        yield density
        yield -s * (s * x) * density

    return jet


def slope_only(formula: Callable[[Arithmetic, Real], Real]) -> Direct:
    """Return a wrong gradient, whose own derivatives nobody asks for."""
    return Direct(lambda a, x: iter([formula(a, x)]))


def tanh_gradient(factor: int, scale: str) -> Direct:
    """Return σ + 2x·σ(1 − σ)·s·(1 + n·c·x²): the tanh form has s = √(2/π) and n = 3."""
    scale_in = constant(scale)

    def formula(a: Arithmetic, x: Real) -> Real:
        c = a.rational(CUBIC)
        s, t = a.logistics(2 * tanh.root(a) * (x + c * x**3))
        return s + 2 * x * s * t * scale_in(a) * (1 + factor * c * x**2)

    return slope_only(formula)


SCALED = Form(
    name="tanh_scaled",
    definition="½x·(1 + tanh(s·(x + 0.044715·x³))), the tanh form with s = √(2/π)",
    pieces=(Gated(lambda a, x, s: tanh.gate(a, x, a.rational(CUBIC), s, 0)),),
    parameters=(Parameter("s", tanh.SCALE),),
)
"""The tanh form with its first constant free. With its default it is the tanh form, nearly."""

HALF = Fraction(1, 2)
VALUES = (
    _tanh("swapped_constants", "0.044715·(x + √(2/π)·x³)",
          "github.com/huggingface/transformers/pull/11514"),
    _form("square_for_cube", "½x·(1 + tanh(√(2/π)·(x + 0.044715·x²)))", Gated(square_for_cube)),
    _tanh("root_left_out", "x + 0.044715·x³"),
    _tanh("root_of_x_alone", "√(2/π)·x + 0.044715·x³"),
    _tanh("root_upside_down", "√(π/2)·(x + 0.044715·x³)",
          "several public PyTorch models: math.sqrt(math.pi / 2)"),
    _tanh("no_root", "(2/π)·(x + 0.044715·x³)"),
    _tanh("root_of_2_over_5", "√(2/5)·(x + 0.044715·x³)", "novigrad (CUDA)"),
    _tanh("tanh_0.8x", "0.8·x", "J. D. Cook, 2025"),
    _tanh("fast_gelu", "0.797885·x + 0.035677·x³", "ONNX Runtime FastGelu, MIGraphX"),
    _form("mlx_approximate", "x·σ(1.60033·x·(1 + 0.0433603·x²))",
          tanh_of("0.800165·(x + 0.0433603·x³)"),
          "MLX and MLX Swift, gelu_approx in 2023 and 2024"),
    _form("unscaled_erf", "½x·(1 + erf(x)), x not divided by √2", Gated(normal(scale="√2"))),
    _form("gate_of_unscaled_erf", "½(1 + erf(x)): no factor x, x not divided by √2",
          Direct(normal(scale="√2"))),
    _form("half_left_out", "x·(1 + erf(x/√2))", Gated(normal(2))),
    _form("one_left_out", "½x·erf(x/√2)", Gated(normal(less=HALF))),
    _form("x_times_erf", "x·erf(x/√2)", Gated(normal(2, less=HALF))),
    _form("half_of_one_term", "x·(½ + erf(x/√2))", Gated(normal(2, less=HALF / 2))),
    _form("complement", "x·(1 − Φ(x)): the other tail", Gated(normal(scale="-1"))),
    Form(
        name="hard_swish",
        definition="x·relu6(x + 3)/6",
        pieces=(ZERO, Gated(lambda a, x: ramp_gate(a, x, a.rational(1))), ONE),
        kinks_at=lambda: hard_kinks(Fraction(1)),
        source="another function: Howard et al., arXiv:1905.02244",
    ),
    Form(
        name="leaky_relu",
        definition="x for x > 0, else slope·x, slope = 0.01",
        pieces=(
            Direct(lambda a, x, slope: iter([slope * x, slope, a.rational(0)])),
            Direct(identity),
        ),
        kinks_at=kink_at_0,
        parameters=(Parameter("slope", Fraction(1, 100)),),
        source="another function: Maas et al., 2013",
    ),
)  # fmt: skip

TANH = "t = tanh(√(2/π)·(x + 0.044715·x³))"
GRADIENTS = (  # what somebody meant to be the gradient, and which is tried on gradients alone
    _form("minus_density", "Φ(x) − x·φ(x)",
          slope_only(lambda a, x: normal_distribution(a, x) - x * normal_density(a, x))),
    _form("density_without_x", "Φ(x) + φ(x)",
          slope_only(lambda a, x: normal_distribution(a, x) + normal_density(a, x))),
    _form("density_without_root", "Φ(x) + x·e^(−x²/2)",
          slope_only(lambda a, x: normal_distribution(a, x) + x * a.exp(-x * x / 2))),
    _form("three_left_out", f"½(1 + t) + ½x·(1 − t²)·√(2/π)·(1 + 0.044715·x²), {TANH}",
          tanh_gradient(1, "√(2/π)")),
    _form("inner_root_left_out", f"½(1 + t) + ½x·(1 − t²)·(1 + 3·0.044715·x²), {TANH}",
          tanh_gradient(3, "1")),
)  # fmt: skip


def _scaled(s: str, source: str) -> Form:
    return SCALED.with_settings(f"tanh_scaled:s={s}", {"s": Fraction(s)})._replace(source=source)


PARAMETERS = (
    *(
        typed_form(label)._replace(source=source)
        for label, source in {
            "sigmoid:beta=1.773":
                "github.com/ml-explore/mlx/pull/744: gelu_fast_approx until February 2024",
            "sigmoid:beta=1.7": "1.702, cut short",
            "tanh:c=0.0447": "0.044715, cut short",
            "tanh:c=0.04471": "0.044715, cut short",
            "tanh:c=0.045": "0.044715, rounded",
            "tanh:c=0.44715": "the point one place to the right",
            "tanh:c=0.0044715": "the point one place to the left",
            "tanh:c=0.047715": "one digit wrong",
            "tanh:c=0.044175": "two digits swapped",
        }.items()
    ),
    _scaled("0.8", "√(2/π), rounded"),
    _scaled("0.798", "√(2/π), rounded"),
    _scaled("0.797", "√(2/π), cut short"),
)  # fmt: skip
"""Parameters that were meant to be another number."""
