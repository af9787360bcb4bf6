"""The truth that results of floating-point routines are judged against.

`Truth` is what judging needs of a form at many inputs: the values in units of their last place in a
format, and what they round to. It comes from anchored numbers (`truth_at`), from exact evaluation
where their bounds do not settle a rounding. For consecutive float32s polynomials give it
(`gelu_cli.kernels.runs`).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import copysign, isfinite
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.extended.double_double import two_sum
from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.rational import RATIONAL
from gelu_cli.arithmetic.rounding import (
    LITTLE,
    Array,
    Mask,
    Units,
    anchored_in_units,
    settle_units,
)
from gelu_cli.arithmetic.ulp import least_exponent, ulp
from gelu_cli.forms import ORDERS
from gelu_cli.forms.form import Form
from gelu_cli.values.evaluate import evaluate
from gelu_cli.values.evaluate_arrays import beside_anchors, smooth_parts

EXACT_DIGITS, MOST_DIGITS = 60, 440
"""Enough for 20 digits of an error over 1e-24 ULP, of results of 53 bits, and over 1e-400 ULP."""

LEAST_FLOAT = 2.0**-1074

LEAST_PLACE = -5000
"""A value below 10**LEAST_PLACE is as good as that: no format tells it from 0."""


class Truth(NamedTuple):
    """A form at some inputs: (multiple + low)·unit each, and the number `want` it rounds to.

    `unit` is the unit in the last place at the true value.
    """

    multiple: Array
    low: Array
    unit_exponent: Array
    want: Array

    @property
    def value(self) -> Array:
        """Float64s next to the values, on the same side of every power of 2 and of 0."""
        value = np.ldexp(self.multiple, self.unit_exponent)
        below = (np.abs(np.frexp(value)[0]) == 0.5) & (np.sign(value) * self.low < 0)
        value = np.where(below, np.nextafter(value, 0.0), value)
        return np.where(value == 0, LEAST_FLOAT * np.sign(self.multiple), value)

    def ulp_errors(self, got: Array) -> tuple[Array, Array]:
        """Return |got − y|/ulp(y), and what float64s leave out of it."""
        steps, lost = two_sum(np.ldexp(got, -self.unit_exponent), -self.multiple)
        return errors_of(steps, self.low - np.where(np.isfinite(steps), lost, 0.0))


def errors_of(steps: Array, low: Array) -> tuple[Array, Array]:
    """Return |steps − low| as float64s, and what they leave out.

    An error that rounds to a power of 2 but is more is the float64 after it: errors are counted
    from ½, 1, 2, 4 … on.
    """
    errors, rests = two_sum(np.abs(steps), -np.copysign(1.0, steps) * low)
    turned = np.copysign(1.0, errors)
    errors, rests = errors * turned, np.where(np.isfinite(steps), rests * turned, 0.0)
    nothing = errors <= 2 * LITTLE
    errors, rests = np.where(nothing, 0.0, errors), np.where(nothing, errors, rests)
    more = (rests > 0) & (np.frexp(errors)[0] == 0.5)
    return np.where(more, np.nextafter(errors, np.inf), errors), rests


class Question(NamedTuple):
    """What results should be: a quantity of a form, in a format."""

    form: Form
    quantity: str
    number_format: Format

    def exactly(self, x: float, digits: int = EXACT_DIGITS) -> Fraction:
        """Return the true value at a finite x, to so many digits; if tiny, ±LEAST."""
        (value,) = evaluate(self.form, [self.quantity], x, Decimals(digits))
        if value and Decimal(value).adjusted() < LEAST_PLACE:
            return Fraction((-1) ** (value < 0), 10**-LEAST_PLACE)
        return Fraction(value)

    def want(self, x: float) -> float:
        """Return the correctly rounded result at a finite x."""
        (value,) = evaluate(self.form, [self.quantity], x, self.number_format)
        return float(value)

    def unit(self, x: float, y: Fraction, digits: int = EXACT_DIGITS) -> Fraction:
        """Return ulp(y) of the true value y at x, of which so many digits are given.

        Where these do not tell y from a power of 2, the side of it decides: below the power the
        unit is half as large.
        """
        power = _power_near(y)
        if not _is_close(y, power, digits):
            return ulp(self.number_format, y)
        least = Fraction(2) ** least_exponent(self.number_format)
        unit = ulp(self.number_format, power)
        return max(unit / 2, least) if self.side_of_power(x) < 0 else unit

    def is_subnormal(self, x: float, y: Fraction) -> bool:
        """Return whether the true value y at x, given to 60 digits, is below all normal numbers."""
        least = Fraction(2) ** self.number_format.emin
        return self.side_of_power(x) < 0 if _is_close(y, least, EXACT_DIGITS) else abs(y) < least

    def side_of_power(self, x: float) -> int:
        """Return the sign of |y| − 2ᵏ, y being the true value at x and 2ᵏ the power next to it.

        Next to 0 as many digits as it takes tell it. Far out none do: there a form lies on the
        same side of the line that it tends to as it does nearer to 0.
        """
        if not isfinite(x):  # the limit itself, which is exact
            return 0
        order = ORDERS[self.quantity]
        point = Fraction(x)
        exact = getattr(self.form.evaluate(RATIONAL, point, point, order), self.quantity)
        if isinstance(exact, Fraction):
            return sign(abs(exact) - _power_near(exact))
        x = copysign(min(abs(x), 2.0**self.form.limit_exponent), x)
        digits = EXACT_DIGITS
        while True:
            y = self.exactly(x, digits)
            power = _power_near(y)
            if not _is_close(y, power, digits):
                return sign(abs(y) - power)
            if abs(x) < 1:
                digits *= 2
            else:
                x /= 2


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
    form, quantity, number_format = question
    truth = Truth(np.zeros_like(x), np.zeros_like(x), np.zeros(x.shape, np.int32), x.copy())
    settled = np.zeros(x.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for piece, where in smooth_parts(form, x):
            values = beside_anchors(form, piece, x[where], ORDERS[quantity])
            units = anchored_in_units(number_format, getattr(values, quantity))
            truth.want[where], settled[where] = settle_units(number_format, units)
            halves = _below_a_power(question, x[where], units)
            truth.multiple[where] = np.where(halves, 2 * units.multiple, units.multiple)
            truth.low[where] = np.where(halves, 2 * units.low, units.low)
            truth.unit_exponent[where] = units.exponent - halves
    if not settled.all():
        left = ~settled
        patterns, inverse = np.unique(x[left].view(np.uint64), return_inverse=True)
        exact = [_one_truth(question, point) for point in patterns.view(np.float64).tolist()]
        for field, column in zip(truth, zip(*exact, strict=True), strict=True):
            field[left] = np.array(column)[inverse]
    truth.unit_exponent[truth.multiple == 0] = least_exponent(number_format)
    return truth


def _below_a_power(question: Question, x: Array, y: Units) -> Mask:
    """Return which numbers are a power of 2 less something, where units are half as large."""
    number_format = question.number_format
    power = np.abs(y.multiple) == 2.0 ** (number_format.precision - 1)
    power &= (y.exponent > least_exponent(number_format)) & ~(y.exact & (y.low == 0))
    told = np.abs(y.low) > y.error
    halves: Mask = power & told & (np.sign(y.multiple) * y.low < 0)
    for unsure in (power & ~told & (x > 0), power & ~told & (x < 0)):
        places = np.flatnonzero(unsure)
        if len(places):
            halves[places] = _below(question, x[places])
    return halves


def _below(question: Question, x: Array) -> Mask:
    """Return where |y| is less than the power of 2 next to it, of inputs of one sign.

    Where the outermost ones are on the same side, so are those between them: far out forms tend
    to a line from one side.
    """
    ends = [float(x[np.argmin(np.abs(x))]), float(x[np.argmax(np.abs(x))])]
    sides = {question.side_of_power(end) for end in ends}
    if len(sides) == 1:
        return np.full(x.shape, sides.pop() < 0)
    return np.array([question.side_of_power(point) < 0 for point in x.tolist()])


def _one_truth(question: Question, x: float) -> tuple[float, float, int, float]:
    """Return what a `Truth` holds for one input."""
    y = question.exactly(x)
    unit = question.unit(x, y)
    multiple = float(y / unit)
    exponent = unit.numerator.bit_length() - unit.denominator.bit_length()
    low = float(y / unit - Fraction(multiple))
    return multiple or copysign(0.0, y), low, exponent, question.want(x)
