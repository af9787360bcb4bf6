"""Text that came from outside, as it may leave: on one line, in signs that are seen, cut to fit.

Names of files, columns and functions may hold anything, also what a terminal obeys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gelu_cli.errors import printable
from gelu_cli.old.report import Block, Ending, Labelled, Report, Stream

NARROW = "[ -\u02ff\u0370-\u03ff\u2010-\u209c\u2200-\u22ff\u2500-\u259f\u2800-\u28ff]*"
"""Latin and Greek letters, signs of mathematics, frames and dots: a cell each, without a table."""


def changed(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value in which every text is changed, those in tuples, lists and mappings as well.

    >>> changed({"a": ["b", (1, "c")]}, str.upper)
    {'A': ['B', (1, 'C')]}
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(name): changed(each, change) for name, each in value.items()}
    if not isinstance(value, list | tuple):
        return value
    parts = [changed(each, change) for each in value]
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def with_texts(report: Report, change: Callable[[str], str] = printable) -> Report:
    """Return a report in which every text is changed: title, columns, cells and facts."""

    def rows(block: Block) -> Block:
        if isinstance(block, Labelled):
            return Labelled(changed(block.labels, change), block.floats)
        if not isinstance(block, Sequence):
            return block
        # Mostly no text changes: the same few are in all rows, or there is none.
        texts = {cell for row in block for cell in row if isinstance(cell, str)}
        same = all(change(text) == text for text in texts)
        return block if same else [changed(row, change) for row in block]

    def stream() -> Stream:
        for item in report.stream:
            if isinstance(item, Ending):
                words = changed(item.words, change)
                yield item._replace(facts=changed(item.facts, change), words=words)
            else:
                yield rows(item)

    title, columns = changed(report[:2], change)
    return report._replace(title=title, columns=columns, stream=stream())


def cells(text: str) -> int:
    """Return how many cells of a terminal a text takes: two for a wide sign, none for an accent.

    >>> cells("Φ"), cells("漢字"), cells("e\u0301")
    (1, 4, 1)
    """
    if (text.isascii() and text.isprintable()) or re.fullmatch(NARROW, text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many cells, and characters: what is too long lacks its middle.

    >>> shortened("mykernel.py:gelu", 10)
    'myker…gelu'
    """
    if len(text) <= most and cells(text) <= most:
        return text
    head = most // 2
    tail = most - head - 1
    return f"{cut(text[:head], head)}…{text[len(text) - _fitting(text[: -tail - 1 : -1], tail) :]}"


def cut(text: str, width: int) -> str:
    """Return the beginning of a text that takes at most so many cells."""
    return text[: _fitting(text, width)]


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return the lines of a text, broken between words; all but the first are indented.

    A word that is longer than a line is broken as well.

    >>> wrapped("the largest error", 8), wrapped("0123456789", 8, "  ")
    (['the', 'largest', 'error'], ['01234567', '  89'])
    """
    lines, line = [], ""
    for word in re.findall(" *[^ ]+", text):
        is_long = cells(word.lstrip()) > width - len(indent)
        if line.strip() and cells(line + word) > width and not is_long:
            lines.append(line)
            line = indent + word.lstrip()
        else:
            line += word
        while cells(line) > width:
            fits = max(_fitting(line, width), len(indent) + 1)
            lines.append(line[:fits])
            line = indent + line[fits:]
    return [*lines, line] if line.strip() else lines


def _fitting(signs: Iterable[str], width: int) -> int:
    """Return how many of some signs fit into so many cells."""
    used = count = 0
    for sign in signs:
        used += cells(sign)
        if used > width:
            break
        count += 1
    return count
