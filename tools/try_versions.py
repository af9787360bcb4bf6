"""Try every Python here with the lowest and the newest dependencies: python tools/try_versions.py

Lowest are the bounds of pyproject.toml, or where those have no wheel for a Python the lowest that
do; newest are the newest there are, past upper bounds too. A selection of the tests is run that
takes seconds and meets every dependency; with --all, all of them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEPENDENCIES = [Requirement(line).name for line in PROJECT["dependencies"]]
TESTED = [Requirement(line).name for line in PROJECT["optional-dependencies"]["test"]]
SELECTION = [
    *(f"tests/commands/test_{part}.py" for part in ("parser", "errors", "help", "forms", "output")),
    *("tests/report", "tests/test_release.py", "gelu_cli"),
]
WIDTH = 12


class Trial(NamedTuple):
    """What was installed, and the last line of what the tests printed."""

    python: str
    ends: str
    versions: Sequence[str]
    passed: bool
    outcome: str


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program at the root of the project, and keep what it says."""
    return subprocess.run(
        list(map(str, words)), cwd=ROOT, capture_output=True, text=True, check=False
    )


def candidates(minor: int) -> Iterator[str | Path]:
    """Yield where a Python 3.minor may be: on the path, or among pyenv's, the newest first."""
    if found := shutil.which(f"python3.{minor}"):
        yield found
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    patches = home.glob(f"versions/3.{minor}.*/bin/python3.{minor}")
    yield from sorted(patches, key=lambda path: int(path.parts[-3].split(".")[2]), reverse=True)


def pythons() -> Iterator[str | Path]:
    """Yield one interpreter a minor version, from the lowest that is supported on."""
    lowest = int(PROJECT["requires-python"].removeprefix(">=3."))
    for minor in range(lowest, lowest + 10):
        # A shim of pyenv's is there for what is not chosen as well, and fails.
        runs = (path for path in candidates(minor) if run(path, "-V").returncode == 0)
        yield from islice(runs, 1)


def install(python: str | Path, ends: str, folder: Path) -> Path:
    """Make an environment with the lowest or newest dependencies; return its interpreter."""
    unbounded, there = folder / "unbounded.txt", folder / "environment"
    unbounded.write_text("\n".join([*DEPENDENCIES, *TESTED]), encoding="utf-8")
    resolution = "lowest-direct" if ends == "lowest" else "highest"
    override = ("--override", unbounded) if ends == "newest" else ()
    uv = (sys.executable, "-m", "uv")
    pip = (*uv, "pip", "install", "--quiet", "--python", there)
    wheels = (*pip, "--upgrade", "--only-binary", ":all:", "--resolution", resolution, *override)
    for words in (
        (*uv, "venv", "--quiet", "--python", python, there),
        (*wheels, "-r", "pyproject.toml", "--extra", "test"),
        (*pip, "--no-deps", "--editable", "."),
    ):
        done = run(*words)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
    return there / "bin" / "python"


def versions(python: Path) -> list[str]:
    """Return the version of the interpreter and those of the dependencies."""
    code = "import sys, platform; from importlib.metadata import version as v"
    code += "; print(platform.python_version(), *map(v, sys.argv[1:]))"
    return run(python, "-c", code, *DEPENDENCIES).stdout.split()


def tried(python: str | Path, ends: str, selection: Sequence[str]) -> Trial:
    """Install, run the tests, and say what came out; what failed is printed."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            there = install(python, ends, Path(folder))
        except RuntimeError as error:
            print(error, file=sys.stderr)
            nothing = ["-"] * len(DEPENDENCIES)
            return Trial(Path(python).name, ends, nothing, False, "cannot be installed")
        number, *others = versions(there)
        words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *selection]
        done = run(there, *words)
    lines = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    if done.returncode:
        print(*lines[-40:], sep="\n", file=sys.stderr)
    return Trial(number, ends, others, done.returncode == 0, done.stdout.strip().split("\n")[-1])


def main() -> None:
    """Print a line for each trial; exit with 1 if one failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="run all tests, not a selection")
    selection = [] if parser.parse_args().all else SELECTION
    print("".join(cell.ljust(WIDTH) for cell in ("python", "versions", *DEPENDENCIES)), "tests")
    passed = True
    with ThreadPoolExecutor(os.cpu_count()) as several:
        which = product(pythons(), ("lowest", "newest"))
        for trial in several.map(lambda one: tried(*one, selection), which):
            cells = (trial.python, trial.ends, *trial.versions)
            print("".join(cell.ljust(WIDTH) for cell in cells), trial.outcome, flush=True)
            passed = passed and trial.passed
    sys.exit(not passed)


if __name__ == "__main__":
    main()
