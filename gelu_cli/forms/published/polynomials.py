"""GELU by one polynomial for Φ, or two, and straight lines beyond."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from fractions import Fraction

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms.form import Form, Gated
from gelu_cli.forms.published.claims import Measure, PublishedSet, figure
from gelu_cli.forms.published.curves import HALF, decimals, kinks, odd, polynomial, sum_of
from gelu_cli.forms.rectifiers import ONE, ZERO


def float32(bits: str) -> Fraction:
    """Return the number that the bits of a float32 are.

    >>> float32("3fc00000")
    Fraction(3, 2)
    """
    return Fraction(struct.unpack(">f", bytes.fromhex(bits))[0])


def gate(coefficients: tuple[Fraction, ...]) -> Gated:
    """Return the gate ½ + x·p(x²), from the coefficients of p."""
    return Gated(polynomial(sum_of([HALF], odd(coefficients))))


def mirrored(coefficients: tuple[Fraction, ...]) -> Gated:
    """Return the gate 1 − p(−x), from the coefficients of p."""
    at_minus_x = [-c * (-1) ** k for k, c in enumerate(coefficients)]
    return Gated(polynomial(sum_of([Fraction(1)], at_minus_x)))


ONEDNN_BITS = """
3f4c4228 be082bc7 3ca3621f bb1b7399 3970b255 b79b0914 35a776e9 b3969b11
315d4a4f af013b2c 2c67ddb2 a998c963 268a7927 a3198977 1f1c83fd
"""
ONEDNN = tuple(float32(bits) / 2 for bits in ONEDNN_BITS.split())

DEGREE_15 = decimals(
    ".3989383512 -.06646870751 .009938328774 -.001161210602 1.049019822e-4 -6.925923839e-6 "
    "2.924021994e-7 -5.785760528e-9"
)
DEGREE_13 = decimals(
    ".3989379361 -.06644114224 .009881129978 -.001120736963 9.164031378e-5 -4.721944427e-6 "
    "1.119074048e-7"
)
WEIGHTED_13 = decimals(
    ".39894227818 -.066361041488 .0097720050615 -.0010717806322 8.1812159812e-5 "
    "-3.8082057209e-6 7.9821413868e-8"
)
WEIGHTED_15 = decimals(
    ".39894151688 -.066479682922 .0099489670247 -.0011655492708 1.0574820044e-4 "
    "-7.0036203397e-6 2.9501944709e-7 -5.776938039e-9"
)
TAIL = decimals("3.0369991064e-01 9.5413386822e-02 1.3809983619e-02 7.5950479368e-04")
INNER = decimals(".49866379 .41314081 -.03048313 -.05281024 .0122792")
OUTER = decimals(".58216001 .44656975 -.18027954 .03253934 -.00221304")
"""Quartics for Φ from 0 to 2.5, and from 2.5 to 5."""


def tail_gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield e^(−x²/2)·c(x), c a cubic, with two derivatives."""
    density = a.exp(-x * x / 2)
    c, c1, c2 = polynomial(TAIL)(a, x)
    yield density * c
    yield density * (c1 - x * c)
    yield density * (c2 - 2 * x * c1 + (x * x - 1) * c)


def inside(
    name: str, degree: int, coefficients: tuple[Fraction, ...], low: str, high: str, source: str
) -> PublishedSet:
    """Return a set made for a range, with 0 and x on either side of it."""
    form = Form(
        name=name,
        definition=f"x·(½ + x·p(x²)) of degree {degree} in the gate for {low} ≤ x < {high}; "
        "0 below, x above",
        pieces=(ZERO, gate(coefficients), ONE),
        kinks_at=kinks((low, "right"), (high, "right")),
        symmetric=Fraction(low) == -Fraction(high),
        source=source,
    )
    return PublishedSet(name, form, source, measure=Measure("value", Fraction(low), Fraction(high)))


PULLS = "tt-metal, pull requests 39101 and 45920, 2026"
THREE = f"{PULLS}: claimed is ≤ 1 ULP in bfloat16, which is not judged here"
WEIGHTED = f"{PULLS}: weighted by bfloat16's ULP, of which ≤ 0.87 is claimed, not judged here"
QUARTICS = "tt-metal, pull request 1298, 2023, for which an absolute error is printed"
QUARTIC_CLAIM = "0.004215860264499188"
CUT = Fraction(5, 2)

SETS = (
    PublishedSet(
        "onednn_erf",
        Form(
            name="onednn_erf",
            definition="½x·(1 + x·p(x²)) of degree 29 in the gate, erf = ±1 from |x| = 5",
            pieces=(ZERO, gate(ONEDNN), ONE),
            kinks_at=kinks(("-5", "left"), ("5", "right")),
            symmetric=True,
            source="oneDNN, gelu_erf_minimax_approx_compute_vector_fwd",
        ),
        "oneDNN, gelu_erf_minimax_approx_compute_vector_fwd, the constants in float32",
    ),
    inside("tt_metal_13", 13, DEGREE_13, "-3", "3", THREE),
    inside("tt_metal_15", 15, DEGREE_15, "-3", "3", THREE),
    PublishedSet(
        "tt_metal_2026",
        Form(
            name="tt_metal_2026",
            definition="x·(½ + x·p(x²)) of degree 13 in the gate for −3.125 ≤ x < 2.78125; "
            "x above, x·e^(−x²/2)·cubic below, 0 from x = −5.54259443 down",
            pieces=(ZERO, Gated(tail_gate), gate(WEIGHTED_13), ONE),
            kinks_at=kinks(("-5.54259443", "left"), ("-3.125", "right"), ("2.78125", "right")),
            source="tt-metal, ckernel_sfpu_gelu.h, 2026",
        ),
        WEIGHTED,
    ),
    inside("tt_metal_15_weighted", 15, WEIGHTED_15, "-3.125", "2.78125", WEIGHTED),
    PublishedSet(
        "tt_metal_quartic",
        Form(
            name="tt_metal_quartic",
            definition="x·p(x) for 0 ≤ x < 2.5, p a quartic, x from 2.5 on; below 0 by "
            "Φ(x) = 1 − Φ(−x)",
            pieces=(ZERO, mirrored(INNER), Gated(polynomial(INNER)), ONE),
            kinks_at=kinks(("-2.5", "left"), ("0", "right"), ("2.5", "right")),
            symmetric=True,
            source=QUARTICS,
        ),
        QUARTICS + "; its kernel takes the second quartic for 1",
        (
            figure(QUARTIC_CLAIM, Measure("value", -CUT, CUT)),
            figure(QUARTIC_CLAIM),
        ),
    ),
    PublishedSet(
        "tt_metal_quartics",
        Form(
            name="tt_metal_quartics",
            definition="x·p(x) for 0 ≤ x < 2.5 and x·q(x) for 2.5 ≤ x < 5, p and q quartics, "
            "x from 5 on; below 0 by Φ(x) = 1 − Φ(−x)",
            pieces=(
                ZERO, mirrored(OUTER), mirrored(INNER),
                Gated(polynomial(INNER)), Gated(polynomial(OUTER)), ONE,
            ),
            kinks_at=kinks(
                ("-5", "left"), ("-2.5", "left"), ("0", "right"), ("2.5", "right"), ("5", "right")
            ),
            symmetric=True,
            source=QUARTICS,
        ),
        QUARTICS + "; with both quartics",
        (figure(QUARTIC_CLAIM),),
    ),
)  # fmt: skip
