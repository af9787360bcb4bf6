"""Columns of files: text, CSV, TSV, Markdown tables, JSON and .npy; `-` is stdin."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gelu_cli.errors import UsageError
from gelu_cli.inputs.numbers import Range, parse_point, to_float
from gelu_cli.inputs.points import MANY, Points

if TYPE_CHECKING:
    import numpy as np

Cells: TypeAlias = "list[str] | np.ndarray"
"""The cells of a column, as typed; of .npy its numbers."""

NPY = b"\x93NUMPY"
NUMERIC = "+-.−0123456789"
COMMENT = re.compile(r"\s*(?:#(?!\s*[,;\t])|$)")
"""A blank line, or a comment; `#,x,exact` is a header."""

BETWEEN = re.compile(r"[\s,;]+")
DECIMAL_COMMA = re.compile(r"[-+−]?\d+,\d+(?:e[-+]?\d+)?", re.IGNORECASE)
CELL = re.compile(r"((?:[^|\\]|\\.)*)(?:\||$)")
RULE = re.compile(r":?-+:?")
MARKED = re.compile(r"(\*\*|__|[*_`$])(.+)\1")
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


class Source(NamedTuple):
    """The bytes of a file, and what messages call it."""

    name: str
    data: bytes


@dataclass(frozen=True)
class Columns:
    """The columns of a file; `columns["x"]` are cells.

    Attributes
    ----------
    name
        What messages call the file.
    names
        The headings, each once, in their order.
    lines
        The line of each row; if it has none, its number from 1.
    place
        What is between the file and a line in a message.
    cells
        Makes the cells of the column at an index.
    plain
        Lines of text without quotes and their delimiter, which numpy can read.
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
        """Find a column by its heading; `x` is found as `X` too."""
        for meant in (name, name.upper() if name == "x" else name):
            if meant in self.names:
                return self.names.index(meant)
        raise UsageError(
            f"{self.name} has no column '{name}'; it has: {', '.join(self.names)}; "
            "name another by --column NAME"
        )

    def at(self, row: int) -> str:
        """Name a row as messages do.

        >>> Columns("a.csv", ["x"], [2, 3], lambda place: ["1", "2"]).at(1)
        'a.csv:3'
        """
        return f"{self.name}{self.place}{self.lines[row]}"

    def floats(self, name: str) -> np.ndarray | None:
        """Read a column of plain decimals at once; None if there is another cell."""
        import numpy as np

        place = self.index(name)
        try:
            if self.plain is None:
                return np.array(self.cells(place), dtype=np.float64)
            lines, delimiter = self.plain
            return np.loadtxt(lines, delimiter=delimiter, usecols=place, comments=None, ndmin=1)
        except ValueError:
            return None


def read_source(source: str) -> Source:
    """Read a file, or stdin for `-`."""
    name = "stdin" if source == "-" else source
    try:
        if source != "-":
            return Source(name, Path(source).read_bytes())
        if sys.stdin is None:
            raise UsageError("stdin is closed; name a file")
        return Source(name, sys.stdin.buffer.read())
    except OSError as error:
        raise UsageError(f"cannot read '{source}': {error.strerror or error}") from None


def read_column(source: str, column: str | None = None, *, exact: bool = False) -> Points:
    """Read the points in a column, `x` by default, or in a list of numbers.

    Few of them, or all if they are to be `exact`, are numbers as typed, many float64s.
    """
    file = read_source(source)
    if file.data.startswith(NPY):
        return _array_of(file, column)
    text = _decoded(file)
    if _is_list(text):
        if column:
            raise UsageError(f"{file.name} has no names of columns; remove --column {column}")
        return _list(text, file.name, exact=exact)
    columns = _columns_of_text(text, file.name)
    name = column or "x"
    if not exact and len(columns.lines) >= MANY and (found := columns.floats(name)) is not None:
        return found
    return _parsed(map(str.strip, columns[name]), columns.at, columns.name, exact=exact)


def read_columns(source: str | Source) -> Columns:
    """Read all columns of a file; cells are texts, of .npy numbers."""
    file = read_source(source) if isinstance(source, str) else source
    if file.data.startswith(NPY):
        return _columns_of_array(_load(file), file.name)
    text = _decoded(file)
    if _is_list(text):
        raise UsageError(
            f"{file.name} has no names of columns; begin with a line of them, such as x,exact"
        )
    return _columns_of_text(text, file.name)


def _decoded(file: Source) -> str:
    """Decode text, with line feeds at the ends of lines."""
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(f"{file.name} is neither text in UTF-8 nor .npy; save it as one of them")
    return text.replace("\r\n", "\n")


def _is_list(text: str) -> bool:
    """Return True if numbers come without names of columns."""
    lines = _leading(text)
    first = lines[-1].lstrip() if lines else ""
    if first[:1] == "[":
        return "{" not in text
    numeric = first[:1] in NUMERIC or _is_point(BETWEEN.split(first)[0])
    return numeric and not _commented_header(lines)


def _is_point(word: str) -> bool:
    try:
        return bool(parse_point(word)) or True
    except UsageError:
        return False


def _leading(text: str) -> list[str]:
    """List the lines up to the first that is neither blank nor a comment."""
    found = []
    for line in re.finditer(r"[^\n]+", text):
        found.append(line[0])
        if not COMMENT.match(line[0]):
            return found
    return []


def _commented_header(lines: Sequence[str]) -> list[str]:
    """Read `# x,exact` above numbers, as numpy.savetxt writes it."""
    if len(lines) < 2 or lines[-1].lstrip()[:1] not in NUMERIC:
        return []
    comment = lines[-2].strip().lstrip("#").strip()
    names = [name.strip() for name in re.split(r"[,;\t]" if "," in comment else r"\s+", comment)]
    return names if "x" in names and all(len(name.split()) == 1 for name in names) else []


# Lists of numbers


def _list(text: str, name: str, *, exact: bool) -> Points:
    """Read numbers between white space, commas and semicolons; brackets and quotes are ignored."""
    text = re.sub(r'[\[\]"]', " ", text)
    if "#" not in text and not exact and "," not in text:
        words = text.replace(";", " ").split()
        if len(words) >= MANY and (found := _at_once(words)) is not None:
            return found
    cells, lines = [], []
    for at, line in enumerate(text.split("\n"), 1):
        _refuse_decimal_commas(line := line.partition("#")[0], f"{name}:{at}")
        for word in filter(None, BETWEEN.split(line)):
            cells.append(word)
            lines.append(at)
    return _parsed(cells, lambda row: f"{name}:{lines[row]}", name, exact=exact)


def _refuse_decimal_commas(line: str, at: str) -> None:
    words = re.split(r"[\s;]+", line.strip()) if "," in line else []
    if words and all(map(DECIMAL_COMMA.fullmatch, words)):
        raise UsageError(
            f"{at}: '{words[0]}' may be {words[0].replace(',', '.')}, or "
            f"{words[0].replace(',', ' and ')}; write a decimal point, or a space after the comma"
        )


def _parsed(cells: Iterable[str], at: Callable[[int], str], name: str, *, exact: bool) -> Points:
    """Parse cells as points; `at` names the row of one that is not a number."""
    words = list(cells)
    if not words:
        raise UsageError(f"{name} holds no numbers; write one a line, or a table with a column x")
    if len(words) >= MANY and not exact and (found := _at_once(words)) is not None:
        return found
    points: list[Any] = []
    for row, word in enumerate(words):
        try:
            if not word:
                raise UsageError("the cell is empty; write a number, or remove the row")
            point = parse_point(word)
        except UsageError as error:
            raise UsageError(f"{at(row)}: {error}") from None
        points += point.exact() if isinstance(point, Range) else [point]
    if exact or len(points) < MANY:
        return points
    import numpy as np

    return np.array([to_float(each) for each in points])


def _at_once(words: list[str]) -> np.ndarray | None:
    import numpy as np

    try:
        return np.array(words, dtype=np.float64)
    except ValueError:
        return None


# Tables


def _columns_of_text(text: str, name: str) -> Columns:
    first = (_leading(text) or [""])[-1].lstrip()[:1]
    if not first:
        raise UsageError(f"{name} is empty; write a table that begins with names of columns")
    if first in "[{":
        return _columns_of_json(text, name)
    return _markdown(text, name) if first == "|" else _delimited(text, name)


def _of_rows(
    rows: Iterable[tuple[int, list[str]]], name: str, names: Sequence[str], place: str = ":"
) -> Columns:
    """Make columns of rows of cells, each with its line."""
    lines, cells = [], []
    for line, row in rows:
        _check_width(len(row), len(names), f"{name}{place}{line}")
        lines.append(line)
        cells.append(row)
    columns = list(zip(*cells, strict=True)) or [()] * len(names)
    return Columns(name, _named(names, name), lines, lambda at: list(columns[at]), place)


def _check_width(count: int, width: int, at: str) -> None:
    if count != width:
        cells = f"{count} cell{'s' * (count != 1)}"
        hint = "; write decimal points, not commas" * (count == 2 * width)
        raise UsageError(f"{at}: {cells}, the header has {width}{hint or '; fill or quote cells'}")


def _named(names: Sequence[str], file: str) -> list[str]:
    """Name columns without a heading; refuse a name that comes twice."""
    found = [name or f"column {place}" for place, name in enumerate(names, 1)]
    if twice := [name for name in found if found.count(name) > 1 and name != "bits"]:
        raise UsageError(f"{file} has the column '{twice[0]}' twice; rename one")
    return found


def _delimited(text: str, name: str) -> Columns:
    """Read CSV and its like; commas, tabs, semicolons or white space are between cells."""
    leading = _leading(text)
    names = _commented_header(leading)
    first = re.sub(r'"[^"]*"', "", leading[-1])
    delimiter = max(",\t;", key=first.count)
    between = delimiter if delimiter in first else None
    if '"' in text:
        rows = _quoted(text, between or ",", name)
        names = names or next(rows)[1]
        return _of_rows(rows, name, names)
    lines = text.split("\n")
    if "#" in text or not all(map(str.strip, lines[:-1])):
        numbers = [at for at, line in enumerate(lines, 1) if not COMMENT.match(line)]
        lines = [lines[at - 1] for at in numbers]
    else:
        lines = lines if lines[-1].strip() else lines[:-1]
        numbers = range(1, len(lines) + 1)  # type: ignore[assignment]
    if not names:
        names = [cell.strip() for cell in lines[0].split(between)]
        lines, numbers = lines[1:], numbers[1:]
    width = len(names)
    for at, line in zip(numbers, lines, strict=True):
        count = line.count(between) + 1 if between else len(line.split())
        if count != width:
            _check_width(count, width, f"{name}:{at}")

    def cells(place: int) -> list[str]:
        return [line.split(between, place + 1)[place].strip() for line in lines]

    return Columns(name, _named(names, name), numbers, cells, plain=(lines, between))


def _quoted(text: str, delimiter: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of CSV with quotes; the line of a row is the one it ends in."""
    lines = (
        "" if line[:1] == "#" and COMMENT.match(line) else line + "\n" for line in text.split("\n")
    )
    rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for row in rows:
            if any(map(str.strip, row)):
                yield rows.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise UsageError(f"{name}:{rows.line_num}: {error}; close each quote") from None


def _markdown(text: str, name: str) -> Columns:
    """Read a table as GitHub has them: each row is a line that begins with a bar."""
    rows = []
    for at, line in enumerate(map(str.strip, text.split("\n")), 1):
        if not line.startswith("|"):
            if line:
                raise UsageError(f"{name}:{at}: not a row of Markdown; begin it with |")
            continue
        cells = [cell.strip() for cell in CELL.findall(line[1:].removesuffix("|"))][:-1]
        if not all(map(RULE.fullmatch, cells)):
            rows.append((at, [ESCAPED.sub(r"\1", MARKED.sub(r"\2", cell)) for cell in cells]))
    return _of_rows(rows[1:], name, rows[0][1] if rows else [])


# JSON


def _columns_of_json(text: str, name: str) -> Columns:
    """Read objects, each a row, or one object of arrays; numbers keep all their digits."""
    items = list(_items(text, name))
    first = items[0][1] if items else {}
    if len(items) == 1 and all(isinstance(each, list | dict) for each in first.values()):
        columns = [
            list(each.values() if isinstance(each, dict) else each) for each in first.values()
        ]
        if len({*map(len, columns)}) > 1:
            raise UsageError(
                f"{name} has columns of unequal lengths; write as many numbers in each"
            )
        rows = ((at, _texts(row)) for at, row in enumerate(zip(*columns, strict=True), 1))
        return _of_rows(rows, name, [*first], ", row ")
    names = list(dict.fromkeys(key for _, item in items for key in item))
    return _of_rows(((at, _texts(map(item.get, names))) for at, item in items), name, names)


def _items(text: str, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield objects of JSON, each with the line it begins in."""
    decoder = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
    between = re.compile(r"[\s,\[\]]*")
    line, end = 1, 0
    while True:
        start = between.match(text, end).end()  # type: ignore[union-attr]
        line += text.count("\n", end, start)
        if start == len(text):
            return
        try:
            item, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise UsageError(f"{name}:{error.lineno}: not JSON: {error.msg}") from None
        if not isinstance(item, dict):
            raise UsageError(
                f'{name}:{line}: a row is an object; write {{"x": 1, "exact": 0.8413}}'
            )
        yield line, item
        line += text.count("\n", start, end)


def _texts(row: Iterable[Any]) -> list[str]:
    return [
        "" if cell is None else cell.strip() if isinstance(cell, str) else json.dumps(cell)
        for cell in row
    ]


# Arrays


def _load(file: Source) -> np.ndarray:
    import numpy as np

    try:
        array: np.ndarray = np.load(BytesIO(file.data), allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise UsageError(f"{file.name} is not .npy of numbers: {error}") from None
    return array


def _columns_of_array(array: np.ndarray, name: str) -> Columns:
    """Name the fields of a structured array, or number the columns of a matrix."""
    rows = range(1, len(array.ravel() if array.dtype.names else array) + 1) if array.ndim else []
    if array.dtype.names:
        names = [*array.dtype.names]
        return Columns(name, names, rows, lambda at: array[names[at]].ravel(), ", row ")
    if array.ndim != 2:
        raise UsageError(
            f"{name} has the shape {array.shape}; save columns, or an array with names"
        )
    names = [str(place) for place in range(1, array.shape[1] + 1)]
    return Columns(name, names, rows, lambda at: array[:, at], ", row ")


def _array_of(file: Source, column: str | None) -> np.ndarray:
    """Read the numbers of an array, or of one of its columns, as float64s."""
    array = _load(file)
    if array.dtype.names or column:
        array = _columns_of_array(array, file.name)[column or "x"]  # type: ignore[assignment]
    if array.dtype.kind not in "fiub":
        raise UsageError(f"{file.name} holds {array.dtype}, not numbers; save float64s")
    return array.astype(float).ravel()
