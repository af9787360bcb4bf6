"""Values to be explained, and candidates: forms, mistakes, routines.

Values are printed decimals, or results in a floating-point format. A form is a formula for GELU or
another activation; a routine computes a form in floating point. A mistake is a wrong formula that
was printed or programmed as GELU; only `identify` knows the mistakes, from `mistakes.toml`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq

from gelu_cli.formulas import Form, all_forms, form_of, read_table, typed_form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.kernels import ROUTINE as A_ROUTINE
from gelu_cli.kernels import Kernel, call
from gelu_cli.numbers import FLOAT64, Decimals, Format, round_fraction, value
from gelu_cli.numbers.arrays import evaluate_array, ulps
from gelu_cli.numbers.cells import Floats, Mask
from gelu_cli.numbers.rounding import HALF

FORM, ROUTINE, MISTAKE, FITTED = range(4)
"""Types of candidates: if two explain equally many values, the smaller type ranks first."""

IN_DOUBT = 2.0**-48
"""Bound of the error of f(x) in float64, divided by (|x| + |y| + |f(x)|)·max(1, largest
|parameter|), where y is the given value. If f(x) is closer than this bound to an end of the
interval of y, f(x) is computed exactly."""

OFF_BY = Decimals(21, least_exponent=-3)  # distances are rounded to 3 decimals


@dataclass(frozen=True, eq=False)
class Given:
    """Values y of a quantity at points x: Decimals, Fractions or floats.

    A printed decimal stands for the interval of all numbers within half a unit of its last decimal.
    If `result` is a format, each value is a number of that format.
    """

    name: str
    quantity: str
    x: Sequence[Any]
    y: Sequence[Any]
    result: Format | None = None

    @cached_property
    def points(self) -> list[float | fmpq]:
        """The points: fractions, or floats if not finite."""
        return [to_fraction(x) if math.isfinite(x) else float(x) for x in self.x]

    @cached_property
    def at(self) -> Floats:
        """The points as float64s."""
        return np.array([float(x) for x in self.x])

    @cached_property
    def about(self) -> Floats:
        """The values as float64s."""
        return np.array([float(y) for y in self.y])

    @cached_property
    def units(self) -> Floats:
        """The units of the last decimals, or the ULPs of results, as float64s."""
        if self.result is not None:
            return ulps(self.result, self.about)
        return np.array([10.0 ** -places_of(y) for y in self.y])

    def unit(self, i: int) -> fmpq:
        """Return the unit of the last decimal of value i."""
        power: fmpq = fmpq(10) ** -places_of(self.y[i])
        return power

    def ends(self, i: int) -> tuple[fmpq, fmpq]:
        """Return the ends of the interval of numbers that round to value i."""
        y = to_fraction(self.y[i])
        if self.result is None:
            return y - self.unit(i) / 2, y + self.unit(i) / 2
        away = self.result.ulp(y) / 2
        towards = self.result.ulp(abs(y) - away / 2) / 2  # ULPs are smaller below a power of 2
        return (y - towards, y + away) if y >= 0 else (y - away, y + towards)

    def part(self, indices: Sequence[int]) -> Given:
        """Return the values with these indices."""
        return replace(self, x=[self.x[i] for i in indices], y=[self.y[i] for i in indices])


def places_of(y: Decimal) -> int:
    """Return the number of decimals of a printed number.

    >>> places_of(Decimal("1.9546")), places_of(Decimal("2E+1"))
    (4, -1)
    """
    return -int(y.as_tuple().exponent)


def text_of(number: Any, result: Format | None) -> str:
    """Write a number as typed, a result in as few digits as identify it."""
    if result is None or not math.isfinite(number):
        return str(number)
    return result.shortest(float(number)).replace("e-0", "e-").replace("e+0", "e+")


@cache
def mistakes() -> Mapping[str, Form]:
    """Read the mistakes as forms, by name.

    >>> mistakes()["complement"].definition
    'x·(1 − Φ(x)): the other tail'
    """
    entries = read_table("mistakes.toml", "gelu_cli.identification")
    return {name: _form(name, entry) for name, entry in entries.items()}


def _form(name: str, entry: Mapping[str, Any]) -> Form:
    """Make the form of a mistake from its formula, or from a form's label."""
    definition = entry["definition"] + (f" ({entry['source']})" if "source" in entry else "")
    if "gate" in entry or "value" in entry:
        return replace(form_of(name, entry), definition=definition)
    return replace(typed_form(entry.get("form", name)), typed=name, definition=definition)


class Candidate(NamedTuple):
    """A quantity of a form, correctly rounded, or computed by a routine.

    If `cut`, printed decimals may be cut off, not rounded. `kind` is FORM, ROUTINE, MISTAKE or
    FITTED. The routine computes in the format `compute`. `parameter` is text, as `c <= 0.05`.
    """

    form: Form
    quantity: str
    label: str
    kind: int
    routine: str = ""
    compute: Format | None = None
    cut: bool = False
    parameter: str = ""

    @property
    def function(self) -> tuple[str, str]:
        """The form's label and the quantity, without the routine."""
        return self.form.label, self.quantity

    @property
    def definition(self) -> str:
        """A formula, or words for a mistaken quantity: `the gate of tanh`."""
        itself = self.label == self.form.label
        return self.form.definition if itself else f"the {self.quantity} of {self.form.name}"

    @property
    def words(self) -> str:
        """The name of the candidate in a sentence."""
        by = f" by {self.routine} in {self.compute.name}" if self.compute else ""
        return self.label + by + " (cut)" * self.cut


def forms_for(quantity: str) -> Iterator[Candidate]:
    """Yield forms, mistakes, and quantities that are mistaken for `quantity`."""
    for form in all_forms().values():
        yield Candidate(form, quantity, form.label, FORM)
    for label, form in mistakes().items():
        yield Candidate(form, quantity, label, MISTAKE)
    other = "gradient" if quantity == "value" else "value"
    for form in all_forms().values():
        for mistaken in ("gate", other) if form.has_gate else ():
            yield Candidate(form, mistaken, f"{form.label}_{mistaken}", MISTAKE)


def values_by(candidate: Candidate, given: Given) -> Floats:
    """Return a candidate's values at the points, as float64s."""
    name, compute, result = candidate.routine, candidate.compute, given.result or FLOAT64
    if compute is None:
        return evaluate_array(candidate.form, candidate.quantity, given.at, result)
    kernel = Kernel(
        name, name, A_ROUTINE, result.name, result.name, candidate.quantity, compute=compute.name
    )
    x = given.at.astype(kernel.formats[0].dtype)
    return np.asarray(call(kernel, x).astype(np.float64))


class Explanation(NamedTuple):
    """A candidate compared with the given values.

    `agrees` marks the values that the candidate explains; `off` has |candidate − value|, of printed
    values in units of the last decimal, of results in ULP.
    """

    candidate: Candidate
    agrees: Mask
    off: Floats
    max_off: Decimal | float

    @property
    def agree(self) -> int:
        """The number of values that are explained."""
        return int(np.count_nonzero(self.agrees))

    @property
    def rank(self) -> tuple[int, int, bool, float]:
        """A sort key: the best explanation has the smallest key."""
        off = 0.0 if self.agrees.all() else float(self.max_off)
        return -self.agree, self.candidate.kind, self.candidate.cut, off

    @property
    def verdict(self) -> str:
        """The share of explained values, in words."""
        if self.agrees.all():
            return "explains all"
        return "explains most" if 2 * self.agree > len(self.agrees) else "does not"


@np.errstate(all="ignore")
def explain(given: Given, candidate: Candidate) -> Explanation:
    """Compare a candidate with all values.

    A result is explained by an equal number (−0 = 0, NaN = NaN). A printed value is explained by a
    number in its interval; if float64 does not decide, the number is computed exactly.
    """
    numbers, y = values_by(candidate, given), given.about
    if given.result is not None:
        agrees = (numbers == y) | (np.isnan(numbers) & np.isnan(y))
        off = np.abs(numbers - y) / ulps(given.result, numbers)
        off = np.where(agrees, 0.0, np.where(np.isfinite(off), off, np.inf))
        return Explanation(candidate, agrees, off, float(np.max(off)))
    steep = max([1.0, *(abs(float(each)) for each in candidate.form.settings.values())])
    doubt = IN_DOUBT * steep * (np.abs(numbers) + np.abs(y) + np.abs(given.at)) / given.units
    away = (numbers - y) / given.units * np.where(y < 0, -1, 1)
    low, high = -0.5, np.where((y != 0) & candidate.cut, 1.0, 0.5)
    agrees = (low <= away) & (away <= high)
    off = np.nan_to_num(np.abs(away), nan=np.inf)
    near = np.minimum(np.abs(away - low), np.abs(away - high)) <= doubt
    for i in np.flatnonzero(near).tolist():
        exact = exactly_off(candidate, given, i) * (-1 if y[i] < 0 else 1)
        agrees[i] = -HALF <= exact <= HALF or (high[i] == 1 and HALF < exact < 1)
    worst = int(np.argmax(off))
    max_off: Decimal | float = math.inf
    if off[worst] < math.inf:
        max_off = round_fraction(OFF_BY, abs(exactly_off(candidate, given, worst)))
    return Explanation(candidate, agrees, off, max_off)


def exactly_off(candidate: Candidate, given: Given, i: int) -> fmpq:
    """Return exact − printed value i, in units of the last printed decimal."""
    exact = value(candidate.form, candidate.quantity, given.points[i])
    return (exact - to_fraction(given.y[i])) / given.unit(i)
