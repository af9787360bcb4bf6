"""`gelu forms`: what there is to evaluate."""

from __future__ import annotations

import typer

from gelu_cli.cli import options
from gelu_cli.cli.parser import SETTINGS, NumberCommand

app = typer.Typer(**SETTINGS)


@app.command(cls=NumberCommand)
def forms(
    format_name: options.FormatOption = "auto",
    output: options.OutputOption = None,
    no_header: options.NoHeaderOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """The forms: definitions, parameters, names in frameworks.

    Example:

      gelu forms --format markdown
    """
    from gelu_cli.answers.forms import list_forms
    from gelu_cli.cli.output.output import choose_output

    choose_output(format_name, output, None, no_header, quiet).write(list_forms())
