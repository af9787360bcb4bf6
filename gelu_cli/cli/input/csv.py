"""CSV and its like, read as it arrives: a header, and rows of as many cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from gelu_cli.cli.input.lines import LINE, arriving_text, numbered
from gelu_cli.cli.input.numbers import json_floats
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.cli.input.numbers import Floats

T = TypeVar("T")

LARGE = 1 << 15
"""Characters of a text that is read as a whole, with numpy, if it is plain."""

BLANK = re.compile(r"\n[\s,]*(?:\n|$)")
"""A line without any cell, or with empty ones alone, in a text that begins with a line end."""


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

    def plain_text(self, text: str, width: int) -> str | None:
        """Return the next lines with a comma after each cell, or None if there is more to them.

        It is for large texts. Each line has `width` cells, none is quoted, and no line is blank.
        """
        import numpy as np

        text = text.replace("\r\n", "\n")
        if self.quoted or any(sign in text for sign in '"\r\0'):
            return None
        if self._delimiter != "," and "," in text:
            return None
        text = text.removesuffix("\n").replace(self._delimiter, ",") + ","
        signs = np.frombuffer(text.encode(), np.uint8)
        ends = np.flatnonzero((signs == ord(",")) | (signs == ord("\n")))
        of_rows = np.flatnonzero(signs[ends[:-1]] == ord("\n"))
        whole = len(ends) == width * (len(of_rows) + 1)
        if not whole or (np.diff(of_rows, prepend=-1) != width).any():
            return None
        if np.diff(ends, prepend=-1).max() > csv.field_size_limit() or BLANK.search("\n" + text):
            return None
        return text.replace("\n", ",")


def _fault(text: str) -> str:
    """Return why a line cannot be taken apart."""
    if "\r" in text:
        return "a carriage return stands within it; lines end in LF or CRLF"
    if "\0" in text:
        return "a NUL character stands in it"
    if len(text) <= csv.field_size_limit():
        return "a cell goes on behind its closing quote"
    return f"a cell has more than {csv.field_size_limit():,} characters"


class CsvRows:
    """Rows: the number of each row's line in the file, and its cells as typed, column by column."""

    def __init__(self, numbers: Sequence[int], columns: Sequence[Sequence[str]]) -> None:
        self.numbers = numbers
        self._columns = columns

    @property
    def columns(self) -> Sequence[Sequence[str]]:
        """The cells of each column, in the order of the header."""
        return self._columns

    @property
    def floats(self) -> Floats | None:
        """All cells, rows × columns, if they are known to be plain numbers."""
        return None


class PlainRows(CsvRows):
    """Rows of a text in which a comma stands after each cell and nowhere else."""

    def __init__(self, numbers: Sequence[int], text: str, width: int) -> None:
        self.numbers = numbers
        self._text = text
        self._width = width

    @cached_property
    def columns(self) -> Sequence[Sequence[str]]:
        """The cells of each column, in the order of the header."""
        cells = self._text.split(",")[:-1]
        return [[*map(str.strip, cells[i :: self._width])] for i in range(self._width)]

    @cached_property
    def floats(self) -> Floats | None:
        """All cells, rows × columns, if they are plain numbers."""
        floats = json_floats(self._text[:-1])
        return None if floats is None else floats.reshape(-1, self._width)


class CsvFile(NamedTuple):
    """The names of the columns, and the rows in blocks, each row with all its cells."""

    name: str
    header: Mapping[str, int]
    """The names, in their order, and which column each is of."""

    blocks: Iterator[CsvRows]

    def read(self, number: int, column: str, word: str, parse: Callable[[str], T]) -> T:
        """Return what a cell says; raises `UsageError` that names the place if it says nothing."""
        try:
            return parse(word)
        except UsageError as error:
            where = f"line {number} of {self.name}, column '{column}'"
            raise UsageError(f"{where}: {error}") from None


def read_csv(source: str) -> CsvFile:
    """Return the CSV, TSV or table with semicolons that a file holds, or stdin for `-`.

    Raises `UsageError` for a file that holds none, at once or when its line is reached.
    """
    name = "stdin" if source == "-" else source
    split = CsvSplitter()
    texts = arriving_text(source, name, LINE)
    for number, text in texts:
        lines = numbered(number, text)
        for at, cells in _rows(split, lines, name):
            header = _header(cells, name)
            rest = "\n".join(line for _, line in lines)
            others = chain([(at + 1, rest)], texts)
            return CsvFile(name, header, _blocks(split, others, len(header), name))
    split.check_end(name)
    raise UsageError(f"{name} is empty; a table begins with the names of its columns")


def _blocks(
    split: CsvSplitter, texts: Iterable[tuple[int, str]], width: int, name: str
) -> Iterator[CsvRows]:
    """Yield the rows of texts, each of which comes with the number of its first line."""
    for number, text in texts:
        if not text:
            continue
        plain = split.plain_text(text, width) if len(text) >= LARGE else None
        if plain is not None:
            yield PlainRows(range(number, number + plain.count(",") // width), plain, width)
            continue
        rows = list(_rows(split, numbered(number, text), name))
        for line, cells in rows:
            _check_width(line, cells, width, name)
        if rows:
            numbers, cells_of_rows = zip(*rows, strict=True)
            yield CsvRows(numbers, [*zip(*cells_of_rows, strict=True)])
    split.check_end(name)


def _rows(
    split: CsvSplitter, lines: Iterable[tuple[int, str]], name: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of lines that have any, with the number of the line."""
    for number, text in lines:
        try:
            cells = split(text)
        except UsageError as error:
            raise UsageError(f"line {number} of {name}: {error}") from None
        if any(cells):
            yield number, cells


def _header(names: Sequence[str], name: str) -> dict[str, int]:
    header: dict[str, int] = {}
    for place, column in enumerate(names):
        if not column:
            raise UsageError(f"column {place + 1} of {name} has no name")
        if column in header:
            raise UsageError(f"{name} has the column '{column}' twice")
        header[column] = place
    return header


def _check_width(number: int, cells: Sequence[str], width: int, name: str) -> None:
    if len(cells) != width:
        found = f"{len(cells)} cell{'s' * (len(cells) != 1)}"
        raise UsageError(f"line {number} of {name} has {found}, its header {width}")
