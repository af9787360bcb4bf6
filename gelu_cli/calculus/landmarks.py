"""Minima, inflection points and kinks of a form f; P(f(X) < 0)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from flint import arb, fmpq

from gelu_cli.calculus.covering import Bracket, Place, ball_at, rounded_place, signed_parts
from gelu_cli.calculus.curves import Curve, Stretch, exact_root, on_line, position
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.formulas.special import normal_cdf
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.points import evaluate
from gelu_cli.numbers.rounding import Rounded, Target, round_by_doubling, round_fraction, working
from gelu_cli.numbers.series import Smooth

POINTS = {"minimum": "gradient", "inflection": "curvature"}
"""The quantity that changes its sign at a landmark; the gradient changes from − to +."""

QUANTITIES = ["value", "gradient", "curvature"]
KINK_BITS = 128


class Landmark(NamedTuple):
    """A minimum or an inflection point, with the values of the form there.

    `gradient` is 0 at a smooth minimum, `curvature` at a smooth inflection point. At the rounded x,
    `residual` is |f′| of a minimum, |f″| of an inflection point.
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
    """Divide the axis at the zeros of a quantity and the ends of pieces."""
    for stretch in on_line(form, quantity):
        side, brackets = signed_parts(stretch)
        for low, high in pairwise([stretch.low, *brackets, stretch.high]):
            yield Part(stretch, low, high, side)
            side = -side


def landmarks(form: Form, to: Target = FLOAT64) -> list[Landmark]:
    """Return minima, then inflection points, each in ascending order of x.

    At a minimum f′ changes its sign from − to +; at an inflection point f″ changes its sign. The
    change is at a cut (end of a piece) or between certified signs. Numbers are correctly rounded.
    """
    return [
        measured(form, point, part, to)
        for point, quantity in POINTS.items()
        for before, part in pairwise(parts_of(form, quantity))
        if before.sign * part.sign < 0 and (part.sign > 0 or point != "minimum")
    ]


def measured(form: Form, point: str, part: Part, to: Target) -> Landmark:
    """Return the landmark at the low end of a part."""
    at, smooth = part.low, isinstance(part.low, Bracket)

    def value_at(quantity: str) -> Any:
        if smooth and quantity == POINTS[point]:
            return round_fraction(to, fmpq(0))
        curve = Curve(Smooth(form, part.stretch.curve.form.i, quantity))
        return round_by_doubling(
            to, lambda bits: curve.taylor(ball_at(at, bits), 0)[0], "a landmark"
        )

    x, exact = rounded_place(at, to), exact_root(at) if isinstance(at, fmpq) else None
    value, gradient, curvature = (
        map(value_at, QUANTITIES) if exact is None else evaluate(form, QUANTITIES, exact, to)
    )
    (residual,) = evaluate(form, [POINTS[point]], to_fraction(x), to)  # type: ignore[arg-type]
    size = abs(residual) if isinstance(residual, float) else residual.copy_abs()
    return Landmark(point, x, value, gradient, curvature, size)


def negative_probability(form: Form, mean: Any, sigma: Any, to: Target = FLOAT64) -> Rounded:
    """Return P(f(X) < 0) for X ~ N(mean, sigma²), correctly rounded."""
    negative = [part for part in parts_of(form, "value") if part.sign < 0]
    m, s = to_fraction(mean), to_fraction(sigma)

    def enclosed(bits: int) -> arb:
        total = arb(0)
        for part in negative:
            low, high = ((ball_at(end, bits) - arb(m)) / arb(s) for end in (part.low, part.high))
            if low >= 0:  # mirrored: for z < 0 a difference of Φ(z) does not cancel
                low, high = -high, -low
            one, two = (normal_cdf(z) if z.is_finite() else arb(int(z > 0)) for z in (low, high))
            total += two - one
        return total

    return round_by_doubling(to, enclosed, "the probability")


@cache
def kinks(form: Form) -> tuple[float, ...]:
    """Return the x at which f, f′ or f″ jumps, as float64s."""
    found = []
    with working(KINK_BITS):
        for i, cut in enumerate(form.cuts):
            sides = (Curve(Smooth(form, j, "value")) for j in (i, i + 1))
            left, right = (each.taylor(position(cut.square), 2) for each in sides)
            if not all(a.overlaps(b) for a, b in zip(left, right, strict=True)):
                found.append(float(rounded_place(cut.square, FLOAT64)))
    return tuple(found)
