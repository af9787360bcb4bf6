"""Tables of Markdown, as GitHub has them."""

from __future__ import annotations

import re

from gelu_cli.cli.input.tables.layout import LineLayout
from gelu_cli.errors import UsageError

BAR = "|"
CELL = re.compile(r"((?:[^|\\]|\\.|\\$)*)(?:\||$)")
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
RULE = re.compile(r":?-+:?")
MARKS = ("**", "__", "*", "_", "`", "$")
"""What may stand around a whole cell."""


class MarkdownText(LineLayout):
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

    def check_end(self) -> None:
        """A table may end anywhere."""


def _plain(cell: str) -> str:
    cell = cell.strip()
    for mark in MARKS:
        if len(cell) > 2 * len(mark) and cell.startswith(mark) and cell.endswith(mark):
            cell = cell.removeprefix(mark).removesuffix(mark)
    return ESCAPED.sub(r"\1", cell)
