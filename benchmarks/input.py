"""How fast points are read from text and made from ranges, against `numpy.loadtxt`.

Run it with the Python that gelu is installed in: python benchmarks/input.py
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _measure import machine

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.reading.points import read_points

POINTS = 1_000_000
ROUNDS = 3
BFLOAT16 = FORMATS["bfloat16"]


def read(word: str | None, source: Path | None = None, column: str | None = None) -> None:
    words = [word] if word else []
    for _ in read_points(words, str(source) if source else None, column, exact=False):
        pass


def read_bfloat16(source: Path) -> None:
    for _ in read_points([], str(source), None, exact=False, number_format=BFLOAT16):
        pass


def ways(folder: Path) -> dict[str, Callable[[], object]]:
    """Write the files and return what to do with them."""
    x = np.random.default_rng(1).normal(size=POINTS)
    long, short, table, array = (folder / n for n in ("long.txt", "short.txt", "a.csv", "a.npy"))
    np.savetxt(long, x, fmt="%.17g")
    np.savetxt(short, x, fmt="%.4f")
    np.savetxt(table, np.column_stack([x, x, x]), "%.17g", ",", header="a,b,c", comments="")
    np.save(array, x)
    return {
        "`numpy.loadtxt`, 17 digits": lambda: np.loadtxt(long),
        "17 digits a number": lambda: read(None, long),
        "the same, `--dtype bfloat16`": lambda: read_bfloat16(long),
        "4 decimals a number": lambda: read(None, short),
        "`--column b` of three": lambda: read(None, table, "b"),
        "`.npy`": lambda: read(None, array),
        f"`-10:10:/{POINTS}`": lambda: read(f"-10:10:/{POINTS}"),
        f"`-1/3:1e-20:/{POINTS}`": lambda: read(f"-1/3:1e-20:/{POINTS}"),
    }


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        taken = {
            name: statistics.median(seconds(work) for _ in range(ROUNDS))
            for name, work in ways(Path(folder)).items()
        }
    slowest = next(iter(taken.values()))
    print(f"{machine()}; {POINTS:,} points, medians of {ROUNDS}\n")
    print("| points | ns a number | × loadtxt |")
    print("|---|---:|---:|")
    for name, each in taken.items():
        print(f"| {name} | {each / POINTS * 1e9:.0f} | {slowest / each:.1f} |")


if __name__ == "__main__":
    main()
