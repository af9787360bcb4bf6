"""What a line loads and calls: nothing that it does not need, and little above the numbers."""

import subprocess
import sys

import pytest

SLOW = {"flint", "matplotlib", "ml_dtypes", "mpmath", "numpy", "orjson", "pandas", "scipy", "torch"}
"""Packages that take 10 ms to 2 s to import."""

RUN = """
import sys
from gelu_cli.__main__ import main

called = set()
def note(frame, event, arg):
    code = frame.f_code
    is_function = code.co_flags & 2 and not code.co_name.startswith("<")
    if event == "call" and is_function and "gelu_cli" in code.co_filename:
        called.add((code.co_filename, code.co_name, code.co_firstlineno))

sys.argv = ["gelu", *sys.argv[1:]]
sys.setprofile(note)
try:
    main()
except SystemExit:
    pass
sys.setprofile(None)
numeric = ("/formulas/", "/numbers/")
above = [each for each in called if not any(room in each[0] for room in numeric)]
print(*sys.modules, file=sys.stderr)
print(len({file for file, *_ in above}), len(above), file=sys.stderr)
"""


def run(line: str) -> tuple[set[str], int, int]:
    """Run a line in a process; return modules loaded, files and functions passed in upper rooms."""
    words = [sys.executable, "-c", RUN, *line.split()]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    *_, modules, counts = done.stderr.splitlines()
    files, functions = map(int, counts.split())
    return {*modules.split()}, files, functions


MODULES = {"--help": 35, "sweep --help": 21, "table 1 -f docx": 25, "fit tanh --digits x": 25}
"""Lines that need no numbers, and the most modules of the package that each may load."""


def own(modules):
    return [name for name in modules if name.startswith("gelu_cli")]


@pytest.mark.parametrize("line", MODULES)
def test_help_and_refused_options_load_no_numbers(line):
    modules, *_ = run(line)
    assert modules & SLOW == set()
    assert len(own(modules)) <= MODULES[line]


def test_a_value_loads_its_command_alone_and_takes_a_short_way():
    modules, files, functions = run("table 1 -f csv")
    assert modules & SLOW <= {"flint", "mpmath", "numpy"}
    assert len(own(modules)) <= 41
    rooms = ("gelu_cli.api.", "gelu_cli.cli.commands.")
    assert {name for name in modules if name.startswith(rooms)} == {
        "gelu_cli.api.results",
        "gelu_cli.api.table",
        "gelu_cli.cli.commands.table",
    }
    assert files <= 18
    assert functions <= 75
