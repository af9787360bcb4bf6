"""The options that sweep, compare and check share."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeAlias

from typer import Argument, Option

from gelu_cli.cli import options

# Threads of linear algebra would only wait for one another: the inputs keep each core busy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _option(
    panel: str | None,
    name: str,
    metavar: str | None = None,
    help: str = "",
    complete: Callable[[str], list[str]] | None = None,
) -> Any:
    """Make an option of a panel."""
    return Option(name, metavar=metavar, help=help, autocompletion=complete, rich_help_panel=panel)


formats = partial(Option, metavar="FORMAT", autocompletion=options.format_names)
of_results = partial(_option, None)
of_kernels = partial(_option, "Kernel")
of_inputs = partial(_option, options.INPUTS)
of_pairs = partial(_option, "Two inputs")
of_bounds = partial(_option, "Bounds")
VIEWS = ("summary", "regions", "worst", "profile", "criteria", "plot")
Text: TypeAlias = str | None
Texts: TypeAlias = list[str] | None

Kernels = Annotated[
    Texts,
    Argument(
        metavar="KERNEL",
        show_default=False,
        autocompletion=options.routine_names,
        help="A routine (erf_sum, erfc, …), torch.nn.functional:gelu, mykernel.py:gelu, "
        "./libkernel.so:gelu; settings follow, as in tanh_sum:compute=float32.",
    ),
]
Form = Annotated[
    str,
    of_results("--form", "F", "Form of the results; auto is the nearest one.", options.form_names),
]
Quantity = Annotated[
    Text,
    of_results(
        "--quantity",
        "Q",
        "value or gradient (default with --backward or --up); with --glu value, gate_gradient or "
        "up_gradient. Default: value.",
    ),
]
Dtype = Annotated[
    str,
    formats(
        "--dtype",
        help="Of x and results: float32, float64, float16, bfloat16, float8_e4m3fn, float8_e5m2.",
    ),
]
Result = Annotated[Text, formats("--result", help="Format of results, if not that of x.")]
Exec = Annotated[
    Texts, of_kernels("--exec", "COMMAND", "Program: raw numbers in, raw results out.")
]
Compute = Annotated[
    Text,
    of_kernels("--compute", "FORMAT", "Format that routines compute in.", options.format_names),
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
    Text,
    of_pairs("--intermediate", "FORMAT", "Format F(gate) is rounded to.", options.format_names),
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
