"""A file system that refuses any one call: the old file or the new one, whole, and nothing else."""

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.old.cli.processes import environment
from tests.old.cli.runner import gelu
from tests.old.cli.streams import Trickle

ROOT = Path(__file__).parents[4]
CHUNKS = [b"-3\n", b"0.1\n"]
"""Numbers that come one by one leave so, with a call each."""
STREAM = ["table", "-", "--form", "relu"]
NEW = gelu(*STREAM, stdin=Trickle(CHUNKS)).out
ERRORS = [errno.EIO, errno.ENOSPC]

OUTCOMES = {
    "open": {"fails": [1]},
    "write": {"fails": [1, 2]},
    "fchmod": {"fails": [1]},
    "fsync": {"fails": [1]},
    "close": {"fails": [1]},
    "rename": {"fails": [1]},
    "fchown": {"harmless": [1]},
    "unlink": {},
}
"""What the calls of a function, counted from 1, lead to when one of them fails.

"fails": the old file and exit code 3; "harmless": the new one and 0.
"""

EVERY_CALL = """
import ctypes, io, json, os, sys
from contextlib import redirect_stderr
from gelu_cli.old.cli.app import run
from tests.old.cli.process.test_failing_calls import CHUNKS, ERRORS, OUTCOMES, STREAM
from tests.old.cli.streams import Trickle
folder = sys.argv[1]
library = ctypes.CDLL(None)
path = os.path.join(folder, "a.csv")
seen = []
for function in OUTCOMES:
    for error in ERRORS:
        for nth in range(1, 20):
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))
            with open(path, "w") as old:
                old.write("old\\n")
            if os.geteuid() == 0:
                os.chown(path, 1234, 1234)
            library.fail(folder.encode(), function.encode(), nth, error)
            sys.stdin = io.TextIOWrapper(Trickle(CHUNKS))
            with redirect_stderr(io.StringIO()) as said:
                code = run([*STREAM, "-o", path])
            if not library.fail(b"", b"", 0, 0):
                break
            with open(path) as file:
                seen.append([function, nth, code, said.getvalue(), os.listdir(folder), file.read()])
print(json.dumps(seen))
"""

ON_STDOUT = """
import ctypes, io, sys
from gelu_cli.__main__ import main
from tests.old.cli.process.test_failing_calls import CHUNKS, STREAM
from tests.old.cli.streams import Trickle
function, nth, error = sys.argv[1:]
sys.argv = ["gelu", *STREAM]
sys.stdin = io.TextIOWrapper(Trickle(CHUNKS))
library = ctypes.CDLL(None)
library.watch(1)
library.fail(b"", function.encode(), int(nth), int(error))
main()
"""


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    """Return an environment in which the library stands before the system's."""
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler, cc")
    if not sys.platform.startswith("linux"):
        pytest.skip("a library that is preloaded stands before others on Linux")
    library = tmp_path_factory.mktemp("library") / "failing.so"
    source = Path(__file__).with_name("failing.c")
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"cc: {done.stderr.decode().strip()}")
    return environment(LD_PRELOAD=str(library))


def preloaded(failing, script, *words):
    command = [sys.executable, "-c", script, *map(str, words)]
    return subprocess.run(command, cwd=ROOT, env=failing, capture_output=True, check=False)


def test_a_file_is_whole_whichever_call_fails(failing, tmp_path):
    done = preloaded(failing, EVERY_CALL, tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    found = {}
    for function, nth, code, said, names, text in json.loads(done.stdout):
        assert names == ["a.csv"], (function, nth)
        assert text in ("old\n", NEW), (function, nth)
        outcome = {(3, False): "fails", (0, True): "harmless"}[code, text == NEW]
        assert said.count("\n") == (code != 0), said
        assert code == 0 or said.startswith("gelu: cannot write"), said
        calls = found.setdefault(function, {}).setdefault(outcome, [])
        if nth not in calls:
            calls.append(nth)
    expected = {name: outcomes for name, outcomes in OUTCOMES.items() if outcomes}
    if os.geteuid() != 0:  # the old file has the same owner
        del expected["fchown"]
    assert found == expected


@pytest.mark.parametrize(("function", "nth"), [("write", 2), ("close", 1)])
def test_stdout_is_written_or_that_is_said(failing, function, nth):
    done = preloaded(failing, ON_STDOUT, function, nth, errno.EIO)
    assert done.returncode == 3
    assert done.stderr == b"gelu: cannot write the output: Input/output error\n"
    assert NEW.startswith(done.stdout.decode())
