"""Values at points: words X=Y, files, and what Python has for them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from gelu_cli.errors import UsageError
from gelu_cli.inputs.files import read_columns
from gelu_cli.inputs.layouts import Columns
from gelu_cli.inputs.numbers import parse_number
from gelu_cli.inputs.points import piped
from gelu_cli.old.arithmetic.formats import Format

T = TypeVar("T")
PATTERN = re.compile(r"0[xX]([0-9a-fA-F]+)")


def words_or_file(words: Sequence[str] | None, source: str | None) -> Sequence[str] | Path:
    """Take the words X=Y or the file of a command line; without any a bare pipe is read."""
    if words and source:
        raise UsageError(f"values and --input {source} are both given; remove one")
    if not words and source is None and not piped():
        raise UsageError("no values; write X=Y, e.g. 2=1.9546, or --input FILE")
    return words or Path(source or "-")


def to_columns(values: Any, column: str | None = None) -> Columns:
    """Take words X=Y, a file, a mapping, a DataFrame or two arrays as columns of texts.

    Values without a name are in the column "", their points in x.

    >>> found = to_columns(["1=0.84", "2=1.95"])
    >>> found.names, found[""], found.at(1)
    (['x', ''], ['0.84', '1.95'], 'pair 2')
    >>> to_columns({1: "0.84", 2: None})[""]
    ['0.84', '']
    """
    if isinstance(values, os.PathLike):
        return read_columns(os.fspath(values))
    if isinstance(values, str):
        values = [values] if "=" not in values or os.path.exists(values) else values.split()
    if isinstance(values, list | tuple) and all(isinstance(each, str) for each in values):
        return _of_words(values, column)
    if hasattr(values, "keys") and (column or "x") in (names := [*values.keys()]):
        named = {str(name): _texts(values[name]) for name in names}
    elif hasattr(values, "keys"):
        named = {"x": _texts(names), "": _texts(values.values())}
    elif isinstance(values, tuple) and len(values) == 2:
        named = {"x": _texts(values[0]), "": _texts(values[1])}
    else:
        raise TypeError("values are words X=Y, a mapping {x: value}, arrays (x, values) or a file")
    cells, lengths = [*named.values()], [*map(len, named.values())]
    if len({*lengths}) != 1:
        raise UsageError(f"the columns have {lengths} values; give as many in each")
    return Columns("the values", [*named], range(1, 1 + lengths[0]), cells.__getitem__, ", row ")


def _of_words(words: Sequence[str], column: str | None) -> Columns:
    if len(words) == 1 and (words[0] == "-" or os.path.exists(words[0])):
        return read_columns(words[0])
    for word in words or [""]:
        if "=" not in word:
            kind = "neither X=Y nor a file" if len(words) == 1 else "not X=Y"
            raise UsageError(f"'{word}' is {kind}; write e.g. 2=1.9546")
    if column:
        raise UsageError(f"--column {column} names a column of a file; remove it")
    x, _, y = zip(*(word.partition("=") for word in words), strict=True)
    return Columns("pair ", ["x", ""], range(1, 1 + len(words)), [[*x], [*y]].__getitem__, "")


def _texts(column: Any) -> list[str]:
    """Print numbers, those of numpy in the digits of their own format."""
    if hasattr(column, "tolist") and type(column).__module__ != "numpy":
        column = column.tolist()
    return ["" if each is None else str(each) for each in column]


def parsed(columns: Columns, place: int, parse: Callable[[str], T]) -> list[T]:
    """Parse the cells of the column at an index; an error names the row."""
    found = []
    for row, cell in enumerate(columns.cells(place)):
        try:
            found.append(parse(str(cell)))
        except UsageError as error:
            raise UsageError(f"{columns.at(row)}: {error}") from None
    return found


def parse_result(number_format: Format, word: str) -> float:
    """Round a number to a format; hexadecimal digits of its width are a bit pattern.

    >>> from gelu_cli.old.arithmetic.formats import find_format
    >>> [parse_result(find_format("bfloat16"), word) for word in ("1/3", "0x1.8p+1", "0x3f80")]
    [0.333984375, 3.0, 1.0]
    """
    pattern = PATTERN.fullmatch(word)
    if pattern and len(pattern[1]) == number_format.width // 4:
        return number_format.number(int(pattern[1], 16))
    number = parse_number(word)
    if isinstance(number, float):
        return number_format.from_float(number)
    return number_format.exactly(number)
