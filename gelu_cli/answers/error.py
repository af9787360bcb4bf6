"""How far is a form from GELU, or from another form, as real numbers?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from gelu_cli.answers.table import x_cell
from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.rational import RATIONAL
from gelu_cli.calculus.average_errors import average_errors
from gelu_cli.calculus.comparison import Comparison, End
from gelu_cli.errors import UsageError, unknown
from gelu_cli.forms import ORDERS, Form
from gelu_cli.report import Cell, Column, Report, Row
from gelu_cli.values.evaluate import (
    Point,
    Result,
    Rounding,
    absolute,
    evaluate,
    evaluate_at,
    rounding_to,
)

DEFAULT_FORMS = ("tanh", "sigmoid")
DEFAULT_TARGET = "exact"
DEFAULT_RANGE = (Fraction(-10), Fraction(10))
COMPARED = ("value", "gradient", "curvature")
EDGES = [Fraction(2) ** k for k in range(7)]
"""The regions meet at 0, ±1, ±2, ±4, … ±64."""


class ErrorSummary(NamedTuple):
    """The suprema of the error of a form, where they are, and its averages for X ~ N(0, σ²)."""

    max_abs_error: Result
    max_abs_error_x: Result
    max_rel_error: Result
    max_rel_error_x: Result
    mean_abs_error: Result
    rms_error: Result


def compare(form: Form, target: Form, quantity: str) -> Comparison:
    """Return the comparison of a form with a target; raises `UsageError` if it makes no sense."""
    if quantity not in COMPARED:
        raise unknown("quantity", quantity, COMPARED, where=" of an error")
    if form.label == target.label:
        raise UsageError(
            f"the error of '{form.label}' against itself is 0 by definition; "
            "name another form or another target"
        )
    return Comparison(form, target, quantity)


def summarise(
    comparison: Comparison, low: End, high: End, sigma: Fraction, rounding: Rounding
) -> ErrorSummary:
    """Return the suprema of an error over [low, high] and its averages for X ~ N(0, sigma²).

    The absolute error is d = |form − target|, the relative one d/|target|; the averages, over
    the whole line, are E d and √(E d²). Each number is correctly rounded. A ratio without a bound
    is infinite, at the place that makes it so. Raises `UsageError` for an empty range or a sigma
    that is not positive.

    >>> from gelu_cli.forms import find_form
    >>> tanh = compare(find_form("tanh"), find_form("exact"), "value")
    >>> summarise(tanh, -10, 10, Fraction(1), FLOAT64)[:2]
    (0.00047323552068728487, 2.69894138637727)
    """
    _check(low, high, sigma)
    absolute = comparison.largest_difference(low, high, rounding)
    relative = comparison.largest_ratio(low, high, rounding)
    return ErrorSummary(*absolute, *relative, *average_errors(comparison, sigma, rounding))


def error_summary(
    comparisons: Sequence[Comparison],
    low: End = DEFAULT_RANGE[0],
    high: End = DEFAULT_RANGE[1],
    sigma: Fraction = Fraction(1),
    *,
    digits: int | None = None,
) -> Report:
    """Return a row for each form and metric, and in words where each form is worst."""
    _check(low, high, sigma)
    rounding = rounding_to(digits)
    notes: list[str] = []
    facts = _facts(comparisons, low, high)
    facts["averages"] = f"X ~ N(0, {float(sigma):g}²)"

    def rows(comparison: Comparison) -> list[Row]:
        summary = summarise(comparison, low, high, sigma, rounding)
        facts[comparison.form.label] = _in_words(comparison, summary)
        if math.isinf(summary.max_rel_error):
            bounded = isinstance(comparison.largest_ratio(low, high, Decimals(6)).value, Decimal)
            notes.append(_unbounded(comparison, summary.max_rel_error_x, bounded))
        key = comparison.form.label, comparison.quantity
        return [
            (*key, "max_abs_error", summary.max_abs_error, summary.max_abs_error_x),
            (*key, "max_rel_error", summary.max_rel_error, summary.max_rel_error_x),
            (*key, "mean_abs_error", summary.mean_abs_error, None),
            (*key, "rms_error", summary.rms_error, None),
        ]

    return Report(
        title=_title(comparisons),
        columns=[Column(name, name) for name in ("form", "quantity", "metric", "value", "x")],
        blocks=map(rows, comparisons),
        digits=digits,
        keys=3,
        facts=facts,
        notes=notes,
    )


def error_regions(
    comparisons: Sequence[Comparison],
    low: End = DEFAULT_RANGE[0],
    high: End = DEFAULT_RANGE[1],
    *,
    digits: int | None = None,
) -> Report:
    """Return a row for each form and region of the range, with the suprema in it."""
    _check(low, high, Fraction(1))
    rounding = rounding_to(digits)
    edges = sorted({Fraction(0), *EDGES, *(-edge for edge in EDGES)})
    ends = [low, *(edge for edge in edges if low < edge < high), high]

    def rows(comparison: Comparison) -> list[Row]:
        return [
            (
                comparison.form.label,
                comparison.quantity,
                float(left),
                float(right),
                *comparison.largest_difference(left, right, rounding),
                *comparison.largest_ratio(left, right, rounding),
            )
            for left, right in pairwise(ends)
        ]

    names = ["form", "quantity", "low", "high"]
    names += ["max_abs_error", "max_abs_x", "max_rel_error", "max_rel_x"]
    return Report(
        title=_title(comparisons) + " by region",
        columns=[Column(name, name) for name in names],
        blocks=map(rows, comparisons),
        digits=digits,
        keys=4,
        facts=_facts(comparisons, low, high),
    )


def error_points(
    points: Iterable[Sequence[Point]],
    comparisons: Sequence[Comparison],
    *,
    digits: int | None = None,
) -> Report:
    """Return a row for each point and form: both numbers, and the errors between them.

    A relative error is infinite, or NaN, where the target is 0 and the form is not, or is too.
    """
    rounding = rounding_to(digits)
    decimals = Decimals(digits) if digits else None

    def row(x: Point, comparison: Comparison) -> Row:
        name = comparison.quantity
        (target,) = evaluate(comparison.target, [name], x, rounding)
        (approx,) = evaluate(comparison.form, [name], x, rounding)
        errors = map(absolute, errors_at(comparison, x, rounding))
        cells: list[Cell] = [comparison.form.label, name, x_cell(x, decimals)]
        return *cells, target, approx, *errors

    names = ("form", "quantity", "x", "target", "approx", "abs_error", "rel_error")
    return Report(
        title=_title(comparisons) + " at points",
        columns=[Column(name, name) for name in names],
        blocks=([row(x, each) for x in block for each in comparisons] for block in points),
        digits=digits,
        keys=3,
    )


def _check(low: End, high: End, sigma: Fraction) -> None:
    if not low < high:
        raise UsageError(
            f"the range {float(low):g}:{float(high):g} is empty; write the lower end first"
        )
    if sigma <= 0:
        raise UsageError(f"sigma must be positive, not {float(sigma):g}")


def errors_at(comparison: Comparison, x: Point, rounding: Rounding) -> tuple[Result, Result]:
    """Return form − target and (form − target)/target at x, each correctly rounded.

    >>> from gelu_cli.forms import find_form
    >>> sigmoid = compare(find_form("sigmoid"), find_form("exact"), "value")
    >>> errors_at(sigmoid, -1.0, FLOAT64)
    (0.004451019864278347, -0.028054664147468426)
    """
    form, target, quantity = comparison
    # The values of gated forms are compared by their gates, as in `Comparison.ratio`.
    gated = quantity == "value" and form.has_gate and target.has_gate
    divided = "gate" if gated else quantity

    def values(each: Form, a: Arithmetic, x: Real, point: Fraction) -> tuple[Real, Real]:
        found = each.evaluate(a, x, point, ORDERS[quantity])
        return getattr(found, quantity), getattr(found, divided)

    def compute(a: Arithmetic, x: Real, point: Fraction) -> Mapping[str, Real]:
        (u, ug), (v, vg) = (values(each, a, x, point) for each in (form, target))
        return {"abs_error": u - v, "rel_error": (ug - vg) / vg if defined else u}

    defined = not _is_zero(target, divided, x)
    exponent = max(form.limit_exponent, target.limit_exponent)
    names = ("abs_error", "rel_error")
    difference, ratio = evaluate_at(x, names, compute, exponent, rounding)
    if not defined:
        ratio = math.nan if ratio == 0 else math.inf
    return difference, ratio


def _is_zero(form: Form, quantity: str, x: Point) -> bool:
    """Return whether a form is exactly 0 at x, which only its rational values can be."""
    if isinstance(x, float) and not math.isfinite(x):
        return False
    return bool(getattr(form.evaluate(RATIONAL, Fraction(x), Fraction(x)), quantity) == 0)


def _title(comparisons: Sequence[Comparison]) -> str:
    _, target, quantity = comparisons[0]
    return f"Error of the {quantity} against {target.label}"


def _facts(comparisons: Sequence[Comparison], low: End, high: End) -> dict[str, str]:
    return {"range": f"{float(low):g} to {float(high):g}, suprema at critical points and ends"}


def _in_words(comparison: Comparison, summary: ErrorSummary) -> str:
    """Return where a form is worst, and what its relative error there is relative to."""
    words = (
        f"farthest from {comparison.target.label} at x = {float(summary.max_abs_error_x):.4g}, "
        f"by {float(summary.max_abs_error):.3g}; "
    )
    x = float(summary.max_rel_error_x)
    if math.isinf(summary.max_rel_error):
        return words + f"its relative error has no bound (x = {x:.4g})"
    (target,) = evaluate(comparison.target, [comparison.quantity], x, FLOAT64)
    share = float(summary.max_rel_error)
    return words + (
        f"relatively, which is another matter, by {share:.3g} at x = {x:.4g}, "
        f"where {comparison.target.label} is {target:.3g}"
    )


def _unbounded(comparison: Comparison, x: Result, bounded: bool) -> str:
    form, target = comparison.form.label, comparison.target.label
    if bounded:
        return f"the relative error of {form} is beyond float64 there; --digits 6 prints it"
    if math.isinf(x):
        why = f"{target} goes to 0 faster than {form} as x → {'−' if x < 0 else ''}∞"
    else:
        why = f"the {comparison.quantity} of {target} is 0 at x = {float(x):.6g}, {form}'s is not"
    return f"the relative error of {form} has no bound: {why}"
