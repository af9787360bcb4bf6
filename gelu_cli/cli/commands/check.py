"""`gelu check`: figures that were computed elsewhere, judged."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from gelu_cli.cli import choices, entries, leaving, options, sections
from gelu_cli.cli.input import words
from gelu_cli.cli.judged import JUDGED, Judged, say_left_out
from gelu_cli.cli.judging import Judging
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.cli.given import Given
    from gelu_cli.forms import Form
    from gelu_cli.sweeping.truth import Question


class Results(NamedTuple):
    """What the results in a file should be, and at which inputs they are, if it does not say."""

    every: bool
    inputs: str | None
    result: Format | None
    target: Form | str | None
    quantity: str | None


RESULTS: Any = entries.Group(
    Results,
    {
        **options.RESULT_FILE,
        "result": options.RESULT,
        "target": entries.option(
            None,
            metavar="F",
            parser=words.under("--target", words.parse_target),
            autocompletion=choices.targets_of_results,
            help="What results in a format should be; auto: the form that they are nearest to. "
            "Default: what their column is named; exact.",
        ),
        "quantity": options.quantity(
            None,
            choices.results,
            "What results are that no column names: {results}. Default: value.",
        ),
    },
)


def check(
    judged: Judged = JUDGED,
    wrong: bool = entries.flag(
        "--wrong", section=sections.OUTPUT, help="Print only the figures that are wrong."
    ),
    dtype: Format | None = options.dtype(
        None, "Judge results in this number format, in ULP: {dtypes}."
    ),
    results: Results = RESULTS,
    judging: Judging = options.JUDGING,
    view: str | None = leaving.CHECK_VIEW,
    output: leaving.OutputWords = leaving.OUTPUT_WORDS,
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

    Columns are x and, for a form F, F, F_gradient, F_gate and so on, as `gelu table` names them;
    others are left alone, with a note. Cells are read as people write them: ≈ -0.158, 15.8%,
    1.2·10^-3, 0.841…, 1.2e-3 ± 4e-5 (right also within ±). Empty cells, NA and the like are left
    out. What cannot be read is an error, or skipped under --skip-unreadable.

    The correct figure is printed to as many decimals, or to --digits significant digits.

    A record, as `gelu sweep -o FILE.json` writes it, is printed again, and judged by --max-ulp.

    Examples:

      gelu check published.csv

      gelu check -1=-0.1587 2=1.9545 --column exact

      gelu check published.csv --wrong --digits 8 --format markdown

      gelu check kernel.csv --dtype bfloat16 --max-ulp 1

      gelu check kernel.bin --inputs x.bin --dtype float32

      gelu check kernel.bin --all --dtype bfloat16 --target tanh

      gelu check record.json --view worst --max-ulp 2
    """
    from gelu_cli.cli.input.records import holds_record

    path = judged.path
    if path and holds_record(path, in_a_format=dtype is not None):
        _check_record(path, judging, view, output, given)
    elif dtype is None:
        _refuse_what_is_for_results(given, output)
        _check_figures(judged, wrong, output)
    else:
        given.refuse("--wrong", purpose="printed figures", remedy="see --view worst")
        _check_results(judged, dtype, results, judging, view, output, given)


def _check_record(
    source: str,
    judging: Judging,
    view: str | None,
    output: leaving.OutputWords,
    given: Given,
) -> None:
    """Write the views of a record, and judge its figures by the limits given."""
    from gelu_cli.cli.input.budgets import read_budget
    from gelu_cli.cli.input.records import read_record
    from gelu_cli.cli.input.streams import name_of
    from gelu_cli.cli.output.destinations import choose_destination
    from gelu_cli.cli.output.verdicts import write_record

    others = ["--wrong", "--dtype", "--all", "--inputs", "--result", "--target", "--quantity"]
    others += ["--ftz", "--worst", "--criteria", "--column", "--skip-unreadable"]
    purpose = f"figures and results, and {name_of(source)} is a record"
    given.refuse(*others, purpose=purpose, remedy="give a table")
    destination = choose_destination(view, *output)
    record = read_record(source)
    leaving.refuse_views_without(given, destination, view, record.tables)
    bounds = None
    if budget := read_budget(judging.budget, judging.tighten, output.path):
        from gelu_cli.budgets.figures import figures_of_record
        from gelu_cli.cli.output.limits import BudgetJudge

        bounds = BudgetJudge(budget, figures_of_record(record), tighten=judging.tighten)
    write_record(record, destination, view, judging.max_ulp, output.quiet, bounds)


def _refuse_what_is_for_results(given: Given, output: leaving.OutputWords) -> None:
    from gelu_cli.cli.output.destinations import names_picture

    in_formats = ["--all", "--inputs", "--result", "--target", "--quantity"]
    in_formats += ["--ftz", "--worst", "--max-ulp", "--budget", "--tighten", "--criteria", "--view"]
    given.refuse(*in_formats, purpose="results in a format", remedy="add --dtype FORMAT")
    if names_picture(output.format_name, output.path):
        raise UsageError("a picture is for results in a format; add --dtype FORMAT")


def _check_figures(judged: Judged, wrong: bool, output: leaving.OutputWords) -> None:
    """Judge the figures of a table, in print; a wrong one makes the exit code 1."""
    from gelu_cli.answers import check as answer
    from gelu_cli.cli.input.columns import Columns
    from gelu_cli.cli.input.figures import read_figures
    from gelu_cli.cli.output.reports import choose_output

    destination = choose_output(*output)
    left_out = judged.left_out()
    figures = read_figures(judged.table(left_out), Columns(judged.columns, destination.say))
    ending = destination.write(answer.check(figures, digits=output.digits, wrong_only=wrong))
    say_left_out(left_out, destination.say)
    if ending.failures:
        raise typer.Exit(1)


def _check_results(
    judged: Judged,
    number_format: Format,
    results: Results,
    judging: Judging,
    view: str | None,
    output: leaving.OutputWords,
    given: Given,
) -> None:
    """Judge the results of kernels in a format, as `gelu sweep` does."""
    from gelu_cli.answers.sweep import VIEWS_OF_RESULTS
    from gelu_cli.cli.input.budgets import read_budget
    from gelu_cli.cli.input.columns import Columns
    from gelu_cli.cli.input.result_files import ResultFile, check_file, read_columns
    from gelu_cli.cli.input.streams import ignore
    from gelu_cli.cli.output.destinations import choose_destination
    from gelu_cli.cli.output.messages import note
    from gelu_cli.cli.output.progress import Progress
    from gelu_cli.cli.output.verdicts import sweep_answer, write_verdicts
    from gelu_cli.comparison.criteria import CriteriaObserver
    from gelu_cli.sweeping.checking import check_sorted_results
    from gelu_cli.sweeping.sorted_results import SpillFile

    path, say = judged.path, ignore if output.quiet else note
    file = ResultFile(path, results.every, results.inputs)
    check_file(file, number_format)
    if results.every or results.inputs is not None:
        tables = {"purpose": "tables", "remedy": "leave --all and --inputs out"}
        given.refuse("--column", "--skip-unreadable", *[] if path else ["FILE"], **tables)
    destination = choose_destination(view, *output)
    if view and view not in VIEWS_OF_RESULTS:
        known = ", ".join(VIEWS_OF_RESULTS)
        raise UsageError(f"--view {view} is for records of gelu sweep; for results: {known}")
    leaving.refuse_other_views(given, destination, view)
    budget = read_budget(judging.budget, judging.tighten, output.path)
    formats = number_format, results.result or number_format

    def question(name: str) -> Question:
        return _question(name, path, number_format, results, given)

    def criteria(question: Question) -> CriteriaObserver:
        return CriteriaObserver([question], draws=results.every)

    left_out = judged.left_out()
    table, columns = partial(judged.table, left_out, in_a_format=True), Columns(judged.columns, say)
    with Progress(output.quiet), SpillFile() as spill:
        verdicts = [
            check_sorted_results(
                column.name or path or "X=Y",
                column.question,
                column.results,
                exhaustive=results.every,
                keep=judging.keep,
                ftz=judging.ftz,
                also=criteria if judging.criteria else None,
                asked={
                    "file": path or None,
                    "inputs": results.inputs,
                    "column": column.name or None,
                },
            )
            for column in read_columns(file, *formats, question, spill, table, columns.judged)
        ]
    say_left_out(left_out, say)
    answer = sweep_answer("check", verdicts, judging, given.names)
    write_verdicts(answer, destination, view, judging, output.quiet, budget)


def _question(
    column: str, source: str, number_format: Format, results: Results, given: Given
) -> Question:
    """Return what results should be: those of a column, or of a file that has no columns."""
    from gelu_cli.cli.input.columns import column_of
    from gelu_cli.sweeping.truth import Question

    auto = results.target == words.AUTO
    if not column:
        target = "exact" if auto or results.target is None else results.target
        if isinstance(target, str):  # no routine that could have a form of its own
            target = words.under("--target", words.parse_form)(target)
        quantity = results.quantity or "value"
        return Question(target, quantity, number_format, results.result, auto=auto)
    remedy = "name a column of gradients F_gradient"
    given.refuse("--quantity", purpose="results that no column names", remedy=remedy)
    form, quantity = column_of(column, "stdin" if source == "-" else source)
    if results.target is not None and not isinstance(results.target, str):
        form = results.target
    return Question(form, quantity, number_format, results.result, auto=auto)
