"""Encodings that lack characters, and input in none: never a traceback, and files are UTF-8."""

import os

import pytest

from tests.cli.processes import PLAIN, assert_one_line, run
from tests.cli.runner import gelu


@pytest.mark.parametrize("env", PLAIN, ids=str)
def test_a_plain_encoding_gets_plain_signs(env):
    done = run("table", "1", "-f", "markdown", env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    assert b"exact'" in done.stdout
    assert b"?" not in done.stdout


def test_an_error_in_a_plain_encoding_is_one_line():
    assert_one_line(run("table", "größe", env=PLAIN[-1]), 2, b"is not a number")


def test_a_file_is_utf_8_whatever_the_terminal_is(tmp_path):
    run("forms", "-o", tmp_path / "forms.csv", env=PLAIN[-1])
    assert (tmp_path / "forms.csv").read_text(encoding="utf-8") == gelu("forms").out


NAME = b"a\xff\x1b\xe2\x80\xae.csv"
"""The name of a file, which is no text in any encoding."""
EVERYWHERE = [{}, *PLAIN]


@pytest.mark.parametrize("env", EVERYWHERE, ids=str)
def test_a_file_whose_name_is_no_text_is_written_read_and_told_of(tmp_path, env):
    path = bytes(tmp_path) + b"/" + NAME
    done = run("table", "1", "--form", "relu", "-o", path, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert os.listdir(bytes(tmp_path)) == [NAME]
    done = run("table", "--input", path, "--column", "y", env=env)
    assert_one_line(done, 2, b"a\\udcff\\x1b", b".csv has no column 'y'; it has: x, relu")
    assert done.stderr.isascii()
