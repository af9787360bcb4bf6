"""What explains the most values: candidates are ranked, and parameters added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.formulas import all_forms
from gelu_cli.formulas.catalog import FIRST
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
from gelu_cli.identification.parameters import Estimate, estimate
from gelu_cli.kernels import ROUTINES
from gelu_cli.numbers import FLOAT64, FORMATS, Format
from gelu_cli.numbers.arrays import round_array

TWINS = ("exact", "tanh")
"""Forms that people take for one another."""

ALONE = ("tanh",)
"""Forms of several parameters whose first is changed alone; of others that explains nothing."""

FEW_ULP = 8
"""A kernel is often off by as much from the form that it computes."""

FEW, NEAREST = 2048, 12
"""Of more than FEW values, the NEAREST candidates by FEW of them are compared with all."""


class Answer(NamedTuple):
    """What explains values, best first; forms of which no parameter does, in words.

    `twins` is what exact and tanh explain, whether or not that is worth a row.
    """

    given: Given
    explanations: Sequence[Explanation]
    conflicts: Sequence[str]
    twins: Sequence[Explanation]


def explained(given: Given) -> Answer:
    """Find what explains some of the values, best first; if nothing does, what is nearest.

    A routine or a format that explains the same values as the form itself is left out.
    """
    candidates = list(forms_for(given.quantity))
    if len(given.y) > FEW:
        part = given.spread(FEW)
        candidates.sort(key=lambda each: -explain(part, each).agree)
        candidates = candidates[:NEAREST]
    forms = [explain(given, each) for each in candidates]
    itself = {each.candidate.function: each.agrees for each in forms}
    found = [each for each in (explain(given, other) for other in others(given, forms))
             if says_more(each, itself.get(each.candidate.function))] + forms  # fmt: skip
    families = [form for form in (*all_forms().values(), SCALED)
                if len(form.parameters) == 1 or form.name in ALONE]  # fmt: skip
    estimates = [each for form in families if (each := estimate(form, given))]
    add_parameters(found, [*convincing(estimates, given)], given)
    found.sort(key=rank)
    rows = [each for each in found if is_worth_a_row(each, found[0])] or found[:3]
    conflicts = [each.conflict for each in estimates if each.conflict and each.form.name in FIRST]
    return Answer(given, rows, conflicts, [each for each in forms if each.candidate.label in TWINS])


def others(given: Given, forms: Sequence[Explanation]) -> Iterator[Candidate]:
    """Yield routines in all formats, forms in a format of their own, and forms that are cut."""
    result = given.result
    inside = [each for each in FORMATS.values() if may_be_inside(each, given)]
    for routine in ROUTINES.values():
        form = all_forms()[routine.form]
        for compute in inside:
            yield Candidate(form, given.quantity, form.label, ROUTINE, routine.name, compute)
    for itself in forms:
        if itself.agrees.all():
            continue
        for compute in inside:
            if result is not None:
                may_be = compute.precision < result.precision
            else:  # a printed value may be the float64 next to the value anyway
                may_be = compute is not FLOAT64 and is_near_most(itself, compute, given)
            if may_be:
                yield itself.candidate._replace(compute=compute)
        if result is None:
            yield itself.candidate._replace(truncated=True)


def may_be_inside(inner: Format, given: Given) -> bool:
    """Return True if most results are numbers of the format.

    Of printed values it may be any but an 8-bit format, whose numbers would explain anything.
    """
    if given.result is None:
        return inner.width > 8
    if inner.precision >= given.result.precision:
        return True
    return bool(2 * np.count_nonzero(round_array(given.about, inner) == given.about) > len(given.y))


def is_near_most(itself: Explanation, inner: Format, given: Given) -> bool:
    """Return True if most values are so near the form that it may be rounded to a format."""
    spare = 2.0 ** (1 - inner.precision) * (np.abs(given.at) + np.abs(given.about))
    with np.errstate(invalid="ignore"):
        near = np.abs(itself.numbers - given.about) <= 0.75 * given.units + spare
    return bool(2 * np.count_nonzero(near) > len(given.y))


def says_more(each: Explanation, itself: np.ndarray | None) -> bool:
    """Return True if another way to compute a form explains other values than the form itself."""
    if itself is None or np.array_equal(itself, each.agrees):
        return itself is None and each.agree > 0
    if each.candidate.truncated:
        return bool(each.agrees.all()) and len(each.agrees) > 1
    least = 0 if each.candidate.routine else np.count_nonzero(itself)
    return each.agree > int(least)


def convincing(estimates: Sequence[Estimate], given: Given) -> Iterator[Estimate]:
    """Yield the estimates that explain most values, of results to a few ULP if no better."""
    for each in estimates:
        if each.words:
            yield each
        elif given.result is not None:
            wider = estimate(each.family, given, 2 * FEW_ULP)
            if wider is not None and wider.words:
                yield wider._replace(words=f"{wider.words} to {FEW_ULP} ULP")


def add_parameters(found: list[Explanation], estimates: Sequence[Estimate], given: Given) -> None:
    """Name the interval in the row of a form inside it, or add a form inside it."""
    most = max(each.agree for each in found)
    for each in estimates:
        inside = [(row.candidate.kind, i) for i, row in enumerate(found)
                  if each.holds(row.candidate.form) and row.candidate.is_form_itself
                  and row.candidate.quantity == given.quantity]  # fmt: skip
        if inside:
            _, i = min(inside)
            found[i] = found[i].with_parameter(each.words)
        elif most < len(given.y) and not each.holds(each.family):
            # If something else explains all values, nobody needs parameters that are not
            # published, nor those that explain no more than something else does.
            label = each.form.label
            row = explain(given, Candidate(each.form, given.quantity, label, FITTED))
            if each.all or row.agree > most:
                found.append(row.with_parameter(each.words))


def rank(each: Explanation) -> tuple[float, int, int, bool, float]:
    """Return a key by which the best explanation comes first."""
    is_other = each.candidate.truncated or each.candidate.compute is not None
    off = 0.0 if each.agrees.all() else float(each.max_off)
    return each.lost, -each.agree, each.candidate.kind, is_other, off


def is_worth_a_row(each: Explanation, best: Explanation) -> bool:
    """Return True for forms that explain some values, and what explains most.

    If nothing explains most, all that explains some is worth a row.
    """
    is_form = each.candidate.kind == FORM and each.candidate.is_form_itself
    return each.agree > 0 and (is_form or each.verdict != "does not" or best.verdict == "does not")


def belongs(answers: Sequence[Answer]) -> str:
    """Say whether what explains one column of values, and one of gradients, is one function."""
    best = {
        each.given.quantity: [
            row for row in each.explanations if row.agree == each.explanations[0].agree > 0
        ]
        for each in answers
    }
    if sorted(each.given.quantity for each in answers) != ["gradient", "value"]:
        return ""
    if not all(best.values()):
        return ""
    whole = all(rows[0].agrees.all() for rows in best.values())
    hedge = "" if whole else ", as far as most values tell"
    labels = {
        quantity: [row.candidate.form.label for row in rows if row.candidate.quantity == quantity]
        for quantity, rows in best.items()
    }
    for label in labels["gradient"]:
        if label in labels["value"]:
            return f"the gradients belong to the values: both are those of {label}{hedge}"
    first, second = (best[quantity][0].candidate.label for quantity in ("value", "gradient"))
    return (
        f"the gradients do not belong to the values: the values are those of {first}, the "
        f"gradients those of {second}{hedge}"
    )
