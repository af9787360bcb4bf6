"""A table for people.

It is aligned at the decimal point, and no digit is ever cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import chain
from time import monotonic
from typing import NamedTuple

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gelu_cli.old.report import Cell, Ending, Page, Report, Row, Sentence, read, rows_of
from gelu_cli.old.report.numbers import at_the_point, human_text, numeric_columns
from gelu_cli.old.report.text import cells as width_of

SUFFIXES = (".txt",)
PEOPLE = True
PAGED = True

ROWS_AT_ONCE = 1000
"""A longer table is printed in parts, each under its own header, in constant memory."""

SOON, SCREEN = 0.2, 20
"""Seconds after which a terminal shows the rows that are there, if they fill a screen."""

GAP = 2
TEXT_WIDTH, NAME_WIDTH = 20, 8
"""Prose may be wrapped to so few characters a line before a column gets a panel of its own; where
numbers would have to be folded, names are broken down to the second."""

UNLIMITED = 10**6
BOLD, CYAN = "\033[1m", "\033[36m"


def render(report: Report, page: Page) -> Iterator[str]:
    """Yield the report as text for a terminal or a file."""
    if report.headed and page.live:
        whole, ending = read(report)
        yield headed(ending.words, page)
        said = " ".join(each.text for each in ending.words)
        others = {name: fact for name, fact in ending.facts.items() if fact not in said}
        report = report._replace(stream=[whole, ending._replace(facts=others)])
    ending = Ending()

    def rows() -> Iterator[Row]:
        nonlocal ending
        for item in report.stream:
            if isinstance(item, Ending):
                ending = item
            else:
                yield from rows_of(item)

    parts = _parts(rows(), SCREEN if page.live else ROWS_AT_ONCE)
    heading = _printed(_indented(report.title, "bold"), page) + "\n"
    for part in chain([next(parts, [])], parts):
        yield heading + _panelled(report, part, page)
        heading = "\n"
    facts = "\n".join(f"{name}: {fact}" for name, fact in ending.facts.items())
    if facts:
        yield "\n" + _printed(_indented(facts, "dim"), page)


def headed(words: Sequence[Sentence], page: Page) -> str:
    """Return the answer in words as it stands above tables; a name has a line, however long."""
    lines, named = [], ""
    for kernel, text in ((each.kernel, each.text) for each in words):
        if kernel != named:
            lines.append(f" {BOLD}{kernel}\033[0m\n" if page.colour else f" {kernel}\n")
            named = kernel
        lines.append(_printed(_indented(text, ""), page))
    return "".join(lines) + "\n" * bool(lines)


def _parts(rows: Iterator[Row], least: int) -> Iterator[list[Row]]:
    """Yield rows in parts of many, or of fewer where the next ones are not there soon.

    A part that does not wait has at least as many rows as all before it, so that few have headers.
    """
    start, part = monotonic(), list[Row]()
    for row in rows:
        if len(part) == ROWS_AT_ONCE or (len(part) >= least and monotonic() - start > SOON):
            yield part
            least, start, part = max(least, 2 * len(part)), monotonic(), []
        part.append(row)
    if part:
        yield part


class _Column(NamedTuple):
    """A column ready to print: all cells of a numeric one have the same width."""

    heading: str
    cells: Sequence[str]
    numeric: bool
    key: bool
    width: int
    """Of the widest cell and the heading; the next two are what a narrow page leaves of it."""

    needs: int
    least: int


def _panelled(report: Report, rows: Sequence[Row], page: Page) -> str:
    """Return the rows as one table, or as several below one another where the page is narrow."""
    room = page.width or UNLIMITED
    columns = [
        _column(column.heading, [row[i] for row in rows], numeric, i < report.keys)
        for i, (column, numeric) in enumerate(
            zip(report.columns, numeric_columns(report, rows), strict=True)
        )
    ]
    tables = []
    for panel in _panels(columns, _keys(columns, report.keys, room), room):
        shown = [columns[i] for i in panel]
        widths = [column.width for column in shown]
        if widths == _squeezed(shown, room) and _width(widths) <= room:
            tables.append(_in_lines(shown, page.colour))
        else:
            tables.append(_printed(_wrapped(shown, room), page))
    return "\n".join(tables)


def _column(heading: str, cells: Sequence[Cell], numeric: bool, key: bool) -> _Column:
    texts = [human_text(cell) for cell in cells]
    if not numeric:
        width = max(map(width_of, (heading, *texts)))
        needs = min(TEXT_WIDTH, width)
        return _Column(heading, texts, numeric, key, width, needs, min(needs, NAME_WIDTH))
    aligned = at_the_point(texts)
    width = max(width_of(heading), len(aligned[0]))
    right = " " * (width - width_of(heading)) + heading
    texts = [text.rjust(width) for text in aligned]
    return _Column(right, texts, numeric, key, width, width, width)


def _in_lines(columns: Sequence[_Column], colour: bool) -> str:
    """Return columns that all have room: the text that rich has for them, much faster."""

    def filled(column: _Column, texts: Sequence[str], style: str) -> list[str]:
        before, after = (style, "\033[0m") if colour and style else ("", "")
        gap = "" if column is columns[-1] else f"{before} {after}"
        return [
            f"{before}{text}{' ' * (column.width - width_of(text))}{after}{gap}" for text in texts
        ]

    headings = [filled(column, [column.heading], BOLD) for column in columns]
    cells = [filled(column, column.cells, CYAN * column.key) for column in columns]
    rule = "─" * _width([column.width for column in columns])
    above, rows = zip(*headings, strict=True), zip(*cells, strict=True)
    lines = [*map(" ".join, above), rule, *map(" ".join, rows)]
    return "".join(line.rstrip() + "\n" for line in lines)


def _wrapped(columns: Sequence[_Column], room: int) -> Table:
    """Return columns whose texts are wrapped; where even one is too wide, numbers are folded."""
    needs = _squeezed(columns, room)
    fits = _width(needs) <= room
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, GAP - 1, 0, 0), show_edge=False)
    for column in columns:
        heading = column.heading if fits else column.heading.strip()
        table.add_column(Text(heading), style="cyan" if column.key else "",
                         no_wrap=column.numeric and fits, overflow="fold")  # fmt: skip
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*(Text(cell if fits else cell.strip()) for cell in _broken(cells, needs)))
    return table


def _width(needs: Sequence[int]) -> int:
    return sum(needs) + GAP * (len(needs) - 1)


def _keys(columns: Sequence[_Column], keys: int, room: int) -> list[int]:
    """Return the columns of every panel: if room is short only those that tell rows apart."""
    every = list(range(keys))
    others = columns[keys:]
    if all(_width(_squeezed([*columns[:keys], column], room)) <= room for column in others):
        return every
    return [i for i in every if len(set(columns[i].cells)) > 1] or every[:1]


def _panels(columns: Sequence[_Column], keys: list[int], room: int) -> Iterator[list[int]]:
    """Yield which columns stand side by side: as many as fit, the key columns in each panel."""
    panel = list(keys)
    for i in range(len(columns)):
        if i in keys:
            continue
        if len(panel) > len(keys) and _width([columns[j].needs for j in (*panel, i)]) > room:
            yield panel
            panel = list(keys)
        panel.append(i)
    yield panel


def _squeezed(columns: Sequence[_Column], room: int) -> list[int]:
    """Return the widths of columns; where room is short the widest names give way."""
    widths = [column.needs for column in columns]
    while _width(widths) > room:
        spare = [width - column.least for width, column in zip(widths, columns, strict=True)]
        if not any(spare):
            break
        widths[max(range(len(widths)), key=lambda i: (spare[i] > 0, widths[i]))] -= 1
    return widths


def _broken(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """Yield cells in which names too long for their column are broken after a sign."""
    for cell, width in zip(cells, widths, strict=True):
        lines = [""]
        for piece in re.findall(r"[^_:./]*[_:./]?", cell) if width < width_of(cell) else ():
            if width_of(lines[-1] + piece) > width and lines[-1]:
                lines.append("")
            lines[-1] += piece
        yield "\n".join(lines) if len(lines) > 1 and " " not in cell else cell


def _indented(text: str, style: str) -> Padding:
    return Padding(Text(text, style=style), (0, 0, 0, 1))


def _printed(thing: Table | Padding, page: Page) -> str:
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
