"""Which format an answer has: the one asked for, or the one that the file's suffix names."""

from pathlib import Path

import pytest

from gelu_cli.report.formats import find_renderer, format_names
from tests.cli.runner import gelu

RELU = ["table", "-3", "0.1", "--form", "relu"]
CSV = gelu(*RELU).out
SUFFIXES = [(name, suffix) for name in format_names() for suffix in find_renderer(name).suffixes]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_off_a_terminal_the_format_is_csv():
    assert gelu(*RELU).out == "x,relu,relu_gradient\n-3.0,0.0,0.0\n0.1,0.1,1.0\n"
    assert gelu(*RELU, "--format", "csv").out == gelu(*RELU).out


@pytest.mark.parametrize(("name", "suffix"), SUFFIXES)
def test_the_suffix_of_the_file_names_the_format(folder, name, suffix):
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
def test_without_a_suffix_a_file_is_csv(folder, path):
    gelu(*RELU, "-o", path)
    assert Path(path).read_text() == CSV


@pytest.mark.parametrize("name", format_names())
def test_a_format_that_is_asked_for_beats_the_suffix(folder, name):
    gelu(*RELU, "-o", "a.json", "--format", name)
    written = Path("a.json").read_bytes().decode(errors="surrogateescape")
    assert written == gelu(*RELU, "--format", name).out


def test_no_header_leaves_the_rows(folder):
    assert gelu(*RELU, "--no-header").out == CSV.partition("\n")[2]
    tsv = gelu(*RELU, "--format", "tsv")
    assert tsv.out == CSV.replace(",", "\t")
    assert gelu(*RELU, "--no-header", "-f", "tsv").out == tsv.out.partition("\n")[2]
