"""Verdicts on floating-point results, fresh or in a record: where tables, picture and notes go."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from shlex import join
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.cli.output.destinations import Destination, DocumentOutput, Picture
from gelu_cli.cli.output.limits import (
    BudgetJudge,
    Limits,
    judge_by_limits,
    large_error,
    wrong_result,
)
from gelu_cli.cli.output.messages import note, say
from gelu_cli.errors import JudgedError, UsageError
from gelu_cli.report.documents import Document, Finding, table_of
from gelu_cli.report.numbers import FLOAT64_DIGITS
from gelu_cli.sweeping.rows import PICTURE

if TYPE_CHECKING:
    from gelu_cli.budgets import Budget
    from gelu_cli.cli.judging import Judging
    from gelu_cli.cli.output.reports import Output
    from gelu_cli.errors import ComputationError
    from gelu_cli.report import Report
    from gelu_cli.report.plots import Plot
    from gelu_cli.sweeping.at import At
    from gelu_cli.sweeping.records import Record
    from gelu_cli.sweeping.verdict import Verdict

MOST_CHANGES = 1000
"""So many inputs that depend on the surroundings a document lists if nobody says: it is for
readers, and a note has their number."""


class Answer(NamedTuple):
    """An answer on verdicts: the command that gives it, its title, its tables, its picture."""

    command: str
    verdicts: Sequence[Verdict]
    title: str
    views: Callable[[int | None, int | None], Mapping[str, Callable[[], Report]]]
    """The tables by name, with numbers of so many digits and so many of the changed inputs."""

    plot: Callable[[], Plot]
    for_all: str = ""
    """How to judge all inputs, where a sample was judged."""

    @property
    def complete(self) -> bool:
        """Whether all that was asked was judged."""
        return all(verdict.complete for verdict in self.verdicts)

    @property
    def failure(self) -> ComputationError | None:
        """What made a kernel fail."""
        return next((verdict.failure for verdict in self.verdicts if verdict.failure), None)


def sweep_answer(
    command: str,
    verdicts: Sequence[Verdict],
    judging: Judging,
    options: Collection[str],
    for_all: str = "",
) -> Answer:
    """Return the answer of `gelu sweep`, which `gelu check` gives on results as well.

    `options` are those given, some of which make tables beside the usual ones.
    """
    from gelu_cli.answers.plot.sweeps import plot_sweep
    from gelu_cli.answers.sweep import TITLE, sweep_views

    return Answer(
        command,
        verdicts,
        TITLE,
        lambda digits, changed: sweep_views(verdicts, digits, judging.keep, options, changed),
        lambda: plot_sweep(verdicts, judging.max_ulp),
        for_all,
    )


def write_verdicts(
    answer: Answer,
    destination: Destination,
    view: str | None,
    judging: Judging,
    quiet: bool,
    budget: Budget | None = None,
) -> None:
    """Write the views asked for, and what else was seen as notes.

    Where some of the inputs keep the limit, a note says that others may not. Raises `JudgedError`
    where a limit, or a bound of the budget, is exceeded.

    What an interrupt or a failing kernel has left incomplete goes to stdout: a file is written
    whole or not at all. The failure is raised at last.
    """
    verdicts, complete, failure = answer.verdicts, answer.complete, answer.failure
    if failure or not complete:
        destination = _for_a_part(destination, verdicts, failed=failure is not None)
    limits = _limits(answer, judging, budget)
    notes = [(verdict.name, text) for verdict in verdicts for text in verdict.notes]
    if isinstance(destination, DocumentOutput):
        destination.write(_document(answer, destination, judging, limits, notes))
    elif isinstance(destination, Picture):
        destination.write(answer.plot, quiet)
    else:
        # On a terminal as many changes as worst inputs are listed, elsewhere all if nobody says.
        changed = judging.worst or (judging.keep if destination.for_people else None)
        destination.write_views(answer.views(destination.digits, changed), view)
    if not quiet:
        tell_notes([*notes, *limits.caveats])
    limits.tell(quiet=quiet)
    if failure:
        for complaint in limits.exceeded:
            note(complaint)
        raise failure
    if not complete:
        raise KeyboardInterrupt
    limits.raise_failed()


def _limits(answer: Answer, judging: Judging, budget: Budget | None) -> Limits:
    """Return what limits say of an answer, nothing of one that is not complete."""
    if not answer.complete:
        return Limits()
    bounds = None
    if budget is not None and not answer.failure:
        from gelu_cli.budgets.figures import FiguresOfVerdict

        figures = [FiguresOfVerdict(verdict) for verdict in answer.verdicts]
        bounds = BudgetJudge(budget, figures, tighten=judging.tighten)
    return judge_by_limits(answer.verdicts, judging.max_ulp, bounds, answer.for_all)


def _document(
    answer: Answer,
    destination: DocumentOutput,
    judging: Judging,
    limits: Limits,
    notes: Sequence[tuple[str, str]],
) -> Document:
    """Return all that there is: tables, picture, what was asked and where it was computed."""
    from gelu_cli.answers.sweep import report_of_plot
    from gelu_cli.environment import host
    from gelu_cli.sweeping.records import origin_of, question_of

    verdicts, keep = answer.verdicts, judging.keep
    views: Mapping[str, Callable[[], Report]] = {
        **answer.views(destination.digits, judging.worst or MOST_CHANGES),
        PICTURE: lambda: report_of_plot(verdicts),
    }
    made = {
        "time": datetime.now().astimezone().isoformat(timespec="seconds"),
        "host": host.host(),
        "python": host.python(),
        "versions": host.versions(),
        "variables": host.variables(),
        "kernels": [*map(origin_of, verdicts)],
    }
    shown = [*views][: 1 if destination.renderer.first else None]
    return Document(
        answer.title,
        join(["gelu", *sys.argv[1:]]),
        made,
        question_of(answer.command, verdicts, worst=keep, criteria=judging.criteria),
        {name: table_of(views[name]()) for name in shown},
        [answer.plot()],
        [*limits.findings, *_broken(verdicts)],
        texts_of(notes),
        caveats=texts_of(limits.caveats),
    )


def _broken(verdicts: Sequence[Verdict]) -> Iterator[Finding]:
    """Yield why there is no complete answer on some, if there is none."""
    for verdict in verdicts:
        if verdict.failure or not verdict.complete:
            said = str(verdict.failure or f"interrupted after {verdict.total.inputs:,} inputs")
            yield Finding(verdict.name, "every input is judged", False, said, broken=True)


def _for_a_part(
    destination: Destination, verdicts: Sequence[Verdict], *, failed: bool
) -> Destination:
    """Return where incomplete verdicts go, and say so: after a failure, or else an interrupt."""
    left = ""
    if destination.path is not None:
        left = f"'{destination.path}' is left as it was, what was found is on stdout"
        destination = destination.on_stdout()
    if not failed:
        judged = max(verdict.total.inputs for verdict in verdicts)
        say("; ".join(filter(None, (f"interrupted after {judged:,} inputs", left))))
    elif left:
        note(left)
    return destination


def texts_of(notes: Sequence[tuple[str, str]]) -> list[str]:
    """Return notes as a document has them, each behind the name of its kernel."""
    return [f"{name}: {text}" for name, text in notes]


def tell_notes(notes: Sequence[tuple[str, str]]) -> None:
    """Say what else was seen, once where it holds for several routines."""
    said: dict[str, list[str]] = {}
    for name, text in notes:
        said.setdefault(text, []).append(name)
    for text, names in said.items():
        note(f"{', '.join(names)}: {text}")


def write_at(
    found: Sequence[At], destination: Output, limit: Fraction | None, notes: Sequence[str]
) -> None:
    """Write results at single inputs; raises `JudgedError` where an error exceeds --max-ulp."""
    from gelu_cli.answers.sweep import report_at

    destination.write(report_at(found, destination.digits))
    if not destination.quiet:
        for text in notes:
            note(text)
        tell_notes([(each.verdict.name, text) for each in found for text in each.verdict.notes])
    for each in found:
        if complaint := _excess_at(each, limit):
            raise JudgedError(complaint)


def _excess_at(found: At, limit: Fraction | None) -> str:
    worst, name = found.worst, found.verdict.name
    if worst is None or limit is None:
        return ""
    if worst.error is None:
        return wrong_result(name, worst.x, worst.got, worst.want)
    return large_error(name, worst.error, limit) if worst.error.ulp > limit else ""


# Records


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
    from gelu_cli.answers.sweep import TITLE, views_of_record

    limits = judge_by_limits(record.verdicts, limit, bounds)
    if limit is not None or bounds is not None:
        findings = [finding._asdict() for finding in limits.findings]
        record = replace(record, findings=findings, caveats=texts_of(limits.caveats))
    if isinstance(destination, Picture):
        write_picture(record, destination, quiet)
    else:
        digits = destination.digits
        if digits is not None and digits > FLOAT64_DIGITS:
            raise UsageError(
                f"--digits {digits}: a record has float64s, of {FLOAT64_DIGITS} digits"
            )
        views = views_of_record(record, digits)
        if isinstance(destination, DocumentOutput):
            destination.write(
                Document(
                    TITLE,
                    record.command,
                    record.made,
                    record.question,
                    {name: table_of(each()) for name, each in views.items()},
                    [_plot(record)] if record.views.get(PICTURE) else [],
                    [Finding(**finding) for finding in record.findings],
                    record.notes,
                    record.gelu,
                    caveats=record.caveats,
                )
            )
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
