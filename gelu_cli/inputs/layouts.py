"""Columns of text: lists of numbers, CSV and its like, Markdown, JSON."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import dropwhile
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
Cells: TypeAlias = "list[str] | np.ndarray"
"""The cells of a column, as typed; of .npy its numbers."""

COMMENT = re.compile(r"^[ \t]*#.*", re.MULTILINE)
NUMBER = re.compile(r"[-+.−\d]|(?:inf|infinity|nan)\b", re.IGNORECASE)
BAR = re.compile(r"(?<!\\)\|")
MARKDOWN = re.compile(r"^[ \t]*\|.*\n[ \t]*\|[ \t|:-]+$", re.MULTILINE)
RULE = re.compile(r"\s*:?-+:?\s*")
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True)
class Columns:
    """The columns of a file; `columns["x"]` are cells.

    Attributes
    ----------
    name
        What messages call the file.
    cells
        The cells of each column by its heading.
    lines
        The line of each row, or its number from 1 where rows are not lines.
    place
        What messages have between the file and a line.
    """

    name: str
    cells: Mapping[str, Cells]
    lines: Sequence[int]
    place: str = ":"

    @property
    def names(self) -> list[str]:
        """The headings, in their order."""
        return list(self.cells)

    def __getitem__(self, name: str) -> Cells:
        if name not in self.cells:
            known = ", ".join(filter(None, self.cells))
            raise UsageError(f"{self.name} has no column '{name}'; name one of {known}")
        return self.cells[name]

    def at(self, row: int) -> str:
        """Name a row as messages do.

        >>> Columns("a.csv", {"x": ["1", "2"]}, [2, 3]).at(1)
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
    text = COMMENT.sub("", text) if "#" in text else text
    found = re.search(r"\S.*", text)
    first = found[0] if found else ""
    if first[:1] in ("[", "{"):
        return _json(text, name)
    if not first or NUMBER.match(first):
        return _list(text, name)
    is_markdown = first[0] == "|" or MARKDOWN.search(text)
    return _table(_markdown(text) if is_markdown else _delimited(text, first, name), name)


def _list(text: str, name: str) -> Columns:
    """Read numbers between white space and commas."""
    lines = [line.partition("#")[0].replace(",", " ").split() for line in text.split("\n")]
    words = [word for line in lines for word in line]
    return Columns(name, {"x": words}, [at for at, line in enumerate(lines, 1) for _ in line])


def delimiter_of(header: str) -> str:
    """Find the delimiter of a header, by default blanks."""
    return next((each for each in "\t;," if each in header), " ")


def _delimited(text: str, header: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of CSV or its like, each with the line it ends in."""
    how: Any = {"delimiter": delimiter_of(header), "skipinitialspace": True, "strict": True}
    rows = csv.reader(StringIO(text), **how)
    try:
        yield from ((rows.line_num, row) for row in rows if any(row))
    except csv.Error as error:
        raise UsageError(f"{name}:{rows.line_num}: {error}; close each quote") from None


def _markdown(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table between bars; text may be above it."""
    lines = enumerate(map(str.strip, text.split("\n")), 1)
    for at, line in dropwhile(lambda each: each[1][:1] != "|", lines):
        cells = BAR.split(line.removeprefix("|").removesuffix("|"))
        if line and not all(map(RULE.fullmatch, cells)):
            yield at, [ESCAPED.sub(r"\1", cell) for cell in cells]


def _table(rows: Iterable[tuple[int, list[str]]], name: str) -> Columns:
    """Make columns of rows, each with its line; the first has the headings."""
    (_, header), *body = rows
    names = [" ".join(each.split()) or f"column {at}" for at, each in enumerate(header, 1)]
    for heading in names:
        if names.count(heading) > 1:
            raise UsageError(f"{name} has the column '{heading}' twice; rename one")
    for at, row in body:
        if len(row) != len(names):
            cells = f"the row has {len(row)} of {len(names)} cells"
            raise UsageError(f"{name}:{at}: {cells}; fill or quote them, with decimal points")
    columns = list(zip(*(row for _, row in body), strict=True)) or [()] * len(names)
    found = {each: [*map(str.strip, cells)] for each, cells in zip(names, columns, strict=True)}
    return Columns(name, found, [at for at, _ in body])


def _json(text: str, name: str) -> Columns:
    """Read an array of numbers, or of objects, each a row, digit by digit."""
    remedy = 'write [1, 2] or [{"x": 1, "exact": 0.8}, …]'
    try:
        found = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not JSON ({error}); {remedy}") from None
    if not isinstance(found, list):
        raise UsageError(f"{name} is not an array; {remedy}")
    rows = [row if isinstance(row, dict) else {"x": row} for row in found]
    names = dict.fromkeys(key for row in rows or [{"x": None}] for key in row)
    columns = {key: [_text(row.get(key)) for row in rows] for key in names}
    return Columns(name, columns, range(1, 1 + len(rows)), ", row ")


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)
