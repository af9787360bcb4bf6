"""The program as data, read off its own commands and options.

Its order is fixed: the same program gives the same help, pages and scripts everywhere.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import typer

import gelu_cli
from gelu_cli.cli.choices import fill, settings
from gelu_cli.cli.sections import OTHER, SECTIONS

Choices: TypeAlias = tuple[tuple[str, str], ...]
"""Names, each with a description."""


class Parameter(NamedTuple):
    """An option or, without names, an argument; `metavar` is empty for a switch."""

    names: tuple[str, ...]
    metavar: str
    help: str
    choices: Choices
    summary: str = ""
    default: str = ""
    repeatable: bool = False
    listed: bool = False
    """Whether a comma separates two of its values."""
    section: str = OTHER
    """The heading of the help under which it stands."""

    @property
    def takes_file(self) -> bool:
        """Whether the value is the name of a file, or begins with one."""
        return self.metavar in ("FILE", "[FILE]...", "KERNEL")

    @property
    def takes_form(self) -> bool:
        """Whether the value names a form, or begins with one."""
        return self.metavar == "[FORM]" or self.metavar.partition("[")[0] == "F"

    @property
    def name(self) -> str:
        """The long name of an option, the metavar of an argument."""
        return self.names[-1] if self.names else self.metavar

    @property
    def term(self) -> str:
        """The names, and what follows them."""
        return " ".join(filter(None, (", ".join(self.names), self.metavar)))

    @property
    def meaning(self) -> str:
        """The help, with the default."""
        return f"{self.help} Default: {self.default}." if self.default else self.help


class Text(NamedTuple):
    """What the help says: a line, examples that follow it, and paragraphs at the end."""

    summary: str
    examples: tuple[str, ...]
    description: tuple[str, ...]


class Command(NamedTuple):
    """A command: what stands in its help."""

    name: str
    summary: str
    examples: tuple[str, ...]
    description: tuple[str, ...]
    arguments: tuple[Parameter, ...]
    options: tuple[Parameter, ...]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The options, then the arguments."""
        return (*self.options, *self.arguments)

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
    options: tuple[Parameter, ...]
    commands: tuple[Command, ...]
    settings: Choices
    """What may follow the names of forms: sigmoid:beta=."""


def in_sections(options: Sequence[Parameter]) -> list[tuple[str, list[Parameter]]]:
    """Return options by the headings of the help under which they stand, in order."""
    found: dict[str, list[Parameter]] = {}
    for option in options:
        found.setdefault(option.section, []).append(option)
    return sorted(found.items(), key=lambda each: SECTIONS.index(each[0]))


def choice_sets(program: Program) -> Mapping[Choices, str]:
    """Return a name for every set of choices, after the option where it is first met."""
    found: dict[Choices, str] = {}
    for command in program.commands:
        for each in command.parameters:
            if each.choices:
                name = each.name.strip("-[].").replace("-", "_").lower()
                found.setdefault(each.choices, f"{program.name}_{command.name}_{name}")
    return found


def choice_places(program: Program) -> Mapping[Choices, str]:
    """Return for every set of choices the options and arguments that take one of them."""
    found: dict[Choices, dict[str, list[str]]] = {}
    for command in program.commands:
        for each in command.parameters:
            if each.choices:
                places = found.setdefault(each.choices, {})
                places.setdefault(each.name, []).append(command.name)
    return {
        choices: "; ".join(f"{name} of {', '.join(names)}" for name, names in places.items())
        for choices, places in found.items()
    }


def describe(app: typer.Typer) -> Program:
    """Return what the program is, with every command, option and choice."""
    group: Any = typer.main.get_command(app)
    return Program(
        "gelu",
        gelu_cli.__version__,
        text_of(group).summary,
        options_of(group),
        tuple(describe_command(name, command) for name, command in group.commands.items()),
        tuple(settings()),
    )


def describe_command(name: str, command: Any) -> Command:
    """Return what stands in the help of a command."""
    context = typer.Context(command)
    return Command(
        name,
        *text_of(command),
        tuple(
            Parameter((), parameter.metavar, fill(parameter.help), _choices(parameter, context))
            for parameter in command.params
            if parameter.param_type_name == "argument"
        ),
        options_of(command),
    )


def text_of(command: Any) -> Text:
    """Return what the help of a command says, from its docstring."""
    blocks = inspect.cleandoc(fill(command.help or "")).split("\n\n")
    summary, *rest = (" ".join(block.split()) for block in blocks)
    shown = [number for number, block in enumerate(blocks[1:]) if block.startswith("  ")]
    return Text(
        summary,
        tuple(rest[number] for number in shown),
        tuple(
            text for number, text in enumerate(rest) if number not in shown and text != "Examples:"
        ),
    )


def options_of(command: Any) -> tuple[Parameter, ...]:
    """Return the options of a command, or of the group of all, with --help."""
    context = typer.Context(command, **command.context_settings)
    parameters = [each for each in command.get_params(context) if each.param_type_name == "option"]
    return tuple(
        _option(parameter, command.entries.get(parameter.name), context) for parameter in parameters
    )


def _option(parameter: Any, entry: Any, context: Any) -> Parameter:
    names = sorted(parameter.opts, key=len)  # --help comes as a set
    shown = "" if parameter.is_flag or parameter.default in (None, ()) else str(parameter.default)
    return Parameter(
        tuple(names),
        "" if parameter.is_flag else parameter.metavar,
        fill(parameter.help),
        _choices(parameter, context),
        first_sentence(parameter.help),
        shown,
        bool(parameter.multiple),
        bool(entry and entry.listed),
        entry.section if entry else OTHER,
    )


def _choices(parameter: Any, context: Any) -> Choices:
    return tuple((item.value, item.help or "") for item in parameter.shell_complete(context, ""))


def first_sentence(text: str) -> str:
    """Return what a help text says first, without the lists in it.

    >>> first_sentence("Form, may be repeated: {forms}. `gelu forms` tells more.")
    'Form, may be repeated'
    >>> first_sentence("Your own function instead, e.g. torch.nn.functional:gelu.")
    'Your own function instead'
    """
    return re.split(r", e\.g\. |[:.;](?: |$)", text, maxsplit=1)[0]
