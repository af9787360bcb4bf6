"""Where points come from: words, stdin, files; a stream of blocks, never all at once."""

from __future__ import annotations

import codecs
import csv
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from io import TextIOWrapper
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
Word = tuple[str, str]
"""A word and where it stands, such as `line 3 of FILE`; empty on the command line."""


def read_points(
    words: Sequence[str], source: str | None, column: str | None, exact: bool
) -> Iterator[list[Number]]:
    """Yield blocks of the points that the command line asks for.

    `words` are numbers and ranges, or a single `-` for stdin; `source` is a file, or `-`. The
    points are float64s, or the numbers as typed if `exact` is set. Every word of the command
    line, or of the first block of a stream, is checked before the first block is yielded.
    """
    if source is None and "-" in words:
        if len(words) > 1:
            raise UsageError("'-' reads all points from stdin; leave the other points out")
        words, source = (), "-"
    if source is not None and words:
        raise UsageError(f"give points or --input {source}, not both")
    if source is None:
        if column is not None:
            raise UsageError("--column picks a column of --input FILE or of '-' (stdin)")
        if not words:
            raise UsageError(
                "no points: give numbers (-3 0.5), a range (-3:3:0.5), '-' for stdin, "
                "or --input FILE"
            )
        for word in words:
            parse_points(word)
        return _blocks(chain.from_iterable(_points((word, ""), exact) for word in words))
    return _nonempty(_source_blocks(source, column, exact), source)


def format_points(
    number_format: Format | None, words: Sequence[str], source: str | None
) -> Iterator[list[Number]]:
    """Yield blocks of every finite number of a 16- or 8-bit format, in the order of its bits."""
    if number_format is None or number_format.width > 16:
        raise UsageError("--all takes every number of a 16- or 8-bit --dtype, e.g. bfloat16")
    if words or source is not None:
        raise UsageError("--all takes every number; leave the other points out")
    return _blocks(number_format.finite_numbers())


def _source_blocks(source: str, column: str | None, exact: bool) -> Iterator[list[Number]]:
    if source.endswith(".npy"):
        if column is not None:
            raise UsageError("--column is for CSV files; a .npy file has no columns")
        return _npy_blocks(source, exact)
    stream = _stdin() if source == "-" else _opened(source)
    name = "stdin" if source == "-" else source
    if column is not None:
        return _blocks(_column_points(stream, name, column, exact))
    return _stream_blocks(stream, name, exact)


def _points(word: Word, exact: bool) -> Iterator[Number]:
    text, place = word
    try:
        points = parse_points(text)
        for point in points.numbers() if isinstance(points, Range) else (points,):
            yield point if exact else to_float64(point, text)
    except UsageError as error:
        raise UsageError(f"{place}: {error}" if place else str(error)) from None


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


def _stdin() -> BinaryIO:
    if sys.stdin is None:
        raise UsageError("stdin is closed; give points, or --input FILE")
    return sys.stdin.buffer


def _opened(path: str) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror}") from None


def _stream_blocks(stream: BinaryIO, name: str, exact: bool) -> Iterator[list[Number]]:
    """Yield what has arrived, as soon as it has, so that a trickle of numbers trickles on."""
    for words in _arriving(stream, name):
        checked = list(chain.from_iterable(_points(word, exact) for word in words))
        yield from _blocks(checked)


def _arriving(stream: BinaryIO, name: str) -> Iterator[list[Word]]:
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    rest, line = "", 1
    while True:
        chunk = read(CHUNK)
        text = rest + _decoded(decoder, chunk, name)
        # The last word may go on in the next chunk.
        end = len(text) if not chunk else max(map(text.rfind, " \t\n\r,;")) + 1
        text, rest = text[:end], text[end:]
        words: list[Word] = []
        for row in text.split("\n"):
            words += [(word, f"line {line} of {name}") for word in SEPARATOR.split(row) if word]
            line += 1
        line -= 1
        if words:
            yield words
        if not chunk:
            return


def _decoded(decoder: codecs.IncrementalDecoder, chunk: bytes, name: str) -> str:
    try:
        return decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError:
        raise UsageError(f"{name} is not text (UTF-8); numbers are read as text or .npy") from None


def _column_points(stream: BinaryIO, name: str, column: str, exact: bool) -> Iterator[Number]:
    text = TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    try:
        rows = csv.reader(text)
        header = [heading.strip() for heading in next(rows, [])]
        if column not in header:
            listed = ", ".join(header) or "none"
            raise UsageError(f"{name} has no column '{column}'; it has: {listed}")
        index = header.index(column)
        for row in rows:
            place = f"line {rows.line_num} of {name}"
            if not row:
                continue
            if len(row) <= index or not row[index].strip():
                raise UsageError(f"{place}: no number in column '{column}'")
            yield from _points((row[index], place), exact)
    except (UnicodeDecodeError, csv.Error):
        raise UsageError(f"{name} is not text (UTF-8) in the form of a CSV") from None


def _npy_blocks(path: str, exact: bool) -> Iterator[list[Number]]:
    import numpy as np

    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror or 'not a .npy file'}") from None
    except (ValueError, EOFError):
        raise UsageError(f"'{path}' is not a .npy file of numbers") from None
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise UsageError(f"'{path}' holds {array.dtype}, not numbers up to float64")
    flat = array.reshape(-1)
    for start in range(0, flat.size, BLOCK):
        block: list[float] = flat[start : start + BLOCK].astype(np.float64).tolist()
        yield [_as_typed(x) for x in block] if exact else list(block)


def _as_typed(x: float) -> Number:
    return x if x - x != 0 or x == 0 else Fraction(x)
