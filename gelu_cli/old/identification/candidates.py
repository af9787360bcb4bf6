"""What may explain figures: forms and known mistakes, exactly or in a format, and routines.

A candidate is held against all figures: which of them does it explain?
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array, Mask, held, nearest, ulps
from gelu_cli.old.arithmetic.formats import FLOAT64, Format
from gelu_cli.old.environment import STANDARD
from gelu_cli.old.formulas import Form, all_forms, all_functions
from gelu_cli.old.identification.figures import Figures, unit
from gelu_cli.old.identification.mistakes import GRADIENTS, PARAMETERS, VALUES
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.pairs import product as due_at
from gelu_cli.old.sweeping.pairs import truth_of_factor
from gelu_cli.old.sweeping.routines import ROUTINES
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.values.evaluate_arrays import approximately, evaluate_many
from gelu_cli.old.values.figures import OFF_BY, Figure, correct

FORM, ROUTINE, MISTAKE, FITTED = range(4)
"""Kinds of candidates: of two that explain as many figures, the first kind comes first."""

CARELESS = 2.0**-48
"""A float64 value is off by less than this, relative to |x| + |y| + |value| and the largest
parameter: a figure this near to a rounding boundary is decided exactly."""


class Candidate(NamedTuple):
    """What may have made figures: a quantity of a form, exactly, in a format or by a routine."""

    form: Form
    quantity: str
    """The quantity of the form that the figures would be."""

    label: str
    """What the form is called in the answer."""

    kind: int
    routine: str = ""
    compute: Format | None = None
    """The format inside; None for the form itself, rounded once."""

    truncated: bool = False
    """Whether figures that are cut, not rounded, are explained as well."""

    parameter: str = ""
    """The values of the parameter that explain the figures, in words."""

    @property
    def is_form_itself(self) -> bool:
        """Whether nothing but the last rounding is between the form and the figures."""
        return not self.routine and self.compute is None and not self.truncated

    @property
    def function(self) -> tuple[str, str]:
        """What function it is, whoever computes it."""
        return self.form.label, self.quantity

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        said = f"{self.label} by {self.routine}" if self.routine else self.label
        if self.truncated:
            return f"{said} (cut)"
        return f"{said} in {self.compute.name}" if self.compute else said


def forms_for(quantity: str, second: bool = False) -> Iterator[Candidate]:
    """Yield all forms and mistakes that figures of a quantity may be, each exactly.

    A gradient where a value is due, the reverse, and a gate are mistakes as well. Where there is a
    second input, other functions are forms: σ(gate)·up is a GLU.
    """
    for form in [*all_forms().values(), *(all_functions().values() if second else ())]:
        yield Candidate(form, quantity, form.label, FORM)
    for form in (*VALUES, *PARAMETERS):
        yield Candidate(form, quantity, form.label, MISTAKE)
    for form in GRADIENTS if quantity == "gradient" else ():
        yield Candidate(form, "value", form.label, MISTAKE)
    other = "gradient" if quantity == "value" else "value"
    for form in all_forms().values():
        if form.has_gate:
            for mistaken in ("gate", other):
                yield Candidate(form, mistaken, f"{form.label}_{mistaken}", MISTAKE)


def numbers_of(candidate: Candidate, figures: Figures, jobs: int = 1) -> Array:
    """Return what a candidate is where figures are, float64s: numbers of the format of results.

    Without one, figures in print, it is what they are made of: numbers of the format inside, or
    the form's values, correctly rounded to float64. Of two inputs f(gate) is rounded to the format
    inside, and then the product.
    """
    form, quantity, compute = candidate.form, candidate.quantity, candidate.compute
    x, up, result = figures.at, figures.up_at, figures.result
    if figures.up is not None:
        if result is None and compute is not None:
            x, up = nearest(compute, x)[0], nearest(compute, up)[0]
        asked = question_of(candidate, figures)._replace(other=result or compute)
        points, places = np.unique(x, return_inverse=True)
        return due_at(asked, truth_of_factor(asked, points).only(places), x, up).want
    if compute is None:
        return evaluate_many(form, [quantity], x, result or FLOAT64, jobs)[0]
    x = nearest(compute, x)[0]
    if not candidate.routine:
        return evaluate_many(form, [quantity], x, compute, jobs)[0]
    given = ROUTINES[candidate.routine], quantity, result or compute, compute, STANDARD
    got: Array = routine_implementation(*given)(held(compute, x)).astype(np.float64)
    return got


def question_of(candidate: Candidate, figures: Figures) -> Question:
    """Return what results are by a candidate, of two inputs or of one."""
    gating = figures.gating._replace(intermediate=candidate.compute)
    return Question(candidate.form, candidate.quantity, FLOAT64, gating=gating)


def near(candidate: Candidate, figures: Figures, spare: Array | float = 0.0) -> int:
    """Return how many figures a candidate is within ¾ of a unit of, as far as float64s tell."""
    asked = question_of(candidate, figures)
    values = approximately(asked.multiple, candidate.quantity, figures.at)
    times = sum(figures.gating.factors(figures.up_at, candidate.quantity))
    with np.errstate(invalid="ignore"):
        off = np.abs(values * times - figures.about)
    most = 0.75 * figures.units + 2.0**-40 * np.abs(figures.about) + spare
    return int(np.count_nonzero(off <= most))


class Explanation(NamedTuple):
    """Which figures a candidate explains, and how far off it is at the worst of them."""

    candidate: Candidate
    agrees: Mask
    max_off: Decimal | float
    """In units of the last place that is printed, or of the last place of the format."""

    lost: float = 0.0
    """Of results, how many of their bits are not explained, in the mean."""

    alike: Sequence[Candidate] = ()
    """Routines and formats that explain the same figures as the form itself."""

    def said_with(self, settings: Sequence[str]) -> Explanation:
        """Return it with more settings that explain the figures, in words."""
        said = ", ".join(filter(None, [self.candidate.parameter, *settings]))
        return self._replace(candidate=self.candidate._replace(parameter=said))

    @property
    def agree(self) -> int:
        """How many figures are explained."""
        return int(np.count_nonzero(self.agrees))

    @property
    def verdict(self) -> str:
        """In words, how many that is."""
        if self.agrees.all():
            return "explains all"
        return "explains most" if 2 * self.agree > len(self.agrees) else "does not"


@np.errstate(invalid="ignore", over="ignore")
def held_against(figures: Figures, candidate: Candidate, jobs: int = 1) -> Explanation:
    """Return which figures a candidate explains.

    A result is explained by the same number: −0 is 0, and NaN is NaN. How far it is off is counted
    in ULP of the candidate's. A figure in print is explained by all numbers that round to it; what
    float64s leave open is decided exactly.
    """
    y, result = figures.about, figures.result
    numbers = numbers_of(candidate, figures, jobs)
    if result is not None:
        agrees = (numbers == y) | (np.isnan(numbers) & np.isnan(y))
        off = np.abs(numbers - y) / ulps(result, numbers)
        off = np.where(agrees, 0.0, np.where(np.isfinite(off), off, np.inf))
        lost = np.minimum(np.log2(1 + off), result.precision)
        return Explanation(candidate, agrees, float(np.max(off)), float(np.mean(lost)))
    steep = max([1.0, *(abs(float(each)) for each in candidate.form.settings.values())])
    sizes = np.abs(numbers) + np.abs(y) + np.abs(figures.at) * (1 + np.abs(figures.up_at))
    doubt = CARELESS * steep * sizes / figures.units
    off = np.abs(numbers - y) / figures.units
    agrees, beside = off <= 0.5, np.abs(off - 0.5)
    if candidate.truncated:
        toward = np.sign(y) * (numbers - y) / figures.units
        agrees |= (toward > 0) & (toward < 1)
        beside = np.minimum(beside, np.abs(toward - 1))
    for place in np.flatnonzero((beside <= doubt) & np.isfinite(numbers)).tolist():
        agrees[place] = _exactly(candidate, float(numbers[place]), figures, place)[0]
    worst = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
    max_off = _exactly(candidate, float(numbers[worst]), figures, worst)[1]
    return Explanation(candidate, agrees, max_off)


def _exactly(
    candidate: Candidate, number: float, figures: Figures, place: int
) -> tuple[bool, Decimal | float]:
    """Return whether a candidate, a number in float64, explains a figure, and how far it is off."""
    y, quantity = figures.y[place], candidate.quantity
    if candidate.compute is not None:  # the number is the candidate's own
        if not np.isfinite(number):
            return False, np.inf
        off = abs(Fraction(number) - Fraction(y)) / unit(y)
        return off <= Fraction(1, 2), OFF_BY.exactly(off)
    form = question_of(candidate, figures).at(figures.points[place][1]).multiple
    figure = Figure(place, figures.x[place], figures.name, form, quantity, y)
    verdict = correct(figure._replace(cut=candidate.truncated and y != 0))
    return verdict.right, verdict.off_by
