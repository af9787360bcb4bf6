"""Verdicts on results, fresh or in a record: where tables and notes go, and what limits say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.errors import JudgedError, UsageError
from gelu_cli.old.answers.sweep import TITLE, recorded, report_at, report_of_plot, sweep_views
from gelu_cli.old.report import Report
from gelu_cli.old.report.documents import Document, Finding, table_of
from gelu_cli.old.report.numbers import FLOAT64_DIGITS
from gelu_cli.old.report.plots import TEXT, Plot
from gelu_cli.old.sweeping.records import MAX_ULP, Record, made_of, question_of
from gelu_cli.old.sweeping.rows import above, shown
from gelu_cli.old.writing.asked import Judging
from gelu_cli.old.writing.destinations import (
    EVERY,
    PLOT,
    Destination,
    DocumentOutput,
    Output,
    Picture,
    Views,
    typed_command,
)
from gelu_cli.old.writing.files import changed_alone, write_out
from gelu_cli.old.writing.messages import note, say
from gelu_cli.old.writing.screen import write_screen

if TYPE_CHECKING:
    from gelu_cli.old.budgets import Budget, Judgement
    from gelu_cli.old.budgets.figures import KernelFigures
    from gelu_cli.old.budgets.tightening import Tightened
    from gelu_cli.old.comparison.differences import Comparison
    from gelu_cli.old.sweeping.at import At
    from gelu_cli.old.sweeping.exact_errors import JudgedResult
    from gelu_cli.old.sweeping.verdict import Verdict

MOST_CHANGES = 1000
"""Inputs that depend on the surroundings which a document lists by default: it is for readers, and
a note has their number."""


class Answer(NamedTuple):
    """An answer on verdicts: the command that gives it, how they are judged, what was compared."""

    command: str
    verdicts: Sequence[Verdict]
    judging: Judging
    options: Collection[str] = ()
    """Those given, some of which make tables beside the usual ones."""
    for_all: str = ""
    """How to judge all inputs, where a sample was judged."""
    compared: Comparison | None = None

    def views(self, digits: int | None, changed: int | None) -> Mapping[str, Callable[[], Report]]:
        """Return the tables, with numbers of so many digits and so many of the changed inputs."""
        from gelu_cli.old.answers.compare.kernels import compare_views

        limit = self.judging.max_ulp
        if self.compared:
            return compare_views(self.compared, digits, self.judging.keep)
        return sweep_views(self.verdicts, digits, self.judging.keep, self.options, changed, limit)

    def plot(self) -> Plot:
        """Return the picture."""
        from gelu_cli.old.answers.plot.sweeps import plot_comparison, plot_sweep

        limit = self.judging.max_ulp
        if self.compared:
            return plot_comparison(self.compared, limit)
        return plot_sweep(self.verdicts, limit)


def write_verdicts(answer: Answer, destination: Destination, budget: Budget | None = None) -> None:
    """Write the views asked for, and what else was seen as notes.

    Where some of the inputs keep the limit, a note says that others may not. Raises `JudgedError`
    where a limit, or a bound of the budget, is exceeded.

    What an interrupt or a failing kernel has left incomplete goes to stdout: a file is written
    whole or not at all. The failure is raised at last.
    """
    verdicts, judging, quiet = answer.verdicts, answer.judging, destination.quiet
    complete = all(verdict.complete for verdict in verdicts)
    failure = next((verdict.failure for verdict in verdicts if verdict.failure), None)
    if failure or not complete:
        destination = _for_a_part(destination, verdicts, failed=failure is not None)
    limits = Limits()
    if complete:
        figures = []
        if (budget or judging.limits) and not failure:
            from gelu_cli.old.budgets.figures import figures_of

            figures = [figures_of(verdict) for verdict in verdicts]
        own = None if failure else budget
        limits = _judge_by_limits(verdicts, judging, figures, own, answer.for_all)
    notes = [(verdict.name, text) for verdict in verdicts for text in verdict.notes]
    if isinstance(destination, DocumentOutput):
        destination.write(_document(answer, destination, limits, notes))
    elif isinstance(destination, Picture):
        destination.write(answer.plot)
    else:
        # On a terminal as many changes as worst inputs are listed, elsewhere all if nobody says.
        changed = judging.worst or (judging.keep if destination.for_people else None)
        _write_views(answer.views(destination.digits, changed), destination, judging)
    if not quiet:
        _tell_notes([*notes, *limits.caveats])
    limits = limits.told(quiet=quiet)
    if failure:
        for complaint in limits.exceeded:
            note(complaint)
        raise failure
    if not complete:
        raise KeyboardInterrupt
    limits.raise_failed()


def _write_views(views: Views, destination: Output, judging: Judging) -> None:
    """Write one screen of an answer for a person, else its tables."""
    if destination.is_screen and "summary" in views:
        write_screen(views, destination, judging.worst)
    else:
        destination.write_views(views)


def _document(
    answer: Answer, destination: DocumentOutput, limits: Limits, notes: Sequence[tuple[str, str]]
) -> Document:
    """Return all that there is: tables, picture, what was asked and where it was computed."""
    from gelu_cli.old.answers.compare.kernels import TITLE as OF_TWO

    verdicts, judging = answer.verdicts, answer.judging
    views: Mapping[str, Callable[[], Report]] = {
        **answer.views(destination.digits, judging.worst or MOST_CHANGES),
        PLOT: lambda: report_of_plot(verdicts),
    }
    return Document(
        OF_TWO if answer.compared else TITLE,
        typed_command(),
        made_of(verdicts),
        question_of(answer.command, verdicts, worst=judging.keep, criteria=bool(judging.criteria)),
        {name: table_of(views[name]()) for name in destination.shown([*views])},
        [answer.plot()],
        [*limits.findings, *_broken(verdicts)],
        _texts_of(notes),
        caveats=_texts_of(limits.caveats),
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
        if isinstance(destination, Picture):  # as text
            asked = destination.asked._replace(size=None, dpi=None, theme=None)
            destination = Picture(None, TEXT, asked)
        else:
            destination = destination._replace(path=None)
    if not failed:
        judged = max(verdict.total.inputs for verdict in verdicts)
        say("; ".join(filter(None, (f"interrupted after {judged:,} inputs", left))))
    elif left:
        note(left)
    return destination


def _texts_of(notes: Sequence[tuple[str, str]]) -> list[str]:
    """Return notes as a document has them, each behind the name of its kernel."""
    return [f"{name}: {text}" for name, text in notes]


def _tell_notes(notes: Sequence[tuple[str, str]]) -> None:
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
    destination.write(report_at(found, destination.digits))
    if not destination.quiet:
        for text in notes:
            note(text)
        _tell_notes([(each.verdict.name, text) for each in found for text in each.verdict.notes])
    for each in found:
        worst = each.worst
        said = "" if limit is None or not worst else _exceeding(each.verdict, worst, limit)
        if said:
            raise JudgedError(said)


# Records


def write_record(
    record: Record,
    destination: Destination,
    judging: Judging,
    budget: Budget | None = None,
) -> None:
    """Write the views asked for, all of them as one document, or the picture.

    What limits said before is replaced by what the limits given say, if there are any. Raises
    `JudgedError` where an error exceeds a limit, or a figure a bound.
    """
    from gelu_cli.old.budgets.figures import figures_of_record

    figures = figures_of_record(record) if budget or judging.limits else []
    limits = _judge_by_limits(record.verdicts, judging, figures, budget)
    if limits.findings:
        findings = [finding._asdict() for finding in limits.findings]
        record = replace(record, findings=findings, caveats=_texts_of(limits.caveats))
    if isinstance(destination, Picture):
        write_picture(record, destination)
    else:
        _write_tables(record, destination, judging)
    for text in (*record.notes, *record.caveats) if not destination.quiet else ():
        note(text)
    limits.told(quiet=destination.quiet).raise_failed()


def _write_tables(record: Record, destination: Output | DocumentOutput, judging: Judging) -> None:
    digits = destination.digits
    if digits is not None and digits > FLOAT64_DIGITS:
        raise UsageError(f"--digits {digits}: a record has float64s, of {FLOAT64_DIGITS} digits")
    views = {name: partial(recorded, record, name, digits=digits) for name in record.views}
    if isinstance(destination, Output):
        if destination.view not in (None, EVERY, *record.tables):
            raise UsageError(f"--view {destination.view}: {record.source} has {', '.join(views)}")
        _write_views({name: views[name] for name in record.tables}, destination, judging)
        return
    destination.write(
        Document(
            TITLE,
            record.command,
            record.made,
            record.question,
            {name: table_of(each()) for name, each in views.items()},
            [_plot(record)] if record.views.get(PLOT) else [],
            [Finding(**finding) for finding in record.findings],
            record.notes,
            record.gelu,
            caveats=record.caveats,
        )
    )


def write_picture(record: Record, picture: Picture) -> None:
    """Draw the picture of a record; raises `UsageError` where it has none."""
    if not record.views.get(PLOT):
        raise UsageError(f"{record.source} has no picture: its view '{PLOT}' is empty")
    picture.write(lambda: _plot(record))


def _plot(record: Record) -> Plot:
    from gelu_cli.old.answers.plot.sweeps import plot_sweep

    return plot_sweep(record.verdicts, record.bound)


# What limits say: --max-ulp, and the bounds of a budget, which --tighten lowers


class Bounds(NamedTuple):
    """Figures of kernels beside the bounds of a budget, which is `tightened` if it is to be."""

    budget: Budget
    figures: Sequence[KernelFigures]
    judgements: Sequence[Judgement]
    tightened: Tightened | None


class Limits(NamedTuple):
    """What was judged, and what should be known of it, by the name of the kernel."""

    findings: Sequence[Finding] = ()
    caveats: Sequence[tuple[str, str]] = ()
    bounds: Bounds | None = None

    @property
    def exceeded(self) -> list[str]:
        """The first kernel that exceeds each limit, and all bounds that are exceeded, in words."""
        failed = [each for each in self.findings if not each.holds]
        limited = {each.limit: each.said for each in reversed(failed) if not each.file}
        return [*reversed(limited.values())] + [each.said for each in failed if each.file]

    def told(self, *, quiet: bool) -> Limits:
        """Say which known failures no longer fail, and lower bounds if --tighten asks for it.

        Returns what limits say then: the file may have changed since it was read.
        """
        if self.bounds is None:
            return self
        for judgement in self.bounds.judgements if not quiet else ():
            for text in (*map(str, judgement.vanished), *judgement.unknown):
                note(text)
        if self.bounds.tightened is None:
            return self
        bounds = _tighten(self.bounds, self.bounds.tightened, quiet)
        limited = [each for each in self.findings if not each.file]
        return self._replace(findings=[*limited, *_findings(bounds)], bounds=bounds)

    def raise_failed(self) -> None:
        """Raise `JudgedError` if a limit is exceeded; all of them are said."""
        *others, last = self.exceeded or [""]
        for complaint in others:
            say(complaint)
        if last:
            raise JudgedError(last)


def _bounds(budget: Budget, figures: Sequence[KernelFigures], *, tighten: bool) -> Bounds:
    """Return figures beside the bounds of a budget, as it will be if it is tightened.

    Raises `UsageError` if no bound is for any of them, unless they are to be added.
    """
    from gelu_cli.old.budgets import Budget
    from gelu_cli.old.budgets.judging import judge
    from gelu_cli.old.budgets.tightening import tightened

    if not tighten:
        budget.refuse_if_all_are_strangers([(each.names, each.dtype) for each in figures])
    new = tightened(budget, figures) if tighten else None
    entries = Budget.of(new.text, budget.file).entries if new else budget.entries
    return Bounds(budget, figures, [judge(entries, each) for each in figures], new)


def _tighten(bounds: Bounds, new: Tightened, quiet: bool) -> Bounds:
    """Lower the bounds in the file, as it is now, say so, and return them."""
    from gelu_cli.old.budgets import current_budget

    file = bounds.budget.file
    if new.text != bounds.budget.text:
        with changed_alone(file):
            now = current_budget(file)
            bounds = _bounds(now, bounds.figures, tighten=True)
            new = bounds.tightened or new
            if new.text != now.text:
                write_out(file, [new.text])
    if quiet:
        return bounds
    for text in new.notes:
        note(text)
    failing = sum(len(judgement.breaches) for judgement in bounds.judgements)
    stay = f"; {_counted(failing, 'bound')} failed, which --tighten never raises"
    note(
        f"{file}: {_counted(new.lowered, 'bound')} lowered, "
        f"{_counted(new.added, 'entry', 'entries')} added{stay if failing else ''}"
    )
    return bounds


def _counted(number: int, one: str, several: str = "") -> str:
    return f"{number or 'no'} {one if number == 1 else several or f'{one}s'}"


def _judge_by_limits(
    verdicts: Sequence[Verdict],
    judging: Judging,
    figures: Sequence[KernelFigures],
    budget: Budget | None,
    for_all: str = "",
) -> Limits:
    """Return what limits say of verdicts; `for_all` is how to judge all inputs after a sample.

    Limits beside --max-ulp, and a budget, are of the `figures`. Raises `UsageError` for one that a
    record lacks.
    """
    bounds = _bounds(budget, figures, tighten=judging.tighten) if budget else None
    limit = judging.max_ulp
    findings: list[Finding] = []
    caveats: list[tuple[str, str]] = []
    remedy = f"; {for_all}" if for_all else ""
    for verdict in verdicts:
        if limit is None:
            break
        complaint = _excess(verdict, limit)
        said = complaint or f"{verdict.name}: no error exceeds {shown(limit)} ULP"
        findings.append(Finding(verdict.name, f"{MAX_ULP}{shown(limit)}", not complaint, said))
        if not complaint and not verdict.exhaustive:
            text = (
                f"--max-ulp {shown(limit)} holds for the {verdict.total.inputs:,} inputs "
                f"judged; others may have larger errors, the figure is a lower bound{remedy}"
            )
            caveats.append((verdict.name, text))
    for each in figures if judging.limits else ():
        limited = [*_limited(each, judging.limits)]
        findings += limited
        if all(finding.holds for finding in limited) and not each.exhaustive:
            text = (
                f"limits hold for the {each.inputs:,} inputs judged; others may have larger errors"
            )
            caveats.append((each.names.kernel, f"{text}{remedy}"))
    if bounds is not None:
        findings += _findings(bounds)
        caveats += _caveats(bounds, remedy)
    return Limits(findings, caveats, bounds)


def _limited(figures: KernelFigures, limits: Mapping[str, Fraction]) -> Iterator[Finding]:
    """Yield what limits say of the figures of a kernel, as bounds that stand in no file."""
    from gelu_cli.old.budgets.entries import Entry
    from gelu_cli.old.budgets.judging import judge

    judgement = judge([Entry({"result": figures.names.result}, "", None, limits)], figures)
    if judgement.unknown:
        raise UsageError(f"{judgement.unknown[0]}; leave its limit out")
    for each in judgement.checked:
        yield Finding(each.kernel, each.due, each.holds, each.said)


def _findings(bounds: Bounds) -> list[Finding]:
    """Return each figure that has a bound, then the known failures that no longer fail."""
    judgements = bounds.judgements
    found = [(each, each.due, False) for judgement in judgements for each in judgement.checked]
    found += [
        (each, "a known failure", True) for judgement in judgements for each in judgement.vanished
    ]
    return [
        Finding(each.kernel, due, each.holds or gone, each.said, each.file, each.line, warns=gone)
        for each, due, gone in found
    ]


def _caveats(bounds: Bounds, remedy: str) -> list[tuple[str, str]]:
    budget, figures = bounds.budget, bounds.figures
    kernels = [(each.names, each.dtype) for each in figures]
    strangers = () if bounds.tightened else budget.strangers(kernels)
    return [
        *((names.kernel, f"no bound of {budget.file} is for it") for names in strangers),
        *(
            (
                each.names.kernel,
                f"the bounds of {budget.file} hold for the {each.inputs:,} inputs judged; others "
                f"may have larger errors, the figures are lower bounds{remedy}",
            )
            for each, judgement in zip(figures, bounds.judgements, strict=True)
            if judgement and judgement.checked and not each.exhaustive
        ),
    ]


def _excess(verdict: Verdict, limit: Fraction) -> str:
    """Say what exceeds the limit, or does so in other surroundings; nothing if it is kept."""
    worst = verdict.worst
    said = _exceeding(verdict, worst[0], limit) if worst else ""
    if said or not (changes := verdict.changes):
        return said
    for each in changes.judged.worst[:1]:
        where = f" ({changes.shape_of(each.x, each.got, each.up)}, see --view shapes)"
        said = _exceeding(changes.judged, each, limit, where)
    return said


def _exceeding(verdict: Verdict, result: JudgedResult, limit: Fraction, where: str = "") -> str:
    """Say that an error, or a wrong NaN or infinity, which has none, exceeds --max-ulp."""
    ulp, at = result.ulp, f"x = {result.x!r}{verdict.question.second_of(result.up)}{where}"
    if ulp is None:
        wrong = f"{result.got!r} at {at}, where {result.want!r} is right"
        return f"{verdict.name}: {wrong}; a wrong nan or inf exceeds every --max-ulp"
    if ulp <= limit:
        return ""
    return f"{verdict.name}: {above(limit, ulp)} ULP at {at} exceeds --max-ulp {shown(limit)}"
