"""`gelu plot`: the forms, their derivatives or their errors, in the terminal or in a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gelu_cli.cli import choices, entries, leaving, options, sections
from gelu_cli.cli.input import words
from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.answers.plot.forms import Series
    from gelu_cli.cli.given import Given
    from gelu_cli.cli.output.destinations import Picture
    from gelu_cli.cli.output.looks import LookWords
    from gelu_cli.forms import Form


def _picture(format_name: str, path: str | None, look: LookWords) -> Picture:
    from gelu_cli.cli.output.destinations import choose_picture

    return choose_picture(format_name, path, look)


PICTURE: Any = entries.Group(
    leaving.with_look(_picture),
    {
        "format_name": leaving.format_name(
            choices.pictures,
            "Kind of picture: {pictures}. auto: text, or what the suffix of FILE says.",
        ),
        "path": entries.option(
            None, "--output", "-o", metavar="FILE", help="Write to FILE, whole or not at all."
        ),
        **leaving.LOOK,
    },
    section=sections.OUTPUT,
)


OF_FORMS = (
    "--form", "--show", "--error", "--target", "--range", "--mark", "--points",
)  # fmt: skip


TABLES = (".csv", ".tsv", ".txt", ".md", ".jsonl")
"""How the names of tables end."""


class Over(NamedTuple):
    """What is drawn over the curves."""

    marks: list[str] | None
    points: str | None

    @property
    def marked(self) -> list[str]:
        """The kinds of marks."""
        return self.marks or []

    def series(self, ends: words.Ends, quiet: bool) -> list[Series]:
        """Return the figures of --points; notes say what of the table is not drawn."""
        if self.points is None:
            return []
        from gelu_cli.cli.input.series import read_series
        from gelu_cli.cli.input.streams import ignore
        from gelu_cli.cli.output.messages import note

        say = ignore if quiet else note
        found, (low, high) = read_series(self.points, say), map(float, ends)
        beyond = sum(int(((x < low) | (x > high)).sum()) for _, x, _ in found)
        if beyond:
            of = sum(len(x) for _, x, _ in found)
            say(f"{beyond} of {of} figures are beyond --range, and not drawn")
        return found


OVER: Any = entries.Group(
    Over,
    {
        "marks": entries.option(
            None,
            "--mark",
            many=True,
            metavar="WHAT",
            parser=words.under("--mark", words.one_of("mark", choices.marks)),
            autocompletion=choices.marks,
            help="Mark and label: {marks}.",
        ),
        "points": entries.option(
            None,
            "--points",
            metavar="FILE",
            reads_stdin=True,
            help="Draw the figures of a table with a column x over the curves; - for stdin.",
        ),
    },
)


def _plot_record(source: str, picture: Picture, quiet: bool) -> None:
    """Draw the picture of a record; raises `UsageError` for a word that an option takes."""
    from gelu_cli.cli.input.records import read_record
    from gelu_cli.cli.output.verdicts import write_picture

    taken = {
        "--form": choices.forms_by_any_name,
        "--show": choices.quantities,
        "--error": choices.kinds_of_error,
    }
    for option, names in taken.items():
        said = {each.partition(":")[0] for each in source.split(",")}
        if said <= dict(names()).keys() and not os.path.exists(source):
            raise UsageError(f"unexpected '{source}'; write {option} {source}")
    if Path(source).suffix.lower() in TABLES:
        raise UsageError(f"'{source}' is no record; write --points {source} to draw its figures")
    write_picture(read_record(source), picture, quiet)


def plot(
    record: str | None = entries.argument(
        metavar="FILE",
        reads_stdin=True,
        help="A record, as gelu sweep -o FILE.json writes it: its picture.",
    ),
    forms: list[Form] = options.forms("exact; of errors tanh, sigmoid"),
    show: list[str] = options.quantities(
        "Quantities, with commas or repeated: {quantities}. Default: value, gradient; of errors "
        "value."
    ),
    error: str | None = entries.option(
        None,
        metavar="KIND",
        parser=words.under("--error", words.one_of("error", choices.kinds_of_error)),
        autocompletion=choices.kinds_of_error,
        help="Draw errors instead: {kinds_of_error}.",
    ),
    target: Form | None = options.target(None, "What errors are against. Default: exact."),
    ends: words.Ends = entries.option(
        "-4:4", "--range", metavar="A:B", parser=words.ends(), help="The x from A to B."
    ),
    over: Over = OVER,
    picture: Picture = PICTURE,
    quiet: bool = leaving.QUIET.under(sections.OUTPUT),
    given: Given = options.GIVEN,
) -> None:
    """Pictures of forms, their derivatives or errors, and of records.

    Every point is correctly rounded. Errors keep their sign, on a scale that is logarithmic on both
    sides of 0. PNG, SVG and PDF are drawn by matplotlib (pip install matplotlib).

    `gelu sweep` and `gelu check` draw errors in ULP, with --view plot or -o FILE, and so does this
    command from a record that they have written.

    Examples:

      gelu plot

      gelu plot --form exact,silu,relu --show value --range -3:1

      gelu plot --error absolute --mark supremum

      gelu plot --error relative --range -10:2 -o relative.svg

      gelu plot --error absolute --points measured.csv

      gelu plot record.json
    """
    if record is not None:
        given.refuse(*OF_FORMS, purpose="forms", remedy=f"leave '{record}' out")
        _plot_record(record, picture, quiet)
        return
    from gelu_cli.answers.error import line as errors
    from gelu_cli.answers.plot import forms as answer
    from gelu_cli.answers.plot.forms import errors_of_series, with_series
    from gelu_cli.answers.table import chosen_quantities
    from gelu_cli.calculus.comparison import compare
    from gelu_cli.cli.input.words import parse_form, parse_forms

    if error is None:
        given.refuse("--target", purpose="errors", remedy="add --error absolute or relative")
        forms = forms or parse_forms(answer.DEFAULT_FORMS)
        quantities = chosen_quantities(show or answer.DEFAULT_QUANTITIES, forms)
        series = over.series(ends, quiet)
        picture.write(
            lambda: with_series(answer.plot_forms(forms, quantities, *ends, over.marked), series),
            quiet,
        )
        return
    quantity, *others = show or ["value"]
    if others:
        raise UsageError("--error draws one quantity; give --show one")
    words.under("--show", words.one_of("quantity", choices.derivatives))(quantity)
    against = target or parse_form(errors.DEFAULT_TARGET)
    forms = forms or parse_forms(errors.DEFAULT_FORMS)
    comparisons = [compare(form, against, quantity) for form in forms]
    series = errors_of_series(over.series(ends, quiet), comparisons[0], error)
    picture.write(
        lambda: with_series(answer.plot_errors(comparisons, error, *ends, over.marked), series),
        quiet,
    )
