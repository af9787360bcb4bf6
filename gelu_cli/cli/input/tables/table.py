"""A table: the names of its columns, and its rows as they arrive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from gelu_cli.cli.input.lines import CELL, ArrivingText
from gelu_cli.cli.input.numbers import json_floats
from gelu_cli.cli.input.printed import is_missing
from gelu_cli.cli.input.tables.beginnings import Layout, begin, read_header
from gelu_cli.cli.input.tables.delimited import DelimitedText
from gelu_cli.cli.input.tables.headings import places_of
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.cli.input.numbers import Floats

T = TypeVar("T")

LARGE = 1 << 15
"""Characters of a text that is read as a whole, with numpy, if it is plain."""


class Rows:
    """Rows: the number of each row's line in the file, and its cells as typed, column by column."""

    def __init__(self, numbers: Sequence[int], columns: Sequence[Sequence[str]] = ()) -> None:
        self.numbers = numbers
        self._columns = columns

    @property
    def columns(self) -> Sequence[Sequence[str]]:
        """The cells of each column, in the order of the header."""
        return self._columns

    @property
    def floats(self) -> Floats | None:
        """All cells, rows × columns, if they are known to be plain numbers."""
        return None


class PlainRows(Rows):
    """Rows of a text in which a delimiter stands after each cell and nowhere else."""

    def __init__(self, numbers: Sequence[int], text: str, delimiter: str, width: int) -> None:
        super().__init__(numbers)
        self._text, self._delimiter, self._width = text, delimiter, width

    @cached_property
    def columns(self) -> Sequence[Sequence[str]]:
        """The cells of each column, in the order of the header."""
        cells = self._text.split(self._delimiter)[:-1]
        return [[*map(str.strip, cells[i :: self._width])] for i in range(self._width)]

    @cached_property
    def floats(self) -> Floats | None:
        """All cells, rows × columns, if they are plain numbers."""
        floats = json_floats(self._text[:-1].replace(self._delimiter, ","))
        if floats is None or floats.size != len(self.numbers) * self._width:  # 1,5 is no number
            return None
        return floats.reshape(-1, self._width)


NULL = "null"


class Skipped:
    """Cells that are left out for one reason: how many, and where the first is."""

    def __init__(self, reason: str) -> None:
        self.count = 0
        self._reason = reason
        self._first: tuple[int, str] | None = None

    def add(self, number: int, said: str) -> None:
        """Count a cell in the row of that number."""
        self.count += 1
        if self._first is None or number < self._first[0]:
            self._first = number, said

    def __str__(self) -> str:
        """Return the note on them."""
        said = self._first[1] if self._first else ""
        if self.count == 1:
            return f"1 cell {self._reason} and is left out: {said}"
        return f"{self.count:,} cells {self._reason} and are left out; the first: {said}"


class Table(NamedTuple):
    """The names of the columns, and the rows in blocks, each row with all its cells."""

    name: str
    header: Mapping[str, int]
    """The names, in their order, and which column each is of."""

    blocks: Iterator[Rows]

    skipped: Skipped | None = None
    """The cells that cannot be read, where they are left out; else they are errors."""

    nulls: Skipped | None = None
    """The cells that are null, as infinities and NaN are in JSON, where they are counted."""

    def require_x(self) -> None:
        """Raise `UsageError` if there is no column x."""
        if "x" not in self.header:
            names = ", ".join(self.header)
            raise UsageError(f"{self.name} has no column 'x'; it has: {names}; call one so")

    def read(self, number: int, column: str, word: str, parse: Callable[[str], T]) -> T:
        """Return what a cell says; raises `UsageError` that names the place if it says nothing."""
        try:
            return parse(word)
        except UsageError as error:
            raise UsageError(f"{self.place(number)}, column '{column}': {error}") from None

    def read_or_skip(
        self, number: int, column: str, word: str, parse: Callable[[str], T]
    ) -> T | None:
        """Return what `read` does, or None for what is to be skipped."""
        try:
            return self.read(number, column, word, parse)
        except UsageError as error:
            if self.skipped is None:
                raise UsageError(f"{error}; --skip-unreadable leaves such cells out") from None
            self.skipped.add(number, f"{self.place(number)}, column '{column}': '{word}'")
            return None

    def is_missing(self, number: int, column: str, word: str) -> bool:
        """Return whether a cell is left out, as it has no number; one that is null is counted."""
        if word == NULL and self.nulls:
            self.nulls.add(number, f"{self.place(number)}, column '{column}'")
        return is_missing(word)

    def place(self, number: int) -> str:
        """Return where a row is, in a message."""
        return f"line {number} of {self.name}"


def read_table(source: str) -> Table:
    """Return the table that a file holds, or stdin for `-`: CSV and its like, Markdown, JSON.

    Raises `UsageError` for a file that holds none, at once or when its line is reached.
    """
    name = "stdin" if source == "-" else source
    texts = ArrivingText(source, name, CELL)
    beginning = begin(texts)
    layout = beginning.layout(name) if beginning else None
    names = read_header(texts, layout) if layout else None
    if layout is None or names is None:
        raise UsageError(f"{name} is empty; a table begins with the names of its columns")
    header = places_of(names, name)
    return Table(name, header, _blocks(layout, texts, header))


def _blocks(
    layout: Layout, texts: Iterable[tuple[int, str]], header: Mapping[str, int]
) -> Iterator[Rows]:
    """Yield the rows of texts, each of which comes with the number of its first line."""
    width = len(header)
    for number, text in texts:
        if isinstance(layout, DelimitedText) and len(text) >= LARGE:
            plain = layout.plain_text(text, width)
            if plain is not None:
                numbers = range(number, number + plain.count(layout.delimiter) // width)
                yield PlainRows(numbers, plain, layout.delimiter, width)
                continue
        rows = list(layout.rows(number, text)) if text else []
        for line, cells in rows:
            check_width(line, cells, width, layout.name)
        if rows:
            lines, cells_of_rows = zip(*rows, strict=True)
            yield Rows(lines, [*zip(*cells_of_rows, strict=True)])
    layout.check_end()


def check_width(number: int, cells: Sequence[str], width: int, name: str) -> None:
    """Raise `UsageError` for a row of more or fewer cells than its header."""
    if len(cells) != width:
        found = f"{len(cells)} cell{'s' * (len(cells) != 1)}"
        hint = "; decimal commas are to be points" if len(cells) == 2 * width else ""
        raise UsageError(f"line {number} of {name} has {found}, its header {width}{hint}")
