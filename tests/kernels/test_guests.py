"""What a function of the user's own does to its process changes no answer, and hides none."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from gelu_cli.api import sweep
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.kernels.guests import GuestImplementation
from tests.cli.processes import GELU, environment, run, started
from tests.cli.runner import assert_all_refused

KERNELS = """
import ctypes, os, signal, subprocess, sys, threading, time

def right(x): return x
def talks(x):
    os.write(1, b"descriptor\\n")
    ctypes.CDLL(None).puts(b"puts")
    subprocess.run(["echo", "child"])
    print("print")
    sys.stderr.close()
    sys.stdout = None
    return x
def exits(x): os._exit(0)
def leaves(x): sys.exit(0)
def interrupts(x): raise KeyboardInterrupt
def aborts(x): os.abort()
def crashes(x): ctypes.string_at(0)
def terminates(x): os.kill(os.getpid(), signal.SIGTERM)
def closes(x): os.closerange(0, 100)
def recurses(x): return recurses(x)
def needs_memory(x): raise MemoryError
def kept(x):
    threading.Thread(target=time.sleep, args=(1000,)).start()
    return x
def hangs(x):
    with open("pid", "w") as file:
        file.write(str(os.getpid()))
    while True: pass

class Panic(BaseException): pass
def panics(x): raise Panic("in Rust")

class Mute(Exception):
    def __str__(self): raise ValueError
def mute(x): raise Mute

class Leaves:
    def __init__(self): raise SystemExit(0)
    def __call__(self, x): return x
class Exits(Leaves):
    def __init__(self): os._exit(0)
class Panics(Leaves):
    def __init__(self): raise Panic("made")

class Answers:
    def __call__(self, x): return x
    def __getattr__(self, name): raise Panic(name)
answers = Answers()

class Says:
    def __init__(self, x): self.dtype, self.shape, self.x = x.dtype, x.shape, x
    def __array__(self, *args, **settings): return self.x.reshape(2, -1)
def says(x): return Says(x)
"""
IMPORTED = {
    "leaving": "raise SystemExit(0)",
    "interrupting": "raise KeyboardInterrupt",
    "exiting": "import os; os._exit(0)",
    "crashing": "import ctypes; ctypes.string_at(0)",
    "panicking": "class Panic(BaseException): pass\nraise Panic('early')",
}
WORDS = ("--dtype", "float8_e5m2", "--max-ulp", "0")


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "k.py").write_text(KERNELS)
    for name, code in IMPORTED.items():
        (folder / f"{name}.py").write_text(f"{code}\ndef f(x): return x\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


AT = "k.py:{} was at 248 inputs, the first of them 0.0, the last -57344.0, when "
ENDED = "it ended its process, with exit code 0"
FAILING = {
    "k.py:exits": AT.format("exits") + ENDED,
    "k.py:closes": AT.format("closes"),
    "k.py:aborts": AT.format("aborts") + "its process ended: Aborted",
    "k.py:crashes": AT.format("crashes") + "its process ended: Segmentation fault",
    "k.py:terminates": AT.format("terminates") + "its process ended: Terminated",
    "k.py:leaves": "k.py:leaves raised SystemExit at x = 0.0: 0",
    "k.py:interrupts": "k.py:interrupts raised KeyboardInterrupt",
    "k.py:panics": "k.py:panics raised Panic at x = 0.0: in Rust",
    "k.py:mute": "k.py:mute raised Mute at x = 0.0, whose text cannot be had",
    "k.py:recurses": "k.py:recurses raised RecursionError at x = 0.0",
    "k.py:needs_memory": "k.py:needs_memory raised MemoryError at x = 0.0",
    "k.py:says": "k.py:says: it returned an array of (2, 124) that says (248,)",
    "k.py:answers": "asking 'k.py:answers' failed: Panic: __",
    "k.py:Leaves": "making an object of 'k.py:Leaves' failed: SystemExit: 0",
    "k.py:Panics": "making an object of 'k.py:Panics' failed: Panic: made",
    "k.py:Exits": f"k.py:Exits was being loaded when {ENDED}",
    "leaving.py:f": "importing 'leaving.py' failed: SystemExit: 0",
    "leaving:f": "importing 'leaving' failed: SystemExit: 0",
    "interrupting.py:f": "importing 'interrupting.py' failed: KeyboardInterrupt",
    "exiting.py:f": f"exiting.py:f was being loaded when {ENDED}",
    "crashing.py:f": "crashing.py:f was being loaded when its process ended: Segmentation fault",
    "panicking.py:f": "importing 'panicking.py' failed: Panic: early",
}


def test_a_function_that_fails_in_any_way_is_one_line_and_4():
    cases = [(["--impl", word, *WORDS], message) for word, message in FAILING.items()]
    assert_all_refused("sweep", cases=cases, code=4)


def test_what_a_function_writes_is_no_part_of_the_answer():
    usual = run("sweep", "--impl", "k.py:right", "--dtype", "float8_e5m2")
    done = run("sweep", "--impl", "k.py:talks", "--dtype", "float8_e5m2")
    assert (done.returncode, done.stdout) == (0, usual.stdout.replace(b"right", b"talks"))
    # Twice, as some inputs are asked again; Python's own stream is closed by the first call.
    said = done.stderr.decode().split()
    assert {*said} == {"descriptor", "puts", "child", "print"}


def test_a_thread_that_a_function_leaves_does_not_keep_the_program():
    assert run("sweep", "--impl", "k.py:kept", "--dtype", "float8_e5m2").returncode == 0


def wait_for_file(path):
    while not (path.exists() and path.read_text()):
        os.sched_yield()
    return int(path.read_text())


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_ends_a_function_that_hangs(folder, jobs):
    (folder / "pid").unlink(missing_ok=True)
    with started("sweep", "--impl", "k.py:hangs", "--samples", "200000", "--jobs", jobs) as gelu:
        process = wait_for_file(folder / "pid")
        gelu.send_signal(signal.SIGINT)
        out, err = gelu.communicate()
    assert (gelu.returncode, len(out.splitlines())) == (130, 2)
    assert err == b"gelu: interrupted after 0 inputs\n"
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


HANGS_HERE = """
import os, signal, sys
from gelu_cli import sweep
def hangs(x):
    print("called", flush=True)
    while True: pass
sweep(hangs)
"""


def test_an_interrupt_ends_a_function_that_hangs_in_the_callers_process():
    code = [sys.executable, "-c", HANGS_HERE]
    with subprocess.Popen(code, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout.readline() == b"called\n"
        program.send_signal(signal.SIGINT)
        _, err = program.communicate()
    assert program.returncode == -signal.SIGINT
    assert err.splitlines()[-1] == b"KeyboardInterrupt"


@pytest.mark.parametrize("command", [GELU, [GELU[0].replace("python", "gelu")]])
def test_a_module_of_the_current_folder_does_not_hide_an_installed_one(tmp_path, command):
    if not os.access(command[0], os.X_OK):
        pytest.skip("the script gelu is not beside Python")
    installed, here = tmp_path / "installed", tmp_path / "here"
    for folder, factor in (installed, 0), (here, 1):
        folder.mkdir()
        (folder / "kernels_of_two.py").write_text(f"def f(x): return x * {factor}\n")
    (here / "kernels_of_one.py").write_text("from kernels_of_two import f\n")
    (here / "beside.py").write_text("from kernels_of_two import f\n")
    for word in ("kernels_of_two:f", "kernels_of_one:f", "beside.py:f"):
        done = subprocess.run(
            [*command, "sweep", "--impl", word, "--dtype", "float8_e5m2", "--target", "relu"],
            cwd=here, env=environment(PYTHONPATH=str(installed)), capture_output=True, check=False,
        )  # fmt: skip
        row = dict(zip(*(line.split(b",") for line in done.stdout.splitlines()), strict=True))
        assert row[b"wrong_zero"] != b"0", word  # x·0


def test_a_word_in_python_is_a_function_in_a_process_of_its_own():
    assert sweep("k.py:right", dtype="float8_e5m2", target="relu").total.inputs == 248
    with pytest.raises(ComputationError, match=r"when it ended its process, with exit code 0$"):
        sweep("k.py:exits", dtype="float8_e5m2")
    with pytest.raises(UsageError, match=r"^unknown name 'wrong' in 'k\.py'"):
        sweep("k.py:wrong", dtype="float8_e5m2")


def test_results_stay_what_they_were_when_more_are_asked():
    x, y = np.array([1.0, 2.0], np.float32), np.array([3.0, 4.0], np.float32)
    with GuestImplementation("f", "k.py:right", {}, None, "value", "float32") as f:
        first, second = f(x), f(y)
    assert (first.tolist(), second.tolist()) == ([1, 2], [3, 4])


def test_an_argument_that_a_function_does_not_take_is_a_wrong_word():
    words = ("sweep", "--impl", "k.py:right", "--kwarg", "by=2", *WORDS)
    assert_all_refused(
        cases=[([*words], r"'k.py:right' cannot be called so: ", "'by'; see --kwarg")]
    )
