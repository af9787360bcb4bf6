"""What judging costs: nanoseconds an input for a routine alone, judged, and the usual way.

Run it with the Python that gelu is installed in: python benchmarks/sweep.py
All float32s take minutes of processor time; `--quick` takes 64 of their 510 binades.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does

import numpy as np
from _measure import machine
from gelu_cli.old.arithmetic.format_arrays import every_number
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping.implementations import RoutineImplementation, routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs, sample
from gelu_cli.old.sweeping.routines import find_routine
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import Question
from scipy import special

ROUTINE = "tanh_sum"
BLOCK = 1 << 16
QUICK = (2.0**-24, 2.0**8)
SAMPLES = 1_000_000
NATIVE = {"float64": np.float64, "float32": np.float32, "float16": np.float16}


def float32s(low: float, high: float) -> list[np.ndarray]:
    """Return the float32s of both signs with sizes from low to high, as ranges of patterns."""
    first, last = (int(np.float32(end).view(np.uint32)) for end in (low, high))
    starts = range(first, last + 1, BLOCK)
    return [
        np.arange(start, min(start + BLOCK, last + 1), dtype=np.uint32) + np.uint32(sign)
        for sign in (0, 1 << 31)
        for start in starts
    ]


def alone(routine: RoutineImplementation, blocks: list[np.ndarray]) -> None:
    for block in blocks:
        routine(block.view(np.float32) if block.dtype == np.uint32 else block)


def usual(routine: RoutineImplementation, blocks: list[np.ndarray], native: type) -> None:
    """What people write: a float64 reference by scipy, np.spacing for the ulp, a maximum."""
    worst, total = 0.0, 0.0
    for block in blocks:
        x = block.view(np.float32) if block.dtype == np.uint32 else block
        got = routine(x).astype(np.float64)
        want = x.astype(np.float64) * special.ndtr(x.astype(np.float64))
        error = np.abs(got - want) / np.abs(np.spacing(want.astype(native)))
        worst, total = max(worst, float(error.max())), total + float(error.sum())


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    with np.errstate(all="ignore"):
        work()
    return time.perf_counter() - start


def measure(name: str, ends: tuple[float, float] | None = None) -> str:
    number_format = FORMATS[name]
    routine = routine_implementation(find_routine(ROUTINE), "value", number_format)
    question = Question(find_form("exact"), "value", number_format)
    carrier = np.float64 if name == "float64" else np.float32
    if name == "float32":
        low, high = ends or (0.0, number_format.largest)
        blocks = float32s(low, high)
        inputs = [Inputs(low, high), Inputs(-high, -low)] if ends else [Inputs()]
    elif name == "float64":
        x, inputs = sample(number_format, SAMPLES, 0), [Inputs(every=False, samples=SAMPLES)]
        blocks = [x[i : i + BLOCK] for i in range(0, len(x), BLOCK)]
    else:
        blocks, inputs = [every_number(number_format).astype(carrier)], [Inputs()]
    count = sum(map(len, blocks))
    one = seconds(lambda: alone(routine, blocks))
    judged = seconds(lambda: [sweep(routine, question, part) for part in inputs])
    native = NATIVE.get(name)
    plain = seconds(lambda: usual(routine, blocks, native)) if native else float("nan")
    figures = (taken / count * 1e9 for taken in (one, judged, plain))
    ratio = (judged - one) / one
    return f"| {name} | {count:,} | {' | '.join(f'{f:.1f}' for f in figures)} | {ratio:.1f} |"


def main() -> None:
    print(f"{machine()}; routine {ROUTINE}; one process; ns an input\n")
    print("| format | inputs | routine alone | judged | the usual way | judging ÷ routine |")
    print("|---|---:|---:|---:|---:|---:|")
    quick = QUICK if "--quick" in sys.argv else None
    for name in ("bfloat16", "float16", "float64", "float32"):
        print(measure(name, quick), flush=True)


if __name__ == "__main__":
    main()
