"""The whole answer as one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import gelu_cli
from gelu_cli.report import Cell
from gelu_cli.report.documents import Document, Table
from gelu_cli.report.numbers import machine_text

SUFFIXES = (".json",)

SCHEMA = 1
"""The version of what `docs/record.md` describes."""


def render(document: Document) -> Iterator[str]:
    """Yield the document as JSON."""
    record = {
        "schema": SCHEMA,
        "gelu": gelu_cli.__version__,
        "command": document.command,
        "made": document.made,
        "question": document.question,
        "views": {name: _rows(table) for name, table in document.views.items()},
    }
    yield json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _rows(table: Table) -> list[dict[str, Any]]:
    names = [column.name for column in table.columns]
    return [dict(zip(names, map(_value, row), strict=True)) for row in table.rows]


def _value(cell: Cell) -> Any:
    """Return a cell as JSON has it; what JSON numbers cannot hold is text."""
    if isinstance(cell, float) and cell - cell == 0:
        return cell
    return cell if cell is None or isinstance(cell, int) else machine_text(cell)
