"""`gelu check`: printed numbers or kernel results against exact values."""

from functools import partial
from typing import Annotated

from typer import Argument, Option

from gelu_cli.cli import kernel_options as kernels
from gelu_cli.cli import options
from gelu_cli.output.writer import Output

of_columns = partial(Option, rich_help_panel="Columns")
FILES = "Results in a format"
of_files = partial(Option, rich_help_panel=FILES)
VALUES = "Printed numbers 2=1.9545, or a table of them, of results, or a record."
FORM = "Form if no column names it; auto, of results, is the nearest. Default: exact."
RENAME = "What a column holds: F, F_gradient, F_gate, … of a form F."
DTYPE = "Format of x and of results: float32, float64, float16, bfloat16, …"
INPUTS = "x of a results-only file: raw numbers or .npy."
ALL = "The file has a result for each bit pattern of a 16- or 8-bit format."


def check(
    values: Annotated[
        kernels.Texts, Argument(metavar="X=Y|FILE", show_default=False, help=VALUES)
    ] = None,
    form: Annotated[
        kernels.Text, kernels.of_results("--form", "F", FORM, options.form_names)
    ] = None,
    quantity: Annotated[
        kernels.Text, Option(metavar="Q", help="Of the form: value, gradient, … Default: value.")
    ] = None,
    wrong: Annotated[bool, Option("--wrong", help="Print the wrong numbers alone.")] = False,
    rename: Annotated[
        kernels.Texts, of_columns("--rename", metavar="NAME=F_gradient", help=RENAME)
    ] = None,
    ignore: Annotated[
        kernels.Texts, of_columns("--ignore", metavar="NAME", help="Column to ignore.")
    ] = None,
    input: options.Input = None,
    column: options.Column = None,
    dtype: Annotated[
        kernels.Text, kernels.formats("--dtype", rich_help_panel=FILES, help=DTYPE)
    ] = None,
    result: kernels.Result = None,
    inputs: Annotated[kernels.Text, of_files("--inputs", metavar="FILE", help=INPUTS)] = None,
    all: Annotated[bool, of_files("--all", help=ALL)] = False,
    glu: kernels.Glu = False,
    packed: kernels.Packed = None,
    gate_limit: kernels.GateLimit = None,
    up_limit: kernels.UpLimit = None,
    up_offset: kernels.UpOffset = None,
    intermediate: kernels.Intermediate = None,
    mean: Annotated[kernels.Text, kernels.of_bounds("--mean", "M", "Mean of x ~ N(M, S²).")] = None,
    sigma: Annotated[kernels.Text, kernels.of_bounds("--sigma", "S", "Deviation of x.")] = None,
    ftz: kernels.Ftz = False,
    worst: Annotated[
        kernels.Text, kernels.of_bounds("--worst", "N", "Inputs in --view worst.")
    ] = None,
    rtol: kernels.Rtol = None,
    atol: kernels.Atol = None,
    max_ulp: kernels.MaxUlp = None,
    max_abs: kernels.MaxAbs = None,
    max_rel: kernels.MaxRel = None,
    baseline: kernels.Baseline = None,
    view: Annotated[str | None, options.view(*kernels.VIEWS)] = None,
    format: options.Format = None,
    output: options.PictureFile = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Printed numbers, or results of a kernel, against the exact values.

    A printed number is right if it is the exact value, rounded to its last decimal. Results in a
    format, with --dtype, are measured in ULP, as by gelu sweep.

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
    out = Output(format, output, digits, quiet, view, kernels.VIEWS, draws=True)

    from gelu_cli.api.check import check
    from gelu_cli.api.records import is_record
    from gelu_cli.inputs.point_lists import read_file, words_or_file

    given = words_or_file(values, input, "no values; write X=Y, e.g. 2=1.9546, or --input FILE")
    file = read_file(given)
    decimals = not (digits or dtype or (file and is_record(file)))  # those of each printed number
    out.write(check(file or given, **asked, digits=None if decimals else out.digits))
