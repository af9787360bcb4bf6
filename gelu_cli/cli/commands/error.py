"""`gelu error`: how far a form is from GELU."""

from __future__ import annotations

from typing import Annotated

import typer

from gelu_cli.cli import choices, options
from gelu_cli.cli.parser import SETTINGS, NumberCommand

app = typer.Typer(**SETTINGS)


@app.command(cls=NumberCommand)
def error(
    points: options.PointsArgument = None,
    form: options.FormsOption = None,
    target: Annotated[
        str,
        typer.Option(
            metavar="F", autocompletion=choices.forms, help="What the forms are judged against."
        ),
    ] = "exact",
    quantity: Annotated[
        str,
        typer.Option(
            metavar="QUANTITY",
            autocompletion=choices.derivatives,
            help="What is compared: {derivatives}.",
        ),
    ] = "value",
    ends: Annotated[
        str, typer.Option("--range", metavar="A:B", help="Range of the suprema; -inf:inf works.")
    ] = "-10:10",
    sigma: Annotated[
        str, typer.Option(metavar="S", help="The averages are for X ~ N(0, S²).")
    ] = "1",
    view: Annotated[
        str | None,
        typer.Option(
            metavar="VIEW",
            autocompletion=choices.error_views,
            help="Which table: {error_views}. A terminal shows all.",
        ),
    ] = None,
    source: options.InputOption = None,
    column: options.ColumnOption = None,
    format_name: options.FormatOption = "auto",
    output: options.OutputOption = None,
    no_header: options.NoHeaderOption = False,
    digits: options.DigitsOption = None,
    quiet: options.QuietOption = False,
) -> None:
    """How far a form is from GELU, as real numbers.

    Suprema and averages, or errors at points X. Default forms: tanh, sigmoid. A supremum is a
    critical point or an end of the range, not the maximum of a grid. The averages are over the
    whole line. An absolute error that is harmless may be a relative error of 100% in the tail,
    where GELU itself goes to 0.

    Examples:

      gelu error --form tanh

      gelu error --form tanh --form igelu --quantity gradient --view regions

      gelu error -3 -1 0.5 --form quick_gelu --digits 30
    """
    from gelu_cli.answers import error as question
    from gelu_cli.calculus.errors import compare
    from gelu_cli.cli.input.blocks import short_lists
    from gelu_cli.cli.input.points import read_points
    from gelu_cli.cli.output.output import choose_output

    target_output = choose_output(format_name, output, digits, no_header, quiet)
    shown = target_output.digits
    against = options.parse_target(target)
    comparisons = [
        compare(each, against, quantity)
        for each in options.parse_forms(form or question.DEFAULT_FORMS)
    ]
    low, high = options.parse_ends(ends)
    width = options.parse_finite(sigma, "--sigma")
    views = {
        "summary": lambda: question.error_summary(comparisons, low, high, width, digits=shown),
        "regions": lambda: question.error_regions(comparisons, low, high, digits=shown),
    }
    if points or source is not None or column is not None:
        exact = shown is not None and shown > options.FLOAT64_DIGITS
        blocks = short_lists(read_points(points or [], source, column, exact))
        views = {
            "points": lambda: question.error_points(blocks, comparisons, digits=shown),
            **views,
        }
    target_output.write_views(views, view)
