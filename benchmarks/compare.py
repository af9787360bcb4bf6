"""What a comparison of two routines costs beside a sweep of the same two, judged alike.

Run it with the Python that gelu is installed in: python benchmarks/compare.py
Each is processor time of one process, the two in turns; `--all` takes every float32 instead.
"""

from __future__ import annotations

import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does

from _measure import machine
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.comparison.differences import Differences
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping.implementations import Kernel, routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.routines import find_routine
from gelu_cli.old.sweeping.sweep import Sweep
from gelu_cli.old.sweeping.truth import Question

PAIR = "erfc", "tanh_sum"
LINES = {
    "bfloat16": [("bfloat16", Inputs())],
    "float32, ±[1, 8]": [
        ("float32", Inputs(1.0, 8.0, every=True)),
        ("float32", Inputs(-8.0, -1.0, every=True)),
    ],
    "float32, a sample": [("float32", Inputs(every=False, samples=10**5))],
}
ALL = {"float32, every one": [("float32", Inputs(every=True))]}
TURNS = 3


def seconds(number_format: str, inputs: Inputs, *, compared: bool) -> tuple[float, int]:
    """Return the processor time of one sweep of both, and how many results differ."""
    dtype = FORMATS[number_format]
    question = Question(find_form("exact"), "value", dtype)
    kernels = [
        Kernel(routine_implementation(find_routine(name), "value", dtype), question)
        for name in PAIR
    ]
    observers = [Differences(question, 26, False)] if compared else []
    start = time.process_time()
    with Sweep(kernels, inputs, observers=observers) as sweep:
        sweep.verdicts()
    taken = time.process_time() - start
    return taken, sum(count.differ for seen in sweep.seen for count in seen.cells.values())


def main() -> None:
    lines, turns = (ALL, 1) if "--all" in sys.argv else (LINES, TURNS)
    print(f"{machine()}; {' and '.join(PAIR)}; one process\n")
    print("| inputs | swept, s | compared, s | compared ÷ swept | differ |")
    print("|---|---:|---:|---:|---:|")
    for name, parts in lines.items():
        taken = {False: [], True: []}
        differ = 0
        for turn in range(turns + (turns > 1)):
            for compared in (False, True):
                found = [seconds(*part, compared=compared) for part in parts]
                if turn or turns == 1:  # the first one loads what is needed
                    taken[compared].append(sum(each for each, _ in found))
                differ = sum(count for _, count in found)
        swept, both = (min(taken[compared]) for compared in (False, True))
        print(
            f"| {name} | {swept:.2f} | {both:.2f} | {both / swept:.2f} | {differ:,} |", flush=True
        )


if __name__ == "__main__":
    main()
