"""What errors at many points cost beside a table of the same points, and a block beside moments.

    python benchmarks/error.py [ROUNDS]

Processor time of whole processes, the median of some rounds, in which all take turns.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from _measure import GELU, machine, seconds

POINTS = 1_000_000
TABLE = "table --input points.npy --form exact --form tanh --quantity value -o table.csv"
LINES = {
    "summary of the errors": ("error --input points.npy --form tanh --view summary", TABLE),
    "regions": ("error --input points.npy --form tanh --view regions", TABLE),
    "errors at points": ("error --input points.npy --form tanh -o errors.csv", TABLE),
    "summary of random points": (
        f"error --samples {POINTS} --form tanh --view summary", TABLE,
    ),
    "gelu block": ("block", "variance"),
    "gelu block --input, 10⁶ numbers": ("block --input units.npy --form tanh", TABLE),
}  # fmt: skip
ROUNDS = 3


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    taken: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        points = np.random.default_rng(0).normal(0, 3, POINTS)
        np.save(Path(folder, "points.npy"), points)
        np.save(Path(folder, "units.npy"), points.reshape(-1, 100))
        for _ in range(rounds):
            for line in dict.fromkeys(line for pair in LINES.values() for line in pair):
                cpu = seconds([GELU, *line.split()], folder).cpu
                taken.setdefault(line, []).append(cpu)
    print(f"{machine()}; medians of {rounds}, {POINTS:,} points\n")
    print("| what | CPU s | beside | CPU s | ratio |")
    print("|---|---:|---|---:|---:|")
    for name, lines in LINES.items():
        mine, other = (statistics.median(taken[line]) for line in lines)
        beside = " ".join(["gelu", lines[1].split()[0]])
        print(f"| {name} | {mine:.2f} | {beside} | {other:.2f} | {mine / other:.2f} |")


if __name__ == "__main__":
    main()
