"""ReLU, and functions that are straight but for one bend: hard GELU, ELU, I-BERT's parabola."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, repeat

from gelu_cli.old.arithmetic import Arithmetic, Real
from gelu_cli.old.formulas.form import Direct, Fit, Form, Gated, Kink, Parameter, always, mirrored


def closed_gate(a: Arithmetic, x: Real, /, **parameters: Real) -> Iterator[Real]:
    """Yield G = 0."""
    return repeat(a.rational(0))


def open_gate(a: Arithmetic, x: Real, /, **parameters: Real) -> Iterator[Real]:
    """Yield G = 1."""
    return chain([a.rational(1)], repeat(a.rational(0)))


ZERO, ONE = Gated(closed_gate), Gated(open_gate)


def ramp_gate(a: Arithmetic, x: Real, slope: Real) -> Iterator[Real]:
    """Yield (slope·x + 3)/6 with two derivatives."""
    sixth = slope / 6
    yield sixth * x + a.rational(Fraction(1, 2))
    yield sixth
    yield a.rational(0)


def hard_kinks(slope: Fraction) -> tuple[Kink, ...]:
    """Return ±3/slope; there the gradient of the outer piece holds, as relu6′ = 0 at its ends."""
    end = 3 / slope * (3 / slope)
    return Kink(-end, "left"), Kink(end, "right")


def kink_at_0(**parameters: Fraction) -> tuple[Kink, ...]:
    """Return 0, where the left side's derivatives hold: ReLU's 0, ELU's α, as in the frameworks."""
    return (Kink(Fraction(0), "left"),)


def exponential(a: Arithmetic, x: Real, alpha: Real) -> Iterator[Real]:
    """Yield α(eˣ − 1) with two derivatives."""
    yield alpha * a.expm1(x)
    yield from repeat(alpha * a.exp(x))


def identity(a: Arithmetic, x: Real, /, **parameters: Real) -> Iterator[Real]:
    """Yield x with two derivatives."""
    yield x
    yield from open_gate(a, x)


def left_parabola(arithmetic: Arithmetic, x: Real, a: Real, b: Real) -> Iterator[Real]:
    """Yield ½(1 + L(z)) = −½a·(b − z)² for b ≤ z = x/√2 ≤ 0, with two derivatives."""
    slope = 1 / arithmetic.sqrt(arithmetic.rational(2))
    distance = b - slope * x
    half = -a / 2
    yield half * distance**2
    yield -2 * half * slope * distance
    yield half


def igelu_kinks(a: Fraction, b: Fraction) -> tuple[Kink, ...]:
    """Return ±b√2, where the clipping sets in, and 0, where L jumps from −0.0963 to 0.0963.

    At 0 sgn(0) = 0 makes the gate ½ and the gradient ½; the curvature there is the mean too.
    """
    end = 2 * b * b
    return Kink(-end, "left"), Kink(Fraction(0), "mean"), Kink(end, "right")


FORMS = (
    Form(
        name="relu",
        definition="max(0, x)",
        pieces=(ZERO, ONE),
        kinks_at=kink_at_0,
        symmetric=True,
        used_by="every framework; the transformer of 2017",
        source="Nair & Hinton, ICML 2010",
        since=2010,
    ),
    Form(
        name="elu",
        definition="x for x > 0, else α·(eˣ − 1), α = 1",
        pieces=(Direct(exponential), Direct(identity)),
        kinks_at=kink_at_0,
        parameters=(Parameter("alpha", Fraction(1)),),
        used_by="PyTorch and JAX (elu)",
        source="Clevert, Unterthiner & Hochreiter, arXiv:1511.07289",
        since=2015,
    ),
    Form(
        name="hard",
        definition="x·relu6(slope·x + 3)/6, slope = 1.702",
        pieces=(ZERO, Gated(ramp_gate), ONE),
        kinks_at=hard_kinks,
        parameters=(Parameter("slope", Fraction(1702, 1000), sign=1),),
        fit=Fit(ordered=always),
        symmetric=True,
        aliases=("hard_gelu", "h_gelu"),
        source="hard-swish (Howard et al., arXiv:1905.02244) with the slope 1.702",
    ),
    Form(
        name="igelu",
        definition="½x·(1 + L(x/√2)), L(z) = sgn z·(a·(min(|z|, −b) + b)² + 1), "
        "a = −0.2888, b = −1.769",
        pieces=(ZERO, Gated(left_parabola), Gated(mirrored(left_parabola)), ONE),
        kinks_at=igelu_kinks,
        parameters=(
            Parameter("a", Fraction(-2888, 10000)),
            Parameter("b", Fraction(-1769, 1000), sign=-1),
        ),
        fit=Fit(ordered=always),
        symmetric=True,
        aliases=("i_gelu",),
        used_by="I-BERT (integer inference)",
        source="Kim et al., I-BERT: Integer-only BERT Quantization, arXiv:2101.01321",
        since=2021,
    ),
)
