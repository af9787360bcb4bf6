"""A form at a point, rounded correctly: Ziv's strategy.

The form is evaluated on enclosures (`gelu_cli.arithmetic.interval`). Where both ends of an
enclosure round to the same number, so does the true value. Where they do not, the precision is
doubled. What no precision settles is a value that is itself half way between two numbers. Such
values are rational, and exact fractions settle them; no other value of these forms at a rational
point is known to be rational, so the loop ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Protocol, TypeAlias

from gelu_cli.activations.form import Form, Values, limit_point
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.interval import Interval, Mpf, interval_arithmetic
from gelu_cli.arithmetic.rational import RATIONAL, IrrationalError

Point: TypeAlias = float | Fraction
"""A float64, or the exact number that was typed; infinities, NaN and −0.0 are floats."""

Result: TypeAlias = float | Decimal

GUARD = 32
"""Bits beyond the rounding's own at the first attempt: most points need no second one."""


class Rounding(Protocol):
    """A set of numbers to round to: a floating-point format, or N decimal digits."""

    @property
    def precision(self) -> int:
        """The bits of its numbers."""

    def settle(self, low: Mpf, high: Mpf) -> Result | None:
        """Return what all of [low, high] rounds to, or None if that is not one number."""

    def exactly(self, value: Fraction) -> Result:
        """Return `value` rounded."""


def evaluate(form: Form, quantities: Sequence[str], x: Point, rounding: Rounding) -> list[Result]:
    """Return the quantities of a form at x, each correctly rounded.

    NaN gives NaN; ±∞ gives the limit; a zero value at −0.0 has the sign of the approach from
    below.

    >>> from gelu_cli.activations import find_form
    >>> evaluate(find_form("exact"), ["value", "gradient"], -37.0, FLOAT64)
    [-2.1184613523340935e-298, -7.838298669418516e-297]
    """
    if isinstance(x, float) and not math.isfinite(x):
        return [_beyond(form, quantity, x, rounding) for quantity in quantities]
    results = _ziv(form, quantities, Fraction(x), rounding)
    if x == 0 and math.copysign(1, x) < 0:
        return [_from_below(form, *pair) for pair in zip(quantities, results, strict=True)]
    return results


def _ziv(form: Form, quantities: Sequence[str], x: Fraction, rounding: Rounding) -> list[Result]:
    # The arguments of exp grow like x³ at most; their whole part takes bits of its own.
    size = max(0, x.numerator.bit_length() - x.denominator.bit_length())
    first = precision = rounding.precision + GUARD + 3 * size
    results: dict[str, Result] = {}
    while True:
        a = interval_arithmetic(precision)
        enclosures = form.evaluate(a, a.rational(x), x)._asdict()
        for quantity in set(quantities) - set(results):
            enclosure: Interval = enclosures[quantity]
            result = rounding.settle(enclosure.low, enclosure.high)
            if result is not None:
                results[quantity] = result
        unsettled = set(quantities) - set(results)
        if not unsettled:
            return [results[quantity] for quantity in quantities]
        if precision == first:
            results.update(_rational(form, unsettled, x, rounding))
        precision *= 2


def _rational(
    form: Form, quantities: set[str], x: Fraction, rounding: Rounding
) -> dict[str, Result]:
    try:
        values: Values = form.evaluate(RATIONAL, x, x)
    except IrrationalError:
        return {}
    return {name: rounding.exactly(getattr(values, name)) for name in quantities}


def _beyond(form: Form, quantity: str, x: float, rounding: Rounding) -> Result:
    """Return NaN at NaN, and at ±∞ the limit: 0, ±∞ or a finite number."""
    if math.isnan(x):
        return x
    far = limit_point(x)
    (limit,) = _ziv(form, [quantity], far, FLOAT64)
    if math.isinf(limit):
        return limit
    if limit == 0:
        zero = rounding.exactly(Fraction(0))
        return _negated(zero) if math.copysign(1, limit) < 0 else zero
    (rounded,) = _ziv(form, [quantity], far, rounding)
    return rounded


def _from_below(form: Form, quantity: str, result: Result) -> Result:
    if quantity != "value" or result != 0:
        return result
    (slope,) = _ziv(form, ["gradient"], Fraction(0), FLOAT64)
    return _negated(result) if slope > 0 else result


def _negated(result: Result) -> Result:
    # Decimal's own minus sign rounds to the context and loses the sign of zero.
    return result.copy_negate() if isinstance(result, Decimal) else -result
