"""A form at a point, rounded correctly: Ziv's strategy.

The form is evaluated on enclosures (`gelu_cli.arithmetic.interval`). Where both ends of an
enclosure round to the same number, so does the true value. Where they do not, the value may be half
way between two numbers, and exact fractions tell; or it is next to such a number, as GELU(x) < x is
to the right, and an exact number with an enclosure of the rest beside it tells on which side. For
the others the precision is doubled. No digit is printed without a proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain, count
from typing import TYPE_CHECKING, TypeAlias

from gelu_cli.arithmetic import PointArithmetic, Real, Result, Rounding, mpf
from gelu_cli.arithmetic.beside import Beside, anchored
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.exact import RATIONAL, Exact, Irrational, exponent_of, nearest
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.interval import Interval, interval_arithmetic
from gelu_cli.errors import ComputationError
from gelu_cli.forms import CANCELLING, ORDERS
from gelu_cli.forms.form import Form

if TYPE_CHECKING:
    from gelu_cli.arithmetic.mpf import Mpf

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


class Signs:
    """The `Rounding` to −1, 0 and 1."""

    precision = 8

    def settle(self, low: Mpf, high: Mpf) -> float | None:
        """Return the sign of every real number in [low, high], or None if they differ."""
        return mpf.sign(low) if mpf.sign(low) == mpf.sign(high) else None

    def exactly(self, value: Fraction) -> float:
        """Return the sign of a fraction."""
        return (value > 0) - (value < 0)

    def tie(self, value: Fraction) -> Fraction:
        """Return 0, between the signs."""
        return Fraction(0)


SIGNS = Signs()


def side(form: Form, quantity: str, x: Point, number: Fraction) -> int:
    """Return the sign of a quantity of a form at a finite x, less a number.

    >>> from gelu_cli.forms import find_form
    >>> side(find_form("exact"), "value", 1e30, Fraction(1e30))
    -1
    """
    values = computing(form, [quantity])

    def away(a: PointArithmetic, at: Real, point: Exact) -> Mapping[str, Real]:
        return {quantity: values(a, at, point)[quantity] - a.rational(number)}

    (sign,) = evaluate_at(x, [quantity], away, form.limit_exponent, SIGNS)
    return int(sign)


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
    if not is_finite(x):
        return _limits(float(x), names, compute, limit_exponent, rounding)
    point = exactly(x)
    first = _first_precision(point, rounding)
    arithmetics = chain([interval_arithmetic(first)], _proving(first))
    return _first_of(arithmetics, point, names, compute, lambda y: rounded(y, rounding))


def _first_precision(x: Exact, rounding: Rounding) -> int:
    # By default the arguments of exp grow like x³ at most; their whole part takes bits of its own.
    return rounding.precision + GUARD + 3 * max(0, exponent_of(x))


def _proving(first: int) -> Iterator[PointArithmetic]:
    """Yield the arithmetics that tell on which side of an exact number another one is."""
    yield RATIONAL
    for doublings in range(LAST.bit_length()):
        yield anchored(interval_arithmetic(first << doublings))


def _first_of(
    arithmetics: Iterable[PointArithmetic],
    x: Exact,
    names: Sequence[str],
    compute: Compute,
    told: Callable[[Real], Result | None],
) -> list[Result]:
    """Return what each name is told to be by the first arithmetic that tells it."""
    results: dict[str, Result] = {}
    for a in arithmetics:
        values = compute(a, a.rational(x), x)
        for name in set(names) - set(results):
            result = told(values[name])
            if result is not None:
                results[name] = result
        if results.keys() >= set(names):
            return [results[name] for name in names]
    unknown = ", ".join(name for name in names if name not in results)
    raise too_near(f"{unknown} at x = {nearest(x, Decimals(6))}")


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


def _limits(
    x: float, names: Sequence[str], compute: Compute, limit_exponent: int, rounding: Rounding
) -> list[Result]:
    """Return the limits at ±∞, and NaN at NaN."""
    if math.isnan(x):
        return [x for _ in names]
    far = far_out(x, limit_exponent)
    arithmetics = _proving(_first_precision(far, rounding))
    size = limit_exponent - 8
    return _first_of(arithmetics, far, names, compute, lambda y: _limit(y, size, rounding))


def far_out(x: float, limit_exponent: int) -> Fraction:
    """Return the point that stands for ±∞."""
    return Fraction(int(math.copysign(1, x)) << limit_exponent)


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
        return _with_sign(rounding.exactly(Fraction(0)), rest.sign)
    return rounded(rest, rounding)


def _from_below(form: Form, quantity: str, result: Result) -> Result:
    if quantity not in ("value", "complement") or result != 0:
        return result
    (below,) = evaluate(form, [quantity], -NEXT_TO_0, FLOAT64)
    return _with_sign(result, math.copysign(1, below))


def _with_sign(result: Result, sign: float) -> Result:
    if isinstance(result, Decimal):
        return result.copy_sign(Decimal(sign))
    return math.copysign(result, sign)


def absolute(result: Result) -> Result:
    """Return |result|; Decimal's own abs rounds to the context."""
    return result.copy_abs() if isinstance(result, Decimal) else abs(result)


def rounded_constant(constant: Callable[[PointArithmetic], Real], rounding: Rounding) -> Result:
    """Return what a constant rounds to; one that is no fraction is not half way between two.

    >>> rounded_constant(lambda a: a.sqrt(a.rational(2) / a.pi), Decimals(6))
    Decimal('0.797885')
    """
    enclosing = map(interval_arithmetic, count(rounding.precision + GUARD, 64))
    arithmetics: Iterator[PointArithmetic] = chain([RATIONAL], enclosing)
    results = (rounded(a.rational(0) + constant(a), rounding) for a in arithmetics)
    return next(result for result in results if result is not None)
