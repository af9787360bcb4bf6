"""An array of objects, one for each row."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import cycle

from gelu_cli.old.report import Block, Cell, Labelled, Page, Report, Row, blocks_of, rows_of
from gelu_cli.old.report.numbers import FLOAT64_DIGITS, float_lines, machine_text

SUFFIXES = (".json",)

PLACE = re.compile(r"(\w+_)?x|low|high")
"""The names of columns that say where on the line something is."""


def render(report: Report, page: Page) -> Iterator[str]:
    """Yield the report as one JSON array."""
    before = "[\n  "
    for block in blocks_of(report):
        if objects := json_objects(report, block):
            yield before + ",\n  ".join(objects)
            before = ",\n  "
    yield "[]\n" if before.startswith("[") else "\n]\n"


def json_objects(report: Report, block: Block) -> list[str]:
    """Return each row as one line of standard JSON.

    A reader of JSON numbers would lose what a float64 cannot hold, so more digits leave as strings.
    So do the infinities and NaN as places on the line, where rows would not be told apart; in other
    columns they are null, as most readers of tables expect what is missing or no number.
    """
    long = report.digits is not None and report.digits > FLOAT64_DIGITS
    names = (json.dumps(column.name).replace("%", "%%") for column in report.columns)
    template = "{" + ", ".join(f"{name}: %s" for name in names) + "}"
    places = [PLACE.fullmatch(column.name) is not None for column in report.columns]

    def one(row: Row) -> str:
        return template % tuple(
            _json(cell, long, place) for cell, place in zip(row, places, strict=True)
        )

    if long or isinstance(block, Sequence):
        return [one(row) for row in rows_of(block)]
    floats, labels = (block.floats, block.labels) if isinstance(block, Labelled) else (block, [()])
    lines = float_lines(floats, lambda cell: _json(cell, long)).splitlines()
    texts = cycle([tuple(_json(text, long) for text in label) for label in labels])
    objects = [
        template % (*label, *line.split(",")) for label, line in zip(texts, lines, strict=False)
    ]
    import numpy as np

    own = places[len(places) - floats.shape[1] :]
    finite = (abs(floats[:, own]) < math.inf).all(axis=1)
    for i in np.flatnonzero(~finite).tolist():
        objects[i] = one((*labels[i % len(labels)], *floats[i].tolist()))
    return objects


def _json(cell: Cell, long: bool, place: bool = False) -> str:
    if cell is None:
        return "null"
    if isinstance(cell, float) and not math.isfinite(cell):
        return f'"{cell}"' if place else "null"
    if isinstance(cell, Decimal):
        long |= len(cell.as_tuple().digits) > FLOAT64_DIGITS
    if isinstance(cell, str) or (isinstance(cell, (float, Decimal)) and long):
        return json.dumps(machine_text(cell), ensure_ascii=False)
    return machine_text(cell)
