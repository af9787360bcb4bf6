"""GELU with Φ approximated by ½ plus an odd polynomial, and ReLU where that ends."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic import Arithmetic, Real
from gelu_cli.old.arithmetic.polynomials import odd_polynomial
from gelu_cli.old.formulas.form import Fit, Form, Gated, Kink, Parameter, always
from gelu_cli.old.formulas.rectifiers import ONE, ZERO

DEFAULTS = {
    "c1": Fraction("0.37476888"),
    "c3": Fraction("-0.042710738"),
    "c5": Fraction("0.0022649414"),
    **{f"c{power}": Fraction(0) for power in (7, 9, 11, 13, 15)},
}


def gate(a: Arithmetic, x: Real, A: Real, **coefficients: Real) -> Iterator[Real]:  # noqa: N803
    """Yield ½ + c₁x + c₃x³ + … + c₁₅x¹⁵ with two derivatives."""
    jet = odd_polynomial([coefficients[name] for name in DEFAULTS], x)
    yield a.rational(Fraction(1, 2)) + next(jet)
    yield from jet


def kinks(A: Fraction, **coefficients: Fraction) -> tuple[Kink, ...]:  # noqa: N803
    """Return ±A, where the polynomial still holds; beyond them the gate jumps to 0 or 1."""
    return Kink(-A * A, "right"), Kink(A * A, "left")


def of_degree(form: Form, degree: int) -> tuple[Form, list[str]]:
    """Return a form with no coefficients above a degree of the gate, and those up to it, and A.

    What is set in the form is left out. Raises `UsageError` for an even degree.

    >>> cubic, free = of_degree(FORMS[0], 3)
    >>> cubic.label, free
    ('polynomial:c5=0', ['A', 'c1', 'c3'])
    """
    if degree % 2 == 0:
        raise UsageError(f"--degree {degree} is even: the gate is ½ and odd powers of x")
    beyond = [name for name, value in DEFAULTS.items() if int(name[1:]) > degree and value]
    label = ":".join([form.label, *(f"{name}=0" for name in beyond)])
    settings = {**form.chosen, **dict.fromkeys(beyond, Fraction(0))}
    names = ["A", *(name for name in DEFAULTS if int(name[1:]) <= degree)]
    return form.with_settings(label, settings), [name for name in names if name not in form.chosen]


FORMS = (
    Form(
        name="polynomial",
        definition="x·(½ + c1·x + c3·x³ + … + c15·x¹⁵) for |x| ≤ A, else max(0, x)",
        pieces=(ZERO, Gated(gate), ONE),
        kinks_at=kinks,
        parameters=(
            Parameter("A", Fraction("2.775023"), sign=1),
            *(Parameter(name, value) for name, value in DEFAULTS.items()),
        ),
        fit=Fit(
            ("A", "c1", "c3", "c5"), always, edge="A", linear=frozenset(DEFAULTS), published=False
        ),
        symmetric=True,
        source="the least maximum error with c1, c3 and c5 alone: gelu fit polynomial --degree 5",
    ),
)
