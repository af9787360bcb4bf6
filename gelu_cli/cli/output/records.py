"""What a record leaves as: its tables, its picture, another document; and limits, judged again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gelu_cli.cli.output.documents import DocumentOutput
from gelu_cli.cli.output.limits import judge_by_limits
from gelu_cli.cli.output.messages import note
from gelu_cli.cli.output.pictures import Picture
from gelu_cli.cli.output.verdicts import Destination, texts_of
from gelu_cli.errors import UsageError
from gelu_cli.report.documents import Document, Finding, table_of
from gelu_cli.report.numbers import FLOAT64_DIGITS
from gelu_cli.sweeping.rows import PICTURE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from gelu_cli.cli.output.limits import BudgetJudge
    from gelu_cli.report.documents import Table
    from gelu_cli.report.plots import Plot
    from gelu_cli.sweeping.records import Record


def write_record(
    record: Record,
    destination: Destination,
    view: str | None,
    limit: Fraction | None,
    quiet: bool,
    bounds: BudgetJudge | None = None,
) -> None:
    """Write the views asked for, all of them as one document, or the picture.

    What limits said before is replaced by what the limits given say, if there are any. Raises
    `JudgedError` where an error exceeds the limit, --max-ulp, or a figure a bound.
    """
    from gelu_cli.answers.sweep import views_of_record

    limits = judge_by_limits(record.verdicts, limit, bounds)
    if limit is not None or bounds is not None:
        findings = [finding._asdict() for finding in limits.findings]
        record = replace(record, findings=findings, caveats=texts_of(limits.caveats))
    if isinstance(destination, Picture):
        write_picture(record, destination, quiet)
    else:
        _check_digits(destination.digits)
        views = views_of_record(record, destination.digits)
        if isinstance(destination, DocumentOutput):
            tables = {name: table_of(each()) for name, each in views.items()}
            destination.write_whole(_document(record, tables))
        else:
            if view is not None and view not in record.tables:
                raise UsageError(f"--view {view}: {record.source} has {', '.join(views)}")
            destination.write_views({name: views[name] for name in record.tables}, view)
    for text in (*record.notes, *record.caveats) if not quiet else ():
        note(text)
    limits.tell(quiet=quiet)
    limits.raise_failed()


def write_picture(record: Record, picture: Picture, quiet: bool) -> None:
    """Draw the picture of a record; raises `UsageError` where it has none."""
    if not record.views.get(PICTURE):
        raise UsageError(f"{record.source} has no picture: its view '{PICTURE}' is empty")
    picture.write(lambda: _plot(record), quiet)


def _plot(record: Record) -> Plot:
    from gelu_cli.answers.plot.sweeps import plot_sweep

    return plot_sweep(record.verdicts, record.bound)


def _document(record: Record, tables: Mapping[str, Table]) -> Document:
    """Return the document that a record is."""
    from gelu_cli.answers.sweep import TITLE

    return Document(
        TITLE,
        record.command,
        record.made,
        record.question,
        tables,
        [_plot(record)] if record.views.get(PICTURE) else [],
        [Finding(**finding) for finding in record.findings],
        record.notes,
        record.gelu,
        caveats=record.caveats,
    )


def _check_digits(digits: int | None) -> None:
    if digits is not None and digits > FLOAT64_DIGITS:
        raise UsageError(f"--digits {digits}: a record has float64s, of {FLOAT64_DIGITS} digits")
