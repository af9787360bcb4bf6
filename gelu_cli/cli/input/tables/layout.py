"""How a table is laid out in text: where its header is, and what the cells of a row are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gelu_cli.cli.input.lines import LINE, Unit, numbered
from gelu_cli.errors import UsageError

COMMENT = "#"


def is_comment(line: str) -> bool:
    """Return whether a line is a comment, and not a table whose first column is called `#`.

    >>> [is_comment(line) for line in ("# made by hand", "#,x,exact", "1,2 # two")]
    [True, False, False]
    """
    start = line.lstrip()
    return start.startswith(COMMENT) and not start[1:].lstrip(" ").startswith((",", ";", "\t"))


class Header(NamedTuple):
    """The names of columns as they stand, and the text behind them, from a line on."""

    names: list[str]
    number: int
    rest: str


class Layout(ABC):
    """How the rows of one table are found in its texts, which come in whole units, in order."""

    unit: Unit

    def __init__(self, name: str) -> None:
        self.name = name
        """What the file is called in a message."""

    @abstractmethod
    def header(self, number: int, text: str) -> Header | None:
        """Return the header, or None if it has yet to come."""

    @abstractmethod
    def rows(self, number: int, text: str) -> Iterator[tuple[int, list[str]]]:
        """Yield the cells of each row in the next text, with the number of its line."""

    @abstractmethod
    def check_end(self) -> None:
        """Raise `UsageError` where the text must not end."""

    def plain_text(self, text: str, width: int) -> str | None:
        """Return the next text with a comma after each cell, or None if there is more to it."""
        return None

    def plain_cells(self, text: str, index: int, width: int) -> list[str] | None:
        """Return one cell of each of the next rows, or None if there is more to them."""
        return None


class LineLayout(Layout):
    """A table with a row on a line, mostly: `cells` takes lines apart."""

    unit = LINE

    @abstractmethod
    def cells(self, line: str) -> list[str]:
        """Return the cells of the next line, none where no row ends; raises `UsageError`."""

    def header(self, number: int, text: str) -> Header | None:
        """Return the cells of the first line that has any."""
        lines = numbered(number, text)
        for at, cells in self._rows(lines):
            rest = "\n".join(line for _, line in lines)
            return Header(cells, at + 1, f"{rest}\n" if rest and text.endswith("\n") else rest)
        return None

    def rows(self, number: int, text: str) -> Iterator[tuple[int, list[str]]]:
        """Yield the cells of lines that have any."""
        return self._rows(numbered(number, text))

    def _rows(self, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
        for number, line in lines:
            try:
                cells = self.cells(line)
            except UsageError as error:
                raise UsageError(f"line {number} of {self.name}: {error}") from None
            if any(cells):
                yield number, cells


def check_width(number: int, cells: Sequence[str], width: int, name: str) -> None:
    """Raise `UsageError` for a row of more or fewer cells than its header."""
    if len(cells) != width:
        found = f"{len(cells)} cell{'s' * (len(cells) != 1)}"
        hint = "; decimal commas are to be points" if len(cells) == 2 * width else ""
        raise UsageError(f"line {number} of {name} has {found}, its header {width}{hint}")
