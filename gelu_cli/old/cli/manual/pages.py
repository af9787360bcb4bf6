"""The manual page, for man(1), and the reference, in Markdown: they say the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gelu_cli.old.cli.manual.program import Described, Program, choice_places
from gelu_cli.old.cli.manual.topics import TOPICS
from gelu_cli.old.cli.parameters import Declared

MAN = """\
.\\" Manual page of gelu, made from the program by tools/make_manual.py.
.TH GELU 1 "" "gelu {version}" "User Commands"
.nh
.ad l
"""

REFERENCE = """\
# Reference

{summary}

This page is made from the program by `tools/make_manual.py`; `man gelu` and `--help` say the same.
"""


def manual_page(program: Program) -> str:
    """Return the manual page, in roff with the man macros."""
    return MAN.format(version=program.version) + "\n".join(_man_lines(program)) + "\n"


def _man_lines(program: Program) -> Iterator[str]:
    summary = program.itself.summary
    phrase = summary[:1].lower() + summary[1:].rstrip(".")
    yield from (".SH NAME", f"gelu \\- {_roff(phrase)}", ".SH SYNOPSIS")
    for number, command in enumerate(program.commands):
        yield from ([".br"] if number else [])
        yield f".B {_roff(command.usage)}"
    yield from (".SH DESCRIPTION", _roff(summary), *_man_parameters(program.itself.options))
    yield ".SH COMMANDS"
    for command in program.commands:
        yield from _man_command(command)
    yield ".SH CHOICES"
    for choices, places in choice_places(program.commands).items():
        yield from (f".SS {_roff(places)}", *_man_terms(choices))
    for topic in TOPICS:
        yield f".SH {topic.title.upper()}"
        for number, paragraph in enumerate(topic.paragraphs):
            yield from ([".PP"] if number else [])
            yield _roff(paragraph)
        yield from _man_terms(topic.terms)


def _man_command(command: Described) -> Iterator[str]:
    yield from (f".SS {_roff(command.usage)}", _roff(command.summary), ".PP", ".EX")
    yield from (f"    {_escaped(example)}" for example in command.examples)
    yield from (".EE", *_man_parameters(command.arguments))
    for section, options in command.sections:
        yield from (".PP", f"{section}:", *_man_parameters(options))
    for paragraph in command.description:
        yield from (".PP", _roff(paragraph))


def _man_parameters(parameters: Iterable[Declared]) -> Iterator[str]:
    return _man_terms((each.term, each.meaning) for each in parameters)


def _man_terms(terms: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, meaning in terms:
        yield from (".TP", f".B {_roff(term)}", _roff(meaning))


def _roff(text: str) -> str:
    """Return a line of text that roff takes for nothing else."""
    escaped = _escaped(text)
    return f"\\&{escaped}" if escaped[:1] in {".", "'"} else escaped


def _escaped(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")


def reference(program: Program) -> str:
    """Return the reference, in Markdown."""
    return "\n".join([REFERENCE.format(summary=program.itself.summary), *_reference_lines(program)])


def _reference_lines(program: Program) -> Iterator[str]:
    for command in program.commands:
        yield from (f"## `gelu {command.name}`", "", command.summary, "")
        yield from (f"    {command.usage}", "", "Examples:", "")
        yield from (*(f"    {example}" for example in command.examples), "")
        for paragraph in command.description:
            yield from (_markdown(paragraph), "")
        yield from _table("Argument", ((each.term, each.meaning) for each in command.arguments))
        for section, options in command.sections:
            yield from _table(section, ((each.term, each.meaning) for each in options))
    yield from ("## Choices", "")
    for choices, places in choice_places(program.commands).items():
        yield from (f"### {places}", "", *_table("", choices))
    for topic in TOPICS:
        yield from (f"## {topic.title}", "")
        for paragraph in topic.paragraphs:
            yield from (_markdown(paragraph), "")
        yield from _table("", topic.terms)


def _table(heading: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    filled = [f"| `{term}` | {_markdown(meaning)} |" for term, meaning in rows]
    if filled:
        yield from (f"| {heading} | |", "|---|---|", *filled, "")


def _markdown(text: str) -> str:
    """Return a text that Markdown takes for nothing else."""
    for sign in "|*_<":
        text = text.replace(sign, f"\\{sign}")
    return text
