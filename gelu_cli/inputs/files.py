"""Columns of files: text, CSV, Markdown, JSON, .npy; `-` is stdin."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.errors import UsageError
from gelu_cli.inputs.layouts import Columns, columns_of, delimiter_of

if TYPE_CHECKING:
    import numpy as np

NPY = b"\x93NUMPY"


class Source(NamedTuple):
    """The bytes of a file, and its name in messages."""

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
        raise UsageError(f"{file.name} is neither UTF-8 nor .npy; to results add --all or --inputs")
    return columns_of(text, file.name)


def read_floats(file: Source, column: str, least: int) -> np.ndarray | None:
    """Read a column of `least` decimals or more by numpy, six times as fast.

    None if another cell is among them, or quotes or spaces are around them.
    """
    try:
        header, *lines = file.data.decode().splitlines()
        names = header.split(delimiter := delimiter_of(header))
        at, width = names.index(column), len(names)
        if len(lines) < least or any(line.count(delimiter) + 1 != width for line in lines):
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
        columns = {field: array[field].ravel() for field in fields}
    elif array.ndim == 1:
        columns = {"x": array}
    elif array.ndim == 2 and array.shape[1] == 2:
        columns = {"x": array[:, 0], "": array[:, 1]}
    else:
        raise UsageError(f"{name} has the shape {array.shape}; save x, columns x and y, or fields")
    return Columns(name, columns, range(1, 1 + array.size), ", row ")
