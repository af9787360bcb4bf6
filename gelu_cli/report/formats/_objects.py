"""A row as a JSON object: what json and jsonl share."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from decimal import Decimal
from itertools import cycle

from gelu_cli.report import Block, Cell, Labelled, Report, rows_of
from gelu_cli.report.numbers import FLOAT64_DIGITS, float_lines, machine_text


def json_objects(report: Report, block: Block) -> list[str]:
    """Return each row as one line of standard JSON.

    A reader of JSON numbers would lose what a float64 cannot hold, so more digits leave as strings.
    """
    long = report.digits is not None and report.digits > FLOAT64_DIGITS
    names = (json.dumps(column.name).replace("%", "%%") for column in report.columns)
    template = "{" + ", ".join(f"{name}: %s" for name in names) + "}"
    if long or isinstance(block, Sequence):
        return [template % tuple(_json(cell, long) for cell in row) for row in rows_of(block)]
    floats, labels = (block.floats, block.labels) if isinstance(block, Labelled) else (block, [()])
    lines = float_lines(floats, lambda cell: _json(cell, long)).splitlines()
    texts = cycle([tuple(_json(text, long) for text in label) for label in labels])
    return [
        template % (*label, *line.split(",")) for label, line in zip(texts, lines, strict=False)
    ]


def _json(cell: Cell, long: bool) -> str:
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return "null"
    if isinstance(cell, Decimal):
        long |= len(cell.as_tuple().digits) > FLOAT64_DIGITS
    if isinstance(cell, str) or (isinstance(cell, (float, Decimal)) and long):
        return json.dumps(machine_text(cell), ensure_ascii=False)
    return machine_text(cell)
