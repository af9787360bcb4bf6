"""`gelu check`: are printed numbers, or results of a kernel, right?"""

from typing import Annotated

from typer import Argument, Option

from gelu_cli.cli import options
from gelu_cli.output.writer import Output

COLUMNS = "Columns"


def check(
    values: Annotated[
        list[str] | None,
        Argument(metavar="X=Y|FILE", show_default=False, help="Numbers 2=1.9545, or a file."),
    ] = None,
    form: Annotated[
        str | None,
        Option(
            "--form",
            metavar="F",
            autocompletion=options.form_names,
            help="What the numbers should be, if no column says it. Default: exact.",
        ),
    ] = None,
    quantity: Annotated[
        str | None, Option("--quantity", metavar="Q", help="The same. Default: value.")
    ] = None,
    wrong: Annotated[
        bool, Option("--wrong", help="Print only the numbers that are wrong.")
    ] = False,
    rename: Annotated[
        list[str],
        Option(
            "--rename",
            metavar="NAME=F",
            rich_help_panel=COLUMNS,
            help="What a column holds: F, F_gradient, F_gate, …",
        ),
    ] = [],
    ignore: Annotated[
        list[str],
        Option("--ignore", metavar="NAME", rich_help_panel=COLUMNS, help="Leave out a column."),
    ] = [],
    input: options.Input = None,
    column: options.Column = None,
    format: options.Format = None,
    output: options.File = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Printed numbers or results of a kernel: which are wrong, and by how much.

    ```
    gelu check 2=1.9545 -1=-0.1587
    gelu check published.csv --wrong
    ```
    """
    from gelu_cli.api.check import check
    from gelu_cli.inputs.pairs import words_or_file

    out = Output(format, output, digits, quiet)
    given = words_or_file(values, input)
    asked = {"column": column, "rename": rename, "ignore": ignore}
    wanted = None if digits is None else out.digits
    out.write(check(given, form=form, quantity=quantity, wrong=wrong, digits=wanted, **asked))
