"""Inputs whose results change in other calls: shuffled, or shorter."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np

from gelu_cli.accuracy.selection import Unit
from gelu_cli.accuracy.tally import NO_ROWS, ROW, Rows
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

    They are the worst of a unit, and a share of its inputs, spread evenly. Calls are shuffled, and
    of one input, a vector and one, and two vectors.
    """
    rows = np.concatenate([NO_ROWS, *worst])
    rows = rows[np.argsort(-rows["size"], kind="stable")][:WORST]
    spread = np.linspace(0, len(unit) - 1, ceil(share * len(unit))).astype(np.int64)
    inputs = [
        np.concatenate([rows[name].astype(each.dtype), each])
        for name, each in zip(("x", "up"), unit.at(spread), strict=False)
    ]
    count = len(inputs[0])
    orders = [np.random.default_rng(count).permutation(count)]
    vector = VECTOR_BITS // (8 * inputs[0].itemsize)
    calls = FEWEST if kernel.kind == PROGRAM else max(FEWEST, CALLS * len(spread) // AGAIN)
    for length in (1, vector + 1, 2 * vector):
        starts = range(0, min(count, calls * length), length)
        orders += (np.arange(start, min(start + length, count)) for start in starts)
    usual, changed = call(kernel, *inputs), np.zeros(count, bool)
    for order in orders:
        changed[order] |= bits_differ(call(kernel, *(e[order] for e in inputs)), usual[order])
    found = np.ones(np.count_nonzero(changed), ROW)
    for name, each in zip(("got", "x", "up"), (usual, *inputs), strict=False):
        found[name] = each[changed].astype(np.float64)
    return np.unique(found)
