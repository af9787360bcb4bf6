"""An array of objects, one for each row."""

from __future__ import annotations

from collections.abc import Iterator

from gelu_cli.report import Page, Report, blocks_of
from gelu_cli.report.formats._objects import json_objects

SUFFIXES = (".json",)


def render(report: Report, page: Page) -> Iterator[str]:
    """Yield the report as one JSON array."""
    before = "[\n  "
    for block in blocks_of(report):
        if objects := json_objects(report, block):
            yield before + ",\n  ".join(objects)
            before = ",\n  "
    yield "[]\n" if before.startswith("[") else "\n]\n"
