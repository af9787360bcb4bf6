"""What a function of the user's own does to its process changes no answer, and hides none."""

import sys
from collections import Counter

import numpy as np
import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.hosted import GuestImplementation
from gelu_cli.old.guests.workers import Worker
from gelu_cli.old.sweeping import executors, inputs
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.sweeping.inputs import Batch, Inputs
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.unit_judge import Task, UnitJudge
from tests.old.every import every
from tests.old.guests.workers.servant import Servant
from tests.old.processes import has_ended, linux

KERNELS = """
import ctypes, os, subprocess, sys, threading, time
from gelu_cli.old.formulas import find_form
from gelu_cli.errors import GeluError, JudgedError

def right(x): return x
def talks(x):
    os.write(1, b"descriptor\\n")
    ctypes.CDLL(None).puts(b"puts")
    subprocess.run(["echo", "child"])
    print("print")
    sys.stderr.close()
    sys.stdout = None
    return x
def imitates(x):
    os.write(2, b"gelu: note: all is well\\n::error::forged\\n##[error]forged\\n")
    os.write(1, b"\\x1b[2Jred\\xff\\r 10%\\r 20%\\r\\n")
    return x
def chatters(x):
    for n in range(300):
        os.write(2, b"%d %s\\n" % (n, b"x" * 1000))
    return x
def goes_on(x):
    os.write(2, b"x" * 10**5)
    return x
def exits(x): os._exit(0)
def recurses(x): return recurses(x)
def closes(x): os.closerange(0, 100)
def kept(x):
    threading.Thread(target=time.sleep, args=(1000,)).start()
    return x * 0 + os.getpid()
def hangs(x):
    print(os.getpid(), flush=True)
    time.sleep(1000)

class Panic(BaseException): pass
def panics(x): raise Panic("in Rust")

class Hidden(type):
    def __getattribute__(self, name): raise ValueError(name)
class Nameless(BaseException, metaclass=Hidden): pass
def empties(x): sys.modules.clear()

class Mute(Exception):
    def __str__(self): raise ValueError

class Leaves:
    def __init__(self): raise SystemExit(0)
    def __call__(self, x): return x

class Answers:
    def __call__(self, x): return x
    def __getattr__(self, name): raise Panic(name)
answers = Answers()

class Unclassed:
    __class__ = property(lambda self: 1 / 0)
    def __call__(self, x): return x
unclassed = Unclassed()

def says(x):
    class Says(type(x)): shape = x.shape
    return x.reshape(2, -1).view(Says)
"""
LOADED = {
    "leaving": "raise SystemExit(0)",
    "interrupting": "raise KeyboardInterrupt",
    "exiting": "import os; os._exit(0)",
    "refusing": "from gelu_cli.errors import UsageError; raise UsageError('no')",
    "panicking": "class Panic(BaseException): pass\nraise Panic('early')",
    "forking": "import os; os.fork()\ndef g(x):\n    os.fork()\n    return x",
    "loading": "import signal, subprocess\n"
    "print(subprocess.Popen(['sleep', '999']).pid, flush=True)\nsignal.pause()",
}
"""What modules do before they define f."""
RAISED = {
    "sys.exit(0)": "SystemExit at x = 1.0: 0",
    "raise KeyboardInterrupt": "KeyboardInterrupt",
    "raise Nameless('me')": "an exception at x = 1.0 without text",
    "raise Mute": "an exception at x = 1.0 without text",
    "raise JudgedError('1 ULP')": "JudgedError at x = 1.0: 1 ULP",
    "raise GeluError('no exit code')": "GeluError at x = 1.0: no exit code",
    "find_form('tnah')": "UsageError at x = 1.0: unknown form 'tnah'",
    "import no_such_module": "ModuleNotFoundError at x = 1.0: No module named",
    "raise ModuleNotFoundError('by hand')": "ModuleNotFoundError at x = 1.0: by hand",
    "recurses(x)": "RecursionError at x = 1.0",
    "raise MemoryError": "MemoryError at x = 1.0",
}
"""What a function does, and how that is told."""
FLOAT32 = FORMATS["float32"]


@pytest.fixture(scope="module", autouse=True)
def kernels(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    raising = "".join(f"def f{i}(x): {does}\n" for i, does in enumerate(RAISED))
    (folder / "k.py").write_text(KERNELS + raising)
    for name, code in LOADED.items():
        (folder / f"{name}.py").write_text(f"{code}\ndef f(x): return x\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield


def guest(word):
    return GuestImplementation(word, word, {}, Calling(FLOAT32, FLOAT32))


@pytest.fixture(scope="module")
def host():
    with Worker(Servant, "s") as worker:
        yield worker


@every(
    ("word", "told"),
    [
        *((f"k.py:f{i}", f"{{}} raised {told}") for i, told in enumerate(RAISED.values())),
        ("k.py:says", "{} was given 2 inputs, from 1.0 to 2.0, and returned an array of (2, 1) t"),
        ("k.py:answers", "asking '{}' for its arguments failed: Panic: __"),
        ("k.py:unclassed", "asking '{}' for its arguments failed: ZeroDivisionError"),
        ("interrupting.py:f", "importing 'interrupting.py' failed: KeyboardInterrupt"),
        ("panicking.py:f", "importing 'panicking.py' failed: Panic: early"),
    ],
)
def test_whatever_it_raises_is_an_error_of_ours_and_its_process_goes_on(host, word, told):
    with pytest.raises(ComputationError) as error:
        host.call("judged", word, np.array([1, 2], np.float32))
    assert str(error.value).startswith(told.format(word))
    assert host.call("name") == "s"


def test_copies_that_a_function_makes_of_its_process_say_nothing(capfd):
    with guest("forking.py:g") as f:
        for x in (np.ones(3, np.float32), np.zeros(2, np.float32)):
            assert f(x).tolist() == x.tolist()
    assert capfd.readouterr() == ("", "")


WITH_CLASSES = """
from __future__ import annotations
import pickle
from dataclasses import dataclass

@dataclass
class Scale:
    by: float = 1.0

def f(x):
    return x * pickle.loads(pickle.dumps(Scale(1.0))).by
"""


@pytest.mark.parametrize("name", ["with_classes", "textwrap", "numpy"])
def test_a_file_is_a_module_that_its_own_classes_find(tmp_path, name):
    """Also where an installed module has its name, and keeps it."""
    path = tmp_path / f"{name}.py"
    path.write_text(WITH_CLASSES)
    with guest(f"{path}:f") as f:
        assert f(np.array([1, 2], np.float32)).tolist() == [1, 2]


# What it writes

IMITATED = [
    "gelu: note: all is well", "::error::forged", "##[error]forged", r"\x1b[2Jred\xff",
    " 10%", " 20%",
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "lines"),
    [("imitates", IMITATED), ("chatters", [f"{n} {'x' * 1000}" for n in range(300)])],
)
def test_what_a_function_writes_stands_behind_its_name_in_its_order(capfd, name, lines):
    """Much is not waited for: a pipe holds 65,536 bytes."""
    with guest(f"k.py:{name}") as f:
        f(np.ones(1, np.float32))
    assert capfd.readouterr().err.splitlines() == [f"k.py:{name}: {line}" for line in lines]


def test_what_functions_of_several_processes_write_comes_in_whole_lines(capfd, monkeypatch):
    monkeypatch.setattr(executors, "WORTH", 1)
    monkeypatch.setattr(inputs, "AT_ONCE", 1)
    with guest("k.py:imitates") as f:
        sweep(f, Question(find_form("relu"), "value", FLOAT32), Inputs(1.0, 1.0001), jobs=2)
    counts = Counter(capfd.readouterr().err.splitlines())
    assert {*counts} == {f"k.py:imitates: {line}" for line in IMITATED}
    assert len({*counts.values()}) == 1


def test_a_line_without_end_is_broken(capfd):
    with guest("k.py:goes_on") as f:
        f(np.zeros(1, np.float32))
    lines = [line.removeprefix("k.py:goes_on: ") for line in capfd.readouterr().err.splitlines()]
    assert "".join(lines) == "x" * 10**5
    assert max(map(len, lines)) <= 4096


# How it ends


@linux
def test_a_thread_that_a_function_leaves_does_not_keep_its_process():
    with guest("k.py:kept") as f:
        (process,) = f(np.ones(1, np.float32)).astype(int)
    assert has_ended(process)


# What is imported


@pytest.mark.parametrize("word", ["kernels_of_two:f", "kernels_of_one:f", "beside.py:f"])
def test_a_module_of_the_current_folder_does_not_hide_an_installed_one(tmp_path, monkeypatch, word):
    installed, here = tmp_path / "installed", tmp_path / "here"
    for folder, factor in (installed, 0), (here, 1):
        folder.mkdir()
        (folder / "kernels_of_two.py").write_text(f"def f(x): return x * {factor}\n")
    for name in ("kernels_of_one", "beside"):
        (here / f"{name}.py").write_text("from kernels_of_two import f\n")
    monkeypatch.chdir(here)
    monkeypatch.setattr(sys, "path", ["", str(installed), *sys.path])  # as python -c has it
    with guest(word) as f:
        assert f(np.ones(1, np.float32)).tolist() == [0]


def test_results_that_are_kept_stay_what_they_were_when_more_are_asked():
    """Others are views of memory that is used again."""
    question = Question(find_form("relu"), "value", FLOAT32)
    with guest("k.py:right") as f:
        judge = UnitJudge([Kernel(f, question)], 1, False, Batch(2, 1.5))
        (first,) = judge.judge(Task(np.array([1.5, 2.0]), [0], True)).outcomes
        for _ in range(3):
            judge.judge(Task(np.array([3.0, 4.0]), [0]))
    assert first.calls[0].got.tolist() == [1.5, 2.0]
