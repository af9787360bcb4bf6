"""--budget and --tighten: exit codes, what is said, and which files are written."""

import json
import os
from unittest import mock

import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.kernels.sweep import Sweep
from tests.cli.runner import assert_refused, run_gelu

SWEEP = ("sweep", "--routine", "logistic", "--dtype", "float8_e5m2", "--target", "sigmoid")
QUIET = (*SWEEP, "--view", "summary", "--format", "csv", "--quiet")
KERNEL = "import numpy as np\ndef relu(x):\n    return np.maximum(x, 0)\n"
NAMES = 'kernel = "logistic"\ndtype = "float8_e5m2"\ntarget = "sigmoid"\nquantity = "value"\n'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def budget(text):
    with open("b.toml", "w", encoding="utf-8") as file:
        file.write(text)


def text_of(path="b.toml"):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def test_a_budget_that_is_kept_changes_nothing():
    budget("[[bound]]\nmax_ulp = 1e9\n")
    assert run_gelu(*SWEEP, "--budget", "b.toml") == run_gelu(*SWEEP)


def test_each_exceeded_bound_is_a_line_and_the_exit_code_is_1():
    budget("[[bound]]\nmax_ulp = 0.5\nwrong_nan = 0\nmisrounded = 3  # three\nwrong_zero = 0\n")
    usual, judged = run_gelu(*QUIET), run_gelu(*QUIET, "--budget", "b.toml")
    (row,) = usual.rows
    lines = judged.err.splitlines()
    assert (judged.code, judged.out) == (1, usual.out)
    assert lines[0].startswith("gelu: b.toml:2: logistic: max_ulp ")
    assert lines[0].endswith(" exceeds 0.5")
    assert lines[1:] == [
        f"gelu: b.toml:4: logistic: misrounded {row['misrounded']} exceeds 3",
        f"gelu: b.toml:5: logistic: wrong_zero {row['wrong_zero']} exceeds 0",
    ]


def test_the_limit_of_the_line_is_told_with_the_bounds_of_the_file():
    budget("[[bound]]\nmisrounded = 3\n")
    answer = run_gelu(*QUIET, "--budget", "b.toml", "--max-ulp", "0.5")
    first, second = answer.err.splitlines()
    assert answer.code == 1
    assert "exceeds --max-ulp 0.5" in first
    assert "b.toml:2" in second


def test_a_document_has_each_bound_with_its_file_and_line():
    budget("[[bound]]\nmax_ulp = 0.5\nwrong_nan = 0\n")
    answer = run_gelu(*SWEEP, "-f", "record", "--budget", "b.toml", "--max-ulp", "1e9")
    findings = json.loads(answer.out)["findings"]
    assert [[each[name] for name in ("limit", "holds", "file", "line")] for each in findings] == [
        ["max_ulp ≤ 1e+9", True, "", 0],
        ["max_ulp ≤ 0.5", False, "b.toml", 2],
        ["wrong_nan ≤ 0", True, "b.toml", 3],
    ]
    assert findings[2]["said"] == "b.toml:3: logistic: wrong_nan 0 keeps 0"


def test_of_a_sample_the_bounds_hold_for_what_was_judged():
    budget("[[bound]]\nmax_ulp = 1e9\n")
    line = ("sweep", "--routine", "logistic", "--range=1:2", "--samples", "99", "--target", "silu")
    answer = run_gelu(*line, "--budget", "b.toml")
    assert answer.code == 0
    assert "note: logistic: the bounds of b.toml hold for the " in answer.err
    assert "lower bounds; --all takes every float32\n" in answer.err
    assert run_gelu(*line, "--budget", "b.toml", "--quiet").err == ""


def test_results_from_a_file_are_judged_too(folder):
    (folder / "results.csv").write_text("x,relu\n1,1.25\n2,2\n")
    budget('[[bound]]\nkernel = "relu"\nmax_ulp = 0.5\n')
    line = ("check", "results.csv", "--dtype", "float8_e5m2", "--view", "summary")
    answer = run_gelu(*line, "--budget", "b.toml")
    assert answer.code == 1
    assert answer.err == "gelu: b.toml:3: relu: max_ulp 1 at x = 1.0 exceeds 0.5\n"
    budget('[[bound]]\nkernel = "rleu"\nmax_ulp = 0.5\n')
    said = "did you mean relu by 'rleu'?"
    assert_refused(run_gelu(*line, "--budget", "b.toml"), said)


def test_a_record_is_judged_as_its_sweep_is():
    """But for what it does not have: most counts of single regions."""
    budget(f"""
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
    swept, checked = (run_gelu(*line, "--budget", "b.toml") for line in (QUIET, record))
    assert (checked.code, checked.err) == (1, swept.err)
    assert len(swept.err.splitlines()) == 3
    run_gelu(*QUIET, "--budget", "new.toml", "--tighten")
    run_gelu(*record, "--budget", "again.toml", "--tighten")
    assert text_of("new.toml") == text_of("again.toml")
    budget('[[bound]]\nrange = "0:1"\nwrong_zero = 1\n')
    told = run_gelu(*record[:-1], "--budget", "b.toml")
    assert told.code == 0
    assert told.err == (
        "gelu: note: b.toml:3: logistic: wrong_zero in 0:1 is not known and not judged\n"
    )
    budget('[[bound]]\nkernel = "logistics"\nwrong_zero = 1\n')
    assert_refused(run_gelu(*record, "--budget", "b.toml"), "did you mean logistic by 'logistics'")


def test_a_kernel_without_a_bound_beside_others_is_told():
    budget('[[bound]]\nkernel = "logistic"\nmax_ulp = 1e9\n')
    answer = run_gelu(*SWEEP, "--routine", "erfc", "--budget", "b.toml")
    assert (answer.code, answer.err) == (0, "gelu: note: erfc: no bound of b.toml is for it\n")


def test_a_failure_that_vanished_is_told():
    budget('[[bound]]\nrange = "0:16"\nwrong_nan = 3\nreason = "once"\n')
    answer = run_gelu(*SWEEP, "--budget", "b.toml")
    assert answer.code == 0
    assert answer.err == (
        "gelu: note: b.toml:1: logistic: wrong_nan in 0:16: this known failure fails no longer: "
        "the entry can go if no other sweep needs it\n"
    )


# Tightening


def test_a_file_is_made_and_then_left_to_the_byte(folder):
    first = run_gelu(*SWEEP, "--budget", "b.toml", "--tighten")
    assert first.code == 0
    assert first.err == "gelu: note: b.toml: no bounds lowered, 1 entry added\n"
    assert NAMES in text_of()
    before = os.stat("b.toml")
    again = run_gelu(*SWEEP, "--budget", "b.toml", "--tighten")
    assert again.err == "gelu: note: b.toml: no bounds lowered, no entries added\n"
    assert (os.stat("b.toml").st_ino, os.stat("b.toml").st_mtime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
    )
    assert run_gelu(*SWEEP, "--budget", "b.toml").code == 0
    assert [path.name for path in folder.iterdir()] == ["b.toml"]


def test_what_is_exceeded_stays_and_is_told():
    budget(f"# ours\n[[bound]]\n{NAMES}max_ulp = 0.5  # hard\nwrong_nan = 7  # soft\n")
    answer = run_gelu(*SWEEP, "--budget", "b.toml", "--tighten")
    assert answer.code == 1
    note, complaint = answer.err.splitlines()
    assert note == (
        "gelu: note: b.toml: 1 bound lowered, no entries added; 1 bound failed, which "
        "--tighten never raises"
    )
    assert complaint.startswith("gelu: b.toml:7: logistic: max_ulp ")
    assert text_of() == (
        f"# ours\n[[bound]]\n{NAMES}max_ulp = 0.5  # hard\nwrong_nan = 0  # soft\n"
    )


BROKEN = """
import numpy as np
def relu(x):
    return np.where(x == 2, np.nan, np.maximum(x, 0)).astype(x.dtype)
"""
OF_KERNEL = ("sweep", "--impl", "kernel.py:relu", "--dtype", "float8_e5m2", "--target", "relu")


def test_a_broken_kernel_is_no_success_until_somebody_writes_why(folder):
    (folder / "kernel.py").write_text(BROKEN)
    line = (*OF_KERNEL, "--budget", "b.toml")
    needed = 'is accepted in 2:4 without a reason: write one, reason = "…"'
    for words in (["--tighten"], [], ["--tighten", "-f", "github"]):
        answer = run_gelu(*line, *words)
        complaints = [each for each in answer.err.splitlines() if "note: " not in each]
        assert answer.code == 1
        assert complaints == [
            "gelu: b.toml:25: kernel.py:relu: max_ulp nan at x = 2.0, where 2.0 is right, "
            f"{needed}",
            f"gelu: b.toml:25: kernel.py:relu: wrong_nan 1 {needed}",
        ]
    assert answer.out.count("::error file=b.toml,line=25,") == 2
    assert "2 of 12 limits do not hold" in answer.out
    budget(text_of().replace('reason = ""', 'reason = "a table ends there"'))
    assert run_gelu(*line).code == 0


WRITING = """
import numpy as np
def relu(x):
    with open("b.toml", "w") as file:
        file.write({!r})
    return np.where(x == 3, 3.5, np.maximum(x, 0)).astype(x.dtype)
"""
OF_RELU = NAMES.replace("logistic", "kernel.py:relu").replace("sigmoid", "relu")


def test_what_is_tightened_is_what_is_in_the_file_when_it_is_written(folder):
    """During the sweep a bound is lowered, another one is loosened, and an entry is added."""
    meanwhile = (
        f"[[bound]]\n{OF_RELU}max_ulp = 0.5\nmisrounded = 9\n[[bound]]\n{NAMES}max_ulp = 7\n"
    )
    (folder / "kernel.py").write_text(WRITING.format(meanwhile))
    budget(f"[[bound]]\n{OF_RELU}max_ulp = 2\nmisrounded = 3\n")
    answer = run_gelu(*OF_KERNEL, "--budget", "b.toml", "--tighten")
    assert text_of() == meanwhile.replace("misrounded = 9", "misrounded = 1")
    assert answer.code == 1
    assert answer.err.splitlines()[1:] == [
        "gelu: b.toml:6: kernel.py:relu: max_ulp 1 at x = 3.0 exceeds 0.5"
    ]


def test_a_budget_that_is_broken_meanwhile_is_left(folder):
    (folder / "kernel.py").write_text(WRITING.format("[[bound]]\nmax_ulp ="))
    answer = run_gelu(*OF_KERNEL, "--budget", "b.toml", "--tighten", "-q")
    assert (answer.code, text_of()) == (2, "[[bound]]\nmax_ulp =")
    assert "b.toml:2: this is no TOML" in answer.err
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == [
        "b.toml",
        "kernel.py",
    ]


def test_an_answer_is_not_written_over_its_budget(folder):
    text = "[[bound]]\nmax_ulp = 9\n"
    budget(text)
    os.symlink("b.toml", "link.toml")
    (folder / "results.csv").write_text("x,relu\n1,1\n")
    run_gelu(*SWEEP, "-o", "r.json")
    checks = ["check", "results.csv", "--dtype", "float8_e5m2"], ["check", "r.json"]
    for line in (SWEEP, *checks):
        for output in ("b.toml", "./b.toml", "link.toml"):
            for more in ([], ["--tighten"]):
                answer = run_gelu(*line, "--budget", "b.toml", "-o", output, "-f", "csv", *more)
                assert_refused(answer, f"--output '{output}' is the file of --budget; name another")
    new = run_gelu(*SWEEP, "--budget", "new.toml", "--tighten", "-f", "csv", "-o", "new.toml")
    assert_refused(new, "--output 'new.toml' is the file of --budget")
    assert text_of() == text
    assert not (folder / "new.toml").exists()


def test_a_sweep_that_fails_or_is_interrupted_tightens_nothing(folder, monkeypatch):
    (folder / "kernel.py").write_text(KERNEL)
    text = "[[bound]]\nmax_ulp = 1e9\n"
    budget(text)
    line = ("sweep", "--impl", "kernel.py:relu", "--dtype", "float8_e5m2", "--target", "relu")
    for error, code in [(ComputationError("gone"), 4), (KeyboardInterrupt(), 130)]:
        monkeypatch.setattr(Sweep, "_call_again", mock.Mock(side_effect=error))
        assert run_gelu(*line, "--budget", "b.toml", "--tighten").code == code
        assert run_gelu(*line, "--budget", "new.toml", "--tighten").code == code
        assert text_of() == text
        assert not (folder / "new.toml").exists()


def test_a_budget_that_cannot_be_written_is_an_error_of_the_output(monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    budget(f"[[bound]]\n{NAMES}wrong_nan = 7\n")
    monkeypatch.setattr(os, "replace", full)
    answer = run_gelu(*SWEEP, "--budget", "b.toml", "--tighten")
    assert answer.code == 3
    assert answer.err == "gelu: cannot write 'b.toml': No space left on device\n"
    assert text_of() == f"[[bound]]\n{NAMES}wrong_nan = 7\n"


# What cannot be meant


@pytest.mark.parametrize(
    ("text", "words", "named"),
    [
        ("[[bound]]\nmax_ulps = 1", [], "b.toml:2: unknown key 'max_ulps'; did you mean 'max_ulp'"),
        ("[[bound]]\nmax_ulp = ", [], "b.toml:2: this is no TOML: invalid value"),
        (
            "[[bound]]\nmax_ulp = 1\nrange = '3:4'",
            [],
            "b.toml:3: range '3:4': no region of float8_",
        ),
        (
            "[[bound]]\nmax_ulp = 1\nkernel = 'logistics'",
            [],
            "did you mean logistic by 'logistics'",
        ),
        (
            "[[bound]]\nmax_ulp = 1\nrange = '4:8'",
            ["--range=-1:1"],
            "no bound of b.toml is for logi",
        ),
        ("", [], "no bound of b.toml is for logistic, float8_e5m2, sigmoid, value"),
        ("[[bound]]\nmax_ulp = 1", ["--at=1"], "--budget is for sweeps; leave --at out"),
    ],
)
def test_a_budget_that_cannot_be_meant_is_refused_before_the_sweep(text, words, named):
    budget(text)
    line = (*SWEEP, "--budget", "b.toml", "-o", "new.csv", *words)
    assert_refused(run_gelu(*line), named)
    assert os.listdir() == ["b.toml"]
    assert text_of() == text


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--tighten"], "--tighten writes to a budget; add --budget FILE"),
        (["--budget", "none.toml"], "cannot read 'none.toml'"),
        (["--budget", "."], "cannot read '.'"),
        (["--budget", ""], "--budget needs the name of a file"),
        (["--budget", "-"], "--budget needs the name of a file"),
        (
            ["--budget", "none/b.toml", "--tighten"],
            "--budget 'none/b.toml': there is no such folder",
        ),
    ],
)
def test_a_file_that_is_no_budget_is_refused(words, named):
    assert_refused(run_gelu(*SWEEP, *words), named)
    assert os.listdir() == []
