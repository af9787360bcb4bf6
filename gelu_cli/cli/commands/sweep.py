"""`gelu sweep`: the floating-point error of routines, or of the user's own function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from gelu_cli.cli import entries, leaving, options, sections
from gelu_cli.cli.input import words
from gelu_cli.cli.judging import Judging
from gelu_cli.cli.kernels import (
    COMPUTE,
    KERNELS,
    QUANTITY_OF_KERNELS,
    TARGET,
    KernelWords,
    kernels_of,
    quantity_of,
    refuse_what_is_for_others,
    upstream_of,
)
from gelu_cli.cli.selection import SELECTION, Selection, how_to_take_all, inputs_of
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.arithmetic.typed import Number
    from gelu_cli.cli.given import Given
    from gelu_cli.cli.input.numbers import Range
    from gelu_cli.forms import Form
    from gelu_cli.sweeping.implementations import Kernel
    from gelu_cli.sweeping.inputs import Inputs
    from gelu_cli.sweeping.observers import Observer
    from gelu_cli.sweeping.verdict import Verdict

SHAPES: Any = entries.flag(
    "--shapes",
    section=sections.INPUTS,
    help="Every input again in calls of other lengths, elsewhere in memory, in another order: "
    "does your own kernel return the same?",
)
AT: Any = entries.option(
    None,
    "--at",
    many=True,
    metavar="X",
    parser=words.parse_at,
    section=sections.INPUTS,
    help="No sweep: the results at these numbers or ranges, each inside a full block.",
)
OF_SWEEPS = (
    "--range", "--all", "--samples", "--seed", "--shapes", "--worst", "--criteria", "--view",
    "--jobs", "--budget", "--tighten",
)  # fmt: skip


def sweep(
    kernels: KernelWords = KERNELS,
    quantity: str | None = QUANTITY_OF_KERNELS,
    dtype: Format = options.dtype(
        "float32", "The format of x and, without --result, of results: {dtypes}."
    ),
    result: Format | None = options.RESULT,
    compute: Format | None = COMPUTE,
    selection: Selection = SELECTION,
    at: list[Number | Range] | None = AT,
    shapes: bool = SHAPES,
    jobs: int = options.jobs("Processes for a large sweep. Default: every core."),
    target: Form | str = TARGET,
    judging: Judging = options.JUDGING,
    view: str | None = leaving.SWEEP_VIEW,
    output: leaving.OutputWords = leaving.OUTPUT_WORDS,
    given: Given = options.GIVEN,
) -> None:
    """How accurate a GELU kernel is, in ULP, over every input.

    Each result is compared with the true value y of the target: |got − y|/ulp(y), in ULP, units in
    the last place: ulp(y) is the distance of the format's numbers around y. A correctly rounded
    result has at most 0.5. 16- and 8-bit formats are swept whole, float32 too with --all, and
    ranges with no more numbers than the sample; otherwise float32 and float64 are sampled, with all
    their edges and with neighbours of the worst inputs, and the largest errors are lower bounds.

    Examples:

      gelu sweep --routine erf_sum --dtype bfloat16

      gelu sweep --routine tanh_sum --target self --range -10:10 --view worst

      gelu sweep --routine erfc --dtype bfloat16 --view plot

      gelu sweep --impl mykernel.py:gelu --dtype bfloat16 --max-ulp 2

      gelu sweep --impl mykernel.py:gelu --dtype bfloat16 --range 1:2 --shapes

      gelu sweep --impl mykernel.py:gelu --dtype bfloat16 --at=-4.25,1

      gelu sweep --exec ./mykernel --dtype bfloat16

    --impl torch.nn.functional:gelu is PyTorch's, --impl ./libkernel.so:gelu is a function in C.
    --all takes every float32, in half a minute or so.
    """
    # Units keep every core busy; threads of BLAS's own would only wait for one another.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from gelu_cli.cli.input.budgets import read_budget
    from gelu_cli.cli.output.destinations import DocumentOutput, choose_destination
    from gelu_cli.cli.output.progress import with_targets
    from gelu_cli.cli.output.verdicts import sweep_answer, write_verdicts

    refuse_what_is_for_others(kernels, given)
    judged = quantity_of(quantity, given)
    rounded = upstream_of(kernels, dtype).notes

    def asked(guests: ExitStack) -> Iterator[Kernel]:
        return kernels_of(kernels, dtype, result or dtype, compute, target, judged, guests)

    if at is not None:
        _at(at, asked, dtype, judging, output, given, rounded)
        return
    destination = choose_destination(view, *output)
    leaving.refuse_other_views(given, destination, view)
    if kernels.impl is None and kernels.exec is None:
        given.refuse("--shapes", purpose="kernels of your own", remedy="add --impl or --exec")
    inputs = inputs_of(selection, dtype)
    budget = read_budget(judging.budget, judging.tighten, output.path)
    with ExitStack() as guests:
        swept = with_targets([*asked(guests)], inputs, quiet=output.quiet)
        if budget and not judging.tighten:
            from gelu_cli.budgets.figures import named

            budget.refuse_if_all_are_strangers([*map(named, swept)], inputs.low, inputs.high)
        whole = isinstance(destination, DocumentOutput)
        observers = _observers(swept, inputs, whole=whole, criteria=judging.criteria)
        verdicts = _verdicts(swept, inputs, judging, jobs, shapes, output.quiet, observers)
    for verdict in verdicts:
        verdict.notes += rounded
    answer = sweep_answer("sweep", verdicts, judging, given.names, how_to_take_all(dtype))
    write_verdicts(answer, destination, view, judging, output.quiet, budget)


def _at(
    points: Sequence[Number | Range],
    kernels: Callable[[ExitStack], Iterable[Kernel]],
    number_format: Format,
    judging: Judging,
    output: leaving.OutputWords,
    given: Given,
    upstream: Sequence[str],
) -> None:
    """Write the results of kernels at single inputs."""
    from gelu_cli.cli.input.grid import rounded
    from gelu_cli.cli.output.destinations import document_named, names_picture
    from gelu_cli.cli.output.progress import Progress
    from gelu_cli.cli.output.reports import choose_output
    from gelu_cli.cli.output.signals import before_the_end
    from gelu_cli.cli.output.verdicts import write_at
    from gelu_cli.sweeping.at import end_functions, results_at
    from gelu_cli.sweeping.nearest import with_nearest_forms

    given.refuse(*OF_SWEEPS, purpose="sweeps", remedy="leave --at out")
    if names_picture(output.format_name, output.path):
        raise UsageError("--at is a table: a picture is of a sweep, leave --at out")
    if document := document_named(output.format_name, output.path, ""):
        raise UsageError(f"--at is a table: {document} is of a sweep, leave --at out")
    destination = choose_output(*output)
    x, notes = rounded(points, number_format)
    with ExitStack() as guests, Progress(output.quiet):
        asked = [*kernels(guests)]
        guests.enter_context(before_the_end(lambda: end_functions(asked)))
        judged = with_nearest_forms(asked)
        found = [results_at(kernel, x, ftz=judging.ftz) for kernel in judged]
    write_at(found, destination, judging.max_ulp, [*upstream, *notes])


def _verdicts(
    swept: Sequence[Kernel],
    inputs: Inputs,
    judging: Judging,
    jobs: int,
    shapes: bool,
    quiet: bool,
    observers: Sequence[Observer],
) -> list[Verdict]:
    """Return the verdict on each; an interrupt ends all early."""
    from gelu_cli.cli.output.progress import found_by
    from gelu_cli.sweeping.sweep import Sweep

    name = f"{len(swept)} routines" if len(swept) > 1 else swept[0].implementation.name
    sweep = Sweep(
        swept,
        inputs,
        jobs=jobs,
        keep=judging.keep,
        ftz=judging.ftz,
        shapes=shapes,
        observers=observers,
    )
    return found_by(sweep, sweep.verdicts, name, quiet=quiet)


def _observers(
    swept: Sequence[Kernel], inputs: Inputs, *, whole: bool, criteria: bool
) -> list[Observer]:
    """Return what looks at all results: for a whole answer their digests, and for criteria."""
    from gelu_cli.comparison.criteria import CriteriaObserver
    from gelu_cli.sweeping.inputs import takes_every
    from gelu_cli.sweeping.observers import Digests

    question = swept[0].question
    observers: list[Observer] = []
    if whole and takes_every(question.dtype, inputs):
        observers.append(Digests(question.dtype, question.result))
    if criteria:
        observers.append(CriteriaObserver([each for _, each in swept]))
    return observers
