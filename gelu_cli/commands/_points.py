"""Where points come from: words, stdin, files; a stream of blocks, never all at once."""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from gelu_cli.arithmetic.formats import Format
from gelu_cli.commands._numbers import Number, Range, parse_points, to_float64
from gelu_cli.errors import UsageError

BLOCK = 256
"""Points in a block: small enough that rows appear soon, large enough to cost nothing."""

CHUNK = 1 << 16
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


@contextmanager
def _opened(source: str) -> Iterator[BinaryIO]:
    """Open a file, or stdin; what goes wrong while reading is the file's fault, and says so."""
    try:
        if source != "-":
            with Path(source).open("rb") as stream:
                yield stream
        elif sys.stdin is None:
            raise UsageError("stdin is closed; give points, or --input FILE")
        else:
            yield sys.stdin.buffer
    except OSError as error:
        raise UsageError(f"cannot read '{source}': {error.strerror}") from None


def _text_blocks(source: str, column: str | None, exact: bool) -> Iterator[list[Number]]:
    """Yield what has arrived, as soon as it has, so that a trickle of numbers trickles on."""
    name = "stdin" if source == "-" else source
    find_words = _column_words(name, column) if column is not None else SEPARATOR.split
    for texts in _arriving(source, name, ends="\n" if column is not None else " \t\n\r,;"):
        found: list[Iterable[Number]] = []
        for number, text in texts:
            try:
                found += [_points(word, exact) for word in find_words(text) if word]
            except UsageError as error:
                raise UsageError(f"line {number} of {name}: {error}") from None
        yield from _blocks(chain.from_iterable(found))


def _arriving(source: str, name: str, ends: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the numbered lines of what has arrived, up to the last of the characters `ends`."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    rest, number = "", 1
    with _opened(source) as stream:
        read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        while chunk := read(CHUNK):
            text = rest + _decoded(decoder, chunk, name)
            end = max(map(text.rfind, ends)) + 1
            lines, rest = text[:end].split("\n"), text[end:]
            yield list(enumerate(lines, number))
            number += len(lines) - 1
    yield [(number, rest + _decoded(decoder, b"", name))]


def _decoded(decoder: codecs.IncrementalDecoder, chunk: bytes, name: str) -> str:
    try:
        return decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError:
        raise UsageError(f"{name} is not text (UTF-8); numbers are read as text or .npy") from None


def _column_words(name: str, column: str) -> Callable[[str], list[str]]:
    """Return a function from the lines of a CSV, in order, to the words in one column."""
    import csv

    begun, header, delimiter = "", list[str](), ","

    def words(line: str) -> list[str]:
        nonlocal begun, header, delimiter
        begun += line.removesuffix("\r")
        if begun.count('"') % 2:  # a quoted cell goes on in the next line
            begun += "\n"
            return []
        text, begun = begun, ""
        if not header:
            delimiter = max(",\t;", key=text.count)
        try:
            row = [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter), [])]
        except csv.Error as error:
            raise UsageError(f"not a line of a CSV: {error}") from None
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
