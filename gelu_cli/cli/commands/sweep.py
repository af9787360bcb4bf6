"""`gelu sweep`: the floating-point error of routines, or of the user's own function."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from gelu_cli.cli import choices, options
from gelu_cli.cli.parser import SETTINGS, NumberCommand

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.forms import Form
    from gelu_cli.kernels.implementations import Implementation
    from gelu_cli.kernels.inputs import Inputs
    from gelu_cli.kernels.verdict import Verdict

app = typer.Typer(**SETTINGS)


@app.command(cls=NumberCommand)
def sweep(
    routine: Annotated[
        list[str] | None,
        typer.Option(
            metavar="R",
            autocompletion=choices.routines,
            help="Routine, may be repeated: {routines}. Default: all.",
        ),
    ] = None,
    impl: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:CALLABLE",
            help="Your own function instead, e.g. torch.nn.functional:gelu or mykernel.py:gelu.",
        ),
    ] = None,
    kwarg: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An argument for --impl, may be repeated."),
    ] = None,
    backend: Annotated[
        str | None,
        typer.Option(
            metavar="LIBRARY",
            autocompletion=choices.backends,
            help="Whose arrays --impl takes: {backends}. Default: by where it comes from.",
        ),
    ] = None,
    dtype: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            autocompletion=choices.dtypes,
            help="The format of x and results: {dtypes}.",
        ),
    ] = "float32",
    compute: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            autocompletion=choices.dtypes,
            help="The format inside a routine; its results are rounded.",
        ),
    ] = None,
    target: Annotated[
        str,
        typer.Option(
            metavar="F",
            autocompletion=choices.targets,
            help="The form that results should be; self: the routine's own form.",
        ),
    ] = "exact",
    quantity: Annotated[
        str,
        typer.Option(
            metavar="QUANTITY", autocompletion=choices.results, help="What is computed: {results}."
        ),
    ] = "value",
    ends: Annotated[
        str, typer.Option("--range", metavar="A:B", help="Only inputs from A to B.")
    ] = "-inf:inf",
    every: Annotated[
        bool,
        typer.Option("--all", help="All float32s; 16- and 8-bit formats are always swept whole."),
    ] = False,
    samples: Annotated[
        str | None,
        typer.Option(metavar="N", help="Inputs of a float32 or float64 sample. Default: 1000000."),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="N", help="Seed of the sample. Default: 0.")
    ] = None,
    ftz: options.FtzOption = False,
    worst: options.WorstOption = None,
    max_ulp: options.MaxUlpOption = None,
    view: options.SweepViewOption = None,
    format_name: options.FormatOption = "auto",
    output: options.OutputOption = None,
    no_header: options.NoHeaderOption = False,
    digits: options.DigitsOption = None,
    quiet: options.QuietOption = False,
    jobs: options.JobsOption = None,
) -> None:
    """How accurate a GELU kernel is, in ULP, over every input.

    Each result is compared with the true value y of the target: |got − y|/ulp(y). A correctly
    rounded one has at most 0.5. 16- and 8-bit formats are swept whole, float32 too with --all;
    otherwise float32 and float64 are sampled, with all their edges, and figures are lower bounds.

    Examples:

      gelu sweep --routine erf_sum --dtype bfloat16

      gelu sweep --routine tanh_sum --target self --range -10:10 --view worst

      gelu sweep --impl mykernel.py:gelu --dtype bfloat16 --max-ulp 2

      gelu sweep --routine erfc --dtype bfloat16 --view plot

    --impl torch.nn.functional:gelu is PyTorch's; --all takes every float32, in half a minute or so.
    """
    # Blocks keep every core busy; threads of BLAS's own would only wait for one another.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from gelu_cli.arithmetic.formats import find_format
    from gelu_cli.cli.output.progress import Progress
    from gelu_cli.cli.output.verdicts import choose_destination, write_verdicts
    from gelu_cli.errors import UsageError
    from gelu_cli.kernels.sweep import sweep as judge

    destination = choose_destination(view, format_name, output, digits, no_header, quiet)
    number_format = find_format(dtype)
    if quantity not in ("value", "gradient"):
        raise UsageError(f"--quantity {quantity}: a sweep is of the value or the gradient")
    if impl is not None and (routine or compute):
        raise UsageError("--impl is judged alone: leave --routine and --compute out")
    if impl is None and (kwarg or backend):
        raise UsageError("--kwarg and --backend are for --impl MODULE:CALLABLE")
    wanted = _inputs(number_format, ends, every, samples, seed)
    shown = options.parse_worst(worst)
    limit = options.parse_limit(max_ulp)
    if impl is not None:
        own = _own(impl, kwarg or [], backend, quantity, number_format)
        judged = [(own, _target(target, None))]
    else:
        judged = list(_routines(routine, quantity, number_format, compute, target))

    from gelu_cli.kernels.truth import Question

    stdout = sys.stdout
    verdicts: list[Verdict] = []
    for implementation, form in judged:
        with Progress(implementation.name, quiet) as progress:
            verdict = judge(
                implementation,
                Question(form, quantity, number_format),
                wanted,
                jobs=options.parse_jobs(jobs),
                keep=shown,
                ftz=ftz,
                covered=progress,
            )
        verdicts.append(verdict)
        if not verdict.complete:
            break
    sys.stdout = stdout  # a function that an interrupt has left running has turned it away
    write_verdicts(verdicts, destination, view, shown, limit)


def _inputs(
    number_format: Format, ends: str, every: bool, samples: str | None, seed: str | None
) -> Inputs:
    from gelu_cli.errors import UsageError
    from gelu_cli.kernels.inputs import Inputs

    small = number_format.width <= 16
    if every and number_format.width == 64:
        raise UsageError("--all: float64 has 2^64 patterns; take --samples, or --dtype float32")
    for option, word in (("--samples", samples), ("--seed", seed)):
        if word is not None and (small or every):
            raise UsageError(f"{option}: every {number_format.name} is taken; leave it out")
    low, high = (float(end) for end in options.parse_ends(ends, exponent=308))
    if low > high:
        raise UsageError(f"--range '{ends}' must be A:B with A not above B")
    count = options.parse_whole("1e6" if samples is None else samples, "--samples", 1, 10**9)
    seeded = options.parse_whole("0" if seed is None else seed, "--seed", 0, 2**63)
    return Inputs(low, high, every or small, count, seeded)


def _target(word: str, own: str | None) -> Form:
    from gelu_cli.errors import UsageError

    if word != "self":
        return options.parse_target(word)
    if own is None:
        raise UsageError("--target self: name the form that --impl computes, e.g. --target tanh")
    return options.parse_form(own)


def _routines(
    names: Sequence[str] | None,
    quantity: str,
    number_format: Format,
    compute: str | None,
    target: str,
) -> Iterator[tuple[Implementation, Form]]:
    from gelu_cli.kernels.implementations import routine_implementation
    from gelu_cli.kernels.routines import ROUTINES, find_routine

    inside = options.parse_format(compute, "--compute") if compute is not None else None
    for name in dict.fromkeys(names or ROUTINES):
        routine = find_routine(name)
        implementation = routine_implementation(routine, quantity, number_format, inside)
        yield implementation, _target(target, routine.form)


def _own(
    word: str, settings: Sequence[str], backend: str | None, quantity: str, number_format: Format
) -> Implementation:
    from gelu_cli.cli.input.callables import load_callable
    from gelu_cli.kernels.backends import find_backend, guess_backend
    from gelu_cli.kernels.implementations import FunctionImplementation

    chosen = find_backend(backend) if backend is not None else None
    function = load_callable(word, settings)
    call = chosen or find_backend(guess_backend(function))
    return FunctionImplementation(word, function, call, quantity, number_format)
