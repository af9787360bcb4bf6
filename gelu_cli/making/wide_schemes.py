"""How a gated form is computed in float32: the scheme of `schemes` in float64, rounded once.

The rational of `exact` is a polynomial in v = (t − c)/(t + c), which maps [0, ∞) to [−1, 1), and
1/(t + c) the one division: M(t) = N(v)/(t + c). Polynomials interpolate at Chebyshev's points;
what minimax would gain is below the last place of float64.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from gelu_cli.formulas import Form
from gelu_cli.making.minimax import Floats
from gelu_cli.making.programs import Program, parse
from gelu_cli.making.schemes import (
    LOG2_E,
    Rung,
    gate_ratio,
    gradient_zero,
    logistic_argument,
    power,
    slope_ratio,
    split,
)

SIGNIFICAND, OF_FLOAT32 = 53, 24
MAGIC = 1.5 * 2.0**52

LADDERS = {
    ("exact", "value"): [Rung(7, 12), Rung(10, 17)],
    ("exact", "gradient"): [Rung(7, 12), Rung(10, 17)],
    "logistic": [Rung(7), Rung(11)],
}
"""Degrees to try: within 0.501 ULP, and nearly always correctly rounded."""

MIDDLES = {12: 4.0, 17: 5.0}
"""c by the degree of the polynomial in v."""


def wide_ladder(form: Form, quantity: str) -> list[Rung]:
    """List the degrees to try."""
    return LADDERS["logistic" if logistic_argument(form) else ("exact", quantity)]


def wide_program(form: Form, quantity: str, reach: float, rung: Rung) -> Program:
    """Write a kernel of float32 that computes in float64; `reach` is T."""
    constants = {"T": float(np.float32(reach)), "MAGIC": MAGIC, "one": 1.0}
    constants |= _interpolate("e", np.exp2, -0.5, 0.5, rung.exponential)
    argument = logistic_argument(form)
    if argument is None:
        split("C", LOG2_E / 2, SIGNIFICAND - 2 * OF_FLOAT32, constants)
        start = f"z mul t t\n{power('z')}"
        rest = _exact(quantity, rung, reach, constants)
    elif argument[1]:
        constants |= {"A": -argument[0] * LOG2_E, "B": -argument[1] * LOG2_E}
        start = """
z mul t t
s ma z B A
kf ma t s MAGIC
k sub kf MAGIC
nk neg k
r ma t s nk"""
        rest = _logistic(quantity, *argument, constants)
    else:
        split("C", argument[0] * LOG2_E, SIGNIFICAND - OF_FLOAT32, constants)
        start = power("t")
        rest = _logistic(quantity, *argument, constants)
    side = "R0 positive x" if quantity == "value" else "R0 step x"
    text = f"""
a abs x
t0 clamp a T
t widen t0
{side}
R widen R0
{start}
X poly r e
E scale X kf
{rest}
y1 narrow y0
y nan y1 a"""
    used = {operand for each in parse(text, constants).operations for operand in each.operands}
    return parse(text, {name: value for name, value in constants.items() if name in used})


def _interpolate(
    letter: str, function: Callable[[Floats], Floats], low: float, high: float, degree: int
) -> dict[str, float]:
    """Interpolate at Chebyshev's points; coefficients go from low to high."""
    series = Chebyshev.interpolate(function, degree, domain=[low, high])
    found = series.convert(kind=Polynomial, domain=[-1, 1]).coef
    return {f"{letter}{n}": float(each) for n, each in enumerate(found)}


def _exact(quantity: str, rung: Rung, reach: float, constants: dict[str, float]) -> str:
    """Write the value or the gradient of `exact` from E, and fit its polynomial."""
    c = MIDDLES[rung.numerator]

    def in_v(v: Floats) -> Floats:
        t = c * (1 + v) / (1 - v)
        found: Floats = gate_ratio(t) * (t + c) if quantity == "value" else slope_ratio(t)
        return found

    constants |= _interpolate("p", in_v, -1.0, (reach - c) / (reach + c), rung.numerator)
    constants |= {"c": c, "m2c": -2 * c}
    start = "d add t c\ni div one d\nv ma m2c i one\nN poly v p"
    if quantity == "value":
        return f"{start}\nw0 mul E t\nw mul w0 i\nn neg w\ny0 ma n N R"
    high, low = gradient_zero()
    constants |= {"nt0": -high, "nt1": -low}
    return f"{start}\ns0 add t nt0\ns1 add s0 nt1\nw mul E s1\nsw flip w x\ny0 ma sw N R"


def _logistic(quantity: str, a: float, b: float, constants: dict[str, float]) -> str:
    """Write the value or the gradient of a logistic form from E."""
    if quantity == "value":
        return "w mul t E\nQ add E one\ng div w Q\ny0 sub R g"
    constants |= {"na": -a, "nb": -3 * b}
    slope = "c0 ma t na D\nt3 mul t z\nh ma t3 nb c0" if b else "h ma t na D"
    return f"D add E one\n{slope}\nw mul E h\nDD mul D D\ng div w DD\ngs flip g x\ny0 add R gs"
