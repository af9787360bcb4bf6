"""Tables that others made, read as they arrive: a header, and lines of as many cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from gelu_cli.cli.input.lines import CsvSplitter, arriving
from gelu_cli.errors import UsageError

T = TypeVar("T")


class Line(NamedTuple):
    """A line of a table: its number in the file, and its cells as typed."""

    number: int
    cells: Sequence[str]


class Table(NamedTuple):
    """A table: the names of its columns, and its lines in blocks, each with all its cells."""

    name: str
    header: Sequence[str]
    blocks: Iterator[list[Line]]

    def read(self, line: Line, column: str, parse: Callable[[str], T]) -> T:
        """Return what a cell says; raises `UsageError` that names the place if it says nothing."""
        try:
            return parse(line.cells[self.header.index(column)])
        except UsageError as error:
            where = f"line {line.number} of {self.name}, column '{column}'"
            raise UsageError(f"{where}: {error}") from None


def read_table(source: str) -> Table:
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
    return Table(name, header, whole)


def _lines(source: str, name: str) -> Iterator[list[Line]]:
    split, number = CsvSplitter(), 0
    for texts in arriving(source, name, ends="\n"):
        block = []
        for number, text in texts:
            try:
                cells = split(text)
            except UsageError as error:
                raise UsageError(f"line {number} of {name}: {error}") from None
            if any(cells):
                block.append(Line(number, cells))
        yield block
    if split.begun:
        raise UsageError(f"{name} ends inside a quoted cell")


def _check_names(names: Sequence[str], name: str) -> None:
    for number, column in enumerate(names, 1):
        if not column:
            raise UsageError(f"column {number} of {name} has no name")
        if names.count(column) > 1:
            raise UsageError(f"{name} has the column '{column}' twice")


def _whole(block: list[Line], width: int, name: str) -> list[Line]:
    for line in block:
        if len(line.cells) != width:
            cells = f"{len(line.cells)} cell{'s' * (len(line.cells) != 1)}"
            raise UsageError(f"line {line.number} of {name} has {cells}, its header {width}")
    return block
