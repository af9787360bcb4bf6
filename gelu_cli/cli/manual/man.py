"""The manual page, for man(1): roff with the man macros."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gelu_cli.cli.manual import Command, Program, choice_places, in_sections
from gelu_cli.cli.manual.topics import TOPICS, Topic

HEAD = """\
.\\" Manual page of {name}, made from the program by tools/make_manual.py.
.TH {title} 1 "" "{name} {version}" "User Commands"
.nh
.ad l
"""


def render(program: Program) -> str:
    """Return the page."""
    head = HEAD.format(name=program.name, title=program.name.upper(), version=program.version)
    return head + "\n".join(_lines(program)) + "\n"


def _lines(program: Program) -> Iterator[str]:
    yield from (".SH NAME", f"{program.name} \\- {_text(_phrase(program.summary))}")
    yield ".SH SYNOPSIS"
    for number, command in enumerate(program.commands):
        yield from ([".br"] if number else [])
        yield f".B {_text(command.usage)}"
    yield from (".SH DESCRIPTION", _text(program.summary))
    yield from _terms((option.term, option.meaning) for option in program.options)
    yield ".SH COMMANDS"
    for command in program.commands:
        yield from _command(command)
    yield ".SH CHOICES"
    for choices, places in choice_places(program).items():
        yield f".SS {_text(places)}"
        yield from _terms(choices)
    for topic in TOPICS:
        yield from _topic(topic)


def _phrase(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".")


def _command(command: Command) -> Iterator[str]:
    yield from (f".SS {_text(command.usage)}", _text(command.summary))
    yield from (".PP", ".EX", *map(_example, command.examples), ".EE")
    yield from _terms((argument.metavar, argument.help) for argument in command.arguments)
    for section, options in in_sections(command.options):
        yield from (".PP", f"{section}:")
        yield from _terms((option.term, option.meaning) for option in options)
    for paragraph in command.description:
        yield from (".PP", _text(paragraph))


def _example(text: str) -> str:
    return f"    {_escaped(text)}"


def _terms(terms: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, meaning in terms:
        yield from (".TP", f".B {_text(term)}", _text(meaning))


def _topic(topic: Topic) -> Iterator[str]:
    yield f".SH {topic.title.upper()}"
    for number, paragraph in enumerate(topic.paragraphs):
        yield from ([".PP"] if number else [])
        yield _text(paragraph)
    yield from _terms(topic.terms)


def _text(text: str) -> str:
    """Return a line of text that roff takes for nothing else."""
    escaped = _escaped(text)
    return f"\\&{escaped}" if escaped[:1] in {".", "'"} else escaped


def _escaped(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")
