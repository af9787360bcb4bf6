"""The plugin: `gelu_sweep` and --gelu-budget in somebody else's tests, alone and under xdist."""

import re
import subprocess
import sys

import pytest
import scipy.special  # noqa: F401

import gelu_cli.old.budgets  # noqa: F401

# A run within this one cannot load numpy again, nor what scipy loads of it.

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
    verdict = gelu_sweep(kernel, dtype="float8_e5m2", form="relu", low=-8, high=8)
    assert verdict.total.inputs == 146
"""
BUDGET = """
[[bound]]
kernel = "test_kernels:relu"
max_ulp = 0.5

[[bound]]
kernel = "test_kernels:relu"
range = "1:2"
max_ulp = 2
reason = "it was so"

[[bound]]
kernel = "test_kernels:doubled"
max_ulp = 1
misrounded = 2
"""


@pytest.fixture
def theirs(pytester):
    if pytester._request.config.pluginmanager.get_plugin("gelu") is None:
        pytest.skip("the plugin is registered when gelu is installed: install it anew")
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider\n")
    pytester.makepyfile(test_kernels=TESTS)
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
        "budget.toml:14: test_kernels:doubled: max_ulp 7 at x = 0.0001068115234375 exceeds 1",
        "budget.toml:15: test_kernels:doubled: misrounded 72 exceeds 2",
    ]
    assert "\nno bound of budget.toml is for test_kernels:strange, float8_e5m2, relu, value" in said
    known = "budget.toml:9: test_kernels:relu: max_ulp in 1:2: this known failure fails no"
    assert said.count(known) == 1
    assert not [ours for ours in OURS if ours in said]


OURS = ("Traceback", "During handling", "gelu_cli/", "contextlib")


def test_a_sweep_that_nothing_bounds_fails(theirs):
    result = run(theirs)
    result.assert_outcomes(failed=3)
    assert result.stdout.str().count("\nnothing bounds this sweep: add max_ulp= or budget=") == 3


def test_the_budget_of_the_configuration_holds_and_the_option_goes_before_it(theirs):
    theirs.mkdir("bounds")
    theirs.path.joinpath("bounds", "all.toml").write_text(
        "[[bound]]\nmax_ulp = 1e9\nreason = 'so'\n"
    )
    theirs.makeini("[pytest]\naddopts = -p no:cacheprovider\ngelu_budget = bounds/all.toml\n")
    run(theirs).assert_outcomes(passed=3)
    run(theirs, "--rootdir=.", "bounds/..").assert_outcomes(passed=3)
    run(theirs, "--gelu-budget", "budget.toml").assert_outcomes(passed=1, failed=2)
    result = run(theirs, "-o", "gelu_budget=none.toml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = "gelu_budget: cannot read 'none.toml': No such file or directory"
    assert result.stderr.lines == [f"ERROR: {said}", ""]


BOUNDED = """
import numpy as np
import pytest
from gelu_cli import Budget
from gelu_cli import sweep

EIGHT = {"dtype": "float8_e5m2", "form": "relu", "low": -8, "high": 8}

def relu(x):
    return np.maximum(x, 0)

def nan_at_two(x):
    return np.where(x == 2, np.nan, np.maximum(x, 0)).astype(x.dtype)

def broken(x):
    raise ValueError("no kernel")

def test_holds(gelu_sweep):
    verdict = gelu_sweep(relu, max_ulp=0, **EIGHT)
    assert (verdict.name, verdict.max_ulp) == ("test_bounded:relu", 0)

def test_of_the_call(gelu_sweep):
    budget = Budget.of('[[bound]]\\nkernel = "a:b"\\nmisrounded = 0', "ours.toml")
    assert gelu_sweep(lambda x: np.maximum(x, 0), name="a:b", budget=budget, **EIGHT).name == "a:b"

def test_both(gelu_sweep):
    known = Budget.of("[[bound]]\\nwrong_nan = 1\\nreason = 'so'")
    gelu_sweep(nan_at_two, max_ulp=1e9, budget=known, **EIGHT)

def test_lambda(gelu_sweep):
    assert gelu_sweep(lambda x: np.maximum(x, 0), max_ulp=0, **EIGHT).name.startswith("test_lam")
    gelu_sweep(lambda x: x, budget=Budget.of("[[bound]]\\nmax_ulp = 2"), **EIGHT)

def test_broken(gelu_sweep):
    gelu_sweep(broken, max_ulp=2, **EIGHT)

def test_broken_without_the_fixture():
    sweep(broken, **EIGHT)

def test_sample(gelu_sweep):
    gelu_sweep(relu, max_ulp=0, samples=1000, form="relu")

def test_misspelt(gelu_sweep):
    gelu_sweep(relu, max_ulp=2, dtype="float17")
"""


def test_the_call_bounds_and_names_a_kernel(theirs):
    theirs.makepyfile(test_bounded=BOUNDED)
    result = run(theirs, "test_bounded.py", "-W", "always::pytest.PytestWarning")
    result.assert_outcomes(passed=3, failed=5, warnings=1)
    said = result.stdout.str()
    right = "nan at x = 2.0, where 2.0 is right, exceeds every max_ulp"
    assert f"\ntest_bounded:nan_at_two: max_ulp {right}\n" in said
    assert "wrong_nan" not in said  # which is kept
    assert "fails no longer" not in said  # a bound of the call is no known failure
    assert re.search(r"\n\S*<lambda> at test_bounded.py:\d+ has no name; give it one, name=", said)
    assert "\nunknown dtype 'float17'; did you mean 'float16'?\n" in said
    summary = said.partition("warnings summary")[2]
    assert "test_bounded.py::test_sample\n" in summary
    sampled = "relu keeps its bounds at 1,530 inputs; others, which were not judged, may"
    assert f"test_bounded.py:40: PytestWarning: test_bounded:{sampled}" in summary


def test_a_kernel_that_fails_shows_its_line_and_none_of_ours(theirs):
    theirs.makepyfile(test_bounded=BOUNDED)
    said = run(theirs, "test_bounded.py", "-k", "broken").stdout.str()
    for twice in (
        '\n>       raise ValueError("no kernel")\nE       ValueError: no kernel\n',
        "ComputationError: broken raised ValueError at x = 0.0: no kernel",
        "The above exception was the direct cause of the following exception:",
    ):
        assert said.count(twice) == 2
    assert not [ours for ours in OURS if ours in said]


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
    run(theirs, "--help").stdout.fnmatch_lines(["*--gelu-budget=FILE*", "*gelu_budget (string)*"])
    run(theirs, "--fixtures").stdout.fnmatch_lines(["gelu_sweep*"])


def test_unused_it_loads_nothing_dear():
    program = "import sys, gelu_cli.old.pytest_plugin; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    names = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    ours = {name for name in names.split() if name.startswith("gelu_cli")}
    assert ours == {"gelu_cli", "gelu_cli.old.pytest_plugin"}
    assert not {"numpy", "click", "tomllib", "tomlkit"} & set(names.split())


def test_kernels_of_two_inputs_are_bounded_as_others(theirs):
    theirs.makepyfile(
        test_pairs="""
        import numpy as np

        def reglu(gate, up):
            return np.maximum(gate, 0) * (up if up[0] != 3 else 2 * up)

        def test_right(gelu_sweep):
            glu = {"up": [0.5, 2]}
            gelu_sweep(reglu, dtype="float8_e5m2", form="relu", low=1, high=2, glu=glu, max_ulp=1)

        def test_wrong(gelu_sweep):
            glu = {"up": [3]}
            gelu_sweep(reglu, dtype="float8_e5m2", form="relu", low=1, high=2, glu=glu, max_ulp=1)
    """
    )
    run = theirs.runpytest("test_pairs.py", "-W", "ignore::pytest.PytestWarning")
    run.assert_outcomes(passed=1, failed=1)
    run.stdout.fnmatch_lines(["*reglu: max_ulp 8.5 at x = 1.25, up = 3.0 exceeds 1"])
