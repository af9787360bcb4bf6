"""CSV and its like, read as it arrives: a header, and rows of as many cells."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from gelu_cli.cli.input.lines import LINE, arriving
from gelu_cli.errors import UsageError

T = TypeVar("T")


class CsvSplitter:
    """A function from the lines of a CSV, in order, to their cells.

    The first line tells the separator: a comma, a tab or a semicolon. A blank line has no cells,
    nor has one that ends inside a quoted cell, which goes on in the next line.

    >>> split = CsvSplitter()
    >>> split("x; exact"), split("1; 0.8413")
    (['x', 'exact'], ['1', '0.8413'])
    """

    def __init__(self) -> None:
        self.quoted = False
        """Whether the last line ended inside a quoted cell."""

        self._begun: list[str] = []
        self._length = 0
        self._delimiter = ""

    def __call__(self, line: str) -> list[str]:
        """Return the cells; raises `UsageError` for what is no line of a CSV."""
        self._begun.append(line.removesuffix("\r"))
        self._length += len(line) + 1
        self.quoted ^= line.count('"') % 2 == 1
        if self.quoted:
            if self._length > LINE.longest:
                raise UsageError(f"a quoted cell does not end within {LINE.longest:,} characters")
            return []
        text = "\n".join(self._begun)
        self._begun, self._length = [], 0
        if not text.strip():
            return []
        self._delimiter = self._delimiter or max(",\t;", key=text.count)
        try:
            cells = next(csv.reader([text], delimiter=self._delimiter, strict=True))
        except csv.Error:
            raise UsageError(f"not a line of a CSV: {_fault(text)}") from None
        return [cell.strip() for cell in cells]

    def check_end(self, name: str) -> None:
        """Raise `UsageError` if the last line ended inside a quoted cell."""
        if self.quoted:
            raise UsageError(f"{name} ends inside a quoted cell")

    def plain_cells(self, text: str, index: int) -> list[str] | None:
        """Return one cell of each of the next lines, or None if there is more to them than that.

        It is for the lines of a large text: none is the header, and none has a quoted cell.
        """
        text = text.replace("\r\n", "\n")
        if self.quoted or not self._delimiter or '"' in text or "\r" in text:
            return None
        lines = text.split("\n")
        if max(map(len, lines)) > csv.field_size_limit():
            return None
        try:
            return [line.split(self._delimiter, index + 1)[index] for line in lines if line]
        except IndexError:
            return None


def _fault(text: str) -> str:
    """Return why a line cannot be taken apart."""
    if "\r" in text:
        return "a carriage return stands within it; lines end in LF or CRLF"
    if "\0" in text:
        return "a NUL character stands in it"
    if len(text) <= csv.field_size_limit():
        return "a cell goes on behind its closing quote"
    return f"a cell has more than {csv.field_size_limit():,} characters"


class CsvRow(NamedTuple):
    """A row: the number of its line in the file, and its cells as typed."""

    number: int
    cells: Sequence[str]


class CsvFile(NamedTuple):
    """The names of the columns, and the rows in blocks, each row with all its cells."""

    name: str
    header: Mapping[str, int]
    """The names, in their order, and which cell of a row each has."""

    blocks: Iterator[list[CsvRow]]

    def read(self, row: CsvRow, column: str, parse: Callable[[str], T]) -> T:
        """Return what a cell says; raises `UsageError` that names the place if it says nothing."""
        try:
            return parse(row.cells[self.header[column]])
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
    header, lines = _header(first[0].cells, name), first[1:]
    whole = (_whole(block, len(header), name) for block in chain([lines], blocks))
    return CsvFile(name, header, whole)


def _lines(source: str, name: str) -> Iterator[list[CsvRow]]:
    split, number = CsvSplitter(), 0
    for texts in arriving(source, name):
        block = []
        for number, text in texts:
            try:
                cells = split(text)
            except UsageError as error:
                raise UsageError(f"line {number} of {name}: {error}") from None
            if any(cells):
                block.append(CsvRow(number, cells))
        yield block
    split.check_end(name)


def _header(names: Sequence[str], name: str) -> dict[str, int]:
    header: dict[str, int] = {}
    for place, column in enumerate(names):
        if not column:
            raise UsageError(f"column {place + 1} of {name} has no name")
        if column in header:
            raise UsageError(f"{name} has the column '{column}' twice")
        header[column] = place
    return header


def _whole(block: list[CsvRow], width: int, name: str) -> list[CsvRow]:
    for line in block:
        if len(line.cells) != width:
            cells = f"{len(line.cells)} cell{'s' * (len(line.cells) != 1)}"
            raise UsageError(f"line {line.number} of {name} has {cells}, its header {width}")
    return block
