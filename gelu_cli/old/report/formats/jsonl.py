"""An object on a line, for each row."""

from __future__ import annotations

from collections.abc import Iterator

from gelu_cli.old.report import Page, Report, blocks_of
from gelu_cli.old.report.formats.json import json_objects

SUFFIXES = (".jsonl", ".ndjson")


def render(report: Report, page: Page) -> Iterator[str]:
    """Yield the report as JSON lines."""
    for block in blocks_of(report):
        yield "".join(line + "\n" for line in json_objects(report, block))
