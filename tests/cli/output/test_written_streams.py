"""An answer on stdout, in a pipe or on a device: written straight, as it comes."""

import os
import stat
import sys
from pathlib import Path
from threading import Thread

import pytest

from gelu_cli.report.formats import format_names
from tests.cli.runner import assert_refused, gelu, run_gelu
from tests.cli.streams import Trickle

RELU = ["table", "-3", "0.1", "--form", "relu"]
CSV = gelu(*RELU).out


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_dash_is_stdout(folder):
    assert gelu(*RELU, "--output", "-").out == CSV
    assert names(folder) == []


def test_an_error_in_reading_is_not_called_one_in_writing():
    stdin = Trickle([b"1\n"], at_end=OSError(5, "Input/output error"))
    answer = run_gelu("table", "-", "--form", "relu", stdin=stdin)
    assert answer.code != 0
    assert "cannot write" not in answer.err


def test_a_fifo_is_written_straight_through(folder):
    os.mkfifo("pipe")
    read = []
    reader = Thread(target=lambda: read.append(Path("pipe").read_text()), daemon=True)
    reader.start()
    gelu(*RELU, "-o", "pipe")
    reader.join()
    assert read == [CSV]
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
    assert names(folder) == ["pipe"]


def test_a_device_is_written_straight_through():
    before = sorted(os.listdir("/dev"))
    gelu(*RELU, "-o", os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert sorted(os.listdir("/dev")) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_device_is_an_output_that_cannot_be_written():
    assert_refused(run_gelu(*RELU, "-o", "/dev/full"), "'/dev/full': No space left", code=3)


@pytest.mark.parametrize("name", sorted({*format_names()} - {"table"}))
def test_rows_leave_as_numbers_come(name):
    """Every format but `table`, which must see its rows to align them."""
    seen = []

    class Watched(Trickle):
        def readinto(self, buffer):
            sys.stdout.flush()
            seen.append(sys.stdout.buffer.getvalue())
            return super().readinto(buffer)

    run_gelu("table", "-", "--form", "exact", "-f", name, stdin=Watched([b"1\n", b"2\n"]))
    nothing, one, two = seen
    assert nothing == b""
    assert b"0.8413" in one
    assert b"1.954" not in one
    assert b"1.954" in two
