"""What the program tells about itself: completion scripts, the manual page, the reference.

There is one module for each, with `render(program)`, which returns its text. The program is
described as plain data, whose order is fixed: the same program gives the same text everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol, TypeAlias, cast

from gelu_cli.cli.sections import SECTIONS
from gelu_cli.errors import unknown

SHELLS = ("bash", "fish", "zsh")

Choices: TypeAlias = tuple[tuple[str, str], ...]
"""Names, each with a description."""


class Option(NamedTuple):
    """An option: `metavar` is empty for a switch, `choices` are names, each with a description."""

    names: tuple[str, ...]
    metavar: str
    help: str
    summary: str
    default: str
    choices: Choices
    repeatable: bool
    listed: bool
    """Whether a comma separates two of its values."""
    section: str
    """Under which heading it stands in the help."""

    @property
    def takes_file(self) -> bool:
        """Whether the value is the name of a file, or begins with one."""
        return self.metavar in ("FILE", "KERNEL")

    @property
    def takes_form(self) -> bool:
        """Whether the value names a form, or begins with one."""
        return self.metavar.partition("[")[0] == "F"

    @property
    def term(self) -> str:
        """The names, and what follows them."""
        names = ", ".join(self.names)
        return f"{names} {self.metavar}" if self.metavar else names

    @property
    def meaning(self) -> str:
        """The help, with the default."""
        return f"{self.help} Default: {self.default}." if self.default else self.help


class Argument(NamedTuple):
    """A positional argument."""

    metavar: str
    help: str
    choices: Choices

    @property
    def takes_file(self) -> bool:
        """Whether the value is the name of a file."""
        return self.metavar in ("FILE", "[FILE]...")

    @property
    def takes_form(self) -> bool:
        """Whether the value names a form."""
        return self.metavar == "[FORM]"

    @property
    def many(self) -> bool:
        """Whether there may be several."""
        return self.metavar.endswith("...")


class Text(NamedTuple):
    """What the help says: a line, examples that follow it, and paragraphs at the end."""

    summary: str
    examples: tuple[str, ...]
    paragraphs: tuple[str, ...]


class Command(NamedTuple):
    """A command: what stands in its help."""

    name: str
    summary: str
    description: tuple[str, ...]
    examples: tuple[str, ...]
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]

    @property
    def usage(self) -> str:
        """How it is called.

        >>> Command("forms", "The forms.", (), (), (), ()).usage
        'gelu forms [OPTIONS]'
        """
        metavars = (
            argument.metavar if argument.metavar.startswith("[") else f"[{argument.metavar}]"
            for argument in self.arguments
        )
        return " ".join(["gelu", self.name, "[OPTIONS]", *metavars])


class Program(NamedTuple):
    """The program: its own options, and its commands in the order of the help."""

    name: str
    version: str
    summary: str
    options: tuple[Option, ...]
    commands: tuple[Command, ...]
    settings: Choices
    """What may follow the names of forms: sigmoid:beta=."""


def in_sections(options: Sequence[Option]) -> list[tuple[str, list[Option]]]:
    """Return options by the headings of the help under which they stand, in order."""
    found: dict[str, list[Option]] = {}
    for option in options:
        found.setdefault(option.section, []).append(option)
    return sorted(found.items(), key=lambda each: SECTIONS.index(each[0]))


def choice_sets(program: Program) -> Mapping[Choices, str]:
    """Return a name for every set of choices, after the option where it is first met."""
    found: dict[Choices, str] = {}
    for command in program.commands:
        for option in command.options:
            if option.choices:
                name = option.names[-1].lstrip("-").replace("-", "_")
                found.setdefault(option.choices, f"{program.name}_{command.name}_{name}")
        for argument in command.arguments:
            if argument.choices:
                name = argument.metavar.strip("[].").lower()
                found.setdefault(argument.choices, f"{program.name}_{command.name}_{name}")
    return found


def choice_places(program: Program) -> Mapping[Choices, str]:
    """Return for every set of choices the options and arguments that take one of them."""
    found: dict[Choices, dict[str, list[str]]] = {}
    for command in program.commands:
        for option in command.options:
            found.setdefault(option.choices, {}).setdefault(option.names[-1], []).append(
                command.name
            )
        for argument in command.arguments:
            found.setdefault(argument.choices, {}).setdefault(argument.metavar, []).append(
                command.name
            )
    return {
        choices: "; ".join(f"{name} of {', '.join(names)}" for name, names in places.items())
        for choices, places in found.items()
        if choices
    }


class Kind(Protocol):
    """What a module of this package offers."""

    def render(self, program: Program) -> str:
        """Return the text."""


def find_kind(name: str) -> Kind:
    """Return the module that renders scripts of a shell, `man` or `reference`."""
    return cast(Kind, import_module(f"{__name__}.{name}"))


def find_shell(name: str) -> Kind:
    """Return the module for a shell; raises `UsageError` where there is none."""
    if name not in SHELLS:
        raise unknown("shell", name, SHELLS)
    return find_kind(name)


def first_sentence(text: str) -> str:
    """Return what a help text says first, without the lists in it.

    >>> first_sentence("Form, may be repeated: {forms}. `gelu forms` tells more.")
    'Form, may be repeated'
    >>> first_sentence("Your own function instead, e.g. torch.nn.functional:gelu.")
    'Your own function instead'
    """
    return re.split(r", e\.g\. |[:.;](?: |$)", text, maxsplit=1)[0]
