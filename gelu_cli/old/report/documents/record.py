"""The whole answer as one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from math import isfinite
from typing import Any

import gelu_cli
from gelu_cli.old.report import Cell
from gelu_cli.old.report.documents import Document, Table
from gelu_cli.old.report.numbers import FLOAT64_DIGITS, decimal_text

SUFFIXES = (".json",)

SCHEMA = 1
"""The version of what `docs/record.md` describes."""


LINE = 100
"""Characters of a value that has no lines of its own."""


def render(document: Document) -> Iterator[str]:
    """Yield the document as JSON: a line for each row of a view, and for each short field."""
    steps = {"plot": document.steps} if document.steps else {}
    record = {
        "schema": SCHEMA,
        "gelu": document.gelu or gelu_cli.__version__,
        "command": document.command,
        "made": document.made,
        "question": document.question,
        "views": {name: _rows(table) for name, table in (*document.views.items(), *steps.items())},
        "verdict": [
            {
                "kernel": each.kernel,
                "about": each.about,
                "text": each.text,
                **{name: _value(cell) for name, cell in each.figures.items()},
            }
            for each in document.words
        ],
        "findings": [finding._asdict() for finding in document.findings],
        "notes": list(document.notes),
        "caveats": list(document.caveats),
    }
    yield "{\n"
    for number, (name, value) in enumerate(record.items()):
        yield ",\n" * (number > 0) + f'  "{name}": {_text(value, "  ")}'
    yield "\n}\n"


def _text(value: Any, indent: str) -> str:
    """Return JSON with a line for each part of what is large, all parts of it together if small."""
    whole = json.dumps(value, ensure_ascii=False, allow_nan=False)
    values = value.values() if isinstance(value, dict) else value
    small = len(whole) <= LINE or not isinstance(value, dict | list)
    if small or not any(isinstance(each, dict | list) for each in values):
        return whole  # a row of a table, or a list of words, whatever its length
    inner = indent + "  "
    parts = [_text(each, inner) for each in values]
    if isinstance(value, dict):
        parts = [f"{json.dumps(name)}: {part}" for name, part in zip(value, parts, strict=True)]
    lines = f",\n{inner}".join(parts)
    return f"{whole[0]}\n{inner}{lines}\n{indent}{whole[-1]}"


def _rows(table: Table) -> list[dict[str, Any]]:
    names = [column.name for column in table.columns]
    return [dict(zip(names, map(_value, row), strict=True)) for row in table.rows]


def _value(cell: Cell) -> Any:
    """Return a cell as JSON has it: numbers that are not finite, or are no float64s, as text."""
    if isinstance(cell, float):
        return cell if isfinite(cell) else repr(cell)
    if isinstance(cell, Decimal):
        number, few = float(cell), len(cell.as_tuple().digits) <= FLOAT64_DIGITS
        fits = few and isfinite(number) and bool(number) == bool(cell)
        return number if fits else decimal_text(cell)
    return cell
