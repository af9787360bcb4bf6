"""Would the tests notice? Change one thing of the program at a time, and run tests.

    python tools/mutants.py --count 25 --files 'gelu_cli/old/values/*' --tests tests/old/values
    python tools/mutants.py --count 300 --reach reach

The first runs the named tests on each mutant until one fails. The second records which tests reach
which lines in the folder `reach`, or uses what is there, and runs those that reach the change: of
the short tier first, and what that lets live, of the long one. All happens in a copy of the working
tree, or of a revision. A seed draws the changes. Run it from the top folder.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from difflib import unified_diff
from fnmatch import fnmatch
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

SWAPS = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
    ast.And: ("and", "or"), ast.Or: ("or", "and"), ast.Add: ("+", "-"), ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"), ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"),
}  # fmt: skip
"""What stands for an operator, and what stands there in a mutant."""

NOT_RUN = ("annotation", "returns", "decorator_list")
"""Fields of syntax in which nothing is changed."""
FIRST = 40
"""So many tests, the cheapest that reach a change, are tried first: most mutants end there."""
SECONDS, TIMES = 60, 5
"""A mutant is noticed, as it hangs, if tests take longer than 60 seconds and 5 times their cost."""

COVERAGE = """
[run]
source = {copy}/gelu_cli
data_file = {folder}/data
parallel = true
patch = subprocess
disable_warnings = no-data-collected, module-not-imported
"""
PLUGIN = """
import coverage, os, pytest

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    running = coverage.Coverage.current()
    running.switch_context(item.nodeid)
    running.config.context = item.nodeid  # of the processes that the test starts
    os.environ["COVERAGE_PROCESS_CONFIG"] = running.config.serialize()
    return (yield)
"""


class Mutant(NamedTuple):
    """A change of one file: `text` stands in its bytes from start to end.

    The lines are those of the statement, or of the head of a compound one.
    """

    file: str
    lines: range
    in_function: bool
    start: int
    end: int
    text: str

    def of(self, source: bytes) -> bytes:
        """Return the changed file."""
        return source[: self.start] + self.text.encode() + source[self.end :]


class Finder(ast.NodeVisitor):
    """Finds what can be changed in a file: not in annotations, nor in texts with values in them."""

    def __init__(self, file, source):
        self.file, self.source, self.found = file, source, []
        self.offsets = [0]
        for line in source.splitlines(keepends=True):
            self.offsets.append(self.offsets[-1] + len(line))
        self.lines, self.in_function = range(0), False
        self.visit(ast.parse(source))

    def _place(self, node):
        return (self.offsets[node.lineno - 1] + node.col_offset,
                self.offsets[node.end_lineno - 1] + node.end_col_offset)  # fmt: skip

    def _code(self, node):
        return self.source[slice(*self._place(node))].decode()

    def _replace(self, start, end, text):
        self.found.append(Mutant(self.file, self.lines, self.in_function, start, end, text))

    def _swap(self, operator, left, right):
        start, end = self._place(left)[1], self._place(right)[0]
        old, new = SWAPS[type(operator)]
        before, found, after = self.source[start:end].decode().partition(old)
        if found:
            self._replace(start, end, before + new + after)

    def _change(self, node):
        """Note what can be changed in the node itself."""
        match node:
            case (
                ast.Compare(left=left, ops=[operator], comparators=[right])
                | ast.BinOp(left=left, op=operator, right=right)
                | ast.BoolOp(op=operator, values=[left, right, *_])
            ):
                if type(operator) in SWAPS and not (_is_text(left) or _is_text(right)):
                    self._swap(operator, left, right)
            case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
                self._replace(*self._place(node), f"({self._code(operand)})")
            case ast.Constant(value=bool(value)):
                self._replace(*self._place(node), str(not value))
            case ast.Constant(value=int(value)):
                self._replace(*self._place(node), str(value + 1))
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                if "TYPE_CHECKING" not in ast.unparse(test):
                    self._replace(*self._place(test), f"(not ({self._code(test)}))")
            case ast.Expr(value=ast.Call()):
                self._replace(*self._place(node), "None")

    def generic_visit(self, node):
        """Walk over the children, and know in which statement they are."""
        self._change(node)
        outer = self.lines, self.in_function
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if name in NOT_RUN or not isinstance(child, ast.AST):
                    continue
                if isinstance(child, ast.stmt):
                    self.in_function = outer[1] or isinstance(node, ast.FunctionDef)
                    end = child.body[0].lineno if hasattr(child, "body") else child.end_lineno + 1
                    self.lines = range(child.lineno, max(end, child.lineno + 1))
                self.visit(child)
        self.lines, self.in_function = outer

    def visit_JoinedStr(self, node):
        """Leave it: its parts have no places of their own before Python 3.12."""


def _is_text(node):
    return isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str)


def mutants(root, pattern):
    """Return every mutant of the files that match a pattern, in their order."""
    found = []
    for path in sorted(root.glob("gelu_cli/**/*.py")):
        file = path.relative_to(root).as_posix()
        if fnmatch(file, pattern):
            found += Finder(file, path.read_bytes()).found
    return found


def copy_of(root, revision, folder):
    """Return a copy of the working tree, or of a revision."""
    folder.mkdir()
    if revision:
        archive = subprocess.run(["git", "archive", revision], cwd=root, check=True,
                                 stdout=subprocess.PIPE).stdout  # fmt: skip
        subprocess.run(["tar", "-x"], cwd=folder, input=archive, check=True)
        return folder
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, check=True,
                            capture_output=True, text=True).stdout  # fmt: skip
    for name in listed.splitlines():
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name)
    return folder


def _run(copy, *words, **settings):
    return subprocess.run([sys.executable, "-m", *words], cwd=copy, check=False,
                          env={**os.environ, "PYTHONPATH": str(copy)}, **settings)  # fmt: skip


def passes(copy, tests, tier, cost=SECONDS):
    """Run tests of a tier, which have that cost, in a copy until one fails."""
    listed = copy / "tests.listed"
    listed.write_text("".join(f"{test}\n" for test in tests), encoding="utf-8")
    words = ["pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no", "-m", tier]
    try:
        done = _run(copy, *words, f"@{listed}", capture_output=True, timeout=SECONDS + TIMES * cost)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode in (0, 5)  # 5: no test is of this tier


class Reach:
    """Which tests reach which lines, and what each has cost, of those that pass."""

    def __init__(self, folder):
        from coverage import CoverageData

        lines = (folder / "costs.tsv").read_text(encoding="utf-8").splitlines()
        failed = json.loads((folder / "failed.json").read_text(encoding="utf-8"))
        known = (line.split("\t") for line in lines)
        self.costs = {test: float(cost) for cost, test in known if test not in failed}
        self.data = CoverageData(str(folder / "data"))
        self.data.read()
        self.files = {name.partition("/gelu_cli/")[2]: name for name in self.data.measured_files()}

    def cost(self, tests):
        """Return the CPU seconds of tests."""
        return sum(map(self.costs.__getitem__, tests))

    @staticmethod
    def record(folder, copy, tier, processes):
        """Run all tests of a tier under coverage."""
        folder.mkdir()
        settings = folder / "settings"
        settings.write_text(COVERAGE.format(copy=copy, folder=folder), encoding="utf-8")
        (copy / "switching.py").write_text(PLUGIN, encoding="utf-8")
        rc = f"--rcfile={settings}"
        words = ["pytest", "-q", "-p", "switching", "-n", processes, "--dist", "worksteal",
                 "--timeout=900", "--costs", str(folder / "costs.tsv"), "-m", tier]  # fmt: skip
        _run(copy, "coverage", "run", rc, "-m", *words)
        _run(copy, "coverage", "combine", "-q", rc)
        failed = copy / ".pytest_cache/v/cache/lastfailed"
        text = failed.read_text(encoding="utf-8") if failed.exists() else "{}"
        (folder / "failed.json").write_text(text, encoding="utf-8")

    def tests(self, mutant):
        """Return the tests that reach a mutant's statement, the cheapest first.

        What runs when a file is imported is reached by whatever reaches the file.
        """
        name = self.files.get(mutant.file.removeprefix("gelu_cli/"))
        if name is None:
            return []
        reached = self.data.contexts_by_lineno(name)
        lines = mutant.lines if mutant.in_function else reached
        found = {test for line in lines for test in reached.get(line, ())}
        return sorted(found & self.costs.keys(), key=self.costs.__getitem__)


TIERS = {"short": "not slow and not long", "long": "long"}
"""The tiers of the tests, as pytest selects them: what one lets live is tried by the next."""


def notices(tier, mutant, copy, tests, reach):
    """Return whether a tier of the tests notices a mutant: those given, or all that reach it."""
    path = copy / mutant.file
    source = path.read_bytes()
    path.write_bytes(mutant.of(source))
    try:
        if reach is None:
            return not passes(copy, tests, TIERS[tier])
        tests = reach.tests(mutant)
        parts = [part for part in (tests[:FIRST], tests[FIRST:]) if part]
        return not all(passes(copy, part, TIERS[tier], reach.cost(part)) for part in parts)
    finally:
        path.write_bytes(source)


def show(root, mutant, result):
    """Print what has noticed a mutant, its place, and the change."""
    source = (root / mutant.file).read_bytes()
    texts = (text.decode().splitlines() for text in (source, mutant.of(source)))
    place = f"{result:6}{mutant.file}:{mutant.lines.start}"
    print(place, *list(unified_diff(*texts, n=0))[3:], sep="\n    ", flush=True)


def main():
    """Draw the mutants, judge them, and print what has noticed each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", default="*", help="a pattern of the program's files")
    parser.add_argument("--tests", nargs="+", help="run these, of the short tier")
    parser.add_argument("--reach", type=Path, help="run what reaches the change")
    parser.add_argument("--rev", help="of this revision, not of the working tree")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    root = Path.cwd()
    drawn = mutants(root, given.files)
    drawn = random.Random(given.seed).sample(drawn, min(given.count, len(drawn)))
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(given.jobs) as pool:
        copies = SimpleQueue()
        for k in range(given.jobs):
            copies.put(copy_of(root, given.rev, Path(scratch, str(k))))
        if given.reach and not given.reach.exists():
            copy = copies.get()
            Reach.record(given.reach.absolute(), copy, "not slow", str(given.jobs))
            copies.put(copy)
        reach = Reach(given.reach) if given.reach else None

        def work(tier, mutant):
            copy = copies.get()
            try:
                return notices(tier, mutant, copy, given.tests, reach)
            finally:
                copies.put(copy)

        counts = {}
        for tier in TIERS if reach else ["short"]:
            working = {pool.submit(work, tier, mutant): mutant for mutant in drawn}
            for done in as_completed(working):
                if done.result():
                    drawn.remove(working[done])
                    show(root, working[done], tier)
            counts[tier] = len(working) - len(drawn)
        for mutant in drawn:
            show(root, mutant, "alive")
    print(*(f"{name}: {number}" for name, number in {**counts, "alive": len(drawn)}.items()),
          sep=", ")  # fmt: skip


if __name__ == "__main__":
    main()
