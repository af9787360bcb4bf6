"""Which inputs of a format a sweep takes."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.formats import Format
from gelu_cli.arithmetic.patterns import numbers, pattern_range
from gelu_cli.arithmetic.rounding import Array


class Inputs(NamedTuple):
    """Which inputs to take: a range, all of them or so many at random."""

    low: float = -inf
    high: float = inf
    every: bool = True
    samples: int = 1_000_000
    seed: int = 0


def sample(
    number_format: Format, count: int, seed: int, low: float = -inf, high: float = inf
) -> Array:
    """Return so many numbers drawn evenly from each binade, and the edges, in the same order.

    Edges are zeros, the least and largest subnormal and normal numbers, and every power of 2 with
    its neighbours. `number_format` is float32 or float64. Of a range with fewer numbers, all.
    """
    top = number_format.bits(number_format.largest)
    trailing = number_format.precision - 1
    generator = np.random.default_rng(seed)
    powers = np.arange(0, top, 1 << trailing, dtype=np.int64)
    edges = np.unique(np.concatenate([powers, powers[1:] - 1, powers + 1, [top]]))
    ranges = {sign: pattern_range(number_format, sign, low, high) for sign in (1, -1)}
    inside = {sign: edges[(edges >= first) & (edges < end)]
              for sign, (first, end) in ranges.items()}  # fmt: skip
    size = sum(end - first for first, end in ranges.values())
    missing = max(count - sum(map(len, inside.values())), 0)
    found = []
    for sign, (first, end) in ranges.items():
        if size <= count:
            magnitudes = np.arange(first, end, dtype=np.int64)
        else:
            share = missing * (end - first) // size
            drawn = generator.integers(first, max(end, first + 1), share, dtype=np.int64)
            magnitudes = np.unique(np.concatenate([inside[sign], drawn]))
        found.append(magnitudes + (_signed(1 << (number_format.width - 1)) if sign < 0 else 0))
    return numbers(number_format, np.concatenate(found))


def _signed(bit: int) -> int:
    """Return a sign bit as an int64 has it."""
    return bit - (1 << 64) if bit >> 63 else bit
