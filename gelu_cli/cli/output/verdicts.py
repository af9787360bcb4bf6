"""Verdicts on floating-point results: their views, and the limit that they have to keep."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from gelu_cli.cli.output.budgets import BudgetJudge
from gelu_cli.cli.output.documents import DocumentOutput, choose_document, document_named
from gelu_cli.cli.output.messages import note, say
from gelu_cli.cli.output.pictures import KINDS, Picture, choose_picture, names_picture
from gelu_cli.cli.output.reports import Output, choose_output
from gelu_cli.errors import JudgedError, UsageError
from gelu_cli.kernels.limits import above, shown
from gelu_cli.report.documents import Finding
from gelu_cli.report.formats import format_names

if TYPE_CHECKING:
    from gelu_cli.cli.output.judging import Judging
    from gelu_cli.kernels.at import At
    from gelu_cli.kernels.budgets import Budget
    from gelu_cli.kernels.verdict import ExactError, Verdict
    from gelu_cli.report import Report
    from gelu_cli.report.plots import Plot

PICTURE = "plot"
MOST_CHANGES = 1000
"""So many inputs that depend on the surroundings a document lists if nobody says: it is for
readers, and a note has their number."""

Destination: TypeAlias = Output | Picture | DocumentOutput


class Shown(NamedTuple):
    """An answer on verdicts: its title, its tables in so many digits, its picture."""

    title: str
    views: Callable[[int | None], Mapping[str, Callable[[], Report]]]
    plot: Callable[[], Plot]


def choose_destination(
    view: str | None,
    format_name: str,
    path: str | None,
    no_header: bool,
    digits: int | None,
    quiet: bool,
) -> Destination:
    """Return the tables, the document or the picture that the options ask for.

    That is before the work begins.
    """
    if document := document_named(format_name, path, view):
        return choose_document(document, path, no_header, digits, view)
    if view != PICTURE and not names_picture(format_name, path):
        return choose_output(format_name, path, no_header, digits, quiet)
    if format_name in format_names():
        kinds = " or ".join(KINDS)
        raise UsageError(f"--view plot is a picture, not {format_name}: take --format {kinds}")
    if view not in (PICTURE, None):
        raise UsageError(f"--view {view} is a table: leave it out, or take --view plot")
    return choose_picture(format_name, path)


def write_verdicts(
    verdicts: Sequence[Verdict],
    destination: Destination,
    view: str | None,
    judging: Judging,
    quiet: bool,
    budget: Budget | None = None,
    for_all: str = "",
    options: Collection[str] = (),
    command: str = "sweep",
    shown: Shown | None = None,
) -> None:
    """Write the views asked for, and what else was seen as notes.

    Where some of the inputs keep the limit, a note says that others may not, and `for_all` how to
    judge them all. Raises `JudgedError` where a limit, or a bound of the budget, is exceeded.
    `options` are those that make tables beside the usual ones; `command` is what has been asked,
    and `shown` its answer if that is not that of a sweep.

    What an interrupt or a failing kernel has left incomplete goes to stdout: a file is written
    whole or not at all. The failure is raised at last.
    """
    complete = all(verdict.complete for verdict in verdicts)
    failure = next((verdict.failure for verdict in verdicts if verdict.failure), None)
    if failure or not complete:
        destination = _for_a_part(destination, verdicts, failed=failure is not None)
    limited = [*findings_of(verdicts, judging.max_ulp)] if complete else []
    bounds = _bounds(verdicts, budget, judging) if complete and not failure else None
    bounded = bounds.findings if bounds else []
    findings = [*limited, *bounded, *(bounds.warnings if bounds else [])]
    notes = [(verdict.name, text) for verdict in verdicts for text in verdict.notes]
    if complete and judging.max_ulp is not None:
        notes += _lower_bounds(verdicts, limited, judging.max_ulp, for_all)
    if bounds:
        notes += bounds.notes(for_all)
    _write(verdicts, destination, view, judging, findings, notes, quiet, options, command, shown)
    if not quiet:
        _tell(notes)
        for text in bounds.remarks if bounds else []:
            note(text)
    if bounds:
        bounds.tighten(quiet=quiet)
    if failure:
        for finding in limited:
            if not finding.holds:
                note(finding.said)
        raise failure
    if not complete:
        raise KeyboardInterrupt
    raise_failed(limited, bounded)


def raise_failed(limited: Sequence[Finding], bounded: Sequence[Finding]) -> None:
    """Raise `JudgedError` if a limit is exceeded, or a bound of a budget: these are all said."""
    beyond = [finding.said for finding in limited if not finding.holds][:1]
    failed = beyond + [finding.said for finding in bounded if not finding.holds]
    for complaint in failed[:-1]:
        say(complaint)
    if failed:
        raise JudgedError(failed[-1])


def _bounds(
    verdicts: Sequence[Verdict], budget: Budget | None, judging: Judging
) -> BudgetJudge | None:
    """Return what a budget says of verdicts, if one was given."""
    if budget is None:
        return None
    from gelu_cli.kernels.budgets.figures import FiguresOfVerdict

    figures = [FiguresOfVerdict(verdict) for verdict in verdicts]
    return BudgetJudge(budget, figures, tighten=judging.tighten)


def _write(
    verdicts: Sequence[Verdict],
    destination: Destination,
    view: str | None,
    judging: Judging,
    findings: Sequence[Finding],
    notes: Sequence[tuple[str, str]],
    quiet: bool,
    options: Collection[str],
    command: str,
    shown: Shown | None,
) -> None:
    """Write the views asked for, all of them as one document, or the picture."""
    from gelu_cli.answers import sweep as answer
    from gelu_cli.answers.plot import plot_sweep
    from gelu_cli.kernels.records import origin_of, question_of

    plot = shown.plot if shown else lambda: plot_sweep(verdicts)
    if isinstance(destination, Picture):
        destination.write(plot, quiet)
        return
    # On a terminal as many changes as worst inputs are listed, elsewhere all if nobody says.
    whole = isinstance(destination, DocumentOutput)
    looked_at = isinstance(destination, Output) and destination.for_people
    changed = judging.worst or (judging.keep if looked_at else MOST_CHANGES if whole else None)
    digits, keep = destination.digits, judging.keep
    views = (
        shown.views(digits)
        if shown
        else answer.sweep_views(verdicts, digits, keep, options, changed)
    )
    if isinstance(destination, Output):
        destination.write_views(views, view)
        return
    destination.write(
        shown.title if shown else answer.TITLE,
        question_of(command, verdicts, worst=judging.keep, criteria=judging.criteria),
        {**views, PICTURE: lambda: answer.report_of_plot(verdicts)},
        [plot()],
        [*findings, *_broken(verdicts)],
        [f"{name}: {text}" for name, text in notes],
        [*map(origin_of, verdicts)],
    )


def findings_of(verdicts: Sequence[Verdict], limit: Fraction | None) -> Iterator[Finding]:
    """Yield what there is to say of each verdict by --max-ulp."""
    if limit is None:
        return
    due = f"max_ulp ≤ {shown(limit)}"
    for verdict in verdicts:
        complaint = _excess(verdict, limit) or _excess_around(verdict, limit)
        said = complaint or f"{verdict.name}: no error exceeds {shown(limit)} ULP"
        yield Finding(verdict.name, due, not complaint, said)


def _broken(verdicts: Sequence[Verdict]) -> Iterator[Finding]:
    """Yield why there is no complete answer on some, if there is none."""
    for verdict in verdicts:
        if verdict.failure or not verdict.complete:
            said = str(verdict.failure or f"interrupted after {verdict.total.inputs:,} inputs")
            yield Finding(verdict.name, "every input is judged", False, said, broken=True)


def _lower_bounds(
    verdicts: Sequence[Verdict], findings: Sequence[Finding], limit: Fraction, for_all: str
) -> list[tuple[str, str]]:
    """Return where a limit holds for a sample alone, by the name of the kernel."""
    return [
        (verdict.name, _lower_bound(verdict, limit, for_all))
        for verdict, finding in zip(verdicts, findings, strict=True)
        if finding.holds and not verdict.exhaustive
    ]


def _for_a_part(
    destination: Destination, verdicts: Sequence[Verdict], *, failed: bool
) -> Destination:
    """Return where incomplete verdicts go, and say so: after a failure, or else an interrupt."""
    left = ""
    if destination.path is not None:
        left = f"'{destination.path}' is left as it was, what was found is on stdout"
        destination = destination.on_stdout()
    if not failed:
        say("; ".join(filter(None, (f"interrupted after {_judged(verdicts):,} inputs", left))))
    elif left:
        note(left)
    return destination


def _judged(verdicts: Sequence[Verdict]) -> int:
    """Return how many inputs were judged, of that routine which has most."""
    return max(verdict.total.inputs for verdict in verdicts)


def _tell(notes: Sequence[tuple[str, str]]) -> None:
    """Say what else was seen, once where it holds for several routines."""
    said: dict[str, list[str]] = {}
    for name, text in notes:
        said.setdefault(text, []).append(name)
    for text, names in said.items():
        note(f"{', '.join(names)}: {text}")


def _lower_bound(verdict: Verdict, limit: Fraction, for_all: str) -> str:
    """Say for which inputs a limit holds."""
    text = (
        f"--max-ulp {shown(limit)} holds for the {verdict.total.inputs:,} inputs "
        "judged; others may have larger errors, the figure is a lower bound"
    )
    return f"{text}; {for_all}" if for_all else text


def _excess(
    verdict: Verdict, limit: Fraction, where: Callable[[float, float], str] = lambda x, got: ""
) -> str:
    """Say what exceeds the limit, and where besides at x; nothing if it is kept."""
    if verdict.failures:
        x, got = verdict.failures[0]
        return _failure(verdict.name, x, got, verdict.question.want(x), where(x, got))
    if verdict.total.worst and verdict.worst[0].ulp > limit:
        error = verdict.worst[0]
        return _error(verdict.name, error, limit, where(error.x, error.got))
    return ""


def _excess_around(verdict: Verdict, limit: Fraction) -> str:
    """Say what exceeds the limit in other surroundings."""
    changes = verdict.changes
    if changes is None:
        return ""
    return _excess(
        changes.judged, limit, lambda x, got: f" ({changes.shape_of(x, got)}, see --view shapes)"
    )


def write_at(
    found: Sequence[At], destination: Output, limit: Fraction | None, notes: Sequence[str]
) -> None:
    """Write results at single inputs; raises `JudgedError` where an error exceeds --max-ulp."""
    from gelu_cli.answers.sweep import report_at

    destination.write(report_at(found, destination.digits))
    if not destination.quiet:
        for text in notes:
            note(text)
        _tell([(each.verdict.name, text) for each in found for text in each.verdict.notes])
    failed = [_excess_at(each, limit) for each in found] if limit is not None else []
    if any(failed):
        raise JudgedError(next(filter(None, failed)))


def _excess_at(found: At, limit: Fraction) -> str:
    worst, name = found.worst, found.verdict.name
    if worst is None:
        return ""
    if worst.error is None:
        return _failure(name, worst.x, worst.got, worst.want)
    return _error(name, worst.error, limit) if worst.error.ulp > limit else ""


def _failure(name: str, x: float, got: float, want: float, where: str = "") -> str:
    return (
        f"{name}: {got!r} at x = {x!r}{where}, where {want!r} is right; "
        "a wrong nan or inf exceeds every --max-ulp"
    )


def _error(name: str, error: ExactError, limit: Fraction, where: str = "") -> str:
    return (
        f"{name}: {above(limit, error.ulp)} ULP at x = {error.x!r}{where} exceeds "
        f"--max-ulp {shown(limit)}"
    )
