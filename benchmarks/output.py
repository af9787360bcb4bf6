"""How fast rows of float64s leave as text, against other ways to write them.

Run it with the Python that gelu is installed in: python benchmarks/output.py [ROWS]
"""

from __future__ import annotations

import csv
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import TextIO

import numpy as np
from _measure import machine
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from gelu_cli.old.report import Column, Page, Report
from gelu_cli.old.report.formats import find_renderer

ROUNDS = 3
BLOCK = 8192
Block = NDArray[np.float64]


def table(columns: int) -> list[Block]:
    """Return blocks of x from −10 to 10, and of what is like values and gradients of GELU."""
    x = np.linspace(-10, 10, 64 * BLOCK)
    gates = [ndtr(x), 0.5 * (1 + np.tanh(0.8 * x + 0.036 * x**3)), expit(1.702 * x)]
    made = [x, *(column for gate in gates for column in (x * gate, gate))]
    return np.split(np.column_stack(made[:columns]), 64)


def gelu_format(name: str) -> Callable[[Iterator[Block], TextIO], None]:
    def write(blocks: Iterator[Block], stream: TextIO) -> None:
        first = next(blocks)
        columns = [Column(f"c{i}", f"c{i}") for i in range(first.shape[1])]
        report = Report("", columns, (block for part in ([first], blocks) for block in part))
        stream.writelines(find_renderer(name).render(report, Page()))

    return write


def savetxt(blocks: Iterator[Block], stream: TextIO) -> None:
    for block in blocks:
        np.savetxt(stream, block, fmt="%.17g", delimiter=",")


def csv_module(blocks: Iterator[Block], stream: TextIO) -> None:
    for block in blocks:
        csv.writer(stream, lineterminator="\n").writerows(block.tolist())


def one_template(blocks: Iterator[Block], stream: TextIO) -> None:
    for block in blocks:
        line = ",".join(["%r"] * block.shape[1]) + "\n"
        stream.write(line * len(block) % tuple(block.ravel().tolist()))


WAYS = {
    "`gelu`, csv": gelu_format("csv"),
    "`gelu`, jsonl": gelu_format("jsonl"),
    "`'%r,%r\\n' * n % tuple`": one_template,
    "`csv.writer`": csv_module,
    "`numpy.savetxt(fmt='%.17g')`": savetxt,
}


def seconds(write: Callable[[Iterator[Block], TextIO], None], blocks: Iterator[Block]) -> float:
    with open(os.devnull, "w", encoding="utf-8") as stream:
        start = time.perf_counter()
        write(blocks, stream)
        return time.perf_counter() - start


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10**6
    count = -(-rows // BLOCK)
    print(f"{machine()}; {count * BLOCK:,} rows, medians of {ROUNDS}\n")
    print("| columns | way | million rows/s | × savetxt |")
    print("|---:|---|---:|---:|")
    for columns in (3, 7):
        blocks = table(columns)
        times: dict[str, list[float]] = {name: [] for name in WAYS}
        for _ in range(ROUNDS):
            for name, write in WAYS.items():
                times[name].append(seconds(write, islice(cycle(blocks), count)))
        taken = {name: statistics.median(each) for name, each in times.items()}
        slowest = taken["`numpy.savetxt(fmt='%.17g')`"]
        for name, each in taken.items():
            speed = count * BLOCK / each / 1e6
            print(f"| {columns} | {name} | {speed:.2f} | {slowest / each:.1f} |")


if __name__ == "__main__":
    main()
