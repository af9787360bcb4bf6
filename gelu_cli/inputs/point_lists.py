"""Lists of points x from words, numbers, arrays and files."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from gelu_cli.errors import UsageError
from gelu_cli.inputs.names import to_format
from gelu_cli.inputs.numbers import Number, Range, parse_point, plain, to_float

if TYPE_CHECKING:
    import numpy as np

Points: TypeAlias = "list[Number] | np.ndarray"
"""Few points are a list of numbers as they were typed, many an array of float64s."""

MANY = 512
"""From here on an array is faster; exact numbers are kept only if they are asked for."""

DIGITS_OF_FLOAT64 = 17


def to_points(x: Any, *, as_typed: bool = False) -> Points:
    """Take points as Python has them: a word, a number, a sequence, an array.

    >>> to_points([1, "1/3"]), to_points("-1 0:1:1")
    ([Fraction(1, 1), Fraction(1, 3)], [Fraction(-1, 1), Fraction(0, 1), Fraction(1, 1)])
    """
    if hasattr(x, "is_floating_point"):  # a tensor; numpy lacks some formats of PyTorch
        x = x.detach().cpu()
        x = x.double() if x.is_floating_point() else x
    if hasattr(x, "__array__"):
        import numpy as np

        array = np.asarray(x)
        if array.dtype.kind not in "fiub" and array.dtype.name != "bfloat16":
            raise UsageError(f"x has the dtype {array.dtype}; pass real numbers")
        floats = array.astype(float).ravel()
        return floats if len(floats) >= MANY else floats.tolist()
    several = x.split() if isinstance(x, str) else x if isinstance(x, Iterable) else [x]
    return _unfolded([_piece(each) for each in several], as_typed=as_typed)


def _piece(x: Any) -> Number | Range:
    if isinstance(x, str):
        return parse_point(x)
    x = plain(x)
    try:
        return x if isinstance(x, float) else Fraction(x)
    except (TypeError, ValueError):
        raise UsageError(f"{x!r} is not a number; give numbers, words or an array") from None


def _unfolded(pieces: Sequence[Number | Range], *, as_typed: bool) -> Points:
    """List numbers and those of ranges; many as float64s unless `as_typed`."""
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
    """Return True if --digits exceeds float64: x stays as typed."""
    return (digits or 0) > DIGITS_OF_FLOAT64


def read_points(
    words: Sequence[str] | None,
    source: str | None,
    column: str | None,
    digits: int | None = None,
    *,
    needed: bool = True,
) -> Points | None:
    """Read the points that a command line names.

    If it names none and they are `needed` a bare pipe on stdin is read, else there are None.
    """
    if words == ["-"] or (needed and not words and source is None and piped()):
        words, source = None, "-"
    if words and source:
        raise UsageError(f"points and --input {source} are both given; remove one")
    if column and source is None:
        raise UsageError("--column names a column of --input; add --input FILE")
    if words:
        return to_points(words, as_typed=keeps_typed(digits))
    if source is not None:
        return read_column(source, column, as_typed=keeps_typed(digits))
    if needed:
        raise UsageError("no points; write numbers (-3 0.5), a range (-3:3:0.5) or --input FILE")
    return None


def read_column(source: str, column: str | None = None, *, as_typed: bool = False) -> Points:
    """Read the points in a column, `x` by default, or in a list of numbers."""
    from gelu_cli.inputs.files import read_columns, read_floats, read_source
    from gelu_cli.inputs.layouts import at_once

    file, name = read_source(source), column or "x"
    if not as_typed and (floats := read_floats(file, name, MANY)) is not None:
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
    return _unfolded(columns.parsed(name, parse_point), as_typed=as_typed)


def piped() -> bool:
    """Return True if stdin is a pipe or a file, not a terminal or /dev/null."""
    try:
        return bool(sys.stdin) and not stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    except OSError:  # a stream in this process
        return not sys.stdin.isatty()


def every_number(dtype: object) -> Points:
    """List the finite numbers of an 8- or 16-bit format by bit pattern."""
    number_format = to_format(dtype) if dtype is not None else None
    if number_format is None or number_format.width > 16:
        raise UsageError("--all takes each number of a 16- or 8-bit format; add --dtype bfloat16")
    import numpy as np

    return to_points(np.array(list(number_format.finite_numbers())))
