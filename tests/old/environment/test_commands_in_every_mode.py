"""What the commands print does not depend on the environment that they find, or kernels leave."""

import json
import os
import struct
import subprocess
import sys
from importlib import import_module

import pytest

from tests.old.cli.runner import gelu, run_gelu
from tests.old.house import copy_of_the_house, environment

LINES = [
    "table 1e-310 -38.5 0.1",
    "table 1e-310:4e-310:/600 --form exact -f json",
    "check results.csv --dtype float64 --view summary",
    "error 1e-310 -38.5 --form tanh",
    "variance --form relu --sigma 0.1",
    "locate --form tanh",
    "sweep kernel.py:gelu --dtype bfloat16 --range -1e-39:1e-39",
    "sweep tanh_sum --dtype bfloat16 --range -1e-39:1e-39",
]
RESULTS = "x,exact\n1e-310,5e-311\n-38.5,-1e-323\n0.1,0.05398278372770291\n"
ANSWERS = """
import io, json, struct, sys
from gelu_cli.old.cli.app import run
answers = []
for line in json.loads(sys.argv[1]):
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    code = run(line.split())
    answers.append([code, sys.stdout.getvalue(), sys.stderr.getvalue()])
constants = [
    [name, key, struct.pack("d", value).hex()]
    for name, module in sys.modules.items()
    if name.startswith("gelu_cli") and "libmp" not in name  # mpmath's
    for key, value in vars(module).items() if isinstance(value, float)
]
print(json.dumps([answers, constants]), file=sys.__stdout__)
"""


def answers(folder, library, mode):
    """Return what lines print in a process that begins in a mode, and constants of its modules.

    Of each line code, stdout and stderr. The modules are compiled there.
    """
    copy = copy_of_the_house(folder)  # without __pycache__
    done = subprocess.run(
        [sys.executable, "-c", ANSWERS, json.dumps(LINES)],
        cwd=folder,
        env={**environment(copy), "MODE_WHEN_LOADED": mode, "LD_PRELOAD": library.path},
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
    """Powers, even those of 2, come out wrong where Python folds them in another rounding mode."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results.csv").write_text(RESULTS)
    (tmp_path / "kernel.py").write_text("from gelu_cli import gelu\n")
    usual = [gelu(*line.split()) for line in LINES]
    found, constants = answers(tmp_path, library, "riu")
    assert len(constants) > 20
    for name, key, value in constants:
        here = getattr(import_module(name), key)
        assert struct.pack("d", here).hex() == value, f"{name}.{key}"
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
LATE = f"""
def __getattr__(name):
    {FLUSH}
    return gelu if name == "late" else None
"""
KERNELS = {
    "flushes from its import on": ("right", FLUSH, "pass", f"{FLUSHES} (since its import)"),
    "flushes from its first call on": (
        "right", "", f"if len(calls) == 1: {FLUSH}", f"{FLUSHES} (since a call)",
    ),
    "does both": (
        "right", FLUSH, ROUND,
        f"{FLUSHES} (since its import); results are rounded toward 0 (since a call)",
    ),
    "has a name that is imported late": ("late", LATE, "pass", f"{FLUSHES} (since its import)"),
}  # fmt: skip


@pytest.fixture(scope="module")
def sweep(library, tmp_path_factory):
    """Return what sweeps a kernel that changes the mode, in several blocks."""
    folder = tmp_path_factory.mktemp("kernel")
    words = ("sweep", "--dtype", "bfloat16", "--range", "-1e-38:1e-38")

    def run(name, imported="", called="pass"):
        text = KERNEL.format(path=library.path, imported=imported, called=called)
        (folder / "kernel.py").write_text(text)
        with library.set("") as before:
            answer = run_gelu(*words, f"kernel.py:{name}")
            after = library.mode()
        assert after == before
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("gelu_cli.old.sweeping.inputs.BLOCK", 64)
        yield run


@pytest.fixture(scope="module")
def usual(sweep):
    return sweep("right")


@pytest.mark.parametrize("what", KERNELS)
def test_a_kernel_that_changes_the_environment_is_judged_as_any_other(sweep, usual, what):
    name, *changes, told = KERNELS[what]
    answer = sweep(name, *changes)
    assert (answer.code, answer.out) == (0, usual.out.replace("right", name))
    assert answer.err == (
        f"gelu: note: kernel.py:{name}: while it runs, {told}; judging is not affected\n"
    )
