"""Places on the axis: cuts as x·|x|, zeros of curves in brackets, and ±∞."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from flint import arb, fmpq

from gelu_cli.calculus.covering import Bracket
from gelu_cli.calculus.curves import Curve, exact_root, position
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import as_fraction
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.rounding import (
    Rounded,
    Target,
    exact_ball,
    round_by_doubling,
    round_fraction,
    working,
)
from gelu_cli.numbers.series import Smooth

Place: TypeAlias = "fmpq | Bracket | float"
KINK_BITS = 128
MOST_DENOMINATOR = 10**6
"""Of a zero that is recognised as a fraction: others cannot be ties of few decimals."""


def ball_at(place: Place, bits: int) -> arb:
    """Return x at a place, to about `bits` bits."""
    if isinstance(place, Bracket):
        return place.narrowed(bits)
    return arb(place) if isinstance(place, float) else position(place)


def exactly_at(place: Place) -> fmpq | None:
    """Return x at a place as a fraction, if one is recognised."""
    if isinstance(place, float):
        return None
    if not isinstance(place, Bracket):
        return exact_root(place)
    curve = place.curve
    if place.order or curve.target is not None:
        return None
    x = place.narrowed(2 * KINK_BITS)
    near = as_fraction(exact_ball(x)).limit_denominator(MOST_DENOMINATOR)
    candidate = fmpq(near.numerator, near.denominator)
    if not x.overlaps(arb(candidate)):
        return None
    is_zero = curve.form.form.fraction(curve.form.i, curve.form.quantity, candidate) == 0
    return candidate if is_zero else None


def rounded_place(place: Place, to: Target) -> Rounded:
    """Return x at a place, rounded."""
    if isinstance(place, float):
        return place
    if (exact := exactly_at(place)) is not None:
        return round_fraction(to, exact)
    return round_by_doubling(to, lambda bits: ball_at(place, bits), "a cut or a zero of a form")


@cache
def kinks(form: Form) -> tuple[float, ...]:
    """Find the jumps of a form, its slope and its curvature, as float64s.

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
                found.append(float(rounded_place(cut.square, FLOAT64)))
    return tuple(found)
