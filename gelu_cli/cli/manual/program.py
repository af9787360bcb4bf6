"""The program as data, read off its own commands and options."""

from __future__ import annotations

import inspect
from typing import Any

import typer

import gelu_cli
from gelu_cli.cli.choices import fill, settings
from gelu_cli.cli.manual import Argument, Command, Option, Program, Text, first_sentence
from gelu_cli.cli.sections import OTHER


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
    text = text_of(command)
    return Command(
        name,
        text.summary,
        text.paragraphs,
        text.examples,
        tuple(
            Argument(parameter.metavar, fill(parameter.help), _choices(parameter, context))
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


def options_of(command: Any) -> tuple[Option, ...]:
    """Return the options of a command, or of the group of all, with --help."""
    context = typer.Context(command, **command.context_settings)
    parameters = [each for each in command.get_params(context) if each.param_type_name == "option"]
    return tuple(
        _option(parameter, command.entries.get(parameter.name), context) for parameter in parameters
    )


def _option(parameter: Any, entry: Any, context: Any) -> Option:
    names = sorted(parameter.opts, key=len)  # --help comes as a set
    shown = "" if parameter.is_flag or parameter.default in (None, ()) else str(parameter.default)
    return Option(
        tuple(names),
        "" if parameter.is_flag else parameter.metavar,
        fill(parameter.help),
        first_sentence(parameter.help),
        shown,
        _choices(parameter, context),
        bool(parameter.multiple),
        bool(entry and entry.listed),
        entry.section if entry else OTHER,
    )


def _choices(parameter: Any, context: Any) -> tuple[tuple[str, str], ...]:
    return tuple((item.value, item.help or "") for item in parameter.shell_complete(context, ""))
