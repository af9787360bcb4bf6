"""The truth that results of floating-point routines are judged against.

`Truth` is what judging needs of a form at many inputs: the values in units of their last place in a
format, and what they round to. It comes from extended numbers (`truth_at`), from exact evaluation
where their bounds do not settle a rounding. For consecutive float32s polynomials give it
(`gelu_cli.kernels.runs`).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import copysign
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.rounding import Array, Mask, Units, in_units, settle_units
from gelu_cli.arithmetic.ulp import ulp
from gelu_cli.forms import ORDERS
from gelu_cli.forms.form import Form
from gelu_cli.values.evaluate import evaluate
from gelu_cli.values.evaluate_arrays import on_smooth_part, smooth_parts

EXACT_DIGITS = 60
"""Enough for 20 digits of an error over 1e-24 ULP, of results of 53 bits."""

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
        """The float64s nearest to the values, or nearly so; below float64 signed zeros."""
        return np.ldexp(self.multiple, self.unit_exponent)

    def ulp_errors(self, got: Array) -> Array:
        """Return |got − y|/ulp(y); one that rounds to ½ but is more is the float64 after ½."""
        errors = np.abs((np.ldexp(got, -self.unit_exponent) - self.multiple) - self.low)
        over = (errors == 0.5) & (got != self.want) & (self.low != 0)
        return np.where(over, np.nextafter(0.5, 1.0), errors)


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


def truth_at(question: Question, x: Array) -> Truth:
    """Return the truth at finite float64s, of which two may be the same."""
    form, quantity, number_format = question
    order = ORDERS[quantity]
    truth = Truth(np.zeros_like(x), np.zeros_like(x), np.zeros(x.shape, np.int32), x.copy())
    settled = np.zeros(x.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for piece, where in smooth_parts(form, x):
            values = on_smooth_part(form, piece, x[where], order)
            units = in_units(number_format, getattr(values, quantity))
            truth.want[where], settled[where] = settle_units(number_format, units)
            halves = _below_a_power(number_format, units)
            truth.multiple[where] = np.where(halves, 2 * units.multiple, units.multiple)
            truth.low[where] = np.where(halves, 2 * units.low, units.low)
            truth.unit_exponent[where] = units.exponent - halves
    if not settled.all():
        left = ~settled
        patterns, inverse = np.unique(x[left].view(np.uint64), return_inverse=True)
        exact = [_one_truth(question, point) for point in patterns.view(np.float64).tolist()]
        for field, column in zip(truth, zip(*exact, strict=True), strict=True):
            field[left] = np.array(column)[inverse]
    truth.unit_exponent[truth.multiple == 0] = _least_exponent(number_format)
    return truth


def _below_a_power(number_format: Format, y: Units) -> Mask:
    """Return which numbers are a power of 2 less something, where units are half as large."""
    power = np.abs(y.multiple) == 2.0 ** (number_format.precision - 1)
    less = (np.sign(y.multiple) * y.low < 0) & (np.abs(y.low) > y.error)
    halves: Mask = power & less & (y.exponent > _least_exponent(number_format))
    return halves


def _least_exponent(number_format: Format) -> int:
    return number_format.emin - number_format.precision + 1


def _one_truth(question: Question, x: float) -> tuple[float, float, int, float]:
    """Return what a `Truth` holds for one input."""
    y = question.exactly(x)
    unit = ulp(question.number_format, y)
    multiple = float(y / unit)
    exponent = unit.numerator.bit_length() - unit.denominator.bit_length()
    low = float(y / unit - Fraction(multiple))
    return multiple or copysign(0.0, y), low, exponent, question.want(x)
