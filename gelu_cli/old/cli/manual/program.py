"""The program as data, read off its own commands and options.

Its order is fixed: the same program gives the same help and pages everywhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import click

import gelu_cli
from gelu_cli.old.cli.choices import fill
from gelu_cli.old.cli.parameters import SECTIONS, Argument, Option

Choices: TypeAlias = tuple[tuple[str, str], ...]
"""Names, each with a description."""


class Described(NamedTuple):
    """A command, or the program itself: what stands in its help."""

    name: str
    summary: str
    examples: tuple[str, ...]
    description: tuple[str, ...]
    arguments: Sequence[Argument]
    options: Sequence[Option]

    @property
    def usage(self) -> str:
        """How it is called.

        >>> Described("forms", "The forms.", (), (), (), ()).usage
        'gelu forms [OPTIONS]'
        """
        metavars = (
            f"[{each.metavar}]" if each.metavar == each.label else str(each.metavar)
            for each in self.arguments
        )
        return " ".join(["gelu", self.name, "[OPTIONS]", *metavars])

    @property
    def sections(self) -> list[tuple[str, list[Option]]]:
        """The options by the headings of the help under which they stand, in order."""
        found: dict[str, list[Option]] = {}
        for option in self.options:
            found.setdefault(option.section, []).append(option)
        return sorted(found.items(), key=lambda each: SECTIONS.index(each[0]))


class Program(NamedTuple):
    """The program: its own help, and its commands in the order of the help."""

    version: str
    itself: Described
    commands: tuple[Described, ...]


def describe() -> Program:
    """Return what the program is, with every command, option and choice."""
    from gelu_cli.old.cli.app import app

    commands = (described(app.command(name)) for name in app.list_commands())
    return Program(gelu_cli.__version__, described(app), tuple(commands))


def described(command: click.Command) -> Described:
    """Return what stands in the help of a command, or of the program."""
    blocks = inspect.cleandoc(fill(command.help or "")).split("\n\n")
    summary, *rest = (" ".join(block.split()) for block in blocks)
    shown = [number for number, block in enumerate(blocks[1:]) if block.startswith("  ")]
    return Described(
        command.name or "",
        summary,
        tuple(rest[number] for number in shown),
        tuple(
            text for number, text in enumerate(rest) if number not in shown and text != "Examples:"
        ),
        [each for each in command.params if isinstance(each, Argument)],
        [each for each in command.params if isinstance(each, Option) and each.names],
    )


def choice_places(commands: Sequence[Described]) -> Mapping[Choices, str]:
    """Return for every set of choices the options and arguments that take one of them."""
    found: dict[Choices, dict[str, list[str]]] = {}
    for command in commands:
        for each in (*command.options, *command.arguments):
            if offered := tuple(each.offered()):
                name = each.label if isinstance(each, Option) else str(each.metavar)
                found.setdefault(offered, {}).setdefault(name, []).append(command.name)
    return {
        choices: "; ".join(f"{name} of {', '.join(names)}" for name, names in places.items())
        for choices, places in found.items()
    }
