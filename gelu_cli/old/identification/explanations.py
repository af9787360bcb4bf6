"""What explains the most figures: candidates are ranked, and parameters added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import nearest
from gelu_cli.old.arithmetic.formats import FLOAT64, FORMATS, Format
from gelu_cli.old.formulas import FIRST, all_forms
from gelu_cli.old.identification.candidates import (
    FITTED,
    FORM,
    ROUTINE,
    Candidate,
    Explanation,
    forms_for,
    held_against,
    near,
)
from gelu_cli.old.identification.estimation import Estimate, estimated
from gelu_cli.old.identification.figures import Figures
from gelu_cli.old.identification.mistakes import SCALED, VALUES
from gelu_cli.old.sweeping.routines import ROUTINES

TWINS = ("exact", "tanh")
"""Those that people take for one another."""

ALONE = ("tanh",)
"""Forms of several parameters whose first is changed alone; of others it tells nothing."""

FEW_ULP = 8
"""A kernel in floating point is often off by as much from the form that it computes."""

FEW = 2048
"""Up to this many figures, every form is held against all of them; with more, the nearest are."""

NEAREST = 12
"""How many forms are held against more figures: those that are near the most."""


class Answer(NamedTuple):
    """What explains figures, best first, and forms whose parameter has no value that does."""

    explanations: Sequence[Explanation]
    figures: Figures
    """With what is done with two inputs."""

    conflicts: Sequence[str] = ()
    twins: Sequence[Explanation] = ()
    """What exact and tanh explain, whether or not that is worth a row."""


def explained(figures: Figures, jobs: int = 1) -> Answer:
    """Return what explains some of the figures, best first; if nothing does, what is nearest.

    A routine or a format that explains the same figures as the form itself tells nothing more: it
    is listed beside the form.
    """
    candidates = list(forms_for(figures.quantity, figures.up is not None))
    if figures.up is not None:
        some = figures.part(range(0, len(figures.y), 1 + len(figures.y) // FEW))
        best = max(some.ways(), key=lambda way: max(near(each, way) for each in candidates))
        (figures,) = (way for way in figures.ways() if way.settings == best.settings)
    judged = partial(held_against, figures, jobs=jobs)
    if len(figures.y) > FEW:
        candidates = sorted(candidates, key=lambda each: -near(each, figures))[:NEAREST]
    forms = [*map(judged, candidates)]
    found = _beside(forms, map(judged, _others(figures, forms)))
    every = (*all_forms().values(), *VALUES, SCALED)
    families = [each for each in every if len(each.parameters) == 1 or each.name in ALONE]
    estimates = [*filter(None, (estimated(form, figures) for form in families))]
    most = max(each.agree for each in found)
    for estimate in _convincing(estimates, figures):
        itself = [
            (each.kind, i)
            for i, (each, *_) in enumerate(found)
            if estimate.holds(each.form)
            and each.is_form_itself
            and each.quantity == figures.quantity
        ]
        if itself:
            _, i = min(itself)
            found[i] = found[i].said_with([estimate.words])
        elif not estimate.holds(estimate.family) and most < len(figures.y):
            # Where something else explains all figures, nobody needs parameters that are not
            # published, nor those that explain no more than something else does.
            fitted = Candidate(estimate.form, figures.quantity, estimate.form.label, FITTED)
            explanation = judged(fitted).said_with([estimate.words])
            if estimate.all or explanation.agree > most:
                found.append(explanation)
    found = [each.said_with(figures.settings) for each in sorted(found, key=_rank)]
    rows = [each for each in found if _worth_a_row(each, found[0])] or found[:3]
    conflicts = [each.conflict for each in estimates if each.conflict and each.form.name in FIRST]
    twins = [each for each in forms if each.candidate.label in TWINS]
    return Answer(rows, figures, conflicts, twins)


def _others(figures: Figures, forms: Sequence[Explanation]) -> Iterator[Candidate]:
    """Yield routines in all formats, forms in a format of their own, and forms that are cut."""
    result = figures.result
    inside = [each for each in FORMATS.values() if _may_be_inside(each, figures)]
    for routine in ROUTINES.values() if figures.up is None else ():
        form = all_forms()[routine.form]
        for compute in inside:
            yield Candidate(form, figures.quantity, form.label, ROUTINE, routine.name, compute)
    for candidate, agrees, *_ in forms:
        if agrees.all():
            continue
        for compute in inside:
            if result is not None:
                may_be = compute.precision < result.precision or figures.up is not None
            else:  # a figure in print may be the float64 next to the value anyway
                may_be = compute is not FLOAT64 and _near_most(candidate, compute, figures)
            if may_be:
                yield candidate._replace(compute=compute)
        if result is None:
            yield candidate._replace(truncated=True)


def _may_be_inside(number_format: Format, figures: Figures) -> bool:
    """Return whether most results are numbers of the format.

    Of figures in print it may be any but an 8-bit format, whose numbers would explain anything.
    """
    if figures.result is None:
        return number_format.width > 8
    if figures.up is not None:  # f(gate) alone is rounded to it
        narrow = number_format.precision <= figures.result.precision
        return narrow and (number_format.width > 8 or number_format is figures.result)
    if number_format.precision >= figures.result.precision:
        return True
    there = nearest(number_format, figures.about)[0] == figures.about
    return bool(2 * np.count_nonzero(there) > len(figures.y))


def _near_most(candidate: Candidate, number_format: Format, figures: Figures) -> bool:
    """Return whether most figures are so near the form that it may be rounded to a format."""
    sizes = np.abs(figures.at * figures.up_at) + np.abs(figures.about)
    spare = 2.0 ** (1 - number_format.precision) * sizes
    return 2 * near(candidate, figures, spare) > len(figures.y)


def _beside(forms: Sequence[Explanation], others: Iterable[Explanation]) -> list[Explanation]:
    """Return the other ways to compute forms that say more, and the forms with those alike."""
    itself = {each.candidate.function: each for each in forms}
    alike: dict[tuple[str, str], list[Candidate]] = {}
    found = []
    for each in others:
        candidate, own = each.candidate, itself.get(each.candidate.function)
        if own is not None and np.array_equal(own.agrees, each.agrees):
            if not candidate.truncated:
                alike.setdefault(candidate.function, []).append(candidate)
        elif candidate.truncated:
            if each.agrees.all() and len(each.agrees) > 1:
                found.append(each)
        elif own is None or each.agree > (0 if candidate.routine else own.agree):
            found.append(each)
    return found + [each._replace(alike=alike.get(each.candidate.function, ())) for each in forms]


def _convincing(estimates: Sequence[Estimate], figures: Figures) -> Iterator[Estimate]:
    """Yield the estimates that explain most figures, of results to a few ULP if no better."""
    for estimate in estimates:
        if estimate.words:
            yield estimate
        elif figures.result is not None:
            wider = estimated(estimate.family, figures, 2 * FEW_ULP)
            if wider is not None and wider.words:
                yield wider._replace(words=f"{wider.words} to {FEW_ULP} ULP")


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


def belongs(found: Sequence[tuple[str, Sequence[Explanation]]]) -> str:
    """Return in words whether what explains values best, and gradients, is one function.

    There must be one column of each, with what explains it, best first; all that explain as many
    figures as the first of them count.
    """
    best = {
        quantity: [each.candidate for each in rows if each.agree == rows[0].agree and each.agree]
        for quantity, rows in found
    }
    if sorted(quantity for quantity, _ in found) != ["gradient", "value"] or not all(best.values()):
        return ""
    labels = {
        quantity: [each.form.label for each in candidates if each.quantity == quantity]
        for quantity, candidates in best.items()
    }
    whole = all(rows[0].agrees.all() for _, rows in found)
    hedge = "" if whole else ", as far as most figures tell"
    common = [label for label in labels["gradient"] if label in labels["value"]]
    if common:
        return f"the gradients belong to the values: both are those of {common[0]}{hedge}"
    first, second = best["value"][0].label, best["gradient"][0].label
    return (
        f"the gradients do not belong to the values: the values are those of {first}, the "
        f"gradients those of {second}{hedge}"
    )
