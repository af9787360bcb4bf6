"""`gelu compare`: two kernels, input by input, or two records, figure by figure."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from gelu_cli.errors import UsageError
from gelu_cli.old.cli import glu, kernels, options
from gelu_cli.old.cli.kernels import CALLED, SIDES, KernelWords, Named, quantity_of
from gelu_cli.old.cli.parameters import GIVEN, JUDGING, KERNEL, Given, Group, aimed, argument
from gelu_cli.old.reading.kernels import MEANT_FOR
from gelu_cli.old.writing.asked import Judging

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.formats import Format
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.writing.asked import Asked

TWO = "name two, e.g. gelu compare erfc torch.nn.functional:gelu"
PROGRAM: Any = kernels.PROGRAM_OPTION
PAIR: Any = Group(
    KernelWords.of,
    {
        "kernels": argument(
            "[KERNEL]...",
            f"Two of: {kernels.KINDS}, programs that --exec names; or two records (.json).",
            choices="routines",
        ),
        "unlisted": kernels.UNLISTED,
        "exec": aimed(PROGRAM, f"{PROGRAM.help} --exec:NAME COMMAND names it."),
        **{name: each if name == "upstream" else aimed(each) for name, each in CALLED.items()},
    },
    section=KERNEL,
)
HOW_JUDGED: Any = Group(
    Judging, options.OF_JUDGING, section=JUDGING, without=("budget", "tighten", "criteria")
)


def compare(
    quantity: str | None = glu.QUANTITY,
    dtype: Format = options.dtype(
        "float32", "The format of x and, without --result, of results: {dtypes}."
    ),
    result: Format | None = options.RESULT,
    pair: KernelWords = PAIR,
    second: glu.SecondInput = glu.SECOND,
    selection: options.Selection = options.SELECTION,
    jobs: int = options.jobs("Processes for a large comparison. Default: every core."),
    form: Form | str = kernels.FORM,
    judging: Judging = HOW_JUDGED,
    output: Asked = options.output_of_kernels("compare_views"),
    given: Given = GIVEN,
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

      gelu compare old.py:geglu new.py:geglu --glu --dtype bfloat16

      gelu compare old.json new.json

    torch.nn.functional:gelu is PyTorch's, jax.nn:gelu is JAX's. With --device:b cuda the arrays of
    b are on a GPU.
    """
    # Units keep every core busy; threads of BLAS's own would only wait for one another.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    records = [word for word in pair.words if word.lower().endswith(".json")]
    if records:
        _compare_records(pair, records, output, given)
        return
    from gelu_cli.old.answers.compare.kernels import TABLES
    from gelu_cli.old.comparison.differences import comparison, sweep_of_two
    from gelu_cli.old.writing.destinations import choose
    from gelu_cli.old.writing.progress import found_by, with_targets
    from gelu_cli.old.writing.verdicts import Answer, write_verdicts

    sides = pair.named(_two(pair))
    second = second.with_upstreams(given, pair.upstreams)
    gating = second.gating(dtype)
    judged = quantity_of(quantity, given, gating)
    rounded = [*pair.upstream(dtype).notes, *second.notes(dtype)]
    destination = choose(output)
    options.refuse_views_without(given, destination, list(TABLES))
    inputs = second.with_ups(selection.inputs(dtype), dtype, given)
    with ExitStack() as guests:
        two = pair.kernels_of(sides, (dtype, result or dtype), form, judged, guests, gating)
        forms = [each.question.form.label for each in two]
        if forms[0] != forms[1]:
            raise UsageError(
                f"--form self: these are routines of different forms, {' and '.join(forms)}; "
                f"name one, e.g. --form {forms[0]}"
            )
        one, other = with_targets(two, inputs, quiet=output.quiet)
        question = one.question._replace(normal=judging.normal)
        two = [each._replace(question=question) for each in (one, other)]
        run = sweep_of_two(two, inputs, jobs=jobs, keep=judging.keep, ftz=judging.ftz)
        found = found_by(run, partial(comparison, run), "2 kernels", quiet=output.quiet)
    for verdict, name in zip(found.verdicts, _names_of(sides), strict=True):
        verdict.name = name
        verdict.notes += rounded
    for_all = second.how_to_take_all(dtype)
    answer = Answer("compare", found.verdicts, judging, for_all=for_all, compared=found)
    write_verdicts(answer, destination)


def _two(pair: KernelWords) -> list[str]:
    """Return the two words, those of programs last that no word names; raises `UsageError`."""
    given, programs = [*pair.words], pair.programs
    two = given + [name for name in programs if name not in given][: max(0, 2 - len(given))]
    if len(two) < 2:
        have = f"only '{two[0]}' is given" if two else "no kernel is given"
        raise UsageError(f"{have}; {TWO}")
    if len(two) > 2:
        raise UsageError(f"unexpected '{two[2]}': two kernels are compared; {TWO}")
    for name in programs:
        if name not in two:
            raise UsageError(f"--exec:{name}: two kernels are given already; leave it out")
    return two


def _names_of(sides: Sequence[Named]) -> list[str]:
    """Return what the two are called: if alike, with the options that differ, or else a and b."""
    labels = [each.label for each in sides]
    if labels[0] == labels[1]:
        labels = [" ".join([each.label, *_told_apart(each, sides)]) for each in sides]
    if labels[0] == labels[1]:
        labels = [f"{each} ({side})" for each, side in zip(labels, SIDES, strict=True)]
    return labels


def _told_apart(side: Named, sides: Sequence[Named]) -> Iterator[str]:
    """Yield the options of a kernel that the other one has not."""
    for name in MEANT_FOR:
        values = [each.settings.get(name) for each in sides]
        if values[0] != values[1] and (value := side.settings.get(name)) is not None:
            yield f"--{name}" if value is True else f"--{name} {getattr(value, 'name', value)}"


def _compare_records(
    pair: KernelWords, records: Sequence[str], output: Asked, given: Given
) -> None:
    """Write which figures of two records differ."""
    from gelu_cli.old.answers.compare.records import compare_records
    from gelu_cli.old.reading.records import read_record
    from gelu_cli.old.writing.destinations import choose_tables

    two = _two(pair)
    if len(records) < 2:
        (other,) = set(two) - set(records)
        raise UsageError(
            f"'{records[0]}' is a record, '{other}' is not: compare two kernels or two records; "
            "gelu sweep … -o FILE.json writes the record of a kernel"
        )
    used = ("KERNEL", "--format", "--output", "--no-header", "--digits", "--quiet")
    others = [name for name in given.names if name not in used]
    given.refuse(*others, purpose="kernels", remedy="records say what they have")
    destination = choose_tables(output)
    a, b = map(read_record, two)
    destination.write(compare_records(a, b, destination.digits))
