"""The help of a command, and of the program, as --help prints it.

A line on what it does, then examples, then the options in groups; what else there is to know is at
the end. On a narrow screen what an option means stands below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from textwrap import wrap

from gelu_cli.cli.manual.program import Choices, Command, Parameter, Text, in_sections

WIDEST, NARROW, NARROWEST = 80, 60, 20
TERM = 26
"""A longer term has a line of its own."""
WRAP = partial(wrap, break_on_hyphens=False, break_long_words=False)
"""Options, forms and commands are never parted."""


def command_help(command: Command, columns: int) -> str:
    """Return the help of a command for a screen with that many columns."""
    width = max(NARROWEST, min(columns, WIDEST))
    arguments = ((each.metavar, each.help) for each in command.arguments)
    return _joined([
        WRAP(command.summary, width),
        [*_examples(command.examples, width)],
        _usage(command.usage, width),
        [*_terms(arguments, width)],
        *_sections(command.options, width),
        *_details(command.description, width),
    ])  # fmt: skip


def program_help(text: Text, options: Sequence[Parameter], commands: Choices, columns: int) -> str:
    """Return the help of the program, with a line on each command."""
    width = max(NARROWEST, min(columns, WIDEST))
    return _joined([
        WRAP(text.summary, width),
        [*_examples(text.examples, width)],
        _usage("gelu COMMAND [OPTIONS] …", width),
        ["Commands:", *_terms(commands, width)],
        ["Options:", *_terms(((each.term, each.meaning) for each in options), width)],
        *(WRAP(paragraph, width) for paragraph in text.description),
    ])  # fmt: skip


def _joined(blocks: Iterable[Sequence[str]]) -> str:
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _examples(examples: Iterable[str], width: int) -> Iterator[str]:
    """Yield lines that a shell takes as they are: a long one goes on after a backslash."""
    for example in examples:
        fits = len(example) + 4 <= width
        lines = WRAP(f"    {example}", width if fits else width - 2, subsequent_indent=" " * 6)
        yield from (f"{line} \\" for line in lines[:-1])
        yield lines[-1]


def _usage(usage: str, width: int) -> list[str]:
    return WRAP(f"Usage: {usage}", width, subsequent_indent="  ")


def _sections(options: Sequence[Parameter], width: int) -> Iterator[list[str]]:
    for section, members in in_sections(options):
        yield [f"{section}:", *_terms(((each.term, each.meaning) for each in members), width)]


def _details(paragraphs: Sequence[str], width: int) -> Iterator[list[str]]:
    for number, paragraph in enumerate(paragraphs):
        yield [*([] if number else ["Details:"]), *_indented(paragraph, width, 2)]


def _terms(terms: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield terms, each with its meaning beside it or below."""
    rows = list(terms)
    below = width < NARROW
    left = 6 if below else 4 + max((len(t) for t, _ in rows if len(t) <= TERM), default=TERM)
    for term, meaning in rows:
        lines = [*_indented(meaning, width, left)]
        if not below and len(term) + 4 <= left and lines:
            lines[0] = f"  {term}".ljust(left) + lines[0][left:]
            yield from lines
        else:
            yield from (f"  {term}", *lines)


def _indented(text: str, width: int, left: int) -> list[str]:
    indent = " " * left
    return WRAP(text, width, initial_indent=indent, subsequent_indent=indent)
