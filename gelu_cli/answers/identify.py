"""Which form, routine, format and parameter explain figures, and what tells the best ones apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np

from gelu_cli.answers import report_of
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.identification.candidates import FORM, MISTAKE, Candidate, Explanation
from gelu_cli.identification.explanations import TWINS, Answer, belongs, explained
from gelu_cli.identification.figures import Figures, Printed, check, limited
from gelu_cli.identification.telling import input_that_tells, refuse_what_tells_nothing
from gelu_cli.report import Cell, Report, Row, stream_of

IN_PLACE = {
    "gate": "the gate alone, without the factor x,",
    "gradient": "the gradient in place of the value,",
    "value": "the value in place of the gradient,",
}
HEADINGS = {
    "form": "form", "parameter": "parameter", "routine": "routine", "compute": "compute",
    "agree": "agree", "of": "of", "max_off": "max off", "verdict": "verdict",
}  # fmt: skip


def identify(
    columns: Sequence[Figures],
    *,
    rows: int = 10,
    digits: int | None = None,
    jobs: int = 1,
    notes: Sequence[str] = (),
    provenance: Mapping[str, str] | None = None,
) -> Report:
    """Return what explains the figures of each column, best first, at most so many rows each.

    `max_off` is how far the candidate is from the figure that it is farthest from, in units of the
    last place that is printed, or in ULP of results. Several columns have a column `column`.
    Raises `UsageError` for figures that contradict each other, or that every form explains.

    >>> from decimal import Decimal
    >>> from gelu_cli.report import read
    >>> figures = Printed("", "value", [Decimal(2)], [Decimal("1.9545")])
    >>> rows, ending = read(identify([figures], rows=1))
    >>> [str(cell or "") for cell in rows[0]]
    ['exact', '', '', '', '1', '1', '0.003', 'explains all']
    """
    for each in columns:
        check(each)
    looked_at, cut = zip(*map(limited, columns), strict=True)
    if len(columns) == 1:
        refuse_what_tells_nothing(looked_at[0])
    answers = [explained(each, jobs) for each in looked_at]
    pairs = zip(columns, answers, strict=True)
    shown = [(each, answer.explanations[:rows]) for each, answer in pairs]
    several = len(columns) > 1
    headings = {"column": "column", **HEADINGS} if several else HEADINGS
    table: list[Row] = [
        [*([figures.name] if several else []), *_cells(each, digits)]
        for figures, explanations in shown
        for each in explanations
    ]
    said = [*notes, *filter(None, dict.fromkeys(cut))]
    for figures, answer in zip(looked_at, answers, strict=True):
        lead = f"{figures.name}: " if several else ""
        said += [lead + sentence for sentence in _sentences(figures, answer)]
    if together := _belonging(looked_at, answers):
        said.append(together)
    facts = _facts(columns[0], [each for _, found in shown for each in found])
    stream = stream_of([table], facts={**facts, **(provenance or {})}, notes=said)
    return report_of("What explains the figures", headings, stream, digits, 2 if several else 1)


def _off(explanation: Explanation, digits: int | None) -> Cell:
    off = explanation.max_off
    if digits is None or isinstance(off, Decimal) or not np.isfinite(off):
        return off
    return Decimals(digits).exactly(Fraction(off))


def _cells(explanation: Explanation, digits: int | None) -> list[Cell]:
    candidate = explanation.candidate
    return [
        candidate.label,
        candidate.parameter or None,
        "truncated" if candidate.truncated else candidate.routine or None,
        candidate.compute.name if candidate.compute else None,
        explanation.agree,
        len(explanation.agrees),
        _off(explanation, digits),
        explanation.verdict,
    ]


def _facts(figures: Figures, shown: Sequence[Explanation]) -> dict[str, str]:
    """Return what the figures are off in, and what the mistakes and the unusual rows are."""
    printed = isinstance(figures, Printed)
    off = "units of the last decimal that is printed" if printed else "ULP of the row's result"
    facts = {"max_off": f"how far the row is from its worst figure, in {off}"}
    for explanation in shown:
        candidate = explanation.candidate
        if candidate.kind == MISTAKE and candidate.label not in facts:
            facts[candidate.label] = _definition(candidate)
    if any(each.candidate.truncated for each in shown):
        facts["truncated"] = "the figures are cut after the last decimal, not rounded"
    return facts


def _definition(candidate: Candidate) -> str:
    """Return the formula of a mistake, and where it was seen."""
    form = candidate.form
    if candidate.label == f"{form.label}_{candidate.quantity}":
        return f"{IN_PLACE[candidate.quantity]} of {form.name}"
    if form.chosen:
        return form.source
    return f"{form.definition}{f' ({form.source})' if form.source else ''}"


def _sentences(figures: Figures, answer: Answer) -> Iterator[str]:
    """Yield in words what the table leaves open: what tells the best apart, and what fails."""
    found = answer.explanations
    best = found[0]
    if not best.agree:
        yield f"nothing explains any of {_counted(len(figures.y))}: the rows are the nearest"
    elif not best.agrees.all():
        yield f"nothing explains all {_counted(len(figures.y))}{_nearest(best, figures)}"
    if not best.agrees.all():
        yield from answer.conflicts
    if best.alike and best.agree:
        yield f"{best.candidate.label}: {_listed(best.alike)} would give the same figures"
    if best.agree:
        for other in _rivals(answer):
            yield _what_tells(best, other, figures)


def _nearest(best: Explanation, figures: Figures) -> str:
    """Return how near the best explanation of results comes."""
    if isinstance(figures, Printed) or not np.isfinite(float(best.max_off)):
        return ""
    off = f"{float(best.max_off):.3g} ULP"
    return f" bit for bit; {best.candidate.words} is nearest, within {off} of all of them"


def _counted(count: int) -> str:
    return "1 figure" if count == 1 else f"{count:,} figures"


def _listed(candidates: Sequence[Candidate]) -> str:
    """Return routines, each with its formats."""
    formats: dict[str, list[str]] = {}
    for each in candidates:
        name = each.routine or "the form"
        formats.setdefault(name, []).append(each.compute.name if each.compute else "")
    return "; ".join(f"{name} in {', '.join(each)}" for name, each in formats.items())


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
        return f"x = {found.x} tells {pair}: the figure is {found.given}, {values}"
    places = f", with {found.places} decimals" if found.more else ""
    return f"these figures do not tell {pair}; x = {found.x} would{places}: {values}"


def _belonging(columns: Sequence[Figures], answers: Sequence[Answer]) -> str:
    """Return whether gradients belong to values, where there is one column of each."""
    found: dict[str, list[Sequence[Explanation]]] = {"value": [], "gradient": []}
    for figures, answer in zip(columns, answers, strict=True):
        found[figures.quantity].append(answer.explanations)
    if any(len(each) != 1 for each in found.values()):
        return ""
    return belongs(found["value"][0], found["gradient"][0])
