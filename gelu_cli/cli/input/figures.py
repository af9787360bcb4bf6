"""Figures in print: the cells of a table whose columns are named as `gelu table` names them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING

from gelu_cli.arithmetic.typed import Number, parse_number
from gelu_cli.cli.input.numbers import parse_decimal
from gelu_cli.cli.input.printed import Printed, parse_number_of_people, parse_printed
from gelu_cli.cli.input.tables.table import Rows, Table
from gelu_cli.errors import UsageError
from gelu_cli.values.figures import Figure

if TYPE_CHECKING:
    from gelu_cli.cli.input.columns import Columns


def read_figures(table: Table, columns: Columns) -> Iterator[Sequence[Figure]]:
    """Return the figures of a table in blocks; raises `UsageError` where there are none."""
    table.require_x()
    judged = columns.judged([name for name in table.header if name != "x"], table.name)
    x_place = table.header["x"]

    def figures(block: Rows) -> Iterator[Figure]:
        for line, *cells in zip(block.numbers, *block.columns, strict=True):
            x = table.read_or_skip(line, "x", cells[x_place], parse_x)
            if x is None:
                continue
            for name, (form, quantity) in judged.items():
                word = cells[table.header[name]]
                if table.is_missing(line, name, word):
                    continue
                printed = table.read_or_skip(line, name, word, parse_figure)
                if printed is not None:
                    yield Figure(line, x, name, form, quantity, *printed)

    blocks = filter(None, ([*figures(block)] for block in table.blocks))
    first = next(blocks, None)
    if first is None:
        raise UsageError(f"{table.name} holds no figures")
    return chain([first], blocks)


def parse_figure(word: str) -> Printed:
    """Return a figure with its last decimal, and what is said of how sure it is."""
    try:
        return parse_printed(word)
    except UsageError as error:
        if "0x" not in word.lower():
            raise
        raise UsageError(f"{error}; a result in a format is judged with --dtype FORMAT") from None


def parse_x(word: str) -> Decimal | Number:
    """Return a decimal with its last place, or whatever else is a number."""
    if not word:
        raise UsageError("there is no number")
    try:
        number = parse_number(word)  # x has limits that figures have not
    except UsageError as error:
        try:
            meant = parse_number_of_people(word)
            parse_number(str(meant))
        except UsageError:
            raise error from None
        return meant
    try:
        return parse_decimal(word)
    except UsageError:
        return number
