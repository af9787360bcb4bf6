"""The reference of commands, options and choices, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gelu_cli.cli.manual import Choices, Command, Program, choice_places, in_sections
from gelu_cli.cli.manual.topics import TOPICS, Topic

HEAD = """\
# Reference

{summary}

This page is made from the program by `tools/make_manual.py`; `man gelu` and `--help` say the same.
"""


def render(program: Program) -> str:
    """Return the page."""
    choices = (_choices(*each) for each in choice_places(program).items())
    parts = [HEAD.format(summary=program.summary), *map(_command, program.commands)]
    return "\n".join([*parts, "## Choices\n", *choices, *map(_topic, TOPICS)])


def _command(command: Command) -> str:
    return "\n".join(_command_lines(command))


def _command_lines(command: Command) -> Iterator[str]:
    yield from (f"## `gelu {command.name}`", "", command.summary, "", f"    {command.usage}", "")
    yield from ("Examples:", "", *(f"    {example}" for example in command.examples), "")
    for paragraph in command.description:
        yield from (_text(paragraph), "")
    arguments = [(argument.metavar, argument.help) for argument in command.arguments]
    yield from _table("Argument", arguments)
    for section, options in in_sections(command.options):
        yield from _table(section, ((option.term, option.meaning) for option in options))


def _choices(choices: Choices, places: str) -> str:
    return "\n".join([f"### {places}", "", *_table("", choices)])


def _topic(topic: Topic) -> str:
    lines = [f"## {topic.title}", ""]
    for paragraph in topic.paragraphs:
        lines += [_text(paragraph), ""]
    return "\n".join([*lines, *_table("", topic.terms)])


def _table(heading: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    filled = [f"| `{term}` | {_text(meaning)} |" for term, meaning in rows]
    if filled:
        yield from (f"| {heading} | |", "|---|---|", *filled, "")


def _text(text: str) -> str:
    """Return a text that Markdown takes for nothing else."""
    for sign in "|*_<":
        text = text.replace(sign, f"\\{sign}")
    return text
