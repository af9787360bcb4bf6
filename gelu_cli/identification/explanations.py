"""What explains the most figures: candidates are ranked, and parameters added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.formats import FLOAT64, FORMATS, Format
from gelu_cli.arithmetic.rounding import nearest
from gelu_cli.forms import FIRST
from gelu_cli.identification.candidates import (
    FITTED,
    FORM,
    Candidate,
    families,
    forms_for,
    routines_for,
)
from gelu_cli.identification.estimation import Estimate, estimated
from gelu_cli.identification.figures import Figures, Printed, Results, roughly
from gelu_cli.identification.judges import Explanation, judge_of
from gelu_cli.values.evaluate_arrays import approximately

TWINS = ("exact", "tanh")
"""Those that people take for one another."""

FEW_ULP = 8
"""A kernel in floating point may be so far off the form that it computes, and often is."""

FEW = 2048
"""Up to so many figures, every form is held against all of them; with more, the nearest are."""

NEAREST = 12
"""With more figures, so many forms are held against them: those that are near the most."""


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
    held_against = judge_of(figures, jobs)
    forms = [held_against(each) for each in _near(forms_for(figures.quantity), figures)]
    others = map(held_against, _others(figures, forms))
    estimates = [*filter(None, (estimated(form, figures) for form in families()))]
    convincing = _convincing(estimates, figures)
    found = _with_parameters(convincing, figures, _beside(forms, others), held_against)
    ranked = sorted(found, key=_rank)
    rows = [each for each in ranked if _worth_a_row(each, ranked[0])] or ranked[:3]
    conflicts = [each.conflict for each in estimates if each.conflict and each.form.name in FIRST]
    return Answer(rows, conflicts, [each for each in forms if each.candidate.label in TWINS])


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


def _worth_a_row(each: Explanation, best: Explanation) -> bool:
    """Return whether an explanation is worth a row, beside the best one.

    Where most figures are explained, forms that explain some are told still: they are what people
    compare. Others must explain most.
    """
    form = each.candidate.kind == FORM and each.candidate.is_form_itself
    return each.agree > 0 and (form or each.verdict != "does not" or best.verdict == "does not")


def _convincing(estimates: Sequence[Estimate], figures: Figures) -> Iterator[Estimate]:
    """Yield the estimates that explain most figures, of results to a few ULP if no better."""
    for estimate in estimates:
        if estimate.words:
            yield estimate
        elif isinstance(figures, Results):
            wider = estimated(estimate.form._replace(chosen={}, typed=""), figures, 2 * FEW_ULP)
            if wider is not None and wider.words:
                yield wider._replace(words=f"{wider.words} to {FEW_ULP} ULP")


def _is_more(other: Explanation, own: Explanation) -> bool:
    """Return whether another way to compute a form says more than the form itself."""
    if other.candidate.truncated:
        return bool(other.agrees.all()) and len(other.agrees) > 1
    if other.candidate.routine:
        return other.agree > 0
    return other.agree > own.agree


def _rank(explanation: Explanation) -> tuple[float, int, int, bool, float]:
    candidate = explanation.candidate
    other = candidate.truncated or candidate.compute is not None
    off = 0.0 if explanation.agrees.all() else float(explanation.max_off)
    return explanation.lost, -explanation.agree, candidate.kind, other, off


def _near(candidates: Iterable[Candidate], figures: Figures) -> list[Candidate]:
    """Return the candidates that are worth a close look: all, or of many figures the nearest."""
    candidates = list(candidates)
    if len(figures.y) <= FEW:
        return candidates
    x, y, tolerance = roughly(figures)

    def near(candidate: Candidate) -> int:
        with np.errstate(invalid="ignore"):
            close = np.abs(approximately(candidate.form, candidate.quantity, x) - y) <= tolerance
        return -int(np.count_nonzero(close))

    return sorted(candidates, key=near)[:NEAREST]


def _others(figures: Figures, forms: Sequence[Explanation]) -> Iterator[Candidate]:
    """Yield routines in all formats, forms in a format of their own, and forms that are cut."""
    for candidate in routines_for(figures.quantity):
        if _may_have_made(candidate.compute, figures):
            yield candidate
    for explanation in forms:
        candidate = explanation.candidate
        if explanation.agrees.all():
            continue
        for number_format in FORMATS.values():
            if _may_be_in(number_format, candidate, figures):
                yield candidate._replace(compute=number_format)
        if isinstance(figures, Printed):
            yield candidate._replace(truncated=True)


def _may_have_made(number_format: Format | None, figures: Figures) -> bool:
    """Return whether most results are numbers of the format inside.

    Of figures in print it may be any but an 8-bit format, whose numbers would explain anything.
    """
    if number_format is None or isinstance(figures, Printed):
        return number_format is not None and number_format.width > 8
    if number_format.precision >= figures.result.precision:
        return True
    there = nearest(number_format, figures.y)[0] == figures.y
    return bool(2 * np.count_nonzero(there) > len(figures.y))


def _may_be_in(number_format: Format, candidate: Candidate, figures: Figures) -> bool:
    """Return whether most figures are so near the form that it may be rounded to a format."""
    if isinstance(figures, Results):
        narrower = number_format.precision < figures.result.precision
        return narrower and _may_have_made(number_format, figures)
    if number_format is FLOAT64 or number_format.width == 8:
        return False  # a figure in print may be the float64 next to the value anyway
    x, y, tolerance = roughly(figures)
    coarse = 2.0 ** (1 - number_format.precision)
    with np.errstate(invalid="ignore"):
        off = np.abs(approximately(candidate.form, candidate.quantity, x) - y)
        near = off <= tolerance + coarse * (np.abs(x) + np.abs(y))
    return bool(2 * np.count_nonzero(near) > len(y))


def _with_parameters(
    estimates: Iterable[Estimate],
    figures: Figures,
    found: Sequence[Explanation],
    held_against: Callable[[Candidate], Explanation],
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
            for i, each in enumerate(result)
            if estimate.holds(each.candidate.form)
            and each.candidate.is_form_itself
            and each.candidate.quantity == figures.quantity
        ]
        if known:
            i = min(known, key=lambda i: result[i].candidate.kind)
            candidate = result[i].candidate._replace(parameter=estimate.words)
            result[i] = result[i]._replace(candidate=candidate)
        elif not estimate.holds_default and best < len(figures.y):
            form, words = estimate.form, estimate.words
            fitted = Candidate(form, figures.quantity, form.label, FITTED, parameter=words)
            explanation = held_against(fitted)
            if estimate.all or explanation.agree > best:
                result.append(explanation)
    return result
