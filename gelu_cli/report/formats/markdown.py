"""A Markdown table (GitHub's)."""

from __future__ import annotations

from collections.abc import Iterator

from gelu_cli.report import Page, Report
from gelu_cli.report.numbers import human_text, is_number

SUFFIXES = (".md", ".markdown")
PEOPLE = True


def render(report: Report, page: Page) -> Iterator[str]:
    """Yield the report as a Markdown table, numbers to the right."""
    headed = False
    for block in report.blocks:
        lines = []
        if not headed:
            rules = ("---:" if is_number(cell) else ":---" for cell in block[0])
            lines = [_line(column.heading for column in report.columns), _line(rules)]
            headed = True
        lines += [_line(map(human_text, row)) for row in block]
        yield "\n".join(lines) + "\n"


def _line(cells: Iterator[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
