"""The truth that results of floating-point routines are judged against.

`Truth` is what judging needs of a form at many inputs: the values in units of their last place in a
format, and what they round to. It comes from anchored numbers (`truth_at`), from exact evaluation
where their bounds do not settle a rounding. For consecutive float32s polynomials give it
(`gelu_cli.old.sweeping.runs`).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import copysign, isfinite, isinf, isnan, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic import PointArithmetic, Real, Result
from gelu_cli.old.arithmetic.anchored import ANCHORED, anchored
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.dual import DualArithmetic
from gelu_cli.old.arithmetic.exact import RATIONAL, Exact
from gelu_cli.old.arithmetic.extended.double_double import two_sum
from gelu_cli.old.arithmetic.format_arrays import (
    LITTLE,
    Array,
    Mask,
    Units,
    anchored_in_units,
    least_exponent,
    settle_units,
)
from gelu_cli.old.arithmetic.formats import FLOAT64, Format
from gelu_cli.old.formulas import ORDERS
from gelu_cli.old.formulas.form import Form
from gelu_cli.old.guests.calling import UP_GRADIENT
from gelu_cli.old.sweeping.drawn import Normal
from gelu_cli.old.sweeping.gating import INFINITE, QUANTITIES, Gating, clamped, multiple
from gelu_cli.old.values.evaluate import (
    Point,
    evaluate,
    is_finite,
    side,
    sign_at,
    with_sign,
)
from gelu_cli.old.values.evaluate_arrays import beside_anchors, smooth_parts

EXACT_DIGITS, MOST_DIGITS = 60, 440
"""Enough for 20 digits of an error over 1e-24 ULP, of results of 53 bits, and over 1e-400 ULP."""

LEAST_FLOAT = 2.0**-1074

LEAST_PLACE = -5000
"""A value below 10**LEAST_PLACE is as good as that: no format tells it from 0."""


class Upstream(NamedTuple):
    """The gradient from above as a number of the format of x, and what there is to say of it."""

    value: float
    notes: tuple[str, ...] = ()


def upstream_in(number_format: Format, typed: Fraction) -> Upstream:
    """Return the gradient from above, rounded to the format of x.

    Raises `UsageError` where it is beyond the largest number.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> upstream_in(FORMATS["bfloat16"], Fraction(1, 3)).value
    0.333984375
    """
    value = number_format.exactly(typed)
    if not isfinite(value):
        name, largest = number_format.name, number_format.largest
        raise UsageError(f"the upstream is beyond the largest {name}, {largest!r}")
    if value == typed:
        return Upstream(value)
    note = f"the upstream gradient is rounded to {number_format.name}: {value!r}"
    return Upstream(value, (note,))


class Truth(NamedTuple):
    """A form at some inputs: (multiple + low)·unit each, and the number `want` it rounds to.

    `unit` is the unit in the last place at the true value.
    """

    multiple: Array
    low: Array
    unit_exponent: Array
    want: Array
    error: Array
    """How far multiple + low may be off, in units, where these do not decide what it rounds to."""

    def only(self, where: Any) -> Truth:
        """Return the truth at some of the inputs: a mask of them, their indices or a slice."""
        return Truth(*(part[where] for part in self))

    @property
    def value(self) -> Array:
        """Float64s next to the values, on the same side of every power of 2 and of 0."""
        value = np.ldexp(self.multiple, self.unit_exponent)
        below = (np.abs(np.frexp(value)[0]) == 0.5) & (np.sign(value) * self.low < 0)
        value = np.where(below, np.nextafter(value, 0.0), value)
        value = np.clip(value, -FLOAT64.largest, FLOAT64.largest)
        return np.where(value == 0, LEAST_FLOAT * np.sign(self.multiple), value)

    @np.errstate(over="ignore", invalid="ignore")  # errors beyond float64 are infinite
    def ulp_errors(self, got: Array) -> tuple[Array, Array]:
        """Return |got − y|/ulp(y), and what float64s leave out of it."""
        return errors_of(np.ldexp(got, -self.unit_exponent), self.multiple, self.low)


def errors_of(got: Array, multiple: Array, low: Array) -> tuple[Array, Array]:
    """Return |got − (multiple + low)| as float64s, all in ULP, and what they leave out.

    An error that rounds to a power of 2 but is more is the float64 after it: errors are counted
    from ½, 1, 2, 4 … on.
    """
    steps, lost = two_sum(got, -multiple)
    low = low - np.where(np.isfinite(steps), lost, 0.0)
    errors, rests = two_sum(np.abs(steps), -np.copysign(1.0, steps) * low)
    turned = np.copysign(1.0, errors)
    errors, rests = errors * turned, np.where(np.isfinite(steps), rests * turned, 0.0)
    nothing = errors <= 2 * LITTLE
    errors, rests = np.where(nothing, 0.0, errors), np.where(nothing, errors, rests)
    more = (rests > 0) & (np.frexp(errors)[0] == 0.5)
    return np.where(more, np.nextafter(errors, np.inf), errors), rests


class Values(NamedTuple):
    """True values as float64s, on the right side of every power of 2, and how far off at most."""

    y: Array
    error: Array | float


def values_near(y: Array) -> Values:
    """Return true values of which float64s next to them are known."""
    return Values(y, np.abs(y) * 2.0**-51 + LEAST_FLOAT)


class Question(NamedTuple):
    """What results should be: a quantity of a form at numbers of a format, rounded to another.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> relu, float32, half = find_form("relu"), FORMATS["float32"], FORMATS["float16"]
    >>> Question(relu, "value", float32, half).want(1e6)
    inf
    >>> Question(relu, "gradient", half, upstream=-3.0).want(2.0)
    -3.0
    """

    form: Form
    quantity: str
    dtype: Format
    """The format of x."""

    other: Format | None = None
    """The format of results, where it is not that of x."""

    upstream: float = 1.0
    """The gradient from above, a number of the format of x: gradients are multiplied by it."""

    auto: bool = False
    """Whether the form is the one that results are nearest to."""

    normal: Normal = Normal()
    """The distribution of inputs that averages of errors are for."""

    gating: Gating | None = None
    """What kernels of two inputs compute with them."""

    second: Fraction | None = None
    """What the second input stands for, where one is given: results are multiplied by it."""

    @property
    def result(self) -> Format:
        """The format of results."""
        return self.other or self.dtype

    @property
    def multiple(self) -> Form:
        """The form that results are values or gradients of: upstream·f."""
        limit = self.gating.limit if self.gating else None
        return multiple(clamped(self.form, limit), self.times)

    @property
    def times(self) -> Fraction:
        """What the form is multiplied by."""
        return Fraction(self.upstream) if self.second is None else self.second

    @property
    def names(self) -> tuple[str, ...]:
        """What the inputs of kernels are called."""
        return self.gating.names if self.gating else ("x",)

    def second_of(self, up: float) -> str:
        """Return the second input of a kernel that has two, as a message has it after the first."""
        return f", {self.gating.names[1]} = {up!r}" if self.gating else ""

    @property
    def factor(self) -> str:
        """The quantity of the form that results are multiples of."""
        return QUANTITIES.get(self.quantity, self.quantity)

    def at(self, up: Any) -> Question:
        """Return the question of one input that kernels of two are asked with this second one."""
        if self.gating is None:
            return self
        return self._replace(second=self.gating.factor(up, self.quantity))

    @property
    def may_overflow(self) -> bool:
        """Whether the truth at a finite input may be beyond the largest number."""
        return self.result is not self.dtype or abs(self.upstream) > 1 or self.gating is not None

    @property
    def notes(self) -> list[str]:
        """A sentence where the form was found."""
        if not self.auto:
            return []
        return [f"judged against {self.form.label}, the form that its results are nearest to"]

    def exactly(self, x: float, digits: int = EXACT_DIGITS) -> Fraction:
        """Return the true value at x: a fraction, or so many digits; if tiny, ±LEAST."""
        fraction = self._fraction(x)
        if fraction is not None:
            return fraction
        (value,) = evaluate(self.multiple, [self.factor], x, Decimals(digits))
        if value and Decimal(value).adjusted() < LEAST_PLACE:
            return Fraction((-1) ** (value < 0), 10**-LEAST_PLACE)
        return Fraction(value)

    def want(self, x: Point) -> float:
        """Return the correctly rounded result at x."""
        return float(self.rounded(x, self.result))

    def rounded(self, x: Point, rounding: Format | Decimals) -> Result:
        """Return the result at x, correctly rounded to whatever numbers."""
        if not is_finite(x):
            limit = self.limit(float(x))
            if self.inner or self.second is None or not (limit and isfinite(limit)):
                return rounding.from_float(limit)
            alone = self._replace(second=None)  # multiples are rounded once
            (digits,) = evaluate(alone.multiple, [self.factor], x, Decimals(EXACT_DIGITS))
            return rounding.exactly(self.times * Fraction(digits))
        elif (product := self._rounded(x)) is not None:
            if self.inner and not self.times and not isfinite(self.inner.want(x)):
                return nan  # ∞·0
            return rounding.exactly(product)
        (value,) = evaluate(self.multiple, [self.factor], x, rounding)
        return value

    def of_pair(self, x: Point, up: Point, rounding: Format | Decimals) -> Result:
        """Return the result at a pair of inputs, correctly rounded; 0 has the sign of the product.

        >>> from gelu_cli.old.arithmetic.formats import FORMATS
        >>> from gelu_cli.old.formulas import find_form
        >>> question = Question(find_form("exact"), "value", FLOAT64, gating=Gating())
        >>> question.of_pair(Fraction(1), Fraction(1, 3), Decimals(20))
        Decimal('0.28044824868951431620')
        """
        gating = self.gating or Gating()
        clamps = gating.up_limit is not None or self.quantity == UP_GRADIENT
        if isinstance(up, float) and (isnan(up) or (isinf(up) and not clamps)):
            plain = self._replace(second=None)
            sign = plain.side(x, 0) if is_finite(x) else plain.limit(float(x))
            return rounding.from_float(up * sign)
        result = self.at(up).rounded(x, rounding)
        if result != 0:
            return result
        alone = float((self.inner or self)._replace(second=None).rounded(x, FLOAT64))
        factor = gating.factor(up, self.quantity)
        below_0 = factor < 0 or (not (factor or up or gating.up_offset) and copysign(1, up) < 0)
        return with_sign(result, copysign(1, -alone if below_0 else alone))

    def limit(self, x: float) -> float:
        """Return the limit at ±∞, rounded unless it is infinite, and NaN at NaN."""
        alone = self.inner or self._replace(upstream=1.0, second=None)
        (limit,) = evaluate(alone.multiple, [self.factor], x, alone.result)
        return float(self.times) * float(limit)  # of gradients limits are 0 and 1

    def limit_of_pair(self, x: float, up: float) -> float:
        """Return what is due where an input is infinite or NaN, rounded unless it is infinite.

        That is the limit of the factor at x times what the second input stands for, as IEEE 754
        multiplies: 0·∞ is NaN.
        """
        due = float(self.of_pair(x, up, FLOAT64))
        return float(self.of_pair(x, up, self.result)) if isfinite(due) else due

    def unit(self, x: float, y: Fraction, digits: int = EXACT_DIGITS) -> Fraction:
        """Return ulp(y) of the true value y at x, of which so many digits are given.

        Where these do not tell y from a power of 2, the side of it decides: below the power the
        unit is half as large.
        """
        power = _power_near(y)
        if not _is_close(y, power, digits):
            return self.result.ulp(y)
        least = Fraction(2) ** least_exponent(self.result)
        unit = self.result.ulp(power)
        return max(unit / 2, least) if self.side_of_power(x) < 0 else unit

    def is_subnormal(self, x: float, y: Fraction) -> bool:
        """Return whether the true value y at x, given to 60 digits, is below all normal numbers."""
        least = Fraction(2) ** self.result.emin
        return self.side_of_power(x) < 0 if _is_close(y, least, EXACT_DIGITS) else abs(y) < least

    def side_of_power(self, x: float) -> int:
        """Return the sign of |y| − 2ᵏ, y being the true value at x and 2ᵏ the power next to it."""
        if not isfinite(x):  # the limit itself, which is exact
            return 0
        y = self.exactly(x)
        return self.side(x, _power_near(y) * sign(y)) * sign(y)

    def side(self, x: Point, number: float | Fraction) -> int:
        """Return the sign of y − number, y being the true value at x."""
        if (rounded := self._rounded(x)) is not None:
            return sign(rounded - Fraction(number))
        return side(self.multiple, self.factor, x, Fraction(number))

    def _fraction(self, x: float) -> Fraction | None:
        """Return the true value at a finite x where fractions give it."""
        if not isfinite(x):
            return None
        if (rounded := self._rounded(x)) is not None:
            return rounded
        point, order = Fraction(x), ORDERS[self.factor]
        value = getattr(self.multiple.evaluate(RATIONAL, point, point, order), self.factor)
        return value if isinstance(value, Fraction) else None

    @property
    def inner(self) -> Question | None:
        """The question of the factor that is rounded before the product, if one is."""
        if self.gating is None or self.gating.intermediate is None:
            return None
        gating = self.gating._replace(intermediate=None)
        return self._replace(other=self.gating.intermediate, second=None, gating=gating)

    def _rounded(self, x: Point) -> Fraction | None:
        """Return the product at a finite x with a factor that is rounded before, if it is."""
        if not self.inner:
            return None
        return self.times * Fraction(min(max(self.inner.want(x), -INFINITE), INFINITE))


def _is_close(y: Fraction, power: Fraction, digits: int) -> bool:
    """Return whether so many digits of |y| do not tell it from a power of 2."""
    return bool(y) and abs(abs(y) - power) * 10 ** (digits - 1) <= power


def _power_near(y: Fraction) -> Fraction:
    """Return the power of 2 that is nearest to |y|, or 1 for 0."""
    below = abs(y.numerator).bit_length() - y.denominator.bit_length() - 1
    powers = [Fraction(2) ** (below + n) for n in range(3)]
    return min(powers, key=lambda power: abs(power - abs(y)))


def sign(number: Fraction) -> int:
    """Return −1, 0 or 1."""
    return (number > 0) - (number < 0)


def truth_at(question: Question, x: Array) -> Truth:
    """Return the truth at finite float64s, of which two may be the same."""
    form, quantity, number_format = question.multiple, question.factor, question.result
    truth = no_truth(x)
    settled = np.zeros(x.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for piece, where in smooth_parts(form, x):
            values = beside_anchors(form, piece, x[where], ORDERS[quantity])
            units = anchored_in_units(number_format, getattr(values, quantity))
            units = _with_sides(question, x[where], units)
            settled[where] = settle_in(truth, where, number_format, units)
    if not settled.all():
        left = ~settled
        patterns, inverse = np.unique(x[left].view(np.uint64), return_inverse=True)
        exact = [one_truth(question, point) for point in patterns.view(np.float64).tolist()]
        for field, column in zip(truth, zip(*exact, strict=True), strict=True):
            field[left] = np.array(column)[inverse]
    truth.unit_exponent[truth.multiple == 0] = least_exponent(number_format)
    return truth


def no_truth(x: Array) -> Truth:
    """Return room for the truth at some inputs."""
    zeros = np.zeros_like(x)
    return Truth(zeros, zeros.copy(), np.zeros(x.shape, np.int32), zeros.copy(), zeros.copy())


def settle_in(truth: Truth, where: Any, number_format: Format, units: Units) -> Mask:
    """Fill in the truth at some inputs; return where what it rounds to is settled."""
    truth.want[where], settled = settle_units(number_format, units)
    halves = _below_a_power(number_format, units)
    truth.multiple[where] = np.where(halves, 2 * units.multiple, units.multiple)
    truth.low[where] = np.where(halves, 2 * units.low, units.low)
    truth.unit_exponent[where] = units.exponent - halves
    truth.error[where] = np.where(halves, 2 * units.error, units.error)
    return settled


def _with_sides(question: Question, x: Array, y: Units) -> Units:
    """Return numbers with a sign of `low` where it was not known, though the number is not exact.

    Where the outermost inputs of one sign are on the same side, so are those between them: far out
    forms tend to a line from one side.
    """
    halves = 2 * np.abs(y.multiple)
    telling = halves == np.rint(halves)  # at a number of the format, or half way between two
    untold = telling & (np.abs(y.low) <= y.error) & (y.error > 0) & (np.abs(y.multiple) >= 1)
    if not np.any(untold):
        return y
    low, error = y.low.copy(), y.error.copy()
    for same_sign in (x > 0, x < 0):
        places = np.flatnonzero(untold & same_sign)
        if not len(places):
            continue
        anchors = np.ldexp(y.multiple[places], y.exponent[places])
        ends = np.argmin(np.abs(x[places])), np.argmax(np.abs(x[places]))
        sides = {question.side(float(x[places[i]]), float(anchors[i])) for i in ends}
        if len(sides) == 1:
            low[places] = sides.pop() * LITTLE
        else:
            pairs = zip(x[places].tolist(), anchors.tolist(), strict=True)
            low[places] = [question.side(*pair) * LITTLE for pair in pairs]
        error[places] = 0.0
    return y._replace(low=low, error=error)


def _below_a_power(number_format: Format, y: Units) -> Mask:
    """Return which numbers are a power of 2 less something, where units are half as large."""
    power = np.abs(y.multiple) == 2.0 ** (number_format.precision - 1)
    below: Mask = power & (y.exponent > least_exponent(number_format))
    return below & (np.sign(y.multiple) * y.low < 0)


def one_truth(question: Question, x: float) -> tuple[float, float, int, float, float]:
    """Return what a `Truth` holds for one input."""
    y = question.exactly(x)
    unit = question.unit(x, y)
    multiple = float(y / unit)
    exponent = unit.numerator.bit_length() - unit.denominator.bit_length()
    low = float(y / unit - Fraction(multiple))
    return multiple or copysign(0.0, y), low, exponent, question.want(x), abs(low) * 2.0**-50


def slopes(question: Question, x: Array) -> NDArray[np.int64]:
    """Return the signs of the derivative of what results should be, at finite float64s."""
    form, quantity = question.multiple, question.factor
    a = DualArithmetic(ANCHORED)
    signs = np.zeros(x.shape, np.int64)
    settled = np.zeros(x.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for piece, where in smooth_parts(form, x):
            point = a.variable(anchored(x[where]))
            y = getattr(form.on_piece(piece, a, point, ORDERS[quantity]), quantity)
            slope = y.derivative.folded
            signs[where] = np.sign(slope.high)
            zero = (slope.high == 0) & (slope.error == 0)
            settled[where] = (np.abs(slope.high) > slope.error) | zero
    for i in np.flatnonzero(~settled).tolist():
        signs[i] = _slope(question, float(x[i]))
    return signs


def _slope(question: Question, x: float) -> int:
    form, quantity = question.multiple, question.factor

    def slope(a: PointArithmetic, x: Real, point: Exact) -> Real:
        dual = DualArithmetic(a)
        values = form.evaluate(dual, dual.variable(x), point, ORDERS[quantity])
        return getattr(values, quantity).derivative

    return sign_at(x, slope)
