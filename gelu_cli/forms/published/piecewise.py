"""GELU itself, not Φ, by polynomials piece by piece: secure computation, look-up tables."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from fractions import Fraction

from gelu_cli.forms.form import Direct, Form
from gelu_cli.forms.published.claims import PublishedSet, figure
from gelu_cli.forms.published.curves import HALF, Place, decimals, kinks, polynomial, sum_of
from gelu_cli.forms.rectifiers import ONE, ZERO

CUBIC = decimals("-.5054031199708174 -.42226581151983866 -.11807612951181953 -.011034134030615728")
SEXTIC = decimals(
    ".008526321541038084 .5 .3603292692789629 0 -.037688200365904236 0 .0018067462606141187"
)
QUARTIC = decimals(
    ".001620808531841547 -.03798164612714154 .5410550166368381 -.18352506127082727 "
    ".020848611754127593"
)


def piece(coefficients: Sequence[Fraction]) -> Direct:
    """Return a polynomial as a piece."""
    return Direct(polynomial(coefficients))


def half_x_plus(coefficients: Sequence[Fraction], side: int) -> Direct:
    """Return ½x + p(|x|) on one side of 0."""
    return piece(sum_of([Fraction(0), HALF], [c * side**k for k, c in enumerate(coefficients)]))


def quartic_form(name: str, cut: str, source: str) -> Form:
    """Return ½x + p(|x|) up to a cut, p the quartic of BOLT, and ReLU beyond."""
    return Form(
        name=name,
        definition=f"½x + p(|x|) for |x| ≤ {cut}, p a quartic; 0 below, x above",
        pieces=(ZERO, half_x_plus(QUARTIC, -1), half_x_plus(QUARTIC, 1), ONE),
        kinks_at=kinks((f"-{cut}", "right"), ("0", "right"), (cut, "left")),
        symmetric=True,
        source=source,
    )


def float16(text: str) -> Fraction:
    """Return the float16 nearest to a number, as a table in hardware holds it.

    >>> float16("0.1")
    Fraction(819, 8192)
    """
    return Fraction(struct.unpack("e", struct.pack("e", float(text)))[0])


SLOPES = ".1928 .4939 .6188 .6099 .5402 .5"
INTERCEPTS = "-.00010443 -.1604 -.2796 -.2635 -.1194 0"
REFITTED = ".1594238 .4939 .6188 .6099 .5402 .5"
THROUGH_0 = "0 -.1604 -.2796 -.2635 -.1194 0"


def table_form(name: str, slopes: str, intercepts: str, source: str) -> Form:
    """Return ½x + A|x| + B, with A and B from a table of float16s by |x|."""
    lines = [
        (float16(b), float16(a)) for a, b in zip(slopes.split(), intercepts.split(), strict=True)
    ]
    ends = ("0.5", "1", "1.5", "2", "3")
    left: list[Place] = [(f"-{end}", "left") for end in reversed(ends)]
    right: list[Place] = [(end, "right") for end in ends]
    return Form(
        name=name,
        definition="½x + A|x| + B, with A and B from a table for |x| < ½, 1, 1½, 2, 3, ∞",
        pieces=(
            *(half_x_plus(line, -1) for line in reversed(lines)),
            *(half_x_plus(line, 1) for line in lines),
        ),
        kinks_at=kinks(*left, ("0", "right"), *right),
        symmetric=True,
        source=source,
    )


PUMA = "Dong et al., PUMA: Secure Inference of LLaMA-7B in Five Minutes, 2023; SecretFlow SPU"
BOLT = "Pang et al., BOLT: Privacy-Preserving, Accurate and Efficient Inference, 2024"
BUMBLEBEE = "OpenBumbleBee, f_seg3_gelu, 2024: the quartic of BOLT, cut at 3"
TABLE = "tt-metal, calculate_gelu_appx; the error from pull request 54602, 2026"

SETS = (
    PublishedSet(
        "puma",
        Form(
            name="puma",
            definition="0 for x < −4, a cubic to −1.95, a sextic to 3, x above",
            pieces=(ZERO, piece(CUBIC), piece(SEXTIC), ONE),
            kinks_at=kinks(("-4", "right"), ("-1.95", "right"), ("3", "left")),
            source=PUMA,
        ),
        PUMA,
    ),
    PublishedSet("bolt", quartic_form("bolt", "2.7", BOLT), BOLT),
    PublishedSet("bumblebee", quartic_form("bumblebee", "3", BUMBLEBEE), BUMBLEBEE),
    PublishedSet(
        "tt_metal_table",
        table_form("tt_metal_table", SLOPES, INTERCEPTS, TABLE),
        TABLE,
        (figure("0.023411"),),
    ),
    PublishedSet(
        "tt_metal_table_refitted",
        table_form("tt_metal_table_refitted", REFITTED, THROUGH_0, TABLE),
        TABLE + ", where the first line is fitted again",
        (figure("0.016035"),),
    ),
)
