"""The error of a form at points: at each, both numbers, their difference and its ratio."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gelu_cli.arithmetic import PointArithmetic, Real, Result, Rounding
from gelu_cli.arithmetic.beside import anchored
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.exact import RATIONAL, Exact
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus.comparison import Comparison
from gelu_cli.forms import ORDERS, Form
from gelu_cli.values.evaluate import (
    Point,
    evaluate_at,
    evaluate_computed,
    exactly,
    far_out,
    is_finite,
)
from gelu_cli.values.points import DIGITS_BY_FLOAT64, ManyPoints, Points, decimal_told_by


class PointErrors(NamedTuple):
    """What target and form are at a point, form − target, and (form − target)/target.

    Where the target is 0 the ratio is infinite, or NaN if the form is 0 as well.
    """

    target: Result
    approx: Result
    difference: Result
    ratio: Result


def errors_at_points(
    comparison: Comparison, points: Points, rounding: Rounding
) -> Sequence[Sequence[Any]]:
    """Return what `errors_at` does for all points, in columns.

    >>> from gelu_cli.calculus.comparison import compare
    >>> from gelu_cli.forms import find_form
    >>> from gelu_cli.values.points import FewPoints
    >>> relu = compare(find_form("relu"), find_form("exact"), "gradient")
    >>> errors_at_points(relu, FewPoints([0.0, math.inf]), FLOAT64)
    [(0.5, 1.0), (0.0, 1.0), (-0.5, -0.0), (-1.0, -0.0)]
    """
    if isinstance(points, ManyPoints):
        if rounding is FLOAT64:
            return _floats(comparison, points)
        if isinstance(rounding, Decimals) and rounding.digits <= DIGITS_BY_FLOAT64:
            return _decimals(comparison, points, rounding)
    return _columns(errors_at(comparison, x, rounding) for x in points.numbers())


def _columns(rows: Iterable[PointErrors]) -> Sequence[Sequence[Any]]:
    return list(zip(*rows, strict=True)) or [()] * len(PointErrors._fields)


def _floats(comparison: Comparison, points: ManyPoints) -> Sequence[Sequence[float]]:
    from gelu_cli.calculus.point_errors_arrays import errors_of_array

    return [column.tolist() for column in errors_of_array(comparison, points.array)]


def _decimals(
    comparison: Comparison, points: ManyPoints, decimals: Decimals
) -> Sequence[Sequence[Result]]:
    rows = []
    for x, *floats in zip(points.numbers(), *_floats(comparison, points), strict=True):
        told = [decimal_told_by(value, decimals) for value in floats]
        rows.append(errors_at(comparison, x, decimals) if None in told else told)
    return list(zip(*rows, strict=True))


def errors_at(comparison: Comparison, x: Point, rounding: Rounding) -> PointErrors:
    """Return the errors at x, each number correctly rounded.

    >>> from gelu_cli.calculus.comparison import compare
    >>> from gelu_cli.forms import find_form
    >>> sigmoid = compare(find_form("sigmoid"), find_form("exact"), "value")
    >>> errors_at(sigmoid, -1.0, FLOAT64)[2:]
    (0.004451019864278347, -0.028054664147468426)
    """
    form, target = _Side(comparison, comparison.form), _Side(comparison, comparison.target)
    exponent = max(each.form.limit_exponent for each in (form, target))
    defined = not target.vanishes(x, exponent)

    def errors(a: PointArithmetic, at: Real, point: Exact) -> Mapping[str, Real]:
        (u, ug), (v, vg) = form.values(a, point), target.values(a, point)
        ratio = (ug - vg) / vg if defined else u
        return {"difference": u - v, "ratio": ratio}

    difference, ratio = evaluate_at(x, ["difference", "ratio"], errors, exponent, rounding)
    if not defined:
        ratio = math.nan if ratio == 0 else math.inf
    return PointErrors(target.rounded(x, rounding), form.rounded(x, rounding), difference, ratio)


class _Side:
    """One of the two forms at a point, evaluated once in every arithmetic.

    Enclosures are anchored, for what the forms have in common cancels.
    """

    def __init__(self, comparison: Comparison, form: Form) -> None:
        self.form = form
        self._quantities = comparison.quantity, comparison.divided
        self._known: dict[tuple[PointArithmetic, Exact], tuple[Real, Real]] = {}

    def values(self, a: PointArithmetic, point: Exact) -> tuple[Real, Real]:
        """Return what is compared, and what is divided."""
        known = self._known.get((a, point))
        if known is None:
            b = anchored(a)
            order = ORDERS[self._quantities[0]]
            found = self.form.evaluate(b, b.rational(point), point, order)
            compared, divided = (getattr(found, name) for name in self._quantities)
            known = self._known[a, point] = compared, divided
        return known

    def rounded(self, x: Point, rounding: Rounding) -> Result:
        """Return what is compared, correctly rounded."""
        name, _ = self._quantities

        def compute(a: PointArithmetic, at: Real, point: Exact) -> Mapping[str, Real]:
            return {name: self.values(a, point)[0]}

        return evaluate_computed(self.form, [name], x, compute, rounding)[0]

    def vanishes(self, x: Point, limit_exponent: int) -> bool:
        """Return whether what is divided by is exactly 0, as only a rational value can be."""
        if is_finite(x):
            point = exactly(x)
        elif math.isnan(x):
            return False
        else:
            point = far_out(float(x), limit_exponent)
        return bool(self.values(RATIONAL, point)[1] == 0)
