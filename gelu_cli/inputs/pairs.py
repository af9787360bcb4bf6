"""Values at points: words X=Y, files, and what Python has for them."""

from __future__ import annotations

import os
from typing import Any

from gelu_cli.errors import UsageError
from gelu_cli.inputs.files import Columns, Source, read_columns, read_source


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
    >>> found["x"], found[""]
    (['1', '2'], ['0.84', '1.95'])
    >>> to_columns({1: "0.84", 2: None})[""]
    ['0.84', '']
    """
    if file := read_file(values):
        return read_columns(file)
    values = values.split() if isinstance(values, str) else values
    if isinstance(values, list | tuple) and all(isinstance(each, str) for each in values):
        if wrong := [word for word in values or [""] if "=" not in word]:
            raise UsageError(f"'{wrong[0]}' is neither X=Y nor a file; write e.g. 2=1.9546")
        x, _, y = zip(*(word.partition("=") for word in values), strict=True)
        named: dict[str, Any] = {"x": x, "": y}
    elif hasattr(values, "keys"):
        named = {name: values[name] for name in values.keys()}  # noqa: SIM118 a frame has columns
        named = named if (column or "x") in named else {"x": [*named], "": [*named.values()]}
    elif isinstance(values, tuple) and len(values) == 2:
        named = {"x": values[0], "": values[1]}
    else:
        raise TypeError("values are words X=Y, a mapping {x: value}, arrays (x, values) or a file")
    cells = {str(name): _texts(each) for name, each in named.items()}
    if len(rows := {*map(len, cells.values())}) != 1:
        raise UsageError(f"columns have {sorted(rows)} values; give as many in each")
    return Columns("the values", cells, range(1, 1 + rows.pop()), ", pair ")


def _texts(column: Any) -> list[str]:
    """Print numbers, those of numpy in the digits of their own format."""
    if hasattr(column, "tolist") and type(column).__module__ != "numpy":
        column = column.tolist()
    return ["" if each is None else str(each) for each in column]
