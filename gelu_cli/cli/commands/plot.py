"""`gelu plot`: the forms, their derivatives or their errors, in the terminal or in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gelu_cli.cli import choices, options
from gelu_cli.cli.parser import SETTINGS, NumberCommand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gelu_cli.report.plots import Plot

app = typer.Typer(**SETTINGS)


@app.command(cls=NumberCommand)
def plot(
    form: options.FormsOption = None,
    show: Annotated[
        list[str] | None,
        typer.Option(
            metavar="QUANTITY",
            autocompletion=choices.quantities,
            help="Quantity, may be repeated: {quantities}. Default: value, gradient; "
            "of an error value.",
        ),
    ] = None,
    error: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            autocompletion=choices.kinds_of_error,
            help="Draw errors instead: {kinds_of_error}.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="F",
            autocompletion=choices.forms,
            help="What errors are against. Default: exact.",
        ),
    ] = None,
    ends: Annotated[
        str, typer.Option("--range", metavar="A:B", help="The x from A to B.")
    ] = "-4:4",
    format_name: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            autocompletion=choices.pictures,
            help="Kind of picture: {pictures}. auto: text, or as FILE ends.",
        ),
    ] = "auto",
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to FILE, whole or not at all."),
    ] = None,
    quiet: options.QuietOption = False,
) -> None:
    """Pictures of forms, their derivatives or their errors.

    In the terminal or in a file. Default form: exact; of errors tanh and sigmoid. Every point is
    correctly rounded. Errors keep their sign, on a scale that is logarithmic on both sides of 0.
    PNG, SVG and PDF are drawn by matplotlib (pip install matplotlib).

    `gelu sweep` and `gelu check` draw errors in ULP, with --view plot or -o FILE.

    Examples:

      gelu plot

      gelu plot --form exact --form silu --form relu --show value --range -3:1

      gelu plot --error absolute

      gelu plot --error relative --range -10:2 -o relative.svg
    """
    from gelu_cli.cli.output.pictures import choose_picture
    from gelu_cli.errors import UsageError

    picture = choose_picture(format_name, output)
    if error is None and target is not None:
        raise UsageError("--target is for errors: add --error absolute or --error relative")
    if error is None:
        picture.write(_forms(form, show, ends))
    else:
        picture.write(_errors(error, form, show or ["value"], target or "exact", ends))


def _forms(form: Sequence[str] | None, show: Sequence[str] | None, ends: str) -> Plot:
    from gelu_cli.answers.plot import DEFAULT_FORMS, DEFAULT_QUANTITIES, plot_forms

    return plot_forms(
        options.parse_forms(form or DEFAULT_FORMS),
        options.parse_quantities(show or DEFAULT_QUANTITIES),
        *options.parse_ends(ends),
    )


def _errors(
    kind: str, form: Sequence[str] | None, show: Sequence[str], target: str, ends: str
) -> Plot:
    from gelu_cli.answers.error import DEFAULT_FORMS
    from gelu_cli.answers.plot import plot_errors
    from gelu_cli.calculus.errors import compare
    from gelu_cli.errors import UsageError

    if len(show) > 1:
        raise UsageError("--error draws one quantity: give --show once")
    against = options.parse_target(target)
    forms = options.parse_forms(form or DEFAULT_FORMS)
    comparisons = [compare(each, against, show[0]) for each in forms]
    return plot_errors(comparisons, kind, *options.parse_ends(ends))
