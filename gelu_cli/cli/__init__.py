"""The command line: typer parses, a command calls the API and writes."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

PANELS = {
    "The right value": "table locate variance plot forms",
    "Approximations": "error fit block model identify check",
    "Kernels": "sweep compare make",
}
COMMANDS = {name: panel for panel, names in PANELS.items() for name in names.split()}
"""Each command, and the panel of --help that lists it."""


class Commands(TyperGroup):
    """The group of commands, which imports only the command that is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**{**attributes, "commands": dict.fromkeys(COMMANDS)})  # no functions yet

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the command `cmd_name`; return None if it is unknown."""
        if cmd_name not in COMMANDS:
            return None
        # Importing the modules of all commands would take 100 ms.
        function = getattr(import_module(f"gelu_cli.cli.commands.{cmd_name}"), cmd_name)
        one = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        one.command(cmd_name, rich_help_panel=COMMANDS[cmd_name])(function)
        return get_command(one)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _print_version(asked: bool) -> None:
    if asked:
        from gelu_cli import __version__

        print(f"gelu {__version__}")
        raise typer.Exit


@app.callback()
def gelu(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Numerical analysis of GELU(x) = x·Φ(x); every digit is right."""
