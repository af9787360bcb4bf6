"""GELU with erf by the classic five-term approximation of Abramowitz and Stegun."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.forms.form import Form, Gated, Kink, one_minus

P = Fraction(3275911, 10**7)
COEFFICIENTS = tuple(
    Fraction(n, 10**9) for n in (254829592, -284496736, 1421413741, -1453152027, 1061405429)
)


def polynomial(a: Arithmetic, t: Real) -> tuple[Real, Real, Real]:
    """Return a₁t + … + a₅t⁵ with two derivatives, by Horner's rule."""
    p = p1 = p2 = a.rational(0)
    for coefficient in (*reversed(COEFFICIENTS), Fraction(0)):
        p2 = p2 * t + 2 * p1
        p1 = p1 * t + p
        p = p * t + a.rational(coefficient)
    return p, p1, p2


def left_gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield ½(1 − erf z) ≈ ½(a₁t + … + a₅t⁵)·e^(−z²), t = 1/(1 + pz), z = −x/√2 ≥ 0."""
    slope = -1 / a.sqrt(a.rational(2))
    z = slope * x
    p = a.rational(P)
    t = 1 / (1 + p * z)
    q, dq, ddq = polynomial(a, t)
    half = a.exp(-z * z) / 2
    yield half * q
    t1, t2 = -p * t**2, 2 * p**2 * t**3
    q1, q2 = dq * t1, ddq * t1**2 + dq * t2  # with respect to z
    yield slope * half * (q1 - 2 * z * q)
    yield half * (q2 - 4 * z * q1 + (4 * z**2 - 2) * q) / 2


def right_gate(a: Arithmetic, x: Real) -> Iterator[Real]:
    """Yield one minus the left gate at −x: the approximation of erf is made odd."""
    return one_minus(left_gate(a, -x))


def kinks() -> tuple[Kink, ...]:
    """Return 0: the coefficients add up to 1 − 10⁻⁹, so the gate jumps by 10⁻⁹ about ½."""
    return (Kink(Fraction(0), "mean"),)


FORMS = (
    Form(
        name="erf_as",
        definition="exact with erf z ≈ 1 − (a₁t + … + a₅t⁵)·e^(−z²), t = 1/(1 + 0.3275911z)",
        pieces=(Gated(left_gate), Gated(right_gate)),
        kinks_at=kinks,
        source="Abramowitz & Stegun, Handbook of Mathematical Functions, 7.1.26",
    ),
)
