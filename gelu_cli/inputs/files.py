"""Columns of files: text, CSV, Markdown, JSON, .npy; `-` is stdin."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.inputs.layouts import Columns, at_once, columns_of, first_line
from gelu_cli.inputs.numbers import Range, parse_point, to_float
from gelu_cli.inputs.points import MANY, Points

if TYPE_CHECKING:
    import numpy as np

NPY = b"\x93NUMPY"
NUMBERS = re.compile(r"[-+.−\d]|(?:inf|infinity|nan)\b|$", re.IGNORECASE)
SAVETXT = re.compile(r"\A#\s*(?=x[,;\t])")
"""The header that numpy.savetxt makes a comment."""

DECIMAL_COMMA = re.compile(r"[-+−]?\d+,\d+(?:e[-+]?\d+)?", re.IGNORECASE)


class Source(NamedTuple):
    """The bytes of a file, and what messages call it."""

    name: str
    data: bytes


def read_source(source: str) -> Source:
    """Read a file, or stdin for `-`."""
    try:
        if source != "-":
            return Source(source, Path(source).read_bytes())
        return Source("stdin", sys.stdin.buffer.read() if sys.stdin else b"")
    except OSError as error:
        raise UsageError(f"cannot read '{source}': {error.strerror}; name another") from None


def read_column(source: str, column: str | None = None, *, exact: bool = False) -> Points:
    """Read the points in a column, `x` by default, or in a list of numbers.

    Few of them, or all if they are to be `exact`, are numbers as typed, many float64s.
    """
    file = read_source(source)
    if file.data.startswith(NPY):
        return _array(file, column)
    name, text = file.name, _decoded(file)
    del file  # large files are held once
    if _is_list(text):
        if column:
            raise UsageError(f"{name} has no names of columns; remove --column {column}")
        return _list(text, name, exact=exact)
    columns = columns_of(text, name)
    del text
    wanted = column or "x"
    if not exact and len(columns.lines) >= MANY and (found := columns.floats(wanted)) is not None:
        return found
    return _parsed(list(columns[wanted]), columns.at, name, exact=exact)


def read_columns(source: str | Source) -> Columns:
    """Read the columns of a file; cells are texts, of .npy numbers."""
    file = read_source(source) if isinstance(source, str) else source
    if file.data.startswith(NPY):
        return _of_array(load(file), file.name)
    text = _decoded(file)
    if _is_list(text):
        raise UsageError(f"{file.name} has no names of columns; begin it with a line like x,exact")
    return columns_of(text, file.name)


def _decoded(file: Source) -> str:
    """Decode text; lines end in line feeds, a commented header is bare."""
    try:
        text = file.data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(f"{file.name} is neither text in UTF-8 nor .npy; save it as one of them")
    return SAVETXT.sub("", text, count=1)


def _is_list(text: str) -> bool:
    """Return True if numbers come without names of columns."""
    first = first_line(text)
    return "{" not in text if first[:1] == "[" else bool(NUMBERS.match(first))


# Lists of numbers


def _list(text: str, name: str, *, exact: bool) -> Points:
    """Read numbers between white space, commas, brackets and quotes."""
    cells: list[str] = []
    lines: list[int] = []
    for at, whole in enumerate(re.sub(r'[\[\]";]', " ", text).split("\n"), 1):
        line = whole.partition("#")[0]
        words = line.replace(",", " ").split()
        if "," in line and all(map(DECIMAL_COMMA.fullmatch, line.split())):
            word = line.split()[0]
            raise UsageError(
                f"{name}:{at}: '{word}' may be {word.replace(',', '.')}, or "
                f"{word.replace(',', ' and ')}; write a decimal point, or a space after the comma"
            )
        cells += words
        lines += [at] * len(words)
    return _parsed(cells, lambda row: f"{name}:{lines[row]}", name, exact=exact)


def _parsed(cells: list[str], at: Callable[[int], str], name: str, *, exact: bool) -> Points:
    """Parse cells as points; `at` names the row of one that is not a number."""
    if not cells:
        raise UsageError(f"{name} holds no numbers; write one a line, or a table with a column x")
    if len(cells) >= MANY and not exact and (found := at_once(cells)) is not None:
        return found
    points: list[Any] = []
    for row, cell in enumerate(cells):
        try:
            point = parse_point(cell)
        except UsageError as error:
            said = error if cell else "the cell is empty; write a number, or remove the row"
            raise UsageError(f"{at(row)}: {said}") from None
        points += point.exact() if isinstance(point, Range) else [point]
    if exact or len(points) < MANY:
        return points
    import numpy as np

    return np.array([to_float(each) for each in points])


# Arrays


def load(file: Source) -> np.ndarray:
    """Load the array of a .npy file."""
    import numpy as np

    try:
        array: np.ndarray = np.load(BytesIO(file.data), allow_pickle=False)
    except Exception:  # numpy hands the header to Python's parser
        raise UsageError(f"{file.name} is not a whole .npy of numbers; write it anew") from None
    return array


def _of_array(array: np.ndarray, name: str) -> Columns:
    """Name fields of an array, or columns x, up and values of a matrix."""
    if fields := array.dtype.names:
        rows = array.ravel()
        return Columns(name, fields, range(1, 1 + len(rows)), lambda at: rows[fields[at]], ", row ")
    names = {2: ["x", ""], 3: ["x", "up", ""]}.get(array.shape[1]) if array.ndim == 2 else None
    if names is None:
        raise UsageError(f"{name} has the shape {array.shape}; save columns x and y, or fields")
    return Columns(name, names, range(1, 1 + len(array)), lambda at: array[:, at], ", row ")


def _array(file: Source, column: str | None) -> np.ndarray:
    """Read the numbers of an array, or of one of its columns, as float64s."""
    array = load(file)
    if array.dtype.names or column:
        array = _of_array(array, file.name)[column or "x"]  # type: ignore[assignment]
    if array.dtype.kind not in "fiub":
        raise UsageError(f"{file.name} holds {array.dtype}, not numbers; save float64s")
    return array.astype(float).ravel()
