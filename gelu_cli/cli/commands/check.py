"""`gelu check`: figures that were computed elsewhere, judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from gelu_cli.cli import choices, options, sections
from gelu_cli.cli.input import words
from gelu_cli.cli.judging import Judging
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.cli.given import Given
    from gelu_cli.cli.input.tables.table import Table
    from gelu_cli.forms import Form
    from gelu_cli.kernels.truth import Question


class Results(NamedTuple):
    """What the results in a file should be, and at which inputs they are, if it does not say."""

    every: bool
    inputs: str | None
    result: Format | None
    target: Form | str | None
    quantity: str | None


RESULTS: Any = options.Group(
    Results,
    {
        **options.RESULT_FILE,
        "result": options.RESULT,
        "target": options.option(
            None,
            metavar="F",
            parser=words.under("--target", words.parse_target),
            autocompletion=choices.forms_by_any_name,
            help="What results in a format should be. Default: what their column is named; exact.",
        ),
        "quantity": options.quantity(
            None,
            choices.results,
            "What results are that no column names: {results}. Default: value.",
        ),
    },
)


def check(
    source: str | None = options.argument(
        metavar="FILE",
        help="CSV with x and columns named as `gelu table` names them, or - for stdin; with "
        "--dtype raw results and .npy as well. Or a record, .json.",
    ),
    wrong: bool = options.flag(
        "--wrong", section=sections.OUTPUT, help="Print only the figures that are wrong."
    ),
    dtype: Format | None = options.dtype(
        None, "Judge results in a format, in ULP: {dtypes}; without --result x has it, too."
    ),
    results: Results = RESULTS,
    judging: Judging = options.JUDGING,
    view: str | None = options.CHECK_VIEW,
    output: options.OutputWords = options.OUTPUT_WORDS,
    given: Given = options.GIVEN,
) -> None:
    """Judge figures in print, or results of a kernel from a file.

    A figure is right if it is the true value, rounded to the last decimal that is printed. x
    counts as typed. A figure of at most 17 digits may also be a float64, for the float64 that is
    nearest to x, as `gelu table` prints it. A wrong one makes the exit code 1.

    With --dtype the columns are results of a kernel, and the report is that of `gelu sweep`:
    numbers, hexadecimal floats (0x1.8p+1) or bit patterns (0x3f80), also in columns F_bits. A file
    may be raw, little-endian, or .npy: results beside --inputs, for every bit pattern with --all,
    or a .npy of two columns, x and results, or with fields that are named as columns are.

    Columns are x and, for a form F, F, F_gradient, F_gate and so on, as `gelu table` names them,
    separated by commas, tabs or semicolons. Empty cells are left out.

    The correct figure is printed to as many decimals, or to --digits significant digits.

    A record, as `gelu sweep -o FILE.json` writes it, is printed again, and judged by --max-ulp.

    Examples:

      gelu check published.csv

      gelu check published.csv --wrong --digits 8 --format markdown

      gelu check kernel.csv --dtype bfloat16 --max-ulp 1

      gelu check kernel.bin --inputs x.bin --dtype float32

      gelu check kernel.bin --all --dtype bfloat16 --target tanh

      gelu check record.json --view worst --max-ulp 2
    """
    from gelu_cli.cli.input.records import holds_record

    if source is None:
        raise UsageError("no file; give FILE, or - for stdin")
    if holds_record(source, in_a_format=dtype is not None):
        _check_record(source, judging, view, output, given)
    elif dtype is None:
        _refuse_what_is_for_results(given, output)
        _check_figures(source, wrong, output)
    else:
        given.refuse("--wrong", purpose="printed figures", remedy="see --view worst")
        _check_results(source, dtype, results, judging, view, output, given)


def _check_record(
    source: str,
    judging: Judging,
    view: str | None,
    output: options.OutputWords,
    given: Given,
) -> None:
    """Write the views of a record, and judge its figures by the limits given."""
    from gelu_cli.cli.input.budgets import read_budget
    from gelu_cli.cli.input.records import read_record
    from gelu_cli.cli.input.streams import name_of
    from gelu_cli.cli.output.records import write_record
    from gelu_cli.cli.output.verdicts import choose_destination

    others = ["--wrong", "--dtype", "--all", "--inputs", "--result", "--target", "--quantity"]
    others += ["--ftz", "--worst", "--criteria"]
    purpose = f"figures and results, and {name_of(source)} is a record"
    given.refuse(*others, purpose=purpose, remedy="give a table")
    destination = choose_destination(view, *output)
    record = read_record(source)
    options.refuse_views_without(given, destination, view, record.tables)
    bounds = None
    if budget := read_budget(judging.budget, judging.tighten):
        from gelu_cli.cli.input.recorded_figures import recorded_figures
        from gelu_cli.cli.output.budgets import BudgetJudge

        bounds = BudgetJudge(budget, recorded_figures(record), tighten=judging.tighten)
    write_record(record, destination, view, judging.max_ulp, output.quiet, bounds)


def _refuse_what_is_for_results(given: Given, output: options.OutputWords) -> None:
    from gelu_cli.cli.output.pictures import names_picture

    in_formats = ["--all", "--inputs", "--result", "--target", "--quantity"]
    in_formats += ["--ftz", "--worst", "--max-ulp", "--budget", "--tighten", "--criteria", "--view"]
    given.refuse(*in_formats, purpose="results in a format", remedy="add --dtype FORMAT")
    if names_picture(output.format_name, output.path):
        raise UsageError("a picture is for results in a format; add --dtype FORMAT")


def _check_figures(source: str, wrong: bool, output: options.OutputWords) -> None:
    """Judge the figures of a table, in print; a wrong one makes the exit code 1."""
    from gelu_cli.answers import check as answer
    from gelu_cli.cli.input.figures import read_figures
    from gelu_cli.cli.input.tables.table import read_table
    from gelu_cli.cli.output.reports import choose_output

    destination = choose_output(*output)
    figures = read_figures(read_table(source))
    ending = destination.write(answer.check(figures, digits=output.digits, wrong_only=wrong))
    if ending.failures:
        raise typer.Exit(1)


def _check_results(
    source: str,
    number_format: Format,
    results: Results,
    judging: Judging,
    view: str | None,
    output: options.OutputWords,
    given: Given,
) -> None:
    """Judge the results of kernels in a format, as `gelu sweep` does."""
    from gelu_cli.answers.sweep import VIEWS_OF_RESULTS
    from gelu_cli.cli.input.budgets import read_budget
    from gelu_cli.cli.input.result_files import ResultFile, check_file, read_columns
    from gelu_cli.cli.output.progress import Progress
    from gelu_cli.cli.output.verdicts import choose_destination, sweep_answer, write_verdicts
    from gelu_cli.kernels.checking import check_sorted_results
    from gelu_cli.kernels.sorted_results import SpillFile

    file = ResultFile(source, results.every, results.inputs)
    check_file(file, number_format)
    destination = choose_destination(view, *output)
    if view and view not in VIEWS_OF_RESULTS:
        known = ", ".join(VIEWS_OF_RESULTS)
        raise UsageError(f"--view {view} is for records of gelu sweep; for results: {known}")
    options.refuse_other_views(given, destination, view)
    budget = read_budget(judging.budget, judging.tighten)
    formats = number_format, results.result or number_format

    def question(name: str) -> Question:
        return _question(name, source, number_format, results, given)

    with Progress(output.quiet), SpillFile() as spill:
        verdicts = [
            check_sorted_results(
                column.name or source,
                column.question,
                column.results,
                exhaustive=results.every,
                keep=judging.keep,
                ftz=judging.ftz,
                criteria=judging.criteria,
                asked={"file": source, "inputs": results.inputs, "column": column.name or None},
            )
            for column in read_columns(file, *formats, question, spill, _table)
        ]
    answer = sweep_answer("check", verdicts, judging, given.names)
    write_verdicts(answer, destination, view, judging, output.quiet, budget)


def _table(source: str) -> Table:
    """Return the table in a file; if it is none, `UsageError` says what raw results need."""
    from gelu_cli.cli.input.lines import NotTextError
    from gelu_cli.cli.input.streams import name_of
    from gelu_cli.cli.input.tables.table import read_table

    remedy = (
        "if it holds raw results, --inputs FILE names a file with x, --all says that there is a "
        "result for every bit pattern"
    )
    try:
        file = read_table(source)
    except NotTextError as error:
        raise UsageError(f"{error}; {remedy}") from None
    if any("\0" in name for name in file.header):  # as the bits of 0 have it
        raise UsageError(f"{name_of(source)} is no table; {remedy}")
    return file


def _question(
    column: str, source: str, number_format: Format, results: Results, given: Given
) -> Question:
    """Return what results should be: those of a column, or of a file that has no columns."""
    from gelu_cli.cli.input.figures import column_of
    from gelu_cli.kernels.truth import Question

    if not column:
        target = words.parse_form("exact") if results.target is None else results.target
        if isinstance(target, str):  # no routine that could have a form of its own
            target = words.under("--target", words.parse_form)(target)
        return Question(target, results.quantity or "value", number_format, results.result)
    remedy = "name a column of gradients F_gradient"
    given.refuse("--quantity", purpose="results that no column names", remedy=remedy)
    form, quantity = column_of(column, "stdin" if source == "-" else source)
    if results.target is not None and not isinstance(results.target, str):
        form = results.target
    return Question(form, quantity, number_format, results.result)
