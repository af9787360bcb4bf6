"""ReLU and the functions made of straight pieces and one bend: hard GELU and ELU."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, repeat

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms.form import (
    Direct,
    Fit,
    Form,
    Gated,
    Kink,
    Parameter,
    always,
)


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
    end = 9 / slope**2
    return Kink(-end, "left"), Kink(end, "right")


def relu_kinks() -> tuple[Kink, ...]:
    """Return 0, where the gradient is 0, as the frameworks have it."""
    return (Kink(Fraction(0), "left"),)


def exponential(a: Arithmetic, x: Real, alpha: Real) -> Iterator[Real]:
    """Yield α(eˣ − 1) with two derivatives."""
    yield alpha * a.expm1(x)
    yield from repeat(alpha * a.exp(x))


def identity(a: Arithmetic, x: Real, alpha: Real) -> Iterator[Real]:
    """Yield x with two derivatives."""
    yield x
    yield from open_gate(a, x)


def elu_kinks(alpha: Fraction) -> tuple[Kink, ...]:
    """Return 0, where the left side's gradient α and curvature α hold, as in PyTorch."""
    return (Kink(Fraction(0), "left"),)


FORMS = (
    Form(
        name="relu",
        definition="max(0, x)",
        pieces=(ZERO, ONE),
        kinks_at=relu_kinks,
        symmetric=True,
        used_by="every framework; the transformer of 2017",
        source="Nair & Hinton, ICML 2010",
        since=2010,
    ),
    Form(
        name="elu",
        definition="x for x > 0, else α·(eˣ − 1), α = 1",
        pieces=(Direct(exponential), Direct(identity)),
        kinks_at=elu_kinks,
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
)
