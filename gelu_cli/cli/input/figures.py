"""Figures in print: the cells of a table whose columns are named as `gelu table` names them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import chain

from gelu_cli.arithmetic.typed import Number, parse_number
from gelu_cli.cli.input.numbers import parse_decimal
from gelu_cli.cli.input.tables.table import Rows, Table
from gelu_cli.cli.input.words import parse_column
from gelu_cli.errors import UsageError
from gelu_cli.forms import Form
from gelu_cli.values.figures import Figure


def read_figures(file: Table) -> Iterator[Sequence[Figure]]:
    """Return the figures of a table in blocks; raises `UsageError` where there are none."""
    if "x" not in file.header:
        raise UsageError(f"{file.name} has no column 'x'; it has: {', '.join(file.header)}")
    columns = {name: column_of(name, file.name) for name in file.header if name != "x"}

    def figures(block: Rows) -> Iterator[Figure]:
        for line, *cells in zip(block.numbers, *block.columns, strict=True):
            x = file.read(line, "x", cells[file.header["x"]], parse_x)
            for name, (form, quantity) in columns.items():
                if word := cells[file.header[name]]:
                    published = file.read(line, name, word, parse_figure)
                    yield Figure(line, x, name, form, quantity, published)

    blocks = filter(None, ([*figures(block)] for block in file.blocks))
    first = next(blocks, None)
    if first is None:
        raise UsageError(f"{file.name} holds no figures")
    return chain([first], blocks)


def column_of(name: str, table_name: str) -> tuple[Form, str]:
    """Return the form and the quantity that a column of a table holds."""
    try:
        return parse_column(name)
    except UsageError as error:
        raise UsageError(f"column '{name}' of {table_name}: {error}") from None


def parse_figure(word: str) -> Decimal | float:
    """Return a decimal with its last place, inf, -inf or nan."""
    try:
        return parse_decimal(word)
    except UsageError as error:
        if "0x" not in word.lower():
            raise
        raise UsageError(f"{error}; a result in a format is judged with --dtype FORMAT") from None


def parse_x(word: str) -> Decimal | Number:
    """Return a decimal with its last place, or whatever else is a number."""
    number = parse_number(word)  # x has limits that figures have not
    try:
        return parse_decimal(word)
    except UsageError:
        return number
