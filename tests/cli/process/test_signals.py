"""Kills and interrupts: old files stay whole, and a sweep prints what it has covered."""

import os
import pty
import signal
import subprocess
from contextlib import contextmanager
from time import monotonic

import pytest

from tests.cli.processes import CSV, GELU, LONG, RELU, STREAM, read_until, run, started, write


def wait_for(condition, seconds=60):
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "it did not come to that"
        os.sched_yield()


def growing(folder, old):
    """Whether a file beside the old one has begun to fill."""
    return any(path.stat().st_size for path in folder.iterdir() if path.name != old)


@contextmanager
def writing(folder):
    """Start gelu in the middle of writing a.csv, which was there before."""
    (folder / "a.csv").write_text("old\n")
    with started("table", "-", "--form", "relu", "-o", "a.csv", cwd=folder) as process:
        write(process, b"".join(b"%d\n" % n for n in range(100_000)))
        wait_for(lambda: growing(folder, "a.csv"))
        yield process


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_kill_in_the_middle_of_writing_leaves_the_old_file_whole(tmp_path, sign):
    with writing(tmp_path) as process:
        process.send_signal(sign)
        process.wait()
    assert process.returncode == -sign
    assert (tmp_path / "a.csv").read_text() == "old\n"
    # What a kill leaves behind does not stand in the way of the next run.
    if sign == signal.SIGKILL:
        assert run(*RELU, "-o", "a.csv", cwd=tmp_path).returncode == 0
        assert (tmp_path / "a.csv").read_bytes() == CSV


def test_an_interrupt_in_the_middle_of_writing_leaves_nothing_else(tmp_path):
    with writing(tmp_path) as process:
        process.send_signal(signal.SIGINT)
        process.wait()
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "old\n"


def test_an_interrupt_of_one_that_waits_ends_it_with_130_and_no_traceback():
    with started("table", "-", "--form", "relu") as process:
        write(process, b"1\n")
        read_until(process.stdout, b"1.0")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        assert (process.returncode, out, err.strip()) == (130, b"", b"")


def test_an_interrupt_of_one_that_works_ends_it_with_130_and_no_traceback():
    with started(*LONG) as process:
        read_until(process.stdout, b"x,relu")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
        assert (process.returncode, err.strip()) == (130, b"")


def test_an_interrupt_is_obeyed_while_numbers_come_in_without_end():
    quiet = {"stderr": subprocess.DEVNULL}
    with (
        subprocess.Popen(["yes", "1.5"], stdout=subprocess.PIPE) as endless,
        started(*STREAM, stdin=endless.stdout, **quiet) as process,
    ):
        endless.stdout.close()
        for _ in range(30):
            assert os.read(process.stdout.fileno(), 1 << 16)
        begin = monotonic()
        process.send_signal(signal.SIGINT)
        process.stdout.close()
        process.wait()
    assert monotonic() - begin < 10, "a second on an idle machine"


# Sweeps


def read_terminal(controller):
    """Return what was written to a terminal, or nothing when nobody writes to it any more."""
    try:
        return os.read(controller, 1000)
    except OSError:  # how Linux says so
        return b""


def interrupted(*words, **settings):
    """Interrupt a sweep when it first tells how far it is; return what it printed, and said."""
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [*GELU, "sweep", *words, "--jobs", "1"], stdout=subprocess.PIPE, stderr=terminal, **settings
    ) as process:
        os.close(terminal)
        said = b""
        while b"inputs a second" not in said:
            more = read_terminal(controller)
            assert more, said
            said += more
        begin = monotonic()
        process.send_signal(signal.SIGINT)
        out = process.stdout.read().decode()
        assert process.wait() == 130
        assert monotonic() - begin < 10, "a second on an idle machine"
        while more := read_terminal(controller):
            said += more
    os.close(controller)
    assert b"Traceback" not in said
    return out, said


@pytest.mark.parametrize(
    "words",
    [["--impl", "kernel.py:gelu", "--samples", "1000000"], ["--routine", "tanh_sum", "--all"]],
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
