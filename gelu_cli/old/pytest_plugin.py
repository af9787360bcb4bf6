"""For pytest: the fixture `gelu_sweep`, and the budget whose bounds it holds results to.

Nothing of the package is loaded before a test asks for it, or a budget is named.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gelu_cli.old.api.verdicts import Verdict
    from gelu_cli.old.budgets import Budget

NOTE = "gelu"
"""What notes of a test are called among its properties, which workers of xdist hand on."""

UNBOUNDED = (
    "nothing bounds this sweep: add max_ulp= or budget= to the call, --gelu-budget FILE to the "
    "command, or gelu_budget = FILE to pytest's configuration"
)
OTHERS = "others, which were not judged, may have larger errors"

BUDGET = pytest.StashKey["Budget | None"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare --gelu-budget, and gelu_budget of pytest's configuration."""
    says = "bounds in TOML that verdicts of the fixture gelu_sweep have to keep"
    parser.getgroup("gelu").addoption("--gelu-budget", metavar="FILE", help=says)
    parser.addini("gelu_budget", f"file with {says}, relative to this one")


def pytest_configure(config: pytest.Config) -> None:
    """Read the budget, if one is named: each worker of xdist does so for itself."""
    config.stash[BUDGET] = None
    name, file = "--gelu-budget", config.getoption("--gelu-budget")
    if file is None and (ours := config.getini("gelu_budget")):
        folder = config.inipath.parent if config.inipath else config.invocation_params.dir
        name, file = "gelu_budget", os.path.relpath(folder / ours)
    if file is None:
        return
    from gelu_cli.old.budgets import load_budget

    try:
        config.stash[BUDGET] = load_budget(file)
    except ValueError as error:
        raise pytest.UsageError(f"{name}: {error}") from None


@pytest.fixture
def gelu_sweep(request: pytest.FixtureRequest) -> Callable[..., Verdict]:
    """Sweep a kernel as `gelu_cli.sweep` does; the test fails if a bound is exceeded.

    Bounds are `max_ulp=`, and `budget=` or else the file of --gelu-budget or gelu_budget; without
    any the test fails. In a budget the kernel is called `name=`, or MODULE:NAME, as on the command
    line; a lambda needs a `name` there. The verdict is returned.
    """

    def sweep(
        function: Any,
        *,
        name: str | None = None,
        max_ulp: float | None = None,
        budget: Budget | str | os.PathLike[str] | None = None,
        **arguments: Any,
    ) -> Verdict:
        __tracebackhide__ = True
        from gelu_cli import sweep
        from gelu_cli.errors import UsageError
        from gelu_cli.old.guests.kinds import LAMBDA, name_of, word_of

        budget = request.config.stash[BUDGET] if budget is None else budget
        if budget is None and max_ulp is None:
            pytest.fail(UNBOUNDED, pytrace=False)
        try:
            unnamed = budget is None and LAMBDA in name_of(function)
            name = name or (name_of(function) if unnamed else word_of(function))
            verdict: Verdict = sweep(function, **arguments)
            verdict.name = name
            judgement = verdict.within(budget, max_ulp=max_ulp)
        except UsageError as error:
            said = str(error)
        else:
            said = "" if judgement else str(judgement)
            request.node.user_properties += [(NOTE, str(each)) for each in judgement.vanished]
        if said:
            pytest.fail(said, pytrace=False)
        if not verdict.exhaustive:
            text = f"{name} keeps its bounds at {verdict.total.inputs:,} inputs; {OTHERS}"
            warnings.warn(pytest.PytestWarning(text), stacklevel=2)
        return verdict

    return sweep


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell which known failures no longer fail."""
    notes = dict.fromkeys(
        str(value)
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == NOTE
    )
    if notes:
        terminalreporter.section("gelu")
        for text in notes:
            terminalreporter.line(text)
