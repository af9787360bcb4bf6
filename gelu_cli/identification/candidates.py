"""What may explain figures: forms and known mistakes, exactly or in a format, and routines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array, held, nearest
from gelu_cli.arithmetic.formats import FLOAT64, FORMATS, Format
from gelu_cli.environment import STANDARD
from gelu_cli.forms import Form, all_forms
from gelu_cli.identification.mistakes import MISTAKES, SCALED
from gelu_cli.kernels.implementations import RoutineImplementation, routine_implementation
from gelu_cli.kernels.routines import ROUTINES
from gelu_cli.values.evaluate_arrays import evaluate_many

FORM, ROUTINE, MISTAKE, FITTED = range(4)
"""Kinds of candidates: of two that explain as many figures, the first kind comes first."""


ALONE = ("tanh",)
"""Forms of several parameters whose first is changed alone; of others it tells nothing."""


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
    """Whether figures are cut, not rounded."""

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
        return f"{said} in {self.compute.name}" if self.compute else said


def forms_for(quantity: str) -> Iterator[Candidate]:
    """Yield all forms and mistakes that figures of a quantity may be, each exactly.

    A gradient where a value is due, the reverse, and a gate are mistakes as well.
    """
    forms = all_forms().values()
    for form in forms:
        yield Candidate(form, quantity, form.label, FORM)
    for mistake in MISTAKES.values():
        form = mistake.form
        if mistake.quantity == quantity == "gradient":
            yield Candidate(form, "value", form.label, MISTAKE)
        elif mistake.quantity == "value":
            yield Candidate(form, quantity, form.label, MISTAKE)
    other = "gradient" if quantity == "value" else "value"
    for form in forms:
        if form.has_gate:
            for mistaken in ("gate", other):
                yield Candidate(form, mistaken, f"{form.label}_{mistaken}", MISTAKE)


def routines_for(quantity: str) -> Iterator[Candidate]:
    """Yield all routines in all formats."""
    forms = all_forms()
    for routine in ROUTINES.values():
        for compute in FORMATS.values():
            form = forms[routine.form]
            yield Candidate(form, quantity, form.label, ROUTINE, routine.name, compute)


def families() -> list[Form]:
    """Return the forms whose first parameter is estimated, not set."""
    others = [each.form for each in MISTAKES.values() if not each.form.chosen]
    return [
        form
        for form in (*all_forms().values(), *others, SCALED)
        if len(form.parameters) == 1 or form.name in ALONE
    ]


def numbers_of(candidate: Candidate, x: Array, result: Format | None, jobs: int = 1) -> Array:
    """Return what a candidate is at each x, float64s: numbers of the format `result`.

    Without one, figures in print, it is what they are made of: numbers of the format inside, or
    the form's values, correctly rounded to float64.
    """
    quantity, compute = candidate.quantity, candidate.compute
    if compute is None:
        return evaluate_many(candidate.form, [quantity], x, result or FLOAT64, jobs)[0]
    x = nearest(compute, x)[0]
    if not candidate.routine:
        return evaluate_many(candidate.form, [quantity], x, compute, jobs)[0]
    routine = _routine(candidate.routine, quantity, result or compute, compute)
    got: Array = routine(held(compute, x)).astype(np.float64)
    return got


@cache
def _routine(name: str, quantity: str, result: Format, compute: Format) -> RoutineImplementation:
    return routine_implementation(ROUTINES[name], quantity, result, compute, STANDARD)
