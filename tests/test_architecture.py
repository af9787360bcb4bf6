"""The walls of the house: which room imports which, what is where, and who may print."""

import ast
from pathlib import Path

import pytest

import gelu_cli
from gelu_cli import answers
from gelu_cli.cli import commands
from gelu_cli.registry import module_names

ROOT = Path(gelu_cli.__file__).parent
FOUNDATION = {"environment", "errors", "parallel", "registry", "stages"}
LOWER = FOUNDATION | {"arithmetic", "forms", "values"}
SCIENCE = LOWER | {"budgets", "calculus", "comparison", "fitting", "guests", "sweeping"}
MAY_IMPORT = {
    "environment": {"errors"},
    "errors": set(),
    "parallel": {"environment"},
    "registry": set(),
    "stages": set(),
    "arithmetic": FOUNDATION,
    "forms": FOUNDATION | {"arithmetic"},
    "values": FOUNDATION | {"arithmetic", "forms"},
    "calculus": LOWER,
    "guests": FOUNDATION | {"arithmetic"},
    "fitting": LOWER | {"calculus"},
    "sweeping": LOWER | {"budgets", "guests"},
    "comparison": LOWER | {"guests", "sweeping"},
    "budgets": LOWER | {"sweeping"},
    "block": LOWER | {"calculus"},
    "code": {"arithmetic", "errors", "forms"},
    "identification": LOWER | {"sweeping"},
    "report": FOUNDATION,
    "answers": SCIENCE | {"block", "code", "identification", "report"},
    "api": SCIENCE | {"block", "identification"},
    "pytest_plugin": {"api", "errors", "guests", "sweeping"},
    "cli": SCIENCE | {"answers", "block", "identification", "report"},
    "__init__": {"api", "environment"},
    "__main__": {"cli"},
}
"""Imports run one way: cli → answers → fitting, comparison → calculus, sweeping → values → …"""
CLI_MAY_IMPORT = {
    "app": {"parser", "output"},
    "parser": {"commands", "entries", "input", "line", "manual", "output", "sections"},
    "line": {"entries"},
    "sections": set(),
    "commands": {
        "app", "choices", "entries", "given", "input", "judged", "judging", "kernels", "leaving",
        "manual", "options", "output", "pairs", "sections", "selection",
    },
    "kernels": {"choices", "entries", "given", "input", "options", "sections"},
    "pairs": {"entries", "input", "kernels", "sections"},
    "selection": {"entries", "input", "options", "sections"},
    "options": {"choices", "entries", "given", "input", "judging", "sections"},
    "leaving": {"choices", "entries", "given", "input", "output", "sections"},
    "entries": {"sections"},
    "choices": {"manual"},
    "given": set(),
    "input": set(),
    "judged": {"entries", "input", "sections"},
    "judging": set(),
    "output": {"judging"},
    "manual": {"choices", "sections"},
}  # fmt: skip
"""The rooms of the command line, likewise."""
SEE_REPORTS = {"answers", "report", "cli/output", "cli/choices"}
DEAR = {"numpy", "scipy", "mpmath", "rich", "orjson", "tomlkit", "matplotlib"}


def room(path):
    return path.parts[0].removesuffix(".py")


def cli_room(path):
    return path.parts[1].removesuffix(".py")


def place(path):
    return f"cli/{cli_room(path)}" if room(path) == "cli" else room(path)


def imported(tree):
    """Yield the dotted names that a syntax tree imports, wherever it does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.fixture(scope="module")
def trees():
    """The syntax of every file, by its path."""
    return {
        path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(ROOT.rglob("*.py"))
    }


@pytest.fixture(scope="module")
def imports(trees):
    """What each file imports."""
    return {path: set(imported(tree)) for path, tree in trees.items()}


def calls(tree):
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def is_science(path):
    return room(path) not in {"cli", "__main__"}


def rooms_of(names, house="gelu_cli"):
    """The rooms of a house among imported names."""
    inside = (name.removeprefix(f"{house}.") for name in names if name.startswith(f"{house}."))
    return {name.partition(".")[0] for name in inside}


def test_a_file_imports_only_what_lies_below_it(imports):
    for path, names in imports.items():
        assert rooms_of(names) & set(MAY_IMPORT) <= MAY_IMPORT[room(path)] | {room(path)}, path


def test_every_room_has_its_rule(imports):
    assert {room(path) for path in imports} == set(MAY_IMPORT)
    inside = {cli_room(path) for path in imports if room(path) == "cli"} - {"__init__"}
    assert inside == set(CLI_MAY_IMPORT)


def test_the_rooms_of_the_command_line_have_an_order_too(imports):
    for path, names in imports.items():
        if room(path) == "cli" and cli_room(path) != "__init__":
            found = rooms_of(names, "gelu_cli.cli") & set(CLI_MAY_IMPORT)
            assert found <= CLI_MAY_IMPORT[cli_room(path)] | {cli_room(path)}, path


def test_reports_are_made_by_answers_and_written_by_the_output(imports):
    for path, names in imports.items():
        assert "report" not in rooms_of(names) or place(path) in SEE_REPORTS, path


def test_typer_is_known_to_the_command_line_alone(imports):
    for path, names in imports.items():
        tops = {name.partition(".")[0] for name in names}
        assert room(path) == "cli" or not tops & {"typer", "click"}, path


def test_every_command_has_an_answer_of_its_name():
    """All but `completion`, which tells of the program itself, as the manual does."""
    assert {*module_names(commands.__path__)} == {
        *module_names(answers.__path__),
        "completion",
        "help",
    }


def test_a_command_loads_nothing_dear_before_it_runs(trees):
    for path in (path for path in trees if room(path) in {"cli", "__main__"}):
        at_once = [
            node for node in trees[path].body if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        tops = {name.partition(".")[0] for name in imported(ast.Module(at_once, []))}
        assert not tops & DEAR, path


def test_nothing_below_the_command_line_prints_or_reads(trees):
    for path in filter(is_science, trees):
        named = {ast.unparse(call.func) for call in calls(trees[path])}
        assert not named & {"print", "open", "input"}, path


MAY_READ = {
    "environment/host.py": "which machine this is",
    "report/documents/html.py": "the style of its pages",
    "guests/libraries.py": "whether a library of the user's is one",
    "guests/programs.py": "whether a program of the user's is a script",
    "budgets/__init__.py": "a budget: the command line, Python and pytest read it alike",
}
"""Files below the command line that open files, and what for."""


def test_files_are_read_by_the_command_line_and_where_all_callers_need_them(trees):
    found = {
        path.as_posix()
        for path in filter(is_science, trees)
        for call in calls(trees[path])
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in {"open", "read_text", "read_bytes"}
        and ast.unparse(call.func.value) != "os"  # descriptors, of which there is no other way
    }
    assert found == set(MAY_READ)


def test_nothing_is_held_by_an_assertion(trees):
    """Python -O leaves them out."""
    for path, tree in trees.items():
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.Assert)], path


def test_no_list_is_taken_from_its_front(trees):
    """All that is behind moves each time: for n items n steps of n."""
    pops = [
        call
        for tree in trees.values()
        for call in calls(tree)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "pop"
    ]
    taken = [text for text in map(ast.unparse, pops) if text.endswith(".pop(0)")]
    assert set(taken) <= {"sys.path.pop(0)"}
