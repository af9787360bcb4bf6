"""Pipes, devices and closed streams: where input comes from and where an answer goes."""

import os
import signal
import subprocess
import sys
from itertools import cycle, islice
from pathlib import Path

import pytest

from tests.old.cli.processes import (
    CSV,
    GELU,
    LONG,
    MEBIBYTE,
    RELU,
    STREAM,
    assert_one_line,
    environment,
    names,
    needs_dev_full,
    read_until,
    run,
    shell,
    started,
    write,
    write_much,
)

LINES = [RELU, ["--help"], ["--version"], ["completion", "bash"], ["help", "table"]]
"""An answer, and what is printed of the program itself."""


# Pipes


@pytest.mark.parametrize("name", ["csv", "table"])
def test_a_reader_that_stops_reading_ends_it_in_silence(name):
    with started("table", "0:1:/3000", "--form", "relu", "--format", name) as process:
        assert os.read(process.stdout.fileno(), 10)
        process.stdout.close()
        assert process.wait() == -signal.SIGPIPE
        assert process.stderr.read() == b""


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_a_pipe_that_nobody_reads_ends_it_in_silence(words):
    read, write_end = os.pipe()
    os.close(read)
    done = run(*words, stdout=write_end)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")


def test_head_is_enough_of_an_answer():
    script = '"$@" | head -1'
    words = [*GELU, "table", "0:1:1e-6", "--form", "relu"]
    done = subprocess.run(
        ["sh", "-c", script, "sh", *words], env=environment(), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"x,relu,relu_gradient\n"


BLOCKED = """
import signal, sys
from gelu_cli.__main__ import main
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE])
main()
"""


@pytest.mark.parametrize("words", [LONG, ["--help"]], ids=" ".join)
def test_where_the_signal_is_blocked_a_reader_that_stops_is_success(words):
    """So some programs start others; the write itself says then that nobody reads."""
    read, write_end = os.pipe()
    os.close(read)
    program = [sys.executable, "-c", BLOCKED, *words]
    done = subprocess.run(
        program, stdout=write_end, stderr=subprocess.PIPE, env=environment(), check=False
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_process_substitution_is_read_and_written_straight_through():
    (source, feed), (drain, target) = os.pipe(), os.pipe()
    os.write(feed, b"-3 0.1")
    os.close(feed)
    words = ["table", "--form", "relu", "--input", f"/dev/fd/{source}", "-o", f"/dev/fd/{target}"]
    done = run(*words, pass_fds=[source, target])
    os.close(source)
    os.close(target)
    with open(drain, "rb") as pipe:
        assert (done.returncode, pipe.read(), done.stderr) == (0, CSV, b"")


def test_numbers_that_trickle_in_are_answered_one_by_one():
    with started("table", "-", "--form", "exact", "--quantity", "value") as process:
        for number, value in ((b"1\n", b"0.8413"), (b"2\n", b"1.954"), (b"-1\n", b"-0.1586")):
            write(process, number)
            read_until(process.stdout, value)
        process.stdin.close()
        assert process.wait() == 0
        assert process.stderr.read() == b""


def test_many_numbers_at_once_do_not_wait_for_more():
    with started(*STREAM, "--jobs", "2") as process:
        write(process, b"".join(b"%d\n" % n for n in range(1, 2001)))
        read_until(process.stdout, b"2000.0,2000.0\n")
        process.stdin.close()
        assert process.wait() == 0


@pytest.mark.parametrize("into", [">", ">>", "| cat >"])
def test_the_device_stdout_is_the_file_or_the_pipe_that_stdout_is(tmp_path, into):
    path = tmp_path / "log"
    path.write_text("old\n")
    done = shell(f"{into} {path}", *RELU, "-o", "/dev/stdout")
    assert (done.returncode, done.stderr) == (0, b"")
    assert path.read_bytes() == (b"old\n" if into == ">>" else b"") + CSV


# Full devices


@needs_dev_full
@pytest.mark.parametrize("words", [LONG, *LINES], ids=" ".join)
def test_a_full_device_is_one_line_and_3(words):
    assert_one_line(shell("> /dev/full", *words), 3, b"No space left on device")


@needs_dev_full
def test_a_message_that_cannot_be_written_leaves_its_exit_code():
    with open("/dev/full", "wb") as full:
        assert run("table", "1", "-o", "/nowhere/a.csv", stderr=full).returncode == 3
        assert run("table", "-4:4:9", "--form", "relu", stderr=full).returncode == 0  # a note


# Closed streams


def test_closed_stdin_is_missed_only_where_it_is_needed():
    assert shell("<&-", *RELU).stdout == CSV
    assert_one_line(shell("<&-", "table", "-", "--column", "x"), 2, b"stdin is closed")


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_closed_stdout_is_an_output_that_cannot_be_written(words):
    assert_one_line(shell(">&-", *words), 3, b"cannot write")


def test_closed_streams_do_not_matter_where_they_are_not_used(tmp_path):
    path = tmp_path / "a.csv"
    for redirections in (">&-", "<&- >&- 2>&-"):
        done = shell(redirections, *RELU, "--output", path)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert path.read_bytes() == CSV
        path.unlink()
    assert shell("2>&-", "table", "oops").returncode == 2


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system has no /proc")
def test_no_file_gets_the_descriptor_of_a_stream_that_is_closed(tmp_path):
    """What is written to stderr would land in it, by whatever library."""

    def close():
        os.close(1)
        os.close(2)

    words = ["table", "-", "--form", "relu", "-o", "a.csv"]
    with started(*words, cwd=tmp_path, stdout=None, stderr=None, preexec_fn=close) as process:
        write_much(process)
        assert names(tmp_path)
        links = [os.readlink(f"/proc/{process.pid}/fd/{n}") for n in (1, 2)]
        assert links == [os.devnull, os.devnull]


# A stderr that a library has replaced or closed


@pytest.mark.parametrize("change", ["sys.stderr = io.StringIO()", "sys.stderr.close()"])
def test_no_message_is_lost_with_stderr(change):
    code = (
        "import io, sys\n"
        "from gelu_cli.old.cli import app\n"
        "called = app._called\n"
        f"def changed(words):\n    {change}\n    return called(words)\n"
        "app._called = changed\n"
        "sys.exit(app.run(['table', 'oops']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert_one_line(done, 2)


# Memory

MARGIN = 8 * MEBIBYTE
"""200,000 floats in a list alone are 6.1 MiB more; their words, rows or text are far more."""


def stream(count):
    """Yield so many numbers, as text in blocks."""
    block = b"".join(b"%d.5\n" % n for n in range(-5000, 5000))
    return islice(cycle([block]), count // 10_000)


def memory_for(count, name):
    """Return the peak memory, in units of the system, for so many numbers on stdin."""
    words = [*GELU, *STREAM, "-f", name]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    ) as process:
        counter = subprocess.Popen(["wc", "-l"], stdin=process.stdout, stdout=subprocess.PIPE)
        for block in stream(count):
            process.stdin.write(block)
        process.stdin.close()
        lines = int(counter.communicate()[0])
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert lines >= count
    return used.ru_maxrss


@pytest.mark.parametrize("name", ["csv", pytest.param("jsonl", marks=pytest.mark.slow)])
def test_many_numbers_take_no_more_memory_than_few(name):
    assert memory_for(300_000, name) < memory_for(50_000, name) + MARGIN


@pytest.mark.slow
def test_a_hundred_million_numbers_take_no_more_memory_than_a_hundred_thousand():
    assert memory_for(100_000_000, "csv") < memory_for(100_000, "csv") + MARGIN
