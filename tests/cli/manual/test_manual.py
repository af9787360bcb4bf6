"""The manual and the scripts are what the program says, and say all of it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gelu_cli.cli.app import app
from gelu_cli.cli.choices import CHOICES
from gelu_cli.cli.manual.program import describe
from tests.cli.runner import assert_refused, run_gelu
from tools.make_manual import API, FILES, ROOT, texts

PROGRAM = describe(app)
PAGE = ROOT / "docs" / "gelu.1"
REFERENCE = ROOT / "docs" / "reference.md"


@pytest.mark.parametrize("path", [*FILES, API])
def test_a_file_is_what_the_program_says(path):
    remedy = "run python tools/make_manual.py"
    assert (ROOT / path).read_text(encoding="utf-8") == texts()[ROOT / path], remedy


def test_the_order_of_hashes_does_not_show(tmp_path):
    script = (
        "import sys; from pathlib import Path; from tools import make_manual as make\n"
        "for path, text in make.texts().items():\n"
        "    (Path(sys.argv[1]) / path.name).write_text(text, encoding='utf-8')\n"
    )
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    subprocess.run([sys.executable, "-c", script, tmp_path], env=env, cwd=ROOT, check=True)
    for path in [*FILES, API]:
        written = (tmp_path / Path(path).name).read_text(encoding="utf-8")
        assert written == (ROOT / path).read_text(encoding="utf-8")


def test_all_that_help_says_is_in_the_reference():
    text = REFERENCE.read_text(encoding="utf-8").replace("\\", "")
    for command in PROGRAM.commands:
        shown = " ".join(run_gelu(command.name, "--help").out.split())
        assert f"## `gelu {command.name}`" in text
        for part in (command.summary, *command.description, *command.examples):
            assert part in text
            assert " ".join(part.split()) in shown
        for option in command.options:
            assert f"`{option.term}`" in text
            assert option.help in text


QUICK = ["--form", "relu", "--range", "1:2"]
WORDS = {
    "table": ["1"],
    "error": ["1"],
    "error --format": [*QUICK, "1", "--target", "softplus"],
    "error --view": [*QUICK, "1", "--target", "softplus"],
    "locate --format": ["--form", "relu"],
    "variance --format": ["--form", "relu"],
    "plot": ["--range", "1:2"],
    "sweep": ["--routine", "erfc", "--dtype", "float8_e5m2", "--range", "1:1"],
    "sweep --dtype": ["--routine", "erfc", "--range", "1:1"],
    "compare": ["erfc", "erfc", "--dtype", "float8_e5m2", "--range", "1:1"],
    "compare --dtype": ["erfc", "erfc", "--range", "1:1"],
    "compare --backend": ["kernel.py:f", "erfc", "--dtype", "bfloat16"],
    "fit": ["tanh", "--free", "c,c"],
    "check": ["kernel.bin", "--all", "--dtype", "float8_e5m2"],
    "check --dtype": ["kernel.bin", "--all"],
    "plot --target": ["--error", "relative", *QUICK],
    "plot --format": ["-o", "picture"],
    "sweep --backend": ["--impl", "kernel.py:f", "--dtype", "bfloat16"],
    "identify --backend": ["--impl", "kernel.py:f", "--dtype", "float8_e5m2"],
}


OF_SOME_FORMS = {"--free"}
"""Options whose choices are not all known to any one form."""


def cases():
    """Yield command, option and choices; choices that one command has tried come as two."""
    tried = set()
    for command in PROGRAM.commands:
        for option in command.options:
            names = tuple(name for name, _ in option.choices)
            if names and option.names[-1] not in OF_SOME_FORMS:
                yield (
                    command.name,
                    option.names[-1],
                    names if names not in tried else names[::-2][:2],
                )
            tried.add(names)


def test_every_choice_is_known_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernel.bin").write_bytes(bytes(256))
    (tmp_path / "kernel.py").write_text("def f(x): return x")
    refused = []
    for name, option, choices in cases():
        words = [name, *WORDS.get(f"{name} {option}", WORDS.get(name, [])), option]
        for choice in choices:
            said = run_gelu(*words, choice).err
            if "unknown" in said or f"{option} {choice}:" in said:
                refused.append((*words, choice))
        assert_refused(run_gelu(*words, "nosuch"), "nosuch")
    assert not refused


def test_choices_are_told_apart_and_described():
    for choices in CHOICES.values():
        names = [name for name, _ in choices()]
        assert len(set(names)) == len(names)
        assert all(text and "\n" not in text for _, text in choices())


def test_the_page_has_every_command_and_option():
    text = PAGE.read_text(encoding="utf-8").replace("\\-", "-")
    for command in PROGRAM.commands:
        assert f".SS {command.usage}\n" in text
        assert all(f".B {option.term}\n" in text for option in command.options)
        assert all(f"    {example}\n" in text for example in command.examples)


@pytest.mark.parametrize(("path", "shown"), [(PAGE, ".B {}\n{}\n"), (REFERENCE, "| `{}` | {} |\n")])
def test_every_choice_is_explained(path, shown):
    text = path.read_text(encoding="utf-8").replace("\\-", "-").replace("\\", "")
    for choices in CHOICES.values():
        assert all(shown.format(*choice) in text for choice in choices())


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
def test_mandoc_finds_nothing_wrong_with_the_page():
    command = ["mandoc", "-T", "lint", "-W", "warning", PAGE]
    done = subprocess.run(command, capture_output=True, check=False)
    complaints = done.stdout.decode().splitlines()
    assert [line for line in complaints if "missing date" not in line] == []


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
@pytest.mark.parametrize("width", [40, 80])
def test_the_page_is_set_without_a_warning(width):
    command = ["groff", "-man", "-Tutf8", "-Kutf8", "-ww", f"-rLL={width}n", PAGE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    text = re.sub(r"\x1b\[[\d;]*m", "", done.stdout)
    assert f"{PROGRAM.name} {PROGRAM.version}" in text
