"""Correctly rounded values a second, beside mpmath, and beside plain float64.

Run it with the Python that gelu is installed in: python benchmarks/throughput.py
mpmath is at its best with gmpy2, which it takes where it is installed.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from _measure import machine
from mpmath import libmp, mp
from scipy import special

from gelu_cli.formulas import find_form
from gelu_cli.numbers.arrays import evaluate_array

POINTS = np.random.default_rng(1).uniform(-8, 8, 1 << 19)
MPMATH_POINTS = 2000
ROUNDS = 5
ROOT = np.sqrt(2 / np.pi)

Function = Callable[[np.ndarray], object]


def by_mpmath(f: Callable[[object], object]) -> Function:
    """Return a function that evaluates f at each point with 25 digits."""
    mp.dps = 25
    return lambda x: [f(mp.mpf(t)) for t in x.tolist()]


def mp_exact(t: object) -> object:
    return float(t * mp.erfc(-t / mp.sqrt(2)) / 2)


def mp_both(t: object) -> object:
    distribution = mp.erfc(-t / mp.sqrt(2)) / 2
    return float(t * distribution), float(distribution + t * mp.npdf(t))


def mp_sigmoid(t: object) -> object:
    return float(t / (1 + mp.exp(-mp.mpf("1.702") * t)))


def mp_tanh(t: object) -> object:
    return float(t * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (t + mp.mpf("0.044715") * t**3))) / 2)


def gelu(form: str, *quantities: str) -> Function:
    return lambda x: [evaluate_array(find_form(form), each, x) for each in quantities]


def scipy_gradient(x: np.ndarray) -> object:
    density = np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    return x * special.ndtr(x), special.ndtr(x) + x * density


CASES: dict[str, tuple[str, dict[str, Function]]] = {
    "exact": (
        "value",
        {
            "mpmath": by_mpmath(mp_exact),
            "float64": lambda x: x * special.ndtr(x),
        },
    ),
    "exact, with gradient": (
        "value gradient",
        {
            "mpmath": by_mpmath(mp_both),
            "float64": scipy_gradient,
        },
    ),
    "tanh": (
        "value",
        {
            "mpmath": by_mpmath(mp_tanh),
            "float64": lambda x: 0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715 * x**3))),
        },
    ),
    "sigmoid": (
        "value",
        {
            "mpmath": by_mpmath(mp_sigmoid),
            "float64": lambda x: x / (1 + np.exp(-1.702 * x)),
        },
    ),
}


def rate(function: Function, x: np.ndarray) -> float:
    """Return points a second, the best of some rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        function(x)
        times.append(time.perf_counter() - start)
    return len(x) / min(times)


def values() -> None:
    print("| form | gelu, one core | mpmath | × mpmath | float64, not right |")
    print("|---|---:|---:|---:|---:|")
    for name, (quantities, others) in CASES.items():
        form = name.split(",")[0]
        one = rate(gelu(form, *quantities.split()), POINTS)
        slow = rate(others["mpmath"], POINTS[:MPMATH_POINTS])
        plain = rate(others["float64"], POINTS)
        print(f"| {name} | {one:,.0f} | {slow:,.0f} | {one / slow:.0f} | {plain:,.0f} |")


def main() -> None:
    print(f"{machine()}; mpmath with {libmp.BACKEND}; points a second, best of {ROUNDS}\n")
    values()


if __name__ == "__main__":
    main()
