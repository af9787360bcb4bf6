"""What a function of the user's own does to its process changes no answer, and hides none."""

import os
import signal
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from gelu_cli.api import sweep
from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.forms import find_form
from gelu_cli.kernels.functions import Calling
from gelu_cli.kernels.functions.guests import GuestImplementation
from gelu_cli.kernels.implementations import Kernel
from gelu_cli.kernels.truth import Question
from gelu_cli.kernels.unit_judge import Task, UnitJudge
from gelu_cli.kernels.units import Batch
from tests.cli.processes import GELU, environment, run, started
from tests.cli.runner import assert_all_refused, gelu, run_gelu
from tests.workers.test_workers import wait_until_gone

KERNELS = """
import ctypes, os, pickle, signal, stat, subprocess, sys, threading, time
from gelu_cli import gelu
from gelu_cli.workers.channel import HEADER, MARK
from gelu_cli.errors import GeluError, JudgedError

def right(x): return x
def writes(data):
    for descriptor in range(3, 20):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                os.write(descriptor, data)
        except OSError:
            pass
def forges(x):
    reply = pickle.dumps(([], pickle.dumps((x, {}))))
    writes(HEADER.pack(MARK, len(reply)) + reply)
    return x
def stutters(x):
    writes(HEADER.pack(MARK, 1000) + b"x")
    time.sleep(1000)
def dies_amid(x):
    writes(HEADER.pack(MARK, 1000) + b"x")
    os._exit(7)
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
    for n in range(3000):
        os.write(2, b"%d %s\\n" % (n, b"x" * 1000))
    return x
def goes_on(x):
    os.write(2, b"x" * 10**6)
    return x
def exits(x): os._exit(0)
def leaves(x): sys.exit(0)
def interrupts(x): raise KeyboardInterrupt
def aborts(x): os.abort()
def crashes(x): ctypes.string_at(0)
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

class Hidden(type):
    def __getattribute__(self, name): raise ValueError(name)
class Nameless(BaseException, metaclass=Hidden): pass
def nameless(x): raise Nameless("me")

def judges(x): raise JudgedError("1 ULP")
def fails(x): raise GeluError("no exit code")
def misuses(x): return gelu(x, "tnah")
def imports(x): import no_such_module
def finds_none(x): raise ModuleNotFoundError("by hand")
def empties(x): sys.modules.clear()

class Mute(Exception):
    def __str__(self): raise ValueError
def mute(x): raise Mute

class Leaves:
    def __init__(self): raise SystemExit(0)
    def __call__(self, x): return x
class Exits(Leaves):
    def __init__(self): os._exit(0)

class Answers:
    def __call__(self, x): return x
    def __getattr__(self, name): raise Panic(name)
answers = Answers()

def says(x):
    class Says(type(x)): shape = x.shape
    return x.reshape(2, -1).view(Says)
"""
IMPORTED = {
    "leaving": "raise SystemExit(0)",
    "interrupting": "raise KeyboardInterrupt",
    "exiting": "import os; os._exit(0)",
    "crashing": "import ctypes; ctypes.string_at(0)",
    "refusing": "from gelu_cli.errors import UsageError; raise UsageError('no')",
    "panicking": "class Panic(BaseException): pass\nraise Panic('early')",
}
WORDS = ("--dtype", "float8_e5m2", "--max-ulp", "0")
BRIEF = ("--dtype", "float8_e5m2", "--target", "relu")
"""ReLU takes next to no time to judge."""


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "k.py").write_text(KERNELS)
    for name, code in IMPORTED.items():
        (folder / f"{name}.py").write_text(f"{code}\ndef f(x): return x\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


IMITATED = [
    "gelu: note: all is well", "::error::forged", r"##\x5berror]forged", r"\x1b[2Jred\xff",
    " 10%", " 20%",
]  # fmt: skip
AT = "k.py:{} was given 248 inputs, from -57344.0 to 57344.0, when "
ENDED = "it ended its process, with exit code 0"
FAILING = {
    "k.py:exits": AT.format("exits") + ENDED,
    "k.py:closes": AT.format("closes"),
    "k.py:aborts": AT.format("aborts") + "its process ended: Aborted",
    "k.py:crashes": AT.format("crashes") + "its process ended: Segmentation fault",
    "k.py:forges": AT.format("forges") + "it broke its connection to gelu",
    "k.py:stutters": AT.format("stutters") + "it broke its connection to gelu",
    "k.py:dies_amid": AT.format("dies_amid") + "it ended its process, with exit code 7",
    "k.py:leaves": "k.py:leaves raised SystemExit at x = 0.0: 0",
    "k.py:interrupts": "k.py:interrupts raised KeyboardInterrupt",
    "k.py:panics": "k.py:panics raised Panic at x = 0.0: in Rust",
    "k.py:nameless": "k.py:nameless raised an exception at x = 0.0 whose name cannot be had",
    "k.py:judges": "k.py:judges raised JudgedError at x = 0.0: 1 ULP",
    "k.py:fails": "k.py:fails raised GeluError at x = 0.0: no exit code",
    "k.py:misuses": "k.py:misuses raised UsageError at x = 0.0: unknown form 'tnah'",
    "k.py:imports": "k.py:imports raised ModuleNotFoundError at x = 0.0: No module named",
    "k.py:finds_none": "k.py:finds_none raised ModuleNotFoundError at x = 0.0: by hand",
    "k.py:empties": AT.format("empties") + "it ended its process, with exit code 70",
    "refusing.py:f": "importing 'refusing.py' failed: UsageError: no",
    "k.py:mute": "k.py:mute raised Mute at x = 0.0, whose text cannot be had",
    "k.py:recurses": "k.py:recurses raised RecursionError at x = 0.0",
    "k.py:needs_memory": "k.py:needs_memory raised MemoryError at x = 0.0",
    "k.py:says": AT.format("says").removesuffix("when ")
    + "and returned an array of (2, 124) that says (248,)",
    "k.py:answers": "asking 'k.py:answers' for its arguments failed: Panic: __",
    "k.py:Leaves": "making an object of 'k.py:Leaves' failed: SystemExit: 0",
    "k.py:Exits": f"k.py:Exits was being loaded when {ENDED}",
    "leaving.py:f": "importing 'leaving.py' failed: SystemExit: 0",
    "interrupting.py:f": "importing 'interrupting.py' failed: KeyboardInterrupt",
    "exiting.py:f": f"exiting.py:f was being loaded when {ENDED}",
    "crashing.py:f": "crashing.py:f was being loaded when its process ended: Segmentation fault",
    "panicking.py:f": "importing 'panicking.py' failed: Panic: early",
}


def test_a_function_that_fails_in_any_way_is_one_line_and_4():
    cases = [(["--impl", word, *WORDS], message) for word, message in FAILING.items()]
    assert_all_refused("sweep", cases=cases, code=4)


def test_a_reply_that_does_not_go_on_heeds_the_timeout():
    late = "k.py:stutters was given 248 inputs, from -57344.0 to 57344.0, and did not return"
    words = ["--impl", "k.py:stutters", "--timeout", "0.5", *WORDS]
    assert_all_refused("sweep", cases=[(words, f"{late} within 0.5 s (--timeout)")], code=4)


FORKING = """
import os, sys
os.fork()

def f(x):
    if not os.fork():
        sys.exit(3)
    return x
"""
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


def test_copies_that_a_function_makes_of_its_process_say_nothing(folder):
    (folder / "forking.py").write_text(FORKING)
    usual = run_gelu("sweep", "--impl", "k.py:right", *BRIEF)
    answer = run_gelu("sweep", "--impl", "forking.py:f", *BRIEF)
    assert answer == (0, usual.out.replace("k.py:right", "forking.py:f"), "")


@pytest.mark.parametrize("name", ["with_classes", "textwrap", "numpy"])
def test_a_file_is_a_module_that_its_own_classes_find(tmp_path, monkeypatch, name):
    """Also where an installed module has its name, and keeps it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"{name}.py").write_text(WITH_CLASSES)
    words = ("--dtype", "float16", "--range", "1:2", "--target", "relu")
    (row,) = gelu("sweep", "--impl", f"{name}.py:f", *words).rows
    assert float(row["max_ulp"]) == 0


def test_what_a_function_writes_is_no_part_of_the_answer():
    usual = run("sweep", "--impl", "k.py:right", *BRIEF)
    done = run("sweep", "--impl", "k.py:talks", *BRIEF)
    assert (done.returncode, done.stdout) == (0, usual.stdout.replace(b"right", b"talks"))
    # Twice, as some inputs are asked again; Python's own stream is closed by the first call.
    said = done.stderr.decode().splitlines()
    assert {*said} == {f"k.py:talks: {word}" for word in ("descriptor", "puts", "child", "print")}


def test_what_a_function_writes_is_its_own_and_steers_nothing():
    done = run("sweep", "--impl", "k.py:imitates", *BRIEF)
    assert done.returncode == 0
    lines = done.stderr.decode().splitlines()
    assert lines == [f"k.py:imitates: {line}" for line in IMITATED] * (len(lines) // len(IMITATED))


def test_what_functions_of_several_processes_write_comes_in_whole_lines():
    words = ["--target", "relu", "--all", "--range", "1:512", "--jobs", "2"]
    done = run("sweep", "--impl", "k.py:imitates", *words)
    assert done.returncode == 0
    counts = Counter(done.stderr.decode().splitlines())
    assert {*counts} == {f"k.py:imitates: {line}" for line in IMITATED}
    assert len({*counts.values()}) == 1


def test_a_function_that_writes_megabytes_waits_for_nobody_and_its_lines_keep_their_order():
    done = run("sweep", "--impl", "k.py:chatters", *BRIEF)
    assert done.returncode == 0
    lines = done.stderr.decode().splitlines()
    once = [f"k.py:chatters: {n} {'x' * 1000}" for n in range(3000)]
    assert lines == once * (len(lines) // 3000)


def test_a_line_without_end_is_broken(capfd):
    with GuestImplementation("f", "k.py:goes_on", {}, Calling(*[FORMATS["float32"]] * 2)) as f:
        f(np.zeros(1, np.float32))
    lines = capfd.readouterr().err.splitlines()
    assert "".join(line.removeprefix("f: ") for line in lines) == "x" * 10**6
    assert max(map(len, lines)) <= 4096 + len("f: ")


def test_a_thread_that_a_function_leaves_does_not_keep_the_program():
    assert run("sweep", "--impl", "k.py:kept", *BRIEF).returncode == 0


def wait_for_file(path, program):
    while not (path.exists() and path.read_text()):
        assert program.poll() is None, "it ended without calling the function"
        os.sched_yield()
    return int(path.read_text())


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_ends_a_function_that_hangs(folder, jobs):
    (folder / "pid").unlink(missing_ok=True)
    with started("sweep", "--impl", "k.py:hangs", "--samples", "200000", "--jobs", jobs) as program:
        process = wait_for_file(folder / "pid", program)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate()
    assert (program.returncode, len(out.splitlines())) == (130, 2)
    assert err == b"gelu: interrupted after 0 inputs\n"
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


LOADING = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
with open("pid", "w") as file:
    file.write(str(child.pid))
time.sleep(1000)
"""


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_function_is_loaded_ends_what_it_has_started(tmp_path, sign):
    (tmp_path / "loading.py").write_text(LOADING)
    with started("sweep", "--impl", "loading.py:f", cwd=tmp_path) as program:
        process = wait_for_file(tmp_path / "pid", program)
        program.send_signal(sign)
        out, err = program.communicate()  # which waits for all who have the pipes
    assert (program.returncode, out, err) == (130 if sign == signal.SIGINT else -sign, b"", b"")
    wait_until_gone(process)


def test_settings_that_show_warnings_of_python_show_none_of_ours():
    words = ("sweep", "--impl", "k.py:right", *BRIEF)
    done = run(*words, env={"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1"})
    assert (done.returncode, done.stderr) == (0, b"")


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
            [*command, "sweep", "--impl", word, *BRIEF, "--range", "1:2"],
            cwd=here, env=environment(PYTHONPATH=str(installed)), capture_output=True, check=False,
        )  # fmt: skip
        row = dict(zip(*(line.split(b",") for line in done.stdout.splitlines()), strict=True))
        assert row[b"wrong_zero"] != b"0", word  # x·0


def test_modules_of_the_current_folder_do_not_stand_before_those_of_the_program(tmp_path):
    for name in ("numpy", "json", "typer"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(0)")
    done = run("sweep", "--routine", "erfc", "--dtype", "float8_e5m2", cwd=tmp_path)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2)


def test_a_library_that_ends_the_process_is_told(tmp_path):
    (tmp_path / "cupy.py").write_text("raise SystemExit('the wrong cupy')")
    (tmp_path / "k.py").write_text("def same(x): return x")
    words = ("--impl", "k.py:same", "--dtype", "float8_e5m2", "--backend", "cupy")
    done = run("sweep", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == b"gelu: importing cupy failed: SystemExit: the wrong cupy\n"


def test_a_word_in_python_is_a_function_in_a_process_of_its_own():
    assert sweep("k.py:right", dtype="float8_e5m2", target="relu").total.inputs == 248
    with pytest.raises(ComputationError, match=r"when it ended its process, with exit code 0$"):
        sweep("k.py:exits", dtype="float8_e5m2")
    with pytest.raises(UsageError, match=r"^unknown name 'wrong' in 'k\.py'"):
        sweep("k.py:wrong", dtype="float8_e5m2")


def test_results_that_are_kept_stay_what_they_were_when_more_are_asked():
    """Others are views of memory that is used again."""
    question = Question(find_form("exact"), "value", FORMATS["float32"])
    with GuestImplementation(
        "f", "k.py:right", {}, Calling(FORMATS["float32"], FORMATS["float32"])
    ) as f:
        judge = UnitJudge([Kernel(f, question)], 1, False, Batch(2, 1.5))
        (first,) = judge.judge(Task(np.array([1.5, 2.0]), [0], True)).outcomes
        for _ in range(3):
            judge.judge(Task(np.array([3.0, 4.0]), [0]))
    assert first.calls[0].got.tolist() == [1.5, 2.0]


def test_an_argument_that_a_function_does_not_take_is_a_wrong_word():
    words = ("sweep", "--impl", "k.py:right", "--kwarg", "by=2", *WORDS)
    assert_all_refused(
        cases=[([*words], r"'k.py:right' cannot be called so: ", "'by'; see --kwarg")]
    )
