"""Comma-separated values, lossless."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import cycle

from gelu_cli.old.report import Block, Labelled, Page, Report, blocks_of
from gelu_cli.old.report.numbers import float_lines, machine_text

SUFFIXES = (".csv",)
HEADER = True


def render(report: Report, page: Page, delimiter: str = ",") -> Iterator[str]:
    """Yield the report as CSV (RFC 4180, with line feeds), or with another delimiter."""
    header = _lines([[column.name for column in report.columns]] if page.header else [], delimiter)
    for block in blocks_of(report):
        yield header + _lines(block, delimiter)
        header = ""


def _lines(block: Block, delimiter: str) -> str:
    if isinstance(block, Labelled):
        labels = [_lines([label], delimiter).removesuffix("\n") for label in block.labels]
        lines = _lines(block.floats, delimiter).splitlines(keepends=True)
        rows = zip(cycle(labels), lines, strict=False)
        return "".join(label + delimiter + line for label, line in rows)
    if not isinstance(block, Sequence):
        return float_lines(block).replace(",", delimiter)
    text = StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerows([machine_text(cell) for cell in row] for row in block)
    return text.getvalue()
