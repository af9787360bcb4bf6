"""Where points come from: words, stdin, files; a stream of blocks, never all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from os.path import isfile
from shlex import quote
from typing import TYPE_CHECKING

from gelu_cli.arithmetic.formats import Format
from gelu_cli.cli.input.blocks import blocks_of, in_blocks
from gelu_cli.cli.input.grid import Grid
from gelu_cli.cli.input.numbers import Range
from gelu_cli.cli.input.streams import ignore, name_of
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.arithmetic.typed import Number
    from gelu_cli.values.points import Points


def read_points(
    words: Sequence[str],
    source: str | None,
    column: str | None,
    *,
    exact: bool,
    number_format: Format | None = None,
    say: Callable[[str], object] = ignore,
) -> Iterator[Points]:
    """Yield blocks of the points that the command line asks for: few of them, or many.

    `words` are numbers and ranges, or a single `-` for stdin; `source` is a file, or `-`. The
    points are float64s, or the numbers as typed if `exact` is set, or these rounded to
    `number_format`. Every word of the command line, or of what a stream holds at first, is
    checked before the first block is yielded. `say` is told which columns are left alone, and what
    may be meant otherwise.

    >>> list(read_points(["-3", "0:1:/3"], None, None, exact=False))
    [FewPoints([-3.0, 0.0, 0.5, 1.0])]
    """
    grid = Grid(exact, number_format)
    if source is None and "-" in words:
        if len(words) > 1:
            raise UsageError("'-' reads all points from stdin; leave the other points out")
        words, source = (), "-"
    if source is not None and words:
        for word in words:
            _refuse_form(word)
        raise UsageError(f"give points or --input '{source}', not both")
    if source is not None:
        return _nonempty(_source_blocks(source, column, grid, say), source)
    if column is not None:
        raise UsageError("--column picks a column of --input FILE or of '-' (stdin)")
    if not words:
        raise UsageError(
            "no points; give numbers (-3 0.5), a range (-3:3:0.5), '-' for stdin, or --input FILE"
        )
    pieces = [_parsed(word, grid) for word in words]
    for word, piece in zip(words, pieces, strict=True):
        start, _, rest = word.partition(":")
        if isinstance(piece, Range) and piece.length == 1 and not rest.startswith(f"{start}:"):
            say(f"the range '{word}' has one point; START:STOP:/N has N points")
    return blocks_of(pieces, grid)


def _parsed(word: str, grid: Grid) -> Number | Range:
    try:
        return grid.parse(word)
    except UsageError:
        _refuse_form(word)
        if not isfile(word):
            raise
        raise UsageError(f"'{word}' is a file, not a point; write --input {quote(word)}") from None


def _refuse_form(word: str) -> None:
    """Raise `UsageError` for a form where a point should be."""
    from gelu_cli.cli.input.words import names_form

    if all(map(names_form, word.split(","))):
        raise UsageError(f"'{word}' is a form, not a point; write --form {word}") from None


def every_point(number_format: Format) -> Iterator[Points]:
    """Yield blocks of every finite number of a format, in the order of its bits."""
    return in_blocks(number_format.finite_numbers(), Grid(number_format=number_format))


def _source_blocks(
    source: str, column: str | None, grid: Grid, say: Callable[[str], object]
) -> Iterator[Points]:
    if not source.endswith(".npy"):
        from gelu_cli.cli.input.text import text_blocks

        return text_blocks(source, column, grid, say)
    from gelu_cli.cli.input.npy import npy_blocks

    return npy_blocks(source, column, grid)


def _nonempty(blocks: Iterator[Points], source: str) -> Iterator[Points]:
    first = next(filter(len, blocks), None)
    if first is None:
        raise UsageError(f"{name_of(source)} holds no numbers")
    return chain([first], blocks)
