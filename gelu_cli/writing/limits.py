"""What limits say of verdicts: --max-ulp, and the bounds of a budget, which --tighten lowers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.errors import JudgedError, UsageError
from gelu_cli.report.documents import Finding
from gelu_cli.sweeping.records import MAX_ULP
from gelu_cli.sweeping.rows import above, shown
from gelu_cli.writing.files import changed_alone, write_out
from gelu_cli.writing.messages import note, say

if TYPE_CHECKING:
    from gelu_cli.budgets import Budget, Judgement
    from gelu_cli.budgets.figures import KernelFigures
    from gelu_cli.budgets.tightening import Tightened
    from gelu_cli.sweeping.at import ResultAt
    from gelu_cli.sweeping.exact_errors import JudgedResult
    from gelu_cli.sweeping.verdict import Verdict
    from gelu_cli.writing.asked import Judging

KNOWN = "a known failure"
"""What a finding is about that was a known failure and is none any more."""


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
    from gelu_cli.budgets import Budget
    from gelu_cli.budgets.judging import judge
    from gelu_cli.budgets.tightening import tightened

    if not tighten:
        budget.refuse_if_all_are_strangers([(each.names, each.dtype) for each in figures])
    new = tightened(budget, figures) if tighten else None
    entries = Budget.of(new.text, budget.file).entries if new else budget.entries
    return Bounds(budget, figures, [judge(entries, each) for each in figures], new)


def _tighten(bounds: Bounds, new: Tightened, quiet: bool) -> Bounds:
    """Lower the bounds in the file, as it is now, say so, and return them."""
    from gelu_cli.budgets import current_budget

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


def judge_by_limits(
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
    from gelu_cli.budgets.entries import Entry
    from gelu_cli.budgets.judging import judge

    judgement = judge([Entry({"result": figures.names.result}, "", None, limits)], figures)
    if judgement.unknown:
        raise UsageError(f"{judgement.unknown[0]}; leave its limit out")
    for each in judgement.checked:
        yield Finding(each.kernel, each.due, each.holds, each.said)


def _findings(bounds: Bounds) -> list[Finding]:
    """Return each figure that has a bound, then the known failures that no longer fail."""
    judgements = bounds.judgements
    found = [(each, each.due, False) for judgement in judgements for each in judgement.checked]
    found += [(each, KNOWN, True) for judgement in judgements for each in judgement.vanished]
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
    said = excess(verdict, worst[0], worst[0].ulp, limit) if worst else ""
    if said or not (changes := verdict.changes):
        return said
    for each in changes.judged.worst[:1]:
        where = f" ({changes.shape_of(each.x, each.got, each.up)}, see --view shapes)"
        said = excess(changes.judged, each, each.ulp, limit, where)
    return said


def excess(
    verdict: Verdict,
    result: JudgedResult | ResultAt,
    ulp: Fraction | None,
    limit: Fraction,
    where: str = "",
) -> str:
    """Say that an error, of None for a wrong NaN or infinity, exceeds --max-ulp, if it does."""
    at = f"x = {result.x!r}{verdict.question.second_of(result.up)}{where}"
    if ulp is None:
        wrong = f"{result.got!r} at {at}, where {result.want!r} is right"
        return f"{verdict.name}: {wrong}; a wrong nan or inf exceeds every --max-ulp"
    if ulp <= limit:
        return ""
    return f"{verdict.name}: {above(limit, ulp)} ULP at {at} exceeds --max-ulp {shown(limit)}"
