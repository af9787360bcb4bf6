"""Tables and sentences on a terminal, by rich."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from gelu_cli.output.renderers import is_numeric, to_short_text
from gelu_cli.output.tables import Table

MOST_ROWS = 1000
"""Rows that a terminal shows; files have all."""


def _console(out: TextIO) -> Console:
    """Open a console; off a terminal only COLUMNS limits its width."""
    is_terminal = out.isatty()
    console = Console(file=out, force_terminal=is_terminal, highlight=False, emoji=False)
    if not is_terminal:
        console.width = int(os.environ.get("COLUMNS") or 10_000)
    return console


def print_sentences(sentences: Sequence[str], out: TextIO) -> None:
    """Print sentences, wrapped at words, and an empty line."""
    console = _console(out)
    for sentence in sentences:
        console.print(_indented(sentence))
    if sentences:
        console.print()


def _indented(sentence: str, style: str = "") -> Padding:
    return Padding(Text(sentence), (0, 0, 0, 1), style=style, expand=False)


def print_table(table: Table, out: TextIO) -> None:
    """Print a table, with numbers aligned at their points.

    Columns that do not fit are printed below the others, behind the keys of their rows.
    """
    console = _console(out)
    most = MOST_ROWS if console.is_terminal else None
    texts = {name: _texts(table, name, most) for name in table.columns}
    with console.capture() as capture:
        console.print(_indented(f"{table.title}\n", "bold"))
        for names in _panels(texts, table.keys, console.width):
            console.print(_panel({name: texts[name] for name in names}, table, console.width))
            console.print()
        if most and len(table) > most:
            console.print(f" the first {most:,} of {len(table):,} rows; -o FILE writes all\n")
        for word, meaning in table.meanings.items():
            console.print(_indented(f"{word}: {meaning}", "dim"))
    out.writelines(f"{line.rstrip()}\n" for line in capture.get().rstrip().split("\n"))


def _texts(table: Table, name: str, most: int | None) -> list[str]:
    """List the heading and the first cells; pad numbers to one width."""
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


def _panels(texts: Mapping[str, Sequence[str]], keys: int, width: int) -> Iterator[list[str]]:
    """Yield the names of columns that fit side by side, behind the keys."""
    names = list(texts)
    wide = {name: max(map(len, texts[name])) + 2 for name in names}
    panel = names[:keys]
    for name in names[keys:]:
        if len(panel) > keys and sum(wide[each] for each in [*panel, name]) - 2 > width:
            yield panel
            panel = names[:keys]
        panel = [*panel, name]
    yield panel


def _panel(texts: Mapping[str, Sequence[str]], table: Table, width: int) -> RichTable:
    """Make a table; fold numbers that are wider than the console."""
    fits = sum(max(map(len, column)) + 2 for column in texts.values()) - 2 <= width
    printed = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for place, (name, (heading, *_)) in enumerate(texts.items()):
        style = "cyan" if place < table.keys else ""
        numeric = is_numeric(table.columns[name])
        printed.add_column(Text(heading), overflow="fold", no_wrap=numeric and fits, style=style)
    for cells in zip(*(column[1:] for column in texts.values()), strict=True):
        printed.add_row(*map(Text, cells))
    return printed
