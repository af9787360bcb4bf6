"""Changes of sign of a form or a derivative.

Minima, inflection points, P(f(X) < 0).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from flint import arb, fmpq

from gelu_cli.calculus.covering import Bracket, signed_parts
from gelu_cli.calculus.curves import Curve, Stretch, on_line
from gelu_cli.calculus.places import Place, ball_at, exactly_at, rounded_place
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.formulas.special import normal_cdf
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.points import evaluate
from gelu_cli.numbers.rounding import Rounded, Target, round_by_doubling, round_fraction
from gelu_cli.numbers.series import Smooth

POINTS = {"minimum": "gradient", "inflection": "curvature"}
"""The kinds of landmarks, and the quantity that changes its sign there; at a minimum it rises."""

QUANTITIES = ["value", "gradient", "curvature"]
ZERO_BITS = 600
"""At an irrational cut what is 0 to so many bits is taken for 0: a piece begins there."""


class Landmark(NamedTuple):
    """A minimum or an inflection point, with the form there.

    `gradient` is 0 at a smooth minimum and `curvature` at a smooth inflection point; `residual` is
    |f′|, or |f″|, at the rounded x.
    """

    point: str
    x: Rounded
    value: Rounded
    gradient: Rounded
    curvature: Rounded
    residual: Rounded


class Part(NamedTuple):
    """A part of the axis on which a quantity has one sign."""

    stretch: Stretch
    low: Place
    high: Place
    sign: int


def parts_of(form: Form, quantity: str) -> Iterator[Part]:
    """Yield the axis in parts, cut at zeros of a quantity and its kinks."""
    for stretch in on_line(form, quantity):
        side, brackets = signed_parts(stretch)
        for low, high in pairwise([stretch.low, *brackets, stretch.high]):
            yield Part(stretch, low, high, side)
            side = -side


def landmarks(form: Form, to: Target = FLOAT64) -> list[Landmark]:
    """Return minima, then inflection points, each in ascending order of x.

    A minimum is where f′ changes its sign from − to +, an inflection point where f″ changes its
    sign, at a cut or between two certified signs. Every number is correctly rounded.

    Examples
    --------
    >>> from gelu_cli.formulas import find_form
    >>> [(each.point, each.x) for each in landmarks(find_form("exact"))]
    [('minimum', -0.7517915246935645), ('inflection', -1.4142135623730951), \
('inflection', 1.4142135623730951)]
    """
    return [
        measured(form, point, part, to)
        for point, quantity in POINTS.items()
        for before, part in pairwise(parts_of(form, quantity))
        if before.sign * part.sign < 0 and (part.sign > 0 or point != "minimum")
    ]


def measured(form: Form, point: str, part: Part, to: Target) -> Landmark:
    """Return the landmark at the low end of a part."""
    x, exact = rounded_place(part.low, to), exactly_at(part.low)
    smooth = isinstance(part.low, Bracket)
    if exact is not None and not smooth:
        values = evaluate(form, QUANTITIES, exact, to)
    else:
        i = part.stretch.curve.form.i
        values = [
            round_fraction(to, fmpq(0))
            if smooth and name == POINTS[point]
            else value_at(Curve(Smooth(form, i, name)), part.low, to)
            for name in QUANTITIES
        ]
    (residual,) = evaluate(form, [POINTS[point]], to_fraction(x), to)  # type: ignore[arg-type]
    size = abs(residual) if isinstance(residual, float) else residual.copy_abs()
    value, gradient, curvature = values
    return Landmark(point, x, value, gradient, curvature, size)


def value_at(curve: Curve, place: Place, to: Target) -> Rounded:
    """Return a curve at a cut that is a root, or at a zero of another one."""

    def enclosed(bits: int) -> arb:
        y = curve.taylor(ball_at(place, bits), 0)[0]
        return arb(0) if y.contains(0) and abs(y) < arb((1, -ZERO_BITS)) else y

    return round_by_doubling(to, enclosed, "a landmark")


def negative_probability(form: Form, mean: Any, sigma: Any, to: Target = FLOAT64) -> Rounded:
    """Return P(f(X) < 0) for X ~ N(mean, sigma²), correctly rounded.

    >>> from gelu_cli.formulas import find_form
    >>> negative_probability(find_form("exact"), 1, 1)
    0.15865525393145705
    """
    negative = [part for part in parts_of(form, "value") if part.sign < 0]
    m, s = to_fraction(mean), to_fraction(sigma)

    def standardised(end: Place, bits: int) -> arb:
        return arb(end) if isinstance(end, float) else (ball_at(end, bits) - arb(m)) / arb(s)

    def enclosed(bits: int) -> arb:
        ends = ((standardised(part.low, bits), standardised(part.high, bits)) for part in negative)
        return sum((probability_between(*pair) for pair in ends), arb(0))

    return round_by_doubling(to, enclosed, "the probability")


def probability_between(low: arb, high: arb) -> arb:
    """Return Φ(high) − Φ(low) without cancellation."""
    if low >= 0:
        low, high = -high, -low
    ends = (normal_cdf(z) if z.is_finite() else arb(1 if z > 0 else 0) for z in (low, high))
    below_low, below_high = ends
    return below_high - below_low
