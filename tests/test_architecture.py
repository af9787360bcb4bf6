"""Imports run one way: cli → answers → calculus, kernels → values → forms → arithmetic."""

import ast
from pathlib import Path

import pytest

import gelu_cli

ROOT = Path(gelu_cli.__file__).parent
FILES = sorted(path.relative_to(ROOT) for path in ROOT.rglob("*.py"))
FOUNDATION = {"errors", "registry", "parallel"}
MAY_IMPORT = {
    "errors": set(),
    "registry": set(),
    "parallel": set(),
    "arithmetic": FOUNDATION,
    "forms": FOUNDATION | {"arithmetic"},
    "values": FOUNDATION | {"arithmetic", "forms"},
    "calculus": FOUNDATION | {"arithmetic", "forms", "values"},
    "kernels": FOUNDATION | {"arithmetic", "forms", "values"},
    "report": FOUNDATION,
    "answers": FOUNDATION | {"arithmetic", "forms", "values", "calculus", "kernels", "report"},
    "api": FOUNDATION | {"arithmetic", "forms", "values", "calculus", "kernels", "answers"},
    "cli": FOUNDATION
    | {"arithmetic", "forms", "values", "calculus", "kernels", "answers", "report"},
    "__init__": {"api"},
    "__main__": {"cli"},
}
DEAR = {"numpy", "scipy", "mpmath", "rich", "orjson", "plotille", "matplotlib"}


def room(path):
    return path.parts[0].removesuffix(".py")


def imported(tree):
    """Yield the dotted names that a syntax tree imports, wherever it does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def parsed(path):
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def rooms_of(names):
    """The parts of gelu_cli among imported names; __version__ and the like are no part."""
    parts = [name.split(".") for name in names]
    seconds = {part[1] for part in parts if part[0] == "gelu_cli" and len(part) > 1}
    return seconds & set(MAY_IMPORT)


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_file_imports_only_what_lies_below_it(path):
    allowed = MAY_IMPORT[room(path)] | {room(path)}
    assert rooms_of(imported(parsed(path))) <= allowed


@pytest.mark.parametrize("path", FILES, ids=str)
def test_typer_is_known_to_the_commands_alone(path):
    tops = {name.partition(".")[0] for name in imported(parsed(path))}
    assert room(path) == "cli" or not tops & {"typer", "click"}


@pytest.mark.parametrize("path", [p for p in FILES if room(p) in {"cli", "__main__"}], ids=str)
def test_a_command_loads_nothing_dear_before_it_runs(path):
    tree = parsed(path)
    tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert not {name.partition(".")[0] for name in imported(tree)} & DEAR


@pytest.mark.parametrize("path", [p for p in FILES if room(p) in {"answers", "report"}], ids=str)
def test_an_answer_is_returned_not_printed(path):
    calls = [node.func for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)]
    assert not {call.id for call in calls if isinstance(call, ast.Name)} & {"print", "open"}


def test_every_room_has_its_rule():
    assert {room(path) for path in FILES} == set(MAY_IMPORT)
