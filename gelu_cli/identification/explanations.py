"""What explains the most figures: candidates are ranked, and parameters added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array, nearest
from gelu_cli.arithmetic.formats import FLOAT64, FORMATS, Format
from gelu_cli.forms import FIRST, all_forms
from gelu_cli.identification.candidates import (
    FITTED,
    FORM,
    ROUTINE,
    Candidate,
    Explanation,
    Judge,
    families,
    forms_for,
    judge_of,
)
from gelu_cli.identification.estimation import Estimate, estimated
from gelu_cli.identification.figures import Figures, Rough, roughly
from gelu_cli.sweeping.routines import ROUTINES
from gelu_cli.values.evaluate_arrays import approximately

TWINS = ("exact", "tanh")
"""Those that people take for one another."""

FEW_ULP = 8
"""A kernel in floating point is often off by as much from the form that it computes."""

FEW = 2048
"""Up to this many figures, every form is held against all of them; with more, the nearest are."""

NEAREST = 12
"""How many forms are held against more figures: those that are near the most."""


class Answer(NamedTuple):
    """What explains figures, best first, and forms whose parameter has no value that does."""

    explanations: Sequence[Explanation]
    conflicts: Sequence[str] = ()
    twins: Sequence[Explanation] = ()
    """What exact and tanh explain, whether or not that is worth a row."""


def explained(figures: Figures, jobs: int = 1) -> Answer:
    """Return what explains some of the figures, best first; if nothing does, what is nearest.

    A routine or a format that explains the same figures as the form itself tells nothing more: it
    is listed beside the form.
    """
    held_against, rough = judge_of(figures, jobs), roughly(figures)
    forms = [held_against(each) for each in _nearest(forms_for(figures.quantity), rough)]
    others = _beside(forms, map(held_against, _others(figures, rough, forms)))
    estimates = [*filter(None, (estimated(form, figures) for form in families()))]
    found = _with_parameters(_convincing(estimates, figures), figures, others, held_against)
    ranked = sorted(found, key=_rank)
    rows = [each for each in ranked if _worth_a_row(each, ranked[0])] or ranked[:3]
    conflicts = [each.conflict for each in estimates if each.conflict and each.form.name in FIRST]
    return Answer(rows, conflicts, [each for each in forms if each.candidate.label in TWINS])


def _near(candidate: Candidate, rough: Rough, spare: Array | float = 0.0) -> int:
    values = approximately(candidate.form, candidate.quantity, rough.x)
    return rough.count_near(values, spare)


def _nearest(candidates: Iterable[Candidate], rough: Rough) -> list[Candidate]:
    """Return the candidates that are worth a close look: all, or of many figures the nearest."""
    candidates = list(candidates)
    if len(rough.y) <= FEW:
        return candidates
    return sorted(candidates, key=lambda each: -_near(each, rough))[:NEAREST]


def _others(figures: Figures, rough: Rough, forms: Sequence[Explanation]) -> Iterator[Candidate]:
    """Yield routines in all formats, forms in a format of their own, and forms that are cut."""
    inside = [each for each in FORMATS.values() if _may_be_inside(each, figures)]
    for routine in ROUTINES.values():
        form = all_forms()[routine.form]
        for compute in inside:
            yield Candidate(form, figures.quantity, form.label, ROUTINE, routine.name, compute)
    for candidate, agrees, *_ in forms:
        if agrees.all():
            continue
        for number_format in inside:
            if _may_be_rounded_to(number_format, candidate, figures, rough):
                yield candidate._replace(compute=number_format)
        if figures.result is None:
            yield candidate._replace(truncated=True)


def _may_be_inside(number_format: Format, figures: Figures) -> bool:
    """Return whether most results are numbers of the format.

    Of figures in print it may be any but an 8-bit format, whose numbers would explain anything.
    """
    if figures.result is None:
        return number_format.width > 8
    if number_format.precision >= figures.result.precision:
        return True
    there = nearest(number_format, figures.y)[0] == figures.y
    return bool(2 * np.count_nonzero(there) > len(figures.y))


def _may_be_rounded_to(
    number_format: Format, candidate: Candidate, figures: Figures, rough: Rough
) -> bool:
    """Return whether most figures are so near the form that it may be rounded to a format."""
    if figures.result is not None:
        return number_format.precision < figures.result.precision
    if number_format is FLOAT64:
        return False  # a figure in print may be the float64 next to the value anyway
    spare = 2.0 ** (1 - number_format.precision) * (np.abs(rough.x) + np.abs(rough.y))
    return 2 * _near(candidate, rough, spare) > len(rough.y)


def _beside(forms: Sequence[Explanation], others: Iterable[Explanation]) -> list[Explanation]:
    """Return the other ways to compute forms that say more, and the forms with those alike."""
    itself = {each.candidate.function: each for each in forms}
    alike: dict[tuple[str, str], list[Candidate]] = {}
    found = []
    for each in others:
        function = each.candidate.function
        own = itself.get(function)
        if own is not None and np.array_equal(own.agrees, each.agrees):
            if not each.candidate.truncated:
                alike.setdefault(function, []).append(each.candidate)
        elif own is None or _is_more(each, own):
            found.append(each)
    return found + [each._replace(alike=alike.get(each.candidate.function, ())) for each in forms]


def _is_more(other: Explanation, own: Explanation) -> bool:
    """Return whether another way to compute a form says more than the form itself."""
    if other.candidate.truncated:
        return bool(other.agrees.all()) and len(other.agrees) > 1
    return other.agree > (0 if other.candidate.routine else own.agree)


def _convincing(estimates: Sequence[Estimate], figures: Figures) -> Iterator[Estimate]:
    """Yield the estimates that explain most figures, of results to a few ULP if no better."""
    for estimate in estimates:
        if estimate.words:
            yield estimate
        elif figures.result is not None:
            wider = estimated(estimate.family, figures, 2 * FEW_ULP)
            if wider is not None and wider.words:
                yield wider._replace(words=f"{wider.words} to {FEW_ULP} ULP")


def _with_parameters(
    estimates: Iterable[Estimate],
    figures: Figures,
    found: Sequence[Explanation],
    held_against: Judge,
) -> list[Explanation]:
    """Add the values of parameters that explain the figures: to forms that have one, or as others.

    Where something else explains all figures, other parameters than the published ones are left
    out: nobody needs them. So are those that explain no more than something else does.
    """
    result = list(found)
    best = max(each.agree for each in found)
    for estimate in estimates:
        known = [
            i
            for i, (candidate, *_) in enumerate(result)
            if estimate.holds(candidate.form)
            and candidate.is_form_itself
            and candidate.quantity == figures.quantity
        ]
        if known:
            i = min(known, key=lambda i: result[i].candidate.kind)
            candidate = result[i].candidate._replace(parameter=estimate.words)
            result[i] = result[i]._replace(candidate=candidate)
        elif not estimate.holds(estimate.family) and best < len(figures.y):
            form, words = estimate.form, estimate.words
            explanation = held_against(
                Candidate(form, figures.quantity, form.label, FITTED, parameter=words)
            )
            if estimate.all or explanation.agree > best:
                result.append(explanation)
    return result


def _rank(explanation: Explanation) -> tuple[float, int, int, bool, float]:
    candidate = explanation.candidate
    other = candidate.truncated or candidate.compute is not None
    off = 0.0 if explanation.agrees.all() else float(explanation.max_off)
    return explanation.lost, -explanation.agree, candidate.kind, other, off


def _worth_a_row(each: Explanation, best: Explanation) -> bool:
    """Return whether an explanation is worth a row, beside the best one.

    Where most figures are explained, forms that explain some are told still: they are what people
    compare. Others must explain most.
    """
    form = each.candidate.kind == FORM and each.candidate.is_form_itself
    return each.agree > 0 and (form or each.verdict != "does not" or best.verdict == "does not")


def belongs(values: Sequence[Explanation], gradients: Sequence[Explanation]) -> str:
    """Return in words whether what explains values best, and gradients, is one function.

    Both lists are best first; all that explain as many as the first of them count.
    """
    best_values, best_gradients = (
        [each.candidate for each in found if each.agree == found[0].agree and each.agree]
        for found in (values, gradients)
    )
    if not (best_values and best_gradients):
        return ""
    functions = {each.form.label for each in best_values if each.quantity == "value"}
    common = [
        each.form.label
        for each in best_gradients
        if each.quantity == "gradient" and each.form.label in functions
    ]
    whole = all(found[0].agrees.all() for found in (values, gradients))
    hedge = "" if whole else ", as far as most figures tell"
    if common:
        return f"the gradients belong to the values: both are those of {common[0]}{hedge}"
    first, second = best_values[0].label, best_gradients[0].label
    return (
        f"the gradients do not belong to the values: the values are those of {first}, the "
        f"gradients those of {second}{hedge}"
    )
