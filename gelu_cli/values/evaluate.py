"""A form at a point, rounded correctly: Ziv's strategy.

The form is evaluated on enclosures (`gelu_cli.arithmetic.interval`). Where both ends of an
enclosure round to the same number, so does the true value. Where they do not, the precision is
doubled. What no precision settles is a value that is itself half way between two numbers. Such
values are rational, and exact fractions settle them; no other value of these forms at a rational
point is known to be rational.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from gelu_cli.arithmetic import PointArithmetic, Real, Result, Rounding, mpf
from gelu_cli.arithmetic.anchored_interval import anchored, whole
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.interval import Interval, interval_arithmetic
from gelu_cli.arithmetic.irrational import Exact, exponent_of
from gelu_cli.arithmetic.rational import RATIONAL
from gelu_cli.forms import CANCELLING, ORDERS
from gelu_cli.forms.form import Form

Point: TypeAlias = float | Exact
"""A float64, or the exact number that was typed; infinities, NaN and −0.0 are floats."""

GUARD = 32
"""Bits beyond the rounding's own at the first attempt: most points need no second one."""

NEXT_TO_0 = 2.0**-1000
FAR = 64
LAST = 64
"""A value nearer to a tie than this many times the first precision can tell is taken for it."""


def rounding_to(digits: int | None) -> Rounding:
    """Return the rounding to so many significant digits, or to float64 if no number is asked."""
    return Decimals(digits) if digits else FLOAT64


Compute: TypeAlias = Callable[[PointArithmetic, Real, Exact], Mapping[str, Real]]
"""(a, x, point) → numbers by name, at x, which is the number `point` in the arithmetic a."""


def exactly(x: Point) -> Exact:
    """Return the number that a finite point is."""
    return Fraction(x) if isinstance(x, float) else x


def is_finite(x: Point) -> bool:
    """Return whether a point is a number; what is exact may be beyond float64."""
    return not isinstance(x, float) or math.isfinite(x)


def evaluate(form: Form, quantities: Sequence[str], x: Point, rounding: Rounding) -> list[Result]:
    """Return the quantities of a form at x, each correctly rounded.

    NaN gives NaN; ±∞ gives the limit; a zero value at −0.0 has the sign of the approach from
    below.

    >>> from gelu_cli.forms import find_form
    >>> evaluate(find_form("exact"), ["value", "gradient"], -37.0, FLOAT64)
    [-2.1184613523340935e-298, -7.838298669418516e-297]
    """
    far = _far_out(form)
    if is_finite(x) and not -far <= exactly(x) <= far:
        return _evaluate_far_out(form, quantities, exactly(x), rounding)
    return _evaluate(form, quantities, x, rounding)


def _evaluate(form: Form, quantities: Sequence[str], x: Point, rounding: Rounding) -> list[Result]:
    return evaluate_computed(form, quantities, x, computing(form, quantities), rounding)


def computing(form: Form, quantities: Collection[str]) -> Compute:
    """Return how to compute quantities of a form; those that cancel, beside anchors."""
    order = max(ORDERS[quantity] for quantity in quantities)
    cancelling = not CANCELLING.isdisjoint(quantities)

    def compute(a: PointArithmetic, x: Real, point: Exact) -> Mapping[str, Real]:
        if cancelling:
            a = anchored(a)
            x = a.rational(point)
        values = form.evaluate(a, x, point, order)
        return {quantity: whole(getattr(values, quantity)) for quantity in quantities}

    return compute


def _far_out(form: Form) -> Fraction:
    return Fraction(1 << form.limit_exponent)


def _evaluate_far_out(
    form: Form, quantities: Sequence[str], x: Exact, rounding: Rounding
) -> list[Result]:
    """Return what `evaluate` does at |x| > 2ⁿ, n = `Form.limit_exponent` ≥ 100.

    What rounds to 0 or 1 at ±2ⁿ does so farther out, and a 0 has the same sign. For every quantity
    of a form tends to x, x/2, x²/4 or a constant, and what is left is P·e^(−u), where u and P
    depend on x times, or over, the parameters; at |x| = t·2ⁿ, t ≥ 1, that is

        |P·e^(−u)| < (t·2ⁿ)¹⁶·e^(−t·2⁹⁹), which falls as t grows, for 16/t < 2⁹⁹.

    At t = 1 it is less than 10^(−10²⁹). All numbers to round to but 0 are larger, and all but 1
    are farther from 1. P has its zeros within ±2ⁿ, and so one sign beyond.
    """
    nearer = _far_out(form) if x > 0 else -_far_out(form)
    results = dict(zip(quantities, _evaluate(form, quantities, nearer, rounding), strict=True))
    others = [quantity for quantity, result in results.items() if result not in (0, 1)]
    if others:
        results.update(zip(others, _evaluate(form, others, x, rounding), strict=True))
    return [results[quantity] for quantity in quantities]


def evaluate_computed(
    form: Form, quantities: Sequence[str], x: Point, compute: Compute, rounding: Rounding
) -> list[Result]:
    """Return what `evaluate` does, of quantities that `compute` computes, or remembers."""
    results = evaluate_at(x, quantities, compute, form.limit_exponent, rounding)
    if isinstance(x, float) and x == 0 and math.copysign(1, x) < 0:
        return [_from_below(form, *pair) for pair in zip(quantities, results, strict=True)]
    return results


def evaluate_at(
    x: Point, names: Sequence[str], compute: Compute, limit_exponent: int, rounding: Rounding
) -> list[Result]:
    """Return the named numbers at x, each correctly rounded; at ±∞ their limits.

    These are reached at ±2**limit_exponent, see `Form.limit_exponent`.
    """
    if is_finite(x):
        return _ziv(exactly(x), names, compute, rounding)
    x = float(x)
    if math.isnan(x):
        return [x for _ in names]
    far = far_out(x, limit_exponent)
    limits = _ziv(far, names, compute, FLOAT64)
    shown = limits if rounding is FLOAT64 else _ziv(far, names, compute, rounding)
    infinite = Fraction(2) ** (limit_exponent - 8)
    return [
        _limit(limit, infinite, result, rounding)
        for limit, result in zip(limits, shown, strict=True)
    ]


def far_out(x: float, limit_exponent: int) -> Fraction:
    """Return the point that stands for ±∞."""
    return Fraction(int(math.copysign(1, x)) << limit_exponent)


def _ziv(x: Exact, names: Sequence[str], compute: Compute, rounding: Rounding) -> list[Result]:
    # By default the arguments of exp grow like x³ at most; their whole part takes bits of its own.
    size = max(0, exponent_of(x))
    first = precision = rounding.precision + GUARD + 3 * size
    # Far out nothing is nearer to a tie than its limit is: one attempt tells, or a second one if
    # half of the first one's bits cancel.
    last = 2 if size > FAR else LAST
    results: dict[str, Result] = {}
    while True:
        a = interval_arithmetic(precision)
        enclosures = compute(a, a.rational(x), x)
        for name in set(names) - set(results):
            result = rounding.settle(enclosures[name].low, enclosures[name].high)
            if result is not None:
                results[name] = result
        unsettled = set(names) - set(results)
        if unsettled and precision == first:
            results.update(_rational(x, unsettled, compute, rounding))
            unsettled -= set(results)
        if precision >= last * first:
            results.update((name, rounded_middle(enclosures[name], rounding)) for name in unsettled)
            unsettled = set()
        if not unsettled:
            return [results[name] for name in names]
        precision *= 2


def _rational(
    x: Exact, names: Iterable[str], compute: Compute, rounding: Rounding
) -> dict[str, Result]:
    values = compute(RATIONAL, RATIONAL.rational(x), x)
    return {
        name: rounding.exactly(value)
        for name in names
        if isinstance(value := values[name], Fraction)
    }


def _limit(limit: Result, infinite: Fraction, result: Result, rounding: Rounding) -> Result:
    """Return the limit that a number has so nearly reached: 0, ±∞, or what it rounds to."""
    if math.isinf(limit) or abs(Fraction(limit)) > infinite:
        return math.copysign(math.inf, limit)
    if limit == 0:
        zero = rounding.exactly(Fraction(0))
        return _negated(zero) if math.copysign(1, limit) < 0 else zero
    return result


def _from_below(form: Form, quantity: str, result: Result) -> Result:
    if quantity not in ("value", "complement") or result != 0:
        return result
    (below,) = evaluate(form, [quantity], -NEXT_TO_0, FLOAT64)
    return _negated(result) if math.copysign(1, below) < 0 else result


def _negated(result: Result) -> Result:
    # Decimal's own minus sign rounds to the context and loses the sign of zero.
    return result.copy_negate() if isinstance(result, Decimal) else -result


def absolute(result: Result) -> Result:
    """Return |result|; Decimal's own abs rounds to the context."""
    return result.copy_abs() if isinstance(result, Decimal) else abs(result)


def rounded_middle(y: Interval, rounding: Rounding) -> Result:
    """Return what the middle of an enclosure rounds to; 0 if the enclosure holds 0.

    For enclosures so narrow that only a value half way between two numbers is left unsettled.
    """
    if not y.sign:
        return rounding.exactly(Fraction(0))
    return rounding.exactly(mpf.to_fraction(mpf.rounded(y.low, y.precision // 2)))
