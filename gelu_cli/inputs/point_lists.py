"""Points x, and values at points x, from words, arrays and files."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from gelu_cli.errors import UsageError
from gelu_cli.inputs.columns import Columns, Source, read_columns, read_source
from gelu_cli.inputs.names import to_format
from gelu_cli.inputs.numbers import Number, Range, parse_point, plain, to_float

if TYPE_CHECKING:
    import numpy as np

Points: TypeAlias = "list[Number] | np.ndarray"
"""A list of numbers; for MANY or more points an array of float64s, unless `as_typed` is set."""

MANY = 512
"""Least number of points that are kept in an array, for speed."""

DIGITS_OF_FLOAT64 = 17
LACKING = "no points; write numbers (-3 0.5), a range (-3:3:0.5) or --input FILE"


def to_points(x: Any, *, as_typed: bool = False) -> Points:
    """Convert a word, a number, a sequence or an array to points.

    >>> to_points([1, "1/3"]), to_points("-1 0:1:1")
    ([Fraction(1, 1), Fraction(1, 3)], [Fraction(-1, 1), Fraction(0, 1), Fraction(1, 1)])
    """
    if hasattr(x, "__array__"):
        import numpy as np

        floats = np.asarray(x).astype(float, casting="same_kind").ravel()
        return floats if len(floats) >= MANY else floats.tolist()
    several = x.split() if isinstance(x, str) else x if isinstance(x, Iterable) else [x]
    return _unfolded([_piece(each) for each in several], as_typed=as_typed)


def _piece(x: Any) -> Number | Range:
    x = parse_point(x) if isinstance(x, str) else plain(x)
    return x if isinstance(x, float | Range) else Fraction(x)


def _unfolded(pieces: Sequence[Number | Range], *, as_typed: bool) -> Points:
    """Expand ranges; MANY or more points are float64s unless `as_typed`."""
    if as_typed or sum(each.length if isinstance(each, Range) else 1 for each in pieces) < MANY:
        return [x for each in pieces for x in (each.exact() if isinstance(each, Range) else [each])]
    import numpy as np

    return np.concatenate(
        [each.floats() if isinstance(each, Range) else [to_float(each)] for each in pieces]
    )


def float64s(points: Points) -> Points:
    """Round points to float64s."""
    return [to_float(each) for each in points] if isinstance(points, list) else points


def keeps_typed(digits: int | None) -> bool:
    """Return True if --digits exceeds 17: then x stays exact, as typed."""
    return (digits or 0) > DIGITS_OF_FLOAT64


def words_or_file(words: Any, source: str | None, lacking: str) -> Sequence[str] | Path:
    """Return the words, or the file's path; `-` (stdin) if neither is given.

    `lacking` is the error message if neither is given and nothing is piped.
    """
    if words and words != ["-"] and source:
        raise UsageError(f"words and --input {source} are both given; remove one")
    if not words and source is None and not piped():
        raise UsageError(lacking)
    return Path(source or "-") if not words or words == ["-"] else words


def read_points(x: Any, source: str | None, column: str | None, as_typed: bool = False) -> Points:
    """Read points from words, a file, or a pipe on stdin; exact if `as_typed`."""
    found = words_or_file(x, source, LACKING)
    if isinstance(found, Path):
        return read_column(str(found), column, as_typed=as_typed)
    if column:
        raise UsageError("--column names a column of --input; add --input FILE")
    return to_points(found, as_typed=as_typed)


def read_column(source: str, column: str | None = None, *, as_typed: bool = False) -> Points:
    """Read the points in a column, `x` by default, or in a list of numbers."""
    name = column or "x"
    columns = read_columns(read_source(source), only=name)
    if not columns[name]:
        remedy = "write one number per line, or a table with a column x"
        raise UsageError(f"{columns.name} holds no numbers; {remedy}")
    many: Points | None = None if as_typed else columns.at_once(name)
    if many is not None and len(many) >= MANY:
        return many
    return _unfolded(columns.parsed(name, parse_point), as_typed=as_typed)


def piped() -> bool:
    """Return True if stdin is a pipe or a file, not a terminal or /dev/null."""
    try:
        return bool(sys.stdin) and not stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    except OSError:  # stdin without a descriptor
        return not sys.stdin.isatty()


def every_number(dtype: object) -> Points:
    """List the finite numbers of an 8- or 16-bit format by bit pattern."""
    number_format = to_format(dtype) if dtype is not None else None
    if number_format is None or number_format.width > 16:
        raise UsageError("--all takes each number of a 16- or 8-bit format; add --dtype bfloat16")
    import numpy as np

    return to_points(np.array(list(number_format.finite_numbers())))


def read_file(given: Any) -> Source | None:
    """Read a file if `given` names one, else return None; `-` is stdin."""
    if isinstance(given, Source):
        return given
    if isinstance(given, list | tuple) and len(given) == 1:
        given = given[0]
    named = isinstance(given, str) and (given == "-" or os.path.exists(given))
    return read_source(os.fspath(given)) if named or isinstance(given, os.PathLike) else None


def to_columns(values: Any, column: str | None = None) -> Columns:
    """Convert words X=Y, a file, a mapping or two arrays to columns.

    Values without a heading go to the column "", and their points to the column x.

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
            fault = "is not X=Y" if len(values) > 1 else "is not X=Y, and there is no such file"
            raise UsageError(f"'{wrong[0]}' {fault}; write e.g. 2=1.9546, or only a file name")
        x, _, y = zip(*(word.partition("=") for word in values), strict=True)
        named: dict[str, Any] = {"x": x, "": y}
    elif hasattr(values, "keys"):
        named = {name: values[name] for name in values.keys()}  # noqa: SIM118 pandas.Series
        named = named if (column or "x") in named else {"x": [*named], "": [*named.values()]}
    elif isinstance(values, tuple) and len(values) == 2:
        named = {"x": values[0], "": values[1]}
    else:
        raise TypeError("give words X=Y, a mapping {x: value}, arrays (x, values) or a file")
    cells = {str(name): _texts(each) for name, each in named.items()}
    if len(rows := {*map(len, cells.values())}) != 1:
        raise UsageError(f"columns have {sorted(rows)} values; give equally many in each")
    return Columns("the values", cells, place=", pair ")


def _texts(column: Any) -> list[str]:
    """Convert numbers to texts; numpy scalars show the digits of their dtype."""
    if hasattr(column, "tolist") and type(column).__module__ != "numpy":
        column = column.tolist()
    return ["" if each is None else str(each) for each in column]
