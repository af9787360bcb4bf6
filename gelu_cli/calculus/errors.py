"""How far a form is from another, as real numbers: suprema, averages, and errors at points."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.arithmetic.rational import RATIONAL
from gelu_cli.calculus.average_errors import average_errors
from gelu_cli.calculus.comparison import Comparison, End
from gelu_cli.errors import UsageError, unknown
from gelu_cli.forms import ORDERS, Form
from gelu_cli.values.evaluate import Point, Result, Rounding, evaluate_at

COMPARED = ("value", "gradient", "curvature")


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
    >>> from gelu_cli.arithmetic.formats import FLOAT64
    >>> tanh = compare(find_form("tanh"), find_form("exact"), "value")
    >>> summarise(tanh, -10, 10, Fraction(1), FLOAT64)[:2]
    (0.00047323552068728487, 2.69894138637727)
    """
    check_range(low, high, sigma)
    absolute = comparison.largest_difference(low, high, rounding)
    relative = comparison.largest_ratio(low, high, rounding)
    return ErrorSummary(*absolute, *relative, *average_errors(comparison, sigma, rounding))


def check_range(low: End, high: End, sigma: Fraction) -> None:
    """Raise `UsageError` for an empty range or a sigma that is not positive."""
    if not low < high:
        raise UsageError(
            f"the range {float(low):g}:{float(high):g} is empty; write the lower end first"
        )
    if sigma <= 0:
        raise UsageError(f"sigma must be positive, not {float(sigma):g}")


def errors_at(comparison: Comparison, x: Point, rounding: Rounding) -> tuple[Result, Result]:
    """Return form − target and (form − target)/target at x, each correctly rounded.

    >>> from gelu_cli.forms import find_form
    >>> from gelu_cli.arithmetic.formats import FLOAT64
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
