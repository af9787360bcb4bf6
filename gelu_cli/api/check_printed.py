"""Printed numbers, each compared with the true value to its last decimal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gelu_cli.api.printed_numbers import (
    BEGINS,
    FLOAT64_DIGITS,
    NEAREST,
    OF_ROUNDED_X,
    ROUNDED,
    Figure,
    correct,
    format_of,
    formats_explaining,
)
from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.api.table import cell_of_x
from gelu_cli.errors import UsageError
from gelu_cli.inputs.columns import Meaning, input_column
from gelu_cli.inputs.layouts import Columns
from gelu_cli.inputs.printed import Printed, is_missing, parse_printed, parse_typed
from gelu_cli.numbers import Decimals
from gelu_cli.output.renderers import to_text
from gelu_cli.output.tables import Cell, Table

TITLE = "Printed numbers, to the last decimal"
MEANINGS = {
    "right": ROUNDED,
    "off_by": "distance from the true value, in units of that decimal; ≤ 0.5 is right",
}


@dataclass(frozen=True, kw_only=True)
class Checked(Result):
    """A printed number, and what it should be.

    Attributes
    ----------
    line
        Line of the file; of pairs X=Y, which of them it is.
    x
        The point as it was typed.
    column
        What the number should be, as `table` names columns.
    published
        The number that was read.
    correct
        The true value, to as many decimals, or to the digits asked for.
    off_by
        Distance of `published` from the true value, in units of its last decimal.
    verdict
        `right` or `wrong`.
    """

    line: int
    x: Cell
    column: str
    published: Decimal | float
    correct: Decimal | float
    off_by: Decimal | float
    verdict: str


def check_printed(
    columns: Columns, meanings: Mapping[str, Meaning], *, wrong: bool, digits: int | None
) -> Results[Checked]:
    """Compare each printed number with the true value."""
    figures = list(_figures(columns, meanings))
    if not figures:
        raise UsageError(f"no numbers beside x in {columns.name}; add a column such as exact")
    verdicts = [correct(figure, digits) for figure in figures]
    faults = [each for each, verdict in zip(figures, verdicts, strict=True) if not verdict.right]
    if found := format_of(figures, faults):
        first = faults[0]
        fault = f"{to_text(first.published)} is a result in {found.name}, not a decimal"
        raise UsageError(f"{columns.name}, line {first.line}: {fault}; add --dtype {found.name}")
    rows = [
        Checked(
            line=figure.line,
            x=_cell(figure.x),
            column=figure.column,
            published=figure.published,
            correct=verdict.correct,
            off_by=verdict.off_by,
            verdict="right" if verdict.right else "wrong",
        )
        for figure, verdict in zip(figures, verdicts, strict=True)
        if not (wrong and verdict.right)
    ]
    bases = {verdict.basis for verdict in verdicts}
    beyond = [each for each in (NEAREST, OF_ROUNDED_X, BEGINS) if each in bases]
    said_of = MEANINGS | ({"right beyond 0.5": "; ".join(beyond)} if beyond else {})
    count = len(faults)
    noun = "number" if len(figures) == 1 else "numbers"
    said = f"{count:,} of {len(figures):,} {noun} {'is' if count == 1 else 'are'} wrong"
    if names := " or ".join(formats_explaining(faults)):
        said += f"; right as results in {names}: see --dtype"

    def table() -> Table:
        names = "line x column published correct off_by verdict"
        return Table.of_rows(TITLE, names, map(Result.to_dict, rows), 3, None, said_of)

    notes, failures = ([], [said]) if count else ([said], [])
    return Results(rows, Answer({"summary": table}, notes=notes, failures=failures, found=said))


def _figures(columns: Columns, meanings: Mapping[str, Meaning]) -> Iterator[Figure]:
    """Yield the numbers of a table, line by line."""
    for heading, meaning in meanings.items():
        where = f"column '{heading}' of {columns.name}"
        if meaning.bits:
            raise UsageError(f"{where} holds bits; add --dtype FORMAT")
        if meaning.quantity in ("up", "up_gradient"):
            remedy = f"add --dtype FORMAT and --glu, or --ignore {heading}"
            raise UsageError(f"{where} is of two inputs; {remedy}")
        if meaning.form:
            meaning.form.require([meaning.quantity])
    points = columns.parsed(input_column(meanings, columns, "x"), parse_typed)
    targets = {heading: each for heading, each in meanings.items() if each.form}
    cells = [columns.parsed(heading, _published) for heading in targets]
    for line, x, *printed in zip(columns.lines, points, *cells, strict=True):
        for meaning, each in zip(targets.values(), printed, strict=True):
            if each and meaning.form:
                asked = meaning.name, meaning.form, meaning.quantity
                yield Figure(line, x, *asked, each.number, cut=each.cut)


def _published(word: str) -> Printed | None:
    return None if is_missing(word) else parse_printed(word)


def _cell(x: Any) -> Cell:
    return x if isinstance(x, Decimal) else cell_of_x(x, Decimals(FLOAT64_DIGITS))
