"""The help: on every command, complete, with examples that work."""

import json
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import gelu_cli
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.cli.parameters import SECTIONS
from gelu_cli.old.formulas import QUANTITIES, all_forms
from gelu_cli.old.report.formats import format_names
from tests.old.cli.examples import COMMANDS, WITH_ANSWERS, examples
from tests.old.cli.processes import environment
from tests.old.cli.runner import assert_refused, gelu, run_gelu

EXAMPLES = [words for command in COMMANDS for words in examples(command)]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_narrow_terminal(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = gelu(command, "--help").out.splitlines()
    assert max(len(line) for line in lines if "~/" not in line) <= 40  # a path is one word
    assert len(lines) > 10
    shown = "\n".join(lines).split("\n\n")[1]
    monkeypatch.setenv("COLUMNS", "80")
    wide = gelu(command, "--help").out.split("\n\n")[1]
    a_shell_reads = shown.replace("\\\n", "").splitlines()
    assert [line.split() for line in a_shell_reads] == [line.split() for line in wide.splitlines()]


def test_help_is_ascii_where_the_terminal_is():
    for words in (["variance", "--help"], ["--help"], []):
        text = gelu(*words, encoding="ascii").out
        assert text.isascii()
        assert "\\u" not in text
        assert "Phi(x)" in text or "f'(X)^2" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_listed_and_has_help(command):
    assert f"  {command} " in gelu("--help").out
    assert gelu(command, "-h").out == gelu(command, "--help").out
    assert gelu(command, "--help", "-3").out == gelu(command, "--help").out
    assert gelu("help", command).out == gelu(command, "--help").out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_what_a_command_does_then_shows_it_then_explains_options_in_groups(command):
    summary, shown, usage, *rest = gelu(command, "--help-all").out.split("\n\n")
    assert summary in gelu("help").out
    assert all(line.startswith(f"    gelu {command}") for line in shown.splitlines())
    assert usage.startswith(f"Usage: gelu {command} [OPTIONS]")
    headings = [block.partition(":\n")[0] for block in rest if ":\n  -" in block]
    assert headings == [each for each in SECTIONS if each in headings]
    assert ("Output" in headings) == (command in WITH_ANSWERS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_one_screen_and_says_where_the_rest_is(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    short, whole = gelu(command, "--help").out, gelu(command, "--help-all").out
    assert len(short.splitlines()) <= 40
    assert short.split("\n\n")[:3] == whole.split("\n\n")[:3]
    listed, every = (
        re.findall(r"^  (?:-\w, )?(--[\w-]+)(?: |$)", text.partition("Details:")[0], re.M)
        for text in (short, whole)
    )
    assert {*listed} <= {*every} - {"--help-all"}
    rest = f"All {len(every)} options: gelu {command} --help-all; "
    rest += f"its page: gelu help commands/{command}"
    assert " ".join(short.split("\n\n")[-1].split()) == rest
    assert gelu("help", command, "--all").out == whole
    assert f"# `gelu {command}`" in gelu("help", f"commands/{command}").out


def test_what_a_picture_looks_like_is_listed_where_pictures_are_made():
    listing = {each for each in COMMANDS if "--title" in gelu(each, "--help").out}
    taking = {each for each in COMMANDS if "--title" in gelu(each, "--help-all").out}
    assert listing == {"plot"} < taking


def test_an_option_stands_where_it_is_looked_for():
    sections = {
        name: block.split() for block in gelu("sweep", "--help-all").out.split("\n\n")
        for name in SECTIONS if block.startswith(f"{name}:\n")
    }  # fmt: skip
    where = {
        "--dtype": "Question", "--kwarg": "Kernel", "--range": "Inputs", "--max-ulp": "Judging",
        "--format": "Output", "--jobs": "Other options",
    }  # fmt: skip
    assert {
        option: [name for name in sections if option in sections[name]] for option in where
    } == {option: [section] for option, section in where.items()}


def test_help_on_a_command_that_there_is_not_names_the_nearest():
    assert_refused(run_gelu("help", "tabel"), "unknown topic 'tabel'; did you mean 'table'?")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with what the examples read."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "published.csv").write_text("x,exact\n1,0.8413\n")
    (folder / "measured.csv").write_text("x,kernel\n1,0.8413\n")
    (folder / "kernel.csv").write_text("x,exact\n1,0.875\n")
    (folder / "geglu.csv").write_text("x,up,exact\n1,2,1.75\n")
    every = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16)
    (folder / "kernel.bin").write_bytes(bytes(256))
    (folder / "every.bin").write_bytes(gelu_cli.gelu(every).tobytes())
    (folder / "x.bin").write_bytes(bytes(256))
    for name in ("activations", "preactivations"):
        np.save(folder / f"{name}.npy", np.linspace(-3.0, 2.0, 30).reshape(10, 3))
    (folder / "mykernel.py").write_text(
        "from gelu_cli import gelu\ndef geglu(gate, up): return gelu(gate) * up\n"
    )
    for name in ("old", "new"):
        (folder / f"{name}.py").write_text((folder / "mykernel.py").read_text())
    for program in ("mykernel", "old", "new"):
        (folder / program).write_text("#!/bin/sh\nexec cat\n")
        (folder / program).chmod(0o755)
    words = "sweep erfc --dtype float8_e5m2 --range 1:2 --quiet --format record"
    for name in ("record.json", "old.json", "new.json"):
        (folder / name).write_text(gelu(*words.split()).out)
    return folder


def test_every_command_has_examples():
    assert {words[0] for words in EXAMPLES} == set(COMMANDS)


@pytest.mark.parametrize("words", EXAMPLES, ids=" ".join)
def test_every_example_works(files, monkeypatch, words):
    monkeypatch.chdir(files)
    if words[0] == "identify":  # results of every bfloat16, where others have 8 bits
        words = [word.replace("kernel.bin", "every.bin") for word in words]
    before = {*files.iterdir()}
    answer = gelu(*words, *(["--quiet"] if words[0] in WITH_ANSWERS else []))
    written = {*files.iterdir()} - before
    assert answer.out or written
    for path in written - {files / "__pycache__"}:
        path.unlink()


@pytest.mark.parametrize("command", WITH_ANSWERS)
def test_the_shared_options_are_on_every_command(command):
    text = gelu(command, "--help-all").out
    for option in ("-f, --format", "-o, --output", "-q, --quiet", "-h, --help"):
        assert option in text
    assert command == "plot" or "--no-header" in text


def test_help_names_everything_there_is_to_choose():
    words = set(gelu("table", "--help").out.replace(",", " ").replace(".", " ").split())
    assert words >= {*all_forms(), *QUANTITIES, *FORMATS, *format_names()}


def test_no_line_of_help_holds_a_placeholder_or_is_wider_than_a_terminal():
    for command in COMMANDS:
        text = gelu(command, "--help-all").out
        assert not re.search(r"\{[a-z]+\}", text)
        assert max(map(len, text.splitlines())) <= 80


def test_gelu_alone_shows_its_help():
    answer = run_gelu()
    assert gelu("--help").out.strip() in answer.out + answer.err
    assert gelu("help").out == gelu("--help-all").out


def test_the_version_is_the_package_version():
    assert gelu("--version").out == f"gelu {gelu_cli.__version__}\n"


def test_commands_stand_in_the_order_of_use_each_on_one_line():
    lines = run_gelu("--help").out.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    names = [line.split()[0] for line in lines]
    assert names[:6] == ["table", "error", "locate", "variance", "fit", "block"]
    assert names == COMMANDS
    assert all(len(line) <= 80 for line in lines)


WITHOUT_DOCSTRINGS = """
import json, sys
from gelu_cli.old.cli.app import run
if run.__doc__ is not None:
    sys.exit("docstrings are there")
for words in json.load(sys.stdin):
    run(words)
"""


def test_help_completion_and_errors_are_the_same_without_docstrings():
    lines = [["--help"], ["forms", "-f", "csv"], ["table", "1", "--form", "tnah"], ["table", "x"]]
    lines += [[command, "--help-all"] for command in COMMANDS]
    lines += [["completion", shell] for shell in ("bash", "fish", "zsh")]
    answers = [run_gelu(*line) for line in lines]
    done = subprocess.run(
        [sys.executable, "-OO", "-c", WITHOUT_DOCSTRINGS], input=json.dumps(lines).encode(),
        env=environment(), capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout.decode() == "".join(answer.out for answer in answers)
    assert done.stderr.decode() == "".join(answer.err for answer in answers)
