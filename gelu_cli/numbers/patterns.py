"""Arrays of bit patterns.

Numbers of a format, ordinals, and distances between numbers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gelu_cli.numbers.arrays import binade
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.formats import Format


def ulps(of: Format, y: Floats) -> Floats:
    """Return the units in the last place at float64s."""
    return np.maximum(binade(y), 2.0**of.emin) * 2.0 ** (1 - of.precision)


def numbers_of(of: Format, bits: NDArray[Any]) -> Floats:
    """Return the numbers of bit patterns, as float64s."""
    with np.errstate(invalid="ignore"):  # of NaNs that signal
        unsigned = np.asarray(bits).astype(f"u{of.width // 8}")
        return np.asarray(unsigned.view(of.dtype).astype(np.float64))


def bits_of(of: Format, values: Floats) -> NDArray[Any]:
    """Return the bit patterns of numbers of a format."""
    return np.asarray(values.astype(of.dtype).view(f"u{of.width // 8}"))


def pattern_range(of: Format, sign: int, low: float, high: float) -> tuple[int, int]:
    """Return the range of patterns of numbers of one sign in [low, high].

    >>> from gelu_cli.numbers.formats import FORMATS
    >>> pattern_range(FORMATS["float8_e5m2"], 1, 1.0, 1.5)
    (60, 63)
    """
    least, most = sorted((sign * low + 0.0, sign * high + 0.0))  # −0 + 0 = 0
    if most < 0:
        return 0, 0
    first, end = pattern_from(of, max(least, 0.0)), pattern_from(of, most)
    end += int(end < of.top and of.number(end) == most)
    return first, max(first, end)


def pattern_from(of: Format, size: float) -> int:
    """Return the first pattern from a size on, or the one after the largest."""
    if size > of.largest:
        return of.top
    pattern = of.bits(of.from_float(size)) if math.isfinite(of.from_float(size)) else of.top - 1
    while pattern and of.number(pattern - 1) >= size:
        pattern -= 1
    return pattern + int(of.number(pattern) < size)


def ordinals(of: Format, values: Floats) -> NDArray[np.int64]:
    """Return how many steps of a format lead from 0 to its numbers."""
    bits = _signed_bits(of, values).astype(np.int64)
    return np.where(bits < 0, (-1 << (of.width - 1)) - bits, bits)


def ordinal_distances(of: Format, one: Floats, other: Floats) -> NDArray[np.uint64]:
    """Count the steps from one number to the other; the count has 64 bits."""
    a, b = _signed_bits(of, one), _signed_bits(of, other)
    if not np.any(a ^ b < 0):  # of one sign: patterns are apart as ordinals are, at half the cost
        return np.asarray(np.abs(a - b)).astype(np.uint64)
    a, b = ordinals(of, one), ordinals(of, other)
    return np.asarray(np.where(a > b, a - b, b - a)).view(np.uint64)


def _signed_bits(of: Format, values: Floats) -> NDArray[Any]:
    return values.astype(of.dtype).view(f"i{of.width // 8}")
