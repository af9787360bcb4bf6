"""Values at points: words X=Y, files, and what Python has for them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.inputs.files import Source, read_columns, read_source
from gelu_cli.inputs.layouts import Columns
from gelu_cli.inputs.point_lists import piped


def words_or_file(words: Sequence[str] | None, source: str | None) -> Sequence[str] | Path:
    """Take the words X=Y or the file that are typed, or else a bare pipe."""
    if words and source:
        raise UsageError(f"values and --input {source} are both given; remove one")
    if not words and source is None and not piped():
        raise UsageError("no values; write X=Y, e.g. 2=1.9546, or --input FILE")
    return words or Path(source or "-")


def read_file(given: Any) -> Source | None:
    """Read the file that is named, if one is; `-` is stdin."""
    if isinstance(given, Source):
        return given
    if isinstance(given, list | tuple) and len(given) == 1:
        given = given[0]
    named = isinstance(given, str) and (given == "-" or os.path.exists(given))
    return read_source(os.fspath(given)) if named or isinstance(given, os.PathLike) else None


def to_columns(values: Any, column: str | None = None) -> Columns:
    """Convert words X=Y, a file, a mapping or two arrays to columns.

    Values without a name are in the column "", their points in x.

    >>> found = to_columns(["1=0.84", "2=1.95"])
    >>> [*found.cells], found[""], found.at(1)
    (['x', ''], ['0.84', '1.95'], 'the values, pair 2')
    >>> to_columns({1: "0.84", 2: None})[""]
    ['0.84', '']
    """
    if file := read_file(values):
        columns = read_columns(file)
        if not columns.names:
            raise UsageError(f"{columns.name} has no columns; write a table with a column x")
        return columns
    values = values.split() if isinstance(values, str) else values
    if isinstance(values, list | tuple) and all(isinstance(each, str) for each in values):
        if not values:
            raise UsageError("the values are empty; write X=Y, e.g. 2=1.9546")
        for word in values:
            if os.path.isfile(word):
                raise UsageError(f"{word} is a file; check it alone, without X=Y")
            if "=" not in word:
                raise UsageError(f"'{word}' is neither X=Y nor a file; write e.g. 2=1.9546")
        x, _, y = zip(*(word.partition("=") for word in values), strict=True)
        named: dict[str, Any] = {"x": x, "": y}
    elif hasattr(values, "keys"):
        names = [*values.keys()]
        cells = {name: values[name] for name in names}
        named = cells if (column or "x") in names else {"x": names, "": [*cells.values()]}
    elif isinstance(values, tuple) and len(values) == 2:
        named = {"x": values[0], "": values[1]}
    else:
        raise TypeError("values are words X=Y, a mapping {x: value}, arrays (x, values) or a file")
    texts = [_texts(each) for each in named.values()]
    if len({*map(len, texts)}) != 1:
        raise UsageError(f"columns have {[*map(len, texts)]} values; give as many in each")
    cells_by_name = dict(zip(map(str, named), texts, strict=True))
    return Columns("the values", cells_by_name, range(1, 1 + len(texts[0])), ", pair ")


def _texts(column: Any) -> list[str]:
    """Print numbers, those of numpy in the digits of their own format."""
    if hasattr(column, "tolist") and type(column).__module__ != "numpy":
        column = column.tolist()
    return ["" if each is None else str(each) for each in column]
