"""What forms cost in PyTorch, on one core: nanoseconds an input, and beside exact GELU.

Run it with a Python that has PyTorch: python benchmarks/forms.py
65,536 inputs, which stay in the cache; the best of many rounds, in turns, so that what else runs on
the machine matters little. PyTorch has no QuickGELU: sigmoid is x·σ(1.702x) as models write it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from _measure import processor
from torch.nn import functional

INPUTS, CALLS, ROUNDS = 1 << 16, 20, 60

Form = Callable[[torch.Tensor], torch.Tensor]
FORMS: dict[str, Form] = {
    "exact": functional.gelu,
    "tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "sigmoid": lambda x: x * torch.sigmoid(1.702 * x),
    "silu": functional.silu,
    "relu": functional.relu,
}
DTYPES = torch.float32, torch.bfloat16


def nanoseconds(form: Form, x: torch.Tensor) -> float:
    """Return what an input takes, in nanoseconds, in the mean of some calls."""
    start = time.perf_counter()
    for _ in range(CALLS):
        form(x)
    return (time.perf_counter() - start) / CALLS / INPUTS * 1e9


def main() -> None:
    torch.set_num_threads(1)
    x = torch.randn(INPUTS, generator=torch.Generator().manual_seed(1))
    best = {(name, dtype): float("inf") for name in FORMS for dtype in DTYPES}
    for _ in range(ROUNDS):
        for (name, dtype), least in best.items():
            best[name, dtype] = min(least, nanoseconds(FORMS[name], x.to(dtype)))
    print(f"{processor()}; PyTorch {torch.__version__}, one thread, best of {ROUNDS}\n")
    print("| form | float32, ns | × exact | bfloat16, ns | × exact |")
    print("|---|---:|---:|---:|---:|")
    for name in FORMS:
        cells = [
            cell
            for dtype in DTYPES
            for cell in (
                f"{best[name, dtype]:.2f}",
                f"{best[name, dtype] / best['exact', dtype]:.1f}",
            )
        ]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
