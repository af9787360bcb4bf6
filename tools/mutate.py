"""Mutation testing: are the tests able to fail? python tools/mutate.py [--sample N] [FILE…]

Every mutant is a file of the package with one operator, number or condition changed, by cosmic-ray.
The tests of that file (tools/mutate.toml) are run on it in a copy of the repository, until the
first that fails: then it is killed, as it is when it takes far longer than the original. Those
that survive are printed as lines before and after, with a score for each file. With --sample, so
many mutants of a file are drawn, by a seed of its name.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import hypothesis
import pytest
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

ROOT = Path(__file__).parents[1]
PACKAGE = Path("gelu_cli")
CONFIG = tomllib.loads((ROOT / "tools" / "mutate.toml").read_text(encoding="utf-8"))

LOADED = ("numpy", "scipy.special", "mpmath", "flint", "ml_dtypes", "rich.table", "typer", "orjson")
"""What every run imports, once for all: a run is a fork of this process."""

PATIENCE = 3.0
"""A mutant hangs that takes so many times as long as the original, and SECONDS more."""

SECONDS = 20.0
MEMORY = 4 << 30

PYTEST = [
    *("-x", "-q", "-p", "no:cacheprovider", "-W", "ignore:Module already imported"),
    *("--hypothesis-seed=0", "--hypothesis-profile=mutate"),
]


class Mutant(NamedTuple):
    """A changed file: its text, and the line that differs, before and after."""

    text: str
    line: int
    before: str
    after: str

    def reason(self, file: Path) -> str | None:
        """Return why no test can kill it, if the configuration says so."""
        shown = f"{file}: {self.before} -> {self.after}"
        reasons = CONFIG["explained"].items()
        return next((why for why, patterns in reasons if matches(patterns, shown)), None)


class Score(NamedTuple):
    """What came of the mutants of a file that were tried, of so many."""

    file: Path
    mutants: int
    tried: int
    killed: int
    explained: int


class _Essence(ast.NodeTransformer):
    """What runs: the tree without annotations, docstrings, and imports for type checkers."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        checking = "TYPE_CHECKING" in ast.dump(node.test)
        return None if checking else self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if isinstance(node.annotation, ast.Name) and node.annotation.id == "TypeAlias":
            return None
        node.annotation = ast.Constant(0)
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)


def essence(text: str) -> str:
    """Return what is the same for two texts that run alike.

    >>> essence("x: int | None = 1") == essence("x: int & None = 1") != essence("x: int = 2")
    True
    """
    return ast.dump(_Essence().visit(ast.parse(text)))


def mutants(text: str) -> Iterator[Mutant]:
    """Yield every mutant of a source text by the operators of the configuration."""
    lines, seen = text.split("\n"), {essence(text)}
    for name in CONFIG["operators"]:
        operator, occurrence = get_operator(f"core/{name}")(), 0
        while changed := mutate_code(text, operator, occurrence):
            occurrence += 1
            try:
                meaning = essence(changed)
            except SyntaxError:  # the ** of f(**options) is no power
                continue
            if meaning in seen:
                continue
            seen.add(meaning)
            yield mutant(lines, changed)


def mutant(lines: list[str], changed: str) -> Mutant:
    """Return a mutant with the line that differs from the original's; "" if it is gone."""
    new = changed.split("\n")
    k = next(k for k, pair in enumerate(zip(lines, new, strict=False)) if pair[0] != pair[1])
    gone = len(new) < len(lines)
    while not lines[k]:  # a decorator goes with the empty lines before it
        k += 1
    return Mutant(changed, k + 1, lines[k].strip(), "" if gone else new[k].strip())


def matches(patterns: Iterable[str], text: str) -> bool:
    """Return whether one of the regular expressions is found in a text."""
    return any(re.search(pattern, text) for pattern in patterns)


def tests_of(file: Path) -> list[str]:
    """Return the tests of a file of the package, its own first."""
    inner = file.relative_to(PACKAGE)
    also = CONFIG["also"]
    wanted = [f"{inner.parent}/test_{inner.name}"]
    wanted += [*also.get(str(inner), []), *also.get(inner.parts[0], [])]
    there = [f"tests/{name}" for name in dict.fromkeys(wanted) if (ROOT / "tests" / name).exists()]
    return [str(file), *there]


def passes(copy: Path, words: Iterable[str], limit: float) -> bool:
    """Run tests in a fork of this process, in a copy of the repository; too long is a failure."""
    child = os.fork()
    if not child:
        _become_a_run(copy, words)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _become_a_run(copy: Path, words: Iterable[str]) -> None:
    code = 1
    try:
        os.setsid()
        os.chdir(copy)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        sink = os.open("run.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(sink, stream)
        sys.path.insert(0, str(copy))
        code = int(pytest.main([*PYTEST, *words]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def try_file(copy: Path, file: Path, sample: int | None, seed: int) -> Score:
    """Try the mutants of a file, or a sample of them; print those that survive."""
    text = (copy / file).read_text(encoding="utf-8")
    every = list(mutants(text))
    chosen = every
    if sample is not None and sample < len(every):
        chosen = random.Random(f"{file} {seed}").sample(every, sample)
    words = tests_of(file)
    start = time.monotonic()
    if chosen and not passes(copy, words, 3600):
        raise RuntimeError(f"{file}: the tests fail as it is\n{(copy / 'run.txt').read_text()}")
    limit = PATIENCE * (time.monotonic() - start) + SECONDS
    killed = explained = 0
    for mutant in sorted(chosen, key=lambda mutant: mutant.line):
        (copy / file).write_text(mutant.text, encoding="utf-8")
        if not passes(copy, words, limit):
            killed += 1
        elif reason := mutant.reason(file):
            explained += 1
            print(f"{file}:{mutant.line} {reason}", flush=True)
        else:
            print(f"{file}:{mutant.line}\n  - {mutant.before}\n  + {mutant.after}", flush=True)
    (copy / file).write_text(text, encoding="utf-8")
    print(f"{file}: {killed} of {len(chosen)} killed, of {len(every)}", flush=True)
    return Score(file, len(every), len(chosen), killed, explained)


def share(scores: list[Score], explained: bool) -> str:
    """Return the share that is killed of all mutants, as estimated file by file, and ± of 95 %.

    With `explained`, of those that a test could kill.
    """
    counted = [(score, score.tried - explained * score.explained) for score in scores]
    counted = [(score, tried) for score, tried in counted if tried]
    if not counted:
        return "–"
    total = sum(score.mutants for score, _ in counted)
    rate = variance = 0.0
    for score, tried in counted:
        weight = score.mutants / total
        rate += weight * score.killed / tried
        # Agresti & Coull's two successes and failures: no sample of a few is certain.
        guarded = (score.killed + 2) / (tried + 4)
        rest = 1 - score.tried / score.mutants
        variance += weight**2 * guarded * (1 - guarded) / tried * rest
    margin = f" ± {1.96 * math.sqrt(variance):.1%}" if variance else ""
    return f"{rate:.1%}{margin}"


def report(scores: list[Score]) -> None:
    """Print a score for each file, each folder, and all."""
    columns = ("mutants", "tried", "killed", "explained")
    print(" " * 44, *(f"{name:>10}" for name in columns), "  killed of all    of what can be")
    groups = [(str(score.file), [score]) for score in scores]
    for folder in sorted({score.file.parts[1] for score in scores}):
        groups.append((f"{folder}/", [score for score in scores if score.file.parts[1] == folder]))
    for name, group in [*groups, ("all", scores)]:
        counts = [sum(column) for column in zip(*(score[1:] for score in group), strict=True)]
        shares = (f"{share(group, explained):>16}" for explained in (False, True))
        print(f"{name:44}", *(f"{count:10}" for count in counts), *shares)


def copied(folder: Path) -> Path:
    """Return a copy of the repository: the original is free to be worked on."""
    ignored = shutil.ignore_patterns(".*", "__pycache__", "dist", "build")
    copy = Path(shutil.copytree(ROOT, folder / "copy", ignore=ignored))
    subprocess.run([sys.executable, "-m", "compileall", "-q", copy], check=True)
    return copy


def main() -> None:
    """Try the files named, or all that have mutants; exit with 1 if one survived."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sample", type=int, help="mutants a file; without it, every one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    files = [path.resolve().relative_to(ROOT) for path in given.files] or [
        path.relative_to(ROOT)
        for folder in CONFIG["folders"]
        for path in sorted((ROOT / PACKAGE / folder).rglob("*.py"))
    ]
    for name in LOADED:
        importlib.import_module(name)
    # Bytecode is known by the second and the size of its source, which a mutant may share.
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)  # no failure is shrunk
    hypothesis.settings.register_profile("mutate", deadline=None, database=None, phases=phases)
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder))
        for file in files:
            for stale in (copy / file).parent.glob(f"__pycache__/{file.stem}.*"):
                stale.unlink()
        scores = [try_file(copy, file, given.sample, given.seed) for file in files]
    scores = [score for score in scores if score.mutants]
    report(scores)
    sys.exit(any(score.killed + score.explained < score.tried for score in scores))


if __name__ == "__main__":
    main()
