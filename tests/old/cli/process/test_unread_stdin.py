"""Data on stdin that a command leaves unread is told, where it was given to the command alone."""

import os
import pty
import socket
import subprocess

import pytest

from tests.old.cli.processes import GELU, RELU, environment, linux, run, shell

NOTE = b"gelu: note: stdin holds data that was not read; %s reads it\n"


FILES = {"published.csv": "x,exact\n1,0.8413\n"}


def said_with(stdin, *words):
    done = run(*words, stdin=stdin)
    assert done.returncode == 0
    return done.stderr


@pytest.mark.parametrize(
    ("line", "ways"),
    [
        ("table 1 --form relu", b"- or --input -"),
        ("check published.csv", b"-"),
        ("identify 2=1.9546 -f csv -o a.csv", b"-"),
        ("plot --form relu", b"- or --points -"),
        ("block --form relu --target relu", b"--input -"),
    ],
)
def test_a_pipe_with_data_is_told_with_what_has_it_read(folder, line, ways):
    done = run(*line.split(), input=b"0.01\n")
    assert done.returncode == 0
    assert done.stderr.endswith(NOTE % ways)


def test_quiet_tells_nothing():
    assert run(*RELU, "-q", input=b"0.01\n").stderr == b""


def test_a_file_and_a_socket_with_data_are_told(tmp_path):
    path = tmp_path / "points"
    path.write_bytes(b"1\n")
    with path.open("rb") as file:
        assert said_with(file, *RELU) == NOTE % b"- or --input -"
    ours, its = socket.socketpair()
    with ours, its:
        ours.sendall(b"1\n")
        assert said_with(its, *RELU) == NOTE % b"- or --input -"


def test_what_holds_nothing_is_not_told(tmp_path):
    path = tmp_path / "empty"
    path.touch()
    with path.open("rb") as empty:
        assert said_with(empty, *RELU) == b""
    assert said_with(subprocess.DEVNULL, *RELU) == b""
    assert shell("<&-", *RELU).stderr == b""
    read, silent = os.pipe()
    assert said_with(read, *RELU) == b""  # whose writer may still write
    os.close(silent)
    assert said_with(read, *RELU) == b""  # whose writer has ended
    os.close(read)


def test_a_terminal_with_lines_typed_ahead_is_not_told():
    ours, its = pty.openpty()
    os.write(ours, b"1\n")
    assert said_with(its, *RELU) == b""
    os.close(ours)
    os.close(its)


def test_a_command_that_never_reads_stdin_and_one_that_has_read_it_say_nothing():
    assert run("forms", "relu", input=b"1\n").stderr == b""
    assert run("table", "--form", "relu", input=b"1\n").stderr == b""
    assert run("table", "--input", "-", "--form", "relu", input=b"1\n").stderr == b""


def script(text, **settings):
    """Run a script of the shell, in which "$@" is gelu."""
    command = ["sh", "-c", text, "sh", *GELU]
    return subprocess.run(command, env=environment(), capture_output=True, check=True, **settings)


def test_nothing_is_read():
    done = script('{ "$@" error --form relu >&2; cat; }', input=b"0.01\n")
    assert done.stdout == b"0.01\n"


@linux
def test_the_lines_of_a_loop_are_its_own(tmp_path):
    """What a parent has as its stdin is not for the child, in a pipe and in a file."""
    (tmp_path / "points").write_text("1\n2\n3\n")
    loop = 'while read x; do "$@" table "$x" --form relu --no-header; done'
    for text in (f"printf '1\\n2\\n3\\n' | {loop}", f"{loop} < points"):
        done = script(text, cwd=tmp_path)
        assert (done.stdout.count(b"\n"), done.stderr) == (3, b"")


def test_the_rest_of_a_file_is_for_who_has_read_its_beginning(tmp_path):
    path = tmp_path / "points"
    path.write_bytes(b"1\n2\n")
    with path.open("rb") as file:
        os.lseek(file.fileno(), 2, os.SEEK_SET)
        assert said_with(file, *RELU) == b""
