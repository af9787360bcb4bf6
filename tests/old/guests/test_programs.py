"""Programs on a pipe: they answer in any pieces, and whatever they do ends as one line."""

import os
import shlex
import signal
import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.guests import programs
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.programs import ProgramImplementation
from tests.old.cli.processes import has_ended, heard, linux, started
from tests.old.cli.runner import assert_all_refused, gelu, run_gelu

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


@pytest.mark.parametrize("how", PIECES)
def test_results_come_in_any_pieces(how):
    program = ProgramImplementation(python(PIECES[how]), calling())
    assert program(X).tolist() == X.tolist()


@pytest.mark.parametrize("how", ["as it comes", "at the end"])
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


def test_stderr_is_shown_before_the_one_line_and_only_if_the_program_fails():
    words = ("sweep", "--dtype", "float8_e5m2", "--form", "relu", "--exec")
    answer = run_gelu(*words, python("sys.stderr.write('red \\33[31m\\n')\nos._exit(1)"))
    said, line = answer.err.splitlines()
    assert (answer.code, answer.out, said) == (4, "", "gelu: stderr: red \\x1b[31m")
    assert line.endswith("had written 0 results when it ended with exit code 1")
    right = run_gelu(*words, python(PIECES["with words on stderr"]))
    assert (right.code, right.err.count("hm")) == (0, 0)


def test_the_name_is_the_command_and_a_sample_goes_through():
    words = ("--form", "relu", "--range", "0:9", "--samples", "70000")
    (row,) = gelu("sweep", "--exec", "cat  -u", *words).rows
    assert (row["routine"], row["inputs"], row["max_ulp"]) == ("cat  -u", "70000", "0.0")


def test_a_program_that_cannot_be_started_is_one_line_and_2(tmp_path):
    def file(name, text, mode=0o700):
        path = tmp_path / name
        path.write_bytes(text)
        path.chmod(mode)
        return str(path)

    plain = file("plain", b"", 0o600)
    os.mkfifo(tmp_path / "fifo", 0o700)
    no_script = "it is no program for this machine, and no script with a first line like #!/bin/sh"
    cases = {
        "no-such-program": "there is no program 'no-such-program'",
        str(tmp_path / "none"): "there is no program '",
        plain: f"'{plain}' is no program that may be run",
        str(tmp_path): f"'{tmp_path}' is no program that may be run",
        "": "there is no command",
        "a 'b": "'a 'b' is no command: No closing quotation",
        str(tmp_path / "fifo"): "cannot be started: Permission denied",
        file("broken", b"\0"): no_script,
        file("unnamed", b"cat\n"): no_script,
        file("lost", b"#! /no/sh -e\n"): "its first line names '/no/sh', which is no program here",
        file("folder", b"#!/\n"): "its first line names '/', which is no program here",
        file("dos", b"#!/bin/sh\r\n"): "line names '/bin/sh\\r', which is no program here",
    }
    words = ("sweep", "--dtype", "float8_e5m2", "--exec")
    assert_all_refused(*words, cases=[([each], "--exec: ", told) for each, told in cases.items()])


@linux
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_the_program_and_its_children(tmp_path, sign):
    Path(tmp_path, "hangs").write_text(
        "#!/bin/sh\ntrap '' INT TERM\nhead -c 1 > /dev/null\n"  # it is watched when it is fed
        'sleep 1000 | cat &\necho $$ $! > "$0.begun"\nwait\n'
    )
    Path(tmp_path, "hangs").chmod(0o700)
    os.mkfifo(tmp_path / "hangs.begun")
    with started("sweep", "--exec", str(tmp_path / "hangs"), "--dtype", "bfloat16") as process:
        processes = heard(tmp_path / "hangs.begun").split()
        process.send_signal(sign)
        process.communicate()
    assert process.returncode == (130 if sign == signal.SIGINT else -sign)
    assert all(has_ended(int(process)) for process in processes)
