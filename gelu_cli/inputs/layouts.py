"""Columns of text: lists of numbers, CSV and its like, Markdown, JSON."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
Cells: TypeAlias = "list[str] | np.ndarray"
"""The cells of a column, as typed; of .npy its numbers."""

COMMENT = re.compile(r"\s*#")
SAVETXT = re.compile(r"\A#\s*(?=x[,;\t])")
"""The header that numpy.savetxt makes a comment."""

NUMBER = re.compile(r"[-+.−\d]|(?:inf|infinity|nan)\b", re.IGNORECASE)
BETWEEN_NUMBERS = re.compile(r'[\s,;"\[\]]+')
BAR = re.compile(r"(?<!\\)\|")
RULE = re.compile(r"\s*:?-+:?\s*")
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


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
    """

    name: str
    names: Sequence[str]
    lines: Sequence[int]
    cells: Callable[[int], Cells]
    place: str = ":"

    def __getitem__(self, name: str) -> Cells:
        return self.cells(self.index(name))

    def index(self, name: str) -> int:
        """Find a column by its heading."""
        if name not in self.names:
            known = ", ".join(filter(None, self.names))
            raise UsageError(f"{self.name} has no column '{name}'; name one of {known}")
        return self.names.index(name)

    def at(self, row: int) -> str:
        """Name a row as messages do.

        >>> Columns("a.csv", ["x"], [2, 3], lambda place: ["1", "2"]).at(1)
        'a.csv:3'
        """
        return f"{self.name}{self.place}{self.lines[row]}"

    def parsed(self, name: str, parse: Callable[[str], T]) -> list[T]:
        """Parse the cells of a column; an error names the row."""
        found = []
        for row, cell in enumerate(self[name]):
            try:
                found.append(parse(str(cell)))
            except UsageError as error:
                raise UsageError(f"{self.at(row)}: {error}") from None
        return found


def at_once(cells: Cells) -> np.ndarray | None:
    """Convert decimals to float64s; None if another cell is among them."""
    import numpy as np

    try:
        return np.array(cells, dtype=np.float64)
    except ValueError:
        return None


def columns_of(text: str, name: str) -> Columns:
    """Read text, whose layout its first line shows; a list is a column x."""
    text = SAVETXT.sub("", text, count=1)
    lines = (line.strip() for line in text.split("\n") if not COMMENT.match(line))
    first = next(filter(None, lines), "")
    if first[:1] in ("[", "{") and "{" in text:
        return _json(text, name)
    if first[:1] in ("", "[") or NUMBER.match(first):
        rows = [(at, [word]) for at, word in _numbers(text)]
        return _of_rows(["x"], rows, name)
    (_, header), *rows = _markdown(text) if first[0] == "|" else _delimited(text, first, name)
    return _of_rows(header, rows, name)


def _numbers(text: str) -> Iterator[tuple[int, str]]:
    """Yield numbers between white space, commas, brackets and quotes."""
    for at, line in enumerate(text.split("\n"), 1):
        for word in BETWEEN_NUMBERS.split(line.partition("#")[0]):
            if word:
                yield at, word


def delimiter_of(header: str) -> str:
    """Find what is between the cells of a header; spaces if nothing else is."""
    return next((each for each in "\t;," if each in header), " ")


def _delimited(text: str, header: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of CSV or its like, each with the line it ends in."""
    lines = ("\n" if COMMENT.match(line) else line for line in StringIO(text))
    rows = csv.reader(lines, delimiter=delimiter_of(header), skipinitialspace=True, strict=True)
    try:
        for row in rows:
            if any(row):
                yield rows.line_num, row
    except csv.Error as error:
        raise UsageError(f"{name}:{rows.line_num}: {error}; close each quote") from None


def _markdown(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table between bars."""
    for at, line in enumerate(map(str.strip, text.split("\n")), 1):
        cells = BAR.split(line.removeprefix("|").removesuffix("|"))
        if line and not all(map(RULE.fullmatch, cells)):
            yield at, [ESCAPED.sub(r"\1", cell) for cell in cells]


def _json(text: str, name: str) -> Columns:
    """Read objects, each a row, or an object of columns, digit by digit."""
    remedy = 'write [{"x": 1, "exact": 0.8}, …] or {"x": [1, 2], "exact": [0.8, 1.9]}'
    try:
        found = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not JSON ({error}); {remedy}") from None
    rows: Iterable[Any]
    if isinstance(found, list) and all(isinstance(row, dict) for row in found):
        names = list(dict.fromkeys(key for row in found for key in row))
        rows = ([row.get(key) for key in names] for row in found)
    elif isinstance(found, dict) and all(isinstance(each, list) for each in found.values()):
        if len({*map(len, found.values())}) > 1:
            raise UsageError(f"{name} has columns of unequal lengths; fill them with null")
        names, rows = list(found), zip(*found.values(), strict=True)
    else:
        raise UsageError(f"{name} is not a table; {remedy}")
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    return _of_rows(names, list(enumerate(texts, 1)), name, ", row ")


def _of_rows(
    header: Sequence[str], rows: Sequence[tuple[int, list[str]]], name: str, place: str = ":"
) -> Columns:
    """Make columns of rows, each with its line."""
    names: list[str] = []
    for at, heading in enumerate((" ".join(each.split()) for each in header), 1):
        beside = f"{names[-1]}_bits" if names and heading == "bits" else heading
        if beside in names:
            raise UsageError(f"{name} has the column '{heading}' twice; rename one")
        names.append(beside or f"column {at}")
    for at, row in rows:
        if len(row) != len(names):
            cells = f"the row has {len(row)} of {len(names)} cells"
            raise UsageError(f"{name}{place}{at}: {cells}; fill or quote them, with decimal points")
    columns = list(zip(*(row for _, row in rows), strict=True)) or [()] * len(names)
    lines = [at for at, _ in rows]
    return Columns(name, names, lines, lambda at: list(map(str.strip, columns[at])), place)
