"""Forms with cuts: polynomials on pieces, and ELU."""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpq_poly

from gelu_cli.formulas.pieces import ONE, ZERO, Cut, Piece, polynomial_of
from gelu_cli.formulas.register import negative, parameter, positive, register
from gelu_cli.formulas.special import exp, expm1, sqrt_half

HALF = fmpq(1, 2)

register(
    "relu",
    "max(0, x)",
    [ZERO],
    used_by="every framework; the transformer of 2017",
    source="Nair & Hinton, ICML 2010",
    since=2010,
)


register(
    "leaky_relu",
    "max(0, x) + slope·min(0, x), slope = 0.01",
    [Piece(polynomial=lambda slope: fmpq_poly([slope]))],
    [ONE],
    parameters=(parameter("slope", "0.01"),),
    used_by="PyTorch and JAX (leaky_relu)",
    source="Maas, Hannun & Ng, ICML 2013",
    since=2013,
)


register(
    "hard",
    "x·relu6(slope·x + 3)/6, slope = 1.702",
    [ZERO, Piece(polynomial=lambda slope: fmpq_poly([HALF, slope / 6]))],
    # At ±3/slope the gradient of the outer piece holds, as relu6′ = 0 at its ends.
    cuts=lambda slope: [Cut(-9 / slope**2, "left")],
    parameters=(positive("slope", "1.702"),),
    aliases=("hard_gelu", "h_gelu"),
    source="hard-swish (Howard et al., arXiv:1905.02244) with the slope 1.702",
)


def igelu_gate(x: Any, a: Any, b: Any) -> Any:
    """Return (1 + L(z))/2 = −a·(b − z)²/2 for b ≤ z = x/√2 ≤ 0."""
    distance = b - x * sqrt_half()
    return distance * distance * a / -2  # a power of a ball around 0 has no bound


register(
    "igelu",
    "½x·(1 + L(x/√2)), L(z) = sgn z·(a·(min(|z|, −b) + b)² + 1), a = −0.2888, b = −1.769",
    [ZERO, Piece(igelu_gate)],
    # At 0 sgn(0) = 0 makes the gate ½ and the gradient ½.
    cuts=lambda a, b: [Cut(-2 * b * b, "left"), Cut(fmpq(0), "mean")],
    parameters=(parameter("a", "-0.2888"), negative("b", "-1.769")),
    aliases=("i_gelu",),
    used_by="I-BERT (integer inference)",
    source="Kim et al., I-BERT: Integer-only BERT Quantization, arXiv:2101.01321",
    since=2021,
)


def odd_gate(A: fmpq, **odd: fmpq) -> fmpq_poly:  # noqa: N803
    """Return ½ + c1·x + c3·x³ + … as a polynomial."""
    return fmpq_poly([HALF, *(odd.get(f"c{n}", fmpq(0)) for n in range(1, 16))])


register(
    "polynomial",
    "x·(½ + c1·x + c3·x³ + … + c15·x¹⁵) for |x| ≤ A, else max(0, x)",
    [ZERO, Piece(polynomial=odd_gate)],
    cuts=lambda A, **odd: [Cut(-A * A, "right")],  # noqa: N803
    parameters=(
        positive("A", "2.775023"),
        parameter("c1", "0.37476888"),
        parameter("c3", "-0.042710738"),
        parameter("c5", "0.0022649414"),
        *(parameter(f"c{n}", "0") for n in range(7, 16, 2)),
    ),
    source="the least maximum error with c1, c3 and c5 alone: gelu fit polynomial --degree 5",
)


register(
    "elu",
    "x for x > 0, else α·(eˣ − 1), α = 1",
    [
        Piece(lambda x, alpha: alpha * exp(x), lambda alpha: fmpq_poly([-alpha]), gated=False),
        Piece(lambda x, alpha: alpha * expm1(x), gated=False),  # accurate at small x
    ],
    [Piece(polynomial=polynomial_of(0, 1), gated=False)],
    # At −1 one way of writing ELU ends and the other begins.
    cuts=lambda alpha: [Cut(fmpq(-1)), Cut(fmpq(0))],
    parameters=(parameter("alpha", "1"),),
    used_by="PyTorch and JAX (elu)",
    source="Clevert, Unterthiner & Hochreiter, arXiv:1511.07289",
    since=2015,
)
