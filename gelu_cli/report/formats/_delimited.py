"""Rows of cells with a separator between them: what csv and tsv share."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from gelu_cli.report import Page, Report, some_blocks
from gelu_cli.report.numbers import machine_text


def render_delimited(report: Report, page: Page, delimiter: str) -> Iterator[str]:
    """Yield a header, unless the page has none, and a line for each row."""
    header = [[column.name for column in report.columns]] if page.header else []
    for block in some_blocks(report):
        text = StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerows(header)
        writer.writerows([machine_text(cell) for cell in row] for row in block)
        header = []
        yield text.getvalue()
