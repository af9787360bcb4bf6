"""What a text is, by how it begins: a table of one layout or another, or a list of numbers."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

from gelu_cli.cli.input.lines import LINE, ArrivingText
from gelu_cli.cli.input.tables.delimited import (
    BAR,
    COMMENT,
    COMMENT_START,
    DELIMITERS,
    DelimitedText,
    MarkdownText,
)
from gelu_cli.cli.input.tables.objects import ObjectText

COMMENTS = re.compile(rf"(?:{COMMENT_START.pattern}[^\n]*(?:\n|\Z))*+\s*")
OBJECTS = re.compile(r"\{|\[\s*[\[{\]]")
NUMERIC = "+-.0123456789\N{MINUS SIGN}"

Layout: TypeAlias = DelimitedText | ObjectText
"""How the rows of one table are found in its texts, which come in whole units, in order."""


class Beginning(NamedTuple):
    """What has come of a text from its first sign on that is neither space nor comment."""

    text: str
    comment: str
    """The last line of the comments before."""

    @property
    def is_numeric(self) -> bool:
        """Whether it begins as numbers do."""
        return self.text[0] in NUMERIC

    def layout(self, name: str) -> Layout:
        """Return the layout of a table that begins so."""
        if OBJECTS.match(self.text):
            return ObjectText(name)
        return MarkdownText(name) if self.text[0] == BAR else DelimitedText(name, self.header)

    @property
    def header(self) -> list[str]:
        """The names of columns, where the last comment is a list of them as numpy writes it."""
        line = self.comment.removeprefix(COMMENT)
        names = [name.strip() for name in re.split(f"[{DELIMITERS}]", line)]
        are_names = len(names) > 1 and "x" in names and not any(len(n.split()) != 1 for n in names)
        return names if are_names and self.is_numeric else []


def begin(texts: ArrivingText) -> Beginning | None:
    """Return how a text begins, None if it is blank; what is returned is still to come, too."""
    comment, unit = "", texts.unit
    for number, text in texts:
        if texts.unit is not LINE and text.lstrip().startswith(COMMENT):  # which may go on
            texts.read_again(number, text, LINE)
            continue
        end = COMMENTS.match(text).end()  # type: ignore[union-attr]
        comment = text[:end].strip().rpartition("\n")[2].strip() or comment
        if text:
            texts.read_again(number + text.count("\n", 0, end), text[end:], unit)
        if text[end:]:
            return Beginning(text[end:], comment)
    return None


def read_header(texts: ArrivingText, layout: Layout) -> list[str] | None:
    """Return the names of columns as they stand, or None if there are none.

    The rows are what comes next.
    """
    texts.unit = layout.unit
    for number, text in texts:
        if text and (header := layout.header(number, text)):
            names, number_of_rest, rest = header
            texts.read_again(number_of_rest, rest, layout.unit)
            return names
    layout.check_end()
    return None
