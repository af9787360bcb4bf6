"""`gelu plot`: the forms, their derivatives or their errors, in the terminal or in a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gelu_cli.errors import UsageError
from gelu_cli.old.cli import options, words
from gelu_cli.old.cli.choices import choices_of
from gelu_cli.old.cli.parameters import GIVEN, Given, argument, option
from gelu_cli.old.reading.files import ignore
from gelu_cli.old.reading.names import parse_form
from gelu_cli.old.writing.messages import note

if TYPE_CHECKING:
    from gelu_cli.old.answers.plot.forms import Series
    from gelu_cli.old.formulas import Form
    from gelu_cli.old.writing.asked import Asked
    from gelu_cli.old.writing.destinations import Picture

OF_FORMS = (
    "--form", "--quantity", "--error", "--target", "--range", "--mark", "--points",
)  # fmt: skip
TABLES = (".csv", ".tsv", ".txt", ".md", ".jsonl")
"""How the names of tables end."""


def plot(
    record: str | None = argument(
        "FILE",
        "A record, as gelu sweep -o FILE.json writes it: its picture.",
        reads_stdin=True,
    ),
    forms: list[Form] = options.forms(default="exact; of errors tanh, sigmoid"),
    quantities: list[str] = options.quantities(
        "Quantities, with commas or repeated: {quantities}. Default: value and gradient of one "
        "form; value of several, and of errors."
    ),
    error: str | None = option(
        "--error",
        metavar="KIND",
        choices="kinds_of_error",
        help="Draw errors instead: {kinds_of_error}.",
    ),
    target: Form | None = options.target(None, "What errors are against. Default: exact."),
    ends: words.Ends = option(
        "--range", default="-4:4", metavar="A:B", parse=words.parse_ends, help="The x from A to B."
    ),
    marks: list[str] = option(
        "--mark", many=True, metavar="WHAT", choices="marks", help="Mark and label: {marks}."
    ),
    points: str | None = option(
        "--points",
        metavar="FILE",
        reads_stdin=True,
        help="Draw the figures of a table with a column x over the curves; - for stdin.",
    ),
    output: Asked = options.PICTURE_OUTPUT,
    given: Given = GIVEN,
) -> None:
    """Pictures of forms, their derivatives or errors, and of records.

    Every point is correctly rounded. Errors keep their sign, on a scale that is logarithmic on both
    sides of 0. PNG and PDF are drawn by matplotlib (pip install matplotlib).

    `gelu sweep` and `gelu check` draw errors in ULP, with --view plot or -o FILE, and so does this
    command from a record that they have written.

    Examples:

      gelu plot

      gelu plot --form exact,silu,relu --quantity value --range -3:1

      gelu plot --error absolute --mark supremum

      gelu plot --error relative --range -10:2 -o relative.svg

      gelu plot --error absolute --points measured.csv

      gelu plot record.json
    """
    from gelu_cli.old.writing.destinations import choose_picture

    picture = choose_picture(output)
    if record is not None:
        given.refuse(*OF_FORMS, purpose="forms", remedy=f"leave '{record}' out")
        _plot_record(record, picture)
        return
    from gelu_cli.old.answers import error as errors
    from gelu_cli.old.answers.plot import forms as answer
    from gelu_cli.old.answers.plot.forms import errors_of_series, with_series
    from gelu_cli.old.answers.table import chosen_quantities
    from gelu_cli.old.calculus.comparison import compare

    usual = answer.DEFAULT_FORMS if error is None else errors.DEFAULT_FORMS
    forms = forms or list(map(parse_form, usual))
    if error is None:
        given.refuse("--target", purpose="errors", remedy="add --error absolute or relative")
        some = answer.DEFAULT_QUANTITIES[: 1 if len(forms) > 1 else None]
        shown = chosen_quantities(quantities or some, forms)
        series = _series(points, ends, quiet=output.quiet)
        picture.write(lambda: with_series(answer.plot_forms(forms, shown, *ends, marks), series))
        return
    quantity, *others = quantities or ["value"]
    if others:
        raise UsageError("--error draws one quantity; give --quantity one")
    known = words.one_of("quantity", lambda: choices_of("derivatives"))
    words.under("--quantity", known)(quantity)
    against = target or parse_form(errors.DEFAULT_TARGET)
    comparisons = [compare(form, against, quantity) for form in forms]
    series = errors_of_series(_series(points, ends, quiet=output.quiet), comparisons[0], error)
    picture.write(lambda: with_series(answer.plot_errors(comparisons, error, *ends, marks), series))


def _series(source: str | None, ends: words.Ends, *, quiet: bool) -> list[Series]:
    """Return the figures of --points; notes say what of the table is not drawn."""
    if source is None:
        return []
    from gelu_cli.old.reading.figures import read_series

    say = ignore if quiet else note
    found, (low, high) = read_series(source, say), map(float, ends)
    beyond = sum(int(((x < low) | (x > high)).sum()) for _, x, _ in found)
    if beyond:
        of = sum(len(x) for _, x, _ in found)
        say(f"{beyond} of {of} figures are beyond --range, and not drawn")
    return found


def _plot_record(source: str, picture: Picture) -> None:
    """Draw the picture of a record; raises `UsageError` for a word that an option takes."""
    from gelu_cli.old.reading.records import read_record
    from gelu_cli.old.writing.verdicts import write_picture

    taken = {"--form": "forms_by_any_name", "--quantity": "quantities", "--error": "kinds_of_error"}
    for name, names in taken.items():
        said = {each.partition(":")[0] for each in source.split(",")}
        if said <= dict(choices_of(names)).keys() and not os.path.exists(source):
            raise UsageError(f"unexpected '{source}'; write {name} {source}")
    if Path(source).suffix.lower() in TABLES:
        raise UsageError(f"'{source}' is no record; write --points {source} to draw its figures")
    write_picture(read_record(source), picture)
