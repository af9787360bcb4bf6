"""A kernel on float32s, and nothing else: what judging its results is measured beside.

    python benchmarks/alone.py tanh_sum|torch LOW HIGH

The numbers are those of both signs with sizes from LOW to HIGH, in blocks of the size at which the
kernel is fastest.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does

import numpy as np

bytearray(1 << 24)  # as a sweep does: glibc then keeps so much of what is freed

Kernel = Callable[[np.ndarray], object]


def blocks(low: float, high: float, size: int) -> Iterator[np.ndarray]:
    """Yield the float32s with sizes from low to high, negative ones first, by their patterns."""
    first, last = (int(np.float32(end).view(np.uint32)) for end in (low, high))
    for sign in (1 << 31, 0):
        for start in range(first, last + 1, size):
            bits = np.arange(start, min(start + size, last + 1), dtype=np.uint32)
            yield (bits | np.uint32(sign)).view(np.float32)


def torch_gelu() -> tuple[Kernel, int]:
    import torch

    return lambda x: torch.nn.functional.gelu(torch.from_numpy(x)), 1 << 19


def routine(name: str) -> tuple[Kernel, int]:
    from gelu_cli.old.arithmetic.formats import FORMATS
    from gelu_cli.old.sweeping.implementations import routine_implementation
    from gelu_cli.old.sweeping.routines import find_routine

    return routine_implementation(find_routine(name), "value", FORMATS["float32"]), 1 << 15


def main() -> None:
    name, low, high = sys.argv[1:]
    kernel, size = torch_gelu() if name == "torch" else routine(name)
    for x in blocks(float(low), float(high), size):
        kernel(x)


if __name__ == "__main__":
    main()
