"""An answer on stdout, in a pipe or on a device: written straight, as it comes."""

import os
import stat
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import pytest

import gelu_cli.old.answers.forms.listing as answer
from gelu_cli.old.report import Column, Report
from tests.old.cli.processes import CSV, RELU, names
from tests.old.cli.runner import assert_refused, gelu, run_gelu
from tests.old.cli.streams import Trickle
from tests.old.report.documents import TEXT_FORMATS

pytestmark = pytest.mark.usefixtures("folder")


def test_a_dash_is_stdout(folder):
    assert gelu(*RELU, "--output", "-").out == CSV.decode()
    assert names(folder) == []


def test_what_the_system_refuses_while_the_answer_is_computed_is_no_output_error(
    folder, monkeypatch
):
    """On stdout, and in a file, which stays as it was."""

    def rows(*words, **settings):
        yield [("a", 1.0)]
        raise OSError(24, "Too many open files")

    def report(*words, **settings):
        return Report("t", [Column("name", "name"), Column("x", "x")], rows())

    monkeypatch.setattr(answer, "forms", report)
    Path("a.csv").write_text("old\n")
    for words in ([], ["-o", "a.csv"]):
        ended = run_gelu("forms", *words)
        said = "gelu: the answer could not be computed: Too many open files\n"
        assert (ended.code, ended.err) == (4, said)
    assert Path("a.csv").read_text() == "old\n"
    assert names(folder) == ["a.csv"]


def test_a_fifo_is_written_straight_through(folder):
    os.mkfifo("pipe")
    read = []
    reader = Thread(target=lambda: read.append(Path("pipe").read_text()), daemon=True)
    reader.start()
    gelu(*RELU, "-o", "pipe")
    reader.join()
    assert read == [CSV.decode()]
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
    assert names(folder) == ["pipe"]


def test_a_device_is_written_straight_through():
    before = sorted(os.listdir("/dev"))
    gelu(*RELU, "-o", os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert sorted(os.listdir("/dev")) == before


def test_a_name_that_is_no_device_does_not_become_a_file_among_them():
    assert_refused(run_gelu(*RELU, "-o", "/dev/nope.csv"), "'/dev/nope.csv'", "no such device")
    assert not Path("/dev/nope.csv").exists()


def test_a_disk_is_not_overwritten():
    try:
        os.mknod("disk", stat.S_IFBLK | 0o600, os.makedev(7, 250))
    except PermissionError:
        pytest.skip("only root makes devices, and not everywhere")
    assert_refused(run_gelu(*RELU, "-o", "disk"), "'disk' is a disk")


@pytest.fixture
def in_memory():
    """A folder of files below /dev."""
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("the system has no /dev/shm")
    with TemporaryDirectory(dir="/dev/shm") as name:
        yield Path(name)


def test_what_a_file_is_counts_and_not_that_it_is_below_dev(in_memory):
    path = in_memory / "x.csv"
    path.write_text("old\n")
    stdin = Trickle([b"1\n" * 2000, b"oops\n"])
    assert run_gelu("table", "-", "--form", "relu", "-o", path, stdin=stdin).code == 2
    assert path.read_text() == "old\n"
    gelu(*RELU, "-o", path)
    assert path.read_bytes() == CSV
    assert names(in_memory) == ["x.csv"]


@pytest.mark.parametrize("name", ["/dev/fd/{}", "/proc/self/fd/{}", "link"])
def test_a_descriptor_is_written_where_it_stands(name):
    with open("log", "w+") as log:
        path = name.format(log.fileno())
        if name == "link":
            os.symlink(f"/dev/fd/{log.fileno()}", path)
        elif not Path(path).exists():
            pytest.skip(f"the system has no {path}")
        log.write("before\n")
        log.flush()
        gelu(*RELU, "-o", path)
        log.write("after\n")
    assert Path("log").read_text() == f"before\n{CSV.decode()}after\n"


def test_a_descriptor_that_is_not_open_cannot_be_written():
    assert_refused(run_gelu(*RELU, "-o", "/dev/fd/999"), "Bad file descriptor", code=3)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_device_is_an_output_that_cannot_be_written():
    assert_refused(run_gelu(*RELU, "-o", "/dev/full"), "'/dev/full': No space left", code=3)


@pytest.mark.parametrize("name", sorted({*TEXT_FORMATS} - {"table"}))
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
