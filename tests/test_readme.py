"""The README is what the program prints: its commands are run and compared, its Python too."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from gelu_cli.commands import _output
from tests.commands.runner import run_gelu

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n\$ gelu ([^\n]*)\n(.*?)```", TEXT, re.S)


@pytest.mark.parametrize(("line", "printed"), BLOCKS, ids=[line for line, _ in BLOCKS])
def test_a_command_of_the_readme_prints_what_stands_there(line, printed, monkeypatch):
    words = shlex.split(line)
    if words[-2:] == ["|", "cat"]:
        words = words[:-2]
    else:
        monkeypatch.setattr(_output, "_on_terminal", lambda stream=None: True)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(README.parent)
    answer = run_gelu(*words)
    assert answer.code == (1 if "  wrong\n" in printed else 0)
    assert answer.out + answer.err == printed


def test_every_command_has_an_example():
    commands = {path.stem for path in Path(_output.__file__).parent.glob("[a-z]*.py")} - {"app"}
    assert {line.split()[0] for line, _ in BLOCKS} == commands


def test_the_python_of_the_readme_runs():
    examples = doctest.DocTestParser().get_doctest(TEXT, {}, "README.md", str(README), 0)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#:]+)\)", TEXT))
def test_a_link_leads_somewhere(link):
    assert (README.parent / link).exists()
