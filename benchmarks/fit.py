"""What a fit costs beside the error of the same form, which it finds again at the end.

    python benchmarks/fit.py [ROUNDS]

Processor time of whole processes, the median of some rounds, in which all take turns.
"""

from __future__ import annotations

import os
import statistics
import sys

from _measure import GELU, machine, seconds

ERROR = "--range -inf:inf --view summary"
LINES = {
    "sigmoid": ("fit sigmoid", f"error --form sigmoid {ERROR}"),
    "tanh": ("fit tanh", f"error --form tanh {ERROR}"),
    "tanh, a and c": ("fit tanh --free a,c", f"error --form tanh {ERROR}"),
    "polynomial, degree 7": (
        "fit polynomial --degree 7",
        f"error --form polynomial:c7=-0.000167 {ERROR}",
    ),
}
ROUNDS = 5


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the command has it for itself
    taken: dict[str, list[float]] = {}
    for _ in range(rounds):
        for line in dict.fromkeys(line for pair in LINES.values() for line in pair):
            cpu = seconds([GELU, *line.split()], os.curdir).cpu
            taken.setdefault(line, []).append(cpu)
    print(f"{machine()}; medians of {rounds}\n")
    print("| form | fit, CPU s | error, CPU s | fit ÷ error | asked for |")
    print("|---|---:|---:|---:|---:|")
    for name, lines in LINES.items():
        fit, error = (statistics.median(taken[line]) for line in lines)
        print(f"| {name} | {fit:.2f} | {error:.2f} | {fit / error:.1f} | ≤ 10 |")


if __name__ == "__main__":
    main()
