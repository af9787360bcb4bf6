"""Known mistakes: formulas that were printed or programmed in place of GELU, each with its name.

Each is a form, written on the `Arithmetic` like those of `gelu_cli.forms`: so it runs on all kinds
of numbers, and is rounded correctly. But it is no form of GELU, and only `gelu identify` knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms import find_form, tanh
from gelu_cli.forms.form import Direct, Form, Gated, Jet, Kink, Parameter
from gelu_cli.forms.gelu import normal_density, normal_distribution
from gelu_cli.forms.rectifiers import ONE, ZERO
from gelu_cli.forms.tanh import SCALE, root

CUBIC = Fraction(44715, 10**6)

Constant: TypeAlias = Callable[[Arithmetic], Real]
"""A constant of a formula, in an arithmetic."""


class Mistake(NamedTuple):
    """A wrong formula, and where it was seen; those of gradients are tried on gradients alone."""

    form: Form
    quantity: str = "value"
    """What somebody meant to compute by the formula."""


def cubic(a: Arithmetic) -> Real:
    """Return 0.044715."""
    return a.rational(CUBIC)


def by_tanh(scale: Constant, c: Constant) -> Gated:
    """Return the gate of the tanh form, ½(1 + tanh(a·(x + c·x³))), with other constants."""

    def gate(a: Arithmetic, x: Real) -> Iterator[Real]:
        return tanh.gate(a, x, c(a), scale(a), 0)

    return Gated(gate)


def square_for_cube(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield ½(1 + tanh u) = σ(2u), u = √(2/π)·(x + c·x²), with two derivatives."""
    scale, c = 2 * root(a), cubic(a)
    s, t = a.logistics(scale * (x + c * x**2))
    yield s
    w1 = scale * (1 + 2 * c * x)
    yield w1 * s * t
    yield (scale * 2 * c + w1**2 * (t - s)) * s * t


def decimal(value: str) -> Constant:
    """Return what makes a decimal a number of an arithmetic."""
    return lambda a: a.rational(Fraction(value))


def distribution(a: Arithmetic, scaled: Real, scale: Real) -> Iterator[Real]:
    """Yield Φ(s·x) with two derivatives, from s·x and s."""
    yield normal_distribution(a, scaled)
    density = scale * normal_density(a, scaled)
    yield density
    yield -scale * scaled * density


def unscaled_erf(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield ½(1 + erf x) = Φ(√2·x) with two derivatives."""
    scale = a.sqrt(a.rational(2))
    return distribution(a, scale * x, scale)


def times(factor: Fraction | int, jet: Jet, less: Fraction | int = 0) -> Jet:
    """Return factor·(jet − less) as a jet."""

    def jet_of(a: Arithmetic, x: Real) -> Iterator[Real]:
        inner = jet(a, x)
        yield a.rational(factor) * (next(inner) - a.rational(less))
        for derivative in inner:
            yield a.rational(factor) * derivative

    return jet_of


def exact_gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield Φ with two derivatives."""
    return distribution(a, x, a.rational(1))


def error_function(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield erf(x/√2) = (1 − h) − h, h = ½erfc(x/√2), with two derivatives."""
    return times(2, exact_gate, Fraction(1, 2))(a, x)


def minus_density(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield Φ(x) − x·φ(x): GELU's gradient has +."""
    yield normal_distribution(a, x) - x * normal_density(a, x)


def density_without_x(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield Φ(x) + φ(x)."""
    yield normal_distribution(a, x) + normal_density(a, x)


def unnormalised_gradient(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield Φ(x) + x·e^(−x²/2)."""
    yield normal_distribution(a, x) + x * a.exp(-x * x / 2)


def tanh_gradient(factor: int, scale: Constant) -> Jet:
    """Return σ + 2x·σ(1 − σ)·s·(1 + n·c·x²) as a jet of one: the tanh form has √(2/π) and 3."""

    def jet(a: Arithmetic, x: Real) -> Iterator[Real]:
        c = cubic(a)
        s, t = a.logistics(2 * root(a) * (x + c * x**3))
        yield s + 2 * x * s * t * scale(a) * (1 + factor * c * x**2)

    return jet


def hard_ramp(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield (x + 3)/6."""
    yield x / 6 + a.rational(Fraction(1, 2))
    yield a.rational(Fraction(1, 6))
    yield a.rational(0)


def leaky(a: Arithmetic, x: Real, slope: Real) -> Iterator[Real]:
    """Yield slope·x with two derivatives."""
    yield slope * x
    yield slope
    yield a.rational(0)


def identity(a: Arithmetic, x: Real, slope: Real) -> Iterator[Real]:
    """Yield x with two derivatives."""
    return leaky(a, x, a.rational(1))


def scaled_gate(a: Arithmetic, x: Real, s: Real) -> Iterator[Real]:
    """Yield ½(1 + tanh(s·(x + c·x³))) with two derivatives."""
    return tanh.gate(a, x, cubic(a), s, 0)


def _form(name: str, definition: str, piece: Gated | Direct, source: str = "") -> Form:
    return Form(name=name, definition=definition, pieces=(piece,), source=source)


def _zero(**parameters: Fraction) -> tuple[Kink, ...]:
    return (Kink(Fraction(0), "left"),)


def _threes() -> tuple[Kink, ...]:
    return Kink(Fraction(-9), "left"), Kink(Fraction(9), "right")


SCALED = Form(
    name="tanh_scaled",
    definition="½x·(1 + tanh(s·(x + 0.044715·x³))), the tanh form with s = √(2/π)",
    pieces=(Gated(scaled_gate),),
    parameters=(Parameter("s", SCALE),),
)
"""The tanh form with its first constant free. With its default it is the tanh form, nearly."""

TANH = "½x·(1 + tanh({}))"
VALUES = (
    _form(
        "swapped_constants",
        TANH.format("0.044715·(x + √(2/π)·x³)"),
        by_tanh(cubic, root),
        "github.com/huggingface/transformers/pull/11514",
    ),
    _form(
        "square_for_cube",
        TANH.format("√(2/π)·(x + 0.044715·x²)"),
        Gated(square_for_cube),
    ),
    _form("root_left_out", TANH.format("x + 0.044715·x³"), by_tanh(decimal("1"), cubic)),
    _form(
        "root_of_x_alone",
        TANH.format("√(2/π)·x + 0.044715·x³"),
        by_tanh(root, lambda a: cubic(a) / root(a)),
    ),
    _form(
        "root_upside_down",
        TANH.format("√(π/2)·(x + 0.044715·x³)"),
        by_tanh(lambda a: a.sqrt(a.pi / 2), cubic),
        "several public PyTorch models: math.sqrt(math.pi / 2)",
    ),
    _form(
        "no_root", TANH.format("(2/π)·(x + 0.044715·x³)"), by_tanh(lambda a: 2 / a.pi, cubic),
    ),
    _form(
        "root_of_2_over_5",
        TANH.format("√(2/5)·(x + 0.044715·x³)"),
        by_tanh(lambda a: a.sqrt(a.rational(Fraction(2, 5))), cubic),
        "novigrad (CUDA)",
    ),
    _form(
        "tanh_0.8x",
        TANH.format("0.8·x"),
        by_tanh(decimal("0.8"), decimal("0")),
        "J. D. Cook, 2025",
    ),
    _form(
        "fast_gelu",
        TANH.format("0.797885·x + 0.035677·x³"),
        by_tanh(decimal("0.797885"), lambda a: a.rational(Fraction(35677, 797885))),
        "ONNX Runtime FastGelu, MIGraphX",
    ),
    _form(
        "mlx_approximate",
        "x·σ(1.60033·x·(1 + 0.0433603·x²))",
        by_tanh(decimal("0.800165"), decimal("0.0433603")),
        "MLX and MLX Swift, gelu_approx in 2023 and 2024",
    ),
    _form("unscaled_erf", "½x·(1 + erf(x)), x not divided by √2", Gated(unscaled_erf)),
    _form(
        "gate_of_unscaled_erf",
        "½(1 + erf(x)): no factor x, x not divided by √2",
        Direct(unscaled_erf),
    ),
    _form(
        "half_left_out", "x·(1 + erf(x/√2))", Gated(times(2, exact_gate)),
    ),
    _form(
        "one_left_out", "½x·erf(x/√2)", Gated(times(Fraction(1, 2), error_function)),
    ),
    _form("x_times_erf", "x·erf(x/√2)", Gated(error_function)),
    _form(
        "half_of_one_term", "x·(½ + erf(x/√2))", Gated(times(1, error_function, Fraction(-1, 2))),
    ),
    _form("complement", "x·(1 − Φ(x)): the other tail", Gated(
        lambda a, x: _mirrored(exact_gate(a, -x))
    )),
    Form(
        name="hard_swish",
        definition="x·relu6(x + 3)/6",
        pieces=(ZERO, Gated(hard_ramp), ONE),
        kinks_at=_threes,
        source="another function: Howard et al., arXiv:1905.02244",
    ),
    Form(
        name="leaky_relu",
        definition="x for x > 0, else slope·x, slope = 0.01",
        pieces=(Direct(leaky), Direct(identity)),
        kinks_at=_zero,
        parameters=(Parameter("slope", Fraction(1, 100)),),
        source="another function: Maas et al., 2013",
    ),
)  # fmt: skip


def _mirrored(jet: Iterator[Real]) -> Iterator[Real]:
    """Yield h(−x) and its derivatives from those of h at −x."""
    yield next(jet)
    yield -next(jet)
    yield next(jet)


GRADIENTS = (
    _form("minus_density", "Φ(x) − x·φ(x)", Direct(minus_density)),
    _form("density_without_x", "Φ(x) + φ(x)", Direct(density_without_x)),
    _form("density_without_root", "Φ(x) + x·e^(−x²/2)", Direct(unnormalised_gradient)),
    _form(
        "three_left_out",
        "½(1 + t) + ½x·(1 − t²)·√(2/π)·(1 + 0.044715·x²), t = tanh(√(2/π)·(x + 0.044715·x³))",
        Direct(tanh_gradient(1, root)),
    ),
    _form(
        "inner_root_left_out",
        "½(1 + t) + ½x·(1 − t²)·(1 + 3·0.044715·x²), t = tanh(√(2/π)·(x + 0.044715·x³))",
        Direct(tanh_gradient(3, decimal("1"))),
    ),
)


def _set(form: Form, parameter: str, value: str, source: str) -> Form:
    label = f"{form.name}:{parameter}={value}"
    return form.with_settings(label, {parameter: Fraction(value)})._replace(source=source)


PARAMETERS = (
    _set(find_form("sigmoid"), "beta", "1.773",
         "github.com/ml-explore/mlx/pull/744: gelu_fast_approx until February 2024"),
    _set(find_form("sigmoid"), "beta", "1.7", "1.702, cut short"),
    _set(find_form("tanh"), "c", "0.0447", "0.044715, cut short"),
    _set(find_form("tanh"), "c", "0.04471", "0.044715, cut short"),
    _set(find_form("tanh"), "c", "0.045", "0.044715, rounded"),
    _set(find_form("tanh"), "c", "0.44715", "the point one place to the right"),
    _set(find_form("tanh"), "c", "0.0044715", "the point one place to the left"),
    _set(find_form("tanh"), "c", "0.047715", "one digit wrong"),
    _set(find_form("tanh"), "c", "0.044175", "two digits swapped"),
    _set(SCALED, "s", "0.8", "√(2/π), rounded"),
    _set(SCALED, "s", "0.798", "√(2/π), rounded"),
    _set(SCALED, "s", "0.797", "√(2/π), cut short"),
)  # fmt: skip
"""Parameters that were meant to be another number."""

MISTAKES: Mapping[str, Mistake] = {
    **{form.label: Mistake(form) for form in (*VALUES, *PARAMETERS)},
    **{form.label: Mistake(form, "gradient") for form in GRADIENTS},
}
"""Every mistake by its name."""
