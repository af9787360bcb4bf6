"""`gelu locate`: where the minimum and the inflection points of a form are."""

from __future__ import annotations

import typer

from gelu_cli.cli import options
from gelu_cli.cli.parser import SETTINGS, NumberCommand

app = typer.Typer(**SETTINGS)


@app.command(cls=NumberCommand)
def locate(
    form: options.FormsOption = None,
    format_name: options.FormatOption = "auto",
    output: options.OutputOption = None,
    no_header: options.NoHeaderOption = False,
    digits: options.DigitsOption = None,
    quiet: options.QuietOption = False,
) -> None:
    """The minimum and the inflection points of a form.

    Where they are, and what the form is there. Default form: exact. GELU's minimum is at
    x ≈ −0.7518, and its value there is ≈ −0.1700: the place is not the value, though it has been
    printed for it.

    Examples:

      gelu locate

      gelu locate --form tanh --form silu --digits 40
    """
    from gelu_cli.answers.locate import DEFAULT_FORMS
    from gelu_cli.answers.locate import locate as question
    from gelu_cli.cli.output.output import choose_output

    target = choose_output(format_name, output, digits, no_header, quiet)
    target.write(question(options.parse_forms(form or DEFAULT_FORMS), digits=target.digits))
