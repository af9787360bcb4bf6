"""`gelu check`: figures that were computed elsewhere, judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from gelu_cli.cli import choices, options
from gelu_cli.cli.parser import SETTINGS, NumberCommand

if TYPE_CHECKING:
    from decimal import Decimal

    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.arithmetic.rounding import Array
    from gelu_cli.cli.input.numbers import Number
    from gelu_cli.cli.input.tables import Line, Table
    from gelu_cli.cli.output.output import Output
    from gelu_cli.forms import Form
    from gelu_cli.kernels.truth import Question
    from gelu_cli.values.figures import Figure

app = typer.Typer(**SETTINGS)


@app.command(cls=NumberCommand)
def check(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="CSV with x and columns named as `gelu table` names them, or - for stdin.",
        ),
    ] = None,
    wrong: Annotated[
        bool, typer.Option("--wrong", help="Print only the figures that are wrong.")
    ] = False,
    dtype: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            autocompletion=choices.dtypes,
            help="Judge results in a format, in ULP: {dtypes}.",
        ),
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help="FILE has a result for every bit pattern of a 16- or 8-bit --dtype: .npy or raw.",
        ),
    ] = False,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="F",
            autocompletion=choices.forms,
            help="What results in a format should be. Default: what their column is named; exact.",
        ),
    ] = None,
    quantity: Annotated[
        str | None,
        typer.Option(
            metavar="QUANTITY",
            autocompletion=choices.results,
            help="What the file of --all holds: {results}. Default: value.",
        ),
    ] = None,
    ftz: options.FtzOption = False,
    worst: options.WorstOption = None,
    max_ulp: options.MaxUlpOption = None,
    view: options.SweepViewOption = None,
    format_name: options.FormatOption = "auto",
    output: options.OutputOption = None,
    no_header: options.NoHeaderOption = False,
    digits: options.DigitsOption = None,
    quiet: options.QuietOption = False,
) -> None:
    """Judge figures in print, or results of a kernel from a file.

    A figure is right if it is the true value, rounded to the last decimal that is printed. x
    counts as typed. A figure of at most 17 digits may also be a float64, for the float64 that is
    nearest to x, as `gelu table` prints it. A wrong one makes the exit code 1.

    With --dtype the columns are results of a kernel, and the report is that of `gelu sweep`:
    numbers, hexadecimal floats (0x1.8p+1) or bit patterns (0x3f80), also in columns F_bits.

    Columns are x and, for a form F, F, F_gradient, F_gate and F_curvature, separated by commas,
    tabs or semicolons. Empty cells are left out.

    The correct figure is printed to as many decimals, or to --digits significant digits.

    Examples:

      gelu check published.csv

      gelu check published.csv --wrong --digits 8 --format markdown

      gelu check kernel.csv --dtype bfloat16 --max-ulp 1

      gelu check kernel.bin --all --dtype bfloat16 --target tanh
    """
    from gelu_cli.cli.output.output import choose_output
    from gelu_cli.cli.output.pictures import names_picture
    from gelu_cli.errors import UsageError

    if source is None:
        raise UsageError("no file: give FILE, or - for stdin")
    if dtype is None:
        in_a_format = {
            "--all": every or None, "--ftz": ftz or None, "--target": target, "--view": view,
            "--quantity": quantity, "--worst": worst, "--max-ulp": max_ulp,
            "a picture": names_picture(format_name, output) or None,
        }  # fmt: skip
        for option, word in in_a_format.items():
            if word is not None:
                raise UsageError(f"{option} is for results in a format: add --dtype FORMAT")
        printed = choose_output(format_name, output, digits, no_header, quiet)
        _check_figures(source, printed, wrong, bool(digits))
        return
    if wrong:
        raise UsageError("--wrong is for printed figures; with --dtype see --view worst")
    from gelu_cli.arithmetic.formats import find_format
    from gelu_cli.cli.output.verdicts import choose_destination, write_verdicts
    from gelu_cli.kernels.sweep import check_results

    destination = choose_destination(view, format_name, output, digits, no_header, quiet)
    shown = options.parse_worst(worst)
    limit = options.parse_limit(max_ulp)
    if quantity is not None and not every:
        raise UsageError("--quantity is for --all; name a column of gradients F_gradient")
    if every:
        judged = _every(source, find_format(dtype), target, quantity or "value")
    else:
        judged = _columns(source, find_format(dtype), target)
    verdicts = [check_results(*each, exhaustive=every, keep=shown, ftz=ftz) for each in judged]
    write_verdicts(verdicts, destination, view, shown, limit)


def _check_figures(source: str, destination: Output, wrong: bool, digits: bool) -> None:
    from gelu_cli.answers.check import check_figures
    from gelu_cli.cli.input.tables import read_table

    figures = _figures(read_table(source))
    report = check_figures(figures, digits=destination.digits if digits else None, wrong_only=wrong)
    destination.write(report)
    if report.failures:
        raise typer.Exit(1)


def _figures(table: Table) -> Iterator[Sequence[Figure]]:
    """Return the figures of a table in blocks; raises `UsageError` where there are none."""
    from gelu_cli.cli.input.numbers import parse_decimal
    from gelu_cli.errors import UsageError
    from gelu_cli.values.figures import Figure

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
    from gelu_cli.cli.input.numbers import parse_decimal, parse_number
    from gelu_cli.errors import UsageError

    number = parse_number(word)  # x has limits that figures have not
    try:
        return parse_decimal(word)
    except UsageError:
        return number


def _every(
    source: str, number_format: Format, target: str | None, quantity: str
) -> Iterator[tuple[str, Question, Array, Array]]:
    from gelu_cli.cli.input.results import read_every_result
    from gelu_cli.errors import UsageError
    from gelu_cli.kernels.truth import Question

    if number_format.width > 16:
        raise UsageError("--all is for the 16- and 8-bit formats, e.g. --dtype bfloat16")
    if quantity not in ("value", "gradient"):
        raise UsageError(f"--quantity {quantity}: results are values or gradients")
    question = Question(
        options.parse_target("exact" if target is None else target), quantity, number_format
    )
    yield source, question, *read_every_result(source, number_format)


def _columns(
    source: str, number_format: Format, target: str | None
) -> Iterator[tuple[str, Question, Array, Array]]:
    from gelu_cli.cli.input.results import read_results
    from gelu_cli.cli.input.tables import read_table
    from gelu_cli.kernels.truth import Question

    table = read_table(source)
    for name, x, got in read_results(table, number_format):
        form, quantity = _column(name, table.name)
        if target not in (None, "self"):
            form = options.parse_target(target)
        yield name, Question(form, quantity, number_format), x, got
