"""What the commands print does not depend on the environment that they find, or kernels leave."""

import json
import os
import subprocess
import sys

import pytest

from tests.cli.runner import gelu, run_gelu

LINES = [
    "table 1e-310 -38.5 0.1",
    "table 1e-310:4e-310:/600 --form exact -f json",
    "check results.csv --dtype float64 --view summary",
    "error 1e-310 -38.5 --form tanh",
    "variance --form relu --sigma 0.1",
    "locate --form tanh",
    "sweep --impl kernel.py:gelu --dtype bfloat16 --range -1e-39:1e-39",
    "sweep --routine tanh_sum --dtype bfloat16 --range -1e-39:1e-39",
]
RESULTS = "x,exact\n1e-310,5e-311\n-38.5,-1e-323\n0.1,0.05398278372770291\n"
ANSWERS = """
import io, json, sys
from gelu_cli.cli.app import run
answers = []
for line in json.loads(sys.argv[1]):
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    code = run(line.split())
    answers.append([code, sys.stdout.getvalue(), sys.stderr.getvalue()])
print(json.dumps(answers), file=sys.__stdout__)
"""


def answers(folder, library, mode):
    """Return code, stdout and stderr of each line in a process that begins in a mode."""
    done = subprocess.run(
        [sys.executable, "-c", ANSWERS, json.dumps(LINES)],
        cwd=folder, env={**os.environ, "MODE_WHEN_LOADED": mode, "LD_PRELOAD": library.path},
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


FLUSHES = "subnormal results are flushed to 0 and subnormal inputs are taken as 0"
ALL = (
    "subnormal results are flushed to 0, subnormal inputs are taken as 0 "
    "and results are rounded upward"
)


@pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is Linux's")
def test_a_process_that_begins_otherwise_prints_the_same(library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results.csv").write_text(RESULTS)
    (tmp_path / "kernel.py").write_text("from gelu_cli import gelu\n")
    usual = [gelu(*line.split()) for line in LINES]
    found = answers(tmp_path, library, "riu")
    assert [(code, out) for code, out, _ in found] == [(0, out) for _, out, _ in usual]
    *silent, own, routine = [err.splitlines() for _, _, err in found]
    assert not any(silent)
    assert own == [
        f"gelu: note: kernel.py:gelu: while it runs, {ALL} (from the start); "
        "judging is not affected"
    ]
    assert routine == [
        f"gelu: note: tanh_sum: {ALL} in this process; routines and judging are not affected"
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is Linux's")
def test_the_program_itself_begins_in_the_standard_environment(library):
    words = [sys.executable, "-m", "gelu_cli", "table", "1e-310", "-38.5"]
    env = {**os.environ, "MODE_WHEN_LOADED": "rid", "LD_PRELOAD": library.path}
    done = subprocess.run(words, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == run_gelu(*words[3:]).out.encode()


KERNEL = """
import ctypes
from gelu_cli import gelu
library = ctypes.CDLL({path!r})
{imported}
calls = []

def right(x):
    calls.append(x)
    {called}
    return gelu(x)
"""
FLUSH, ROUND = 'library.set_mode(b"ri")', 'library.set_mode(b"z")'
KERNELS = {
    "flushes from its import on": (FLUSH, "", f"{FLUSHES} (since its import)"),
    "flushes from its first call on": (
        "", f"if len(calls) == 1: {FLUSH}", f"{FLUSHES} (since a call)",
    ),
    "does both": (
        FLUSH, ROUND,
        f"{FLUSHES} (since its import); results are rounded toward 0 (since a call)",
    ),
}  # fmt: skip
SWEEP = ("sweep", "--samples", "1000", "--impl")


@pytest.fixture
def sweep(library, tmp_path, monkeypatch):
    """Sweep a kernel that changes the mode when it is imported, or called, in several blocks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gelu_cli.kernels.units.BLOCK", 256)

    def run(imported, called, jobs, name="right"):
        text = KERNEL.format(path=library.path, imported=imported, called=called or "pass")
        (tmp_path / "kernel.py").write_text(text)
        with library.set("") as before:
            answer = run_gelu(*SWEEP, f"kernel.py:{name}", "--jobs", jobs)
            after = library.mode()
        assert after == before
        assert answer.code == 0
        return answer

    return run


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_that_changes_the_environment_is_judged_as_any_other(sweep, name):
    *changes, told = KERNELS[name]
    usual = sweep("", "", 1)
    assert (usual.err, usual.out.count("kernel.py:right,float32")) == ("", 1)
    for jobs in (1, 4):
        answer = sweep(*changes, jobs)
        assert answer.out == usual.out
        note = f"gelu: note: kernel.py:right: while it runs, {told}; judging is not affected\n"
        assert answer.err == note


LATE = f"""
def __getattr__(name):
    {FLUSH}
    return gelu if name == "late" else None
"""


def test_a_name_that_is_imported_late_is_part_of_the_import(sweep):
    usual, late = sweep("", "", 1), sweep(LATE, "", 1, "late")
    assert late.out.replace("late", "right") == usual.out
    assert f"{FLUSHES} (since its import)" in late.err
