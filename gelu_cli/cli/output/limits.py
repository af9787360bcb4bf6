"""What limits say of verdicts: --max-ulp, and the bounds of a budget, which --tighten lowers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.cli.output.files import changed_alone, write_texts
from gelu_cli.cli.output.messages import note, say
from gelu_cli.errors import JudgedError
from gelu_cli.report.documents import Finding
from gelu_cli.sweeping.records import MAX_ULP
from gelu_cli.sweeping.rows import above, shown

if TYPE_CHECKING:
    from gelu_cli.budgets import Budget, Judgement
    from gelu_cli.budgets.figures import KernelFigures
    from gelu_cli.sweeping.exact_errors import ExactError
    from gelu_cli.sweeping.verdict import Verdict


KNOWN = "a known failure"
"""What a finding is about that was a known failure and is none any more."""


class Limits(NamedTuple):
    """What --max-ulp says of each verdict, and what a budget says of all, if these are given."""

    limited: Sequence[Finding] = ()
    bounds: BudgetJudge | None = None
    caveats: Sequence[tuple[str, str]] = ()
    """What should be known of the findings, by the name of the kernel."""

    @property
    def findings(self) -> list[Finding]:
        """All that was judged, with the known failures that no longer fail."""
        return [*self.limited, *(self.bounds.findings if self.bounds else [])]

    def tell(self, *, quiet: bool) -> None:
        """Say which known failures no longer fail, and lower bounds if --tighten asks for it."""
        if self.bounds is None:
            return
        for text in self.bounds.remarks if not quiet else []:
            note(text)
        self.bounds.tighten(quiet=quiet)

    @property
    def exceeded(self) -> list[str]:
        """The first kernel that exceeds --max-ulp, and all bounds that are exceeded, in words."""
        bounded = self.bounds.findings if self.bounds else []
        return _exceeded(self.limited)[:1] + _exceeded(bounded)

    def raise_failed(self) -> None:
        """Raise `JudgedError` if a limit is exceeded; all of them are said."""
        *others, last = self.exceeded or [""]
        for complaint in others:
            say(complaint)
        if last:
            raise JudgedError(last)


class BudgetJudge:
    """Figures of kernels beside the bounds of a budget, which --tighten lowers.

    Raises `UsageError` if no bound is for any of them, unless they are to be added.
    """

    def __init__(self, budget: Budget, figures: Sequence[KernelFigures], *, tighten: bool) -> None:
        self._figures, self._tighten = figures, tighten
        kernels = [(each.names, each.dtype) for each in figures]
        if not tighten:
            budget.refuse_if_all_are_strangers(kernels)
        self._strangers = [] if tighten else budget.strangers(kernels)
        self._take(budget)

    def _take(self, budget: Budget) -> None:
        """Judge the figures by a budget, as it is when it is tightened if it is to be."""
        from gelu_cli.budgets import Budget
        from gelu_cli.budgets.judging import judge
        from gelu_cli.budgets.tightening import tightened

        self._budget = budget
        if self._tighten:
            self._tightened = tightened(budget, self._figures)
            budget = Budget.of(self._tightened.text, budget.file)
        self._judgements: list[Judgement] = [judge(budget.entries, each) for each in self._figures]

    @property
    def findings(self) -> list[Finding]:
        """Each figure that has a bound, then the known failures that no longer fail."""
        checked = [
            Finding(each.kernel, each.due, each.holds, each.said, each.file, each.line)
            for judgement in self._judgements
            for each in judgement.checked
        ]
        vanished = [
            Finding(each.kernel, KNOWN, True, each.said, each.file, each.line, warns=True)
            for judgement in self._judgements
            for each in judgement.vanished
        ]
        return checked + vanished

    def notes(self, for_all: str) -> Iterator[tuple[str, str]]:
        """Yield what else should be known, by the name of the kernel."""
        file = self._budget.file
        for names in self._strangers:
            yield names.kernel, f"no bound of {file} is for it"
        for figures, judgement in zip(self._figures, self._judgements, strict=True):
            if judgement and judgement.checked and not figures.exhaustive:
                text = (
                    f"the bounds of {file} hold for the {figures.inputs:,} inputs judged; others "
                    "may have larger errors, the figures are lower bounds"
                )
                yield figures.names.kernel, _with_remedy(text, for_all)

    @property
    def remarks(self) -> list[str]:
        """The known failures that no longer fail, and the bounds on what is not known."""
        return [
            text
            for judgement in self._judgements
            for text in (*map(str, judgement.vanished), *judgement.unknown)
        ]

    def tighten(self, *, quiet: bool) -> None:
        """Lower the bounds in the file, as it is now, if --tighten asks for it, and say so."""
        if not self._tighten:
            return
        from gelu_cli.budgets import current_budget

        file = self._budget.file
        if self._is_changed:
            with changed_alone(file):
                self._take(current_budget(file))
                if self._is_changed:
                    write_texts(file, [self._tightened.text])
        if quiet:
            return
        for text in self._tightened.notes:
            note(text)
        failing = sum(len(judgement.breaches) for judgement in self._judgements)
        stay = f"; {_counted(failing, 'bound')} failed, which --tighten never raises"
        note(
            f"{file}: {_counted(self._tightened.lowered, 'bound')} lowered, "
            f"{_counted(self._tightened.added, 'entry', 'entries')} added{stay if failing else ''}"
        )

    @property
    def _is_changed(self) -> bool:
        return self._tightened.text != self._budget.text


def _counted(number: int, one: str, several: str = "") -> str:
    return f"{number or 'no'} {one if number == 1 else several or f'{one}s'}"


def _exceeded(findings: Sequence[Finding]) -> list[str]:
    return [finding.said for finding in findings if not finding.holds]


def judge_by_limits(
    verdicts: Sequence[Verdict],
    limit: Fraction | None,
    bounds: BudgetJudge | None,
    for_all: str = "",
) -> Limits:
    """Return what limits say of verdicts; `for_all` is how to judge all inputs after a sample."""
    limited: list[Finding] = []
    caveats: list[tuple[str, str]] = []
    for verdict in verdicts:
        if limit is None:
            break
        complaint = _excess(verdict, limit) or _excess_around(verdict, limit)
        said = complaint or f"{verdict.name}: no error exceeds {shown(limit)} ULP"
        limited.append(Finding(verdict.name, f"{MAX_ULP}{shown(limit)}", not complaint, said))
        if not complaint and not verdict.exhaustive:
            text = (
                f"--max-ulp {shown(limit)} holds for the {verdict.total.inputs:,} inputs "
                "judged; others may have larger errors, the figure is a lower bound"
            )
            caveats.append((verdict.name, _with_remedy(text, for_all)))
    if bounds is not None:
        caveats += bounds.notes(for_all)
    return Limits(limited, bounds, caveats)


def _with_remedy(text: str, for_all: str) -> str:
    return f"{text}; {for_all}" if for_all else text


def _excess(
    verdict: Verdict, limit: Fraction, where: Callable[[float, float], str] = lambda x, got: ""
) -> str:
    """Say what exceeds the limit, and where besides at x; nothing if it is kept."""
    if verdict.failures:
        x, got = verdict.failures[0]
        return wrong_result(verdict.name, x, got, verdict.question.want(x), where(x, got))
    largest = next(iter(verdict.errors(verdict.total)), None)
    if largest and largest.ulp > limit:
        return large_error(verdict.name, largest, limit, where(largest.x, largest.got))
    return ""


def _excess_around(verdict: Verdict, limit: Fraction) -> str:
    """Say what exceeds the limit in other surroundings."""
    changes = verdict.changes
    if changes is None:
        return ""
    return _excess(
        changes.judged, limit, lambda x, got: f" ({changes.shape_of(x, got)}, see --view shapes)"
    )


def wrong_result(name: str, x: float, got: float, want: float, where: str = "") -> str:
    """Say that a result is no number, or should be none, at x."""
    return (
        f"{name}: {got!r} at x = {x!r}{where}, where {want!r} is right; "
        "a wrong nan or inf exceeds every --max-ulp"
    )


def large_error(name: str, error: ExactError, limit: Fraction, where: str = "") -> str:
    """Say which error exceeds --max-ulp, and where besides at x."""
    return (
        f"{name}: {above(limit, error.ulp)} ULP at x = {error.x!r}{where} exceeds "
        f"--max-ulp {shown(limit)}"
    )
