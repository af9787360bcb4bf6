"""Which form, routine, format and parameter explain figures, and what tells the best ones apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import groupby, islice
from operator import itemgetter

import numpy as np

from gelu_cli.old.answers import report_of
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.identification.candidates import (
    FORM,
    MISTAKE,
    Candidate,
    Explanation,
    held_against,
)
from gelu_cli.old.identification.explanations import TWINS, Answer, belongs, explained
from gelu_cli.old.identification.figures import Figures, well_chosen, well_chosen_pairs
from gelu_cli.old.identification.telling import input_that_tells, refuse_what_tells_nothing, text_at
from gelu_cli.old.report import Cell, Report, Row, Sentence
from gelu_cli.old.sweeping.at import Called, called_at, clamp_of
from gelu_cli.old.sweeping.gating import QUANTITIES
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.values.figures import places_of

IN_PLACE = {
    "gate": "the gate alone, without the factor x,",
    "gradient": "the gradient in place of the value,",
    "value": "the value in place of the gradient,",
}
MOST_CUT = 3
"""Figures that are cut, in a note."""

COLUMNS = "form parameter routine compute agree of max_off verdict"


def identify(
    columns: Sequence[Figures],
    *,
    rows: int = 10,
    others: int | None = None,
    digits: int | None = None,
    jobs: int = 1,
    notes: Sequence[str] = (),
    provenance: Mapping[str, str] | None = None,
) -> Report:
    """Return what explains the figures of each column, best first, at most so many rows each.

    Of those that do not explain all figures there are at most so many `others`, if that is given.
    `max_off` is how far the candidate is from the figure that it is farthest from, in units of the
    last place that is printed, or in ULP of results. Several columns have a column `column`.
    Raises `UsageError` for figures that contradict each other, or that every form explains.

    >>> from decimal import Decimal
    >>> from gelu_cli.old.report import read
    >>> figures = Figures("", "value", [Decimal(2)], [Decimal("1.9545")])
    >>> rows, ending = read(identify([figures], rows=1))
    >>> [str(cell or "") for cell in rows[0]]
    ['exact', '', '', '', '1', '1', '0.003', 'explains all']
    """
    for each in columns:
        each.check()
    looked_at, cut = zip(*(each.limited() for each in columns), strict=True)
    if len(columns) == 1:
        refuse_what_tells_nothing(looked_at[0])
    answers = [explained(each, jobs) for each in looked_at]
    several = len(columns) > 1
    table: list[Row] = []
    words: list[Sentence] = []
    shown: list[Explanation] = []
    said = [*notes, *filter(None, dict.fromkeys(cut))]
    for whole, answer in zip(columns, answers, strict=True):
        found, figures = answer.explanations, answer.figures
        explaining = sum(bool(each.agrees.all()) for each in found)
        best = found[: rows if others is None else min(rows, explaining + others)]
        shown += best
        words.append(_in_words(figures, found[0], explaining))
        table += [[*([whole.name] if several else []), *_cells(each, digits)] for each in best]
        lead = f"{figures.name}: " if several else ""
        said += [lead + sentence for sentence in _sentences(answer)]
        if others is not None and len(best) < len(found):
            said.append(f"{lead}{len(found) - len(best)} more: --rows {len(found)}")
    if together := belongs([(each.figures.quantity, each.explanations) for each in answers]):
        said.append(together)
    facts = {**_facts(columns[0], shown), **(provenance or {})}
    names, keys = (f"column {COLUMNS}", 2) if several else (COLUMNS, 1)
    title = "What explains the figures"
    ending = {"facts": facts, "notes": said, "words": words}
    return report_of(title, names, [table], digits, keys, headed=True, **ending)


def _in_words(figures: Figures, best: Explanation, explaining: int) -> Sentence:
    """Return how many of the figures the best explanation has, and how many others have them."""
    said, count = best.candidate.words, len(best.agrees)
    whose = f" of {figures.name}" if figures.name not in ("", figures.quantity) else ""
    if best.agree < count:
        said = ", ".join([said, *figures.settings])
        text = f"Nothing explains all {count:,} figures{whose}; {said} is nearest: {best.agree:,}."
    else:
        parameter = f", {best.candidate.parameter}" if best.candidate.parameter else ""
        figure = "the figure" if count == 1 else f"all {count:,} figures"
        others = f", as {explaining - 1:,} more do" if explaining > 1 else ""
        text = f"{said}{parameter} explains {figure}{whose}{others}."
    return Sentence("explains", text, {"agree": best.agree, "of": count})


def figures_of_kernel(kernel: Kernel, *, values_too: bool) -> tuple[list[Figures], Called]:
    """Return what a kernel returns at inputs chosen for it, and what else was seen.

    With `values_too` a function whose question is the gradient is asked for its values, and for
    gradients only if its library differentiates it.
    """
    question = kernel.question
    formats = question.dtype, question.result
    x, of_pairs = well_chosen(question.dtype), {}
    if question.gating:
        x, up = pairs = well_chosen_pairs(question.dtype)
        of_pairs = {"up": up, "limits": [clamp_of(kernel, place) for place in (0, 1)]}
    called = called_at(kernel, pairs if of_pairs else x, values_too=values_too)
    columns = [
        Figures(name, QUANTITIES[name], x, got.astype(np.float64), formats, **of_pairs)
        for name, got in called.results.items()
    ]
    return columns, called


def _cells(explanation: Explanation, digits: int | None) -> list[Cell]:
    candidate, off = explanation.candidate, explanation.max_off
    if digits is not None and not isinstance(off, Decimal) and np.isfinite(off):
        off = Decimals(digits).exactly(Fraction(off))
    return [
        candidate.label,
        candidate.parameter or None,
        "truncated" if candidate.truncated else candidate.routine or None,
        candidate.compute.name if candidate.compute else None,
        explanation.agree,
        len(explanation.agrees),
        off,
        explanation.verdict,
    ]


def _facts(figures: Figures, shown: Sequence[Explanation]) -> dict[str, str]:
    """Return what the figures are off in, and what the mistakes and the unusual rows are."""
    printed = "units of the last decimal that is printed"
    off = printed if figures.result is None else "ULP of the row's result"
    facts = {"max_off": f"how far the row is from its worst figure, in {off}"}
    candidates = [each.candidate for each in shown]
    facts |= {each.label: _definition(each) for each in candidates if each.kind == MISTAKE}
    if any(each.truncated for each in candidates):
        facts["truncated"] = "some figures, or all, are cut after the last decimal, not rounded"
    return facts


def _definition(candidate: Candidate) -> str:
    """Return the formula of a mistake, and where it was seen."""
    form = candidate.form
    if candidate.label == f"{form.label}_{candidate.quantity}":
        return f"{IN_PLACE[candidate.quantity]} of {form.name}"
    if form.chosen:
        return form.source
    return f"{form.definition}{f' ({form.source})' if form.source else ''}"


def _sentences(answer: Answer) -> Iterator[str]:
    """Yield in words what the table leaves open: what tells the best apart, and what fails."""
    best, figures = answer.explanations[0], answer.figures
    count = len(figures.y)
    counted = "1 figure" if count == 1 else f"{count:,} figures"
    if not best.agree:
        yield f"nothing explains any of {counted}: the rows are the nearest"
    elif not best.agrees.all():
        nearest = ""
        if figures.result is not None and np.isfinite(float(best.max_off)):
            nearest = (
                f" bit for bit; {best.candidate.words} is nearest, within "
                f"{float(best.max_off):.3g} ULP of all of them"
            )
        yield f"nothing explains all {counted}{nearest}"
    if not best.agrees.all():
        yield from answer.conflicts
    elif best.candidate.truncated:
        label = best.candidate.label
        yield f"{label} explains all if figures are cut, not rounded: {_cut(best, figures)}"
    if best.alike and best.agree:
        yield f"{best.candidate.label}: {_listed(best.alike)} would give the same figures"
    if best.agree:
        for other in _rivals(answer):
            yield _what_tells(best, other, figures)
    kernel = figures.result and figures.up is not None and not figures.swapped
    if kernel and best.verdict != "does not" and best.candidate.kind != MISTAKE:
        yield f"gelu sweep … --glu {_as_options(best.candidate, figures)} judges by that"


def _as_options(candidate: Candidate, figures: Figures) -> str:
    """Return what explains results of two inputs as options of `gelu sweep`."""
    inner = [f"intermediate={candidate.compute.name}"] if candidate.compute else []
    asked = [each.replace("_", "-").replace("=", " ") for each in (*figures.settings, *inner)]
    asked += ["quantity gate_gradient"] * (figures.quantity == "gradient")
    return " ".join([f"--form {candidate.form.label}", *(f"--{each}" for each in asked)])


def _cut(best: Explanation, figures: Figures) -> str:
    """Return the first figures that are cut, each with two more decimals of its value."""
    rounded = held_against(figures, best.candidate._replace(truncated=False)).agrees
    texts = (
        (figures.texts(i), text_at(best.candidate, figures.part([i]), places_of(y) + 2))
        for i, y in enumerate(figures.y)
        if not rounded[i]
    )
    return ", ".join(f"{'='.join(given)} is {value}…" for given, value in islice(texts, MOST_CUT))


def _listed(candidates: Sequence[Candidate]) -> str:
    """Return routines, each with its formats."""
    named = [(each.routine or "the form", each.compute.name) for each in candidates if each.compute]
    runs = groupby(named, key=itemgetter(0))
    return "; ".join(f"{name} in {', '.join(each for _, each in run)}" for name, run in runs)


def _rivals(answer: Answer) -> list[Explanation]:
    """Return the second best explanation, and of exact and tanh the other one.

    The second best is by another function if there is one.
    """
    best, *others = answer.explanations
    functions = [each for each in others if each.candidate.function != best.candidate.function]
    rivals = [*functions, *others][:1]
    if best.candidate.form.label in TWINS and best.candidate.kind == FORM:
        known = [each.candidate.function for each in (best, *rivals)]
        return [each for each in answer.twins if each.candidate.function not in known] + rivals
    return rivals


def _what_tells(best: Explanation, second: Explanation, figures: Figures) -> str:
    """Return what tells two explanations apart, in words."""
    names = best.candidate.words, second.candidate.words
    pair = f"{names[0]} from {names[1]}"
    found = input_that_tells(best, second, figures)
    if found is None:
        return f"these figures do not tell {pair}, nor does any round x"
    values = f"{names[0]} gives {found.values[0]}, {names[1]} {found.values[1]}"
    if found.given:
        return f"{found.where} tells {pair}: the figure is {found.given}, {values}"
    places = f", with {found.places} decimals" if found.more else ""
    return f"these figures do not tell {pair}; {found.where} would{places}: {values}"
