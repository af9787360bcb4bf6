"""Arrays of bit patterns.

Numbers of a format, ordinals, and distances between numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gelu_cli.numbers.cells import Floats, binade
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
    first, end = (pattern_from(of, size) for size in (max(least, 0.0), np.nextafter(most, np.inf)))
    return first, max(first, end)


def pattern_from(of: Format, size: float) -> int:
    """Return the first pattern from a size on, or the one after the largest."""
    if size > of.largest:
        return of.top
    nearest = of.from_float(size)
    return of.bits(nearest) + int(nearest < size)


def ordinal_distances(of: Format, one: Floats, other: Floats) -> NDArray[np.uint64]:
    """Count the steps from one number to the other; the count has 64 bits."""
    a, b = (values.astype(of.dtype).view(f"i{of.width // 8}") for values in (one, other))
    if np.any(a ^ b < 0):  # of one sign patterns are apart as ordinals are, at half the cost
        least = -1 << (of.width - 1)
        a, b = (bits.astype(np.int64) for bits in (a, b))
        a, b = (np.where(bits < 0, least - bits, bits) for bits in (a, b))
    return np.asarray((np.maximum(a, b) - np.minimum(a, b)).astype(np.uint64))
