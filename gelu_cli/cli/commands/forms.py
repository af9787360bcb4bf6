"""`gelu forms`: forms and functions by name."""

from typing import Annotated

from typer import Argument

from gelu_cli.cli import options
from gelu_cli.output.writer import Output

VIEWS = ("forms", "functions", "models", "published", "about")


def forms(
    name: Annotated[
        str | None,
        Argument(
            metavar="NAME",
            show_default=False,
            autocompletion=options.form_names,
            help="A form (tanh, tanh:a=0.8), an alias, a published set or a model.",
        ),
    ] = None,
    view: Annotated[str | None, options.view(*VIEWS)] = None,
    format: options.Format = None,
    output: options.File = None,
    quiet: options.Quiet = False,
) -> None:
    """Forms: definitions, parameters, aliases, users.

    With NAME: one form in full, or the forms of the models whose names begin with NAME.

    ```
    gelu forms --format markdown
    gelu forms gelu_new
    gelu forms gemma
    gelu forms --view models
    ```
    """
    from gelu_cli.api.forms import forms

    Output(format, output, None, quiet, view, VIEWS).write(forms(name))
