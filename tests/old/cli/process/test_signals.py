"""Kills and interrupts: old files stay whole, and a sweep prints what it has covered."""

import os
import pty
import signal
import subprocess
import sys
from contextlib import contextmanager
from time import time

import pytest

from tests.old.cli.processes import (
    CSV,
    LONG,
    MUCH,
    RELU,
    STREAM,
    environment,
    names,
    read_until,
    run,
    started,
    write,
    write_much,
)
from tests.old.cli.terminals import read_terminal


@contextmanager
def writing(folder, number=b"1", **settings):
    """Start gelu in the middle of writing a.csv, which was there before."""
    (folder / "a.csv").write_text("old\n")
    old = names(folder)
    words = ["table", "-", "--form", "relu", "--quantity", "value", "-o", "a.csv"]
    with started(*words, cwd=folder, **settings) as process:
        write_much(process, number)
        assert [
            (folder / name).stat().st_size > 0 for name in names(folder) if name not in old
        ] == [True]
        yield process


def table(row):
    """Return what `writing` writes at its end."""
    return "x,relu\n" + MUCH * f"{row},{row}\n"


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_of_writing_leaves_the_old_file_and_no_other(tmp_path, sign):
    with writing(tmp_path) as process:
        process.send_signal(sign)
        assert process.communicate() == (b"", b"")
    assert process.returncode == -sign
    assert names(tmp_path) == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "old\n"


def test_what_a_kill_leaves_is_removed_by_a_writer_of_the_file_a_day_later(tmp_path):
    with writing(tmp_path) as process:
        process.kill()
        process.wait()
    left, kept = names(tmp_path)
    assert (kept, (tmp_path / kept).read_text()) == ("a.csv", "old\n")
    assert run(*RELU, "-o", "a.csv", cwd=tmp_path).returncode == 0
    assert names(tmp_path) == [left, "a.csv"]
    yesterday = time() - 86_401
    os.utime(tmp_path / left, (yesterday, yesterday))
    assert run(*RELU, "-o", "b.csv", cwd=tmp_path).returncode == 0
    assert names(tmp_path) == [left, "a.csv", "b.csv"]
    assert run(*RELU, "-o", "a.csv", cwd=tmp_path).returncode == 0
    assert names(tmp_path) == ["a.csv", "b.csv"]
    assert (tmp_path / "a.csv").read_bytes() == CSV


def test_of_two_writers_of_a_file_both_finish_and_the_last_wins(tmp_path):
    with writing(tmp_path) as first:
        with writing(tmp_path, b"2") as second:
            assert len(names(tmp_path)) == 3
            assert second.communicate() == (b"", b"")
        assert (tmp_path / "a.csv").read_text() == table("2.0")
        assert first.communicate() == (b"", b"")
    assert (first.returncode, second.returncode) == (0, 0)
    assert names(tmp_path) == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == table("1.0")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_that_is_to_be_ignored_is(tmp_path, sign):
    """As `nohup` has it, and a shell that starts something in the background."""

    def ignore():
        signal.signal(sign, signal.SIG_IGN)

    with writing(tmp_path, preexec_fn=ignore) as process:
        process.send_signal(sign)
        assert process.communicate(b"2\n") == (b"", b"")
    assert process.returncode == 0
    assert (tmp_path / "a.csv").read_text() == table("1.0") + "2.0,2.0\n"


def test_an_interrupt_in_the_middle_of_writing_leaves_nothing_else(tmp_path):
    with writing(tmp_path) as process:
        process.send_signal(signal.SIGINT)
        process.wait()
    assert process.returncode == 130
    assert names(tmp_path) == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "old\n"


def test_an_interrupt_of_one_that_waits_ends_it_with_130_and_no_traceback():
    with started("table", "-", "--form", "relu") as process:
        write(process, b"1\n")
        read_until(process.stdout, b"1.0")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        assert (process.returncode, out, err) == (130, b"", b"")


def test_an_interrupt_of_one_that_works_ends_it_with_130_and_no_traceback():
    with started(*LONG) as process:
        read_until(process.stdout, b"x,relu")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
        assert (process.returncode, err) == (130, b"")


def test_after_an_interrupt_a_terminal_begins_a_line():
    controller, terminal = pty.openpty()
    with started("table", "-", "--form", "relu", stderr=terminal) as process:
        os.close(terminal)
        write(process, b"1\n")
        read_until(process.stdout, b"1.0")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    assert read_terminal(controller) == b"\r\n"
    os.close(controller)


def test_an_interrupt_is_obeyed_while_numbers_come_in_without_end():
    quiet = {"stderr": subprocess.DEVNULL}
    with (
        subprocess.Popen(["yes", "1.5"], stdout=subprocess.PIPE) as endless,
        started(*STREAM, stdin=endless.stdout, **quiet) as process,
    ):
        endless.stdout.close()
        for _ in range(30):
            assert os.read(process.stdout.fileno(), 1 << 16)
        process.send_signal(signal.SIGINT)
        while os.read(process.stdout.fileno(), 1 << 16):
            pass
        assert process.wait() == 130


# Where an interrupt would be lost as an exception

INTERRUPTIBLE = """
import os, signal, sys
from gelu_cli.old.writing.signals import end_at_interrupts, interruptible

class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

end_at_interrupts()
try:
    with interruptible():
        {}
except KeyboardInterrupt:
    print("raised")
else:
    print("went on")
"""


@pytest.mark.parametrize(
    ("line", "code", "out"),
    [
        ("os.kill(os.getpid(), signal.SIGINT)", 0, "raised\n"),
        ("import interrupted", 130, ""),
        ("Dying()", 130, ""),
    ],
)
def test_where_an_exception_would_be_lost_the_program_ends(tmp_path, line, code, out):
    (tmp_path / "interrupted.py").write_text("import os, signal\nos.kill(os.getpid(), 2)\n")
    script = INTERRUPTIBLE.format(line)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(PYTHONPATH=str(tmp_path)), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (code, out, "")


# Sweeps


def interrupted(*words, **settings):
    """Interrupt a sweep when it first tells how far it is; return what it printed, and said."""
    controller, terminal = pty.openpty()
    with started("sweep", *words, "--jobs", "1", stderr=terminal, **settings) as process:
        os.close(terminal)
        said = b""
        while b"inputs a second" not in said:
            more = read_terminal(controller)
            assert more, said
            said += more
        process.send_signal(signal.SIGINT)
        out = process.stdout.read().decode()
        assert process.wait() == 130
        while more := read_terminal(controller):
            said += more
    os.close(controller)
    assert b"Traceback" not in said
    return out, said


@pytest.mark.parametrize(
    "words",
    [["kernel.py:gelu", "--all"], ["tanh_sum", "--all"]],
    ids=["own", "routine"],
)
def test_an_interrupted_sweep_prints_what_it_covered_and_leaves_the_file(words, tmp_path):
    (tmp_path / "old.csv").write_text("old")
    (tmp_path / "kernel.py").write_text("def gelu(x):\n    return x\n")
    out, said = interrupted(*words, "-o", "old.csv", cwd=tmp_path)
    header, row = out.splitlines()
    cells = dict(zip(header.split(","), row.split(","), strict=True))
    assert cells["exhaustive"] == "partial"
    assert 0 < int(cells["inputs"]) < 4_278_190_080
    assert f"gelu: interrupted after {int(cells['inputs']):,} inputs".encode() in said
    assert b"'old.csv' is left as it was" in said
    assert (tmp_path / "old.csv").read_text() == "old"
