"""The program in a process of its own: pipes, signals, terminals, and what it loads."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import sysconfig
import termios
import threading
from collections import Counter
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import pytest
import typer

from gelu_cli.cli.app import app
from gelu_cli.report.formats import format_names
from tests.cli.runner import gelu

GELU = [sys.executable, "-m", "gelu_cli"]
RELU = ["table", "-3", "0.1", "--form", "relu"]
CSV = b"x,relu,relu_gradient\n-3.0,0.0,0.0\n0.1,0.1,1.0\n"
LONG = ["table", "0:1:/1000000", "--form", "relu"]
COMMANDS = list(typer.main.get_command(app).commands)
PLAIN = [
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin-1"},
    {"LC_ALL": "C", "PYTHONUTF8": "0"},
]
needs_dev_full = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="the system has no /dev/full"
)

# What a shell or a terminal of whoever runs the tests would add.
FOREIGN = {"PYTHONUNBUFFERED", "PYTHONIOENCODING", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"}


def environment(**changes):
    kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    return {**kept, "PYTHONUTF8": "1", "TERM": "xterm-256color", **changes}


def run(*words, env=None, **settings):
    settings = {"stdin": subprocess.DEVNULL} | settings if "input" not in settings else settings
    for stream in ("stdout", "stderr"):
        settings.setdefault(stream, subprocess.PIPE)
    return subprocess.run([*GELU, *words], env=environment(**env or {}), check=False, **settings)


def shell(redirections, *words, prefix="", **settings):
    """Run gelu from a shell, with its redirections."""
    script = f'{prefix} exec "$@" {redirections}'
    return subprocess.run(
        ["sh", "-c", script, "sh", *GELU, *words],
        env=environment(), capture_output=True, check=False, **settings,
    )  # fmt: skip


@contextmanager
def started(*words, env=None, **settings):
    """Start gelu with pipes; one that hangs is killed, so that the test fails and ends."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    env = environment(**env or {})
    with subprocess.Popen([*GELU, *words], env=env, **pipes | settings) as process:
        watchdog = threading.Timer(120, process.kill)
        watchdog.start()
        try:
            yield process
        finally:
            watchdog.cancel()
            process.kill()


def read_until(stream, text):
    """Read what a process writes until the text has come; fail if it ends before."""
    data = b""
    while text not in data:
        more = os.read(stream.fileno(), 1 << 16)
        assert more, f"ended without {text} after {data[-200:]}"
        data += more
    return data


def assert_one_line(done, code, *fragments):
    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr.startswith(b"gelu: ")
    assert done.stderr.count(b"\n") == 1
    for fragment in fragments:
        assert fragment in done.stderr


# How it is called


def test_python_m_and_the_installed_command_are_the_same_program():
    script = Path(sysconfig.get_path("scripts"), "gelu")
    command = subprocess.run([script, *RELU], env=environment(), capture_output=True, check=True)
    module = run(*RELU)
    assert command.stdout == module.stdout == CSV
    assert command.stderr == module.stderr == b""


def test_gelu_alone_shows_its_help():
    assert run().stdout == run("--help").stdout != b""


@pytest.mark.parametrize("words", [["tabel"], ["table", "oops"], ["table", "1", "--fromat"]])
def test_a_usage_error_ends_with_2_and_no_traceback(words):
    done = run(*words)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert done.stdout == b""


def test_a_word_that_is_no_text_is_refused():
    assert_one_line(run("table", b"\xff\xfe"), 2, b"is not a number")


# Pipes and full disks


def test_a_message_that_cannot_be_written_leaves_its_exit_code():
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "wb") as full:
        for words, code in ((["table", "x"], 2), (["table", "1", "-o", "/nowhere/a.csv"], 1)):
            assert subprocess.run([*GELU, *words], stderr=full, check=False).returncode == code


@pytest.mark.parametrize("name", format_names())
def test_a_reader_that_has_seen_enough_ends_it_in_silence(name):
    with started(*LONG, "--format", name) as process:
        assert os.read(process.stdout.fileno(), 10)
        process.stdout.close()
        assert process.wait() == -signal.SIGPIPE
        assert process.stderr.read() == b""


@pytest.mark.parametrize("words", [RELU, ["forms"], ["--help"], ["table", "--help"], ["--version"]])
def test_a_pipe_that_nobody_reads_ends_it_in_silence(words):
    read, write = os.pipe()
    os.close(read)
    done = run(*words, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")


@needs_dev_full
@pytest.mark.parametrize("words", [RELU, LONG, ["forms"], ["--help"], ["table", "-h"]])
def test_a_full_disk_is_one_line_and_1(words):
    assert_one_line(shell("> /dev/full", *words), 1, b"No space left on device")


@pytest.mark.parametrize("path", ["a.csv", "a.txt"])
def test_a_file_that_grows_too_large_leaves_the_old_one(tmp_path, path):
    (tmp_path / path).write_text("old\n")
    words = ["table", "0:1:/20000", "--form", "relu", "-o", path]
    done = shell("", *words, prefix="ulimit -f 8;", cwd=tmp_path)
    assert_one_line(done, 1, f"cannot write '{path}'".encode())
    assert [each.name for each in tmp_path.iterdir()] == [path]
    assert (tmp_path / path).read_text() == "old\n"


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1"])
def test_the_device_stdout_is_written_straight_into_the_pipe(path):
    done = run(*RELU, "--output", path)
    assert (done.returncode, done.stdout, done.stderr) == (0, CSV, b"")


def test_a_process_substitution_is_written_straight_through():
    read, write = os.pipe()
    done = run(*RELU, "-o", f"/dev/fd/{write}", pass_fds=[write])
    os.close(write)
    with open(read, "rb") as pipe:
        assert (done.returncode, pipe.read(), done.stderr) == (0, CSV, b"")


def test_a_process_substitution_is_read():
    read, write = os.pipe()
    os.write(write, b"-3 0.1")
    os.close(write)
    done = run("table", "--form", "relu", "--input", f"/dev/fd/{read}", pass_fds=[read])
    os.close(read)
    assert done.stdout == CSV


def test_closed_stdin_is_missed_only_where_it_is_needed():
    assert shell("<&-", *RELU).stdout == CSV
    assert_one_line(shell("<&-", "table", "-"), 2, b"stdin is closed")
    assert_one_line(shell("<&-", "table", "-", "--column", "x"), 2, b"stdin is closed")


@pytest.mark.parametrize("words", [RELU, ["forms"], ["--help"], ["table", "--help"], ["--version"]])
def test_closed_stdout_is_an_output_that_cannot_be_written(words):
    assert_one_line(shell(">&-", *words), 1, b"cannot write")


def test_closed_streams_do_not_matter_where_they_are_not_used(tmp_path):
    path = tmp_path / "a.csv"
    for redirections in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
        done = shell(redirections, *RELU, "--output", path)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert path.read_bytes() == CSV
        path.unlink()
    assert shell("2>&-", "table", "oops").returncode == 2


# Input that takes its time


@pytest.mark.parametrize("name", sorted({*format_names()} - {"table"}))
def test_a_trickle_of_numbers_trickles_on(name):
    with started("table", "-", "--form", "exact", "--show", "value", "-f", name) as process:
        for number, value in ((b"1\n", b"0.8413"), (b"2\n", b"1.954"), (b"-1,", b"-0.1586")):
            process.stdin.write(number)
            process.stdin.flush()
            read_until(process.stdout, value)
        process.stdin.close()
        assert process.wait() == 0
        assert process.stderr.read() == b""


def test_many_numbers_at_once_do_not_wait_for_more():
    with started("table", "-", "--form", "relu", "--show", "value", "--jobs", "2") as process:
        process.stdin.write(b"".join(b"%d\n" % n for n in range(1, 2001)))
        process.stdin.flush()
        read_until(process.stdout, b"2000.0,2000.0\n")
        process.stdin.close()
        assert process.wait() == 0


def test_an_interrupt_ends_it_with_130_and_no_traceback():
    with started("table", "-", "--form", "relu") as process:
        process.stdin.write(b"1\n")
        process.stdin.flush()
        read_until(process.stdout, b"1.0")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        assert (process.returncode, out, err.strip()) == (130, b"", b"")


def test_an_interrupt_in_the_middle_of_work_ends_it_with_130():
    with started(*LONG) as process:
        read_until(process.stdout, b"x,relu")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
        assert (process.returncode, err.strip()) == (130, b"")


MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""
MEBIBYTE = 1 << (20 if sys.platform == "darwin" else 10)
MARGIN = 8 * MEBIBYTE
"""200,000 floats in a list alone are 6.1 MiB more; their words, rows or text are far more."""


def peak_memory(words, data):
    """Peak memory of gelu, started by a small process as this one's own would count as its own."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *GELU, *words],
        input=data, stdout=subprocess.PIPE, env=environment(), check=True,
    )  # fmt: skip
    return int(done.stdout)


def test_a_long_stdin_takes_no_more_memory_than_a_short_one():
    words = ["table", "-", "--form", "relu", "--show", "value"]
    lines = [b"%d.25\n" % number for number in range(200_000)]
    short, long = peak_memory(words, b"".join(lines[:1000])), peak_memory(words, b"".join(lines))
    assert long < short + MARGIN


# Characters and terminals


@pytest.mark.parametrize("env", PLAIN)
@pytest.mark.parametrize(
    "words", [[*RELU, "-f", name] for name in format_names()] + [["forms"], ["--help"]], ids=str
)
def test_no_character_is_too_much_for_a_plain_encoding(env, words):
    done = run(*words, env={"PYTHONCOERCECLOCALE": "0", **env})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout


def test_a_plain_encoding_gets_plain_signs():
    done = run("table", "1", "-f", "table", env={"PYTHONIOENCODING": "ascii"})
    assert done.stdout.isascii()
    assert b"exact'" in done.stdout
    assert b"?" not in done.stdout


@pytest.mark.parametrize("env", PLAIN)
def test_an_error_in_a_plain_encoding_is_one_line(env):
    done = run("table", "größe", env={"PYTHONCOERCECLOCALE": "0", **env})
    assert_one_line(done, 2, b"is not a number")


@pytest.mark.parametrize("env", PLAIN)
def test_a_file_is_utf_8_whatever_the_terminal_is(tmp_path, env):
    run("forms", "-o", tmp_path / "forms.csv", env={"PYTHONCOERCECLOCALE": "0", **env})
    assert (tmp_path / "forms.csv").read_text(encoding="utf-8") == gelu("forms").out


def test_off_a_terminal_there_is_no_colour_even_if_it_is_forced():
    for force in ("0", "1", "3"):
        done = run("table", "1", "-f", "table", env={"FORCE_COLOR": force, "CLICOLOR_FORCE": "1"})
        assert b"\x1b" not in done.stdout


def on_terminal(width, *words, **env):
    """Run gelu on a terminal of that width and return what it shows."""
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (24, width))
    streams = {"stdin": subprocess.DEVNULL, "stdout": its, "stderr": its}
    with started(*words, env=env, **streams) as process:
        os.close(its)
        shown = b""
        try:
            while more := os.read(ours, 1 << 16):
                shown += more
        except OSError:  # so Linux says that the other side is closed
            pass
        os.close(ours)
        assert process.wait() == 0
    return shown.decode().replace("\r\n", "\n")


def plain(text):
    return re.sub(r"\x1b\[[\d;]*m", "", text)


MANY = ["table", "-3.25", "1e-300", "1e9", "-inf", "0.1"]
MANY_FORMS = ["--form", "exact", "--form", "tanh", "--form", "softplus", "--form", "relu"]


@pytest.mark.parametrize("width", [80, 40, 200])
@pytest.mark.parametrize("digits", ["6", "17"])
def test_on_a_terminal_no_number_is_ever_cut(width, digits):
    text = plain(on_terminal(width, *MANY, *MANY_FORMS, "--digits", digits))
    shown = text.replace("\N{MINUS SIGN}", "-").split()
    for row in gelu(*MANY, *MANY_FORMS, "--digits", digits).rows:
        numbers = [cell.removesuffix(".0") for cell in row.values()]
        assert set(numbers) <= set(shown)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [80, 60, 40, 30, 20, 15, 10])
def test_on_a_terminal_of_any_width_no_digit_is_lost(width):
    words = [*MANY, "--form", "exact", "--show", "value", "--digits", "17"]
    expected = [cell.removesuffix(".0") for row in gelu(*words).rows for cell in row.values()]
    shown = Counter(plain(on_terminal(width, *words)))
    assert not Counter(char for char in "".join(expected) if char.isdigit()) - shown


def test_a_number_longer_than_the_line_is_folded_and_whole():
    words = ["table", "1", "--form", "exact", "--show", "value", "--digits", "60"]
    text = plain(on_terminal(40, *words))
    (row,) = gelu(*words).rows
    assert row["exact"] in "".join(text.split())
    assert max(map(len, text.splitlines())) <= 40


@pytest.mark.parametrize("width", [1, 5, 10, 80])
@pytest.mark.parametrize("words", [["table", "-3", "1"], ["forms"]])
def test_every_width_of_a_terminal_is_wide_enough(width, words):
    lines = plain(on_terminal(width, *words)).splitlines()
    assert max(map(len, lines)) <= width


def test_a_terminal_gets_a_table_with_colour_unless_it_is_refused():
    coloured = on_terminal(80, "table", "1")
    assert "\x1b[" in coloured
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}):
        assert on_terminal(80, "table", "1", **env) == plain(coloured)
    assert "\x1b[" in on_terminal(80, "table", "1", NO_COLOR="")  # empty is as good as unset


def test_on_a_terminal_another_format_is_what_it_is_in_a_pipe():
    assert on_terminal(80, *RELU, "--format", "csv").encode() == CSV


# What it loads

LOADED = """
import json, sys
from gelu_cli.cli.app import run
code = run(sys.argv[1:])
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
sys.exit(code)
"""
DEAR = {"numpy", "scipy", "orjson", "rich", "ml_dtypes", "flint", "plotille", "matplotlib"}
if version("typer").split(".")[:2] == ["0", "28"]:
    DEAR.add("pydantic")  # later ones import it, see pyproject.toml


def loaded_by(*words):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], env=environment(), capture_output=True, check=True
    )
    return set(json.loads(done.stderr))


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_help_loads_nothing_that_is_dear(word):
    assert not loaded_by(word) & {*DEAR, "mpmath"}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_loads_nothing_that_is_dear(command):
    assert not loaded_by(command, "--help") & DEAR


def test_a_table_loads_only_what_it_computes_with():
    assert not loaded_by("table", "-3", "-1", "0", "0.5", "1", "3") & DEAR


def test_the_list_of_forms_loads_only_what_it_prints_with():
    assert not loaded_by("forms") & DEAR
