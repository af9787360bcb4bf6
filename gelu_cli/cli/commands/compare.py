"""`gelu compare`: two kernels, input by input, or two records, figure by figure."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from gelu_cli.cli import choices, entries, leaving, options
from gelu_cli.cli.judging import Judging
from gelu_cli.cli.kernels import KERNELS, QUANTITY_OF_KERNELS, TARGET, quantity_of
from gelu_cli.cli.pairs import (
    CALLABLE,
    LIBRARY,
    PAIR,
    PairWords,
    Side,
    kernels_of_pair,
    names_of,
    sides_of,
)
from gelu_cli.cli.selection import SELECTION, Selection, how_to_take_all, inputs_of
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.cli.given import Given
    from gelu_cli.cli.output.destinations import Destination
    from gelu_cli.cli.output.verdicts import Answer
    from gelu_cli.comparison.differences import Comparison
    from gelu_cli.forms import Form
    from gelu_cli.sweeping.implementations import Kernel
    from gelu_cli.sweeping.inputs import Inputs

JUDGING: Any = entries.Group(
    Judging,
    {name: options.JUDGING.entries[name] for name in ("ftz", "worst", "max_ulp")},
)
VIEW: Any = leaving.view(
    choices.compare_views,
    "Which table: {compare_views}. A terminal shows all tables; plot is a picture, drawn for "
    "-o FILE.svg and its like as well.",
)


def compare(
    pair: PairWords = PAIR,
    upstream: Fraction | None = KERNELS.entries["upstream"],
    quantity: str | None = QUANTITY_OF_KERNELS,
    dtype: Format = options.dtype(
        "float32", "The format of x and, without --result, of results: {dtypes}."
    ),
    result: Format | None = options.RESULT,
    selection: Selection = SELECTION,
    jobs: int = options.jobs("Processes for a large comparison. Default: every core."),
    target: Form | str = TARGET,
    judging: Judging = JUDGING,
    view: str | None = VIEW,
    output: leaving.OutputWords = leaving.OUTPUT_WORDS,
    given: Given = options.GIVEN,
) -> None:
    """Two kernels, input by input: where they differ, which is right.

    Both are swept as `gelu sweep` does it, and judged against the same true values. Results differ
    where their bits do; of two that differ, the one whose distance from the true value is smaller
    is nearer. NaNs of any payload are one NaN, 0 and -0 differ, and of equally near results neither
    is nearer.

    The first kernel is a, the second b. An option that says how a kernel is called is for both, or
    for one of them with :a or :b after its name: --kwarg:b approximate=tanh. One kernel may be
    compared with itself, called in two ways.

    Two records, which -o FILE.json of sweep, check and compare writes, are compared figure by
    figure.

    Examples:

      gelu compare erf_sum erfc --dtype bfloat16

      gelu compare erf_sum erf_sum --dtype bfloat16 --compute:a float32

      gelu compare erfc mykernel.py:gelu --dtype bfloat16 --view plot

      gelu compare --exec:old ./old --exec:new ./new --dtype bfloat16

      gelu compare old.json new.json

    torch.nn.functional:gelu is PyTorch's, jax.nn:gelu is JAX's. With --device:b cuda the arrays of
    b are on a GPU.
    """
    # Units keep every core busy; threads of BLAS's own would only wait for one another.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    records = [word for word in pair.kernels or () if word.lower().endswith(".json")]
    if records:
        _compare_records(pair, records, view, output, given)
        return
    from gelu_cli.cli.output.destinations import choose_destination
    from gelu_cli.cli.output.progress import with_targets
    from gelu_cli.cli.output.verdicts import write_verdicts
    from gelu_cli.sweeping.truth import Upstream, upstream_in

    sides = sides_of(pair)
    judged = _quantity(upstream, quantity, sides, given)
    above = Upstream(1.0) if upstream is None else upstream_in(dtype, upstream)
    destination = choose_destination(view, *output)
    _refuse_other_views(given, destination, view)
    inputs = inputs_of(selection, dtype)
    with ExitStack() as guests:
        formats = dtype, result or dtype
        kernels = kernels_of_pair(pair, sides, formats, target, judged, upstream, guests)
        one, other = with_targets(kernels, inputs, quiet=output.quiet)
        kernels = [one, other._replace(question=one.question)]
        try:
            found = _comparison(kernels, inputs, judging, jobs, output.quiet)
        except UsageError as error:  # which names the option that a sweep takes a kernel by
            raise UsageError(str(error).removeprefix("--impl: ")) from None
    for verdict, name in zip(found.verdicts, names_of(sides), strict=True):
        verdict.name = name
        verdict.notes += above.notes
    answer = _answer(found, judging, how_to_take_all(dtype))
    write_verdicts(answer, destination, view, judging, output.quiet)


def _quantity(
    upstream: Fraction | None, quantity: str | None, sides: Sequence[Side], given: Given
) -> str:
    """Return what is judged; raises `UsageError` where --upstream is for neither kind of kernel."""
    if upstream is not None:
        for side in sides:
            if side.kind not in (CALLABLE, LIBRARY):
                said = f"--upstream is for functions, and {side.word} is {side.kind}"
                raise UsageError(f"{said}; leave --upstream out")
    return quantity_of(quantity, given)


def _comparison(
    kernels: Sequence[Kernel], inputs: Inputs, judging: Judging, jobs: int, quiet: bool
) -> Comparison:
    """Return what is found; an interrupt ends it early."""
    from gelu_cli.cli.output.progress import found_by
    from gelu_cli.comparison.differences import comparison, sweep_of_two

    sweep = sweep_of_two(kernels, inputs, jobs=jobs, keep=judging.keep, ftz=judging.ftz)
    return found_by(sweep, partial(comparison, sweep), "2 kernels", quiet=quiet)


def _answer(found: Comparison, judging: Judging, for_all: str) -> Answer:
    """Return the title, the tables and the picture of a comparison."""
    from gelu_cli.answers.compare.kernels import TITLE, compare_views
    from gelu_cli.answers.plot.sweeps import plot_comparison
    from gelu_cli.cli.output.verdicts import Answer

    return Answer(
        "compare",
        found.verdicts,
        TITLE,
        lambda digits, changed: compare_views(found, digits, judging.keep),
        lambda: plot_comparison(found, judging.max_ulp),
        for_all,
    )


def _refuse_other_views(given: Given, destination: Destination, view: str | None) -> None:
    """Raise `UsageError` for an option that what is shown does not use."""
    from gelu_cli.answers.compare.kernels import TABLES

    used_by = {"--worst": ["worst"], "--digits": list(TABLES), "--no-header": list(TABLES)}
    given.refuse_other_views(leaving.views_shown(destination, list(TABLES), view), used_by)


def _compare_records(
    pair: PairWords,
    records: Sequence[str],
    view: str | None,
    output: leaving.OutputWords,
    given: Given,
) -> None:
    """Write which figures of two records differ."""
    from gelu_cli.answers.compare.records import compare_records
    from gelu_cli.cli.input.records import read_record
    from gelu_cli.cli.output.reports import choose_output

    two = pair.named
    if len(records) < 2:
        (other,) = set(two) - set(records)
        raise UsageError(
            f"'{records[0]}' is a record, '{other}' is not: compare two kernels or two records; "
            "gelu sweep … -o FILE.json writes the record of a kernel"
        )
    used = ("KERNEL", "--format", "--output", "--no-header", "--digits", "--quiet")
    others = [name for name in given.names if name not in used]
    given.refuse(*others, purpose="kernels", remedy="records say what they have")
    destination = choose_output(*output)
    a, b = map(read_record, two)
    destination.write(compare_records(a, b, destination.digits))
