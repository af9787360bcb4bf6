"""A copy of the package to which a test adds what a contributor would, and then runs it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import gelu_cli
from tests.old.cli.runner import Answer

ROOT = Path(__file__).parents[2]


def copy_of_the_house(folder):
    """Return a folder in which `gelu_cli` is a copy of the package."""
    copy = folder / "house"
    here = Path(gelu_cli.__file__).parent
    shutil.copytree(here, copy / "gelu_cli", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "docs", copy / "docs")
    return copy


def insert(path, after, text):
    """Insert text into a file after a line that it holds once."""
    before, line, rest = path.read_text(encoding="utf-8").partition(after + "\n")
    assert line, f"{path.name} has no line {after!r}"
    assert after + "\n" not in rest
    path.write_text(f"{before}{line}{text}\n{rest}", encoding="utf-8")


def environment(copy):
    """Return an environment in which the copy is the one that Python imports."""
    return {**os.environ, "PYTHONPATH": str(copy), "PYTHONIOENCODING": "utf-8"}


SCRIPT = """
import json, sys
from tests.old.cli.runner import run_gelu
print(json.dumps([run_gelu(*line) for line in json.loads(sys.argv[1])]))
"""


def answers(copy, lines):
    """Return the answer of the copy's `gelu` to each line, all of them from one process."""
    path = os.pathsep.join([str(copy), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(lines)], cwd=copy, encoding="utf-8",
        env=environment(copy) | {"PYTHONPATH": path}, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [Answer(*each) for each in json.loads(done.stdout)]
