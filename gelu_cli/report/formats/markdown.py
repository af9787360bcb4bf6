"""A table as GitHub has it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gelu_cli.report import Page, Report, blocks_of, rows_of
from gelu_cli.report.numbers import human_text, numeric_columns

SUFFIXES = (".md", ".markdown")
PEOPLE = True

MARKUP = re.compile(
    r"""
    [\\|`<\[$]
    | (?<=\S)[*~] | _(?![^\W_])  # where they may end what they mark; none begins without an end
    | &(?=[#\w])
    """,
    re.VERBOSE,
)
"""The signs that Markdown, or the HTML in it, would not take for themselves."""


def render(report: Report, page: Page) -> Iterator[str]:
    """Yield the report as a Markdown table, numbers to the right."""
    headed = False
    for block in map(rows_of, blocks_of(report)):
        lines = []
        if not headed:
            rules = ("---:" if n else ":---" for n in numeric_columns(report, block))
            lines = [_line(column.heading for column in report.columns), _line(rules)]
            headed = True
        lines += [_line(map(human_text, row)) for row in block]
        yield "".join(f"{line}\n" for line in lines)


def as_text(text: str) -> str:
    r"""Return a text in which nothing is markup.

    >>> print(as_text("<b>[tanh_sum]*"))
    \<b>\[tanh_sum]\*
    """
    return MARKUP.sub(r"\\\g<0>", text)


def _line(cells: Iterator[str]) -> str:
    return "| " + " | ".join(map(as_text, cells)) + " |"
