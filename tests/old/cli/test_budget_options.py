"""--budget and --tighten: exit codes, what is said, and which files are written."""

import json
import os
from pathlib import Path
from unittest import mock

import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.old.sweeping.sweep import Sweep
from tests.old.cli.processes import names
from tests.old.cli.runner import assert_refused, run_gelu

pytestmark = pytest.mark.usefixtures("folder")

SWEEP = ("sweep", "logistic", "--dtype", "float8_e5m2", "--form", "sigmoid")
QUIET = (*SWEEP, "--view", "summary", "--format", "csv", "--quiet")
NAMES = 'kernel = "logistic"\ndtype = "float8_e5m2"\ntarget = "sigmoid"\nquantity = "value"\n'
BUDGET = Path("b.toml")
JUDGED = ("--budget", "b.toml")


def test_a_budget_that_is_kept_changes_nothing():
    BUDGET.write_text("[[bound]]\nmax_ulp = 1e9\n")
    assert run_gelu(*SWEEP, *JUDGED) == run_gelu(*SWEEP)


def test_each_exceeded_bound_is_a_line_and_the_exit_code_is_1():
    BUDGET.write_text("[[bound]]\nmax_ulp = 0.5\nwrong_nan = 0\nmisrounded = 3  # three\n")
    usual, judged = run_gelu(*QUIET), run_gelu(*QUIET, *JUDGED, "--max-ulp", "0.6")
    (row,) = usual.rows
    of_the_line, first, second = judged.err.splitlines()
    assert (judged.code, judged.out) == (1, usual.out)
    assert of_the_line.endswith("exceeds --max-ulp 0.6")
    assert first.startswith("gelu: b.toml:2: logistic: max_ulp ")
    assert first.endswith(" exceeds 0.5")
    assert second == f"gelu: b.toml:4: logistic: misrounded {row['misrounded']} exceeds 3"


def test_a_document_has_each_bound_with_its_file_and_line():
    BUDGET.write_text("[[bound]]\nmax_ulp = 0.5\nwrong_nan = 0\n")
    answer = run_gelu(*SWEEP, "-f", "record", *JUDGED, "--max-ulp", "1e9")
    findings = json.loads(answer.out)["findings"]
    assert [[each[name] for name in ("limit", "holds", "file", "line")] for each in findings] == [
        ["max_ulp ≤ 1e+9", True, "", 0],
        ["max_ulp ≤ 0.5", False, "b.toml", 2],
        ["wrong_nan ≤ 0", True, "b.toml", 3],
    ]
    assert findings[2]["said"] == "b.toml:3: logistic: wrong_nan 0 keeps 0"


def test_of_a_sample_the_bounds_hold_for_what_was_judged():
    BUDGET.write_text("[[bound]]\nmax_ulp = 1e9\n")
    line = ("sweep", "logistic", "--range=1:2", "--samples", "99", "--form", "silu")
    answer = run_gelu(*line, *JUDGED)
    assert answer.code == 0
    assert "note: logistic: the bounds of b.toml hold for the " in answer.err
    assert "lower bounds; --all takes every float32\n" in answer.err
    assert run_gelu(*line, *JUDGED, "--quiet").err == ""


def test_results_from_a_file_are_judged_too():
    Path("results.csv").write_text("x,relu\n1,1.25\n2,2\n")
    line = ("check", "results.csv", "--dtype", "float8_e5m2", "--view", "summary", *JUDGED)
    BUDGET.write_text('[[bound]]\nkernel = "relu"\nmax_ulp = 0.5\n')
    answer = run_gelu(*line)
    said = "gelu: b.toml:3: relu: max_ulp 1 at x = 1.0 exceeds 0.5\n"
    assert (answer.code, answer.err) == (1, said)
    BUDGET.write_text('[[bound]]\nkernel = "rleu"\nmax_ulp = 0.5\n')
    assert_refused(run_gelu(*line), "did you mean relu by 'rleu'?")


def test_a_record_is_judged_as_its_sweep_is():
    """But for what it does not have: most counts of single regions."""
    BUDGET.write_text(f"""
[[bound]]
max_ulp = 1
misrounded = 3
[[bound]]
{NAMES}range = "-8:-4"
over_1_ulp = 1
reason = "so"
""")
    run_gelu(*SWEEP, "-o", "r.json")
    record = ("check", "r.json", "--view", "summary", "--format", "csv", "--quiet")
    swept, checked = (run_gelu(*line, *JUDGED) for line in (QUIET, record))
    assert (checked.code, checked.err) == (1, swept.err)
    assert len(swept.err.splitlines()) == 3
    run_gelu(*QUIET, "--budget", "new.toml", "--tighten")
    run_gelu(*record, "--budget", "again.toml", "--tighten")
    assert Path("new.toml").read_text() == Path("again.toml").read_text()
    BUDGET.write_text('[[bound]]\nrange = "0:1"\nwrong_zero = 1\n')
    told = run_gelu(*record[:-1], *JUDGED)
    said = "gelu: note: b.toml:3: logistic: wrong_zero in 0:1 is not known and not judged\n"
    assert (told.code, told.err) == (0, said)


NOTES = {
    "erfc: no bound of b.toml is for it": '[[bound]]\nkernel = "logistic"\nmax_ulp = 1e9\n',
    "b.toml:3: logistic: wrong_nan in 0:16: this known failure fails no longer": (
        '[[bound]]\nrange = "0:16"\nwrong_nan = 3\nreason = "once"\n'
    ),
}


@pytest.mark.parametrize(("said", "budget"), NOTES.items())
def test_what_has_no_bound_and_a_failure_that_vanished_are_told(said, budget):
    BUDGET.write_text(budget)
    answer = run_gelu(*SWEEP, *(["erfc"] if "erfc" in said else []), *JUDGED)
    assert (answer.code, answer.err) == (0, f"gelu: note: {said}\n")


# Tightening


def test_a_file_is_made_and_then_left_to_the_byte(folder):
    line = (*SWEEP, *JUDGED, "--tighten")
    first = run_gelu(*line)
    said = "gelu: note: b.toml: no bounds lowered, 1 entry added\n"
    assert (first.code, first.err) == (0, said)
    assert NAMES in BUDGET.read_text()
    before = BUDGET.stat()
    assert run_gelu(*line).err == "gelu: note: b.toml: no bounds lowered, no entries added\n"
    after = BUDGET.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert names(folder) == ["b.toml"]


def test_what_is_exceeded_stays_and_is_told():
    text = f"# ours\n[[bound]]\n{NAMES}max_ulp = 0.5  # hard\nwrong_nan = 7  # soft\n"
    BUDGET.write_text(text)
    answer = run_gelu(*SWEEP, *JUDGED, "--tighten")
    note, complaint = answer.err.splitlines()
    assert (answer.code, note) == (
        1,
        "gelu: note: b.toml: 1 bound lowered, no entries added; 1 bound failed, which "
        "--tighten never raises",
    )
    assert complaint.startswith("gelu: b.toml:7: logistic: max_ulp ")
    assert BUDGET.read_text() == text.replace("wrong_nan = 7", "wrong_nan = 0")


KERNEL = """
import numpy as np
def relu(x):
    {}
    return np.where(x == {}, np.maximum(x, 0)).astype(x.dtype)
"""
WRITING = "open('b.toml', 'w').write({!r})"
OF_KERNEL = ("sweep", "kernel.py:relu", "--dtype", "float8_e5m2", "--form", "relu")
OF_RELU = NAMES.replace("logistic", "kernel.py:relu").replace("sigmoid", "relu")


def kernel(wrong, meanwhile=None):
    """Write a kernel with a wrong result, which during the sweep writes a text into the budget."""
    writing = "" if meanwhile is None else WRITING.format(meanwhile)
    Path("kernel.py").write_text(KERNEL.format(writing, wrong))


def test_a_broken_kernel_is_no_success_until_somebody_writes_why():
    kernel("2, np.nan")
    line = (*OF_KERNEL, *JUDGED)
    needed = 'is accepted in 2:4 without a reason: write one, reason = "…"'
    due = [
        f"gelu: b.toml:25: kernel.py:relu: max_ulp nan at x = 2.0, where 2.0 is right, {needed}",
        f"gelu: b.toml:25: kernel.py:relu: wrong_nan 1 {needed}",
    ]
    for words in (["--tighten"], ["-f", "github"]):
        answer = run_gelu(*line, *words)
        complaints = [each for each in answer.err.splitlines() if "note: " not in each]
        assert (answer.code, complaints) == (1, due)
    assert answer.out.count("::error file=b.toml,line=25,") == 2
    assert "2 of 12 limits do not hold" in answer.out
    text = BUDGET.read_text()
    BUDGET.write_text(text.replace('reason = ""', 'reason = "a table ends there"'))
    assert run_gelu(*line).code == 0


def test_what_is_tightened_is_what_is_in_the_file_when_it_is_written():
    """During the sweep a bound is lowered, another one is loosened, and an entry is added."""
    meanwhile = (
        f"[[bound]]\n{OF_RELU}max_ulp = 0.5\nmisrounded = 9\n[[bound]]\n{NAMES}max_ulp = 7\n"
    )
    kernel("3, 3.5", meanwhile)
    BUDGET.write_text(f"[[bound]]\n{OF_RELU}max_ulp = 2\nmisrounded = 3\n")
    answer = run_gelu(*OF_KERNEL, *JUDGED, "--tighten")
    assert BUDGET.read_text() == meanwhile.replace("misrounded = 9", "misrounded = 1")
    said = ["gelu: b.toml:6: kernel.py:relu: max_ulp 1 at x = 3.0 exceeds 0.5"]
    assert (answer.code, answer.err.splitlines()[1:]) == (1, said)


def test_a_budget_that_is_broken_meanwhile_is_left(folder):
    kernel("3, 3.5", "[[bound]]\nmax_ulp =")
    answer = run_gelu(*OF_KERNEL, *JUDGED, "--tighten", "-q")
    assert (answer.code, BUDGET.read_text()) == (2, "[[bound]]\nmax_ulp =")
    assert "b.toml:2: this is no TOML" in answer.err
    assert {*names(folder)} - {"__pycache__"} == {"b.toml", "kernel.py"}


def test_an_answer_is_not_written_over_its_budget():
    text = "[[bound]]\nmax_ulp = 9\n"
    BUDGET.write_text(text)
    Path("link.toml").symlink_to("b.toml")
    Path("results.csv").write_text("x,relu\n1,1\n")
    run_gelu(*SWEEP, "-o", "r.json")
    check = ["check", "results.csv", "--dtype", "float8_e5m2"]
    for line in (SWEEP, check, ["check", "r.json"]):
        for output in ("b.toml", "./b.toml", "link.toml"):
            for more in ([], ["--tighten"]):
                answer = run_gelu(*line, *JUDGED, "-o", output, "-f", "csv", *more)
                assert_refused(answer, f"--output '{output}' is the file of --budget; name another")
    new = run_gelu(*SWEEP, "--budget", "new.toml", "--tighten", "-f", "csv", "-o", "new.toml")
    assert_refused(new, "--output 'new.toml' is the file of --budget")
    assert BUDGET.read_text() == text
    assert not Path("new.toml").exists()


@pytest.mark.parametrize(
    ("error", "code"), [(ComputationError("gone"), 4), (KeyboardInterrupt(), 130)]
)
def test_a_sweep_that_fails_or_is_interrupted_tightens_nothing(monkeypatch, error, code):
    BUDGET.write_text("[[bound]]\nmax_ulp = 1e9\n")
    monkeypatch.setattr(Sweep, "_call_again", mock.Mock(side_effect=error))
    for path in ("b.toml", "new.toml"):
        assert run_gelu(*SWEEP, "--budget", path, "--tighten").code == code
    assert BUDGET.read_text() == "[[bound]]\nmax_ulp = 1e9\n"
    assert not Path("new.toml").exists()


def test_a_budget_that_cannot_be_written_is_an_error_of_the_output(monkeypatch):
    text = f"[[bound]]\n{NAMES}wrong_nan = 7\n"
    BUDGET.write_text(text)
    full = mock.Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr(os, "replace", full)
    answer = run_gelu(*SWEEP, *JUDGED, "--tighten")
    said = "gelu: cannot write 'b.toml': No space left on device\n"
    assert (answer.code, answer.err, BUDGET.read_text()) == (3, said, text)


# What cannot be meant

UNMEANT = [
    ("[[bound]]\nmax_ulps = 1", [], "b.toml:2: unknown key 'max_ulps'; did you mean 'max_ulp'"),
    ("[[bound]]\nmax_ulp = ", [], "b.toml:2: this is no TOML: invalid value"),
    ("[[bound]]\nmax_ulp = 1\nrange = '3:4'", [], "b.toml:3: range '3:4': no region of float8_"),
    ("[[bound]]\nmax_ulp = 1\nkernel = 'logistics'", [], "did you mean logistic by 'logistics'"),
    ("[[bound]]\nmax_ulp = 1\nrange = '4:8'", ["--range=-1:1"], "no bound of b.toml is for logi"),
    ("", [], "no bound of b.toml is for logistic, float8_e5m2, sigmoid, value"),
    ("[[bound]]\nmax_ulp = 1", ["--at=1"], "--budget is for sweeps; leave --at out"),
]


@pytest.mark.parametrize(("text", "words", "named"), UNMEANT)
def test_a_budget_that_cannot_be_meant_is_refused_before_the_sweep(text, words, named):
    BUDGET.write_text(text)
    assert_refused(run_gelu(*SWEEP, *JUDGED, "-o", "new.csv", *words), named)
    assert os.listdir() == ["b.toml"]
    assert BUDGET.read_text() == text


NO_BUDGETS = {
    "--tighten": "--tighten writes to a budget; add --budget FILE",
    "--budget none.toml": "cannot read 'none.toml'",
    "--budget .": "cannot read '.'",
    "--budget=": "--budget needs the name of a file",
    "--budget -": "--budget needs the name of a file",
    "--budget none/b.toml --tighten": "--budget 'none/b.toml': there is no such folder",
}


@pytest.mark.parametrize(("words", "named"), NO_BUDGETS.items())
def test_a_file_that_is_no_budget_is_refused(words, named):
    assert_refused(run_gelu(*SWEEP, *words.split()), named)
    assert os.listdir() == []
