"""The options that sweep, compare and check share."""

from __future__ import annotations

import os
from functools import partial
from typing import Annotated

from typer import Argument, Option

from gelu_cli.cli import options

# Threads of linear algebra would only wait for one another: the inputs keep each core busy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

formats = partial(Option, metavar="FORMAT", autocompletion=options.format_names)
of_kernels = partial(Option, rich_help_panel="Kernel")
of_inputs = partial(Option, rich_help_panel=options.INPUTS)
of_pairs = partial(Option, rich_help_panel="Two inputs")
of_bounds = partial(Option, rich_help_panel="Bounds")

Kernels = Annotated[
    list[str] | None,
    Argument(
        metavar="KERNEL",
        show_default=False,
        autocompletion=options.routine_names,
        help="Routines (erf_sum, erfc, …), torch.nn.functional:gelu, mykernel.py:gelu, "
        "./libkernel.so:gelu; settings follow, as in tanh_sum:compute=float32.",
    ),
]
Exec = Annotated[
    list[str] | None,
    of_kernels(
        "--exec", metavar="COMMAND", help="Program that reads raw numbers and writes raw results."
    ),
]
Dtype = Annotated[
    str,
    formats(
        "--dtype",
        help="Format of x and results: float32, float64, float16, bfloat16, float8_e4m3fn or "
        "float8_e5m2.",
    ),
]
Result = Annotated[str | None, formats("--result", help="Format of results, if not that of x.")]
Form = Annotated[
    str,
    Option(
        "--form",
        metavar="F",
        autocompletion=options.form_names,
        help="Form that results should have; auto is the one that they are nearest to.",
    ),
]
Quantity = Annotated[
    str | None,
    Option(
        "--quantity",
        metavar="Q",
        autocompletion=options.words("value", "gradient", "gate_gradient", "up_gradient"),
        help="value or gradient; with --glu also gate_gradient or up_gradient. Default: value; "
        "gradient with --backward or --up.",
    ),
]
Compute = Annotated[
    str | None,
    formats("--compute", rich_help_panel="Kernel", help="Format that routines compute in."),
]
Backend = Annotated[
    str | None,
    of_kernels(
        "--backend",
        metavar="LIBRARY",
        autocompletion=options.words("numpy", "torch", "jax"),
        help="Library of the arrays: numpy, torch or jax. Default: the function's own.",
    ),
]
Device = Annotated[
    str | None,
    of_kernels("--device", metavar="DEVICE", help="Where arrays are: cpu, cuda, cuda:1, mps."),
]
Kwarg = Annotated[
    list[str] | None,
    of_kernels(
        "--kwarg",
        metavar="NAME=VALUE",
        help="Argument of functions: true, false, none, a number, or a text.",
    ),
]
Signature = Annotated[
    str | None,
    of_kernels(
        "--signature",
        metavar="array|scalar",
        autocompletion=options.words("array", "scalar"),
        help="Of C functions: void f(const T *x, T *y, size_t n), or T f(T x). Default: array.",
    ),
]
Timeout = Annotated[
    str | None, of_kernels("--timeout", metavar="S", help="Seconds that a call may take.")
]
Jobs = Annotated[
    str | None, of_kernels("--jobs", metavar="N", help="Number of processes. Default: each core.")
]
Range = Annotated[str, of_inputs("--range", metavar="A:B", help="Interval of inputs.")]
All = Annotated[
    bool, of_inputs("--all", help="Each float32; formats of 8 and 16 bits are always swept whole.")
]
Samples = Annotated[
    str | None,
    of_inputs("--samples", metavar="N", help="Number of float32s or float64s. Default: 1000000."),
]
Seed = Annotated[str | None, of_inputs("--seed", metavar="K", help="Of the sample. Default: 0.")]
Glu = Annotated[
    bool, of_pairs("--glu", help="The kernel takes (gate, up) and returns F(gate)·up; F is --form.")
]
Packed = Annotated[
    str | None,
    of_pairs(
        "--packed",
        metavar="LAYOUT",
        autocompletion=options.words("halves", "interleaved"),
        help="One array has both: halves (gates, then ups) or interleaved.",
    ),
]
UpFirst = Annotated[bool, of_pairs("--up-first", help="The kernel takes (up, gate).")]
Backward = Annotated[
    bool,
    of_pairs(
        "--backward",
        help="The kernel takes (upstream, x) and returns dx; with --glu both gradients.",
    ),
]
Up = Annotated[
    list[str] | None,
    of_pairs(
        "--up",
        metavar="U,…",
        help="Ups of a GLU, or upstream gradients; all is each number of an 8- or 16-bit format. "
        "Default: 64 ups of all sizes; upstream 1.",
    ),
]
GateLimit = Annotated[
    str | None, of_pairs("--gate-limit", metavar="L", help="Gates above L are L.")
]
UpLimit = Annotated[
    str | None, of_pairs("--up-limit", metavar="L", help="Ups are clamped to −L … L.")
]
UpOffset = Annotated[
    str | None, of_pairs("--up-offset", metavar="B", help="B is added to clamped ups.")
]
Intermediate = Annotated[
    str | None,
    formats(
        "--intermediate",
        rich_help_panel="Two inputs",
        help="F(gate) is rounded to this format before the product.",
    ),
]
Ftz = Annotated[
    bool, of_bounds("--ftz", help="Accept subnormal inputs and results that are flushed to 0.")
]
MaxUlp = Annotated[
    str | None,
    of_bounds(
        "--max-ulp",
        metavar="U",
        help="Exit code 1 if an error exceeds U ULP, or a NaN, infinity or sign is wrong.",
    ),
]
MaxAbs = Annotated[
    str | None, of_bounds("--max-abs", metavar="E", help="The same of absolute errors.")
]
MaxRel = Annotated[
    str | None, of_bounds("--max-rel", metavar="E", help="The same of relative errors.")
]
Baseline = Annotated[
    str | None,
    of_bounds(
        "--baseline",
        metavar="RECORD.json",
        help="Exit code 1 if an error or a count is worse than in this record.",
    ),
]
Rtol = Annotated[
    str | None, of_bounds("--rtol", metavar="R", help="Relative tolerance in --view criteria.")
]
Atol = Annotated[
    str | None, of_bounds("--atol", metavar="A", help="Absolute tolerance in --view criteria.")
]
Worst = Annotated[str, of_bounds("--worst", metavar="N", help="Number of inputs in --view worst.")]
View = Annotated[
    str | None,
    Option(
        "--view",
        metavar="VIEW",
        rich_help_panel=options.OUTPUT,
        autocompletion=options.words(
            "summary", "regions", "worst", "profile", "criteria", "plot", "all"
        ),
        help="summary, regions, worst, profile, criteria, plot, or all (not in CSV).",
    ),
]
