"""A copy of the package to which a test adds what a contributor would, and then runs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import gelu_cli


def copy_of_the_house(folder):
    """Return a folder in which `gelu_cli` is a copy of the package."""
    copy = folder / "house"
    here = Path(gelu_cli.__file__).parent
    shutil.copytree(here, copy / "gelu_cli", ignore=shutil.ignore_patterns("__pycache__"))
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


def run(copy, *words):
    """Run the copy's `gelu`; return the process with its exit code, stdout and stderr as text."""
    return subprocess.run(
        [sys.executable, "-m", "gelu_cli", *words],
        cwd=copy,
        env=environment(copy),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
