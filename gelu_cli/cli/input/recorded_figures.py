"""The figures of a record that a budget judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gelu_cli.cli.input.fields import Field
from gelu_cli.cli.input.records import rows_of
from gelu_cli.kernels.budgets.entries import FIGURES, MAX_ORDINAL, MAX_ULP
from gelu_cli.kernels.budgets.figures import FiguresOfRows, names_of

if TYPE_CHECKING:
    from gelu_cli.kernels.records import Record


def recorded_figures(record: Record) -> list[FiguresOfRows]:
    """Return the figures of each kernel; raises `UsageError` where a record lacks some."""
    return [
        FiguresOfRows(
            names_of(verdict.name, verdict.question),
            verdict.question.dtype,
            verdict.exhaustive and verdict.complete,
            _figures(next(rows_of(record, "summary", verdict.name))),
            [
                {**_figures(row), "low": row["low"].a_number(), "high": row["high"].a_number()}
                for row in rows_of(record, "regions", verdict.name)
            ],
            verdict.changes.judged if verdict.changes else None,
        )
        for verdict in record.verdicts
    ]


def _figures(row: Field) -> dict[str, Any]:
    """Return the figures in a row, each a number of its kind."""
    found: dict[str, Any] = {"inputs": row["inputs"].a_count()}
    for figure in (each for each in FIGURES if each in row.value):
        if figure not in (MAX_ULP, MAX_ORDINAL):
            found[figure] = row[figure].a_count()
        elif row[figure].value is None:
            found[figure] = None
        else:
            found[figure] = row[figure].a_number()
            found[f"{figure}_x"] = row[f"{figure}_x"].a_number()
    return found
