"""What numbers beyond double cost: the candidates for the extended arithmetic, side by side.

Run it with the Python that gelu is installed in; `pip install numpy-quaddtype xprec` adds the two
libraries. docs/arithmetic.md says what was chosen, and why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np
from _measure import machine

from gelu_cli.old.arithmetic.extended import double_double
from gelu_cli.old.arithmetic.extended.functions import EXTENDED
from gelu_cli.old.arithmetic.extended.number import extended

SIZE, ROUNDS = 1 << 14, 200
X = np.random.default_rng(1).uniform(0.5, 8, SIZE)
Y = np.random.default_rng(2).uniform(0.5, 8, SIZE)

Operations = Mapping[str, Callable[[], object]]


def extended_operations() -> Operations:
    """Our own numbers: every operation bounds its error."""
    a, b = extended(X) / 3, extended(Y) / 3
    return {
        "+": lambda: a + b,
        "×": lambda: a * b,
        "÷": lambda: a / b,
        "exp": lambda: EXTENDED.exp(a),
        "erfc": lambda: EXTENDED.erfc(a),
    }


def pair_operations() -> Operations:
    """The pairs of float64s underneath, without bounds."""
    a, b = extended(X) / 3, extended(Y) / 3
    return {
        "+": lambda: double_double.add(a.pair, b.pair),
        "×": lambda: double_double.multiply(a.pair, b.pair),
        "÷": lambda: double_double.divide(a.pair, b.pair),
    }


def quad_operations() -> Operations:
    from numpy_quaddtype import QuadPrecDType

    a, b = X.astype(QuadPrecDType()), Y.astype(QuadPrecDType())
    return compiled_operations(a, b)


def xprec_operations() -> Operations:
    import xprec

    return compiled_operations(X.astype(xprec.ddouble), Y.astype(xprec.ddouble))


def compiled_operations(a: np.ndarray, b: np.ndarray) -> Operations:
    return {"+": lambda: a + b, "×": lambda: a * b, "÷": lambda: a / b, "exp": lambda: np.exp(a)}


CANDIDATES = {
    "pairs of float64, numpy": pair_operations,
    "the same with error bounds": extended_operations,
    "numpy-quaddtype": quad_operations,
    "xprec": xprec_operations,
}
COLUMNS = ["+", "×", "÷", "exp", "erfc"]


def nanoseconds(function: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times) / SIZE * 1e9


def main() -> None:
    print(f"{machine()}; ns a number, one thread, blocks of {SIZE}, best of {ROUNDS}\n")
    print(f"| | {' | '.join(COLUMNS)} |\n|---|{'---:|' * len(COLUMNS)}")
    for name, candidate in CANDIDATES.items():
        try:
            operations = candidate()
        except ImportError as error:
            print(f"| {name} | ({error.name} is not installed) |")
            continue
        cells = [
            f"{nanoseconds(operations[column]):.1f}" if column in operations else "–"
            for column in COLUMNS
        ]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
