"""Every promise of docs/guarantees.md names the tests that hold it, and these are there."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/guarantees.md").read_text(encoding="utf-8")
PROMISES = re.findall(r"^- (.*?)(?=^- |^#|\Z)", PAGE, flags=re.MULTILINE | re.DOTALL)
HELD = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def functions(path):
    """Return the names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_promise_names_tests_that_are_there():
    assert len(PROMISES) > 20
    for promise in PROMISES:
        held = HELD.findall(promise)
        assert held, promise
        for path, name in held:
            assert (ROOT / path).is_file(), path
            assert not name or name in functions(path), f"{path}::{name}"
