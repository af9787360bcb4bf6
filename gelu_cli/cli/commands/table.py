"""`gelu table`: values and gradients at chosen points."""

from typing import Annotated

from typer import Option

from gelu_cli.cli import options
from gelu_cli.cli.options import Text, option
from gelu_cli.errors import UsageError
from gelu_cli.output.writer import Output

QUANTITIES = [
    "value",
    "gradient",
    "curvature",
    "gate",
    "complement",
    "gate_gradient",
    "mask_variance",
    "all",
]
HELP = f"{', '.join(QUANTITIES[:-1])}, or all."
DTYPE = "Round x and results to float64, float32, float16, bfloat16, float8_e4m3fn or float8_e5m2."
ALL = "Take as x each finite number of --dtype, a format of 16 or 8 bits."


def table(
    x: options.Points = None,
    form: options.Forms = ["exact", "tanh", "sigmoid"],
    quantity: Annotated[
        list[str], option("--quantity", "Q,...", HELP, options.words(*QUANTITIES))
    ] = ["value", "gradient"],
    dtype: Annotated[Text, option("--dtype", "FORMAT", DTYPE, options.format_names)] = None,
    bits: Annotated[bool, Option("--bits", help="Add the bit pattern of each number.")] = False,
    every: Annotated[bool, Option("--all", rich_help_panel=options.POINTS, help=ALL)] = False,
    input: options.Input = None,
    column: options.Column = None,
    format: options.Format = None,
    output: options.File = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Values and gradients at chosen points, each correctly rounded.

    ```
    gelu table -3 -1 0 0.5 1 3
    gelu table -4:4:0.5 --form exact,relu --quantity value,curvature
    gelu table 0.1 --digits 50
    gelu table --dtype bfloat16 --all --bits --form exact -o golden.csv
    ```
    """
    out = Output(format, output, digits, quiet)

    from gelu_cli.api.table import table  # late: numpy and Arb are slow to import
    from gelu_cli.inputs.point_lists import every_number, keeps_typed, read_points

    typed = dtype is not None or keeps_typed(out.digits)
    if every and (x or input or column):
        raise UsageError("--all takes each number of --dtype; remove X, --input and --column")
    points = every_number(dtype) if every else read_points(x, input, column, typed)
    out.write(table(points, form, quantity, dtype=dtype, bits=bits, digits=out.digits))
