"""The exit codes of the contract, of real processes, and never a traceback."""

import csv
import os
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from unittest import mock

import pytest

from tests.runner import gelu

GELU = [sys.executable, "-m", "gelu_cli"]
SCRIPT = Path(sysconfig.get_path("scripts"), "gelu")
FILES = {
    "k.py": """
import sys, time
def right(x): return x
def raises(x): raise ValueError("no table")
def hangs(x):
    if (x > 3.9).any():
        print("hangs", file=sys.stderr, flush=True)
        time.sleep(1000)
    return x
"""
}
RELU = "--dtype float8_e5m2 --form relu --range 1:4"

CODES = {
    "--version": (0, ""),
    "table 1": (0, ""),
    "check 2=1.9545": (0, ""),
    "check 2=1.9546": (1, ""),
    f"sweep k.py:right {RELU} --max-ulp 1": (0, ""),
    "sweep erf_sum --dtype float8_e5m2 --max-ulp 1": (1, "exceeds --max-ulp 1"),
    "table": (2, "no points; write numbers"),
    "table -4:4": (2, "'-4:4' is not a range"),
    "table 1,5": (2, "write 0.5 for 0,5, and blanks between numbers"),
    "table x": (2, "'x' is not a number; numbers look like"),
    "table 1 --form tahn": (2, "did you mean 'tanh'?"),
    "table 1 -o no/such/folder.csv": (3, "cannot write to no/such/folder.csv"),
    f"sweep k.py:raises {RELU} -o no/such.csv": (
        3,
        "cannot write to no/such.csv: there is no such",
    ),
    f"sweep k.py:raises {RELU}": (4, "raised ValueError: no table"),
}
"""Lines, how they end, and what they say on stderr."""


def shell(script):
    """Run `gelu`, which is "$@", in a shell."""
    command = ["bash", "-c", script, "bash", *GELU]
    env = {**os.environ, "PYTHONUNBUFFERED": ""}
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


def test_a_line_ends_with_the_code_of_its_kind(folder):
    for line, (code, said) in CODES.items():
        run = gelu(*line.split())
        assert run.code == code, (line, run)
        assert said in run.err.replace("\n", " "), (line, run)
        assert code < 2 or run.out == "", line
        assert all(each.startswith("gelu: ") for each in run.err.splitlines()), (line, run)


def test_an_unknown_option_or_command_is_typers_to_refuse():
    for line, remedy in {"table 1 --from tanh": "--form, ", "tabel 1": "mean 'table'"}.items():
        run = gelu(*line.split())
        assert (run.code, run.out) == (2, "")
        assert run.err.startswith("Usage: gelu")
        assert remedy in run.err


def test_the_script_and_the_module_are_one_program():
    words = ["table", "-1", "--quantity", "value", "--form", "relu"]
    done = [
        subprocess.run([*start, *words], capture_output=True, check=False)
        for start in ([SCRIPT], GELU)
    ]
    for each in done:
        assert (each.returncode, each.stdout, each.stderr) == (0, b"x,relu\n-1.0,0.0\n", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_ends_with_3():
    for line in ("--help", "table 0:1:/100000 --form relu"):
        done = shell(f'COLUMNS=² LINES=² "$@" {line} >/dev/full')
        assert done.returncode == 3, line
        assert done.stderr == "gelu: cannot write to stdout: No space left on device\n", line


def test_a_lack_of_memory_ends_with_4(monkeypatch):
    monkeypatch.setattr("gelu_cli.cli.app", mock.Mock(side_effect=MemoryError))
    run = gelu("table", 1)
    assert (run.code, run.err) == (4, "gelu: not enough memory; take fewer points or inputs\n")


def test_stdout_may_be_closed_or_a_file_that_has_lines_already(tmp_path):
    done = shell('"$@" table 1 >&-')
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    file = tmp_path / "log"
    line = 'COLUMNS=wide "$@" table 1 --form relu -q'
    shell(f"(echo 1; {line} -f csv -o /dev/stdout; {line} -f table; echo 2) >{file}")
    first, csv, *_, last = file.read_text().splitlines()
    assert (first, csv, last) == ("1", "x,relu,relu_gradient", "2")


def test_a_reader_that_leaves_ends_the_program_silently():
    done = shell('"$@" table 0:1:/1000000 --form relu | head -n 1; exit ${PIPESTATUS[0]}')
    assert (done.returncode, done.stderr) == (141, "")
    assert done.stdout == "x,relu,relu_gradient\n"


def test_an_interrupt_prints_what_was_found(folder):
    # A worker is two units ahead at most, so the first ones of five are found when the last hangs.
    line = "sweep k.py:hangs --form relu --range 1:4 --samples 300_000 --jobs 1"
    words = [*GELU, *line.split()]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, **pipes) as process:
        assert "hangs" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    (row,) = csv.DictReader(out.splitlines())
    assert (row["exhaustive"], row["misrounded"]) == ("partial", "0")
    assert 0 < int(row["inputs"]) < 300_000
    assert err.startswith("gelu: interrupted; ")
    assert err.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_an_interrupt_of_a_table_is_no_traceback():
    words = [*GELU, "table", "0:1:/1000000", "--form", "relu"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(1 << 16)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
