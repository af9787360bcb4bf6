"""Changes of sign of a form or a derivative.

Minima, inflection points, P(f(X) < 0).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from flint import arb, fmpq

from gelu_cli.calculus.averages import rounded
from gelu_cli.calculus.covering import Bracket, signed_parts
from gelu_cli.calculus.curves import Curve, Stretch, on_line, position
from gelu_cli.calculus.places import rounded_end, rounded_root
from gelu_cli.errors import ComputationError
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.points import evaluate
from gelu_cli.numbers.rounding import (
    Rounded,
    Target,
    round_ball,
    round_fraction,
    working,
)
from gelu_cli.numbers.series import Smooth

POINTS = {"minimum": "gradient", "inflection": "curvature"}
"""The kinds of landmarks, and the quantity that changes its sign there; at a minimum it rises."""

DOUBLINGS = 6


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
    """A part of the axis on which a quantity has one sign.

    Its ends are cuts or brackets.
    """

    stretch: Stretch
    low: Any
    high: Any
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
    smooth = isinstance(part.low, Bracket)
    x = rounded_root(part.low, to) if smooth else rounded_end(part.low, to)
    names = ["value", "gradient", "curvature"]
    i = part.stretch.curve.form.i
    value, gradient, curvature = values_at(form, i, names, part.low, to, point if smooth else "")
    (residual,) = evaluate(form, [POINTS[point]], to_exact(x), to)
    return Landmark(point, x, value, gradient, curvature, abs_of(residual))


def values_at(
    form: Form, i: int, names: list[str], place: Any, to: Target, point: str
) -> list[Rounded]:
    """Evaluate quantities of a piece at a cut, or at a zero of one of them."""
    if not isinstance(place, Bracket):
        return at_cut(form, i, names, place, to)
    results: dict[str, Rounded] = {POINTS[point]: round_fraction(to, fmpq(0))}
    for doubling in range(DOUBLINGS):
        prec = (to.bits_needed + 40) << doubling
        x = place.narrowed(prec)
        with working(prec + 32):
            for name in names:
                if name not in results:
                    y = Curve(Smooth(form, i, name)).taylor(x, 0)[0]
                    if (rounded := round_ball(to, y)) is not None:
                        results[name] = rounded
        if len(results) == len(names):
            return [results[name] for name in names]
    return refused()


def at_cut(form: Form, i: int, names: list[str], square: fmpq, to: Target) -> list[Rounded]:
    """Return quantities at a cut.

    Of the piece that holds there, by fractions if it is one.
    """
    root = fmpq(abs(square).p.isqrt(), abs(square).q.isqrt()) * (-1 if square < 0 else 1)
    if root * abs(root) == square:
        found: list[Rounded] = evaluate(form, names, root, to)
        return found
    results = []
    for name in names:
        curve = Curve(Smooth(form, i, name))
        for doubling in range(DOUBLINGS):
            with working((to.bits_needed + 40) << doubling):
                rounded = round_ball(to, curve.taylor(position(square), 0)[0])
            if rounded is not None:
                break
        results.append(rounded if rounded is not None else round_fraction(to, fmpq(0)))
    return results


def to_exact(x: Rounded) -> fmpq:
    """Return a rounded number as a fraction."""
    return to_fraction(x)  # type: ignore[arg-type]


def abs_of(y: Rounded) -> Rounded:
    """Return |y|; abs of a Decimal rounds to the context."""
    return (
        y if isinstance(y, float) and y >= 0 else y.copy_abs() if not isinstance(y, float) else -y
    )


def refused() -> list[Rounded]:
    """Raise ComputationError for a number at a tie."""
    raise ComputationError(
        "a landmark is too near to the middle between two numbers; take other --digits"
    )


def negative_probability(form: Form, mean: Any, sigma: Any, to: Target = FLOAT64) -> Rounded:
    """Return P(f(X) < 0) for X ~ N(mean, sigma²), correctly rounded.

    >>> from gelu_cli.formulas import find_form
    >>> negative_probability(find_form("exact"), 1, 1)
    0.15865525393145705
    """
    negative = [part for part in parts_of(form, "value") if part.sign < 0]
    m, s = to_fraction(mean), to_fraction(sigma)
    for doubling in range(DOUBLINGS):
        prec = (to.bits_needed + 40) << doubling
        with working(prec + 32):
            total = arb(0)
            for part in negative:
                low, high = (standardised(end, m, s, prec) for end in (part.low, part.high))
                total = total + probability_between(low, high)
            found = rounded(total, to)
        if found is not None:
            return found
    raise ComputationError("the probability is too near to the middle between two numbers")


def standardised(end: Any, mean: fmpq, sigma: fmpq, prec: int) -> arb | None:
    """Return (x − mean)/sigma at an end of a part; None at ±∞."""
    if isinstance(end, float):
        return None
    x = end.narrowed(prec) if isinstance(end, Bracket) else position(end)
    return (x - arb(mean)) / arb(sigma)


def probability_between(low: arb | None, high: arb | None) -> arb:
    """Return Φ(high) − Φ(low) without cancellation; None is ±∞."""

    def below(z: arb) -> arb:
        return (-z / arb(2).sqrt()).erfc() / 2

    if low is not None and low >= 0:
        return below(-low) - (arb(0) if high is None else below(-high))
    total = arb(1) if high is None else below(high)
    return total if low is None else total - below(low)
