"""What may explain values: forms and known mistakes, exactly or in a format, and routines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from flint import fmpq

from gelu_cli.formulas import Form, all_forms
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.identification.given import Given
from gelu_cli.identification.mistakes import mistakes
from gelu_cli.kernels import ROUTINE as A_ROUTINE
from gelu_cli.kernels import Kernel, call
from gelu_cli.numbers import FLOAT64, Format, Places, round_fraction, side, value
from gelu_cli.numbers.arrays import evaluate_array, round_array
from gelu_cli.numbers.cells import Floats, Mask
from gelu_cli.numbers.patterns import ulps

FORM, ROUTINE, MISTAKE, FITTED = range(4)
"""Kinds of candidates: of two that explain as many values, the first kind comes first."""

IN_DOUBT = 2.0**-48
"""Shares of |x| + |y| + |f| and of the largest parameter by which a float64 of f(x) is off at most:
as x is rounded as well. Values that are nearer to the end of a unit are decided exactly."""

OFF_BY = Places(3, 1)


class Candidate(NamedTuple):
    """What may have made values: a quantity of a form, exactly, in a format, or by a routine.

    `compute` is the format inside; None for the form itself, rounded once. If `truncated`, values
    that are cut behind the last decimal are explained as well. `parameter` is in words.
    """

    form: Form
    quantity: str
    label: str
    kind: int
    routine: str = ""
    compute: Format | None = None
    truncated: bool = False
    parameter: str = ""

    @property
    def is_form_itself(self) -> bool:
        """True if nothing but the last rounding is between the form and the values."""
        return not self.routine and self.compute is None and not self.truncated

    @property
    def function(self) -> tuple[str, str]:
        """The function, whoever computes it."""
        return self.form.label, self.quantity

    @property
    def words(self) -> str:
        """The name in a sentence."""
        said = f"{self.label} by {self.routine}" if self.routine else self.label
        if self.truncated:
            return f"{said} (cut)"
        return f"{said} in {self.compute.name}" if self.compute else said


def forms_for(quantity: str) -> Iterator[Candidate]:
    """Yield forms and known mistakes, among them a gate, or a gradient in place of a value."""
    for form in all_forms().values():
        yield Candidate(form, quantity, form.label, FORM)
    for label, (form, meant) in mistakes().items():
        if meant in ("", quantity):
            yield Candidate(form, "value" if meant else quantity, label, MISTAKE)
    other = "gradient" if quantity == "value" else "value"
    for form in all_forms().values():
        if form.has_gate:
            for mistaken in ("gate", other):
                yield Candidate(form, mistaken, f"{form.label}_{mistaken}", MISTAKE)


def numbers_of(candidate: Candidate, given: Given) -> Floats:
    """Return a candidate's numbers at the points, as float64s.

    They are what values in a format should be, and of printed values what is printed.
    """
    form, quantity, compute = candidate.form, candidate.quantity, candidate.compute
    if compute is None:
        return evaluate_array(form, quantity, given.at, given.result or FLOAT64)
    x = round_array(given.at, compute)
    if not candidate.routine:
        return evaluate_array(form, quantity, x, compute)
    io = (given.result or compute).name
    name = candidate.routine
    kernel = Kernel(name, name, A_ROUTINE, io, io, quantity, compute=compute.name)
    return np.asarray(call(kernel, x.astype(kernel.formats[0].dtype)).astype(np.float64))


class Explanation(NamedTuple):
    """The values that a candidate explains, and its largest error in units or ULP.

    `lost` is how many bits of results are not explained, in the mean.
    """

    candidate: Candidate
    numbers: Floats
    agrees: Mask
    max_off: Decimal | float
    lost: float = 0.0

    def with_parameter(self, words: str) -> Explanation:
        """Return a copy with the interval of the parameter."""
        return self._replace(candidate=self.candidate._replace(parameter=words))

    @property
    def agree(self) -> int:
        """The number of values that are explained."""
        return int(np.count_nonzero(self.agrees))

    @property
    def verdict(self) -> str:
        """How many values that is, in words."""
        if self.agrees.all():
            return "explains all"
        return "explains most" if 2 * self.agree > len(self.agrees) else "does not"


@np.errstate(all="ignore")
def explain(given: Given, candidate: Candidate) -> Explanation:
    """Compare a candidate with all values.

    A result is explained by the same number; −0 is 0, NaN is NaN. A printed value is explained by
    all numbers that round to it; what float64s leave open is decided exactly.
    """
    numbers, y = numbers_of(candidate, given), given.about
    if given.result is not None:
        agrees = (numbers == y) | (np.isnan(numbers) & np.isnan(y))
        off = np.abs(numbers - y) / ulps(given.result, numbers)
        off = np.where(agrees, 0.0, np.where(np.isfinite(off), off, np.inf))
        lost = float(np.mean(np.minimum(np.log2(1 + off), given.result.precision)))
        return Explanation(candidate, numbers, agrees, float(np.max(off)), lost)
    steep = max([1.0, *(abs(float(each)) for each in candidate.form.settings.values())])
    doubt = IN_DOUBT * steep * (np.abs(numbers) + np.abs(y) + np.abs(given.at)) / given.units
    off = np.abs(numbers - y) / given.units
    agrees, from_end = off <= 0.5, np.abs(off - 0.5)
    if candidate.truncated:
        beyond = np.sign(y) * (numbers - y) / given.units
        agrees |= (beyond > 0) & (beyond < 1)
        from_end = np.minimum(from_end, np.abs(beyond - 1))
    for place in np.flatnonzero((from_end <= doubt) & np.isfinite(numbers)).tolist():
        agrees[place] = agrees_exactly(candidate, float(numbers[place]), given, place)
    worst = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
    return Explanation(candidate, numbers, agrees, _off(candidate, numbers, given, worst))


def agrees_exactly(candidate: Candidate, number: float, given: Given, place: int) -> bool:
    """Decide if a candidate, a number in float64, explains a printed value."""
    y, x = to_fraction(given.y[place]), given.points[place]

    def sign(bound: fmpq) -> int:
        if candidate.compute is not None:  # the number is the candidate's own
            exact = to_fraction(number)
            return int(exact > bound) - int(exact < bound)
        return side(candidate.form, candidate.quantity, x, bound)

    low, high = given.ends(place)
    if sign(low) >= 0 >= sign(high):
        return True
    away = int(y > 0) - int(y < 0)
    is_cut = sign(y) * away > 0 > sign(y + given.unit(place) * away) * away
    return candidate.truncated and is_cut


def _off(candidate: Candidate, numbers: Floats, given: Given, place: int) -> Decimal | float:
    """Return the distance from a printed value, in units of its last decimal."""
    number = float(numbers[place])
    if not math.isfinite(number):
        return math.inf
    if candidate.compute is None:
        exact = value(candidate.form, candidate.quantity, given.points[place])
    else:
        exact = to_fraction(number)
    off = abs(exact - to_fraction(given.y[place])) / given.unit(place)
    found = round_fraction(OFF_BY, off)
    assert isinstance(found, Decimal)
    return found
