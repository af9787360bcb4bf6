"""`gelu table`: values and gradients at chosen points."""

from __future__ import annotations

from typing import Annotated

import typer

from gelu_cli.cli import choices, options
from gelu_cli.cli.parser import SETTINGS, NumberCommand

app = typer.Typer(**SETTINGS)


@app.command(cls=NumberCommand)
def table(
    points: options.PointsArgument = None,
    form: options.FormsOption = None,
    show: Annotated[
        list[str] | None,
        typer.Option(
            metavar="QUANTITY",
            autocompletion=choices.quantities,
            help="Quantity, may be repeated: {quantities}. Default: value, gradient.",
        ),
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            autocompletion=choices.dtypes,
            help="Round x and every result to a format: {dtypes}.",
        ),
    ] = None,
    bits: Annotated[
        bool, typer.Option("--bits", help="Show the bit patterns too (with --dtype).")
    ] = False,
    every: Annotated[
        bool,
        typer.Option("--all", help="Every finite number of a 16- or 8-bit --dtype."),
    ] = False,
    source: options.InputOption = None,
    column: options.ColumnOption = None,
    format_name: options.FormatOption = "auto",
    output: options.OutputOption = None,
    no_header: options.NoHeaderOption = False,
    digits: options.DigitsOption = None,
    quiet: options.QuietOption = False,
    jobs: options.JobsOption = None,
) -> None:
    """Values and gradients at chosen points, correctly rounded.

    Default forms: exact, tanh, sigmoid.

    Examples:

      gelu table -3 -1 0 0.5 1 3

      gelu table -4:4:0.5 --form exact --form relu --show value --show curvature

      gelu table 0.1 --digits 50

      gelu table --dtype bfloat16 --all --bits --form exact -o golden.csv
    """
    from gelu_cli.answers.table import DEFAULT_FORMS, DEFAULT_QUANTITIES, tabulate
    from gelu_cli.arithmetic.formats import find_format
    from gelu_cli.cli.input.points import format_points, read_points
    from gelu_cli.cli.output.output import choose_output
    from gelu_cli.errors import UsageError

    target = choose_output(format_name, output, digits, no_header, quiet)
    number_format = find_format(dtype) if dtype is not None else None
    exact = target.digits is not None and target.digits > options.FLOAT64_DIGITS
    if exact and number_format:
        raise UsageError("--digits above 17 goes beyond every --dtype; leave one of them out")
    if every:
        blocks = format_points(number_format, points or [], source, column)
    else:
        blocks = read_points(points or [], source, column, exact, number_format)
    target.write(
        tabulate(
            blocks,
            options.parse_forms(form or DEFAULT_FORMS),
            options.parse_quantities(show or DEFAULT_QUANTITIES),
            digits=target.digits,
            dtype=number_format,
            bits=bits,
            jobs=options.parse_jobs(jobs),
        )
    )
