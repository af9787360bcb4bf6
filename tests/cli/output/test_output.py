"""Where an answer goes: a file is replaced whole or not at all, a device is written straight."""

import os
import stat
import sys
from pathlib import Path
from threading import Thread

import pytest

from gelu_cli.report.formats import find_renderer, format_names
from tests.cli.runner import assert_refused, gelu, run_gelu
from tests.cli.streams import Trickle

RELU = ["table", "-3", "0.1", "--form", "relu"]
CSV = gelu(*RELU).out
SUFFIXES = [(name, suffix) for name in format_names() for suffix in find_renderer(name).SUFFIXES]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def mode(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


def test_off_a_terminal_the_format_is_csv():
    assert gelu(*RELU).out == "x,relu,relu_gradient\n-3.0,0.0,0.0\n0.1,0.1,1.0\n"
    assert gelu(*RELU, "--format", "csv").out == gelu(*RELU).out


@pytest.mark.parametrize(("name", "suffix"), SUFFIXES)
def test_the_suffix_of_the_file_names_the_format(folder, name, suffix):
    expected = gelu(*RELU, "--format", name).out
    for path in (f"a{suffix}", f"b.old{suffix.upper()}"):
        assert gelu(*RELU, "--output", path).out == ""
        assert Path(path).read_bytes().decode() == expected


def test_every_format_has_a_suffix_of_its_own():
    assert {name for name, _ in SUFFIXES} == set(format_names())
    assert len({suffix for _, suffix in SUFFIXES}) == len(SUFFIXES)
    assert {
        *[("csv", ".csv"), ("tsv", ".tsv"), ("json", ".json"), ("jsonl", ".jsonl")],
        *[("markdown", ".md"), ("latex", ".tex"), ("table", ".txt")],
    } <= set(SUFFIXES)


@pytest.mark.parametrize("path", ["answer", ".json", "json"])
def test_without_a_suffix_a_file_is_csv(folder, path):
    gelu(*RELU, "-o", path)
    assert Path(path).read_text() == CSV


@pytest.mark.parametrize("name", format_names())
def test_a_format_that_is_asked_for_beats_the_suffix(folder, name):
    gelu(*RELU, "-o", "a.json", "--format", name)
    assert Path("a.json").read_text() == gelu(*RELU, "--format", name).out


def test_a_dash_is_stdout(folder):
    assert gelu(*RELU, "--output", "-").out == CSV
    assert names(folder) == []


def test_an_old_file_is_replaced_and_nothing_else_is_left(folder):
    Path("a.csv").write_text("old and longer than what is new\n" * 99)
    gelu(*RELU, "-o", "a.csv")
    assert names(folder) == ["a.csv"]
    assert Path("a.csv").read_text() == CSV


@pytest.mark.parametrize(
    ("error", "code"), [(None, 2), (KeyboardInterrupt(), 130), (OSError(5, "Input/output"), 2)]
)
def test_a_failure_half_way_leaves_the_old_file_and_no_other(folder, error, code):
    Path("a.csv").write_text("old\n")
    last = [] if error else [b"oops\n"]
    stdin = Trickle([b"1\n" * 2000, b"2\n" * 2000, *last], at_end=error)
    answer = run_gelu("table", "-", "--form", "relu", "-o", "a.csv", stdin=stdin)
    assert (answer.code, answer.out) == (code, "")
    assert names(folder) == ["a.csv"]
    assert Path("a.csv").read_text() == "old\n"


def test_an_error_in_reading_is_not_called_one_in_writing():
    stdin = Trickle([b"1\n"], at_end=OSError(5, "Input/output error"))
    answer = run_gelu("table", "-", "--form", "relu", stdin=stdin)
    assert answer.code != 0
    assert "cannot write" not in answer.err


@pytest.mark.parametrize("bits", [0o600, 0o640, 0o664, 0o755])
def test_a_file_keeps_its_mode(folder, bits):
    Path("a.csv").write_text("old\n")
    os.chmod("a.csv", bits)
    gelu(*RELU, "-o", "a.csv")
    assert (mode("a.csv"), Path("a.csv").read_text()) == (bits, CSV)


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_mode_that_the_user_gives_new_files(folder, mask):
    before = os.umask(mask)
    try:
        gelu(*RELU, "-o", "a.csv")
        assert mode("a.csv") == 0o666 & ~mask
        assert os.umask(mask) == mask
    finally:
        os.umask(before)


@pytest.mark.parametrize("exists", [True, False])
def test_a_symlink_is_followed_and_stays(folder, exists):
    Path("inner").mkdir()
    Path("link.csv").symlink_to("inner/a.csv")
    if exists:
        Path("inner/a.csv").write_text("old\n")
    gelu(*RELU, "-o", "link.csv")
    assert Path("link.csv").is_symlink()
    assert Path("inner/a.csv").read_text() == CSV
    assert names(folder / "inner") == ["a.csv"]


def test_a_symlink_to_a_directory_is_a_directory(folder):
    Path("inner").mkdir()
    Path("link").symlink_to("inner")
    assert_refused(run_gelu(*RELU, "-o", "link"), "is a directory")


def test_symlinks_in_a_circle_are_an_output_that_cannot_be_written(folder):
    Path("a").symlink_to("b")
    Path("b").symlink_to("a")
    assert_refused(run_gelu(*RELU, "-o", "a"), "cannot write 'a'", code=1)


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
    assert_refused(run_gelu(*RELU, "-o", "/dev/full"), "'/dev/full': No space left", code=1)


@pytest.mark.parametrize("path", ["missing/a.csv", "file/a.csv"])
def test_a_place_where_no_file_can_be_is_an_output_that_cannot_be_written(folder, path):
    Path("file").write_text("")
    assert_refused(run_gelu(*RELU, "-o", path), f"cannot write '{path}'", code=1)
    assert names(folder) == ["file"]


def test_a_name_too_long_is_an_output_that_cannot_be_written(folder):
    assert_refused(run_gelu(*RELU, "-o", "n" * 300), "File name too long", code=1)


def test_a_directory_that_is_not_there_does_not_become_a_file(folder):
    assert run_gelu(*RELU, "-o", "results/").code != 0
    assert names(folder) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_a_folder_that_nobody_may_write_is_left_alone():
    assert_refused(run_gelu(*RELU, "-o", "/proc/a.csv"), "cannot write '/proc/a.csv'", code=1)


@pytest.mark.parametrize("name", ["two words.csv", "größe.csv", "./-", "'", "n" * 251 + ".csv"])
def test_any_name_that_the_system_takes_will_do(folder, name):
    gelu(*RELU, "-o", name)
    assert Path(name).read_text() == CSV


def test_the_file_that_is_read_may_be_the_one_that_is_written(folder):
    Path("a.csv").write_text("x\n-3\n0.1\n")
    gelu("table", "--input", "a.csv", "--column", "x", "--form", "relu", "-o", "a.csv")
    assert Path("a.csv").read_text() == CSV


def test_no_header_leaves_the_rows(folder):
    assert gelu(*RELU, "--no-header").out == CSV.partition("\n")[2]
    tsv = gelu(*RELU, "--format", "tsv")
    assert tsv.out == CSV.replace(",", "\t")
    assert gelu(*RELU, "--no-header", "-f", "tsv").out == tsv.out.partition("\n")[2]


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
