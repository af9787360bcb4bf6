"""Where a form, or a derivative, changes its sign: minima, inflection points, P(f(X) < 0)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from gelu_cli.old.arithmetic import PointArithmetic, Real, Result, Rounding
from gelu_cli.old.arithmetic.exact import Exact, nearest
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.arithmetic.interval import Interval, IntervalArithmetic
from gelu_cli.old.calculus.coverings import sign_changes
from gelu_cli.old.calculus.roots import Root, Spot, exact, precisions
from gelu_cli.old.calculus.stretches import Stretch, curves_on_line, piece_of
from gelu_cli.old.formulas import Form
from gelu_cli.old.stages import tell
from gelu_cli.old.values.evaluate import absolute, evaluate, evaluate_at, rounded, too_near


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


POINTS = {"minimum": "gradient", "inflection": "curvature"}
"""The kinds of landmarks, and what changes its sign there; at a minimum it rises."""


class _Part(NamedTuple):
    """A part of the line on which a quantity has one sign, and the stretch that it belongs to."""

    stretch: Stretch
    low: Spot
    high: Spot
    sign: int


def landmarks(form: Form, rounding: Rounding = FLOAT64) -> list[Landmark]:
    """Return the minima and the inflection points of a form, in ascending order of x for each.

    A minimum is where f′ changes its sign from − to +, an inflection point where f″ changes its
    sign, in an enclosure between two certified signs or at a kink. Every number is correctly
    rounded.

    >>> from gelu_cli.old.formulas import find_form
    >>> [(each.point, each.x) for each in landmarks(find_form("exact"))]
    [('minimum', -0.7517915246935645), ('inflection', -1.4142135623730951), \
('inflection', 1.4142135623730951)]
    """
    return [
        _measured(form, point, part, rounding)
        for point, quantity in POINTS.items()
        for before, part in pairwise(_parts(form, quantity, f"the {point} of"))
        if before.sign * part.sign < 0 and (part.sign > 0 or point != "minimum")
    ]


def negative_probability(form: Form, mean: Fraction, sigma: Fraction, rounding: Rounding) -> Result:
    """Return P(f(X) < 0) for X ~ N(mean, sigma²), correctly rounded.

    That is Σ Φ((b − mean)/sigma) − Φ((a − mean)/sigma) over the stretches a < x < b on which f is
    negative. Raises `ComputationError` if a root of f cannot be enclosed.

    >>> from gelu_cli.old.arithmetic.formats import FLOAT64
    >>> from gelu_cli.old.formulas import find_form
    >>> negative_probability(find_form("exact"), Fraction(1), Fraction(1), FLOAT64)
    0.15865525393145705
    """
    negative = [part for part in _parts(form, "value", "a root of") if part.sign < 0]
    for precision in precisions(rounding):
        a = IntervalArithmetic(precision)
        total = a.rational(0)
        for _, *ends, _ in negative:
            low, high = (None if end.infinite else (end.position(a) - a.rational(mean))
                         / a.rational(sigma) for end in ends)  # fmt: skip
            total = total + _probability_between(low, high, a)
        result = rounding.settle(total.low, total.high)
        if result is not None:
            return result
    raise too_near("the probability of negative values")


def _parts(form: Form, quantity: str, what: str) -> Iterator[_Part]:
    """Yield the line from left to right, cut where a quantity changes its sign or is not smooth."""
    for stretch, curve in curves_on_line(form, quantity):
        sign, brackets = sign_changes(curve, stretch)
        roots: list[Spot] = [Root(curve, bracket, f"{what} '{form.label}'") for bracket in brackets]
        for low, high in pairwise([stretch.low, *roots, stretch.high]):
            yield _Part(stretch, low, high, sign)
            sign = -sign


def _measured(form: Form, point: str, part: _Part, rounding: Rounding) -> Landmark:
    """Return the landmark at the low end of a part."""
    x, value, slope = _rounded(form, point, part, rounding)
    gradient, curvature = evaluate(form, ["gradient", "curvature"], Fraction(x), rounding)
    residual = absolute(gradient if point == "minimum" else curvature)
    if isinstance(part.low, Root):  # there the derivative is 0; at a kink it is what the form has
        nothing = rounding.exactly(Fraction(0))
        gradient, curvature = (nothing, slope) if point == "minimum" else (slope, nothing)
    return Landmark(point, x, value, gradient, curvature, residual)


def _rounded(form: Form, point: str, part: _Part, rounding: Rounding) -> Sequence[Result]:
    """Return x, the value and the derivative that is not 0 at a smooth landmark of that kind."""
    piece = piece_of(form, part.stretch)
    names = ["value", "curvature" if point == "minimum" else "gradient"]

    def compute(a: PointArithmetic, x: Real, _: Exact | None = None) -> Mapping[str, Real]:
        return form.on_piece(piece, a, x, 2)._asdict()

    for precision in precisions(rounding):
        tell(f"{point}, enclosing it with {precision} bits")
        a = IntervalArithmetic(precision)
        x = part.low.position(a)
        number = exact(part.low, x)
        if number is not None:
            found = evaluate_at(number, names, compute, form.limit_exponent, rounding)
            return [nearest(number, rounding), *found]
        values = compute(a, x)
        results = [rounded(y, rounding) for y in (x, *map(values.get, names))]
        told = [result for result in results if result is not None]
        if len(told) == len(results):
            return told
    raise too_near(f"the {point} of '{form.label}'")


def _probability_between(
    low: Interval | None, high: Interval | None, a: IntervalArithmetic
) -> Interval:
    """Return Φ(high) − Φ(low), from the tails on the side of 0 where both are; None is ±∞."""

    def below(z: Interval) -> Interval:
        return a.erfc(-z / a.sqrt(a.rational(2))) / 2

    if low is not None and low.sign >= 0:
        return below(-low) - (a.rational(0) if high is None else below(-high))
    total = a.rational(1) if high is None else below(high)
    return total if low is None else total - below(low)
