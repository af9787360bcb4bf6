"""Encodings that lack characters, and input in none: never a traceback, and files are UTF-8."""

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
