"""A table: the names of its columns, and its rows as they arrive."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import BinaryIO, NamedTuple, TypeVar

from gelu_cli.errors import UsageError
from gelu_cli.old.reading.files import opened, peek, texts_of
from gelu_cli.old.reading.layouts import FEATHER, PARQUET, Block, Rows, arrow, begin
from gelu_cli.old.reading.left_out import CELLS, NOTHING, NULLS, ROWS, LeftOut
from gelu_cli.old.reading.names import places_of
from gelu_cli.old.reading.printed import is_missing

T = TypeVar("T")

NULL = "null"
PAIR = "pair"
PAIR_HINT = "write X=Y, e.g. 2=1.9546"
FORMS_OF_PAIRS = {
    "X=Y": ("([^=]*)=(.*)", f"no pair: {PAIR_HINT}"),
    "GATE,UP": ("([^,]*),(.*)", "no pair: write GATE,UP, e.g. 1,-0.5"),
    "X,U=Y": (
        "([^,=]+),([^,=]+)=([^,=]+)",
        "no figure at a pair: write X,U=Y, e.g. 2,3=5.8635",
    ),
}
"""What words on the command line are like, and what is said of one that is not."""


class Table(NamedTuple):
    """The names of the columns, and the rows in blocks, each row with all its cells."""

    name: str
    header: Mapping[str, int]
    """The names, in their order, and which column each is of."""

    blocks: Iterator[Rows]
    row: str = "line"
    """What a row is called in a message."""

    left_out: LeftOut = NOTHING

    def require(self, column: str) -> None:
        """Raise `UsageError` if there is no column of that name."""
        if column not in self.header:
            names = ", ".join(self.header)
            raise UsageError(
                f"{self.name} has no column '{column}'; it has: {names}; see gelu help output"
            )

    def read(self, number: int, column: str, word: str, parse: Callable[[str], T]) -> T:
        """Return what a cell says; raises `UsageError` that names the place if it says nothing."""
        try:
            return parse(word)
        except UsageError as error:
            raise UsageError(f"{self.place(number, column)}: {error}") from None

    def read_or_skip(
        self, number: int, column: str, word: str, parse: Callable[[str], T]
    ) -> T | None:
        """Return what `read` does, or None for what is to be skipped."""
        try:
            return self.read(number, column, word, parse)
        except UsageError as error:
            if not self.left_out.skips:
                raise UsageError(f"{error}{self.left_out.remedy}") from None
            self.left_out.add(CELLS, number, f"{self.place(number, column)}: '{word}'")
            return None

    def is_missing(self, number: int, column: str, word: str) -> bool:
        """Return whether a cell is left out, as it has no number; one that is null is counted."""
        if word == NULL:
            self.left_out.add(NULLS, number, self.place(number, column))
        return is_missing(word)

    def place(self, number: int, column: str = "") -> str:
        """Return where a row is, or a cell of a column that has a name, in a message."""
        where = f", column '{column}'" if column else ""
        return f"{self.row} {number}{'' if self.row == PAIR else f' of {self.name}'}{where}"


def read_table(source: str, left_out: LeftOut = NOTHING) -> Table:
    """Return the table that a file holds, or stdin for `-`.

    CSV and its like, Markdown, JSON, Parquet, Feather; any of them may be packed by gzip. Raises
    `UsageError` for a file that holds none, at once or when its line is reached.
    """
    name = "stdin" if source == "-" else source
    table = table_of(_blocks(source, name), name, left_out)
    if table is None:
        raise UsageError(f"{name} is empty; a table begins with the names of its columns")
    return table._replace(blocks=filter(None, table.blocks))


def _blocks(source: str, name: str) -> Iterator[Block]:
    with opened(source) as stream:
        if (blocks := arrow_blocks(stream, name)) is not None:
            yield from blocks
        elif beginning := begin(texts_of(stream, name)):
            yield from beginning.blocks(name)


def arrow_blocks(stream: BinaryIO, name: str) -> Iterator[Block] | None:
    """Return the rows of a Parquet or Feather file, None if it is none."""
    start = peek(stream)
    return arrow(stream, start, name) if start.startswith((PARQUET, *FEATHER)) else None


def table_of(
    blocks: Iterator[Block],
    name: str,
    left_out: LeftOut = NOTHING,
    *,
    pads: bool = False,
    has_header: Callable[[Sequence[str]], bool] = lambda first: True,
) -> Table | None:
    """Return the table of rows, of which the first are the names of columns; None without a row.

    If it `pads`, rows with too few cells are filled up with empty ones. A first row that is no
    header is a row, and columns are called by their places. What is `left_out` is counted.
    """
    for block in blocks:
        if not isinstance(block, Rows) and block[1]:  # before the header there are no `Rows`
            numbers, rows = block
            names = [cell.strip() for cell in rows[0]]
            begins = int(has_header(names))
            header = places_of(names if begins else [""] * len(names), name)
            rest: Block = numbers[begins:], rows[begins:]
            row = "line" if numbers[0] else "row"
            table = Table(name, header, iter(()), row, left_out)
            return table._replace(blocks=_whole_rows(chain([rest], blocks), table, pads))
    return None


def _whole_rows(blocks: Iterable[Block], table: Table, pads: bool) -> Iterator[Rows]:
    """Yield the rows that have as many cells as the header; others are left out, or an error."""
    width = len(table.header)
    for block in blocks:
        if isinstance(block, Rows):
            yield block
            continue
        numbers, rows = block
        if {*map(len, rows)} - {width}:
            for number, row in zip(numbers, rows, strict=True):
                count = len(row)
                if pads and count < width:
                    row.extend([""] * (width - count))
                elif count != width:
                    cells = f"{count} cell{'s' * (count != 1)}"
                    said = f"{table.place(number)} has {cells}, its header {width}"
                    if not table.left_out.skips:
                        commas = "; decimal commas are to be points" * (count == 2 * width)
                        raise UsageError(f"{said}{commas or table.left_out.remedy}")
                    table.left_out.add(ROWS, number, said)
            whole = [pair for pair in zip(numbers, rows, strict=True) if len(pair[1]) == width]
            numbers, rows = [number for number, _ in whole], [row for _, row in whole]
        yield Rows(numbers, width, [*chain.from_iterable(rows)])


# Figures on the command line, X=Y


def is_pair(word: str) -> bool:
    """Return whether a word is a pair X=Y, and not the name of a file.

    >>> is_pair("-1=-0.158"), is_pair("-"), is_pair("published.csv")
    (True, False, False)
    """
    return "=" in word and not os.path.exists(word)


def pair_table(
    words: Sequence[str], columns: Sequence[str], left_out: LeftOut = NOTHING, *, form: str = "X=Y"
) -> Table:
    """Return the table of words of a form, X=Y, GATE,UP or X,U=Y: a row has the parts of one.

    >>> [*pair_table(["-1=-0.158", "0=0"], ["x", "exact"]).blocks]
    [Rows(numbers=range(1, 3), width=2, cells=['-1', '-0.158', '0', '0'])]
    >>> [*pair_table(["1,2=1.6827"], ["x", "up", ""], form="X,U=Y").blocks]
    [Rows(numbers=range(1, 2), width=3, cells=['1', '2', '1.6827'])]
    """
    pattern, wrong = FORMS_OF_PAIRS[form]
    cells: list[str] = []
    for word in words:
        parts = re.fullmatch(pattern, word, re.DOTALL)
        if parts is None:
            raise UsageError(f"'{word}' is {wrong}")
        x, *_, y = parts.groups()
        if form == "X=Y" and "," in x and "." in y and "." not in x:
            point = word.replace(",", ".", 1)
            raise UsageError(f"'{word}' has a comma and a point: write {point}, or add --glu")
        cells += parts.groups()
    rows = Rows(range(1, len(words) + 1), len(columns), cells)
    header = {name: place for place, name in enumerate(columns)}
    return Table("the command line", header, iter([rows]), PAIR, left_out)
