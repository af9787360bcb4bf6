"""CSV and its like: cells with a comma, a tab, a semicolon or white space between them."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from gelu_cli.cli.input.lines import LINE
from gelu_cli.cli.input.tables.layout import COMMENT, Header, LineLayout, is_comment
from gelu_cli.errors import UsageError

BLANK = re.compile(r"\n[\s,]*(?:\n|$)")
"""A line without any cell, or with empty ones alone, in a text that begins with a line end."""

DELIMITERS = ",\t;"
QUOTED = re.compile(r'"[^"]*"')
WHITE_SPACE = " "


class DelimitedText(LineLayout):
    """A table of which each line is a row, unless a quoted cell goes on in the next one.

    The first line tells the separator: a comma, a tab, a semicolon, or white space if it has none
    of them and names x. Blank lines and comments have no cells.

    >>> layout = DelimitedText("a.csv")
    >>> layout.cells("x; exact"), layout.cells("# so far"), layout.cells("1; 0.8413")
    (['x', 'exact'], [], ['1', '0.8413'])
    """

    def __init__(self, name: str, header: Sequence[str] = ()) -> None:
        super().__init__(name)
        self._header = list(header)
        self.quoted = False
        """Whether the last line ended inside a quoted cell."""

        self._begun: list[str] = []
        self._length = 0
        self._delimiter = ""

    def header(self, number: int, text: str) -> Header | None:
        """Return the cells of the first line, if a comment has not had the names already."""
        if self._header:
            return Header(self._header, number, text)
        return super().header(number, text)

    def cells(self, line: str) -> list[str]:
        """Return the cells; raises `UsageError` for what is no line of a CSV."""
        if not self.quoted and COMMENT in line and is_comment(line):
            return []
        self._begun.append(line.removesuffix("\r"))
        self._length += len(line) + 1
        self.quoted ^= line.count('"') % 2 == 1
        if self.quoted:
            if self._length > LINE.longest:
                raise UsageError(f"a quoted cell does not end within {LINE.longest:,} characters")
            return []
        text = "\n".join(self._begun)
        self._begun, self._length = [], 0
        if not text.strip():
            return []
        self._delimiter = self._delimiter or _delimiter(text)
        if self._delimiter == WHITE_SPACE:
            return text.split()
        try:
            cells = next(csv.reader([text], delimiter=self._delimiter, strict=True))
        except csv.Error:
            raise UsageError(f"not a line of a CSV: {_fault(text)}") from None
        return [cell.strip() for cell in cells]

    def check_end(self) -> None:
        """Raise `UsageError` if the last line ended inside a quoted cell."""
        if self.quoted:
            raise UsageError(f"{self.name} ends inside a quoted cell")

    def plain_cells(self, text: str, index: int, width: int) -> list[str] | None:
        """Return one cell of each of the next lines, or None if there is more to them than that.

        It is for the lines of a large text: none is the header, none has a quoted cell, and all
        together have `width` cells each.
        """
        text = text.replace("\r\n", "\n")
        if not self._is_plain(text, '"\r'):
            return None
        lines = text.split("\n")
        if max(map(len, lines)) > csv.field_size_limit():
            return None
        if text.count(self._delimiter) != (width - 1) * sum(map(bool, lines)):
            return None
        try:
            return [line.split(self._delimiter, index + 1)[index] for line in lines if line]
        except IndexError:
            return None

    def _is_plain(self, text: str, special: str) -> bool:
        """Return whether a text has cells and delimiters alone, as far as its signs tell."""
        if self.quoted or self._delimiter in ("", WHITE_SPACE):
            return False
        return not any(sign in text for sign in special + COMMENT)

    def plain_text(self, text: str, width: int) -> str | None:
        """Return the next lines with a comma after each cell, or None if there is more to them.

        It is for large texts. Each line has `width` cells, none is quoted, and no line is blank.
        """
        import numpy as np

        text = text.replace("\r\n", "\n")
        if not self._is_plain(text, '"\r\0'):
            return None
        if self._delimiter != "," and "," in text:
            return None
        text = text.removesuffix("\n").replace(self._delimiter, ",") + ","
        signs = np.frombuffer(text.encode(), np.uint8)
        ends = np.flatnonzero((signs == ord(",")) | (signs == ord("\n")))
        of_rows = np.flatnonzero(signs[ends[:-1]] == ord("\n"))
        whole = len(ends) == width * (len(of_rows) + 1)
        if not whole or (np.diff(of_rows, prepend=-1) != width).any():
            return None
        if np.diff(ends, prepend=-1).max() > csv.field_size_limit() or BLANK.search("\n" + text):
            return None
        return text.replace("\n", ",")


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
