"""`gelu check`: printed numbers or kernels' results against exact values."""

from functools import partial
from typing import Annotated

from typer import Argument, Option

from gelu_cli.cli import options
from gelu_cli.cli.commands.sweep import VIEWS
from gelu_cli.cli.options import Text, Texts
from gelu_cli.output.writer import Output

of_columns = partial(options.make_option, "Columns")
of_files = partial(options.make_option, "Results in a format")
VALUES = "Printed numbers, 2=1.9545; or a FILE: numbers, results of a kernel, or a record."
QUANTITY = "Quantity of the form: value, gradient, … Default: value."
FORM = "Form if no heading names one. Default: exact. auto, with --dtype: the nearest form."
RENAME = "Meaning of a column NAME: F, F_gradient, F_gate, … of a form F."
DTYPE = "Format of x and of results: float32, float64, float16, bfloat16, …"
INPUTS = "File of x, raw or .npy, if FILE holds only results."
ALL = "FILE holds only results, one for each bit pattern of 16 or 8 bits."


def check(
    values: Annotated[Texts, Argument(metavar="X=Y|FILE", show_default=False, help=VALUES)] = None,
    form: Annotated[Text, options.option("--form", "F", FORM, options.form_names)] = None,
    quantity: Annotated[Text, options.option("--quantity", "Q", QUANTITY)] = None,
    wrong: Annotated[bool, Option("--wrong", help="Print only the wrong numbers.")] = False,
    rename: Annotated[Texts, of_columns("--rename", "NAME=F_gradient", RENAME)] = None,
    ignore: Annotated[Texts, of_columns("--ignore", "NAME", "Column to ignore.")] = None,
    input: options.Input = None,
    column: options.Column = None,
    dtype: Annotated[Text, of_files("--dtype", "FORMAT", DTYPE, options.format_names)] = None,
    result: options.Result = None,
    inputs: Annotated[Text, of_files("--inputs", "FILE", INPUTS)] = None,
    all: Annotated[bool, of_files("--all", help=ALL)] = False,
    glu: options.Glu = False,
    packed: options.Packed = None,
    gate_limit: options.GateLimit = None,
    up_limit: options.UpLimit = None,
    up_offset: options.UpOffset = None,
    intermediate: options.Intermediate = None,
    mean: Annotated[Text, options.of_bounds("--mean", "M", "Mean of inputs X ~ N(M, S²).")] = None,
    sigma: Annotated[Text, options.of_bounds("--sigma", "S", "Standard deviation of X.")] = None,
    ftz: options.Ftz = False,
    worst: Annotated[Text, options.of_bounds("--worst", "N", "Rows in --view worst.")] = None,
    rtol: options.Rtol = None,
    atol: options.Atol = None,
    max_ulp: options.MaxUlp = None,
    max_abs: options.MaxAbs = None,
    max_rel: options.MaxRel = None,
    baseline: options.Baseline = None,
    view: Annotated[str | None, options.view(*VIEWS)] = None,
    format: options.Format = None,
    output: options.PictureFile = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Printed numbers, or results of a kernel, against the exact values.

    A printed number is right if the exact value rounds to it. With --dtype the numbers are results
    of a kernel, whose errors are measured in ULP as by gelu sweep.

    ```
    gelu check 2=1.9545 -1=-0.1587
    gelu check published.csv --wrong
    gelu check kernel.csv --dtype bfloat16 --max-ulp 1
    gelu check results.bin --inputs x.bin --dtype float32
    gelu check record.json --max-ulp 2
    ```
    """
    asked = options.asked(locals())
    del asked["values"], asked["input"]
    out = Output(format, output, digits, quiet, view, VIEWS, draws=True)

    from gelu_cli.api.check import check
    from gelu_cli.api.records import is_record
    from gelu_cli.inputs.point_lists import read_file, words_or_file

    given = words_or_file(values, input, "no values; write X=Y, e.g. 2=1.9546, or --input FILE")
    file = read_file(given)
    decimals = not (digits or dtype or (file and is_record(file)))  # as printed
    out.write(check(file or given, **asked, digits=None if decimals else out.digits))
