"""A table for people, by rich: aligned at the decimal point, never a digit cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import islice
from typing import NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gelu_cli.report import Cell, Page, Report, Row, rows_of
from gelu_cli.report.numbers import human_text, numeric_columns

SUFFIXES = (".txt",)
PEOPLE = True
HEADER = False

ROWS_AT_ONCE = 1000
"""A longer table is printed in parts, each under its own header, in constant memory."""

GAP = 2
TEXT_WIDTH = 20
"""Prose may be wrapped to so few characters a line before a column gets a panel of its own."""

UNLIMITED = 10**6


def render(report: Report, page: Page) -> Iterator[str]:
    """Yield the report as text for a terminal or a file."""
    rows = (row for block in report.blocks for row in rows_of(block))
    heading = _printed(Text(f" {report.title}", style="bold"), page) + "\n"
    part = list(islice(rows, ROWS_AT_ONCE))
    while part or heading.strip():
        yield heading + _panelled(report, part, page)
        heading, part = "\n", list(islice(rows, ROWS_AT_ONCE))
    facts = "\n".join(f" {name}: {fact}" for name, fact in report.facts.items())
    if facts:
        yield "\n" + _printed(Text(facts, style="dim"), page)


def _panelled(report: Report, rows: Sequence[Row], page: Page) -> str:
    """Return the rows as one table, or as several below one another where the page is narrow."""
    room = page.width or UNLIMITED
    numeric = numeric_columns(report, rows)
    columns = [
        _column(report.columns[i].heading, [row[i] for row in rows], numeric[i])
        for i in range(len(numeric))
    ]
    parts = []
    for panel in _panels([column.needs for column in columns], report.keys, room):
        fits = _width([columns[i].needs for i in panel]) <= room
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, GAP - 1, 0, 0),
                      show_edge=False)  # fmt: skip
        for i in panel:
            # Where even one column is too wide, numbers are folded; they are never cut.
            heading = columns[i].heading if fits else columns[i].heading.strip()
            table.add_column(Text(heading), style="cyan" if i < report.keys else "",
                             no_wrap=numeric[i] and fits, overflow="fold")  # fmt: skip
        for cells in zip(*(columns[i].cells for i in panel), strict=True):
            table.add_row(*(Text(cell if fits else cell.strip()) for cell in cells))
        parts.append(_printed(table, page))
    return "\n".join(parts)


class _Column(NamedTuple):
    """A column ready to print: all cells of a numeric one have the same width."""

    heading: str
    cells: Sequence[str]
    needs: int


def _column(heading: str, cells: Sequence[Cell], numeric: bool) -> _Column:
    texts = [human_text(cell) for cell in cells]
    if not numeric:
        return _Column(heading, texts, min(TEXT_WIDTH, max(map(len, (heading, *texts)))))
    aligned = _at_the_point(texts)
    width = max(len(heading), len(aligned[0]))
    return _Column(heading.rjust(width), [text.rjust(width) for text in aligned], width)


def _at_the_point(numbers: Sequence[str]) -> list[str]:
    """Pad numbers so that their decimal points, or where these would be, stand in one column."""
    points = [len(re.split(r"[.e]", number)[0]) for number in numbers]
    left = max(points)
    padded = [" " * (left - at) + number for at, number in zip(points, numbers, strict=True)]
    right = max(map(len, padded))
    return [text.ljust(right) for text in padded]


def _width(needs: Sequence[int]) -> int:
    return sum(needs) + GAP * (len(needs) - 1)


def _panels(needs: Sequence[int], keys: int, room: int) -> Iterator[list[int]]:
    """Yield which columns stand side by side: as many as fit, the key columns in each panel."""
    panel = list(range(keys))
    for i in range(keys, len(needs)):
        if len(panel) > keys and _width([needs[j] for j in (*panel, i)]) > room:
            yield panel
            panel = list(range(keys))
        panel.append(i)
    yield panel


def _printed(thing: Table | Text, page: Page) -> str:
    out = StringIO()
    console = Console(
        file=out,
        width=page.width or UNLIMITED,
        force_terminal=page.colour,
        color_system="standard" if page.colour else None,
        highlight=False,
        emoji=False,
        markup=False,
    )
    console.print(thing)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
