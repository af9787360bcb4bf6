"""Which printed figures are right to their last printed decimal, and what the others should be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from gelu_cli.answers.table import x_cell
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.report import Cell, Column, Ending, Report, Row
from gelu_cli.values.figures import FLOAT64_DIGITS, Figure, Verdict, judge

NAMES = ("line", "x", "column", "published", "correct", "off_by", "verdict")
FACTS = {
    "right": "the true value, rounded to the last decimal that is printed",
    "off_by": "distance from the true value, in units of that decimal",
}


def check(
    figures: Iterable[Sequence[Figure]], *, digits: int | None = None, wrong_only: bool = False
) -> Report:
    """Return a row for each figure, or for each wrong one: what it should be, and the verdict.

    `figures` comes in blocks, and so do the rows. `correct` has the last decimal of the figure,
    or so many significant `digits`; `off_by` is |published − value| in units of the last decimal.

    >>> from gelu_cli.forms import find_form
    >>> figure = Figure(2, Decimal(-3), "tanh", find_form("tanh"), "value", Decimal("-0.0040"))
    >>> report = check([[figure]])
    >>> from gelu_cli.report import read
    >>> rows, ending = read(report)
    >>> [[str(cell) for cell in row] for row in rows]
    [['2', '-3', 'tanh', '-0.0040', '-0.0036', '3.626', 'wrong']]
    >>> ending.failures
    ['the figure is wrong']
    """

    def stream() -> Iterator[list[Row] | Ending]:
        judged = wrong = 0
        for block in figures:
            verdicts = [judge(figure, digits) for figure in block]
            judged += len(verdicts)
            wrong += sum(not verdict.right for verdict in verdicts)
            yield [
                _row(*pair)
                for pair in zip(block, verdicts, strict=True)
                if not (wrong_only and pair[1].right)
            ]
        said = [_summed_up(judged, wrong)]
        yield Ending(FACTS, failures=said) if wrong else Ending(FACTS, notes=said)

    return Report(
        title="Figures, to the last printed decimal",
        columns=[Column(name, name) for name in NAMES],
        stream=stream(),
        digits=digits,
        keys=3,
    )


def _summed_up(judged: int, wrong: int) -> str:
    if judged == 1:
        return f"the figure is {'wrong' if wrong else 'right'}"
    if not wrong:
        return f"{judged} figures, none of them wrong"
    return f"{wrong} of {judged} figures {'is' if wrong == 1 else 'are'} wrong"


def _row(figure: Figure, verdict: Verdict) -> Row:
    x = figure.x if isinstance(figure.x, Decimal) else x_cell(figure.x, Decimals(FLOAT64_DIGITS))
    cells: list[Cell] = [figure.line, x, figure.column, figure.published]
    return *cells, verdict.correct, verdict.off_by, "right" if verdict.right else "wrong"
