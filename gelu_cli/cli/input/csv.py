"""CSV and its like, read as it arrives: a header, and rows of as many cells."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from gelu_cli.cli.input.lines import arriving
from gelu_cli.errors import UsageError

T = TypeVar("T")


class CsvSplitter:
    """A function from the lines of a CSV, in order, to their cells.

    The first line tells the separator: a comma, a tab or a semicolon. A blank line has no cells,
    nor has one that ends inside a quoted cell, which goes on in the next line; what there is of
    it is `begun`.

    >>> split = CsvSplitter()
    >>> split("x; exact"), split("1; 0.8413")
    (['x', 'exact'], ['1', '0.8413'])
    """

    def __init__(self) -> None:
        self.begun = ""
        self._delimiter = ""

    def __call__(self, line: str) -> list[str]:
        """Return the cells; raises `UsageError` for what is no line of a CSV."""
        self.begun += line.removesuffix("\r")
        if self.begun.count('"') % 2:
            self.begun += "\n"
            return []
        text, self.begun = self.begun, ""
        if not text.strip():
            return []
        self._delimiter = self._delimiter or max(",\t;", key=text.count)
        try:
            cells = next(csv.reader([text], delimiter=self._delimiter))
        except csv.Error as error:
            raise UsageError(f"not a line of a CSV: {error}") from None
        return [cell.strip() for cell in cells]

    def plain_cells(self, text: str, index: int) -> list[str] | None:
        """Return one cell of each of the next lines, or None if there is more to them than that.

        It is for the lines of a large text: none is the header, and none has a quoted cell.
        """
        text = text.replace("\r\n", "\n")
        if self.begun or not self._delimiter or '"' in text or "\r" in text:
            return None
        lines = text.split("\n")
        if max(map(len, lines)) > csv.field_size_limit():
            return None
        try:
            return [line.split(self._delimiter, index + 1)[index] for line in lines if line]
        except IndexError:
            return None


class CsvRow(NamedTuple):
    """A row: the number of its line in the file, and its cells as typed."""

    number: int
    cells: Sequence[str]


class CsvFile(NamedTuple):
    """The names of the columns, and the rows in blocks, each row with all its cells."""

    name: str
    header: Sequence[str]
    blocks: Iterator[list[CsvRow]]

    def read(self, row: CsvRow, column: str, parse: Callable[[str], T]) -> T:
        """Return what a cell says; raises `UsageError` that names the place if it says nothing."""
        try:
            return parse(row.cells[self.header.index(column)])
        except UsageError as error:
            where = f"line {row.number} of {self.name}, column '{column}'"
            raise UsageError(f"{where}: {error}") from None


def read_csv(source: str) -> CsvFile:
    """Return the CSV, TSV or table with semicolons that a file holds, or stdin for `-`.

    Raises `UsageError` for a file that holds none, at once or when its line is reached.
    """
    name = "stdin" if source == "-" else source
    blocks = filter(None, _lines(source, name))
    first = next(blocks, None)
    if first is None:
        raise UsageError(f"{name} is empty; a table begins with the names of its columns")
    header, lines = first[0].cells, first[1:]
    _check_names(header, name)
    whole = (_whole(block, len(header), name) for block in chain([lines], blocks))
    return CsvFile(name, header, whole)


def _lines(source: str, name: str) -> Iterator[list[CsvRow]]:
    split, number = CsvSplitter(), 0
    for texts in arriving(source, name, ends="\n"):
        block = []
        for number, text in texts:
            try:
                cells = split(text)
            except UsageError as error:
                raise UsageError(f"line {number} of {name}: {error}") from None
            if any(cells):
                block.append(CsvRow(number, cells))
        yield block
    if split.begun:
        raise UsageError(f"{name} ends inside a quoted cell")


def _check_names(names: Sequence[str], name: str) -> None:
    for number, column in enumerate(names, 1):
        if not column:
            raise UsageError(f"column {number} of {name} has no name")
        if names.count(column) > 1:
            raise UsageError(f"{name} has the column '{column}' twice")


def _whole(block: list[CsvRow], width: int, name: str) -> list[CsvRow]:
    for line in block:
        if len(line.cells) != width:
            cells = f"{len(line.cells)} cell{'s' * (len(line.cells) != 1)}"
            raise UsageError(f"line {line.number} of {name} has {cells}, its header {width}")
    return block
