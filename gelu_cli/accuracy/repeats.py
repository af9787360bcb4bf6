"""Inputs whose results change when a kernel is called again, shuffled or in shorter calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gelu_cli.accuracy.tally import ROW, Rows
from gelu_cli.accuracy.truth import Indices
from gelu_cli.kernels import PROGRAM, Kernel, call

AGAIN = 4096
"""Inputs of a measurement that are called again, besides the worst."""

WORST = 64
VECTOR_BITS = 512
"""Of the widest vectors, AVX-512's."""

CALLS, CALLS_OF_PROGRAMS = 64, 2
"""Calls of each length."""


def bits_differ(a: Any, b: Any) -> Any:
    """Return where the bits of results differ; each NaN is the same."""
    kind = f"u{a.itemsize}"
    differ = a.view(kind) != b.view(kind)
    if differ.any():
        differ &= ~(np.isnan(a.astype(np.float64)) & np.isnan(b.astype(np.float64)))
    return differ


def unrepeatable(kernel: Kernel, inputs: list[Any], usual: Any) -> Rows:
    """Return the inputs at which some call gives other bits than the usual results."""
    changed = np.zeros(len(usual), bool)
    for order in _calls(kernel, len(usual)):
        got = call(kernel, *(each[order] for each in inputs))
        changed[order] |= bits_differ(got, usual[order])
    places = np.flatnonzero(changed)
    rows = np.zeros(len(places), ROW)
    x, *ups = (each[places].astype(np.float64) for each in inputs)
    rows["x"], rows["got"] = x, usual[places].astype(np.float64)
    rows["up"] = ups[0] if ups else 1.0
    return rows


def _calls(kernel: Kernel, count: int) -> Iterator[Indices]:
    """Yield the indices of the inputs of each call: shuffled, then 1, a vector and 1, 2 vectors."""
    yield np.random.default_rng(count).permutation(count)
    vector = VECTOR_BITS // kernel.formats[0].width
    for length in (1, vector + 1, 2 * vector):
        most = (CALLS_OF_PROGRAMS if kernel.kind == PROGRAM else CALLS) * length
        for start in range(0, min(count, most), length):
            yield np.arange(start, min(start + length, count))
