"""A row as a JSON object: what json and jsonl share."""

from __future__ import annotations

import json
import math
from decimal import Decimal

from gelu_cli.report import Cell, Report, Row
from gelu_cli.report.numbers import machine_text

FLOAT64_DIGITS = 17
"""More digits than these would be lost by a reader of JSON numbers, so they leave as strings."""


def json_object(report: Report, row: Row) -> str:
    """Return the row as one line of standard JSON."""
    long = report.digits is not None and report.digits > FLOAT64_DIGITS
    members = (
        f"{json.dumps(column.name)}: {_json(cell, long)}"
        for column, cell in zip(report.columns, row, strict=True)
    )
    return "{" + ", ".join(members) + "}"


def _json(cell: Cell, long: bool) -> str:
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return "null"
    if isinstance(cell, Decimal):
        long |= len(cell.as_tuple().digits) > FLOAT64_DIGITS
    if isinstance(cell, str) or (isinstance(cell, (float, Decimal)) and long):
        return json.dumps(machine_text(cell), ensure_ascii=False)
    return machine_text(cell)
