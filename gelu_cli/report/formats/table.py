"""A table for people, by rich: aligned at the decimal point, never a digit cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import islice
from typing import NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gelu_cli.report import Page, Report, Row
from gelu_cli.report.numbers import human_text, is_number

SUFFIXES = (".txt",)
PEOPLE = True

ROWS_AT_ONCE = 1000
"""A longer table is printed in parts, each under its own header, in constant memory."""

GAP = 2
TEXT_WIDTH = 20
"""Prose may be wrapped to so few characters a line before a column gets a panel of its own."""

UNLIMITED = 10**6


def render(report: Report, page: Page) -> Iterator[str]:
    """Yield the report as text for a terminal or a file."""
    rows = (row for block in report.blocks for row in block)
    heading = _printed(Text(f" {report.title}", style="bold"), page) + "\n"
    while part := list(islice(rows, ROWS_AT_ONCE)):
        yield heading + _panelled(report, part, page)
        heading = "\n"
    facts = "\n".join(f" {name}: {fact}" for name, fact in report.facts.items())
    if facts:
        yield "\n" + _printed(Text(facts, style="dim"), page)


def _panelled(report: Report, rows: Sequence[Row], page: Page) -> str:
    """Return the rows as one table, or as several below one another where the page is narrow."""
    room = page.width or UNLIMITED
    columns = [_column(report, i, rows, room) for i in range(len(report.columns))]
    parts = []
    for panel in _panels([each.needs for each in columns], report.keys, room):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, GAP - 1, 0, 0),
                      show_edge=False)  # fmt: skip
        for i in panel:
            # A number is folded where the page is narrower than it; it is never cut.
            table.add_column(
                Text(columns[i].heading),
                style="cyan" if i < report.keys else "",
                no_wrap=columns[i].numeric and columns[i].needs <= room,
                overflow="fold",
            )
        for cells in zip(*(columns[i].cells for i in panel), strict=True):
            table.add_row(*map(Text, cells))
        parts.append(_printed(table, page))
    return "\n".join(parts)


class _Aligned(NamedTuple):
    """A column ready to print: all cells of a numeric one have the same width."""

    heading: str
    cells: Sequence[str]
    numeric: bool
    needs: int


def _column(report: Report, i: int, rows: Sequence[Row], room: int) -> _Aligned:
    heading = report.columns[i].heading
    texts = [human_text(row[i]) for row in rows]
    if not all(is_number(row[i]) for row in rows):
        return _Aligned(heading, texts, False, min(TEXT_WIDTH, max(map(len, (heading, *texts)))))
    cells = _at_the_point(texts)
    width = max(len(heading), len(cells[0]))
    if width > room:
        return _Aligned(heading, texts, True, width)
    return _Aligned(heading.rjust(width), [cell.rjust(width) for cell in cells], True, width)


def _at_the_point(numbers: Sequence[str]) -> list[str]:
    """Pad numbers so that their decimal points, or where these would be, stand in one column."""
    points = [number.find(".") if "." in number else len(number) for number in numbers]
    left = max(points)
    padded = [" " * (left - at) + number for at, number in zip(points, numbers, strict=True)]
    right = max(map(len, padded))
    return [cell.ljust(right) for cell in padded]


def _panels(needs: Sequence[int], keys: int, room: int) -> Iterator[list[int]]:
    """Yield which columns stand side by side: as many as fit, the key columns in each panel."""
    panel = list(range(keys))
    for i in range(keys, len(needs)):
        if len(panel) > keys and sum(needs[j] + GAP for j in (*panel, i)) - GAP > room:
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
