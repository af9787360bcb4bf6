"""Landmarks of a form: its minima and inflection points, all there are on the line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from gelu_cli.arithmetic import PointArithmetic, Real, Result, Rounding
from gelu_cli.arithmetic.exact import Exact, nearest
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.interval import interval_arithmetic
from gelu_cli.calculus.coverings import sign_changes
from gelu_cli.calculus.roots import Root, Spot, exact, precisions
from gelu_cli.calculus.stretches import Stretch, curves_on_line, piece_of
from gelu_cli.forms import Form
from gelu_cli.stages import tell
from gelu_cli.values.evaluate import absolute, evaluate, evaluate_at, rounded, too_near


class Landmark(NamedTuple):
    """A minimum or an inflection point, with what the form is there.

    `gradient` is 0 at a smooth minimum and `curvature` at a smooth inflection point; `residual` is
    what |f′|, or |f″|, is at the x that is given, a rounded number.
    """

    point: str
    x: Result
    value: Result
    gradient: Result
    curvature: Result
    residual: Result


class _Search(NamedTuple):
    """A kind of landmark: the quantity that changes its sign there, and whether it must rise."""

    point: str
    quantity: str
    rising: bool


SEARCHES = (
    _Search("minimum", "gradient", rising=True),
    _Search("inflection", "curvature", rising=False),
)


def landmarks(form: Form, rounding: Rounding = FLOAT64) -> list[Landmark]:
    """Return the minima and the inflection points of a form, in ascending order of x for each.

    A minimum is where f′ changes its sign from − to +, an inflection point where f″ changes its
    sign, in an enclosure between two certified signs or at a kink. Every number is correctly
    rounded.

    >>> from gelu_cli.forms import find_form
    >>> [(each.point, each.x) for each in landmarks(find_form("exact"))]
    [('minimum', -0.7517915246935645), ('inflection', -1.4142135623730951), \
('inflection', 1.4142135623730951)]
    """
    return [
        _measure(form, search, stretch, spot, rounding)
        for search in SEARCHES
        for stretch, spot in _find(form, search)
    ]


def _find(form: Form, search: _Search) -> Iterator[tuple[Stretch, Spot]]:
    """Yield where a quantity changes its sign: on a stretch, or at its low end."""
    before = 0
    for stretch, curve in curves_on_line(form, search.quantity):
        sign, brackets = sign_changes(curve, stretch)
        if before * sign < 0 and (sign > 0 or not search.rising):
            yield stretch, stretch.low
        for bracket in brackets:
            sign = -sign
            if sign > 0 or not search.rising:
                yield stretch, Root(curve, bracket, f"the {search.point} of '{form.label}'")
        before = sign


def _measure(
    form: Form, search: _Search, stretch: Stretch, spot: Spot, rounding: Rounding
) -> Landmark:
    x, value, slope = _rounded(form, search, stretch, spot, rounding)
    gradient, curvature = evaluate(form, ["gradient", "curvature"], Fraction(x), rounding)
    residual = absolute(gradient if search.quantity == "gradient" else curvature)
    if isinstance(spot, Root):  # there the derivative is 0; at a kink it is what the form has
        nothing = rounding.exactly(Fraction(0))
        smooth = (nothing, slope) if search.quantity == "gradient" else (slope, nothing)
        gradient, curvature = smooth
    return Landmark(search.point, x, value, gradient, curvature, residual)


def _rounded(
    form: Form, search: _Search, stretch: Stretch, spot: Spot, rounding: Rounding
) -> Sequence[Result]:
    """Return x, the value and the derivative that is not 0 at a smooth landmark of that kind."""
    piece = piece_of(form, stretch)
    names = ["value", "curvature" if search.quantity == "gradient" else "gradient"]

    def compute(a: PointArithmetic, x: Real, _: Exact | None = None) -> Mapping[str, Real]:
        return form.on_piece(piece, a, x, 2)._asdict()

    for precision in precisions(rounding):
        tell(f"{search.point}, enclosing it with {precision} bits")
        a = interval_arithmetic(precision)
        x = spot.position(a)
        number = exact(spot, x)
        if number is not None:
            found = evaluate_at(number, names, compute, form.limit_exponent, rounding)
            return [nearest(number, rounding), *found]
        values = compute(a, x)
        results = [rounded(y, rounding) for y in (x, *map(values.get, names))]
        told = [result for result in results if result is not None]
        if len(told) == len(results):
            return told
    raise too_near(f"the {search.point} of '{form.label}'")
