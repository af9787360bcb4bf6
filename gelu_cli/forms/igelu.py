"""I-BERT's integer-friendly GELU: erf replaced by a clipped parabola."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms.form import Fit, Form, Gated, Kink, Parameter, always, one_minus
from gelu_cli.forms.rectifiers import ONE, ZERO


def left_gate(arithmetic: Arithmetic, x: Real, a: Real, b: Real) -> Iterator[Real]:
    """Yield ½(1 + L(z)) = −½a·(b − z)² for b ≤ z = x/√2 ≤ 0, with two derivatives."""
    slope = 1 / arithmetic.sqrt(arithmetic.rational(2))
    distance = b - slope * x
    half = -a / 2
    yield half * distance**2
    yield -2 * half * slope * distance
    yield half


def right_gate(arithmetic: Arithmetic, x: Real, a: Real, b: Real) -> Iterator[Real]:
    """Yield ½(1 + L(z)) for 0 ≤ z ≤ −b, one minus the left gate at −x."""
    return one_minus(left_gate(arithmetic, -x, a, b))


def kinks(a: Fraction, b: Fraction) -> tuple[Kink, ...]:
    """Return ±b√2, where the clipping sets in, and 0, where L jumps from −0.0963 to 0.0963.

    At 0 sgn(0) = 0 makes the gate ½ and the gradient ½; the curvature there is the mean too.
    """
    end = 2 * b * b
    return Kink(-end, "left"), Kink(Fraction(0), "mean"), Kink(end, "right")


FORMS = (
    Form(
        name="igelu",
        definition="½x·(1 + L(x/√2)), L(z) = sgn z·(a·(min(|z|, −b) + b)² + 1), "
        "a = −0.2888, b = −1.769",
        pieces=(ZERO, Gated(left_gate), Gated(right_gate), ONE),
        kinks_at=kinks,
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
