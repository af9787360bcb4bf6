"""Which printed figures are right to their last printed decimal, and what the others should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.old.answers import report_of
from gelu_cli.old.answers.table import x_cell
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.formulas import OF_GATES, all_forms
from gelu_cli.old.report import Cell, Ending, Report, Row
from gelu_cli.old.report.numbers import machine_text
from gelu_cli.old.values.figures import FLOAT64_DIGITS, Basis, Correction, Figure, correct
from gelu_cli.old.values.figures_in_formats import Suspicion

FEW, MOST = 2, 1000
"""Forms that are named, and wrong figures that are held against them."""

NAMES = "line x column published correct off_by verdict"
FACTS = {
    "right": Basis.DECIMAL.value,
    "off_by": "distance from the true value, in units of that decimal; ≤ 0.5 is right",
}


def check(
    figures: Iterable[Sequence[Figure]],
    *,
    digits: int | None = None,
    wrong_only: bool = False,
    pairs: bool = False,
) -> Report:
    """Return a row for each figure, or for each wrong one: what it should be, and the verdict.

    Those at `pairs` of inputs have a column `up` beside x.

    `figures` comes in blocks, and so do the rows. `correct` has the last decimal of the figure,
    or so many significant `digits`; `off_by` is |published − value| in units of the last decimal.
    The stream raises `UsageError` before the first wrong figure where all of them are without doubt
    numbers of a narrower format, which are not to be judged as decimals.

    >>> from gelu_cli.old.formulas import find_form
    >>> figure = Figure(2, Decimal(-3), "tanh", find_form("tanh"), "value", Decimal("-0.0040"))
    >>> report = check([[figure]])
    >>> from gelu_cli.old.report import read
    >>> rows, ending = read(report)
    >>> [[str(cell) for cell in row] for row in rows]
    [['2', '-3', 'tanh', '-0.0040', '-0.0036', '3.626', 'wrong']]
    >>> ending.failures
    ['the figure is wrong; it is that of exact or erf_as']
    """

    def stream() -> Iterator[list[Row] | Ending]:
        bases: Counter[Basis | None] = Counter()
        wrong: list[Figure] = []
        suspicion = Suspicion()
        for block in figures:
            verdicts = _judge(block, digits, suspicion)
            bases.update(verdict.basis for verdict in verdicts)
            judged = zip(block, verdicts, strict=True)
            if len(wrong) <= MOST:
                wrong += [figure for figure, verdict in judged if not verdict.right]
            if bases[None]:  # what has been called wrong is not taken back
                suspicion.give_up()
            yield [
                (figure.line, *map(_cell, [figure.x, figure.up] if pairs else [figure.x]),
                 figure.column, figure.published, verdict.correct, verdict.off_by,
                 "right" if verdict.right else "wrong")
                for figure, verdict in zip(block, verdicts, strict=True)
                if not (wrong_only and verdict.right)
            ]  # fmt: skip
        said = [_summed_up(bases.total(), bases[None], suspicion) + _whose(wrong)]
        beyond = [
            f"{count:,} {'figure is' if count == 1 else 'figures are each'} {basis.value}"
            for basis in Basis if (count := bases[basis]) and basis is not Basis.DECIMAL
        ]  # fmt: skip
        facts = FACTS | ({"right beyond 0.5": "; ".join(beyond)} if beyond else {})
        yield Ending(facts, failures=said) if bases[None] else Ending(facts, notes=said)

    names = NAMES.replace("x ", "x up ") if pairs else NAMES
    title = "Figures, to the last printed decimal"
    return report_of(title, names, stream(), digits, keys=3 + pairs)


def _judge(block: Sequence[Figure], digits: int | None, suspicion: Suspicion) -> list[Correction]:
    """Return the verdicts on some figures; raises `UsageError` where they are no decimals."""
    suspicion.narrow(block)
    verdicts = []
    for figure in block:
        verdict = correct(figure, digits)
        if not verdict.right:
            suspicion.weigh(figure)
            if suspicion.certain:
                raise _no_decimal(figure, suspicion.certain)
        verdicts.append(verdict)
    return verdicts


def _no_decimal(figure: Figure, number_format: Format) -> UsageError:
    x = str(figure.x) if isinstance(figure.x, Fraction) else machine_text(_cell(figure.x))
    published = machine_text(figure.published)
    return UsageError(
        f"the figures are numbers of {number_format.name}, not decimals (line {figure.line}: "
        f"{figure.column} at x = {x} is {published}); add --dtype {number_format.name}"
    )


def _summed_up(judged: int, wrong: int, suspicion: Suspicion) -> str:
    if not wrong:
        return "the figure is right" if judged == 1 else f"{judged} figures, none of them wrong"

    def either(formats: Sequence[Format]) -> str:
        return " or ".join(each.name for each in formats)

    count = "the figure" if judged == 1 else f"{wrong} of {judged} figures"
    said = f"{count} {'is' if wrong == 1 else 'are'} wrong"
    if suspicion.explaining:
        right = "it is right as a result" if wrong == 1 else "they are right as results"
        return f"{said}; {right} in {either(suspicion.explaining)}: see --dtype"
    if suspicion.likely:
        return f"{said}; all of them may be results in {either(suspicion.likely)}: see --dtype"
    return said


def _whose(wrong: Sequence[Figure]) -> str:
    """Return in words of which forms all wrong figures are, if they are of a few."""
    known = [
        form.label
        for form in all_forms().values()
        if 0 < len(wrong) <= MOST
        and all(
            each.up is None
            and (form.has_gate or each.quantity not in OF_GATES)
            and correct(each._replace(form=form)).right
            for each in wrong
        )
    ]
    one = "it is that" if len(wrong) == 1 else "they are those"
    return f"; {one} of {' or '.join(known)}" if 0 < len(known) <= FEW else ""


def _cell(x: Any) -> Cell:
    return x if isinstance(x, Decimal) else x_cell(x, Decimals(FLOAT64_DIGITS))
