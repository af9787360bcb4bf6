"""`gelu help`: what --help prints."""

from __future__ import annotations

from typing import Any

import typer

from gelu_cli.cli import entries
from gelu_cli.errors import unknown


def _program() -> Any:
    from gelu_cli.cli.app import app

    return typer.main.get_command(app)


def _commands() -> list[tuple[str, str]]:
    commands = _program().commands
    return [(name, commands[name].help.partition("\n")[0]) for name in commands]


def help(
    command: str | None = entries.argument(
        metavar="[COMMAND]",
        autocompletion=_commands,
        help="The command to explain. Default: gelu itself.",
    ),
) -> None:
    """Help on a command, as its --help prints it.

    Examples:

      gelu help

      gelu help table
    """
    program = _program()
    context = typer.Context(program, info_name="gelu")
    if command is None:
        typer.echo(program.get_help(context))
        return
    if command not in program.commands:
        raise unknown("command", command, program.commands)
    asked = program.commands[command]
    typer.echo(asked.get_help(typer.Context(asked, parent=context, info_name=command)))
