"""The error of a form at points: at each, both numbers, their difference and its ratio."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from gelu_cli.old.arithmetic import PointArithmetic, Real, Result, Rounding
from gelu_cli.old.arithmetic.beside import anchored
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.exact import RATIONAL, Exact
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import Comparison
from gelu_cli.old.formulas import ORDERS
from gelu_cli.old.values.evaluate import Point, evaluate_at, exactly, zero_from_below
from gelu_cli.old.values.points import DIGITS_BY_FLOAT64, ManyPoints, Points, decimal_told_by


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

    >>> from gelu_cli.old.calculus.comparison import compare
    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.values.points import FewPoints
    >>> relu = compare(find_form("relu"), find_form("exact"), "gradient")
    >>> errors_at_points(relu, FewPoints([0.0, math.inf]), FLOAT64)
    [(0.5, 1.0), (0.0, 1.0), (-0.5, -0.0), (-1.0, -0.0)]
    """
    rows: Iterable[Sequence[Any]] = repeat([None])  # what is told without a look at single points
    if isinstance(points, ManyPoints):
        from gelu_cli.old.calculus.point_errors_arrays import errors_of_array

        if rounding is FLOAT64:
            return [column.tolist() for column in errors_of_array(comparison, points.array)]
        if isinstance(rounding, Decimals) and rounding.digits <= DIGITS_BY_FLOAT64:
            columns = (column.tolist() for column in errors_of_array(comparison, points.array))
            rows = ([decimal_told_by(value, rounding) for value in row]
                    for row in zip(*columns, strict=True))  # fmt: skip
    found = [errors_at(comparison, x, rounding) if None in row else row
             for x, row in zip(points.numbers(), rows, strict=False)]  # fmt: skip
    return list(zip(*found, strict=True)) or [()] * len(PointErrors._fields)


def errors_at(comparison: Comparison, x: Point, rounding: Rounding) -> PointErrors:
    """Return the errors at x, each number correctly rounded.

    >>> from gelu_cli.old.calculus.comparison import compare
    >>> from gelu_cli.old.formulas import find_form
    >>> sigmoid = compare(find_form("sigmoid"), find_form("exact"), "value")
    >>> errors_at(sigmoid, -1.0, FLOAT64)[2:]
    (0.004451019864278347, -0.028054664147468426)
    """
    form, target, quantity = comparison
    order, exponent = ORDERS[quantity], max(form.limit_exponent, target.limit_exponent)
    point = exactly(x, exponent)
    at_point = target.evaluate(RATIONAL, RATIONAL.rational(point), point, order)
    is_0 = getattr(at_point, comparison.divided) == 0  # exactly, as only a rational value can be

    def compute(a: PointArithmetic, _: Real, point: Exact) -> Mapping[str, Real]:
        b = anchored(a)  # for what the forms have in common cancels
        values = [each.evaluate(b, b.rational(point), point, order) for each in (form, target)]
        u, v = (getattr(each, quantity) for each in values)
        ug, vg = (getattr(each, comparison.divided) for each in values)
        ratio = u if is_0 else (ug - vg) / vg
        return {"target": v, "approx": u, "difference": u - v, "ratio": ratio}

    found = PointErrors(*evaluate_at(x, PointErrors._fields, compute, exponent, rounding))
    ratio = found.ratio
    if is_0:
        ratio = math.inf if ratio > 0 or ratio < 0 else math.nan
    return PointErrors(
        zero_from_below(target, quantity, x, found.target),
        zero_from_below(form, quantity, x, found.approx),
        found.difference,
        ratio,
    )
