"""Arguments and options that commands share, each an annotated type.

Values are strings, or bools for flags; API functions parse the strings.
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

# Sweeps run a process on each core; more threads, for linear algebra, would slow sweeps down.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

POINTS, OUTPUT = "Points", "Output"
Text: TypeAlias = str | None
Texts: TypeAlias = list[str] | None


def completer(list_names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Make a function that completes the last of names joined by commas."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + name for name in list_names() if name.startswith(last)]

    return complete


def words(*names: str) -> Callable[[str], list[str]]:
    """Make a function that completes one of these names."""
    return completer(lambda: names)


def view(*names: str, help: str = "") -> Any:
    """Make the option --view of a command; the first view is the default."""
    return Option(
        "--view",
        metavar="VIEW",
        rich_help_panel=OUTPUT,
        autocompletion=words(*names, "all"),
        help=help or f"{', '.join(names)}, or all (not in CSV).",
    )


def asked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a command without its output options."""
    of_output = ("view", "format", "output", "digits", "quiet")
    return {name: value for name, value in given.items() if name not in of_output}


def _imported(module: str, attribute: str) -> list[str]:
    """Import a module; list the names that an attribute holds or returns."""
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
    """Make an option, which --help lists in `panel`."""
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
Column = Annotated[Text, of_points("--column", "NAME", "Column that holds x. Default: x.")]
FORMS_HELP = "Forms, with parameters as in tanh:c=0.044; gelu forms lists them."
Forms = Annotated[list[str], option("--form", "F,...", FORMS_HELP, form_names)]
Target = Annotated[str, option("--target", "F", "Form from which errors are measured.", form_names)]
Mean = Annotated[str, option("--mean", "M", "Mean of the inputs X ~ N(M, S²).")]
Sigma = Annotated[str, option("--sigma", "S", "Standard deviation of the inputs X ~ N(M, S²).")]
Interval = Annotated[str, option("--range", "A:B", "Interval of x; -inf:inf is the real axis.")]

*FIRST, LAST = RENDERERS
RENDERED = f"{', '.join(FIRST)} or {LAST}. Default:"
TO_STDOUT = "table on a terminal, csv in a pipe."
FORMAT_HELP = f"{RENDERED} the suffix of FILE; {TO_STDOUT}"
FILE_HELP = f"Write FILE ({' '.join(SUFFIXES)}), whole or not at all."
PICTURE_HELP = f"Write FILE ({' '.join(SUFFIXES)}; a picture: {' '.join(PICTURES)})."
DIGITS_HELP = "Significant digits. Default: 6; in CSV and JSON the shortest float64."
formats = words(*RENDERERS)
Format = Annotated[Text, of_output("--format", "FORMAT", FORMAT_HELP, formats, "-f")]
File = Annotated[Text, of_output("--output", "FILE", FILE_HELP, None, "-o")]
PictureFile = Annotated[Text, of_output("--output", "FILE", PICTURE_HELP, None, "-o")]
Digits = Annotated[Text, of_output("--digits", "N", DIGITS_HELP, None, "-d")]
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
    str, option("--form", "F", "Expected form; auto is the form nearest to results.", form_names)
]
Quantity = Annotated[
    Text,
    option(
        "--quantity",
        "Q",
        "value or gradient; of a GLU: value, gate_gradient or up_gradient. Default: value; with "
        "--backward gradient (gate_gradient of a GLU); with --up, no GLU: gradient.",
    ),
]
Dtype = Annotated[
    str,
    option(
        "--dtype",
        "FORMAT",
        "Format of x and results: float32, float64, float16, bfloat16, float8_e4m3fn, float8_e5m2.",
        format_names,
    ),
]
Result = Annotated[
    Text, option("--result", "FORMAT", "Format of results. Default: that of x.", format_names)
]
Exec = Annotated[
    Texts, of_kernels("--exec", "COMMAND", "Program: raw x on stdin, raw results on stdout.")
]
Compute = Annotated[
    Text, of_kernels("--compute", "FORMAT", "Format of the operations of routines.", format_names)
]
Backend = Annotated[
    Text,
    of_kernels("--backend", "numpy|torch|jax", "Array library. Default: the function's own."),
]
Device = Annotated[Text, of_kernels("--device", "DEVICE", "Device of arrays: cpu, cuda:1, mps.")]
Kwarg = Annotated[Texts, of_kernels("--kwarg", "NAME=VALUE", "Argument of a Python function.")]
Signature = Annotated[
    Text,
    of_kernels("--signature", "array|scalar", "void f(const T *x, T *y, size_t n) or T f(T x)."),
]
Timeout = Annotated[Text, of_kernels("--timeout", "S", "Seconds that a call may take.")]
Jobs = Annotated[Text, of_kernels("--jobs", "N", "Processes. Default: one per core.")]

Range = Annotated[str, of_inputs("--range", "A:B", "Interval of inputs.")]
All = Annotated[
    bool, of_inputs("--all", help="Sweep every float32; 8 and 16 bits are swept whole anyway.")
]
Samples = Annotated[Text, of_inputs("--samples", "N", "Size of the sample. Default: 1000000.")]
Seed = Annotated[Text, of_inputs("--seed", "K", "Seed of the sample. Default: 0.")]

Glu = Annotated[
    bool, of_pairs("--glu", help="The kernel takes (gate, up) and returns F(gate)·up; F is --form.")
]
Packed = Annotated[
    Text,
    of_pairs("--packed", "halves|interleaved", "One array: gates, then ups; or gate, up, gate, …"),
]
UpFirst = Annotated[bool, of_pairs("--up-first", help="The kernel takes (up, gate).")]
Backward = Annotated[
    bool, of_pairs("--backward", help="The kernel takes (upstream, x), or (upstream, gate, up).")
]
UP_HELP = "Ups with --glu (default: 64; 8 bits: all), else upstream gradients (1); or all."
Up = Annotated[Texts, of_pairs("--up", "U,…", UP_HELP)]
GateLimit = Annotated[Text, of_pairs("--gate-limit", "L", "Gates above L become L.")]
UpLimit = Annotated[Text, of_pairs("--up-limit", "L", "Ups are clamped to [−L, L].")]
UpOffset = Annotated[Text, of_pairs("--up-offset", "B", "Number added to clamped ups.")]
Intermediate = Annotated[
    Text, of_pairs("--intermediate", "FORMAT", "Format to which F(gate) is rounded.", format_names)
]

MaxUlp = Annotated[
    Text,
    of_bounds(
        "--max-ulp", "U", "Exit code 1 if an error exceeds U ULP, or a NaN, ∞ or sign is wrong."
    ),
]
MaxAbs = Annotated[Text, of_bounds("--max-abs", "E", "Exit code 1 if an absolute error exceeds E.")]
MaxRel = Annotated[Text, of_bounds("--max-rel", "E", "Exit code 1 if a relative error exceeds E.")]
Baseline = Annotated[
    Text, of_bounds("--baseline", "RECORD.json", "Exit code 1 if an error exceeds the record's.")
]
Ftz = Annotated[
    bool, of_bounds("--ftz", help="Accept subnormal inputs and results that are flushed to 0.")
]
Rtol = Annotated[Text, of_bounds("--rtol", "R", "Relative tolerance in --view criteria.")]
Atol = Annotated[Text, of_bounds("--atol", "A", "Absolute tolerance in --view criteria.")]
Worst = Annotated[str, of_bounds("--worst", "N", "Number of inputs in --view worst.")]
