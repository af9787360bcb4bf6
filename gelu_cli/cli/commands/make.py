"""`gelu make`: a kernel with a proof of its errors."""

from typing import Annotated

from typer import Argument, Option

from gelu_cli.cli import options
from gelu_cli.errors import UsageError
from gelu_cli.output.streams import opened, progress, say
from gelu_cli.output.writer import Output

VIEWS = ("summary", "tried")
FORMAT = f"{options.RENDERED} {options.TO_STDOUT}"
DTYPE = "bfloat16 (default), float16, float32, float8_e4m3fn or float8_e5m2."
QUANTITY = "What the kernel returns: value (default) or gradient."
LANGUAGE = "c, cuda, triton or numpy. Default: by the suffix of FILE, else c."
MAX_ULP = "Largest error in ULP. Default: 0.5 (correctly rounded); float32: 0.501."
CHECK = "File that gelu make wrote, to be proved again."
JOBS = "Processes that measure float32 kernels. Default: one per core."
QUANTITIES = options.words("value", "gradient")
LANGUAGES = options.words("c", "cuda", "triton", "numpy")


def make(
    form: Annotated[
        str | None,
        Argument(
            metavar="FORM",
            show_default=False,
            autocompletion=options.words("exact", "tanh", "sigmoid", "silu"),
            help="exact, or a logistic form such as sigmoid:beta=1.6. Default: exact.",
        ),
    ] = None,
    dtype: Annotated[
        options.Text, options.option("--dtype", "FORMAT", DTYPE, options.format_names)
    ] = None,
    quantity: Annotated[
        options.Text, options.option("--quantity", "Q", QUANTITY, QUANTITIES)
    ] = None,
    language: Annotated[
        options.Text, options.option("--language", "LANGUAGE", LANGUAGE, LANGUAGES)
    ] = None,
    max_ulp: Annotated[options.Text, options.option("--max-ulp", "U", MAX_ULP)] = None,
    check: Annotated[options.Text, options.option("--check", "FILE", CHECK)] = None,
    jobs: Annotated[options.Text, options.option("--jobs", "N", JOBS)] = None,
    view: Annotated[str | None, options.view(*VIEWS)] = None,
    format: Annotated[
        str | None, options.of_output("--format", "FORMAT", FORMAT, options.formats, "-f")
    ] = None,
    output: Annotated[
        str | None,
        Option(
            "--output",
            "-o",
            metavar="FILE",
            rich_help_panel=options.OUTPUT,
            help="Write the kernel to FILE (.h .c .cu .cuh; .py with --language).",
        ),
    ] = None,
    digits: options.Digits = None,
    quiet: options.Quiet = False,
) -> None:
    """Make a kernel, and prove its errors at every input.

    The exit code is 1 if no kernel keeps --max-ulp; nothing is written then. With --check it is 1
    if an error exceeds the bound, or the results are not those that the file's header names.

    ```
    gelu make -o gelu_bf16.h
    gelu make tanh --dtype float16 --quantity gradient -o dgelu.cuh
    gelu make silu --language triton -o silu.py
    gelu make --check gelu_bf16.h
    ```
    """
    asked = options.asked(locals())
    out = Output(format, None, digits, quiet, view, VIEWS)
    if check is not None and output is not None:
        raise UsageError("--check writes no kernel; remove -o")

    from gelu_cli.api.make import language_of, make

    asked["language"] = language_of(output, language)
    with progress(quiet) as watch:
        made = make(**asked, digits=out.digits, watch=watch)
    if output is not None and not made.answer.failures:
        with opened(output) as file:
            file.write(made.source)
        if not quiet:
            say(f"{made.answer.found}; written to {output}")
    out.write(made)
