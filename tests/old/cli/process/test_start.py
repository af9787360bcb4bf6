"""How gelu is called, in which encodings, and what it loads before it answers."""

import json
import os
import subprocess

import pytest

from tests.old.cli.examples import COMMANDS
from tests.old.cli.processes import (
    CSV,
    GELU,
    PLAIN,
    RELU,
    SCRIPT,
    assert_one_line,
    environment,
    run,
    shell,
)
from tests.old.cli.runner import gelu


def test_python_m_and_the_installed_command_are_the_same_program():
    command = subprocess.run([*SCRIPT, *RELU], env=environment(), capture_output=True, check=True)
    module = run(*RELU)
    assert command.stdout == module.stdout == CSV
    assert command.stderr == module.stderr == b""


def test_gelu_alone_shows_its_help():
    assert run().stdout == run("--help").stdout != b""


def test_a_usage_error_ends_with_2_and_no_traceback():
    assert_one_line(run("tabel"), 2, b"'tabel'")


def test_a_word_that_is_no_text_is_refused():
    assert_one_line(run("table", b"\xff\xfe"), 2, b"is not a number")


def test_ten_thousand_words_are_taken():
    numbers = [str(n) for n in range(10_000)]
    done = run("table", *numbers, "--form", "relu", "--quantity", "value")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines()[1:] == [f"{n}.0,{n}.0" for n in numbers]


LOADED = """
import json, sys
from gelu_cli.old.cli.app import run
codes = [run(words) for words in json.loads(sys.argv[1])]
names = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps([codes, names]), file=sys.stderr)
"""
DEAR = {"ctypes", "numpy", "scipy", "orjson", "rich", "ml_dtypes", "flint", "matplotlib",
        "pydantic", "typer"}  # fmt: skip
"""Modules that take long to load."""


def loaded_by(*lines):
    """Return the modules that one process has loaded after all these lines."""
    words = json.dumps([line.split() for line in lines])
    done = subprocess.run(
        [*GELU[:1], "-c", LOADED, words], env=environment(), capture_output=True, check=True
    )
    codes, names = json.loads(done.stderr)
    assert codes == [0] * len(lines)
    return set(names)


def test_help_and_version_load_nothing_dear():
    assert not loaded_by("--help", "--version") & {*DEAR, "mpmath"}


def test_help_of_commands_and_small_answers_load_nothing_dear():
    helps = [f"{command} --help" for command in COMMANDS]
    assert not loaded_by(*helps, "table -3 -1 0 0.5 1 3", "forms") & {*DEAR, "mpmath"}


def test_a_plot_in_text_loads_only_what_draws_it():
    loaded = loaded_by("plot")
    assert "numpy" in loaded
    assert not loaded & {"matplotlib", "scipy", "rich", "orjson"}


def test_a_folder_that_was_removed_does_not_matter(tmp_path):
    folder = tmp_path / "removed"
    folder.mkdir()
    done = shell("", *RELU, prefix=f"cd {folder}; rmdir {folder};")
    assert (done.returncode, done.stdout, done.stderr) == (0, CSV, b"")


# Encodings that lack characters, and names in none: never a traceback, and files are UTF-8


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


@pytest.mark.parametrize("env", [{}, PLAIN[0], PLAIN[-1]], ids=str)
def test_a_file_whose_name_is_no_text_is_written_read_and_told_of(tmp_path, env):
    path = bytes(tmp_path) + b"/" + NAME
    done = run("table", "1", "--form", "relu", "-o", path, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert os.listdir(bytes(tmp_path)) == [NAME]
    done = run("table", "--input", path, "--column", "y", env=env)
    assert_one_line(done, 2, b"a\\udcff\\x1b", b".csv has no column 'y'; it has: x, relu")
    assert done.stderr.isascii()
