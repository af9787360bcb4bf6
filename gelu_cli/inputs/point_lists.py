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
from gelu_cli.inputs.numbers import Number, Range, parse_point, to_float

if TYPE_CHECKING:
    import numpy as np

Points: TypeAlias = "list[Number] | np.ndarray"
"""Few points are numbers as they were typed, many an array of float64s."""

MANY = 512
"""From here on an array is faster; exact numbers are kept only if they are asked for."""


def unfolded(pieces: Sequence[Number | Range], *, as_typed: bool = False) -> Points:
    """List numbers and those of ranges; many as float64s unless `as_typed`."""
    if as_typed or sum(each.length if isinstance(each, Range) else 1 for each in pieces) < MANY:
        return [x for each in pieces for x in (each.exact() if isinstance(each, Range) else [each])]
    import numpy as np

    return np.concatenate(
        [each.floats() if isinstance(each, Range) else [to_float(each)] for each in pieces]
    )


def to_points(x: Any, *, as_typed: bool = False) -> Points:
    """Take points as Python has them: a word, a number, a sequence, an array.

    >>> to_points([1, "1/3"]), to_points("-1 0:1:1")
    ([Fraction(1, 1), Fraction(1, 3)], [Fraction(-1, 1), Fraction(0, 1), Fraction(1, 1)])
    """
    if hasattr(x, "__array__"):
        import numpy as np

        array = np.asarray(x)
        if array.dtype.kind not in "fiub" and array.dtype.name != "bfloat16":
            raise UsageError(f"x has the dtype {array.dtype}; pass real numbers")
        return array.astype(float).ravel()
    several = x.split() if isinstance(x, str) else x if isinstance(x, Iterable) else [x]
    return unfolded([_piece(each) for each in several], as_typed=as_typed)


def _piece(x: Any) -> Number | Range:
    if isinstance(x, str):
        return parse_point(x)
    return x if isinstance(x, float) else Fraction(x)


def read_points(
    words: Sequence[str] | None, source: str | None, column: str | None, *, as_typed: bool = False
) -> Points | None:
    """Read the points that a command line names; None if it names none.

    Without words or `source` a bare pipe on stdin is read.
    """
    if words == ["-"] or (not words and source is None and piped()):
        words, source = None, "-"
    if words and source:
        raise UsageError(f"points and --input {source} are both given; remove one")
    if column and source is None:
        raise UsageError("--column names a column of --input; add --input FILE")
    if words:
        return to_points(words, as_typed=as_typed)
    if source is None:
        return None
    from gelu_cli.inputs.files import read_column

    return read_column(source, column, as_typed=as_typed)


def piped() -> bool:
    """Return True if stdin is a pipe or a file, not a terminal or /dev/null."""
    try:
        return bool(sys.stdin) and not stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)
    except OSError:  # a stream in this process
        return not sys.stdin.isatty()


def unread(points: Points | None) -> list[str]:
    """Note that stdin was not read, if there is a pipe and no point."""
    ignored = points is None and piped()
    return ["stdin was not read; '-' reads points from it"] if ignored else []


def every_number(dtype: object) -> np.ndarray:
    """List the finite numbers of an 8- or 16-bit format by bit pattern."""
    number_format = to_format(dtype) if dtype is not None else None
    if number_format is None or number_format.width > 16:
        raise UsageError("--all takes each number of a 16- or 8-bit format; add --dtype bfloat16")
    import numpy as np

    return np.array(list(number_format.finite_numbers()))
