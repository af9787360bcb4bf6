"""Printed numbers, each compared with the true value to its last decimal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gelu_cli.api.results import Answer, Result, Results
from gelu_cli.api.table import exact_cell
from gelu_cli.errors import UsageError
from gelu_cli.inputs.columns import Meaning, input_column
from gelu_cli.inputs.layouts import Columns
from gelu_cli.inputs.printed import Printed, is_missing, parse_printed, parse_typed
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.formulas import OF_GATES, all_forms
from gelu_cli.old.values.figures import FLOAT64_DIGITS, Basis, Correction, Figure, correct
from gelu_cli.old.values.figures_in_formats import Suspicion
from gelu_cli.output.renderers import to_text
from gelu_cli.output.tables import Cell, Table

FEW, MOST = 2, 1000
"""Forms that are named, and wrong numbers that are compared with all forms."""

TITLE = "Printed numbers, to the last decimal"
COLUMNS = "line x column published correct off_by verdict"
MEANINGS = {
    "right": Basis.DECIMAL.value,
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
        raise UsageError(f"{columns.name} has no numbers beside x; add a column such as exact")
    suspicion = Suspicion()
    suspicion.narrow(figures)
    found = []
    for figure in figures:
        verdict = correct(figure, digits)
        if not verdict.right:
            suspicion.weigh(figure)
            _refuse_results(figure, suspicion)
        found.append((figure, verdict))
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
        for figure, verdict in found
        if not (wrong and verdict.right)
    ]
    bad = [figure for figure, verdict in found if not verdict.right]
    said = _summed_up(len(found), len(bad), suspicion) + _whose(bad)
    said_of = MEANINGS | _beyond(found)

    def table() -> Table:
        return Table.of_rows(TITLE, COLUMNS, map(Result.to_dict, rows), 3, None, said_of)

    notes, failures = ([], [said]) if bad else ([said], [])
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


def _refuse_results(figure: Figure, suspicion: Suspicion) -> None:
    """Refuse numbers of a format that are not decimals, beyond doubt."""
    if suspicion.certain:
        name = suspicion.certain.name
        x = str(figure.x) if isinstance(figure.x, Fraction) else to_text(_cell(figure.x))
        raise UsageError(
            f"the numbers are results in {name}, not decimals (line {figure.line}: {figure.column} "
            f"at x = {x} is {to_text(figure.published)}); add --dtype {name}"
        )


def _cell(x: Any) -> Cell:
    return x if isinstance(x, Decimal) else exact_cell(x, Decimals(FLOAT64_DIGITS))


def _beyond(found: Iterable[tuple[Figure, Correction]]) -> dict[str, str]:
    """Explain what is right though it is off by more than ½."""
    bases = Counter(verdict.basis for _, verdict in found)
    said = [f"{count:,} {'number is' if count == 1 else 'numbers are each'} {basis.value}"
            for basis in [*Basis][1:] if (count := bases[basis])]  # fmt: skip
    return {"right beyond 0.5": "; ".join(said)} if said else {}


def _summed_up(checked: int, wrong: int, suspicion: Suspicion) -> str:
    """Count the wrong numbers, and name formats whose results they may be."""
    if not wrong:
        return "the number is right" if checked == 1 else f"{checked:,} numbers, none is wrong"
    count = "the number" if checked == 1 else f"{wrong:,} of {checked:,} numbers"
    said = f"{count} {'is' if wrong == 1 else 'are'} wrong"
    names = " or ".join(each.name for each in suspicion.explaining or suspicion.likely)
    if suspicion.explaining:
        right = "it is right as a result" if wrong == 1 else "they are right as results"
        return f"{said}; {right} in {names}: see --dtype"
    return f"{said}; all may be results in {names}: see --dtype" if names else said


def _whose(wrong: Sequence[Figure]) -> str:
    """Name the forms that all wrong numbers are values of, if they are few."""
    known = [
        form.label
        for form in all_forms().values()
        if 0 < len(wrong) <= MOST
        and all(
            (form.has_gate or each.quantity not in OF_GATES)
            and correct(each._replace(form=form)).right
            for each in wrong
        )
    ]
    one = "it is that" if len(wrong) == 1 else "they are those"
    return f"; {one} of {' or '.join(known)}" if 0 < len(known) <= FEW else ""
