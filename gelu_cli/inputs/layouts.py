"""Tables in text: CSV and its like, Markdown, JSON."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

Cells: TypeAlias = "list[str] | np.ndarray"
"""The cells of a column, as typed; of .npy its numbers."""

CONTENT = re.compile(r"^[^\S\n]*(?!#(?!\s*[,;\t]))(\S.*)", re.MULTILINE)
"""A line that is neither blank nor a comment; `#,x,exact` is a header."""

CELL = re.compile(r"((?:[^|\\]|\\.)*)(?:\||$)")
RULE = re.compile(r":?-+:?")
MARKED = re.compile(r"(\*\*|__|[*_`$])(.+)\1")
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
BETWEEN_OBJECTS = re.compile(r"[\s,\[\]]*")


@dataclass(frozen=True)
class Columns:
    """The columns of a file; `columns["x"]` are cells.

    Attributes
    ----------
    name
        What messages call the file.
    names
        The headings, in their order.
    lines
        The line of each row, or its number from 1 where rows are not lines.
    cells
        Makes the cells of the column at an index.
    place
        What messages have between the file and a line.
    plain
        Lines without quotes and what is between their cells, which numpy can read.
    """

    name: str
    names: Sequence[str]
    lines: Sequence[int]
    cells: Callable[[int], Cells]
    place: str = ":"
    plain: tuple[list[str], str | None] | None = None

    def __getitem__(self, name: str) -> Cells:
        return self.cells(self.index(name))

    def index(self, name: str) -> int:
        """Find a column by its heading; `X` is `x`."""
        for place, heading in enumerate(self.names):
            if name in (heading, heading.lower() if heading == "X" else heading):
                return place
        known = ", ".join(self.names)
        raise UsageError(f"{self.name} has no column '{name}'; name one of {known}")

    def at(self, row: int) -> str:
        """Name a row as messages do.

        >>> Columns("a.csv", ["x"], [2, 3], lambda place: ["1", "2"]).at(1)
        'a.csv:3'
        """
        return f"{self.name}{self.place}{self.lines[row]}"

    def floats(self, name: str) -> np.ndarray | None:
        """Read a column of plain decimals at once; None if another cell is in it."""
        import numpy as np

        place = self.index(name)
        if self.plain is None:
            return at_once(self.cells(place))
        lines, delimiter = self.plain
        try:
            return np.loadtxt(lines, delimiter=delimiter, usecols=place, comments=None, ndmin=1)
        except ValueError:
            return None


def at_once(cells: Cells) -> np.ndarray | None:
    """Convert decimals to float64s; None if another cell is among them."""
    import numpy as np

    try:
        return np.array(cells, dtype=np.float64)
    except ValueError:
        return None


def first_line(text: str) -> str:
    """Find the first line that is neither blank nor a comment."""
    found = CONTENT.search(text)
    return found[1].strip() if found else ""


def columns_of(text: str, name: str) -> Columns:
    """Read a table, whose layout its first line shows."""
    first = first_line(text)
    if first[0] in "[{":
        return _json(text, name)
    if first[0] == "|":
        return _of_rows(_markdown(text, name), name)
    unquoted = re.sub(r'"[^"]*"', "", first)
    delimiter = max(",\t;", key=unquoted.count)
    between = delimiter if delimiter in unquoted else None
    if '"' in text:
        return _of_rows(_quoted(text, between or ",", name), name)
    return _plain(text, between, name)


def _plain(text: str, delimiter: str | None, name: str) -> Columns:
    """Read CSV and its like without quotes; None is white space between cells."""
    lines = text.split("\n")
    numbers: Sequence[int] = range(1, len(lines) + 1)
    if not all(map(CONTENT.match, lines)):
        numbers = [at for at, line in enumerate(lines, 1) if CONTENT.match(line)]
        lines = [lines[at - 1] for at in numbers]
    header = lines.pop(0).split(delimiter)
    for at, line in zip(numbers[1:], lines, strict=True):
        count = line.count(delimiter) + 1 if delimiter else len(line.split())
        if count != len(header):
            _refuse_width(count, len(header), f"{name}:{at}")

    def cells(place: int) -> list[str]:
        return [line.split(delimiter, place + 1)[place].strip() for line in lines]

    return Columns(name, _headings(header, name), numbers[1:], cells, plain=(lines, delimiter))


def _of_rows(rows: Iterable[tuple[int, Sequence[str]]], name: str, place: str = ":") -> Columns:
    """Make columns of rows, each with its line; the first are the headings."""
    (_, header), *others = rows
    for at, row in others:
        if len(row) != len(header):
            _refuse_width(len(row), len(header), f"{name}{place}{at}")
    columns = list(zip(*(row for _, row in others), strict=True)) or [()] * len(header)
    lines = [at for at, _ in others]
    return Columns(name, _headings(header, name), lines, lambda at: list(columns[at]), place)


def _headings(names: Sequence[str], file: str) -> list[str]:
    """Complete headings: each has one, `bits` the name of its left."""
    found: list[str] = []
    for place, name in enumerate((" ".join(each.split()) for each in names), 1):
        beside = f"{found[-1]}_bits" if found and name == "bits" else name
        found.append(beside or f"column {place}")
    if twice := [name for name in found if found.count(name) > 1]:
        raise UsageError(f"{file} has the column '{twice[0]}' twice; rename one")
    return found


def _refuse_width(count: int, width: int, at: str) -> None:
    remedy = "write decimal points" if count == 2 * width else "fill or quote its cells"
    cells = f"{count} cell{'s' * (count != 1)}"
    raise UsageError(f"{at}: the row has {cells}, the header {width}; {remedy}")


def _quoted(text: str, delimiter: str, name: str) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the rows of CSV with quotes, each with the line it ends in."""
    comment = re.compile(r"\s*#(?!\s*[,;\t])")
    lines = ("" if comment.match(line) else f"{line}\n" for line in text.split("\n"))
    rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for row in rows:
            if any(map(str.strip, row)):
                yield rows.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise UsageError(f"{name}:{rows.line_num}: {error}; close each quote") from None


def _markdown(text: str, name: str) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the rows of a table as GitHub has them, lines between bars."""
    for at, line in enumerate(map(str.strip, text.split("\n")), 1):
        if line and not line.startswith("|"):
            raise UsageError(f"{name}:{at}: not a row of Markdown; begin it with |")
        cells = [cell.strip() for cell in CELL.findall(line[1:].removesuffix("|"))][:-1]
        if line and not all(map(RULE.fullmatch, cells)):
            yield at, [ESCAPED.sub(r"\1", MARKED.sub(r"\2", cell)) for cell in cells]


def _json(text: str, name: str) -> Columns:
    """Read objects, each a row, or one object of arrays."""
    items = list(_objects(text, name))
    first = items[0][1]
    if all(isinstance(each, list | dict) for each in first.values()):
        arrays = [each.values() if isinstance(each, dict) else each for each in first.values()]
        if len({*map(len, arrays)}) != 1:
            raise UsageError(
                f"{name} has columns of unequal lengths; write as many numbers in each"
            )
        rows = enumerate(map(_texts, zip(*arrays, strict=True)), 1)
        return _of_rows([(0, [*first]), *rows], name, ", row ")
    names = list(dict.fromkeys(key for _, item in items for key in item))
    return _of_rows([(0, names), *((at, _texts(map(item.get, names))) for at, item in items)], name)


def _objects(text: str, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield objects of JSON and their lines; numbers keep their digits."""
    decoder = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
    line, end = 1, 0
    while True:
        start = BETWEEN_OBJECTS.match(text, end).end()  # type: ignore[union-attr]
        line += text.count("\n", end, start)
        if start == len(text):
            return
        try:
            item, end = decoder.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            item = None
        if not isinstance(item, dict):
            raise UsageError(
                f'{name}:{line}: not an object of JSON; write {{"x": 1, "exact": 0.8}}'
            )
        yield line, item
        line += text.count("\n", start, end)


def _texts(row: Iterable[Any]) -> list[str]:
    """Print cells of JSON; numbers are texts already."""
    texts = (cell if isinstance(cell, str) else json.dumps(cell) for cell in row)
    return ["" if text == "null" else text.strip() for text in texts]
