"""Points from a stream of text: as soon as they come, and in bulk where many have come."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from gelu_cli.arithmetic.typed import Number, parse_number
from gelu_cli.cli.input.blocks import blocks_of
from gelu_cli.cli.input.csv import CsvSplitter
from gelu_cli.cli.input.grid import Grid
from gelu_cli.cli.input.lines import LINE, WORD, Unit, arriving_text, numbered
from gelu_cli.cli.input.numbers import Range, plain_floats
from gelu_cli.errors import UsageError
from gelu_cli.values.points import BULK, MANY, FewPoints, Points, points_of

if TYPE_CHECKING:
    from gelu_cli.cli.input.grid import Floats

LONGEST = 300
"""Up to so many characters, a number whose exponent is refused is an infinity or a zero."""


class Words(Protocol):
    """How a text is taken apart into words that each stand for points."""

    unit: Unit
    """What must have arrived as a whole before it is taken apart."""

    def of_line(self, line: str) -> Sequence[str]:
        """Return the words of the next line; raises `UsageError` if they are not to be found."""

    def of_plain(self, text: str) -> Sequence[str] | None:
        """Return the words of the next lines, or None if they must be read line by line."""

    def check_end(self) -> None:
        """Raise `UsageError` where the text must not end."""


def text_blocks(source: str, column: str | None, grid: Grid) -> Iterator[Points]:
    """Yield the points of a file, or of stdin (`-`), without waiting for more than has come.

    An empty block says that the next one has yet to come.
    """
    name = "stdin" if source == "-" else source
    words = ColumnWords(name, column) if column is not None else SeparatedWords()
    for number, text in arriving_text(source, name, words.unit):
        if not text:
            yield FewPoints([])
            continue
        floats = None if grid.exact else parse_floats(words.of_plain(text) or (), grid)
        if floats is None:
            yield from blocks_of(_pieces(words, text, number, name, grid), grid)
        else:
            yield from (points_of(floats[at : at + BULK]) for at in range(0, len(floats), BULK))
    words.check_end()


def _pieces(words: Words, text: str, number: int, name: str, grid: Grid) -> list[Number | Range]:
    pieces = []
    for n, line in numbered(number, text):
        try:
            pieces += [grid.parse(word) for word in words.of_line(line) if word]
        except UsageError as error:
            header = n == 1 and isinstance(words, SeparatedWords) and line[:1].isalpha()
            hint = "; of a CSV with a header --column NAME is read" if header else ""
            raise UsageError(f"line {n} of {name}: {error}{hint}") from None
    return pieces


def parse_floats(words: Sequence[str], grid: Grid) -> Floats | None:
    """Return many plain numbers at once, or None if `Grid.parse` should look at each.

    >>> parse_floats(["1", "-2.5e-1"] * 500, Grid())[:2]
    array([ 1.  , -0.25])
    """
    if len(words) < MANY or max(map(len, words)) > LONGEST:
        return None
    import numpy as np

    try:
        floats = plain_floats(words)
        # Some should not have been zero or infinite.
        doubtful = np.flatnonzero((floats == 0) | ~np.isfinite(floats)).tolist()
        careful = {word: _point(word, grid) for word in {words[i] for i in doubtful}}
    except ValueError:  # `UsageError` is one, too
        return None
    floats[doubtful] = [careful[words[i]] for i in doubtful]
    return grid.array(floats, lambda i: parse_number(words[i]))


def _point(word: str, grid: Grid) -> Number:
    return grid.point(parse_number(word), word)


class SeparatedWords:
    """Words between white space, commas and semicolons."""

    unit = WORD

    def of_line(self, line: str) -> Sequence[str]:
        """Return the words of a line."""
        return re.split(r"[\s,;]+", line)

    def of_plain(self, text: str) -> Sequence[str]:
        """Return the words of any number of lines."""
        return text.replace(",", " ").replace(";", " ").split()

    def check_end(self) -> None:
        """Words may end anywhere."""


class ColumnWords:
    """The cells in one column of a CSV whose first line names the columns."""

    unit = LINE

    def __init__(self, name: str, column: str) -> None:
        self._name = name
        self._column = column
        self._split = CsvSplitter()
        self._index: int | None = None

    def of_line(self, line: str) -> Sequence[str]:
        """Return the cell in the next line, none if that is the header or blank."""
        row = self._split(line)
        if not row:
            return []
        if self._index is None:
            self._index = self._index_in(row)
            return []
        if len(row) <= self._index or not row[self._index]:
            raise UsageError(f"no number in column '{self._column}'")
        return [row[self._index]]

    def _index_in(self, header: list[str]) -> int:
        if self._column not in header:
            raise UsageError(
                f"{self._name} has no column '{self._column}'; it has: {', '.join(header)}"
            )
        return header.index(self._column)

    def of_plain(self, text: str) -> Sequence[str] | None:
        """Return the cells in lines that commas alone divide, after the header."""
        return None if self._index is None else self._split.plain_cells(text, self._index)

    def check_end(self) -> None:
        """Raise `UsageError` inside a quoted cell."""
        self._split.check_end(self._name)
