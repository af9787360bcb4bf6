"""GELU with erf by the classic five-term approximation of Abramowitz and Stegun."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gelu_cli.old.arithmetic import Arithmetic, Real
from gelu_cli.old.arithmetic.polynomials import polynomial
from gelu_cli.old.formulas.form import Fit, Form, Gated, Kink, Parameter, mirrored

DEFAULTS = {
    "a1": Fraction("0.254829592"),
    "a2": Fraction("-0.284496736"),
    "a3": Fraction("1.421413741"),
    "a4": Fraction("-1.453152027"),
    "a5": Fraction("1.061405429"),
}


def left_gate(a: Arithmetic, x: Real, p: Real, **numerator: Real) -> Iterator[Real]:
    """Yield ½(1 − erf z) ≈ ½(a₁t + … + a₅t⁵)·e^(−z²), t = 1/(1 + pz), z = −x/√2 ≥ 0."""
    slope = -1 / a.sqrt(a.rational(2))
    z = slope * x
    t = 1 / (1 + p * z)
    jet = polynomial([a.rational(0), *(numerator[name] for name in DEFAULTS)], t)
    q = next(jet)
    half = a.exp(-z * z) / 2
    yield half * q
    t1, t2 = -p * t**2, 2 * p**2 * t**3
    dq, ddq = next(jet), next(jet)
    q1, q2 = dq * t1, ddq * t1**2 + dq * t2  # with respect to z
    yield slope * half * (q1 - 2 * z * q)
    yield half * (q2 - 4 * z * q1 + (4 * z**2 - 2) * q) / 2


FORMS = (
    Form(
        name="erf_as",
        definition="exact with erf z ≈ 1 − (a1·t + … + a5·t⁵)·e^(−z²), t = 1/(1 + p·z), "
        "p = 0.3275911",
        pieces=(Gated(left_gate), Gated(mirrored(left_gate))),
        # The defaults add up to 1 − 10⁻⁹, so the gate jumps by 10⁻⁹ about ½.
        kinks_at=lambda **parameters: (Kink(Fraction(0), "mean"),),
        parameters=(
            Parameter("p", Fraction(3275911, 10**7), sign=1),
            *(Parameter(name, value) for name, value in DEFAULTS.items()),
        ),
        # Where p is set members differ by e^(−z²) times powers of t > 0: Descartes.
        fit=Fit(ordered=lambda free, settings: "p" not in free, linear=frozenset(DEFAULTS)),
        symmetric=True,
        source="Abramowitz & Stegun, Handbook of Mathematical Functions, 7.1.26",
        since=1964,
    ),
)
