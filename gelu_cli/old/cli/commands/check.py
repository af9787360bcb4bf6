"""`gelu check`: figures that were computed elsewhere, judged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from gelu_cli.errors import JudgedError, UsageError
from gelu_cli.old.cli import glu, options, words
from gelu_cli.old.cli.kernels import quantity_of
from gelu_cli.old.cli.parameters import GIVEN, INPUTS, OUTPUT, Given, Group, argument, flag, option
from gelu_cli.old.reading.files import NotTextError, comes_in, name_of
from gelu_cli.old.reading.left_out import LeftOut
from gelu_cli.old.reading.names import column_of, judged_columns, parse_form
from gelu_cli.old.writing.messages import note

if TYPE_CHECKING:
    from gelu_cli.old.arithmetic.formats import Format
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.reading.tables import Table
    from gelu_cli.old.sweeping.gating import Gating
    from gelu_cli.old.sweeping.truth import Question
    from gelu_cli.old.writing.asked import Asked, Judging

DEFAULT_COLUMN = "exact"
"""What Y is in X=Y."""


class Source(NamedTuple):
    """What is judged: a file, `-`, or pairs; which columns; whether bad cells are left out."""

    files: Sequence[str] = argument(
        "[FILE]...",
        "A table with x and columns named as `gelu table` names them, in CSV, Markdown or "
        "JSON, or - for stdin; with --dtype raw results and .npy too. Or X=Y "
        "(2=1.9545), with --glu X,U=Y. Or a record, .json.",
        reads_stdin=True,
    )
    columns: Sequence[str] = option(
        "--column",
        many=True,
        metavar="NAME",
        parse=words.parse_column,
        help="Judge this column alone, may be repeated. Of X=Y it says what Y is. "
        f"Default: every column; {DEFAULT_COLUMN}.",
    )
    skips: bool = options.SKIP_UNREADABLE

    @property
    def path(self) -> str:
        """The file, or `-` for stdin, also if it is piped in without a word; "" for pairs."""
        from gelu_cli.old.reading.tables import is_pair

        if not self.files:
            if not comes_in():
                raise UsageError("no file; give FILE, X=Y, or - for stdin")
            return "-"
        if is_pair(self.files[0]):
            return ""
        if len(self.files) > 1:
            raise UsageError(f"unexpected '{self.files[1]}'; gelu check takes one FILE")
        return self.files[0]

    def table(
        self, path: str, left_out: LeftOut, *, second: bool = False, in_a_format: bool = False
    ) -> Table:
        """Return the table in the file, or that of the pairs; what is `left_out` is counted.

        Raises `UsageError` where there is none; of a file of results it says what raw ones need.
        """
        from gelu_cli.old.reading.tables import pair_table, read_table

        if not path:
            if len(self.columns) > 1:
                raise UsageError("--column: pairs are figures of one column; name one")
            (column,) = self.columns or [DEFAULT_COLUMN]
            columns, form = (["x", "up"], "X,U=Y") if second else (["x"], "X=Y")
            return pair_table(self.files, [*columns, column], left_out, form=form)
        if not in_a_format:
            return read_table(path, left_out)
        remedy = (
            "if it holds raw results, --inputs FILE names a file with x, --all says that there is "
            "a result for every bit pattern"
        )
        try:
            table = read_table(path, left_out)
        except NotTextError as error:
            raise UsageError(f"{error}; {remedy}") from None
        if any("\0" in name for name in table.header):  # as the bits of 0 have it
            raise UsageError(f"{name_of(path)} is no table; {remedy}")
        return table


class Results(NamedTuple):
    """What the results in a file should be, and at which inputs they are, if it does not say."""

    every: bool = options.ALL_RESULTS
    inputs: str | None = options.INPUTS_OF_RESULTS
    result: Format | None = options.RESULT
    form: Form | str | None = option(
        "--form",
        metavar="F",
        parse=words.parse_target,
        choices="targets_of_results",
        help="What results in a format should be; auto: the form that they are nearest to. "
        "Default: what their column is named; exact.",
    )
    quantity: str | None = options.quantity(
        None,
        "results_of_kernels",
        "What results are that no column names: {results_of_kernels}; the last two with --glu. "
        "Default: value.",
    )

    def question(
        self, column: str, source: str, dtype: Format, gating: Gating | None, given: Given
    ) -> Question:
        """Return what they should be: those of a column, or of a file that has no columns."""
        from gelu_cli.old.sweeping.truth import Question

        auto = self.form == words.AUTO
        if gating and auto:
            raise UsageError("--form auto is for kernels of one input; name a form")
        if column:
            remedy = "name a column of gradients F_gradient"
            purpose = "results that no column names"
            given.refuse("--quantity", purpose=purpose, remedy=remedy)
            name = "stdin" if source == "-" else source
            form, quantity = column_of(column, name, glu=gating is not None)
            if self.form is not None and not isinstance(self.form, str):
                form = self.form
        else:
            named = "exact" if auto or self.form is None else self.form
            if isinstance(named, str):  # no routine that could have a form of its own
                named = words.under("--form", parse_form)(named)
            form, quantity = named, quantity_of(self.quantity, given, gating)
        return Question(form, quantity, dtype, self.result, auto=auto, gating=gating)


SOURCE: Any = Group(Source, section=INPUTS)
RESULTS: Any = Group(Results)


def check(
    source: Source = SOURCE,
    wrong: bool = flag("--wrong", section=OUTPUT, help="Print only the figures that are wrong."),
    dtype: Format | None = options.dtype(
        None, "Judge results in this number format, in ULP: {dtypes}."
    ),
    results: Results = RESULTS,
    second: glu.SecondInput = glu.OF_RESULTS,
    judging: Judging = options.HOW_JUDGED,
    output: Asked = options.output_of_kernels("sweep_views"),
    given: Given = GIVEN,
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

      gelu check kernel.bin --all --dtype bfloat16 --form tanh

      gelu check geglu.csv --glu --dtype bfloat16

      gelu check record.json --view worst --max-ulp 2
    """
    from gelu_cli.old.arithmetic.formats import FLOAT64
    from gelu_cli.old.reading.records import holds_record

    path = source.path
    if path and holds_record(path, in_a_format=dtype is not None):
        _check_record(path, judging, output, given)
        return
    gating = second.with_upstreams(given).gating(dtype or FLOAT64)
    if dtype is None:
        _check_figures(source, path, gating, wrong, output, given)
    else:
        given.refuse("--wrong", purpose="printed figures", remedy="see --view worst")
        _check_results(source, path, dtype, results, gating, judging, output, given)


def _check_record(source: str, judging: Judging, output: Asked, given: Given) -> None:
    """Write the views of a record, and judge its figures by the limits given."""
    from gelu_cli.old.reading.records import read_record
    from gelu_cli.old.writing.destinations import choose
    from gelu_cli.old.writing.verdicts import write_record

    others = ["--wrong", "--dtype", *RESULTS.labels, *glu.OF_RESULTS.labels]
    others += ["--ftz", "--worst", "--criteria", "--column", "--skip-unreadable"]
    others += ["--mean", "--sigma"]
    purpose = f"figures and results, and {name_of(source)} is a record"
    given.refuse(*others, purpose=purpose, remedy="give a table")
    destination = choose(output)
    record = read_record(source)
    options.refuse_views_without(given, destination, record.tables)
    write_record(record, destination, judging, options.read_budget(judging, output))


def _check_figures(
    source: Source, path: str, gating: Gating | None, wrong: bool, output: Asked, given: Given
) -> None:
    """Judge the figures of a table, in print; a wrong one makes the exit code 1."""
    from gelu_cli.old.answers import check as answer
    from gelu_cli.old.reading.figures import read_figures
    from gelu_cli.old.writing.destinations import asks_for_picture, choose_tables

    in_formats = [*RESULTS.labels, *options.HOW_JUDGED.labels]
    in_formats += ["--view", "--packed", "--intermediate"]
    given.refuse(*in_formats, purpose="results in a format", remedy="add --dtype FORMAT")
    if asks_for_picture(output):
        raise UsageError("a picture is for results in a format; add --dtype FORMAT")
    destination, left_out, notes = choose_tables(output), LeftOut(source.skips), list[str]()
    glu = gating is not None
    columns = partial(judged_columns, wanted=source.columns, say=notes.append, glu=glu)
    figures = read_figures(source.table(path, left_out, second=glu), columns, gating)
    for text in notes:  # an error stands alone
        destination.say(text)
    report = answer.check(figures, digits=output.digits, wrong_only=wrong, pairs=glu)
    ending = destination.write(report)
    for text in left_out.notes():
        destination.say(text)
    if ending.failures:
        raise click.exceptions.Exit(JudgedError.exit_code)


def _check_results(
    source: Source,
    path: str,
    number_format: Format,
    results: Results,
    gating: Gating | None,
    judging: Judging,
    output: Asked,
    given: Given,
) -> None:
    """Judge the results of kernels in a format, as `gelu sweep` does."""
    from gelu_cli.old.answers.sweep import VIEWS_OF_RESULTS
    from gelu_cli.old.comparison.criteria import CriteriaObserver
    from gelu_cli.old.reading.result_files import ResultFile, read_columns
    from gelu_cli.old.reading.results import Due
    from gelu_cli.old.sweeping.checking import check_sorted_results
    from gelu_cli.old.sweeping.sorted_results import SpillFile
    from gelu_cli.old.writing.destinations import choose
    from gelu_cli.old.writing.progress import Progress
    from gelu_cli.old.writing.verdicts import Answer, write_verdicts

    pairs = gating is not None
    file = ResultFile(path, results.every, results.inputs, gating.packed if gating else "")
    file.check(number_format, pairs=pairs)
    gating = gating and gating._replace(packed="")  # the file is, not a kernel
    if results.inputs is None:
        given.refuse("--packed", purpose="--inputs", remedy="add it")
    if file.is_bare:
        tables = {"purpose": "tables", "remedy": "leave --all and --inputs out"}
        given.refuse("--column", "--skip-unreadable", *[] if path else ["FILE"], **tables)
    destination = choose(output)
    if output.view and output.view not in VIEWS_OF_RESULTS:
        known = ", ".join(VIEWS_OF_RESULTS)
        raise UsageError(f"--view {output.view} is for records of gelu sweep; for results: {known}")
    options.refuse_other_views(given, destination, output.view)
    budget = options.read_budget(judging, output)

    def question(name: str) -> Question:
        found = results.question(name, path, number_format, gating, given)
        return found._replace(normal=judging.normal)

    def observer(due: Question) -> CriteriaObserver:
        return CriteriaObserver([due], results.every, judging.criteria)

    left_out, notes = LeftOut(source.skips), list[str]()
    table = partial(source.table, left_out=left_out, second=pairs, in_a_format=True)
    columns = partial(judged_columns, wanted=source.columns, say=notes.append, glu=pairs)
    inputs = ("x", "up") if pairs else ("x",)
    with Progress(output.quiet), SpillFile() as spill:
        result = results.result or number_format
        due = Due(number_format, result, question, spill, columns, inputs)
        verdicts = [
            check_sorted_results(
                column.name or path or "X=Y",
                column.question,
                column.results,
                exhaustive=results.every,
                keep=judging.keep,
                ftz=judging.ftz,
                also=observer if judging.criteria else None,
                asked={
                    "file": path or None,
                    "inputs": results.inputs,
                    "column": column.name or None,
                },
            )
            for column in read_columns(file, due, table)
        ]
    for text in (*notes, *left_out.notes()) if not output.quiet else ():
        note(text)
    write_verdicts(Answer("check", verdicts, judging, given.names), destination, budget)
