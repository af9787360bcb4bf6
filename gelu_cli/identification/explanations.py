"""Explanations: ranked candidates with parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.formulas import all_forms
from gelu_cli.identification.candidates import (
    FITTED,
    FORM,
    ROUTINE,
    Candidate,
    Explanation,
    explain,
    forms_for,
)
from gelu_cli.identification.given import Given
from gelu_cli.identification.mistakes import SCALED
from gelu_cli.identification.parameters import estimate
from gelu_cli.kernels import ROUTINES
from gelu_cli.numbers import FORMATS
from gelu_cli.numbers.arrays import round_array

TWINS = ("exact", "tanh")
"""Forms that people take for one another."""

ALONE = ("tanh",)
"""Forms of several parameters whose first is changed alone; of others that explains nothing."""

FEW, NEAREST = 2048, 12
"""Of more than FEW values, the NEAREST candidates by FEW of them are compared with all."""


class Answer(NamedTuple):
    """Explanations, best first, and those by exact and tanh."""

    given: Given
    explanations: Sequence[Explanation]
    twins: Sequence[Explanation]


def explained(given: Given) -> Answer:
    """Find forms and routines that explain values, best first.

    If nothing explains a value, return the nearest ones. A routine or a format that explains the
    same values as the form itself is left out.
    """
    candidates = list(forms_for(given.quantity))
    if len(given.y) > FEW:
        part = given.spread(FEW)
        candidates = sorted(candidates, key=lambda each: -explain(part, each).agree)[:NEAREST]
    forms = [explain(given, each) for each in candidates]
    itself = {each.candidate.function: each for each in forms}
    found = [explain(given, other) for other in others(given, forms)]
    found = [each for each in found if says_more(each, itself.get(each.candidate.function))] + forms
    add_parameters(found, given)
    found.sort(key=rank)
    rows = [each for each in found if is_worth_a_row(each, found[0])] or found[:3]
    return Answer(given, rows, [each for each in forms if each.candidate.label in TWINS])


def others(given: Given, forms: Sequence[Explanation]) -> Iterator[Candidate]:
    """Yield forms that are cut; of results routines, and inner formats."""
    result, left = given.result, [each.candidate for each in forms if not each.agrees.all()]
    if result is None:
        yield from (each._replace(cut=True) for each in left)
        return
    for compute in FORMATS.values():
        narrower = compute.precision < result.precision
        if narrower and np.mean(round_array(given.about, compute) == given.about) <= 0.5:
            continue
        for routine in ROUTINES.values():
            form = all_forms()[routine.form]
            yield Candidate(form, given.quantity, form.label, ROUTINE, routine.name, compute)
        yield from (each._replace(compute=compute) for each in left if narrower)


def says_more(each: Explanation, itself: Explanation | None) -> bool:
    """Return True if another computation of a form explains other values."""
    if each.candidate.cut:
        return bool(each.agrees.all()) and len(each.agrees) > 1
    if itself is None or each.candidate.routine:
        return each.agree > 0 and not (itself and np.array_equal(itself.agrees, each.agrees))
    return each.agree > itself.agree


def add_parameters(found: list[Explanation], given: Given) -> None:
    """Name the interval in the row of a form inside it, or add such a form.

    If something explains all values, nobody needs parameters that are not published, nor those
    that explain no more than something else does.
    """
    most = max(each.agree for each in found)
    for form in (*all_forms().values(), SCALED):
        estimated = len(form.parameters) == 1 or form.name in ALONE
        interval = estimate(form, given, loosely=most < len(given.y)) if estimated else None
        if interval is None:
            continue
        inside = [
            (each.kind, i)
            for i, (each, *_) in enumerate(found)
            if each.is_form_itself and each.quantity == "value" and interval.holds(each.form)
        ]
        if inside:
            i = min(inside)[1]
            candidate = found[i].candidate._replace(parameter=interval.words)
            found[i] = found[i]._replace(candidate=candidate)
        elif most < len(given.y):
            label, words = interval.form.label, interval.words
            fitted = Candidate(interval.form, "value", label, FITTED, parameter=words)
            row = explain(given, fitted)
            if interval.all or row.agree > most:
                found.append(row)


def rank(each: Explanation) -> tuple[float, int, int, bool, float]:
    """Return a key by which the best explanation comes first."""
    off = 0.0 if each.agrees.all() else float(each.max_off)
    return each.lost, -each.agree, each.candidate.kind, not each.candidate.is_form_itself, off


def is_worth_a_row(each: Explanation, best: Explanation) -> bool:
    """Return True if a form explains a value, or another row explains most.

    If nothing explains most, all that explains some is worth a row.
    """
    is_form = each.candidate.kind == FORM and each.candidate.is_form_itself
    return each.agree > 0 and (is_form or each.verdict != "does not" or best.verdict == "does not")


def belongs(answers: Sequence[Answer]) -> str:
    """Say if one function explains a column of values and one of gradients."""
    best = {each.given.quantity: best_labels(each) for each in answers}
    values, gradients = best.get("value"), best.get("gradient")
    if len(answers) != 2 or not values or not gradients:
        return ""
    if both := [label for label in gradients if label in values]:
        return f"the gradients belong to the values: both are those of {both[0]}"
    return (
        f"the gradients do not belong to the values: the values are those of {values[0]}, the "
        f"gradients those of {gradients[0]}"
    )


def best_labels(answer: Answer) -> list[str]:
    """List the forms that explain as many values as the first, if any."""
    first = answer.explanations[0]
    return [
        each.candidate.form.label
        for each in answer.explanations
        if each.agree == first.agree > 0 and each.candidate.quantity == answer.given.quantity
    ]
