"""What documents for people say alike: the verdict in short, and a table on its side."""

from __future__ import annotations

from collections.abc import Sequence

from gelu_cli.report import Column
from gelu_cli.report.documents import Finding, Table
from gelu_cli.report.numbers import human_text

SIDE_BY_SIDE = 6
"""So few rows of a table may be columns, where its columns are more than its rows."""


def in_short(findings: Sequence[Finding]) -> str:
    """Return in a sentence how many of the limits hold.

    >>> in_short([])
    'No limit was given, so nothing is judged.'
    >>> in_short([Finding("a", "max_ulp ≤ 1", False, ""), Finding("b", "max_ulp ≤ 1", True, "")])
    '1 of 2 limits does not hold.'
    """
    if any(finding.broken for finding in findings):
        return "The answer is not complete."
    limits = [finding for finding in findings if not finding.warns]
    failing, of = sum(not finding.holds for finding in limits), len(limits)
    if not of:
        return "No limit was given, so nothing is judged."
    if of == 1:
        return "The limit does not hold." if failing else "The limit holds."
    if not failing:
        return f"All {of} limits hold."
    return f"{failing} of {of} limits {'does' if failing == 1 else 'do'} not hold."


def word_for(finding: Finding) -> str:
    """Return the word for a finding, behind a sign that says the same.

    >>> word_for(Finding("erfc", "max_ulp ≤ 1", True, ""))
    '✓ holds'
    """
    if finding.warns:
        return "! vanished"
    return "✓ holds" if finding.holds else "✗ fails"


def place_of(finding: Finding) -> str:
    """Return the file and the line that a finding is about, if there are any."""
    return f"{finding.file}, line {finding.line}" if finding.line else finding.file


def reads_better_turned(table: Table) -> bool:
    """Return whether a table is better read on its side: of few rows, with many columns."""
    return table.keys == 1 and 0 < len(table.rows) <= SIDE_BY_SIDE < len(table.columns)


def turned(table: Table) -> Table:
    """Return a table of texts, a column for each row, and a row for each column but the first.

    >>> columns = [Column("routine", "routine"), Column("max_ulp", "max ULP")]
    >>> sides = turned(Table("", columns, [("erfc", 1.5), ("logistic", 2.0)], {}))
    >>> [column.heading for column in sides.columns], sides.rows
    (['routine', 'erfc', 'logistic'], [['max ULP', '1.5', '2']])
    """
    first, *others = zip(*table.rows, strict=True)
    heads = [table.columns[0].heading, *map(human_text, first)]
    rows = [
        [column.heading, *map(human_text, cells)]
        for column, cells in zip(table.columns[1:], others, strict=True)
    ]
    return table._replace(columns=[Column(head, head) for head in heads], rows=rows)
