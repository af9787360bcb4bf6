"""A kernel that fails in the middle of a sweep: what was judged before it is printed."""

import pytest

from gelu_cli import sweep
from gelu_cli.errors import ComputationError
from tests.old.cli.runner import run_gelu

KERNELS = """
import os, signal
calls = [0]
def later(failure):
    calls[0] += 1
    if calls[0] > 1: failure()
def fails():
    raise ValueError("no more")
def crashes(x):
    later(os.abort)
    return x
def raises(x):
    later(fails)
    return x
def shape(x):
    calls[0] += 1
    return x[calls[0] - 1:]
def at_once(x): os.abort()
def asked_again(x):
    if calls[0] == 1: fails()
    calls[0] += x[0] == 1
    return x
def hangs(x):
    calls[0] += 1
    while calls[0] > 2: signal.pause()
    return x
"""
WORDS = ("--samples", "131072", "--seed", "1", "--form", "relu", "--batch", "65536")
"""Two calls."""
AT = "was given 65,536 inputs, from "
FAILURES = {
    "crashes": (AT, "when its process ended: Aborted"),
    "raises": (" raised ValueError at x = ", "no more"),
    "shape": (AT, "and returned the shape (65535,)", "for inputs of (65536,)"),
}


FILES = {"k.py": KERNELS}
pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize("name", FAILURES)
def test_what_was_judged_before_a_failure_is_printed(name):
    answer = run_gelu("sweep", f"k.py:{name}", *WORDS)
    (row,) = answer.rows
    assert (row["inputs"], row["exhaustive"]) == ("65536", "partial")
    (line,) = answer.err.splitlines()
    assert answer.code == 4
    assert line.startswith(f"gelu: k.py:{name}")
    assert all(part in line for part in FAILURES[name])


def test_a_file_is_left_as_it_was(folder):
    (folder / "old.csv").write_text("old")
    words = ("k.py:crashes", *WORDS)
    answer = run_gelu("sweep", *words, "-o", "old.csv", "--max-ulp", "1")
    left, line = answer.err.splitlines()
    assert left == "gelu: note: 'old.csv' is left as it was, what was found is on stdout"
    assert line.endswith("when its process ended: Aborted")
    assert answer.rows[0]["exhaustive"] == "partial"
    assert (answer.code, (folder / "old.csv").read_text()) == (4, "old")


def test_no_more_is_lost_than_is_judged_at_once():
    answer = run_gelu(
        "sweep", "k.py:crashes", "--dtype", "bfloat16", "--batch", "2048"
    )  # fmt: skip
    (row,) = answer.rows
    assert (answer.code, row["inputs"], row["exhaustive"]) == (4, "2048", "partial")


def test_nothing_is_printed_where_nothing_was_judged():
    answer = run_gelu("sweep", "k.py:at_once", "--dtype", "float8_e5m2")
    assert (answer.code, answer.out, answer.err.count("\n")) == (4, "", 1)


def test_a_kernel_that_fails_when_it_is_called_again_keeps_its_verdict():
    words = ("--range", "1:1.001", "--form", "relu", "--max-ulp", "0")
    answer = run_gelu("sweep", "k.py:asked_again", *words)
    (row,) = answer.rows
    assert (answer.code, row["inputs"], row["exhaustive"]) == (4, "8389", "yes")
    assert answer.err.startswith("gelu: k.py:asked_again raised ValueError at x = ")
    assert answer.err.count("\n") == 1


def test_the_api_raises_what_failed():
    with pytest.raises(ComputationError, match=r"^k.py:crashes was given"):
        sweep("k.py:crashes", form="relu", samples=131_072)


def test_a_call_that_hangs_ends_by_the_timeout():
    answer = run_gelu("sweep", "k.py:hangs", *WORDS, "--timeout", "3")
    assert (answer.code, answer.out.count("partial") + answer.out.count("yes")) == (4, 1)
    assert "and did not return within 3 s (--timeout)" in answer.err
