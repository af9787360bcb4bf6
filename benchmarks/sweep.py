"""What judging costs: nanoseconds an input for a kernel alone, swept, and the usual way.

Run it with the Python that gelu is installed in: python benchmarks/sweep.py
The kernel is a function of this process, and then the same by its word, in workers. `--all` takes
every float32, minutes of processor time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _measure import machine
from rough import rough
from scipy import special

from gelu_cli import sweep
from gelu_cli.accuracy import Inputs
from gelu_cli.numbers import FORMATS

WORD = f"{Path(__file__).with_name('rough.py')}:rough"
RANGES = {"bfloat16": "-inf:inf", "float16": "-inf:inf", "float32": "0.25:8"}
ROUNDS = 3


def arrays(name: str, low: float, high: float) -> list[np.ndarray]:
    """Return the inputs of a sweep, in arrays of at most 65,536."""
    units = Inputs(FORMATS[name], low, high, every=True).units()
    inputs = np.concatenate([unit.at(np.arange(len(unit)))[0] for unit in units])
    return np.array_split(inputs, -(-len(inputs) // 65_536))


def usual(blocks: list[np.ndarray]) -> None:
    """Compare with scipy in float64 by np.spacing, as people do."""
    for x in blocks:
        got, wide = rough(x).astype(np.float64), x.astype(np.float64)
        want = wide * special.expit(1.702 * wide)
        unit = np.abs(np.spacing(want.astype(np.float32).astype(np.float64)))
        float(np.max(np.abs(got - want) / unit))


def seconds(work: Callable[[], object]) -> float:
    """Return the least seconds of some rounds."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        with np.errstate(all="ignore"):
            work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def measure(name: str, range_: str) -> str:
    """Return a row of the table."""
    low, high = map(float, range_.split(":"))
    blocks = arrays(name, low, high)
    count = sum(map(len, blocks))
    options = {"dtype": name, "form": "sigmoid", "range": range_, "all": True, "criteria": False}
    times = [
        seconds(lambda: [rough(x) for x in blocks]),
        seconds(lambda: usual(blocks)),
        seconds(lambda: sweep(rough, **options)),
        seconds(lambda: sweep(WORD, **options)),
    ]
    return f"| {name} | {count:,} | {' | '.join(f'{each / count * 1e9:.1f}' for each in times)} |"


def main() -> None:
    print(f"{machine()}; ns an input, least of {ROUNDS}\n")
    print("| format | inputs | kernel alone | the usual way | swept here | swept in workers |")
    print("|---|---:|---:|---:|---:|---:|")
    every = {"float32": "-inf:inf"} if "--all" in sys.argv else {}
    for name, range_ in {**RANGES, **every}.items():
        print(measure(name, range_), flush=True)


if __name__ == "__main__":
    main()
