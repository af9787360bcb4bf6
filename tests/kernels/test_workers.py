"""Workers: units and their results, what ends a worker, signals, joblib."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tests
from gelu_cli.errors import ComputationError, RemoteError, UsageError
from gelu_cli.kernels import workers

ROOT = Path(tests.__file__).parent.parent


class Task:
    """Do what a unit says."""

    def __call__(self, unit):
        kind, value = unit
        if kind == "square":
            return value * value
        if kind == "process":
            return os.getpid()
        if kind == "raise":
            raise value
        if kind == "exit":
            os._exit(value)
        if kind == "kill":
            os.kill(os.getpid(), value)
        if kind == "braces":
            with workers.holding(workers.Held(value)):
                os._exit(1)
        return sys.stdin.read(), os.read(0, 1), os.getsid(0) == os.getpid()


def test_each_unit_has_its_result():
    units = [("square", n) for n in range(50)]
    want = {(n, n * n) for n in range(50)}
    for jobs, isolated in ((1, False), (2, False), (1, True), (99, True)):
        some = units if jobs < 99 else units[:2]
        found = [*workers.run(Task(), iter(some), jobs=jobs, isolated=isolated)]
        assert sorted(found) == sorted(want)[: len(some)], jobs
    assert [*workers.run(Task(), [], jobs=2)] == []


def test_the_processes_are_others_and_end():
    here = os.getpid()
    for jobs, isolated, count in ((1, False, 0), (1, True, 1), (2, False, 2)):
        run = workers.run(Task(), [("process", 0)] * 9, jobs=jobs, isolated=isolated)
        assert len({process for _, process in run} - {here}) == count, jobs
        assert multiprocessing.active_children() == []


def test_stdin_is_empty_and_the_session_is_its_own():
    assert [*workers.run(Task(), [("streams", 0)])] == [(0, ("", b"", True))]


def test_a_run_that_is_left_early_ends_its_processes():
    run = workers.run(Task(), [("square", n) for n in range(9)], jobs=2)
    next(run)
    assert len(multiprocessing.active_children()) == 2
    run.close()
    assert multiprocessing.active_children() == []


ENDINGS = {
    ("exit", 3): "it ended its process, with exit code 3",
    ("exit", 0): "it ended its process, with exit code 0",
    ("kill", int(signal.SIGSEGV)): "its process ended: Segmentation fault",
    ("kill", int(signal.SIGKILL)): "its process ended: Killed",
    ("braces", "k.py:f:a={}"): "it ended its process, with exit code 1",
}


def check_endings():
    """Run units of which one ends its worker, with others before and behind it."""
    for unit, how in ENDINGS.items():
        units = [*[("square", n) for n in range(20)], unit, *[("square", n) for n in range(20)]]
        with pytest.raises(ComputationError) as error:
            list(workers.run(Task(), units, jobs=2))
        subject = unit[1] if unit[0] == "braces" else "a worker"
        assert str(error.value) == f"{subject} was given {unit} when {how}"
        assert multiprocessing.active_children() == []
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as the program does
    run = workers.run(Task(), [("square", 1), ("square", 2), ("kill", 9), ("square", 3)])
    next(run)
    [each.join() for each in multiprocessing.active_children()]  # the last unit: to a dead worker
    with pytest.raises(ComputationError, match="Killed"):
        list(run)


def test_the_unit_that_ends_a_worker_is_named():
    """In a process apart: forks that die by signals disturb the pipes of pytest-xdist."""
    code = "from tests.kernels.test_workers import check_endings; check_endings()"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr


def test_errors_come_back():
    caused = ComputationError("no", said=["a line"])
    caused.__cause__ = OverflowError("deep")
    for error, kind in (
        (UsageError("no"), UsageError),
        (caused, ComputationError),
        (ZeroDivisionError("no"), RemoteError),
        (SystemExit(0), RemoteError),
    ):
        with pytest.raises(kind, match=r"no|SystemExit") as raised:
            list(workers.run(Task(), [("raise", error)] * 3, jobs=2))
        if kind is ComputationError:
            assert raised.value.said == ["a line"]
            assert "OverflowError: deep" in str(raised.value.__cause__)


def test_kernels_that_do_what_they_should_not_leave_nothing():
    words = [sys.executable, "-m", "tests.kernels.hostile"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    assert done.stdout.splitlines()[1:] == [], done.stderr
    assert int(done.stdout.split()[0]) >= 60


SPAWNING = """
from gelu_cli.kernels import workers
import jax
from operator import neg
print("once")
print([*workers.run(neg, [3])])
"""


def test_a_script_without_a_guard_runs_once_where_processes_cannot_be_forked(folder):
    """A library with threads is imported: workers are processes of their own from the start."""
    (folder / "jax.py").write_text("")
    (folder / "script.py").write_text(SPAWNING)
    env = {**os.environ, "PYTHONPATH": f"{folder}:{ROOT}"}
    words = [sys.executable, "script.py"]
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    assert (done.stdout, done.stderr) == ("once\n[(0, -3)]\n", "")


# Signals


def left_by(sleep):
    """Return the processes whose command line has a word."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [path] if sleep.encode() in path.read_bytes().split(b"\0") else []
        except OSError:
            continue
    return found


def started(folder, sleep, line):
    """Start the program and wait until it has written a word."""
    words = [sys.executable, "-m", "tests.kernels.interrupted", sleep]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, env=env, cwd=folder)
    stream = process.stderr if line == "hangs" else process.stdout
    assert any(line in read for read in iter(stream.readline, ""))  # two may write "hangshangs"
    return process


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")
def test_one_signal_ends_all(folder):
    for number, code in (
        (signal.SIGINT, 130),
        (signal.SIGTERM, -signal.SIGTERM),
        (signal.SIGKILL, -signal.SIGKILL),
    ):
        for line in ("begins", "0", "hangs"):
            sleep = f"2718281{number}{os.getpid()}"
            process = started(folder, sleep, line)
            begun = time.monotonic()
            process.send_signal(number)
            _, said = process.communicate()
            assert (process.returncode, time.monotonic() - begun < 5) == (code, True), line
            assert "Traceback" not in said
            while left := left_by(sleep):  # a process that is being killed
                assert time.monotonic() - begun < 5, left


# joblib


@pytest.fixture
def joblib():
    return pytest.importorskip("joblib", reason="joblib is not installed")


def test_what_the_caller_has_configured_does_the_work(joblib):
    units = [("square", n) for n in range(9)]
    want = sorted((n, n * n) for n in range(9))
    assert sorted(workers.run(Task(), units, isolated=False)) == want  # imported, not configured
    here = [("process", 0)]
    assert [*workers.run(Task(), here, isolated=False)] == [(0, os.getpid())]
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert sorted(workers.run(Task(), units, isolated=False)) == want
        with pytest.raises(UsageError, match=r"^no$"):
            list(workers.run(Task(), [("raise", UsageError("no"))], isolated=False))
