"""Where the time of a sweep goes: nanoseconds an input, by function, in ranges that differ.

    python benchmarks/profile_sweep.py [ROUTINE]

The sweep has one worker. Each function of gelu has its own time and that of the libraries which it
calls, numpy above all. The profiler adds time of its own to every call, so its figures are taken as
shares of the time without it. What is less than a fiftieth in every range is summed up.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does

from _measure import machine

import gelu_cli
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.routines import ROUTINES, find_routine
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import Question

RANGES = {
    "on the line x/2": (1e-10, 1e-8),
    "−1 to −0.01": (-1.0, -0.01),
    "−100 to −10": (-100.0, -10.0),
    "on the line x": (1e10, 1e12),
}
OURS = str(Path(gelu_cli.__file__).parent)
LEAST = 1 / 50

Function = tuple[str, int, str]
"""A file, a line and a name, as the profiler has them."""


def judge(routine: str, low: float, high: float) -> int:
    """Sweep every float32 from low to high, and return how many there are."""
    question = Question(find_form("exact"), "value", FORMATS["float32"])
    kernel = routine_implementation(find_routine(routine), "value", question.dtype)
    return sweep(kernel, question, Inputs(low, high, every=True)).total.inputs


def own_times(profile: cProfile.Profile) -> Counter[str]:
    """Return the seconds of each function of gelu, with those of the libraries that it calls."""
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    taken: Counter[str] = Counter()

    def book(function: Function, seconds: float, depth: int) -> None:
        file, _, name = function
        callers = stats[function][4]
        if file.startswith(OURS):
            taken[f"{Path(file).relative_to(OURS).with_suffix('')}: {name}"] += seconds
        elif not callers or depth == 0:
            taken["(nobody's)"] += seconds
        else:
            whole = sum(arc[3] for arc in callers.values()) or 1
            for caller, arc in callers.items():
                book(caller, seconds * arc[3] / whole, depth - 1)

    for function, (_, _, seconds, *_) in stats.items():
        book(function, seconds, depth=20)
    return taken


def nanoseconds(routine: str, low: float, high: float) -> Counter[str]:
    """Return what an input takes, by function."""
    judge(routine, low, high)  # imports, tables and polynomials
    start = time.process_time()
    inputs = judge(routine, low, high)
    taken = (time.process_time() - start) / inputs * 1e9
    profile = cProfile.Profile()
    profile.runcall(judge, routine, low, high)
    times = own_times(profile)
    whole = sum(times.values())
    return Counter({name: taken * each / whole for name, each in times.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("routine", nargs="?", default="tanh_sum", choices=ROUTINES)
    routine = parser.parse_args().routine
    columns = [nanoseconds(routine, *ends) for ends in RANGES.values()]
    names = [
        name
        for name, _ in sum(columns, Counter()).most_common()
        if any(column[name] >= LEAST * sum(column.values()) for column in columns)
    ]
    print(f"{machine()}; {routine}, one worker; CPU ns an input\n")
    print(f"| function | {' | '.join(RANGES)} |\n|---|{'---:|' * len(RANGES)}")
    for name in names:
        print(f"| `{name}` | {' | '.join(f'{column[name]:.2f}' for column in columns)} |")
    wholes = [sum(column.values()) for column in columns]
    rest = [
        whole - sum(column[name] for name in names)
        for whole, column in zip(wholes, columns, strict=True)
    ]
    print(f"| what is left | {' | '.join(f'{each:.2f}' for each in rest)} |")
    print(f"| together | {' | '.join(f'{each:.2f}' for each in wholes)} |")


if __name__ == "__main__":
    main()
