"""A file is replaced whole or not at all, and stays what it was: its mode, its links."""

import errno
import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gelu_cli.errors import OutputError
from gelu_cli.old.report.formats import find_renderer, format_names
from gelu_cli.old.writing.files import changed_alone
from tests.old.cli.processes import CSV, RELU, names
from tests.old.cli.runner import assert_refused, gelu, run_gelu
from tests.old.cli.streams import Trickle

pytestmark = pytest.mark.usefixtures("folder")


def mode(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


def test_an_old_file_is_replaced_and_nothing_else_is_left(folder):
    Path("a.csv").write_text("old and longer than what is new\n" * 99)
    gelu(*RELU, "-o", "a.csv")
    assert names(folder) == ["a.csv"]
    assert Path("a.csv").read_bytes() == CSV


@pytest.mark.parametrize(
    ("error", "code"), [(None, 2), (KeyboardInterrupt(), 130), (OSError(5, "Input/output"), 2)]
)
def test_a_failure_half_way_leaves_the_old_file_and_no_other(folder, error, code):
    Path("a.csv").write_text("old\n")
    last = [] if error else [b"oops\n"]
    stdin = Trickle([b"1\n" * 2000, b"2\n" * 2000, *last], at_end=error)
    answer = run_gelu("table", "-", "--form", "relu", "-o", "a.csv", stdin=stdin)
    assert (answer.code, answer.out) == (code, "")
    assert "cannot write" not in answer.err
    assert names(folder) == ["a.csv"]
    assert Path("a.csv").read_text() == "old\n"


@pytest.mark.parametrize("bits", [0o600, 0o640, 0o664, 0o755])
def test_a_file_keeps_its_mode(bits):
    Path("a.csv").write_text("old\n")
    os.chmod("a.csv", bits)
    gelu(*RELU, "-o", "a.csv")
    assert (mode("a.csv"), Path("a.csv").read_bytes()) == (bits, CSV)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_keeps_its_owner_and_group():
    Path("a.csv").write_text("old\n")
    os.chown("a.csv", 1234, 5678)
    gelu(*RELU, "-o", "a.csv")
    new = os.stat("a.csv")
    assert (new.st_uid, new.st_gid) == (1234, 5678)


def test_a_file_whose_owner_cannot_be_kept_is_written_all_the_same(monkeypatch):
    def refuse(descriptor, owner, group):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    Path("a.csv").write_text("old\n")
    monkeypatch.setattr(os, "fchown", refuse)
    gelu(*RELU, "-o", "a.csv")
    assert Path("a.csv").read_bytes() == CSV


def test_a_folder_that_may_be_written_but_not_listed_will_do(folder, monkeypatch):
    listdir = os.listdir

    def refuse(path):
        if Path(path).samefile(folder):
            raise PermissionError(errno.EACCES, "Permission denied")
        return listdir(path)

    monkeypatch.setattr(os, "listdir", refuse)
    gelu(*RELU, "-o", "a.csv")
    assert Path("a.csv").read_bytes() == CSV


def test_a_file_system_without_locks_will_do(monkeypatch):
    def refuse(descriptor, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with changed_alone("a.csv"):
        gelu(*RELU, "-o", "a.csv")
    assert Path("a.csv").read_bytes() == CSV


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_mode_that_the_user_gives_new_files(mask):
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
    assert Path("inner/a.csv").read_bytes() == CSV
    assert names(folder / "inner") == ["a.csv"]


def test_symlinks_in_a_circle_are_an_output_that_cannot_be_written():
    Path("a").symlink_to("b")
    Path("b").symlink_to("a")
    assert_refused(run_gelu(*RELU, "-o", "a"), "cannot write 'a'", code=3)


def test_a_folder_that_is_missing_is_told_with_how_to_make_it():
    answer = run_gelu(*RELU, "-o", "one/two/a.csv")
    assert_refused(answer, "'one/two/a.csv'", "make its folder, mkdir -p one/two", code=3)


@pytest.mark.parametrize("path", ["missing/a.csv", "file/a.csv", "n" * 300])
def test_a_place_where_no_file_can_be_is_an_output_that_cannot_be_written(folder, path):
    Path("file").write_text("")
    assert_refused(run_gelu(*RELU, "-o", path), f"cannot write '{path[:20]}", code=3)
    assert names(folder) == ["file"]


def test_a_directory_that_is_not_there_does_not_become_a_file(folder):
    assert run_gelu(*RELU, "-o", "results/").code != 0
    assert names(folder) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_a_folder_that_nobody_may_write_is_left_alone():
    assert_refused(run_gelu(*RELU, "-o", "/proc/a.csv"), "cannot write '/proc/a.csv'", code=3)


@pytest.mark.parametrize("name", ["two words.csv", "größe.csv", "./-", "'", "n" * 251 + ".csv"])
def test_any_name_that_the_system_takes_will_do(name):
    gelu(*RELU, "-o", name)
    assert Path(name).read_bytes() == CSV


def test_the_file_that_is_read_may_be_the_one_that_is_written():
    Path("a.csv").write_text("x\n-3\n0.1\n")
    gelu("table", "--input", "a.csv", "--column", "x", "--form", "relu", "-o", "a.csv")
    assert Path("a.csv").read_bytes() == CSV


@pytest.mark.parametrize("name", ["inner", ".", "inner/", "link"])
def test_a_directory_is_no_output(folder, name):
    Path("inner").mkdir()
    Path("link").symlink_to("inner")
    assert_refused(run_gelu(*RELU, "--output", name), f"'{name}' is a directory")
    assert names(folder) == ["inner", "link"]
    assert names(folder / "inner") == []


def test_an_output_without_a_name_is_not_called_a_directory():
    answer = run_gelu(*RELU, "--output", "")
    assert_refused(answer, "--output")
    assert "is a directory" not in answer.err


COUNTING = """
import sys
from pathlib import Path
from gelu_cli.old.writing.files import changed_alone, write_out
for _ in range(20):
    with changed_alone("count"):
        write_out("count", [str(int(Path("count").read_text()) + 1)])
"""


def test_a_file_that_several_change_has_what_all_of_them_do(folder):
    Path("count").write_text("0")
    counting = [subprocess.Popen([sys.executable, "-c", COUNTING]) for _ in range(3)]
    assert [each.wait() for each in counting] == [0, 0, 0]
    assert (Path("count").read_text(), names(folder)) == ("60", ["count"])


def test_what_cannot_be_locked_cannot_be_written():
    with pytest.raises(OutputError, match="cannot write 'missing/a'"), changed_alone("missing/a"):
        pass


# Which format an answer has: the one asked for, or the one that the file's suffix names

SUFFIXES = [(name, suffix) for name in format_names() for suffix in find_renderer(name).suffixes]


def test_off_a_terminal_the_format_is_csv():
    assert gelu(*RELU).out == gelu(*RELU, "--format", "csv").out == CSV.decode()


@pytest.mark.parametrize(("name", "suffix"), SUFFIXES)
def test_the_suffix_of_the_file_names_the_format(name, suffix):
    expected = gelu(*RELU, "--format", name).out
    for path in (f"a{suffix}", f"b.old{suffix.upper()}"):
        assert gelu(*RELU, "--output", path).out == ""
        assert Path(path).read_bytes().decode(errors="surrogateescape") == expected


def test_every_format_has_a_suffix_of_its_own():
    assert {name for name, _ in SUFFIXES} == set(format_names())
    assert len({suffix for _, suffix in SUFFIXES}) == len(SUFFIXES)
    assert {
        *[("csv", ".csv"), ("tsv", ".tsv"), ("json", ".json"), ("jsonl", ".jsonl")],
        *[("markdown", ".md"), ("latex", ".tex"), ("table", ".txt")],
    } <= set(SUFFIXES)


@pytest.mark.parametrize("path", ["answer", ".json", "json"])
def test_without_a_suffix_a_file_is_csv(path):
    gelu(*RELU, "-o", path)
    assert Path(path).read_bytes() == CSV


@pytest.mark.parametrize("name", format_names())
def test_a_format_that_is_asked_for_beats_the_suffix(name):
    gelu(*RELU, "-o", "a.json", "--format", name)
    written = Path("a.json").read_bytes().decode(errors="surrogateescape")
    assert written == gelu(*RELU, "--format", name).out


def test_no_header_leaves_the_rows():
    assert gelu(*RELU, "--no-header").out == CSV.decode().partition("\n")[2]
    tsv = gelu(*RELU, "--format", "tsv")
    assert tsv.out == CSV.decode().replace(",", "\t")
    assert gelu(*RELU, "--no-header", "-f", "tsv").out == tsv.out.partition("\n")[2]
