"""Inputs whose results change in other calls: shuffled, or shorter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Any

import numpy as np

from gelu_cli.accuracy.selection import Unit
from gelu_cli.accuracy.tally import NO_ROWS, ROW, Rows
from gelu_cli.accuracy.truth import Indices
from gelu_cli.kernels import PROGRAM, Kernel, call

AGAIN = 4096
"""Inputs of a measurement that are called again, besides the worst of each unit."""

WORST = 64
VECTOR_BITS = 512
"""Of the widest vectors, AVX-512's."""

CALLS, FEWEST = 64, 2
"""Calls of each length in a measurement, and in a unit; of programs FEWEST alone."""


def bits_differ(a: Any, b: Any) -> Any:
    """Return a mask of results whose bits differ; NaNs do not."""
    kind = f"u{a.itemsize}"
    differ = a.view(kind) != b.view(kind)
    if differ.any():
        differ &= ~(np.isnan(a.astype(np.float64)) & np.isnan(b.astype(np.float64)))
    return differ


def unrepeatable(kernel: Kernel, unit: Unit, worst: Sequence[Rows], share: float) -> Rows:
    """Return the inputs at which results change from call to call.

    They are the worst of a unit, and a share of its inputs, spread evenly.
    """
    rows = np.concatenate([NO_ROWS, *worst])
    rows = rows[np.argsort(-rows["size"], kind="stable")][:WORST]
    count = ceil(share * len(unit))
    spread = unit.at(np.linspace(0, len(unit) - 1, count).astype(np.int64))
    dtype = unit.dtype.dtype
    inputs = [
        np.concatenate([rows[name].astype(dtype), each])
        for name, each in zip(("x", "up"), spread, strict=False)
    ]
    kind = f"u{dtype.itemsize}"
    _, first = np.unique(np.stack([e.view(kind) for e in inputs]), axis=1, return_index=True)
    first.sort()
    inputs = [each[first] for each in inputs]
    usual = call(kernel, *inputs)
    changed = np.zeros(len(usual), bool)
    most = FEWEST if kernel.kind == PROGRAM else max(FEWEST, CALLS * count // AGAIN)
    for order in _calls(unit, len(usual), most):
        got = call(kernel, *(each[order] for each in inputs))
        changed[order] |= bits_differ(got, usual[order])
    found = np.zeros(np.count_nonzero(changed), ROW)
    found["up"], found["got"] = 1.0, usual[changed].astype(np.float64)
    for name, each in zip(("x", "up"), inputs, strict=False):
        found[name] = each[changed].astype(np.float64)
    return found


def _calls(unit: Unit, count: int, most: int) -> Iterator[Indices]:
    """Yield the inputs of calls: shuffled, then 1, a vector and 1, 2 vectors."""
    yield np.random.default_rng(count).permutation(count)
    vector = VECTOR_BITS // unit.dtype.width
    for length in (1, vector + 1, 2 * vector):
        for start in range(0, min(count, most * length), length):
            yield np.arange(start, min(start + length, count))
