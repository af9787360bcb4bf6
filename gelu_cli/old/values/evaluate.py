"""A form at a point, rounded correctly: Ziv's strategy.

The form is evaluated on enclosures (`gelu_cli.old.arithmetic.interval`). Where both ends of an
enclosure round to the same number, so does the true value. Where they do not, the value may be half
way between two numbers, and exact fractions tell; or it is next to such a number, as GELU(x) < x is
to the right, and an exact number with an enclosure of the rest beside it tells on which side. For
the others the precision is doubled. No digit is printed without a proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import TypeAlias

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic import PointArithmetic, Real, Result, Rounding, mpf
from gelu_cli.old.arithmetic.beside import Beside, anchored
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.exact import RATIONAL, Exact, Irrational, exponent_of, nearest
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.arithmetic.interval import Interval, IntervalArithmetic
from gelu_cli.old.formulas import CANCELLING, ORDERS
from gelu_cli.old.formulas.form import Form

Point: TypeAlias = float | Exact
"""A float64, or the exact number that was typed; infinities, NaN and −0.0 are floats."""

GUARD = 32
"""Bits beyond the rounding's own at the first attempt: most points need no second one."""

NEXT_TO_0 = 2.0**-1000
LAST = 512
"""The last precision, as a multiple of the first: x = 2⁻⁴⁰⁰⁰ takes some hundred times the first."""


def rounding_to(digits: int | None) -> Rounding:
    """Return the rounding to so many significant digits, or to float64 if no number is asked."""
    return Decimals(digits) if digits else FLOAT64


Compute: TypeAlias = Callable[[PointArithmetic, Real, Exact], Mapping[str, Real]]
"""(a, x, point) → numbers by name, at x, which is the number `point` in the arithmetic a."""


def is_finite(x: Point) -> bool:
    """Return whether a point is a number; what is exact may be beyond float64."""
    return not isinstance(x, float) or math.isfinite(x)


def exactly(x: Point, limit_exponent: int = 0) -> Exact:
    """Return the number that a point is, for ±∞ ±2ⁿ, where the limits are reached."""
    if not isinstance(x, float):
        return x
    return Fraction(x) if math.isfinite(x) else Fraction(int(math.copysign(1, x)) << limit_exponent)


def evaluate(form: Form, quantities: Sequence[str], x: Point, rounding: Rounding) -> list[Result]:
    """Return the quantities of a form at x, each correctly rounded.

    NaN gives NaN; ±∞ gives the limit; a zero value at −0.0 has the sign of the approach from
    below.

    >>> from gelu_cli.old.formulas import find_form
    >>> evaluate(find_form("exact"), ["value", "gradient"], -37.0, FLOAT64)
    [-2.1184613523340935e-298, -7.838298669418516e-297]
    """
    compute = computing(form, quantities)
    far = Fraction(1 << form.limit_exponent)
    if not is_finite(x) or -far <= exactly(x) <= far:
        return evaluate_computed(form, quantities, x, compute, rounding)
    # At |x| > 2ⁿ, n = `Form.limit_exponent` ≥ 100, what rounds to 0 or 1 at ±2ⁿ does so as well,
    # and a 0 has the same sign. For every quantity of a form tends to x, x/2, x²/4 or a constant,
    # and what is left is P·e^(−u), where u and P depend on x times, or over, the parameters; at
    # |x| = t·2ⁿ, t ≥ 1, that is
    #     |P·e^(−u)| < (t·2ⁿ)¹⁶·e^(−t·2⁹⁹), which falls as t grows, for 16/t < 2⁹⁹.
    # At t = 1 it is less than 10^(−10²⁹). All numbers to round to but 0 are larger, and all but 1
    # are farther from 1. P has its zeros within ±2ⁿ, and so one sign beyond.
    nearer = far if exactly(x) > 0 else -far
    results = evaluate_computed(form, quantities, nearer, compute, rounding)
    return [
        y
        if y in (0, 1)
        else evaluate_computed(form, [name], x, computing(form, [name]), rounding)[0]
        for name, y in zip(quantities, results, strict=True)
    ]


def computing(form: Form, quantities: Collection[str]) -> Compute:
    """Return how to compute quantities of a form; those that cancel, beside anchors.

    The values are numbers of the arithmetic that is given.
    """
    order = max(ORDERS[quantity] for quantity in quantities)
    cancelling = not CANCELLING.isdisjoint(quantities)

    def compute(a: PointArithmetic, x: Real, point: Exact) -> Mapping[str, Real]:
        inner = anchored(a) if cancelling else a
        values = form.evaluate(inner, x if inner is a else inner.rational(point), point, order)
        found = {quantity: getattr(values, quantity) for quantity in quantities}
        return found if inner is a else {name: y.folded for name, y in found.items()}

    return compute


def side(form: Form, quantity: str, x: Point, number: Fraction) -> int:
    """Return the sign of a quantity of a form at a finite x, less a number.

    >>> from gelu_cli.old.formulas import find_form
    >>> side(find_form("exact"), "value", 1e30, Fraction(1e30))
    -1
    """
    compute = computing(form, [quantity])
    return sign_at(x, lambda a, *at: compute(a, *at)[quantity] - a.rational(number))


def sign_at(x: Point, compute: Callable[[PointArithmetic, Real, Exact], Real]) -> int:
    """Return the sign of a number that is computed at a finite x, as by `Compute`."""
    point = exactly(x)
    for n in range(LAST.bit_length()):
        a = anchored(IntervalArithmetic((GUARD + 3 * max(0, exponent_of(point))) << n))
        sign: int | None = compute(a, a.rational(point), point).sign
        if sign is None and not n:  # 0, whatever it is a multiple of
            exact = compute(RATIONAL, RATIONAL.rational(point), point)
            sign = None if isinstance(exact, Irrational) else (exact > 0) - (exact < 0)
        if sign is not None:
            return sign
    raise too_near(f"what is judged at x = {nearest(point, Decimals(6))}")


def evaluate_computed(
    form: Form, quantities: Sequence[str], x: Point, compute: Compute, rounding: Rounding
) -> list[Result]:
    """Return what `evaluate` does, of quantities that `compute` computes, or remembers."""
    results = evaluate_at(x, quantities, compute, form.limit_exponent, rounding)
    return [zero_from_below(form, name, x, y) for name, y in zip(quantities, results, strict=True)]


def zero_from_below(form: Form, quantity: str, x: Point, result: Result) -> Result:
    """Return a result at x; a zero at −0.0 has the sign that the quantity has below 0."""
    at_minus_0 = isinstance(x, float) and x == 0 and math.copysign(1, x) < 0
    if not at_minus_0 or result != 0 or quantity not in ("value", "complement"):
        return result
    (below,) = evaluate(form, [quantity], -NEXT_TO_0, FLOAT64)
    return with_sign(result, math.copysign(1, below))


def evaluate_at(
    x: Point, names: Sequence[str], compute: Compute, limit_exponent: int, rounding: Rounding
) -> list[Result]:
    """Return the named numbers at x, each correctly rounded; at ±∞ their limits, at NaN NaN.

    The limits are reached at ±2**limit_exponent, see `Form.limit_exponent`.
    """
    if isinstance(x, float) and math.isnan(x):
        return [x for _ in names]
    point = exactly(x, limit_exponent)
    # By default the arguments of exp grow like x³ at most; their whole part takes bits of its own.
    first = rounding.precision + GUARD + 3 * max(0, exponent_of(point))
    arithmetics: Iterator[PointArithmetic] = chain(
        [IntervalArithmetic(first), RATIONAL],  # then what tells the side of an exact number
        (anchored(IntervalArithmetic(first << n)) for n in range(LAST.bit_length())),
    )
    told = partial(rounded, rounding=rounding)
    if not is_finite(x):
        next(arithmetics)  # no enclosure is an exact limit
        told = partial(_limit, size=limit_exponent - 8, rounding=rounding)
    results: dict[str, Result] = {}
    for a in arithmetics:
        values = compute(a, a.rational(point), point)
        for name in set(names) - set(results):
            result = told(values[name])
            if result is not None:
                results[name] = result
        if results.keys() >= set(names):
            return [results[name] for name in names]
    unknown = ", ".join(name for name in names if name not in results)
    raise too_near(f"{unknown} at x = {nearest(point, Decimals(6))}")


def too_near(what: str) -> ComputationError:
    """Return the error of a number that rounds to one of two numbers, nobody knows which."""
    return ComputationError(
        f"{what} is too near to the middle between two numbers to tell which one it rounds to; "
        "take other --digits"
    )


def rounded(y: Real, rounding: Rounding) -> Result | None:
    """Return what a number of any arithmetic rounds to, or None if that is not certain.

    An infinity remains one.
    """
    if isinstance(y, float):
        return y
    if isinstance(y, Interval):
        return rounding.settle(y.low, y.high)
    if isinstance(y, Beside):
        return y.rounded(rounding)
    return None if isinstance(y, Irrational) else rounding.exactly(y)


def _limit(y: Real, size: int, rounding: Rounding) -> Result | None:
    """Return the limit that y has all but reached: ±∞ if |y| > 2**size, ±0 if |y| < 2**−size."""
    if isinstance(y, Irrational):
        return None
    anchor, rest = (y.anchor, y.rest) if isinstance(y, Beside) else (y, None)
    if anchor and abs(anchor) > 1 << size:
        return math.copysign(math.inf, anchor)
    if anchor or rest is None:
        return nearest(anchor, rounding)
    low, high = sorted(map(mpf.exponent, (rest.low, rest.high)))
    if rest.sign and low > size:
        return math.copysign(math.inf, rest.sign)
    if rest.sign and high < -size:
        return with_sign(rounding.exactly(Fraction(0)), rest.sign)
    return rounded(rest, rounding)


def with_sign(result: Result, sign: float) -> Result:
    """Return a result with the sign of a number."""
    if isinstance(result, Decimal):
        return result.copy_sign(Decimal(sign))
    return math.copysign(result, sign)


def absolute(result: Result) -> Result:
    """Return |result|; Decimal's own abs rounds to the context."""
    return result.copy_abs() if isinstance(result, Decimal) else abs(result)


def rounded_constant(constant: Callable[[PointArithmetic], Real], rounding: Rounding) -> Result:
    """Return what a constant rounds to.

    >>> rounded_constant(lambda a: a.sqrt(a.rational(2) / a.pi), Decimals(6))
    Decimal('0.797885')
    """
    return nearest(RATIONAL.rational(0) + constant(RATIONAL), rounding)
