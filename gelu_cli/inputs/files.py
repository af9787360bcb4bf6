"""Columns of files: text, CSV, Markdown, JSON, .npy; `-` is stdin."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.inputs.layouts import Columns, at_once, columns_of, delimiter_of
from gelu_cli.inputs.numbers import parse_point
from gelu_cli.inputs.point_lists import MANY, Points, to_points, unfolded

if TYPE_CHECKING:
    import numpy as np

NPY = b"\x93NUMPY"


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


def read_column(source: str, column: str | None = None, *, as_typed: bool = False) -> Points:
    """Read the points in a column, `x` by default, or in a list of numbers.

    Few of them, or all if they are to stay `as_typed`, are numbers as typed, many float64s.
    """
    file, name = read_source(source), column or "x"
    if not as_typed and (floats := _floats(file, name)) is not None:
        return floats
    columns = read_columns(file)
    cells = columns[name]
    if not len(cells):
        remedy = "write one a line, or a table with a column x"
        raise UsageError(f"{columns.name} holds no numbers; {remedy}")
    if not isinstance(cells, list):
        return to_points(cells)
    if len(cells) >= MANY and not as_typed and (many := at_once(cells)) is not None:
        return many
    return unfolded(columns.parsed(name, parse_point), as_typed=as_typed)


def read_columns(source: str | Source) -> Columns:
    """Read the columns of a file; cells are texts, of .npy numbers."""
    file = read_source(source) if isinstance(source, str) else source
    if file.data.startswith(NPY):
        return _of_array(load(file), file.name)
    try:
        text = file.data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(f"{file.name} is neither text in UTF-8 nor .npy; save it as one of them")
    return columns_of(text, file.name)


def _floats(file: Source, column: str) -> np.ndarray | None:
    """Read plain decimals by numpy, ten times as fast; None of others."""
    try:
        header, *lines = file.data.decode().splitlines()
        names = header.split(delimiter := delimiter_of(header))
        at, width = names.index(column), len(names)
        if len(lines) < MANY or any(line.count(delimiter) + 1 != width for line in lines):
            return None
        import numpy as np

        return np.loadtxt(lines, delimiter=delimiter, usecols=at, comments=None, ndmin=1)
    except ValueError:  # also of text that is not UTF-8, and of other columns
        return None


def load(file: Source) -> np.ndarray:
    """Load the array of a .npy file."""
    import numpy as np

    try:
        array: np.ndarray = np.load(BytesIO(file.data), allow_pickle=False)
    except Exception:  # numpy hands the header to Python's parser
        raise UsageError(f"{file.name} is not a whole .npy of numbers; write it anew") from None
    return array


def _of_array(array: np.ndarray, name: str) -> Columns:
    """Name the fields of an array, points x, or columns x and values."""
    if fields := array.dtype.names:
        array = array.ravel()
        columns = {field: array[field] for field in fields}
    elif array.ndim == 1:
        columns = {"x": array}
    elif array.ndim == 2 and array.shape[1] == 2:
        columns = dict(zip(("x", ""), array.T, strict=True))
    else:
        raise UsageError(f"{name} has the shape {array.shape}; save x, columns x and y, or fields")
    cells = [*columns.values()]
    return Columns(name, [*columns], range(1, 1 + len(array)), cells.__getitem__, ", row ")
