"""Points from a stream of text: as soon as they come, and in bulk where many have come."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from gelu_cli.arithmetic.typed import Number, parse_number
from gelu_cli.cli.input.blocks import blocks_of
from gelu_cli.cli.input.commas import Commas
from gelu_cli.cli.input.grid import Grid
from gelu_cli.cli.input.lines import CELL, LINE, LONG, WORD, ArrivingText, Unit, numbered
from gelu_cli.cli.input.numbers import Range, parse_points, plain_floats
from gelu_cli.cli.input.printed import is_missing
from gelu_cli.cli.input.streams import ignore
from gelu_cli.cli.input.tables.beginnings import Layout, begin, read_header
from gelu_cli.cli.input.tables.delimited import COMMENT, DelimitedText
from gelu_cli.cli.input.tables.headings import column_names, left_alone, others, places_of
from gelu_cli.cli.input.tables.table import check_width
from gelu_cli.errors import UsageError
from gelu_cli.values.points import BULK, MANY, FewPoints, Points, points_of

if TYPE_CHECKING:
    from gelu_cli.cli.input.grid import Floats

LONGEST = 300
"""Up to so many characters, a number whose exponent is refused is an infinity or a zero."""

ENOUGH = 3
"""Lines that tell a table from a list."""

PAIRS = re.compile(
    r"(?:\s*+[^\s,;]++(?:[ \t]++[,;]?|[,;])[ \t]*+[^\s,;]++[ \t\r]*+\n)"
    rf"{{{ENOUGH},}}+\s*+[^\n]*+\Z"
)
"""Lines of two words each, and what has come of the next one."""


class Words(Protocol):
    """How a text is taken apart into words that each stand for points."""

    unit: Unit
    """What must have arrived as a whole before it is taken apart."""

    def by_line(self, number: int, text: str) -> Iterator[tuple[int, Sequence[str]]]:
        """Yield the words of each of the next lines; raises `UsageError` if there are none."""

    def of_plain(self, text: str) -> Sequence[str] | None:
        """Return the words of the next lines, or None if they must be read line by line."""

    def check_end(self) -> None:
        """Raise `UsageError` where the text must not end."""


def text_blocks(
    source: str, column: str | None, grid: Grid, say: Callable[[str], object] = ignore
) -> Iterator[Points]:
    """Yield the points of a file, or of stdin (`-`), without waiting for more than has come.

    They are a list of numbers, or the column of a table, x if none is named. An empty block says
    that the next one has yet to come. `say` is told which columns are left alone, and of
    a list that may be a table.
    """
    name = "stdin" if source == "-" else source
    texts = ArrivingText(source, name, WORD if column is None else CELL)
    words = words_of(texts, name, column, say)
    lines = _FirstLines(name, say) if isinstance(words, SeparatedWords) else None
    for number, text in texts:
        if not text:
            yield FewPoints([])
            continue
        floats = None if grid.exact else parse_floats(words.of_plain(text) or (), grid)
        if floats is None:
            blocks = blocks_of(_pieces(words, text, number, name, grid), grid)
        else:
            blocks = (points_of(floats[at : at + BULK]) for at in range(0, len(floats), BULK))
        if lines:
            lines.add(text)
        yield from blocks
    words.check_end()
    if lines:
        lines.add("\n", ended=True)


class _FirstLines:
    """The first lines of a list, which tell whether it may be a table without a header."""

    def __init__(self, name: str, say: Callable[[str], object]) -> None:
        self._name, self._say = name, say
        self._begun: str | None = ""

    def add(self, text: str, *, ended: bool = False) -> None:
        """Say so where there are enough lines, and each holds two numbers."""
        if self._begun is None:
            return
        self._begun += text
        if ended or self._begun.count("\n") >= ENOUGH or len(self._begun) > LONG:
            if PAIRS.match(self._begun):
                self._say(
                    f"each line of {self._name} has two numbers, and both are points; if they are "
                    "x and y, put a line with their names before them, such as x,y"
                )
            self._begun = None


def words_of(
    texts: ArrivingText, name: str, column: str | None, say: Callable[[str], object]
) -> Words:
    """Return how a text is taken apart, which its beginning tells; a header has been read."""
    beginning = begin(texts)
    if beginning is None:
        return SeparatedWords(name)
    layout = beginning.layout(name)
    may_be_list = column is None and type(layout) is DelimitedText and not beginning.header
    if may_be_list and (beginning.is_numeric or not _first_has_x(texts, name)):
        return SeparatedWords(name)
    header = places_of(read_header(texts, layout) or (), name)
    if (column or "x") not in header:
        hint = "" if column else "; pick one with --column NAME"
        columns = ", ".join(header)
        raise UsageError(f"{name} has no column '{column or 'x'}'; it has: {columns}{hint}")
    if column is None and (left := [*others(header, "x")]):
        say(left_alone(left, name))
    return ColumnWords(layout, header, column or "x")


def _first_has_x(texts: ArrivingText, name: str) -> bool:
    """Return whether the first line is a header with x; raises `UsageError` for one without."""
    number, text = next(texts)
    texts.read_again(number, text, LINE)
    number, text = next(filter(lambda arrived: arrived[1], texts))
    _, cells = next(DelimitedText(name).rows(number, text.partition("\n")[0]), (number, []))
    has_x = "x" in column_names(cells)
    if not has_x and len(cells) > 1 and any(cells) and not any(map(_is_number, cells)):
        raise UsageError(
            f"{name} has no column 'x'; it has: {', '.join(cells)}; pick one with --column NAME"
        )
    texts.read_again(number, text, LINE if has_x else WORD)
    return has_x


def _is_number(word: str) -> bool:
    try:
        parse_points(word)
    except UsageError:
        return False
    return True


def _pieces(words: Words, text: str, number: int, name: str, grid: Grid) -> list[Number | Range]:
    pieces = []
    for n, of_line in words.by_line(number, text):
        try:
            pieces += [grid.parse(word) for word in of_line if word]
        except UsageError as error:
            header = n == 1 and isinstance(words, SeparatedWords) and of_line[0][:1].isalpha()
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
    """Words between white space, commas and semicolons; after # comes a comment."""

    unit = WORD

    def __init__(self, name: str) -> None:
        self._name = name
        self._commas = Commas()
        self._in_comment = False
        """Whether the last text ended in a comment, which may go on in the next one."""

    def by_line(self, number: int, text: str) -> Iterator[tuple[int, Sequence[str]]]:
        """Yield the words of each line."""
        unfinished = None if text.endswith("\n") else number + text.count("\n")
        for n, line in numbered(number, self._without_comments(text)):
            if word := self._commas.doubtful(line, goes_on=n == unfinished):
                raise UsageError(
                    f"line {n} of {self._name}: '{word}' may be {word.replace(',', '.')}, or "
                    f"{word.replace(',', ' and ')}: write decimal points (tr , .), or a space "
                    "after each comma"
                )
            yield n, re.split(r"[\s,;]+", line)

    def of_plain(self, text: str) -> Sequence[str] | None:
        """Return the words of any number of lines."""
        if self._in_comment or COMMENT in text or not self._commas.are_between(text):
            return None
        return text.replace(",", " ").replace(";", " ").split()

    def _without_comments(self, text: str) -> str:
        if not self._in_comment and COMMENT not in text:
            return text
        begun = COMMENT * self._in_comment + text
        self._in_comment = COMMENT in begun.rpartition("\n")[2]
        return re.sub(f"{COMMENT}.*", "", begun)

    def check_end(self) -> None:
        """Words may end anywhere."""


class ColumnWords:
    """The cells in one column of a table, whose header has been read."""

    def __init__(self, layout: Layout, header: Mapping[str, int], column: str) -> None:
        self.unit = layout.unit
        self._layout = layout
        self._index, self._width = header[column], len(header)
        self._column = column

    def by_line(self, number: int, text: str) -> Iterator[tuple[int, Sequence[str]]]:
        """Yield the cell in each row."""
        for n, cells in self._layout.rows(number, text):
            if len(cells) > self._width:
                check_width(n, cells, self._width, self._layout.name)
            if len(cells) <= self._index or is_missing(cells[self._index]):
                where = f"line {n} of {self._layout.name}"
                raise UsageError(f"{where}: no number in column '{self._column}'")
            yield n, [cells[self._index]]

    def of_plain(self, text: str) -> Sequence[str] | None:
        """Return the cells in lines that delimiters alone divide, if there may be many."""
        if len(text) < 2 * MANY:  # each has a sign and a delimiter
            return None
        return self._layout.plain_cells(text, self._index, self._width)

    def check_end(self) -> None:
        """Raise `UsageError` inside a row."""
        self._layout.check_end()
