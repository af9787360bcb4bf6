"""What may happen to a process: kills, full and read-only disks, input of every kind."""

import os
import shutil
import signal
import subprocess
from contextlib import contextmanager
from itertools import cycle, islice
from time import monotonic

import pytest

from tests.cli.test_process_streams import (
    CSV,
    GELU,
    MARGIN,
    RELU,
    assert_one_line,
    environment,
    run,
    started,
)

SMALL = ["table", "-", "--form", "relu", "--show", "value"]

# Kills


def wait_for(condition, seconds=60):
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "it did not come to that"
        os.sched_yield()


def growing(folder, old):
    """Whether a file beside the old one has begun to fill."""
    return any(path.stat().st_size for path in folder.iterdir() if path.name != old)


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_kill_in_the_middle_of_writing_leaves_the_old_file_whole(tmp_path, sign):
    (tmp_path / "a.csv").write_text("old\n")
    with started("table", "-", "--form", "relu", "-o", "a.csv", cwd=tmp_path) as process:
        process.stdin.write(b"".join(b"%d\n" % n for n in range(100_000)))
        process.stdin.flush()
        wait_for(lambda: growing(tmp_path, "a.csv"))
        process.send_signal(sign)
        process.wait()
    assert process.returncode == -sign
    assert (tmp_path / "a.csv").read_text() == "old\n"
    # What a kill leaves behind does not stand in the way of the next run.
    assert run(*RELU, "-o", "a.csv", cwd=tmp_path).returncode == 0
    assert (tmp_path / "a.csv").read_bytes() == CSV


def test_an_interrupt_in_the_middle_of_writing_leaves_nothing_else(tmp_path):
    (tmp_path / "a.csv").write_text("old\n")
    with started("table", "-", "--form", "relu", "-o", "a.csv", cwd=tmp_path) as process:
        process.stdin.write(b"".join(b"%d\n" % n for n in range(100_000)))
        process.stdin.flush()
        wait_for(lambda: growing(tmp_path, "a.csv"))
        process.send_signal(signal.SIGINT)
        process.wait()
    assert process.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "old\n"


@pytest.mark.parametrize("words", [SMALL, ["sweep", "--routine", "erfc", "--all"]], ids=str)
def test_an_interrupt_is_obeyed_within_a_second(words):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with (
        subprocess.Popen(["yes", "1.5"], stdout=subprocess.PIPE) as endless,
        started(*words, stdin=endless.stdout, **quiet) as process,
    ):
        endless.stdout.close()
        wait_for(lambda: cpu_seconds(process) > 0.8)
        begin = monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    assert monotonic() - begin < 10, "a second on an idle machine"


def cpu_seconds(process):
    try:
        with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
    except FileNotFoundError:
        pytest.skip("there is no /proc to see how far it is")
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


# Disks


@contextmanager
def mounted(folder, options):
    """A file system of its own on a folder."""
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root may mount")
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"mount: {done.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_disk_that_fills_leaves_the_old_file_whole(tmp_path):
    with mounted(tmp_path, "size=64k"):
        (tmp_path / "a.csv").write_text("old\n")
        done = run("table", "0:1:/20000", "--form", "relu", "-o", "a.csv", cwd=tmp_path)
        assert_one_line(done, 1, b"cannot write 'a.csv'", b"No space left on device")
        assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
        assert (tmp_path / "a.csv").read_text() == "old\n"


def test_a_read_only_folder_is_one_line_and_1(tmp_path):
    with mounted(tmp_path, "ro"):
        done = run(*RELU, "-o", "a.csv", cwd=tmp_path)
        assert_one_line(done, 1, b"cannot write 'a.csv'", b"Read-only file system")


def test_a_folder_that_may_not_be_written_is_one_line_and_1(tmp_path):
    # Root writes anywhere, unless it gives up just that.
    bound = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
    if bound and subprocess.run(["sh", "-c", f"{' '.join(bound)} true"], check=False).returncode:
        pytest.skip("root cannot give up writing anywhere: setpriv does not work here")
    tmp_path.chmod(0o555)
    done = subprocess.run(
        [*bound, *GELU, *RELU, "-o", "a.csv"],
        cwd=tmp_path, env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert_one_line(done, 1, b"cannot write 'a.csv'", b"Permission denied")
    assert list(tmp_path.iterdir()) == []


# Input


@pytest.mark.parametrize(
    ("data", "said"),
    {
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR": b"not text",
        b"1 2 \xff\xfe 3": b"not text",
        "1 ½".encode("latin-1"): b"not text",
        bytes(range(256)): b"not text",
        b"1\0 2": b"not a number",
        b"1 " + b"9" * 1_000_000: b"",
        b"1 " + b"x" * 1_000_000: b"not a number",
    }.items(),
    ids=lambda value: repr(value[:8]),
)  # fmt: skip
@pytest.mark.parametrize("many", [0, 1000])
def test_input_that_is_no_text_is_one_line_and_2(data, said, many):
    done = run(*SMALL, input=b"1\n" * many + data)
    assert done.returncode == 2
    assert done.stderr.startswith(b"gelu: ")
    assert done.stderr.count(b"\n") == 1
    assert len(done.stderr) < 1000
    assert said in done.stderr


@pytest.mark.parametrize(
    "command", [["check"], ["check", "--dtype", "float32"], ["error"]], ids=str
)
def test_a_table_that_is_no_text_is_one_line_and_2(command):
    for data in (b"x,exact\n1,\xff\n", b"\0\0\0", bytes(range(256)), b"x,exact\n1\0,2\n"):
        assert_one_line(run(*command, "-", input=data), 2)


def test_as_many_words_as_a_line_holds():
    numbers = [str(n) for n in range(100_000)]
    done = run("table", *numbers, "--form", "relu", "--show", "value")
    assert (done.returncode, done.stderr) == (0, b"")
    rows = done.stdout.decode().splitlines()[1:]
    assert rows == [f"{n}.0,{n}.0" for n in numbers]


def test_one_wrong_word_among_many_is_named():
    numbers = [str(n) for n in range(100_000)]
    assert_one_line(run("table", *numbers, "oops"), 2, b"'oops' is not a number")


def stream(count):
    """Yield so many numbers, as text in blocks."""
    block = b"".join(b"%d.5\n" % n for n in range(-5000, 5000))
    return islice(cycle([block]), count // 10_000)


def memory_for(count, name):
    """Return the peak memory, in units of the system, for so many numbers on stdin."""
    words = [*GELU, *SMALL, "-f", name]
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


@pytest.mark.parametrize("name", ["csv", "jsonl"])
def test_a_million_numbers_take_no_more_memory_than_a_tenth_of_them(name):
    assert memory_for(1_000_000, name) < memory_for(100_000, name) + MARGIN


@pytest.mark.slow
def test_a_hundred_million_numbers_take_no_more_memory_than_a_hundred_thousand():
    assert memory_for(100_000_000, "csv") < memory_for(100_000, "csv") + MARGIN
