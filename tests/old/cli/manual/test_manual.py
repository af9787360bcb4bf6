"""The manual and the scripts are what the program says, and say all of it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gelu_cli.old.cli.choices import NAMES, choices_of
from gelu_cli.old.cli.manual.program import describe
from tests.old.cli.runner import assert_refused, run_gelu
from tools.make_manual import API, ROOT, texts
from tools.make_manual import FILES as MADE

PROGRAM = describe()
PAGE = ROOT / "docs" / "gelu.1"
REFERENCE = ROOT / "docs" / "reference.md"


@pytest.mark.parametrize("path", [*MADE, API])
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
    for path in [*MADE, API]:
        written = (tmp_path / Path(path).name).read_text(encoding="utf-8")
        assert written == (ROOT / path).read_text(encoding="utf-8")


def test_all_that_help_says_is_in_the_reference():
    text = REFERENCE.read_text(encoding="utf-8").replace("\\", "")
    for command in PROGRAM.commands:
        shown = " ".join(run_gelu(command.name, "--help-all").out.split())
        assert f"## `gelu {command.name}`" in text
        for part in (command.summary, *command.description, *command.examples):
            assert part in text
            assert " ".join(part.split()) in shown
        for option in command.options:
            assert f"`{option.term}`" in text
            assert option.meaning in text


QUICK = ["--form", "relu", "--range", "1:2"]
ONE = ["--dtype", "float8_e5m2", "--range", "1:1"]
NONE = "none.py:f"
"""It is missed only when the choices are known: no framework is loaded."""
WORDS = {
    "table": ["1"],
    "error": ["1"],
    "error --format": [*QUICK, "1", "--target", "softplus"],
    "error --view": [*QUICK, "1", "--target", "softplus"],
    "locate --format": ["--form", "relu"],
    "variance --format": ["--form", "relu"],
    "plot": ["--range", "1:2"],
    "plot --target": ["--error", "relative", *QUICK],
    "plot --format": ["-o", "picture"],
    "sweep": ["erfc", *ONE],
    "sweep --dtype": ["erfc", "--range", "1:1"],
    "sweep --backend": [NONE],
    "compare": ["erfc", "erfc", *ONE],
    "compare --dtype": ["erfc", "erfc", "--range", "1:1"],
    "compare --backend": [NONE, "erfc"],
    "identify --backend": [NONE],
    "fit": ["tanh", "--free", "c,c"],
    "check": ["results.csv", "--dtype", "float8_e5m2"],
    "check --dtype": ["results.csv"],
    "block": ["--form", "relu", "--target", "relu"],
    "block --form": ["--target", "relu"],
    "block --target": ["--form", "relu"],
}
FILES = {"results.csv": "x,relu\n1,1\n"}
OF_SOME_FORMS = {"--free"}
"""Options whose choices are not all known to any one form."""


def cases():
    """Yield command, option and choices; choices that one command has tried come as two."""
    tried = set()
    for command in PROGRAM.commands:
        for option in command.options:
            names = tuple(name for name, _ in option.offered())
            if names and option.names[-1] not in OF_SOME_FORMS:
                some = names if names not in tried else names[::-2][:2]
                yield command.name, option.names[-1], some
            tried.add(names)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "option", "choices"), [pytest.param(*each, id=" ".join(each[:2])) for each in cases()]
)
def test_every_choice_is_known_and_nothing_else(name, option, choices):
    words = [name, *WORDS.get(f"{name} {option}", WORDS.get(name, [])), option]
    said = {choice: run_gelu(*words, choice).err for choice in choices}
    refused = {c: e for c, e in said.items() if "unknown" in e or f"{option} {c}:" in e}
    assert not refused
    assert_refused(run_gelu(*words, "nosuch"), "nosuch")


def test_the_page_has_every_command_and_option():
    text = PAGE.read_text(encoding="utf-8").replace("\\-", "-")
    for command in PROGRAM.commands:
        assert f".SS {command.usage}\n" in text
        assert all(f".B {option.term}\n" in text for option in command.options)
        assert all(f"    {example}\n" in text for example in command.examples)


@pytest.mark.parametrize(("path", "shown"), [(PAGE, ".B {}\n{}\n"), (REFERENCE, "| `{}` | {} |\n")])
def test_choices_are_told_apart_and_explained(path, shown):
    text = path.read_text(encoding="utf-8").replace("\\-", "-").replace("\\", "")
    for choices in map(choices_of, NAMES):
        names = [name for name, _ in choices]
        assert len(set(names)) == len(names)
        for name, about in choices:
            assert about
            assert "\n" not in about
            assert shown.format(name, about) in text


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
    assert f"gelu {PROGRAM.version}" in text
