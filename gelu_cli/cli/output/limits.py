"""What limits say of verdicts: --max-ulp, and the bounds of a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.cli.output.budgets import BudgetJudge
from gelu_cli.cli.output.messages import note, say
from gelu_cli.errors import JudgedError
from gelu_cli.report.documents import Finding
from gelu_cli.sweeping.records import MAX_ULP
from gelu_cli.sweeping.rows import above, shown

if TYPE_CHECKING:
    from gelu_cli.sweeping.exact_errors import ExactError
    from gelu_cli.sweeping.verdict import Verdict


class Limits(NamedTuple):
    """What --max-ulp says of each verdict, and what a budget says of all, if these are given."""

    limited: Sequence[Finding] = ()
    bounds: BudgetJudge | None = None
    caveats: Sequence[tuple[str, str]] = ()
    """What should be known of the findings, by the name of the kernel."""

    @property
    def findings(self) -> list[Finding]:
        """All that was judged, with the known failures that no longer fail."""
        if self.bounds is None:
            return [*self.limited]
        return [*self.limited, *self.bounds.findings, *self.bounds.warnings]

    def tell(self) -> None:
        """Say which known failures no longer fail."""
        for text in self.bounds.remarks if self.bounds else []:
            note(text)

    def tighten(self, *, quiet: bool) -> None:
        """Lower the bounds in the file if --tighten asks for it."""
        if self.bounds:
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
    if limit is not None:
        limited += _findings(verdicts, limit)
        caveats += _lower_bounds(verdicts, limited, limit, for_all)
    if bounds is not None:
        caveats += bounds.notes(for_all)
    return Limits(limited, bounds, caveats)


def _findings(verdicts: Sequence[Verdict], limit: Fraction) -> Iterator[Finding]:
    """Yield what there is to say of each verdict by --max-ulp."""
    due = f"{MAX_ULP}{shown(limit)}"
    for verdict in verdicts:
        complaint = _excess(verdict, limit) or _excess_around(verdict, limit)
        said = complaint or f"{verdict.name}: no error exceeds {shown(limit)} ULP"
        yield Finding(verdict.name, due, not complaint, said)


def _lower_bounds(
    verdicts: Sequence[Verdict], findings: Sequence[Finding], limit: Fraction, for_all: str
) -> Iterator[tuple[str, str]]:
    """Yield where a limit holds for a sample alone, by the name of the kernel."""
    for verdict, finding in zip(verdicts, findings, strict=True):
        if finding.holds and not verdict.exhaustive:
            yield verdict.name, _lower_bound(verdict, limit, for_all)


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
