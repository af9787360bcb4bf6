"""GELU by a quotient of two polynomials for erf, and ±1 beyond a clamp."""

from __future__ import annotations

from fractions import Fraction

from gelu_cli.forms.form import Form, Gated, Kink
from gelu_cli.forms.published.claims import PublishedSet
from gelu_cli.forms.published.curves import (
    decimals,
    gate_of_erf,
    kinks,
    odd,
    polynomial,
    quotient,
    rational_gate,
    spread,
)
from gelu_cli.forms.rectifiers import ONE, ZERO

F32_P = decimals(
    ".79788452387 .06697217375 .0093065137044 3.2973114867e-4 1.260978388e-5 4.5835321316e-8"
)
F32_Q = decimals(
    "1 .25060352683 .028431978077 .0018622842617 7.2267655923e-5 1.1988805682e-6"
)  # fmt: skip
F16_P = decimals(".79763203859 .1539786756 .0045998394489")
F16_Q = decimals("1 .35756936669 .042862996459")

EIGEN_P = decimals(
    "-1.60960333262415e-02 -2.95459980854025e-03 -7.34990630326855e-04 -5.69250639462346e-05 "
    "-2.10102402082508e-06 2.77068142495902e-08 -2.72614225801306e-10"
)
EIGEN_Q = decimals(
    "-1.42647390514189e-02 -7.37332916720468e-03 -1.68282697438203e-03 -2.13374055278905e-04 "
    "-1.45660718464996e-05"
)
EIGEN_ERF = quotient(polynomial(odd(EIGEN_P)), polynomial(spread(EIGEN_Q)))


def xnnpack(name: str, degrees: str, p: tuple[Fraction, ...], q: tuple[Fraction, ...],
            clamp: str, source: str) -> PublishedSet:  # fmt: skip
    """Return a set that has erf(x/√2) ≈ xP(x²)/Q(x²), and ±1 from a clamp on."""
    form = Form(
        name=name,
        definition=f"½x·(1 + x·P(x²)/Q(x²)) of the degrees {degrees}, erf = ±1 from |x| = {clamp}",
        pieces=(ZERO, Gated(rational_gate(p, q)), ONE),
        kinks_at=kinks((f"-{clamp}", "left"), (clamp, "right")),
        symmetric=True,
        source=source,
    )
    return PublishedSet(name, form, source)


def eigen_kinks() -> tuple[Kink, ...]:
    """Return ±4√2, where erf's argument is ±4."""
    return Kink(Fraction(-32), "left"), Kink(Fraction(32), "right")


F32 = "XNNPACK, f32-vgelu/rational-12-10, 2024, where float32 has ±1 from the clamp on"
F16 = "XNNPACK, f16-vgelu/rational-6-4, 2024"
EIGEN = "Eigen, erf in float32; XLA, TVM and IREE have it too"

SETS = (
    xnnpack("xnnpack_12_10", "12 and 10", F32_P, F32_Q, "5.1638283730", F32),
    xnnpack("xnnpack_12_10_no_fma", "12 and 10", F32_P, F32_Q, "5.1158981323", F32),
    xnnpack("xnnpack_6_4", "6 and 4", F16_P, F16_Q, "3.5", F16),
    xnnpack("xnnpack_6_4_no_fma", "6 and 4", F16_P, F16_Q, "3.2890625", F16),
    PublishedSet(
        "eigen_erf",
        Form(
            name="eigen_erf",
            definition="½x·(1 + z·P(z²)/Q(z²)), z = x/√2, of the degrees 13 and 8, "
            "erf = ±1 from |z| = 4",
            pieces=(ZERO, Gated(gate_of_erf(EIGEN_ERF)), ONE),
            kinks_at=eigen_kinks,
            symmetric=True,
            source=EIGEN,
        ),
        EIGEN,
    ),
)
