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
"""Nobody scrolls through more on a terminal; files have all."""


def console_for(out: TextIO) -> Console:
    """Open a console; off a terminal it is as wide as COLUMNS says, or no line is broken."""
    if out.isatty():
        return Console(file=out, highlight=False, markup=False)
    width = int(os.environ.get("COLUMNS") or 10_000)
    return Console(file=out, width=width, color_system=None, highlight=False, markup=False)


def print_sentences(sentences: Sequence[str], console: Console) -> None:
    """Print sentences, wrapped at words, and an empty line."""
    for sentence in sentences:
        console.print(_indented(sentence))
    if sentences:
        console.print()


def _indented(sentence: str, style: str = "") -> Padding:
    return Padding(Text(sentence, style=style), (0, 0, 0, 1), expand=False)


def print_table(table: Table, console: Console) -> None:
    """Print a table, numbers aligned at their points; no digit is ever cut.

    Columns without room stand below the others, behind the keys of their rows.
    """
    if console.is_terminal:
        _print(table, console)
        return
    with console.capture() as capture:
        _print(table, console)
    console.file.writelines(line.rstrip() + "\n" for line in capture.get().splitlines())


def _print(table: Table, console: Console) -> None:
    shortened = console.is_terminal and len(table) > MOST_ROWS
    rows = table.rows(0, MOST_ROWS if shortened else None)
    cells = list(zip(*rows, strict=True)) or [()] * len(table.columns)
    texts = {
        name: _texts(table.heading(name), column, numeric=is_numeric(table.columns[name]))
        for name, column in zip(table.columns, cells, strict=True)
    }
    console.print(_indented(f"{table.title}\n", "bold"))
    for names in _panels(texts, table.keys, console.width):
        console.print(_panel({name: texts[name] for name in names}, table, console.width))
        console.print()
    if shortened:
        console.print(f" the first {MOST_ROWS:,} of {len(table):,} rows; -o FILE writes all\n")
    for word, meaning in table.meanings.items():
        console.print(_indented(f"{word}: {meaning}", "dim"))


def _texts(heading: str, column: Sequence[object], *, numeric: bool) -> list[str]:
    """List a heading and its cells; numbers are padded to one width."""
    cells = [to_short_text(cell) for cell in column]  # type: ignore[arg-type]
    if not numeric:
        return [heading, *cells]
    cells = aligned(cells)
    width = max(map(len, [heading, *cells]))
    return [heading.rjust(width), *(cell.rjust(width) for cell in cells)]


def aligned(numbers: Sequence[str]) -> list[str]:
    """Pad numbers so that their decimal points are below one another.

    >>> aligned(["1.25", "-10", "3e-07"])
    [' 1.25 ', '-10   ', ' 3e-07']
    """
    whole = [len(re.split(r"[.e]", number)[0]) for number in numbers]
    most = max(whole, default=0)
    padded = [" " * (most - n) + each for n, each in zip(whole, numbers, strict=True)]
    width = max(map(len, padded), default=0)
    return [each.ljust(width) for each in padded]


def _panels(texts: Mapping[str, Sequence[str]], keys: int, width: int) -> Iterator[list[str]]:
    """Yield the columns that fit side by side, each time behind the keys."""
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
    printed = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    keys = list(table.columns)[: table.keys]
    for name, (heading, *_) in texts.items():
        numeric = is_numeric(table.columns[name])
        printed.add_column(Text(heading), overflow="fold", no_wrap=numeric,
                           style="cyan" if name in keys else "")  # fmt: skip
    for cells in zip(*(column[1:] for column in texts.values()), strict=True):
        printed.add_row(*map(Text, cells))
    return printed
