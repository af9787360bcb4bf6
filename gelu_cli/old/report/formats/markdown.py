"""A table as GitHub has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from gelu_cli.old.report import Page, Report, blocks_of, rows_of
from gelu_cli.old.report.numbers import human_text, numeric_columns

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
    blocks = map(rows_of, blocks_of(report))
    first = next(blocks)
    rules = ("---:" if n else ":---" for n in numeric_columns(report, first))
    yield _line(column.heading for column in report.columns) + _line(rules)
    for block in chain([first], blocks):
        yield "".join(_line(map(human_text, row)) for row in block)


def as_text(text: str) -> str:
    r"""Return a text in which nothing is markup.

    >>> print(as_text("<b>[tanh_sum]*"))
    \<b>\[tanh_sum]\*
    """
    return MARKUP.sub(r"\\\g<0>", text)


def _line(cells: Iterator[str]) -> str:
    return "| " + " | ".join(map(as_text, cells)) + " |\n"
