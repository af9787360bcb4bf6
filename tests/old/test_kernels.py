"""The kernels of docs/kernels are built and judged by the commands at their top."""

import ast
import re
import shlex
import shutil
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.old.cli.runner import gelu

KERNELS = Path(__file__).parents[2] / "docs" / "kernels"
MISTAKES = {"gelu_mistakes.py", "test_mistakes.py"}
"""Wrong kernels, which docs/criteria.md and docs/budgets.md judge."""
FILES = sorted(
    path.name for path in KERNELS.iterdir() if path.is_file() and path.name not in MISTAKES
)
COMMAND = re.compile(
    r"(?:^[ */!]*|`)((?:cc|nvcc|rustc|\./\w+|gelu (?:sweep|check)) [^`\n]*)(?:`|$)", re.M
)
ONE_FORMULA = ("gelu_library.c", "gelu_pipe.c", "gelu_pipe.rs")
SAMPLES = "5000"


def commands_of(name):
    """The command lines in a file, `\\` at the end of a line joining it to the next."""
    return COMMAND.findall((KERNELS / name).read_text(encoding="utf-8").replace("\\\n", ""))


def skip_without_what_it_needs(name):
    """Skip where a compiler, a library or a GPU is not here."""
    firsts = {line.split()[0] for line in commands_of(name)} - {"gelu"}
    for tool in sorted(first for first in firsts if not first.startswith("./")):
        if not shutil.which(tool):
            pytest.skip(f"there is no {tool} for {name}")
    for module in modules_of(name) if name.endswith(".py") else ():
        if not find_spec(module):
            pytest.skip(f"{module} is not installed, which {name} needs")


def modules_of(name):
    """The modules that a file of Python imports."""
    for node in ast.walk(ast.parse((KERNELS / name).read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        yield from (each.partition(".")[0] for each in names)


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """A function from the name of a file to its commands, as words, each with its report's row."""
    folder = tmp_path_factory.mktemp("kernels")
    for name in FILES:
        shutil.copy(KERNELS / name, folder)

    @cache
    def of(name):
        skip_without_what_it_needs(name)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            for line in commands_of(name):
                if not line.startswith("gelu "):
                    subprocess.run(line, shell=True, check=True, capture_output=True)
            lines = [line for line in commands_of(name) if line.startswith("gelu ")]
            if name.endswith(".cu") or any("cuda" in line for line in lines):
                found = subprocess.run("nvidia-smi", shell=True, capture_output=True, check=False)
                if found.returncode:
                    pytest.skip(f"there is no GPU to run {name} on")
            return [(words, row_of(words)) for words in map(shlex.split, lines)]

    return of


def row_of(words):
    """The only row of the summary of a report that must succeed; float32 is sampled sparsely."""
    fewer = ["--samples", SAMPLES] if words[1] == "sweep" and "--dtype" not in words else []
    (row,) = gelu(*words[1:], *fewer, "--view", "summary", "--format", "csv", "--quiet").rows
    return row


def test_every_kernel_says_how_it_is_judged():
    for name in FILES:
        assert any(line.startswith("gelu ") for line in commands_of(name)), name


@pytest.mark.parametrize("name", FILES)
def test_a_kernel_is_judged_by_the_commands_at_its_top(name, reports):
    for words, row in reports(name):
        assert "--range" in words or int(row["inputs"]) >= int(SAMPLES), words
        assert row["wrong_nan"] == "0", words
        assert 2 * int(row["misrounded"]) < int(row["inputs"]), words


def test_one_formula_has_one_report_from_c_from_a_pipe_and_from_rust(reports):
    found = {
        row["routine"]: {name: cell for name, cell in row.items() if name != "routine"}
        for name in ONE_FORMULA
        for words, row in reports(name)
        if "bfloat16" in words and "--result" not in words
    }
    assert len(found) == 4  # an array function, a scalar one, and programs in C and in Rust
    (row,) = {tuple(row.items()) for row in found.values()}
    # e^(−2u) overflows where the result is subnormal or nearly so.
    assert dict(row)["over_1_ulp"] == "4"
    assert dict(row)["max_ulp_x"] == "-10.0625"
