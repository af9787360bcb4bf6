"""`gelu identify`: which form, routine, format and parameter explain figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.cli import choices, entries, leaving, options, sections
from gelu_cli.cli.input import words
from gelu_cli.cli.kernels import (
    KERNELS,
    KernelWords,
    kernels_of,
    quantity_of,
    refuse_what_is_for_others,
)
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.cli.given import Given
    from gelu_cli.cli.output.reports import Output
    from gelu_cli.identification.figures import Figures
    from gelu_cli.sweeping.at import Called
    from gelu_cli.sweeping.truth import Question

DEFAULT_ROWS = 10
NOT_ASKED = ("routine", "upstream")
OWN_KERNEL: Any = entries.Group(
    lambda **given: KernelWords(**given, **dict.fromkeys(NOT_ASKED)),
    {name: entry for name, entry in KERNELS.entries.items() if name not in NOT_ASKED},
    section=sections.KERNEL,
)


class Source(NamedTuple):
    """Where figures come from, and which."""

    words: Sequence[str]
    every: bool
    inputs: str | None
    column: str | None


SOURCE: Any = entries.Group(
    lambda pairs, every, inputs, column: Source(pairs or (), every, inputs, column),
    {
        "pairs": entries.argument(
            many=True,
            metavar="[X=Y]...",
            reads_stdin=True,
            help="Figures, such as 2=1.9546; or one FILE: a table with x and columns of figures, "
            "results with --dtype; - for stdin.",
        ),
        **options.RESULT_FILE,
        "column": entries.option(
            None, "--column", metavar="NAME", help="One column of the table. Default: all."
        ),
    },
    section=sections.INPUTS,
)


def identify(
    source: Source = SOURCE,
    kernels: KernelWords = OWN_KERNEL,
    quantity: str | None = options.quantity(
        None,
        choices.results,
        "What the figures are: {results}. Default: by the name of their column, else value; of a "
        "kernel that its library differentiates both.",
    ),
    dtype: Format | None = options.dtype(
        None, "The figures are results in a format: {dtypes}. Default of a kernel: float32."
    ),
    result: Format | None = options.RESULT,
    rows: int | None = entries.option(
        None,
        "--rows",
        metavar="N",
        section=sections.OUTPUT,
        parser=words.whole("--rows", 1, 1000),
        help=f"How many explanations to show of each column. Default: {DEFAULT_ROWS}.",
    ),
    output: Output = leaving.OUTPUT,
    jobs: int = options.jobs("Threads for many figures. Default: every core."),
    given: Given = options.GIVEN,
) -> None:
    """Which form, routine and parameter explain these figures.

    Every form, routine and format is tried, and known mistakes: swapped constants, a factor left
    out, a gradient in place of the value. A parameter is estimated, with the interval that the
    printed digits allow. 1.9546 stands for all numbers that round to it. The notes say which x
    tells the best two apart, and whether gradients belong to the values beside them.

    Examples:

      gelu identify 2=1.9546

      gelu identify 1=0.8548 -1=-0.1452 2=1.9439

      gelu identify published.csv

      gelu identify kernel.bin --all --dtype bfloat16

      gelu identify --impl mykernel.py:gelu --dtype bfloat16
    """
    from gelu_cli.answers import identify as answer
    from gelu_cli.cli.output.progress import Progress

    notes: Sequence[str] = ()
    provenance: Mapping[str, str] = {}
    columns: Sequence[Figures]
    refuse_what_is_for_others(kernels, given)
    with Progress(output.quiet):
        if kernels.impl is not None or kernels.exec is not None:
            refused = {"purpose": "figures", "remedy": "leave --impl and --exec out"}
            given.refuse("X=Y", "--all", "--inputs", "--column", **refused)
            columns, called = _of_kernel(kernels, quantity, dtype, result, given)
            notes, provenance = called.notes, called.provenance
        else:
            columns = _given(source, quantity, dtype, result, given)
        report = answer.identify(
            columns,
            rows=rows or DEFAULT_ROWS,
            digits=output.digits,
            jobs=jobs,
            notes=notes,
            provenance=provenance,
        )
    output.write(report)


def _of_kernel(
    kernels: KernelWords,
    quantity: str | None,
    dtype: Format | None,
    result: Format | None,
    given: Given,
) -> tuple[list[Figures], Called]:
    """Return what a kernel returns at inputs chosen for it: values, and gradients if it can."""
    import numpy as np

    from gelu_cli.cli.output.signals import before_the_end
    from gelu_cli.identification.figures import Results, well_chosen
    from gelu_cli.sweeping.at import called_at, end_functions

    number_format = dtype or words.parse_dtype("float32")
    asked = quantity_of(quantity, given)
    both = quantity is None and kernels.backward is None and kernels.impl is not None
    both = both and result in (None, number_format)
    target = words.parse_form("exact")
    x = well_chosen(number_format)
    formats = number_format, result or number_format
    with ExitStack() as guests:
        question = "gradient" if both else asked
        (kernel,) = kernels_of(kernels, *formats, None, target, question, guests)
        guests.enter_context(before_the_end(lambda: end_functions([kernel])))
        called = called_at(kernel, x, values_too=both)
    columns: list[Figures] = [
        Results(name, name, x, got.astype(np.float64), *formats)
        for name, got in called.results.items()
    ]
    return columns, called


def _given(
    source: Source,
    quantity: str | None,
    dtype: Format | None,
    result: Format | None,
    given: Given,
) -> Sequence[Figures]:
    """Return figures that pairs or a file hold."""
    from gelu_cli.cli.input import evidence
    from gelu_cli.cli.input.streams import comes_in

    words_given = source.words or (["-"] if comes_in() else [])
    if not words_given:
        raise UsageError("no figures; give pairs like 2=1.9546, a FILE, - for stdin, or --impl")
    if dtype is None:
        in_a_format = {"purpose": "results in a format", "remedy": "add --dtype FORMAT"}
        given.refuse("--all", "--inputs", "--result", **in_a_format)
    if evidence.are_pairs(words_given):
        of_files = {"purpose": "a FILE", "remedy": "leave the pairs out"}
        given.refuse("--all", "--inputs", "--column", **of_files)
        formats = None if dtype is None else (dtype, result or dtype)
        return [evidence.read_pairs(words_given, quantity or "value", formats)]
    (path,) = words_given
    if dtype is None:
        return evidence.read_printed(path, source.column, quantity)
    return _results(path, source, quantity, dtype, result or dtype, given)


def _results(
    path: str,
    source: Source,
    quantity: str | None,
    number_format: Format,
    result: Format,
    given: Given,
) -> Sequence[Figures]:
    """Return the results in a file of any kind."""
    from gelu_cli.cli.input import evidence
    from gelu_cli.cli.input.result_files import ResultFile, check_file, read_columns
    from gelu_cli.sweeping.sorted_results import SpillFile
    from gelu_cli.sweeping.truth import Question

    formats = number_format, result
    target = words.parse_form("exact")

    def question(name: str) -> Question:
        return Question(target, quantity or evidence.quantity_of_column(name), *formats)

    file = ResultFile(path, source.every, source.inputs)
    check_file(file, number_format)
    if source.every or source.inputs is not None:
        given.refuse("--column", purpose="tables", remedy="leave --all and --inputs out")
    with SpillFile() as spill:
        return evidence.taken(read_columns(file, *formats, question, spill), source.column, path)
