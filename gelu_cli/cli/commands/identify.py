"""`gelu identify`: forms, routines and parameters that explain values."""

from typing import Annotated

from typer import Argument

from gelu_cli.cli import options
from gelu_cli.cli.options import Text, Texts, option, words
from gelu_cli.output.streams import progress
from gelu_cli.output.writer import Output

VALUES = "Printed values, such as 2=1.9546; or one FILE (- is stdin)."
QUANTITY = "value or gradient. Default: that of the heading, else value."
DTYPE = "The values are results of a kernel in this format, not printed numbers."


def identify(
    values: Annotated[Texts, Argument(metavar="X=Y", show_default=False, help=VALUES)] = None,
    quantity: Annotated[
        Text, option("--quantity", "Q", QUANTITY, words("value", "gradient"))
    ] = None,
    dtype: Annotated[Text, option("--dtype", "FORMAT", DTYPE, options.format_names)] = None,
    input: options.Input = None,
    column: options.Column = None,
    format: options.Format = None,
    output: options.File = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Forms, routines and parameters that explain values, the best first.

    Every form, routine and known mistake is tried; 1.9546 means all reals that round to 1.9546. A
    parameter is given as the interval that the digits allow. If exact or tanh is best, a note names
    an x at which the two differ; else an x at which the best and the next form differ.

    ```
    gelu identify 2=1.9546
    gelu identify 1=0.8548 -1=-0.1452 2=1.9439
    gelu identify -2.1213150=-0.0359511785 --dtype float32
    gelu identify published.csv
    ```
    """
    out = Output(format, output, digits, quiet)

    from gelu_cli.api.identify import identify
    from gelu_cli.inputs.point_lists import words_or_file

    given = words_or_file(values, input, "no values; write X=Y, e.g. 2=1.9546, or --input FILE")
    with progress(quiet):
        found = identify(given, quantity, dtype=dtype, column=column, digits=out.digits)
    out.write(found)
