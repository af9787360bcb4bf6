"""For pytest: the fixture `gelu_sweep`, and --gelu-budget FILE, whose bounds it holds results to.

Nothing of the package is loaded before a test asks for it, or the option is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gelu_cli.api import Budget
    from gelu_cli.kernels.verdict import Verdict

NOTE = "gelu"
"""What notes of a test are called among its properties, which workers of xdist hand on."""

BUDGET = pytest.StashKey["Budget | None"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare --gelu-budget."""
    parser.getgroup("gelu").addoption(
        "--gelu-budget",
        metavar="FILE",
        help="bounds in TOML that verdicts of the fixture gelu_sweep have to keep",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Read the budget, if one is given: each worker of xdist does so for itself."""
    file = config.getoption("--gelu-budget")
    if file is None:
        config.stash[BUDGET] = None
        return
    from gelu_cli.api import load_budget

    try:
        config.stash[BUDGET] = load_budget(file)
    except ValueError as error:
        raise pytest.UsageError(f"--gelu-budget: {error}") from None


@pytest.fixture
def gelu_sweep(request: pytest.FixtureRequest) -> Callable[..., Verdict]:
    """Sweep a kernel as `gelu_cli.sweep` does; the test fails if it exceeds --gelu-budget.

    The verdict is returned. Without a budget every verdict is.
    """
    budget = request.config.stash[BUDGET]

    def sweep(function: Any, **arguments: Any) -> Verdict:
        from gelu_cli.api import sweep

        verdict = sweep(function, **arguments)
        if budget is not None:
            _judge(verdict, budget, request.node)
        return verdict

    return sweep


def _judge(verdict: Verdict, budget: Budget, test: pytest.Item) -> None:
    """Fail the test if a bound is exceeded, and note what the summary should tell."""
    try:
        judgement = verdict.within(budget)
    except ValueError as error:
        said = str(error)  # no bound is for this kernel
    else:
        test.user_properties += [(NOTE, str(each)) for each in judgement.vanished]
        said = "" if judgement else str(judgement)
    if said:
        pytest.fail(said, pytrace=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell which known failures no longer fail."""
    notes = dict.fromkeys(_notes(terminalreporter))
    if notes:
        terminalreporter.section("gelu")
        for text in notes:
            terminalreporter.line(text)


def _notes(reporter: pytest.TerminalReporter) -> Iterator[str]:
    for reports in reporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == NOTE:
                    yield str(value)
