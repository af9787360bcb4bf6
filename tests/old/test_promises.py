"""docs/guarantees.md and proofs.md: promises have tests, and lists are whole."""

import ast
import re
from pathlib import Path

import gelu_cli
from gelu_cli.old.sweeping.records import SCHEMA

ROOT = Path(__file__).parents[2]
GUARANTEES, PROOFS, RECORD = (
    (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    for page in ("guarantees", "proofs", "record")
)
PROMISES, _, STABILITY = GUARANTEES.partition("## What stays")
HELD = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
ROWS = dict(re.findall(r"^\| ([\w ]+) \| (.*) \|$", STABILITY, re.M))


def functions(path):
    """Return the names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_promise_names_tests_that_are_there():
    promises = re.findall(r"^- (.*?)(?=^- |^#|\Z)", PROMISES, flags=re.MULTILINE | re.DOTALL)
    assert len(promises) > 20
    assert [promise for promise in promises if not HELD.search(promise)] == []
    for path, name in HELD.findall(GUARANTEES):
        assert (ROOT / path).is_file(), path
        assert not name or name in functions(path), f"{path}::{name}"


def words(what):
    return set(re.findall(r"`([\w-]+)`", ROWS[what]))


def test_the_names_of_python_are_those_of_the_package():
    assert words("Python") - {"gelu_cli"} == set(gelu_cli.__all__) - {"__version__"}


def test_a_variable_that_is_read_is_listed():
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "gelu_cli").rglob("*.py"))
    read = re.findall(r"""(?:environ(?:\.get\(|\[)|Appendix\()"(\w+)\"""", code)
    assert len(read) > 4
    assert set(read) <= words("environment variables")


def test_the_schema_of_records_is_described():
    assert f"the version of what this page says: {SCHEMA} |" in RECORD
