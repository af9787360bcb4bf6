"""What tests cost in CPU seconds, with the processes that they start: two tiers, and a guard.

`long.txt` names the tests that cost nearly half of `LIMIT` or more, and of functions with several
parameters those that cost a quarter of it, save two: so that all others together cost less than
`TOTAL` also on a machine that is slower than its loop. Below a file stand tests, or functions with
all their parameters. They are marked `long`, which pyproject.toml deselects.

`pytest --costs FILE` writes what each test has cost. With `--guard` a run fails if a test costs
more that is not marked, or all of these, with their fixtures, cost more than `TOTAL`; on a slow
machine, which is told by a loop, three times as much at most. What costs more than the limit then
runs again, up to three times until it costs less: the first test that needs something pays for what
is imported and cached, and another program on the machine may make any test dear for a moment.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

LIMIT, TOTAL = 0.3, 200
LOOP_SECONDS = 0.032
"""Of `loop`, on the machine that the limits are for: two cores of an AMD EPYC, Python 3.11."""


def listed(text: str) -> Iterator[str]:
    """Yield the names of tests, which stand indented below their files."""
    file = ""
    for line in text.splitlines():
        name = line.removeprefix("  ")
        if name == line:
            file = line
        else:
            yield f"{file}::{name}"


LONG = frozenset(listed(Path(__file__).with_name("long.txt").read_text(encoding="utf-8")))
DEAR = ("flint", "matplotlib.pyplot", "ml_dtypes", "mpmath", "numpy", "pyarrow", "scipy.optimize",
        "scipy.special", "rich.console", "gelu_cli.old.cli.app", "tests.truth.arb")  # fmt: skip
"""Modules that take long to import."""

started, own = pytest.StashKey[float](), pytest.StashKey[float]()
"""The CPU seconds of a worker when a test began, and those of its call."""


AGAIN = 3
"""So many times a test that costs too much runs again."""


def loop() -> float:
    """Return the CPU seconds of a fixed loop, the least of some."""

    def once() -> float:
        start = time.process_time()
        sum(k * k for k in range(10**6))
        return time.process_time() - start

    return min(once() for _ in range(5))


def slowness() -> float:
    """Return how much slower than the one of the limits this machine is now, 3 at most."""
    return min(3.0, max(1.0, loop() / LOOP_SECONDS))


def used() -> float:
    """Return the CPU seconds of this process, and of those that it has waited for."""
    return sum(os.times()[:4])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", metavar="FILE", help="write the CPU seconds of each test")
    parser.addoption("--guard", action="store_true", help="fail tests that should be marked long")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("guard") or config.getoption("costs"):
        for name in DEAR:  # or the first test that needs one would pay for it
            import_module(name)
    config.pluginmanager.register(_Costs(config), "costs")


@pytest.hookimpl(tryfirst=True)  # before what is marked is deselected
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    there = set()
    for item in items:
        names = {item.nodeid, item.nodeid.partition("[")[0]} & LONG
        if names:
            item.add_marker(pytest.mark.long)
        there |= names
    if config.args == config.getini("testpaths"):
        stale = sorted(LONG - there)
        getattr(config, "workeroutput", {})["stale"] = stale
        config.pluginmanager.get_plugin("costs").stale = stale


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()  # or each full collection would walk over ten thousand tests, in somebody's time


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if not item.config.getoption("guard") or item.get_closest_marker("long"):
        return None
    where = {"nodeid": item.nodeid, "location": item.location}
    item.ihook.pytest_runtest_logstart(**where)
    example = getattr(item, "dtest", None)
    names = dict(example.globs) if example else {}
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    slow = 1.0
    for _ in range(AGAIN):
        if item.stash[own] <= LIMIT * slow or not all(report.passed for report in reports):
            break
        item._initrequest()
        if example:
            example.globs = names  # which doctest has cleared
        reports, slow = runtestprotocol(item, log=False, nextitem=nextitem), slowness()
        reports[-1].user_properties.append(("slow", slow))
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(**where)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.user_properties.clear()  # of a run before this one
    item.stash[started] = used()
    item.stash[own] = 0.0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):
    """Tell what the test itself has cost: a fixture that several share is nobody's."""
    start = used()
    try:
        return (yield)
    finally:
        item.stash[own] = used() - start


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    report = yield
    if report.when == "teardown":
        report.user_properties.append(("own_cost", item.stash[own]))
        report.user_properties.append(("cost", used() - item.stash[started]))
        report.user_properties.append(("long", bool(item.get_closest_marker("long"))))
    return report


class _Costs:
    """Adds up what the tests of all workers have cost, in the process that reports."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.costs: dict[str, float] = {}
        self.total = 0.0
        self.dear: dict[str, float] = {}
        self.stale: list[str] = []
        """Lines of long.txt that are no tests."""
        self.complaints: list[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node) -> None:
        self.stale = getattr(node, "workeroutput", {}).get("stale", [])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        known = dict(report.user_properties)
        if report.when != "teardown":
            return
        self.costs[report.nodeid] = cost = known["own_cost"]
        if not known["long"]:
            self.total += known["cost"]
            if cost > LIMIT * known.get("slow", 1.0):
                self.dear[report.nodeid] = cost

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(self.config, "workerinput"):
            return
        file = self.config.getoption("costs")
        if file:
            lines = sorted(self.costs.items(), key=lambda pair: -pair[1])
            text = "".join(f"{cost:.2f}\t{test}\n" for test, cost in lines)
            Path(file).write_text(text, encoding="utf-8")
        if self.config.getoption("guard"):
            slow = slowness()
            self.complaints = [
                f"{test}: {cost:.2f} CPU seconds: make it cheaper, or add it to tests/old/long.txt"
                for test, cost in self.dear.items()
            ]
            self.complaints += [
                f"tests/old/long.txt: there is no test {name}" for name in self.stale
            ]
            if self.total > TOTAL * slow:
                self.complaints.append(f"all tests together take over {TOTAL * slow:.0f} seconds")
            if self.complaints:
                session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.config.getoption("guard"):
            terminalreporter.section("costs")
            terminalreporter.line(f"{self.total:.0f} CPU seconds; a loop takes {loop():.3f}")
        for complaint in self.complaints:
            terminalreporter.line(complaint, red=True)
