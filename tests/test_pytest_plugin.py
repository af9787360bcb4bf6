"""The plugin: `gelu_sweep` and --gelu-budget in somebody else's tests, alone and under xdist."""

import subprocess
import sys

import pytest

import gelu_cli.kernels.budgets  # noqa: F401  # a run within this one cannot load numpy again

pytest_plugins = ["pytester"]

TESTS = """
import numpy as np
import pytest

def relu(x):
    return np.maximum(x, 0)

def doubled(x):
    return 2 * relu(x)

def strange(x):
    return x

@pytest.mark.parametrize("kernel", [relu, doubled, strange])
def test_kernel(gelu_sweep, kernel):
    verdict = gelu_sweep(kernel, dtype="float8_e5m2", target="relu", low=-8, high=8)
    assert verdict.total.inputs == 146
"""
BUDGET = """
[[bound]]
kernel = "relu"
max_ulp = 0.5

[[bound]]
kernel = "relu"
range = "1:2"
max_ulp = 2
reason = "it was so"

[[bound]]
kernel = "doubled"
max_ulp = 1
misrounded = 2
"""


@pytest.fixture
def theirs(pytester):
    if pytester._request.config.pluginmanager.get_plugin("gelu") is None:
        pytest.skip("the plugin is registered when gelu is installed: install it anew")
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    pytester.makepyfile(TESTS)
    pytester.path.joinpath("budget.toml").write_text(BUDGET, encoding="utf-8")
    return pytester


def run(theirs, *words):
    # With CI set, pytest's summary repeats the messages: it is left out.
    return theirs.runpytest_inprocess("-rN", *words)


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "xdist"])
def test_a_kernel_that_exceeds_its_budget_fails_with_the_lines_of_it(theirs, workers):
    if workers:
        pytest.importorskip("xdist")
    result = run(theirs, "--gelu-budget", "budget.toml", *workers)
    result.assert_outcomes(passed=1, failed=2)
    said = result.stdout.str()
    doubled = [line for line in result.stdout.lines if line.startswith("budget.toml:1")]
    assert doubled == [
        "budget.toml:14: doubled: max_ulp 7 at x = 0.0001068115234375 exceeds 1",
        "budget.toml:15: doubled: misrounded 72 exceeds 2",
    ]
    assert "\nno bound of budget.toml is for strange, float8_e5m2, relu, value\n" in said
    assert said.count("budget.toml:6: relu: max_ulp in 1:2: this known failure fails no") == 1
    for ours in ("Traceback", "During handling", "pytest_plugin.py"):
        assert ours not in said


def test_without_a_budget_every_verdict_is_returned(theirs):
    result = run(theirs)
    result.assert_outcomes(passed=3)
    assert "= gelu =" not in result.stdout.str()


def test_a_budget_that_cannot_be_meant_ends_the_run_in_one_line(theirs):
    theirs.path.joinpath("bad.toml").write_text("[[bound]]\nmax_ulps = 2\n", encoding="utf-8")
    for file, said in [
        ("bad.toml", "bad.toml:2: unknown key 'max_ulps'; did you mean 'max_ulp'?"),
        ("none.toml", "cannot read 'none.toml': No such file or directory"),
    ]:
        result = run(theirs, "--gelu-budget", file)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert result.stderr.lines == [f"ERROR: --gelu-budget: {said}", ""]


def test_help_has_the_option(theirs):
    run(theirs, "--help").stdout.fnmatch_lines(["*--gelu-budget=FILE*"])
    run(theirs, "--fixtures").stdout.fnmatch_lines(["gelu_sweep*"])


def test_unused_it_loads_nothing_dear():
    program = "import sys, gelu_cli.pytest_plugin; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    names = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    loaded = set(names.split())
    assert {name for name in loaded if name.startswith("gelu_cli")} == {
        "gelu_cli",
        "gelu_cli.pytest_plugin",
    }
    assert not loaded & {"numpy", "typer", "tomllib", "tomlkit"}
