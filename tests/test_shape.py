"""The shape of the package: which room may import which, how large each may be, its English."""

import ast
import re
from collections import Counter
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import gelu_cli
from tests.pages import PAGES, ROOT

PACKAGE = Path(gelu_cli.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

CORE = {"numbers", "formulas"}
BELOW_API = {"accuracy", "kernels", "fitting", "identification", "network", "calculus", "making"}
MAY_IMPORT = {
    "root": {"cli", "api", "output", "kernels"},
    "cli": {"api", "inputs", "output", "kernels", *CORE},
    "api": {"inputs", "output", *BELOW_API, *CORE},
    "inputs": CORE,
    "output": {"inputs"},
    "fitting": {"calculus", *CORE},
    "identification": {"calculus", "kernels", *CORE},
    "network": {"calculus", "kernels", *CORE},
    "accuracy": {"kernels", *CORE},
    "kernels": CORE,
    "making": CORE,
    "calculus": CORE,
    "numbers": {"formulas"},
    "formulas": set(),
}
"""Imports run one way; every room may import the root: the errors and the version."""

KNOWN_TO = {
    "typer": {"cli"},
    "rich": {"output"},
    "matplotlib": {"output"},
    "flint": {*CORE, "calculus", "fitting", "identification", "network", "accuracy"},
    "click": set(),
}
"""Libraries that are known to some rooms alone."""

LINES = {
    "root": 223,
    "cli": 910,
    "inputs": 728,
    "output": 764,
    "api": 3442,
    "formulas": 801,
    "numbers": 1380,
    "calculus": 1132,
    "fitting": 590,
    "identification": 504,
    "network": 514,
    "accuracy": 2477,
    "kernels": 1133,
    "making": 1442,
}
"""Most lines without docstrings, after ruff format. They may shrink."""

FILES_AT_MOST, TEST_LINES, WORDS = 120, 12900, 24000
"""Files of the package; lines of the tests without docstrings; words of README, CONTRIBUTING and
docs/. A capability that needs more says why where it raises them."""

CALLS = {
    "gelu": "gelu(1.0)",
    "gelu_gradient": "gelu_gradient(1.0)",
    "table": "table([1])",
    "error": "error('tanh', range='0:1')",
    "locate": "locate()",
    "variance": "variance('relu')",
    "forms": "forms('tanh')",
    "plot": "plot('exact', range='0:1')",
    "fit": "fit('sigmoid')",
    "block": "block('tanh')",
    "identify": "identify({2: '1.9546'})",
    "sweep": "sweep('erfc', dtype='float8_e5m2')",
    "compare": "compare('erfc', 'erf_sum', dtype='float8_e5m2')",
    "check": "check({2: '1.9545'})",
    "make": "make(dtype='float8_e5m2')",
    "load": "load(path)",
    "model": "callable(model)",
    "swapped": "callable(swapped)",
}
"""A call of each public function; torch, which some take, is not everywhere."""

UNWANTED = re.compile(
    r"Return (what|which|where|whether)\b|what is due|from above|so many|leave it out|settled"
    r"|\bdear\b|guest|surroundings|at limits|\bis no\b",
    re.IGNORECASE,
)
"""Words and phrases that english.md drops."""

ASKING = re.compile(r"(What|Which|Where|Whether|How)\b")
"""Summaries that begin so do not name the thing."""


@cache
def tree(path: Path) -> ast.Module:
    """Parse a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def room(path: Path) -> str:
    """Name the folder below the package; "root" has the files beside them."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else "root"


def imports(node: ast.AST):
    """Yield the modules that a file imports, anywhere but for type checkers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module:
            yield child.module
        yield from imports(child)


def documented(path: Path):
    """Yield what in a file may have a docstring: the module, classes, functions."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    yield from (node for node in ast.walk(tree(path)) if isinstance(node, kinds))


def weight(path: Path) -> int:
    """Count the lines of a file without its docstrings."""
    strings = (node.body[0] for node in documented(path) if ast.get_docstring(node, clean=False))
    spared = sum(each.end_lineno - each.lineno + 1 for each in strings)
    return len(path.read_text(encoding="utf-8").splitlines()) - spared


def test_imports_run_one_way():
    wrong = []
    for path in FILES:
        here = room(path)
        for module in imports(tree(path)):
            first, _, rest = module.partition(".")
            there = rest.partition(".")[0]
            if first == "gelu_cli" and there in MAY_IMPORT and there != here:
                wrong += [(path.name, module)] * (there not in MAY_IMPORT[here])
            elif first in KNOWN_TO:
                wrong += [(path.name, module)] * (here not in KNOWN_TO[first])
    assert wrong == []


def test_file_names_are_unique_but_for_commands_and_their_functions():
    names = Counter(path.name for path in FILES if path.name != "__init__.py")
    commands = {path.name for path in FILES if path.parent.name == "commands"}
    twice = {name for name, count in names.items() if count > 1}
    assert twice <= commands
    assert all(names[name] == 2 for name in twice)


def test_every_public_function_is_one_after_all_rooms_are_imported(tmp_path):
    """A module named like a function would take its place in the package."""
    for path in FILES:
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        is_missing = "\nimport torch\n" in path.read_text("utf-8") and not find_spec("torch")
        if parts[-1] != "__main__" and not is_missing:
            import_module(".".join(parts).removesuffix(".__init__"))
    assert list(imports(tree(PACKAGE / "api" / "__init__.py"))) == []
    assert {*CALLS} == {*gelu_cli.__all__}
    path = tmp_path / "record.json"
    gelu_cli.sweep("erfc", dtype="float8_e5m2").save(path)
    names = {name: getattr(gelu_cli, name) for name in gelu_cli.__all__} | {"path": path}
    for call in CALLS.values():
        assert eval(call, names) is not None, call


def test_files_and_functions_are_short():
    files = {path.name: weight(path) for path in FILES}
    assert {name: lines for name, lines in files.items() if lines > 400} == {}
    long = [
        (path.name, node.name)
        for path in FILES
        for node in documented(path)
        if isinstance(node, ast.FunctionDef) and path.parent.name != "commands"
        if node.end_lineno - node.body[-1 if len(node.body) == 1 else 1].lineno >= 60
    ]
    assert long == []


def test_rooms_keep_their_weight():
    total = Counter[str]()
    for path in FILES:
        total[room(path)] += weight(path)
    assert {name: lines for name, lines in total.items() if lines > LINES[name]} == {}


def test_tests_docs_and_files_keep_their_weight():
    words = {page: len(page.read_text(encoding="utf-8").split()) for page in PAGES}
    assert sum(words.values()) <= WORDS
    assert words[ROOT / "README.md"] <= 800
    assert words[ROOT / "CONTRIBUTING.md"] <= 1200
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
    assert sum(map(weight, (ROOT / "tests").rglob("*.py"))) <= TEST_LINES
    assert len(FILES) <= FILES_AT_MOST


def test_summaries_are_short_and_in_the_words_of_the_field():
    wrong = []
    for path in FILES:
        for node in documented(path):
            summary, *_ = (ast.get_docstring(node) or ".").splitlines()
            if len(summary) > 72 or not summary.endswith((".", ":")):
                wrong.append((path.name, summary))
            elif found := ASKING.match(summary) or UNWANTED.search(summary):
                wrong.append((path.name, found[0]))
    assert wrong == []
