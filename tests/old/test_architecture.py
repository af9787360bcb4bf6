"""The walls of the house: which room imports which, what is where, and who may print."""

import ast
from pathlib import Path

import pytest

import gelu_cli
from gelu_cli.old import answers
from gelu_cli.old.cli import commands
from gelu_cli.old.registry import module_names

ROOT = Path(gelu_cli.__file__).parent
FOUNDATION = {"environment", "errors", "parallel", "registry", "stages", "synonyms"}
LOWER = FOUNDATION | {"arithmetic", "formulas", "values"}
SCIENCE = LOWER | {"budgets", "calculus", "comparison", "fitting", "guests", "sweeping"}
MAY_IMPORT = {
    "environment": {"errors"},
    "errors": {"synonyms"},
    "parallel": {"environment"},
    "registry": set(),
    "stages": set(),
    "synonyms": set(),
    "arithmetic": FOUNDATION,
    "formulas": FOUNDATION | {"arithmetic"},
    "values": FOUNDATION | {"arithmetic", "formulas"},
    "calculus": LOWER,
    "guests": FOUNDATION | {"arithmetic"},
    "fitting": LOWER | {"calculus"},
    "sweeping": LOWER | {"guests"},
    "comparison": LOWER | {"guests", "sweeping"},
    "budgets": LOWER | {"sweeping"},
    "network": LOWER | {"calculus"},
    "code": {"arithmetic", "errors", "formulas"},
    "identification": LOWER | {"sweeping"},
    "report": FOUNDATION,
    "answers": SCIENCE | {"network", "code", "identification", "report"},
    "api": SCIENCE | {"answers", "network", "identification", "reading", "report"},
    "pytest_plugin": {"api", "budgets", "errors", "guests"},
    "reading": SCIENCE | {"answers", "network", "identification"},
    "writing": SCIENCE | {"answers", "report"},
    "cli": SCIENCE | {"answers", "network", "identification", "reading", "report", "writing"},
    "__init__": {"api", "budgets", "environment"},
    "__main__": {"cli", "writing"},
}
"""Imports run one way: cli → reading → answers → fitting, comparison → calculus, sweeping → …"""
CLI_MAY_IMPORT = {
    "app": {"argv", "command", "commands", "manual", "parameters"},
    "argv": set(),
    "command": {"argv", "manual", "parameters"},
    "parameters": {"argv", "choices", "words"},
    "choices": {"app", "manual"},
    "options": {"choices", "parameters", "words"},
    "kernels": {"options", "parameters", "words"},
    "glu": {"options", "parameters", "words"},
    "commands": {
        "app", "choices", "glu", "kernels", "manual", "options", "parameters", "words",
    },
    "manual": {"app", "choices", "parameters"},
    "words": set(),
}  # fmt: skip
"""The rooms of the command line, likewise."""
SEE_REPORTS = {"answers", "api", "report", "writing", "cli/choices"}
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
    return room(path) not in {"cli", "reading", "writing", "__main__"}


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
            found = rooms_of(names, "gelu_cli.old.cli") & set(CLI_MAY_IMPORT)
            assert found <= CLI_MAY_IMPORT[cli_room(path)] | {cli_room(path)}, path


def test_reports_are_made_by_answers_and_written_by_the_output(imports):
    for path, names in imports.items():
        assert "report" not in rooms_of(names) or place(path) in SEE_REPORTS, path


def test_click_is_known_to_the_command_line_alone(imports):
    for path, names in imports.items():
        tops = {name.partition(".")[0] for name in names}
        assert room(path) == "cli" or not tops & {"typer", "click"}, path


def test_every_command_has_an_answer_of_its_name():
    """All but `completion` and `help`, which tell of the program; several share `words`."""
    assert {*module_names(commands.__path__), "words"} == {
        *module_names(answers.__path__),
        "completion",
        "help",
    }


def test_a_command_loads_nothing_dear_before_it_runs(trees):
    outer = {"cli", "reading", "writing", "__main__"}
    for path in (path for path in trees if room(path) in outer):
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


def at_module_level(body):
    """Yield the imports of a module that run, or are read by type checkers, when it is loaded."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in ("body", "orelse", "handlers", "finalbody"):
                yield from at_module_level(getattr(node, part, []))


def in_circles(trees, house="gelu_cli"):
    """Return the files that are imported, over others or not, by what they import themselves."""
    modules = {}
    for path, tree in trees.items():
        parts = [house, *path.with_suffix("").parts]
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path, tree
    known = {}
    for module, (_, tree) in modules.items():
        names = {*imported(ast.Module([*at_module_level(tree.body)], []))}
        found = {name if name in modules else name.rpartition(".")[0] for name in names}
        known[module] = (found & modules.keys()) - {module}

    def reached(start):
        seen, left = set(), [*known[start]]
        while left:
            if (module := left.pop()) not in seen:
                seen.add(module)
                left += known[module]
        return seen

    return {path for module, (path, _) in modules.items() if module in reached(module)}


def test_no_files_import_each_other_in_a_circle(trees):
    """Not even for types; imports inside functions, which are late, are not counted."""
    assert not {path for path in in_circles(trees) if room(path) != "cli"}


CALM = {
    "a/__init__.py": "",
    "a/one.py": "from gelu_cli.a.two import Two",
    "a/two.py": "def f():\n    from gelu_cli.a import one",
    "b.py": "import gelu_cli.a.one",
}


@pytest.mark.parametrize(
    ("path", "source", "found"),
    [
        ("b.py", "", set()),
        ("a/two.py", "from gelu_cli.a import one", {"a/one.py", "a/two.py"}),
        ("a/two.py", "if TYPE_CHECKING:\n    import gelu_cli.a.one", {"a/one.py", "a/two.py"}),
        ("a/two.py", "class C:\n    from gelu_cli.b import x", {"a/one.py", "a/two.py", "b.py"}),
        ("a/__init__.py", "from gelu_cli.a.one import x", set()),
        ("a/two.py", "from gelu_cli.a import x", set()),
    ],
)
def test_a_circle_is_seen(path, source, found):
    files = CALM | {path: source}
    trees = {Path(name): ast.parse(text) for name, text in files.items()}
    assert {each.as_posix() for each in in_circles(trees)} == found
