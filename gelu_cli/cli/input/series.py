"""Figures to be drawn: x and the columns of numbers of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gelu_cli.arithmetic.typed import parse_number
from gelu_cli.cli.input.printed import is_missing
from gelu_cli.cli.input.tables.headings import left_alone
from gelu_cli.cli.input.tables.table import read_table
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.answers.plot.forms import Series


def read_series(source: str, say: Callable[[str], object]) -> list[Series]:
    """Return a series for each column of numbers that a table has beside x.

    Cells may be empty. A column with anything else is left alone, and `say` is told. Raises
    `UsageError` for a table without x, or without any such column.
    """
    table = read_table(source)
    table.require_x()
    lines: list[int] = []
    columns: list[list[str]] = [[] for _ in table.header]
    for block in table.blocks:
        lines += block.numbers
        for column, cells in zip(columns, block.columns, strict=True):
            column.extend(cells)
    words = columns[table.header["x"]]
    x = [table.read(line, "x", word, _float) for line, word in zip(lines, words, strict=True)]
    found, others = [], []
    for name, place in table.header.items():
        series = _series(f"{name}, {Path(table.name).name}", x, columns[place])
        if name != "x" and series is not None:
            found.append(series)
        elif name != "x":
            others.append(name)
    if not found:
        raise UsageError(f"{table.name} has no column of numbers beside x")
    if others:
        say(left_alone(others, table.name))
    return found


def _float(word: str) -> float:
    return float(parse_number(word))


def _series(name: str, x: Sequence[float], cells: Sequence[str]) -> Series | None:
    """Return a series of the cells that are not empty, None if one of them is no number."""
    import numpy as np

    from gelu_cli.answers.plot.forms import Series

    there = [i for i, cell in enumerate(cells) if not is_missing(cell)]
    try:
        y = [_float(cells[i]) for i in there]
    except (UsageError, OverflowError):
        return None
    return Series(name, np.array([x[i] for i in there]), np.array(y)) if there else None
