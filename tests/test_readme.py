"""README and docs are what the program prints: their commands are run and compared."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from gelu_cli.commands import _output
from tests.commands.runner import run_gelu

README = Path(__file__).parents[1] / "README.md"
MEASURING = README.parent / "docs" / "measuring.md"
TEXT, MEASURING_TEXT = (page.read_text(encoding="utf-8") for page in (README, MEASURING))
CONSOLE = re.compile(r"```console\n\$ gelu ([^\n]*)\n(.*?)```", re.S)
BLOCKS = CONSOLE.findall(TEXT)
ALL_BLOCKS = BLOCKS + CONSOLE.findall(MEASURING_TEXT)
LIBRARIES = {"torch": r"PyTorch ([\w.+]+):", "jax": r"JAX ([\d.]+) "}


def skip_without_the_library_that_the_page_names(line):
    for name, stated in LIBRARIES.items():
        if f"--impl {name}." in line:
            wanted = re.search(stated, MEASURING_TEXT)[1]
            library = pytest.importorskip(name, reason=f"the page shows what {name} prints")
            if library.__version__ != wanted:
                pytest.skip(f"the page is about {name} {wanted}, not {library.__version__}")


@pytest.mark.parametrize(("line", "printed"), ALL_BLOCKS, ids=[line for line, _ in ALL_BLOCKS])
def test_a_command_on_a_page_prints_what_stands_there(line, printed, monkeypatch):
    skip_without_the_library_that_the_page_names(line)
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
