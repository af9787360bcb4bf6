"""`gelu sweep`: the floating-point error of routines, or of the user's own function."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from gelu_cli.errors import UsageError
from gelu_cli.old.cli import glu, kernels, options, words
from gelu_cli.old.cli.kernels import KernelWords, quantity_of
from gelu_cli.old.cli.parameters import GIVEN, INPUTS, Given, flag, option
from gelu_cli.old.reading.kernels import ROUTINE

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.formats import Format
    from gelu_cli.old.arithmetic.typed import Number
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.reading.numbers import Range
    from gelu_cli.old.sweeping.implementations import Kernel
    from gelu_cli.old.writing.asked import Asked, Judging

OF_SWEEPS = (
    *options.SELECTION.labels, "--shapes", "--worst", "--criteria", "--view", "--jobs", "--budget",
    "--tighten", "--up", *options.OF_FIGURES,
)  # fmt: skip


def sweep(
    quantity: str | None = glu.QUANTITY,
    dtype: Format = options.dtype(
        "float32", "The format of x and, without --result, of results: {dtypes}."
    ),
    result: Format | None = options.RESULT,
    asked: KernelWords = kernels.KERNELS,
    second: glu.SecondInput = glu.SECOND,
    selection: options.Selection = options.SELECTION,
    at: list[Number | Range] = option(
        "--at",
        many=True,
        metavar="X",
        parse=words.parse_at,
        section=INPUTS,
        help="No sweep: the results at these numbers or ranges, each inside a full block; of a "
        "kernel of two inputs at pairs, as in --at 1,2.",
    ),
    shapes: bool = flag(
        "--shapes",
        section=INPUTS,
        help="Every input again in calls of other lengths, elsewhere in memory, in another order: "
        "does your own kernel return the same?",
    ),
    jobs: int = options.jobs("Processes for a large sweep. Default: every core."),
    form: Form | str = kernels.FORM,
    judging: Judging = options.HOW_JUDGED,
    output: Asked = options.output_of_kernels("sweep_views"),
    given: Given = GIVEN,
) -> None:
    """How accurate a GELU kernel is, in ULP, over every input.

    Each result is compared with the true value y of the form: |got − y|/ulp(y), in ULP, units in
    the last place: ulp(y) is the distance of the format's numbers around y. A correctly rounded
    result has at most 0.5. 16- and 8-bit formats are swept whole, float32 too with --all, and
    ranges with no more numbers than the sample; otherwise float32 and float64 are sampled, with all
    their edges and with neighbours of the worst inputs, and the largest errors are lower bounds.

    Examples:

      gelu sweep erf_sum --dtype bfloat16

      gelu sweep erfc --dtype bfloat16 --view plot

      gelu sweep mykernel.py:gelu --dtype bfloat16 --max-ulp 2

      gelu sweep mykernel.py:gelu --dtype bfloat16 --at=-4.25,1

      gelu sweep --exec ./mykernel --dtype bfloat16

      gelu sweep mykernel.py:geglu --glu --dtype bfloat16

    torch.nn.functional:gelu is PyTorch's, ./libkernel.so:gelu is a function in C. --all takes
    every float32, in half a minute or so.
    """
    if not given.names:
        example = "gelu sweep erfc --dtype bfloat16"
        raise UsageError(f"nothing to sweep; name a kernel, as in: {example}")
    # Units keep every core busy; threads of BLAS's own would only wait for one another.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from gelu_cli.old.comparison.criteria import CriteriaObserver
    from gelu_cli.old.sweeping.inputs import takes_every
    from gelu_cli.old.sweeping.observers import Digests, Observer
    from gelu_cli.old.sweeping.routines import ROUTINES
    from gelu_cli.old.sweeping.sweep import Sweep
    from gelu_cli.old.writing.destinations import DocumentOutput, choose
    from gelu_cli.old.writing.progress import found_by, with_targets
    from gelu_cli.old.writing.verdicts import Answer, write_verdicts

    named = asked.named([*dict.fromkeys(asked.words), *asked.programs] or [*ROUTINES])
    second = second.with_upstreams(given, asked.upstreams)
    gating, formats = second.gating(dtype), (dtype, result or dtype)
    judged = quantity_of(quantity, given, gating)
    rounded = [*asked.upstream(dtype).notes, *second.notes(dtype)]

    def kernels_in(guests: ExitStack) -> list[Kernel]:
        return asked.kernels_of(named, formats, form, judged, guests, gating)

    if at:
        _at(at, kernels_in, dtype, judging, output, given, rounded, second)
        return
    destination = choose(output)
    options.refuse_other_views(given, destination, output.view)
    if all(each.kind == ROUTINE for each in named):
        given.refuse("--shapes", purpose="kernels of your own", remedy="name one")
    inputs = second.with_ups(selection.inputs(dtype), dtype, given)
    budget = options.read_budget(judging, output)
    with ExitStack() as guests:
        swept = [
            kernel._replace(question=kernel.question._replace(normal=judging.normal))
            for kernel in with_targets(kernels_in(guests), inputs, quiet=output.quiet)
        ]
        if budget and not judging.tighten:
            from gelu_cli.old.budgets.figures import named as names

            budget.refuse_if_all_are_strangers([*map(names, swept)], inputs.low, inputs.high)
        observers: list[Observer] = []
        if isinstance(destination, DocumentOutput) and takes_every(dtype, inputs):
            observers.append(Digests(*formats))
        if judging.criteria:
            questions = [each.question for each in swept]
            observers.append(CriteriaObserver(questions, tolerance=judging.criteria))
        run = Sweep(
            swept,
            inputs,
            jobs=jobs,
            keep=judging.keep,
            ftz=judging.ftz,
            shapes=shapes,
            observers=observers,
        )
        name = f"{len(swept)} kernels" if len(swept) > 1 else swept[0].implementation.name
        verdicts = found_by(run, run.verdicts, name, quiet=output.quiet)
    for verdict in verdicts:
        verdict.notes += rounded
    for_all = second.how_to_take_all(dtype)
    write_verdicts(Answer("sweep", verdicts, judging, given.names, for_all), destination, budget)


def _at(
    points: Sequence[Number | Range],
    kernels_in: Callable[[ExitStack], list[Kernel]],
    number_format: Format,
    judging: Judging,
    output: Asked,
    given: Given,
    upstream: Sequence[str],
    second: glu.SecondInput,
) -> None:
    """Write the results of kernels at single inputs."""
    from gelu_cli.old.reading.numbers import points_at
    from gelu_cli.old.sweeping.at import end_functions, pairs_at, results_at
    from gelu_cli.old.sweeping.nearest import with_nearest_forms
    from gelu_cli.old.writing import destinations
    from gelu_cli.old.writing.progress import Progress
    from gelu_cli.old.writing.signals import before_the_end
    from gelu_cli.old.writing.verdicts import write_at

    given.refuse(*OF_SWEEPS, purpose="sweeps", remedy="leave --at out")
    if destinations.asks_for_picture(output):
        raise UsageError("--at is a table: a picture is of a sweep, leave --at out")
    document = destinations.document_asked(output._replace(view="at"))
    if document and not destinations.asks_for_page(output):
        raise UsageError(f"--at is a table: {document} is of a sweep, leave --at out")
    destination = destinations.choose_tables(output)
    x: Sequence[Any]
    x, notes = points_at(points, number_format)
    if second.name:
        if len(x) != len(points) or not (second.glu or words.ALL in second.up):
            pair = f"x,{second.name}"
            raise UsageError(f"--at: name pairs {pair}, no ranges; --upstream all leaves them free")
        x = pairs_at(x, second.name)
    with ExitStack() as guests, Progress(output.quiet):
        asked = kernels_in(guests)
        guests.enter_context(before_the_end(lambda: end_functions(asked)))
        judged = with_nearest_forms(asked)
        found = [results_at(kernel, x, ftz=judging.ftz) for kernel in judged]
    write_at(found, destination, judging.max_ulp, [*upstream, *notes])
