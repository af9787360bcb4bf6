"""What a process of its own costs a function of the user's: sweeps beside those in one process.

Run it with the Python that gelu is installed in: python benchmarks/guests.py
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does

from _measure import machine
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import Calling, UsersFunction
from gelu_cli.old.guests.hosted import GuestImplementation
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import Question
from rough import rough

ROUNDS = 5
QUESTIONS = {"float32": Inputs(0.25, 8.0), "float16": Inputs()}
"""By format: every float32 of five binades, and every float16."""


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def medians(name: str) -> tuple[float, float]:
    """Return the seconds of a sweep with the function in this process, and in its own."""
    number_format = FORMATS[name]
    question = Question(find_form("sigmoid"), "value", number_format)
    calling = Calling(number_format, number_format)
    here = implementation_of("rough", rough, calling)
    word = f"{Path(__file__).with_name('rough.py')}:rough"
    with GuestImplementation("rough", word, {}, calling) as there:
        kernels: list[UsersFunction] = [here, there]
        times = [
            [seconds(lambda k=k: sweep(k, question, QUESTIONS[name])) for k in kernels]
            for _ in range(ROUNDS)
        ]
    return tuple(statistics.median(column) for column in zip(*times, strict=True))


def main() -> None:
    print(f"{machine()}; medians of {ROUNDS}\n")
    print("| format | in this process, s | in its own, s | ratio |")
    print("|---|---:|---:|---:|")
    for name in QUESTIONS:
        here, there = medians(name)
        print(f"| {name} | {here:.3f} | {there:.3f} | {there / here:.2f} |", flush=True)


if __name__ == "__main__":
    main()
