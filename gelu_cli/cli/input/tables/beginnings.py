"""What a text is, by how it begins: a table of one layout or another, or a list of numbers."""

from __future__ import annotations

import re
from typing import NamedTuple

from gelu_cli.cli.input.lines import LINE, ArrivingText
from gelu_cli.cli.input.tables.delimited import DELIMITERS, DelimitedText
from gelu_cli.cli.input.tables.layout import Layout, is_comment
from gelu_cli.cli.input.tables.markdown import BAR, MarkdownText
from gelu_cli.cli.input.tables.objects import ObjectText

OBJECTS = re.compile(r"\s*(?:\{|\[\s*[\[{\]])")
NUMERIC = "+-.0123456789\N{MINUS SIGN}"


class Beginning(NamedTuple):
    """What has come of a text from its first sign on that is neither space nor comment."""

    number: int
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
        if self.text.startswith(BAR):
            return MarkdownText(name)
        return DelimitedText(name, self.header)

    @property
    def header(self) -> list[str]:
        """The names of columns, where the last comment is a list of them as numpy writes it."""
        line = self.comment.removeprefix("#")
        names = [name.strip() for name in re.split(f"[{DELIMITERS}]", line)]
        are_names = len(names) > 1 and "x" in names and not any(len(n.split()) != 1 for n in names)
        return names if are_names and self.is_numeric else []


def begin(texts: ArrivingText) -> Beginning | None:
    """Return how a text begins, None if it is blank; what is returned is still to come, too."""
    comment, unit = "", texts.unit
    for at, text in texts:
        body = text.lstrip()
        if not body:
            continue
        number = at + text.count("\n", 0, len(text) - len(body))
        if not is_comment(body):
            texts.read_again(number, body, texts.unit)
            return Beginning(number, body, comment)
        if texts.unit is not LINE:  # a comment may go on
            texts.read_again(number, body, LINE)
            continue
        lines = body.split("\n")
        found = (place for place, line in enumerate(lines) if line.strip() and not is_comment(line))
        start = next(found, len(lines))
        comment = next(filter(str.strip, reversed(lines[:start])), comment).strip()
        number += min(start, len(lines) - 1)
        texts.read_again(number, "\n".join(lines[start:]), unit)
    return None


def layout_of(texts: ArrivingText, name: str) -> Layout | None:
    """Return the layout of the table that a text holds, or None if it is blank."""
    beginning = begin(texts)
    return beginning.layout(name) if beginning else None


def read_header(texts: ArrivingText, layout: Layout) -> list[str] | None:
    """Return the names of columns as they stand, or None if there are none.

    The rows are what comes next.
    """
    for number, text in texts:
        texts.read_again(number, text, layout.unit)
        break
    for number, text in texts:
        if text and (header := layout.header(number, text)):
            texts.read_again(header.number, header.rest, layout.unit)
            return header.names
    layout.check_end()
    return None
