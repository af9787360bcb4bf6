"""Programs on a pipe: they answer in any pieces, and whatever they do ends as one line."""

import shlex
import sys
from contextlib import ExitStack

import numpy as np
import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.guests import programs
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.programs import ProgramImplementation
from tests.old.every import every

X = np.arange(-60, 40, dtype=np.float32)
MUCH = np.arange(1 << 20, dtype=np.float32)
"""More than all pipes hold."""


def calling(dtype="float32", result=None, timeout=None):
    return Calling(FORMATS[dtype], FORMATS[result or dtype], timeout=timeout)


def python(code):
    """Return the command of a program that has imported what it needs, quickly."""
    prelude = "import os, signal, sys; source, sink = sys.stdin.buffer, sys.stdout.buffer"
    return shlex.join([sys.executable, "-S", "-E", "-c", f"{prelude}\n{code}"])


PIECES = {
    "as it comes": "while data := os.read(0, 65536): os.write(1, data)",
    "bytes": "for byte in source.read(): os.write(1, bytes([byte]))",
    "at the end": "sink.write(source.read())",
    "odd numbers of bytes": "data = source.read()\n"
    "for i in range(0, len(data), 7): os.write(1, data[i:i + 7])",
    "with words on stderr": "sys.stderr.write('hm\\n' * 100000)\nsink.write(source.read())",
    "though its reader has gone": "data = os.read(0, 400)\nos.close(0)\nsink.write(data)",
    "before its inputs": f"sink.write(bytes.fromhex('{X.tobytes().hex()}'))\nsource.read()",
}


@every("how", PIECES)
def test_results_come_in_any_pieces(how):
    program = ProgramImplementation(python(PIECES[how]), calling())
    assert program(X).tolist() == X.tolist()


@every("how", ["as it comes", "at the end"])
def test_one_process_gets_the_inputs_of_many_calls_ahead_of_its_results(how):
    program = ProgramImplementation(python(PIECES[how]), calling())
    calls = [MUCH, X, -MUCH]
    with program.stream(iter(calls)):
        for x in calls:
            assert np.array_equal(program(x), x)
    assert program(X).tolist() == X.tolist()  # a new process


def test_little_endian_bits_of_each_format_go_through():
    for dtype in FORMATS:
        carrier = np.float64 if dtype == "float64" else np.float32
        x = np.array([-1.5, 0.0, -0.0, 448.0], carrier)
        got = ProgramImplementation("cat", calling(dtype))(x)
        assert got.dtype == carrier
        assert got.tobytes() == x.tobytes(), dtype
    one = ProgramImplementation(
        python("source.read()\nos.write(1, b'\\0\\0\\x80\\x3f')"), calling()
    )
    assert one(X[:1]).tolist() == [1.0]
    widens = "data = source.read()\nsink.write(bytes([0, 0, *data[:2], 0, 0, *data[2:]]))"
    widen = ProgramImplementation(python(widens), calling("bfloat16", "float32"))
    assert widen(np.array([-1.5, 2.0], np.float32)).tolist() == [-1.5, 2.0]


AT = "was given 100 inputs, from -60.0 to 39.0, and had written {} when "
ALL = "has written a result for each input, then "
FAILING = {
    "none": ("source.read()", AT.format("0 results") + "it ended$"),
    "too little": ("sink.write(source.read()[:40])", AT.format("10 results") + "it ended$"),
    "an odd number of bytes": (
        "sink.write(source.read()[:42])",
        AT.format("10 results and 2 of the 4 bytes of one") + "it ended$",
    ),
    "too much": ("sink.write(source.read() + b'!')", ALL + "it wrote more$"),
    "without an end": ("while True: sink.write(bytes(1000))", ALL + "it wrote more$"),
    "an exit code at once": ("os._exit(3)", AT.format("0 results") + "it ended with exit code 3$"),
    "an exit code at the end": (
        "os.write(1, source.read())\nos._exit(3)",
        ALL + "it ended with exit code 3$",
    ),
    "killed": (
        "os.write(1, source.read(8))\nos.kill(os.getpid(), signal.SIGKILL)",
        AT.format("2 results") + "its process ended: Killed$",
    ),
    "closes stdout": (
        "os.close(1)\nsource.read()\nsignal.pause()",
        AT.format("0 results") + "it closed its output$",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", FAILING)
def test_what_a_program_does_wrong_is_one_error(what, monkeypatch):
    # One that has closed its stdout and stays is waited for in vain, the others need not be quick.
    monkeypatch.setattr(programs, "GRACE", 0.05 if what == "closes stdout" else 60)
    code, told = FAILING[what]
    program = ProgramImplementation(python(code), calling())
    with pytest.raises(ComputationError, match=told):
        program(X)


def test_a_program_that_waits_for_ever_ends_by_the_timeout():
    program = ProgramImplementation(python("signal.pause()"), calling(timeout=0.2))
    told = AT.format("0 results") + r"it neither read nor wrote for 0.2 s \(--timeout\)$"
    with pytest.raises(ComputationError, match=told):
        program(X)


@pytest.mark.parametrize("timeout", [None, 60.0])
def test_a_program_that_does_not_end_after_its_results_is_ended(timeout, monkeypatch):
    code = "sink.write(source.read())\nsink.flush()\nsignal.pause()"
    program = ProgramImplementation(python(code), calling(timeout=timeout))
    with ExitStack() as stack:
        stack.enter_context(program.stream([X]))
        assert program(X).tolist() == X.tolist()
        # The time that it has from now on: before, it had to start.
        monkeypatch.setattr(programs, "AT_THE_END", 0.05)
        monkeypatch.setattr(program.process, "_patience", timeout and 0.05)
        with pytest.raises(ComputationError, match=ALL + "it did not end within 0.05 s$"):
            stack.close()


def test_the_end_of_a_program_is_seen_though_a_child_holds_its_output(monkeypatch):
    monkeypatch.setattr(programs, "LOOK", 0.01)
    program = ProgramImplementation("sh -c 'sleep 1000 & exit 3'", calling())
    with pytest.raises(
        ComputationError, match=r"had written 0 results when it ended with exit code 3"
    ):
        program(X)


def test_the_last_lines_of_stderr_are_kept_for_a_failure():
    words = rb"b'x' * 9999 + b'\nred: \33[31m\nno such \xff board\n'".decode()
    code = f"sys.stderr.buffer.write({words})\nsys.stderr.flush()\nos._exit(1)"
    program = ProgramImplementation(python(code), calling())
    with pytest.raises(ComputationError) as error:
        program(X)
    first, *last = error.value.said
    assert 4000 < len(first) < 4096
    assert last == ["stderr: red: \33[31m", "stderr: no such \N{REPLACEMENT CHARACTER} board"]
