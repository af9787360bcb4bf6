"""Tables with a row on a line: CSV and its like, and those of Markdown as GitHub has them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from gelu_cli.cli.input.lines import LINE, numbered
from gelu_cli.errors import UsageError

COMMENT = "#"
COMMENT_START = re.compile(rf"\s*{COMMENT}(?! *[,;\t])")
"""How a comment begins, and not a table whose first column is called `#`."""

BLANK = re.compile(r"\n[\s,;]*\n")
"""A line without any cell, or with empty ones alone."""

DELIMITERS = ",\t;"
QUOTED = re.compile(r'"[^"]*"')
WHITE_SPACE = " "

BAR = "|"
CELL = re.compile(r"((?:[^|\\]|\\.|\\$)*)(?:\||$)")
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
RULE = re.compile(r":?-+:?")
MARKS = ("**", "__", "*", "_", "`", "$")
"""What may stand around a whole cell of Markdown."""


class DelimitedText:
    """A table of which each line is a row, unless a quoted cell goes on in the next one.

    The first line tells the separator: a comma, a tab, a semicolon, or white space if it has none
    of them and names x. Blank lines and comments have no cells.

    >>> layout = DelimitedText("a.csv")
    >>> layout.cells("x; exact"), layout.cells("# so far"), layout.cells("1; 0.8413")
    (['x', 'exact'], [], ['1', '0.8413'])
    """

    unit = LINE

    def __init__(self, name: str, header: Sequence[str] = ()) -> None:
        self.name = name
        """What the file is called in a message."""

        self.delimiter = ""
        """What stands between cells, as soon as a line has told it."""

        self._header = list(header)
        self._quoted: list[str] = []  # the lines so far of a row with a quoted cell
        self._length = 0

    def header(self, number: int, text: str) -> tuple[list[str], int, str] | None:
        """Return the names of columns, and the text behind them with the number of its first line.

        They are the first row, if a comment has not had them; None says that it has yet to come.
        """
        if self._header:
            return self._header, number, text
        for at, cells in self.rows(number, text):
            count = at + 1 - number
            return cells, at + 1, "".join(text.split("\n", count)[count:])
        return None

    def rows(self, number: int, text: str) -> Iterator[tuple[int, list[str]]]:
        """Yield the cells of each row in the next lines, with the number of its last line."""
        for at, line in numbered(number, text):
            try:
                cells = self.cells(line)
            except UsageError as error:
                raise UsageError(f"line {at} of {self.name}: {error}") from None
            if any(cells):
                yield at, cells

    def cells(self, line: str) -> list[str]:
        """Return the cells of the row that ends in a line, none where no row ends.

        Raises `UsageError` for what is no line of a CSV.
        """
        if not self._quoted and COMMENT in line and COMMENT_START.match(line):
            return []
        goes_on = bool(self._quoted) ^ (line.count('"') % 2 == 1)
        self._quoted.append(line.removesuffix("\r"))
        self._length += len(line) + 1
        if goes_on:
            if self._length > LINE.longest:
                raise UsageError(f"a quoted cell does not end within {LINE.longest:,} characters")
            return []
        text = "\n".join(self._quoted)
        self._quoted, self._length = [], 0
        if not text.strip():
            return []
        self.delimiter = self.delimiter or _delimiter(text)
        if self.delimiter == WHITE_SPACE:
            return text.split()
        try:
            cells = next(csv.reader([text], delimiter=self.delimiter, strict=True))
        except csv.Error:
            raise UsageError(f"not a line of a CSV: {_fault(text)}") from None
        return [cell.strip() for cell in cells]

    def check_end(self) -> None:
        """Raise `UsageError` inside a quoted cell, where the text must not end."""
        if self._quoted:
            raise UsageError(f"{self.name} ends inside a quoted cell")

    def plain_text(self, text: str, width: int) -> str | None:
        """Return the next lines with a delimiter after each cell, or None if there is more to them.

        It is for large texts after the header. Each line has `width` cells, none is quoted, and no
        line is blank.
        """
        import numpy as np

        text = text.replace("\r\n", "\n").removesuffix("\n") + "\n"
        if self._quoted or self.delimiter in ("", WHITE_SPACE):
            return None
        if any(sign in text for sign in '"\r\0' + COMMENT) or BLANK.search("\n" + text):
            return None
        signs = np.frombuffer(text.encode(), np.uint8)
        ends = np.flatnonzero((signs == ord(self.delimiter)) | (signs == ord("\n")))
        if len(ends) % width or np.diff(ends, prepend=-1).max() > csv.field_size_limit():
            return None
        are_last = (signs[ends] == ord("\n")).reshape(-1, width)
        if are_last[:, :-1].any() or not are_last[:, -1].all():
            return None
        return text.replace("\n", self.delimiter)

    def plain_cells(self, text: str, index: int, width: int) -> list[str] | None:
        """Return one cell of each of the next lines, or None if there is more to them."""
        plain = self.plain_text(text, width)
        return None if plain is None else plain.split(self.delimiter)[index:-1:width]


def _delimiter(line: str) -> str:
    line = QUOTED.sub("", line)
    found = max(DELIMITERS, key=line.count)
    words = line.split()
    return WHITE_SPACE if found not in line and len(words) > 1 and "x" in words else found


def _fault(text: str) -> str:
    """Return why a line cannot be taken apart."""
    if "\r" in text:
        return "a carriage return stands within it; lines end in LF or CRLF"
    if "\0" in text:
        return "a NUL character stands in it"
    if len(text) <= csv.field_size_limit():
        return "a cell goes on behind its closing quote"
    return f"a cell has more than {csv.field_size_limit():,} characters"


class MarkdownText(DelimitedText):
    """A table of which each line begins with a bar.

    >>> layout = MarkdownText("a.md")
    >>> [layout.cells(line) for line in ("| x | exact\u2032 |", "|---:|---|", "| 1 | `1.08` |")]
    [['x', 'exact′'], [], ['1', '1.08']]
    """

    def cells(self, line: str) -> list[str]:
        """Return the cells of a line, none of the rule below the header."""
        line = line.strip()
        if not line:
            return []
        if not line.startswith(BAR):
            raise UsageError("not a row of a Markdown table, which begins with '|'")
        cells = [_plain(cell) for cell in CELL.findall(line[1:].removesuffix(BAR))[:-1]]
        return [] if all(map(RULE.fullmatch, cells)) else cells


def _plain(cell: str) -> str:
    cell = cell.strip()
    for mark in MARKS:
        if len(cell) > 2 * len(mark) and cell.startswith(mark) and cell.endswith(mark):
            cell = cell.removeprefix(mark).removesuffix(mark)
    return ESCAPED.sub(r"\1", cell)
