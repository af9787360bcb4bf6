"""Where points come from: words, stdin, files; a stream of blocks, never all at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, islice

from gelu_cli.arithmetic.formats import Format
from gelu_cli.commands._lines import CsvSplitter, arriving
from gelu_cli.commands._numbers import Number, Range, parse_points, to_float64
from gelu_cli.errors import UsageError

BLOCK = 256
"""Points in a block: small enough that rows appear soon, large enough to cost nothing."""

SEPARATOR = re.compile(r"[\s,;]+")


def read_points(
    words: Sequence[str], source: str | None, column: str | None, exact: bool
) -> Iterator[list[Number]]:
    """Yield blocks of the points that the command line asks for.

    `words` are numbers and ranges, or a single `-` for stdin; `source` is a file, or `-`. The
    points are float64s, or the numbers as typed if `exact` is set. Every word of the command
    line, or of what a stream holds at first, is checked before the first block is yielded.
    """
    if source is None and "-" in words:
        if len(words) > 1:
            raise UsageError("'-' reads all points from stdin; leave the other points out")
        words, source = (), "-"
    if source is not None and words:
        raise UsageError(f"give points or --input '{source}', not both")
    if source is not None:
        return _nonempty(_source_blocks(source, column, exact), source)
    if column is not None:
        raise UsageError("--column picks a column of --input FILE or of '-' (stdin)")
    if not words:
        raise UsageError(
            "no points: give numbers (-3 0.5), a range (-3:3:0.5), '-' for stdin, or --input FILE"
        )
    return _blocks(chain.from_iterable([_points(word, exact) for word in words]))


def format_points(
    number_format: Format | None, words: Sequence[str], source: str | None
) -> Iterator[list[Number]]:
    """Yield blocks of every finite number of a 16- or 8-bit format, in the order of its bits."""
    if number_format is None or number_format.width > 16:
        raise UsageError("--all takes every number of a 16- or 8-bit --dtype, e.g. bfloat16")
    if words or source is not None:
        raise UsageError("--all takes every number; leave X, --input and --column out")
    return _blocks(number_format.finite_numbers())


def _source_blocks(source: str, column: str | None, exact: bool) -> Iterator[list[Number]]:
    if source.endswith(".npy"):
        if column is not None:
            raise UsageError("--column is for CSV files; a .npy file has no columns")
        return _npy_blocks(source, exact)
    return _text_blocks(source, column, exact)


def _points(word: str, exact: bool) -> Iterable[Number]:
    """Return what a word stands for, checked; a range unfolds as it is read."""
    points = parse_points(word)
    if not isinstance(points, Range):
        return [points if exact else to_float64(points, word)]
    if exact:
        return points.numbers()
    for end in (points.start, points.start + (points.length - 1) * points.step):
        to_float64(end, word)
    return map(float, points.numbers())


def _blocks(points: Iterable[Number]) -> Iterator[list[Number]]:
    points = iter(points)
    while block := list(islice(points, BLOCK)):
        yield block


def _nonempty(blocks: Iterator[list[Number]], source: str) -> Iterator[list[Number]]:
    first = next(blocks, None)
    if first is None:
        name = "stdin" if source == "-" else f"'{source}'"
        raise UsageError(f"{name} holds no numbers")
    return chain([first], blocks)


def _text_blocks(source: str, column: str | None, exact: bool) -> Iterator[list[Number]]:
    """Yield what has arrived, as soon as it has, so that a trickle of numbers trickles on."""
    name = "stdin" if source == "-" else source
    find_words = _column_words(name, column) if column is not None else SEPARATOR.split
    for texts in arriving(source, name, ends="\n" if column is not None else " \t\n\r,;"):
        found: list[Iterable[Number]] = []
        for number, text in texts:
            try:
                found += [_points(word, exact) for word in find_words(text) if word]
            except UsageError as error:
                raise UsageError(f"line {number} of {name}: {error}") from None
        yield from _blocks(chain.from_iterable(found))


def _column_words(name: str, column: str) -> Callable[[str], list[str]]:
    """Return a function from the lines of a CSV, in order, to the words in one column."""
    split, header = CsvSplitter(), list[str]()

    def words(line: str) -> list[str]:
        nonlocal header
        row = split(line)
        if not row:
            return []
        if not header:
            header = row
            if column not in header:
                raise UsageError(f"{name} has no column '{column}'; it has: {', '.join(header)}")
            return []
        index = header.index(column)
        if len(row) <= index or not row[index]:
            raise UsageError(f"no number in column '{column}'")
        return [row[index]]

    return words


def _npy_blocks(path: str, exact: bool) -> Iterator[list[Number]]:
    import numpy as np

    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror or 'not a .npy file'}") from None
    except (ValueError, EOFError):
        raise UsageError(f"'{path}' is not a .npy file of numbers") from None
    if not isinstance(array, np.ndarray):
        raise UsageError(f"'{path}' is not a .npy file but an archive of several (.npz)")
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise UsageError(f"'{path}' holds {array.dtype}, not numbers up to float64")
    flat = array.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        block: list[float] = flat[start : start + BLOCK].tolist()
        yield [_as_typed(x) for x in block] if exact else [float(x) for x in block]


def _as_typed(x: float) -> Number:
    return float(x) if x - x != 0 or x == 0 else Fraction(x)
