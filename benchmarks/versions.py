"""Two versions of gelu, measured in turns in one run: what became faster, and what slower.

    python benchmarks/versions.py OLD NEW [--quick] [--only NAME ...]

OLD and NEW are Python interpreters with a version of gelu installed; they may be the same. It takes
Linux or macOS. Every line of `LINES` is a command that both run, as often as the line says; the
medians are printed. CPU is that of all processes of a command. What a version cannot run is left
out and named below the tables. --quick takes 64 of the 510 binades of the float32s, those with
sizes from 2⁻²⁴ to 2⁸, where a sweep of all of them takes minutes. --only takes the lines named, and
those that they are compared with.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from math import nan
from pathlib import Path
from typing import NamedTuple

from _measure import FailedError, Seconds, processor, seconds

HERE = Path(__file__).parent


class Goal(NamedTuple):
    """A figure that a version was to reach, made of what a line took and of another line."""

    reach: str
    clock: str
    figure: Callable[[float, float], float]
    unit: str = "×"
    beside: str = ""
    """The other line. Without it the figure is made of the line alone."""


class Line(NamedTuple):
    """A command as one types it, in a folder with `FILES`, and how many rounds it is measured."""

    command: str
    rounds: int
    goal: Goal | None = None


def itself(taken: float, _: float) -> float:
    return taken


def times(taken: float, beside: float) -> float:
    return taken / beside


def faster(taken: float, beside: float) -> float:
    return beside / taken


def more(taken: float, beside: float) -> float:
    return taken / beside - 1


def each_of_50(taken: float, beside: float) -> float:
    return (taken - beside) / 50 * 1e3


TABLE = "gelu table -8:8:/1000000 --form exact"
PATTERNS = "numpy.arange(65536).astype(numpy.uint16)"
LINSPACE = "numpy.linspace(-8, 8, 10**6)"
FILES = {
    "points.csv": f"{TABLE} -o points.csv",
    "float32.csv": f"{TABLE} --show value --dtype float32 -o float32.csv",
    "figures.csv": "gelu table -8:8:/1000 --form exact -o figures.csv",
    "points.txt": f"python -c 'import numpy; numpy.savetxt(\"points.txt\", {LINSPACE})'",
    "points.npy": f"python -c 'import numpy; numpy.save(\"points.npy\", {LINSPACE})'",
    "results.npy": f"python -c 'import numpy; numpy.save(\"results.npy\", {PATTERNS})'",
}
"""Which command makes a file that lines read; the old version runs it."""

SIX = "gelu table -3 -1 0 0.5 1 3"
EVERY = "gelu sweep --routine tanh_sum {float32s}"
TORCH = "gelu sweep --impl torch.nn.functional:gelu {float32s}"
BRIEF, SHORT, LONG = 31, 7, 3
"""Rounds for commands of a tenth of a second, of a second or two, and of many."""

LINES = {
    "pass": Line("python -c pass", BRIEF),
    "imports": Line("python -c 'import click, mpmath'", BRIEF),
    "usual script": Line("python usual_script.py", BRIEF),
    "version": Line("gelu --version", BRIEF),
    "help": Line("gelu --help", BRIEF),
    "sweep help": Line("gelu sweep --help", BRIEF),
    "completion": Line("gelu completion bash", BRIEF),
    "forms": Line("gelu forms", BRIEF),
    "six points": Line(SIX, BRIEF, Goal("≤ 9", "wall", times, beside="pass")),
    "six points, table": Line(f"{SIX} --format table", BRIEF),
    "six points, 50 digits": Line(f"{SIX} --digits 50", BRIEF),
    "1000 points, 50 digits": Line("gelu table -8:8:/1000 --digits 50", SHORT),
    "one far point": Line("gelu table -1e300 --form noisy_relu", BRIEF),
    "far points": Line(
        "gelu table -1e300:-2e300:/51 --form noisy_relu", SHORT,
        Goal("≤ 1", "CPU", each_of_50, "ms a point", "one far point"),
    ),
    "table": Line("gelu table -8:8:/20000", SHORT),
    "long table": Line("gelu table -8:8:/1000000", LONG),
    "long table, one worker": Line("gelu table -8:8:/1000000 --jobs 1", LONG),
    "long table, usual script": Line("python usual_table.py 1000000 usual.csv", LONG),
    "long jsonl": Line("gelu table -8:8:/1000000 --form exact -f jsonl", LONG),
    "long markdown": Line("gelu table -8:8:/100000 --form exact -f markdown", LONG),
    "stream": Line("gelu table - --form exact < points.txt", LONG),
    "text": Line("gelu table --input points.txt --form exact", LONG),
    "column": Line("gelu table --input points.csv --column x --form exact", LONG),
    "npy": Line("gelu table --input points.npy --form exact", LONG),
    "bfloat16": Line("gelu table --input points.txt --form exact --dtype bfloat16", LONG),
    "error": Line("gelu error", SHORT),
    "error, tanh": Line(
        "gelu error --form tanh", SHORT, Goal("≤ 3", "wall", times, beside="imports")
    ),
    "error, three points": Line("gelu error -3 -1 0.5", SHORT),
    "error, 20,000 points": Line(
        "gelu error -8:8:/20000", LONG, Goal("≤ 4", "wall", times, beside="table")
    ),
    "error, regions": Line("gelu error --view regions", SHORT),
    "error, gradient": Line("gelu error --quantity gradient --digits 30", SHORT),
    "locate": Line("gelu locate", SHORT),
    "locate, 50 digits": Line("gelu locate --digits 50", SHORT),
    "variance": Line("gelu variance", SHORT),
    "variance, 30 digits": Line("gelu variance --form exact --sigma 2 --digits 30", SHORT),
    "variance, samples": Line("gelu variance --form exact --samples 1000000", SHORT),
    "variance, far mean": Line(
        "gelu variance --mean -30 --sigma 1e-3", 1, Goal("≤ 2", "CPU", itself, "s")
    ),
    "variance, far mean, 50 digits": Line(
        "gelu variance --form erf_as --mean -40 --digits 50", 1, Goal("≤ 2", "CPU", itself, "s")
    ),
    "plot": Line("gelu plot", SHORT),
    "plot, error": Line("gelu plot --error absolute", SHORT),
    "plot, svg": Line("gelu plot -f svg", SHORT),
    "check, 10⁶ rows": Line(
        "gelu check float32.csv --dtype float32", LONG, Goal("≤ 3", "wall", itself, "s")
    ),
    "check, float64": Line("gelu check points.csv --dtype float64", LONG),
    "check, figures": Line("gelu check figures.csv", SHORT),
    "check, wrong ones": Line("gelu check figures.csv --wrong", SHORT),
    "check, all": Line("gelu check results.npy --all --dtype bfloat16", SHORT),
    "sweep, bfloat16": Line("gelu sweep --routine tanh_sum --dtype bfloat16", SHORT),
    "sweep, float16": Line("gelu sweep --routine tanh_sum --dtype float16", SHORT),
    "sweep, 8 bits": Line("gelu sweep --routine tanh_sum --dtype float8_e4m3fn", SHORT),
    "sweep, float32": Line("gelu sweep --routine tanh_sum", SHORT),
    "sweep, float64": Line("gelu sweep --routine tanh_sum --dtype float64", SHORT),
    "sweep, gradient": Line("gelu sweep --routine tanh_sum --quantity gradient", SHORT),
    "sweep, all routines": Line("gelu sweep --dtype bfloat16", LONG),
    "sweep, all routines, two binades": Line("gelu sweep --all --range 1:4", LONG),
    "sweep, plot": Line("gelu sweep --routine erfc --dtype bfloat16 --view plot", SHORT),
    "sweep, a function, float16": Line("gelu sweep --impl rough.py:rough --dtype float16", SHORT),
    "sweep, a function, two binades": Line(
        "gelu sweep --impl rough.py:rough --all --range 1:4", LONG
    ),
    "every float32": Line(EVERY, 1, Goal("≤ 0.3 of the old", "wall", itself, "s")),
    "every float32, one worker": Line(
        f"{EVERY} --jobs 1", 1, Goal("≤ 1.5", "CPU", more, beside="routine alone")
    ),
    "every float32, two workers": Line(
        f"{EVERY} --jobs 2", 1, Goal("≥ 1.8", "wall", faster, beside="every float32, one worker")
    ),
    "routine alone": Line("python alone.py tanh_sum {sizes}", 1),
    "every float32, torch": Line(TORCH, 1, Goal("≤ 1.5", "wall", times, beside="torch alone")),
    "torch alone": Line("python alone.py torch {sizes}", 1),
}  # fmt: skip

EVERY_FLOAT32 = ("--all",), "0 3.4028235e38"
SOME_FLOAT32S = ("--all --range 6e-8:256", "--all --range=-256:-6e-8"), "6e-8 256"
"""Options of `gelu sweep`, one sweep each, and the sizes of these numbers for `alone.py`."""


class Version:
    """A version of gelu, in the environment of a Python interpreter."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.taken: dict[str, list[Seconds]] = {}
        self.failed: dict[str, str] = {}

    def run(self, command: str, folder: str) -> Seconds:
        """Run a command that begins with gelu or python, and may have a file as its stdin."""
        line, _, stdin = command.partition(" < ")
        first, *rest = shlex.split(line)
        script = Path(self.python).with_name("gelu")
        gelu = [str(script)] if script.exists() else [self.python, "-m", "gelu_cli"]
        words = [*(gelu if first == "gelu" else [self.python]), *rest]
        return seconds(words, folder, stdin) if stdin else seconds(words, folder)

    def measure(self, name: str, commands: Sequence[str], folder: str) -> None:
        """Run the commands of a line, unless they failed before."""
        if name in self.failed:
            return
        try:
            parts = [self.run(command, folder) for command in commands]
        except FailedError as failed:
            self.failed[name] = str(failed)
        else:
            self.taken.setdefault(name, []).append(Seconds(*map(sum, zip(*parts, strict=True))))

    def median(self, name: str, clock: str) -> float:
        """Return the median of what a line took by a clock, NaN if it failed."""
        if name in self.failed or name not in self.taken:
            return nan
        return statistics.median(getattr(each, clock.lower()) for each in self.taken[name])

    def figure(self, name: str, goal: Goal) -> float:
        """Return the figure that a goal is about, NaN if there is none."""
        beside = self.median(goal.beside, goal.clock)
        return goal.figure(self.median(name, goal.clock), beside)

    def software(self) -> str:
        """Return the versions of Python and of what decides."""
        asked = [self.python, str(HERE / "_measure.py")]
        return subprocess.check_output(asked, text=True).strip()


def commands_of(line: Line, quick: bool) -> list[str]:
    """Return the commands of a line, which are several where it sweeps parts of the float32s."""
    options, sizes = SOME_FLOAT32S if quick else EVERY_FLOAT32
    made = [line.command.format(float32s=option, sizes=sizes) for option in options]
    return list(dict.fromkeys(made))


def chosen(names: Iterable[str]) -> list[str]:
    """Return the names of lines, in their order, with those that they are compared with."""
    goals = {name: LINES[name].goal for name in names}
    wanted = {*goals, *(goal.beside for goal in goals.values() if goal)}
    return [name for name in LINES if name in wanted]


def make_files(version: Version, commands: Iterable[str], folder: str) -> None:
    """Make the files that commands read."""
    for script in ("alone.py", "rough.py", "usual_script.py", "usual_table.py"):
        shutil.copy(HERE / script, folder)
    for name, command in FILES.items():
        if any(name in each.split() for each in commands):
            version.run(command, folder)


def measure(versions: Sequence[Version], names: Sequence[str], quick: bool) -> None:
    """Run each line in each version, in turns, as many rounds as it takes."""
    commands = {name: commands_of(LINES[name], quick) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        make_files(versions[0], [each for line in commands.values() for each in line], folder)
        for number in range(max(LINES[name].rounds for name in names)):
            for name in names:
                if number < LINES[name].rounds:
                    print(f"round {number + 1}: {name}", file=sys.stderr)
                    for version in versions:
                        version.measure(name, commands[name], folder)


def goals_table(old: Version, new: Version, names: Sequence[str]) -> None:
    print("| what | beside | figure | old | new | to reach |")
    print("|---|---|---|---:|---:|---:|")
    for name in names:
        if goal := LINES[name].goal:
            figures = [f"{version.figure(name, goal):.3g}" for version in (old, new)]
            cells = [name, goal.beside or "–", f"{goal.clock}, {goal.unit}", *figures, goal.reach]
            print("|", " | ".join(cells).replace("nan", "–"), "|")


def times_table(old: Version, new: Version, names: Sequence[str], quick: bool) -> None:
    print("| what | command | rounds | wall, s: old | new | ratio | CPU, s: old | new | ratio |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for name in names:
        line = LINES[name]
        cells = [name, f"`{' ; '.join(commands_of(line, quick))}`", str(line.rounds)]
        for clock in ("wall", "CPU"):
            before, after = old.median(name, clock), new.median(name, clock)
            cells += [f"{before:.3f}", f"{after:.3f}", f"{after / before:.2f}"]
        print("|", " | ".join(cells).replace("nan", "–"), "|")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old", type=Version)
    parser.add_argument("new", type=Version)
    parser.add_argument("--quick", action="store_true", help="64 of the 510 binades of float32")
    parser.add_argument("--only", action="append", choices=LINES, metavar="NAME")
    words = parser.parse_args()
    names = chosen(words.only or LINES)
    measure((words.old, words.new), names, words.quick)
    print(f"{processor()}; medians. Old: {words.old.software()}. New: {words.new.software()}.")
    if words.quick:
        print("The float32s are those of 64 of the 510 binades, with sizes from 2⁻²⁴ to 2⁸.")
    print()
    goals_table(words.old, words.new, names)
    print()
    times_table(words.old, words.new, names, words.quick)
    for which, version in (("old", words.old), ("new", words.new)):
        for name, reason in version.failed.items():
            print(f"\nNot to be had in the {which} version: {name}: {reason}")


if __name__ == "__main__":
    main()
