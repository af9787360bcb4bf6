"""Tables and sentences on a terminal, by rich."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import TextIO

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from gelu_cli.output.tables import Table, is_numeric, to_short_text

MOST_ROWS = 1000
"""Largest number of rows on a terminal; a file gets all rows."""


def _console(out: TextIO) -> Console:
    """Open a console; in a pipe or file only COLUMNS limits its width."""
    is_terminal, columns = out.isatty(), os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() else None if is_terminal else 10_000
    # If width or height is None, rich fails on COLUMNS=² or LINES=²; `__main__` unsets such values.
    return Console(file=out, force_terminal=is_terminal, highlight=False, width=width, height=25)


def print_sentences(sentences: Sequence[str], out: TextIO) -> None:
    """Print sentences, wrapped at words, and an empty line."""
    console = _console(out)
    with console.capture() as capture:
        for sentence in sentences:
            console.print(_indented(sentence))
    out.writelines(f"{line.rstrip()}\n" for line in capture.get().split("\n") if sentences)


def _indented(sentence: str, style: str = "") -> Padding:
    return Padding(Text(sentence), (0, 0, 0, 1), style=style, expand=False)


def print_table(table: Table, out: TextIO) -> None:
    """Print a table, with numbers aligned at their points.

    Columns that do not fit are printed in another table below, which begins with the key columns.
    If a column of numbers does not fit beside the keys either, each cell of the table gets a line.
    """
    console = _console(out)
    most = MOST_ROWS if console.is_terminal else None
    texts, keys = {name: _texts(table, name, most) for name in table.columns}, table.keys
    panels = _panels(texts, keys, console.width)
    too_wide = [names[-1] for names in panels if _width(texts, names) > console.width]
    if any(is_numeric(table.columns[name]) for name in too_wide):
        texts, keys = _one_below_another(texts), 1
        panels = [[*texts]]
    with console.capture() as capture:
        console.print(_indented(f"{table.title}\n", "bold"))
        for names in panels:
            console.print(_panel([texts[name] for name in names], keys))
            console.print()
        if most and len(table) > most:
            console.print(f" the first {most:,} of {len(table):,} rows; -o FILE writes all\n")
        for word, meaning in table.meanings.items():
            console.print(_indented(f"{word}: {meaning}", "dim"))
    out.writelines(f"{line.rstrip()}\n" for line in capture.get().rstrip().split("\n"))


def _texts(table: Table, name: str, most: int | None) -> list[str]:
    """List the heading and up to `most` cells; pad numbers to one width."""
    heading, cells = table.heading(name), [*map(to_short_text, table.columns[name][:most])]
    if not is_numeric(table.columns[name]):
        return [heading, *cells]
    cells = aligned(cells)
    width = max(map(len, [heading, *cells]))
    return [cell.rjust(width) for cell in [heading, *cells]]


def aligned(numbers: Sequence[str]) -> list[str]:
    """Pad numbers so that their decimal points are aligned.

    >>> aligned(["1.25", "-10", "3e-07"])
    ['  1.25 ', '-10    ', '  3e-07']
    """
    whole = [len(re.split(r"[.e]", number)[0]) for number in numbers]
    padded = [" " * (max(whole) - n) + each for n, each in zip(whole, numbers, strict=True)]
    width = max(map(len, padded), default=0)
    return [each.ljust(width) for each in padded]


def _width(texts: Mapping[str, Sequence[str]], names: Sequence[str]) -> int:
    """Compute the width of columns side by side."""
    return sum(max(map(len, texts[name])) + 2 for name in names) - 2


def _panels(texts: Mapping[str, Sequence[str]], keys: int, width: int) -> list[list[str]]:
    """Group columns that fit side by side; each group begins with the keys."""
    names = list(texts)
    panels = [names[: keys + 1]]
    for name in names[keys + 1 :]:
        if _width(texts, [*panels[-1], name]) > width:
            panels.append(names[:keys])
        panels[-1].append(name)
    return panels


def _one_below_another(texts: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Make a column of headings and one of cells; blank lines separate rows."""
    headings, *rows = zip(*(map(str.strip, column) for column in texts.values()), strict=True)
    shown: dict[str, list[str]] = {"column": ["column"], "value": ["value"]}
    for row in rows:
        space = [""] * (len(shown["value"]) > 1)
        shown["column"] += [*space, *headings]
        shown["value"] += [*space, *row]
    return shown


def _panel(columns: Sequence[Sequence[str]], keys: int) -> RichTable:
    """Make a table of columns, each a heading and cells."""
    shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    headings, *rows = zip(*columns, strict=True)
    for place, heading in enumerate(headings):
        shown.add_column(Text(heading), overflow="fold", style="cyan" if place < keys else "")
    for cells in rows:
        shown.add_row(*map(Text, cells))
    return shown
