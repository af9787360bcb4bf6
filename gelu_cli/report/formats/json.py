"""An array of objects, one for each row."""

from __future__ import annotations

from collections.abc import Iterator

from gelu_cli.report import Page, Report, blocks_of
from gelu_cli.report.formats._objects import json_objects

SUFFIXES = (".json",)


def render(report: Report, page: Page) -> Iterator[str]:
    """Yield the report as one JSON array, in whole lines: a row waits for the comma after it."""
    before, last = "[\n", ""
    for block in blocks_of(report):
        if objects := json_objects(report, block):
            *ready, last = [last, *objects] if last else objects
            yield before + "".join(f"  {each},\n" for each in ready)
            before = ""
    yield f"  {last}\n]\n" if last else "[]\n"
