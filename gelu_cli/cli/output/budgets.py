"""What a budget says of verdicts, and the budget that --tighten writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gelu_cli.cli.output.files import changed_alone, write_texts
from gelu_cli.cli.output.messages import note
from gelu_cli.report.documents import Finding

if TYPE_CHECKING:
    from gelu_cli.budgets import Budget, Judgement
    from gelu_cli.budgets.figures import KernelFigures


KNOWN = "a known failure"
"""What a finding is about that was a known failure and is none any more."""


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
        """What there is to say of each figure that has a bound."""
        return [
            Finding(each.kernel, each.due, each.holds, each.said, each.file, each.line)
            for judgement in self._judgements
            for each in judgement.checked
        ]

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
                yield figures.names.kernel, f"{text}; {for_all}" if for_all else text

    @property
    def warnings(self) -> list[Finding]:
        """The known failures that no longer fail, each at its line of the budget."""
        return [
            Finding(each.kernel, KNOWN, True, each.said, each.file, each.line, warns=True)
            for judgement in self._judgements
            for each in judgement.vanished
        ]

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
