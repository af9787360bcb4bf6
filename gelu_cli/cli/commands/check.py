"""`gelu check`: figures that were computed elsewhere, judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from gelu_cli.cli import choices, options
from gelu_cli.cli.input import words
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.arithmetic.formats import Format
    from gelu_cli.cli.given import Given
    from gelu_cli.forms import Form
    from gelu_cli.kernels.verdict import Verdict


class Results(NamedTuple):
    """What the results in a file should be, and whether it has one for every bit pattern."""

    every: bool
    target: Form | str | None
    quantity: str | None


RESULTS: Any = options.Group(
    Results,
    {
        "every": options.flag(
            "--all",
            help="FILE has a result for every bit pattern of a 16- or 8-bit --dtype: .npy or raw.",
        ),
        "target": options.option(
            None,
            metavar="F",
            parser=words.under("--target", words.parse_target),
            autocompletion=choices.forms,
            help="What results in a format should be. Default: what their column is named; exact.",
        ),
        "quantity": options.quantity(
            None, choices.results, "What the file of --all holds: {results}. Default: value."
        ),
    },
)


def check(
    source: str | None = options.argument(
        metavar="FILE",
        help="CSV with x and columns named as `gelu table` names them, or - for stdin.",
    ),
    wrong: bool = options.flag("--wrong", help="Print only the figures that are wrong."),
    dtype: Format | None = options.dtype(None, "Judge results in a format, in ULP: {dtypes}."),
    results: Results = RESULTS,
    judging: options.Judging = options.JUDGING,
    view: str | None = options.CHECK_VIEW,
    output: options.OutputWords = options.OUTPUT_WORDS,
    given: Given = options.GIVEN,
) -> None:
    """Judge figures in print, or results of a kernel from a file.

    A figure is right if it is the true value, rounded to the last decimal that is printed. x
    counts as typed. A figure of at most 17 digits may also be a float64, for the float64 that is
    nearest to x, as `gelu table` prints it. A wrong one makes the exit code 1.

    With --dtype the columns are results of a kernel, and the report is that of `gelu sweep`:
    numbers, hexadecimal floats (0x1.8p+1) or bit patterns (0x3f80), also in columns F_bits.

    Columns are x and, for a form F, F, F_gradient, F_gate and F_curvature, separated by commas,
    tabs or semicolons. Empty cells are left out.

    The correct figure is printed to as many decimals, or to --digits significant digits.

    Examples:

      gelu check published.csv

      gelu check published.csv --wrong --digits 8 --format markdown

      gelu check kernel.csv --dtype bfloat16 --max-ulp 1

      gelu check kernel.bin --all --dtype bfloat16 --target tanh
    """
    if source is None:
        raise UsageError("no file: give FILE, or - for stdin")
    if dtype is None:
        _refuse_what_is_for_results(given, output)
        _check_figures(source, wrong, output)
    else:
        given.refuse("--wrong", purpose="printed figures", remedy="see --view worst")
        _check_results(source, dtype, results, judging, view, output, given)


def _refuse_what_is_for_results(given: Given, output: options.OutputWords) -> None:
    from gelu_cli.cli.output.pictures import names_picture

    in_formats = ["--all", "--ftz", "--target", "--view", "--quantity", "--worst", "--max-ulp"]
    given.refuse(*in_formats, purpose="results in a format", remedy="add --dtype FORMAT")
    if names_picture(output.format_name, output.path):
        raise UsageError("a picture is for results in a format: add --dtype FORMAT")


def _check_figures(source: str, wrong: bool, output: options.OutputWords) -> None:
    """Judge the figures of a table, in print; a wrong one makes the exit code 1."""
    from gelu_cli.answers import check as answer
    from gelu_cli.cli.input.csv import read_csv
    from gelu_cli.cli.input.figures import read_figures
    from gelu_cli.cli.output.reports import choose_output

    destination = choose_output(*output)
    figures = read_figures(read_csv(source))
    ending = destination.write(answer.check(figures, digits=output.digits, wrong_only=wrong))
    if ending.failures:
        raise typer.Exit(1)


def _check_results(
    source: str,
    number_format: Format,
    results: Results,
    judging: options.Judging,
    view: str | None,
    output: options.OutputWords,
    given: Given,
) -> None:
    """Judge the results of kernels in a format, as `gelu sweep` does."""
    from gelu_cli.cli.output.progress import Progress
    from gelu_cli.cli.output.verdicts import choose_destination, write_verdicts

    destination = choose_destination(view, *output)
    options.refuse_other_views(given, destination, view)
    if not results.every:
        given.refuse("--quantity", purpose="--all", remedy="name a column of gradients F_gradient")
    check_all = _check_every if results.every else _check_columns
    with Progress(output.quiet):
        verdicts = check_all(source, number_format, results, judging)
    write_verdicts(verdicts, destination, view, judging.keep, judging.max_ulp, output.quiet)


def _check_every(
    source: str, number_format: Format, results: Results, judging: options.Judging
) -> list[Verdict]:
    from gelu_cli.cli.input.every_result import read_every_result
    from gelu_cli.kernels.checking import check_results
    from gelu_cli.kernels.truth import Question

    if number_format.width > 16:
        raise UsageError("--all is for the 16- and 8-bit formats, e.g. --dtype bfloat16")
    target = results.target or words.parse_form("exact")
    if isinstance(target, str):  # no routine that could have a form of its own
        target = words.under("--target", words.parse_form)(target)
    question = Question(target, results.quantity or "value", number_format)
    x, got = read_every_result(source, number_format)
    verdict = check_results(
        source, question, x, got, exhaustive=True, keep=judging.keep, ftz=judging.ftz
    )
    return [verdict]


def _check_columns(
    source: str, number_format: Format, results: Results, judging: options.Judging
) -> list[Verdict]:
    from gelu_cli.cli.input.csv import read_csv
    from gelu_cli.cli.input.figures import column_of
    from gelu_cli.cli.input.results import read_results
    from gelu_cli.kernels.checking import check_sorted_results
    from gelu_cli.kernels.sorted_results import SpillFile
    from gelu_cli.kernels.truth import Question

    file, verdicts = read_csv(source), []
    with SpillFile() as spill:
        for name, found in read_results(file, number_format, spill):
            form, quantity = column_of(name, file.name)
            if results.target is not None and not isinstance(results.target, str):
                form = results.target
            question = Question(form, quantity, number_format)
            verdict = check_sorted_results(
                name, question, found, exhaustive=False, keep=judging.keep, ftz=judging.ftz
            )
            verdicts.append(verdict)
    return verdicts
