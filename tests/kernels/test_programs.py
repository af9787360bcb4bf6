"""Programs on a pipe: they answer in any pieces, and whatever they do ends as one message."""

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from gelu_cli.errors import ComputationError
from gelu_cli.kernels import call, native
from gelu_cli.numbers import FORMATS
from tests.kernels.calls import array, fault, in_workers, program

X = np.arange(-60, 40, dtype=np.float32)
MUCH = np.arange(1 << 20, dtype=np.float32)  # more than all pipes hold


def python(code):
    """Write the command of a program that has imported what it needs, quickly."""
    prelude = "import os, signal, sys; source, sink = sys.stdin.buffer, sys.stdout.buffer"
    return shlex.join([sys.executable, "-S", "-E", "-c", f"{prelude}\n{code}"])


PIECES = {
    "as it comes": "while data := os.read(0, 65536): os.write(1, data)",
    "bytes": "for byte in source.read(): os.write(1, bytes([byte]))",
    "odd numbers of bytes": "data = source.read()\n"
    "for i in range(0, len(data), 7): os.write(1, data[i:i + 7])",
    "with words on stderr": "sys.stderr.write('hm\\n' * 100000)\nsink.write(source.read())",
    "though its reader has gone": "data = os.read(0, 400)\nos.close(0)\nsink.write(data)",
    "before its inputs": f"sink.write(bytes.fromhex('{X.tobytes().hex()}'))\nsource.read()",
}


def test_results_come_in_any_pieces():
    for how, code in PIECES.items():
        assert call(program(python(code)), X).tolist() == X.tolist(), how
    assert np.array_equal(in_workers(program(python(PIECES["as it comes"])), MUCH), MUCH)


def test_little_endian_bits_of_each_format_go_through():
    for dtype in FORMATS:
        x = array([-1.5, 0.0, -0.0, 448.0], dtype)
        assert call(program("cat", dtype), x).tobytes() == x.tobytes(), dtype
    one = program(python("source.read()\nos.write(1, b'\\0\\0\\x80\\x3f')"))
    assert call(one, X[:1]).tolist() == [1.0]
    widen = "data = source.read()\nsink.write(bytes([0, 0, *data[:2], 0, 0, *data[2:]]))"
    got = call(program(python(widen), "bfloat16", "float32"), array([-1.5, 2.0], "bfloat16"))
    assert got.tolist() == [-1.5, 2.0]


def test_pairs_come_one_by_one():
    first = "data = source.read()\nfor i in range(0, len(data), 8): sink.write(data[i:i + 4])"
    for up_first in (False, True):
        described = program(python(first), glu=True, up_first=up_first)
        assert call(described, X, -X).tolist() == (-X if up_first else X).tolist()


AT = "was given 100 inputs, from -60.0 to 39.0, and wrote {} of 400 bytes of results"
EXITED = "it ended its process, with exit code 3"
FAILING = {  # a program: the end of its message
    "source.read()": AT.format(0),
    "sink.write(source.read()[:42])": AT.format(42),
    "sink.write(source.read() + b'!')": "and wrote more than 400 bytes of results",
    "while True: sink.write(bytes(1000))": "and wrote more than 400 bytes of results",
    "os._exit(3)": AT.format(0) + ": " + EXITED,
    "os.write(1, source.read())\nos._exit(3)": AT.format(400) + ": " + EXITED,
    "os.write(1, source.read(8))\nos.kill(os.getpid(), signal.SIGKILL)": AT.format(8)
    + ": its process ended: Killed",
    "os.close(1)\nsource.read()\nsignal.pause()": AT.format(0)
    + ", closed its output, but did not end",
}


def test_what_a_program_does_wrong_is_one_message(monkeypatch):
    monkeypatch.setattr(native, "AT_THE_END", 0.5)
    for code, part in FAILING.items():
        found, said = fault(program(python(code)), X)
        assert (found, said.endswith(part)) == (4, True), (code, said)


def test_a_program_that_hangs_ends_by_the_timeout():
    code, said = fault(program(python("signal.pause()"), timeout=0.2), X, isolated=True)
    assert said.endswith("was given 100 inputs and did not return within 0.2 s (--timeout)")
    assert code == 4


def test_the_last_lines_of_stderr_are_kept_for_a_failure():
    words = rb"b'x' * 9999 + b'\nred: \33[31m\nno such \xff board\n'".decode()
    code = f"sys.stderr.buffer.write({words})\nsys.stderr.flush()\nos._exit(1)"
    with pytest.raises(ComputationError) as error:
        call(program(python(code)), X)
    first, *last = error.value.said
    assert 4000 < len(first) < 4096
    assert last == ["stderr: red: \33[31m", "stderr: no such \N{REPLACEMENT CHARACTER} board"]


REFUSED = {  # a command: the exit code and the message
    "no-such-program": (2, "--exec: there is no program 'no-such-program'; name an executable"),
    "": (2, "--exec: there is no program ''; name an executable file"),
    "'": (2, "--exec: ''' is not a command; No closing quotation"),
    "./plain": (2, "--exec: there is no program './plain'"),
    "./text": (4, "cannot be started: Exec format error; check its #! line"),
    "./nowhere": (4, "cannot be started: No such file"),
}


def test_what_is_not_a_program_is_refused(folder):
    Path("plain").write_text("")
    for name, text in {"text": "no first line", "nowhere": "#!/nowhere/at/all\n"}.items():
        Path(name).write_text(text)
        Path(name).chmod(0o700)
    for command, (expected, part) in REFUSED.items():
        code, said = fault(program(command), X)
        assert (code, part in said) == (expected, True), said
