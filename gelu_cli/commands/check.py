"""`gelu check`: figures that were computed elsewhere, judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from gelu_cli.commands import _options as options
from gelu_cli.commands._parser import SETTINGS, NumberCommand

if TYPE_CHECKING:
    from decimal import Decimal

    from gelu_cli.activations import Form
    from gelu_cli.analysis.figures import Figure
    from gelu_cli.commands._numbers import Number
    from gelu_cli.commands._tables import Line, Table

app = typer.Typer(**SETTINGS)


@app.command(cls=NumberCommand)
def check(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="CSV with x and columns named as gelu table names them, or -.",
        ),
    ],
    wrong: Annotated[bool, typer.Option("--wrong", help="Print only what is wrong.")] = False,
    format_name: options.FormatOption = "auto",
    output: options.OutputOption = None,
    no_header: options.NoHeaderOption = False,
    digits: options.DigitsOption = None,
    quiet: options.QuietOption = False,
) -> None:
    """Judge printed figures to their last decimal; exit with 1 if one is wrong.

    A figure is right if it is the true value, rounded to the last decimal that is printed. x
    counts as typed. A figure of at most 17 digits may also be a float64, for the float64 that is
    nearest to x, as `gelu table` prints it.

    Columns are x and, for a form F, F, F_gradient, F_gate and F_curvature, separated by commas,
    tabs or semicolons. Empty cells are left out.

    The correct figure is printed to as many decimals, or to --digits significant digits.

    Examples:

      gelu check published.csv

      gelu check published.csv --wrong --digits 8 --format markdown
    """
    from gelu_cli.analysis.figures import check_figures
    from gelu_cli.commands._output import choose_output
    from gelu_cli.commands._tables import read_table

    target = choose_output(format_name, output, digits, no_header, quiet)
    figures = _figures(read_table(source))
    report = check_figures(figures, digits=target.digits if digits else None, wrong_only=wrong)
    target.write(report)
    if report.failures:
        raise typer.Exit(1)


def _figures(table: Table) -> Iterator[Sequence[Figure]]:
    """Return the figures of a table in blocks; raises `UsageError` where there are none."""
    from gelu_cli.analysis.figures import Figure
    from gelu_cli.commands._numbers import parse_decimal
    from gelu_cli.errors import UsageError

    if "x" not in table.header:
        raise UsageError(f"{table.name} has no column 'x'; it has: {', '.join(table.header)}")
    columns = {name: _column(name, table.name) for name in table.header if name != "x"}

    def figures(block: Sequence[Line]) -> Iterator[Figure]:
        for line in block:
            x = table.read(line, "x", _parse_x)
            for name, (form, quantity) in columns.items():
                if line.cells[table.header.index(name)]:
                    published = table.read(line, name, parse_decimal)
                    yield Figure(line.number, x, name, form, quantity, published)

    blocks = filter(None, ([*figures(block)] for block in table.blocks))
    first = next(blocks, None)
    if first is None:
        raise UsageError(f"{table.name} holds no figures")
    return chain([first], blocks)


def _column(name: str, table_name: str) -> tuple[Form, str]:
    from gelu_cli.errors import UsageError

    try:
        return options.parse_column(name)
    except UsageError as error:
        raise UsageError(f"column '{name}' of {table_name}: {error}") from None


def _parse_x(word: str) -> Decimal | Number:
    """Return a decimal with its last place, or whatever else is a number."""
    from gelu_cli.commands._numbers import parse_decimal, parse_number
    from gelu_cli.errors import UsageError

    number = parse_number(word)  # x has limits that figures have not
    try:
        return parse_decimal(word)
    except UsageError:
        return number
