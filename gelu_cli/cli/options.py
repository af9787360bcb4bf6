"""Arguments and options that commands share, each an annotated type.

Every value is a string here: the function that a command calls parses it, and takes numbers and
arrays from Python as well.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import Annotated, Any, TypeAlias

from typer import Argument, Option

from gelu_cli.output.tables import RENDERERS, SUFFIXES
from gelu_cli.output.writer import PICTURES

# Threads of linear algebra would only wait for one another: sweeps keep each core busy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

POINTS, OUTPUT = "Points", "Output"
Text: TypeAlias = str | None
Texts: TypeAlias = list[str] | None


def completer(list_names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Make a function that completes the last name of a list with commas."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + name for name in list_names() if name.startswith(last)]

    return complete


def words(*names: str) -> Callable[[str], list[str]]:
    """Make a function that completes one of these names."""
    return completer(lambda: names)


def view(*names: str, help: str = "") -> Any:
    """Make the option --view of a command; the first name is the default."""
    return Option(
        "--view",
        metavar="VIEW",
        rich_help_panel=OUTPUT,
        autocompletion=words(*names, "all"),
        help=help or f"{', '.join(names)}, or all (not in CSV).",
    )


def asked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Copy the arguments of a command without those on output."""
    of_output = ("view", "format", "output", "digits", "quiet")
    return {name: value for name, value in given.items() if name not in of_output}


def _imported(module: str, attribute: str) -> list[str]:
    """Import a module, and list the names that an attribute of it holds."""
    known = getattr(import_module(module), attribute)
    return list(known() if callable(known) else known)


def make_option(
    panel: str | None,
    name: str,
    metavar: str | None = None,
    help: str = "",
    complete: Callable[[str], list[str]] | None = None,
    short: str | None = None,
) -> Any:
    """Make an option of a panel of --help."""
    how: Any = {"metavar": metavar, "help": help, "rich_help_panel": panel}
    return Option(*filter(None, (name, short)), **how, autocompletion=complete)


option = partial(make_option, None)
of_points = partial(make_option, POINTS)
of_kernels = partial(make_option, "Kernel")
of_inputs = partial(make_option, "Inputs")
of_pairs = partial(make_option, "Two inputs")
of_bounds = partial(make_option, "Bounds")
of_output = partial(make_option, OUTPUT)

form_names = completer(lambda: _imported("gelu_cli.formulas", "all_forms"))
format_names = completer(lambda: _imported("gelu_cli.numbers", "FORMATS"))
routine_names = completer(lambda: _imported("gelu_cli.kernels", "ROUTINES"))


Points = Annotated[
    Texts,
    Argument(
        metavar="X",
        show_default=False,
        help="Numbers (-3 .5 1/3 2^-126 0x1p-3 inf), ranges (-4:4:0.5, 0:1:/100), or - for stdin.",
    ),
]
Input = Annotated[
    Text,
    of_points("--input", "FILE", "Read x from text, CSV, TSV, Markdown, JSON or .npy; - is stdin."),
]
Column = Annotated[Text, of_points("--column", "NAME", "Column of x, if not 'x'.")]
FORMS = "Forms, with parameters as in tanh:c=0.044; gelu forms lists them."
Forms = Annotated[list[str], option("--form", "F,...", FORMS, form_names)]
Target = Annotated[str, option("--target", "F", "Form that errors are taken from.", form_names)]
Mean = Annotated[str, option("--mean", "M", "Mean of the inputs X ~ N(M, S²).")]
Sigma = Annotated[str, option("--sigma", "S", "Standard deviation of the inputs X ~ N(M, S²).")]
Interval = Annotated[str, option("--range", "A:B", "Interval of x; -inf:inf is the real axis.")]

*FIRST, LAST = RENDERERS
RENDERED = f"{', '.join(FIRST)} or {LAST}. Default:"
TO_STDOUT = "table on a terminal, csv in a pipe."
FORMAT = f"{RENDERED} the suffix of FILE; {TO_STDOUT}"
FILE = f"Write FILE ({' '.join(SUFFIXES)}), whole or not at all."
PICTURE = f"Write FILE ({' '.join(SUFFIXES)}; a picture: {' '.join(PICTURES)})."
DIGITS = "Significant digits, each right. Default: 6 for people, else the shortest float64."
formats = words(*RENDERERS)
Format = Annotated[Text, of_output("--format", "FORMAT", FORMAT, formats, "-f")]
File = Annotated[Text, of_output("--output", "FILE", FILE, None, "-o")]
PictureFile = Annotated[Text, of_output("--output", "FILE", PICTURE, None, "-o")]
Digits = Annotated[Text, of_output("--digits", "N", DIGITS, None, "-d")]
Quiet = Annotated[
    bool,
    Option("--quiet", "-q", rich_help_panel=OUTPUT, help="No notes and no progress on stderr."),
]

# Options of sweep, compare and check

Kernels = Annotated[
    Texts,
    Argument(
        metavar="KERNEL",
        show_default=False,
        autocompletion=routine_names,
        help="A routine (erf_sum, erfc, …), torch.nn.functional:gelu, mykernel.py:gelu, "
        "./libkernel.so:gelu; settings follow, as in tanh_sum:compute=float32.",
    ),
]
Form = Annotated[
    str, option("--form", "F", "Form of the results; auto is the nearest one.", form_names)
]
Quantity = Annotated[
    Text,
    option(
        "--quantity",
        "Q",
        "value or gradient (default with --backward or --up); with --glu value, gate_gradient or "
        "up_gradient. Default: value.",
    ),
]
Dtype = Annotated[
    str,
    option(
        "--dtype",
        "FORMAT",
        "Of x and results: float32, float64, float16, bfloat16, float8_e4m3fn, float8_e5m2.",
        format_names,
    ),
]
Result = Annotated[
    Text, option("--result", "FORMAT", "Format of results, if not that of x.", format_names)
]
Exec = Annotated[
    Texts, of_kernels("--exec", "COMMAND", "Program: raw numbers in, raw results out.")
]
Compute = Annotated[
    Text, of_kernels("--compute", "FORMAT", "Format that routines compute in.", format_names)
]
Backend = Annotated[
    Text,
    of_kernels("--backend", "numpy|torch|jax", "Array library. Default: the function's own."),
]
Device = Annotated[Text, of_kernels("--device", "DEVICE", "Where arrays are: cpu, cuda:1, mps.")]
Kwarg = Annotated[Texts, of_kernels("--kwarg", "NAME=VALUE", "Argument of Python functions.")]
Signature = Annotated[
    Text,
    of_kernels("--signature", "array|scalar", "void f(const T *x, T *y, size_t n), or T f(T x)."),
]
Timeout = Annotated[Text, of_kernels("--timeout", "S", "Seconds that a call may take.")]
Jobs = Annotated[Text, of_kernels("--jobs", "N", "Number of processes. Default: each core.")]

Range = Annotated[str, of_inputs("--range", "A:B", "Interval of inputs.")]
All = Annotated[
    bool, of_inputs("--all", help="Each float32; formats of 8 and 16 bits are always swept whole.")
]
Samples = Annotated[Text, of_inputs("--samples", "N", "Number of inputs. Default: 1000000.")]
Seed = Annotated[Text, of_inputs("--seed", "K", "Seed of the sample. Default: 0.")]

Glu = Annotated[
    bool, of_pairs("--glu", help="The kernel takes (gate, up) and returns F(gate)·up; F is --form.")
]
Packed = Annotated[
    Text,
    of_pairs("--packed", "halves|interleaved", "One array has both: gates, then ups; or in turns."),
]
UpFirst = Annotated[bool, of_pairs("--up-first", help="The kernel takes (up, gate).")]
Backward = Annotated[
    bool, of_pairs("--backward", help="The kernel takes (upstream, x), or (upstream, gate, up).")
]
Up = Annotated[
    Texts,
    of_pairs("--up", "U,…", "Ups, or upstream gradients; or all. Default: 64 ups; upstream 1."),
]
GateLimit = Annotated[Text, of_pairs("--gate-limit", "L", "Gates above L are L.")]
UpLimit = Annotated[Text, of_pairs("--up-limit", "L", "Ups are clamped to −L … L.")]
UpOffset = Annotated[Text, of_pairs("--up-offset", "B", "B is added to clamped ups.")]
Intermediate = Annotated[
    Text, of_pairs("--intermediate", "FORMAT", "Format F(gate) is rounded to.", format_names)
]

MaxUlp = Annotated[
    Text,
    of_bounds(
        "--max-ulp", "U", "Exit code 1 if an error exceeds U ULP, or a NaN, ∞ or sign is wrong."
    ),
]
MaxAbs = Annotated[Text, of_bounds("--max-abs", "E", "Largest absolute error (exit code 1).")]
MaxRel = Annotated[Text, of_bounds("--max-rel", "E", "Largest relative error (exit code 1).")]
Baseline = Annotated[
    Text, of_bounds("--baseline", "RECORD.json", "Exit code 1 if worse than this record.")
]
Ftz = Annotated[
    bool, of_bounds("--ftz", help="Accept subnormal inputs and results that are flushed to 0.")
]
Rtol = Annotated[Text, of_bounds("--rtol", "R", "Relative tolerance in --view criteria.")]
Atol = Annotated[Text, of_bounds("--atol", "A", "Absolute tolerance in --view criteria.")]
Worst = Annotated[str, of_bounds("--worst", "N", "Number of inputs in --view worst.")]
