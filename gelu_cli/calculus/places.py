"""Ends of stretches and zeros of curves, correctly rounded."""

from __future__ import annotations

from functools import cache

from flint import arb, fmpq

from gelu_cli.calculus.covering import Bracket
from gelu_cli.calculus.curves import Curve, position
from gelu_cli.errors import ComputationError
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import as_fraction
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.rounding import (
    Rounded,
    Target,
    exact_ball,
    round_ball,
    round_fraction,
    sign,
    working,
)
from gelu_cli.numbers.series import Smooth

DOUBLINGS = 6
KINK_BITS = 128


def rounded_end(end: fmpq | float, to: Target) -> Rounded:
    """Return an end of a stretch, rounded."""
    if isinstance(end, float):
        return end
    root = fmpq(abs(end).p.isqrt(), abs(end).q.isqrt())
    if root * root == abs(end):
        return round_fraction(to, root * sign(end))
    for doubling in range(DOUBLINGS):
        with working((to.bits_needed + 40) << doubling):
            if (found := round_ball(to, position(end))) is not None:
                return found
    raise ComputationError("a cut is too near to the middle between two numbers")


@cache
def kinks(form: Form) -> tuple[float, ...]:
    """Find where a form, its slope or its curvature jumps, as float64s.

    >>> from gelu_cli.formulas import find_form
    >>> kinks(find_form("relu")), kinks(find_form("elu"))
    ((0.0,), (0.0,))
    """
    found = []
    with working(KINK_BITS):
        for i, cut in enumerate(form.cuts):
            sides = (Curve(Smooth(form, j, "value")) for j in (i, i + 1))
            left, right = (each.taylor(position(cut.square), 2) for each in sides)
            if not all(a.overlaps(b) for a, b in zip(left, right, strict=True)):
                found.append(float(rounded_end(cut.square, FLOAT64)))
    return tuple(found)


def rounded_root(bracket: Bracket, to: Target) -> Rounded:
    """Return the zero in a bracket, rounded."""
    for doubling in range(DOUBLINGS):
        prec = (to.bits_needed + 40) << doubling
        x = bracket.narrowed(prec)
        with working(prec + 32):
            simple = simplest(bracket, x)
            found = round_ball(to, x) if simple is None else round_fraction(to, simple)
        if found is not None:
            return found
    raise ComputationError("a root is too near to the middle between two numbers")


def simplest(bracket: Bracket, x: arb) -> fmpq | None:
    """Return the zero in a ball if it is a fraction of few digits, exactly."""
    curve = bracket.curve
    if bracket.order or curve.target is not None:
        return None
    middle = exact_ball(x.mid())
    near = as_fraction(middle).limit_denominator(10**6)
    candidate = fmpq(near.numerator, near.denominator)
    if not (x.contains(arb(candidate)) or x.overlaps(arb(candidate))):
        return None
    exact = curve.form.form.fraction(curve.form.i, curve.form.quantity, candidate)
    return candidate if exact == 0 else None
