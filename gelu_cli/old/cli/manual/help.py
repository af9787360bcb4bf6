"""The help of a command, and of the program, as --help prints it.

A line on what it does, then examples, then the options most used; or, in groups, every option, and
at the end what else there is to know. On a narrow screen what an option means stands below it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from shutil import get_terminal_size
from textwrap import wrap
from typing import TypeAlias

from gelu_cli.old.cli.manual.program import Described
from gelu_cli.old.cli.parameters import Declared
from gelu_cli.old.writing.pager import page
from gelu_cli.old.writing.streams import SPELLED

Rows: TypeAlias = Sequence[tuple[str, str]]
"""Terms, each with what it means."""
WIDEST, NARROW, NARROWEST = 80, 60, 20
TERM = 26
"""A longer term has a line of its own."""
WRAP = partial(wrap, break_on_hyphens=False, break_long_words=False)
"""Options, forms and commands are never parted."""


def help_of(described: Described, *, whole: bool = False) -> str:
    """Return the help of a command: the options most used, or all of them and the details."""
    width = _width()
    arguments = ((each.term, each.meaning) for each in described.arguments)
    if whole:
        options = [
            [f"{section}:", *_meanings(members, width)] for section, members in described.sections
        ]
        details = [_indented(paragraph, width, 2) for paragraph in described.description]
        if details:
            details[0].insert(0, "Details:")
        return _joined([*_head(described, width), [*_terms(arguments, width)], *options, *details])
    usual = [(each.term, each.brief) for each in described.options if each.is_usual]
    count, name = len(described.options), described.name
    rest = f"All {count} options: gelu {name} --help-all; its page: gelu help commands/{name}"
    return _joined([
        *_head(described, width),
        [*_terms(arguments, width)],
        ["Options:", *_terms(usual, width)] if usual else [],
        WRAP(rest, width),
    ])  # fmt: skip


def help_of_program(described: Described, commands: Rows, guides: Rows) -> str:
    """Return the help of the program: each command, and each guide, with a line on it."""
    width = _width()
    return _joined([
        *_head(described, width),
        ["Commands:", *_terms(commands, width)],
        ["Guides, as gelu help lesson:", *_terms(guides, width)] if guides else [],
        ["Options:", *_meanings(described.options, width)],
        *(WRAP(paragraph, width) for paragraph in described.description),
    ])  # fmt: skip


def _width() -> int:
    return max(NARROWEST, min(get_terminal_size().columns, WIDEST))


def _head(described: Described, width: int) -> list[list[str]]:
    usage = described.usage if described.name != "gelu" else "gelu COMMAND [OPTIONS] …"
    return [
        WRAP(described.summary, width),
        [*_examples(described.examples, width)],
        WRAP(f"Usage: {usage}", width, subsequent_indent="  "),
    ]


def _joined(blocks: Iterable[list[str]]) -> str:
    return printed("\n\n".join("\n".join(lines) for lines in blocks if lines))


def printed(text: str) -> str:
    """Return a text as it is printed next, in the terminal's encoding, paged."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    page()
    return text.encode(encoding, SPELLED).decode(encoding)


def _examples(examples: Iterable[str], width: int) -> Iterator[str]:
    """Yield lines that a shell takes as they are: a long one goes on after a backslash."""
    for example in examples:
        fits = len(example) + 4 <= width
        lines = WRAP(f"    {example}", width if fits else width - 2, subsequent_indent=" " * 6)
        yield from (f"{line} \\" for line in lines[:-1])
        yield lines[-1]


def _meanings(parameters: Iterable[Declared], width: int) -> Iterator[str]:
    return _terms(((each.term, each.meaning) for each in parameters), width)


def _terms(terms: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield terms, each with its meaning beside it or below."""
    rows = list(terms)
    below = width < NARROW
    left = 6 if below else 4 + max((len(t) for t, _ in rows if len(t) <= TERM), default=TERM)
    for term, meaning in rows:
        lines = _indented(meaning, width, left)
        if not below and len(term) + 4 <= left and lines:
            lines[0] = f"  {term}".ljust(left) + lines[0][left:]
            yield from lines
        else:
            yield from (f"  {term}", *lines)


def _indented(text: str, width: int, left: int) -> list[str]:
    indent = " " * left
    return WRAP(text, width, initial_indent=indent, subsequent_indent=indent)
