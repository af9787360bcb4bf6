"""The cells of a format: the intervals of real numbers that round to one number each."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.arithmetic.formats import Format

MANY, NEAR_ENDS = 1 << 12, 1 << 9
"""So many cells of one width are one interval, but for those near both ends of what is cut."""

FINEST = 40
"""Bits of a format whose cells float64s still divide."""


def boundaries(number_format: Format, low: float, high: float, floor: float) -> Array:
    """Return where to cut the values between two ends, these included, in ascending order.

    An interval between two cuts lies in one cell of the format or, in a run of cells of one width,
    is many of them. Numbers of a size below `floor` are one interval. The exponents have no upper
    end.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> boundaries(FORMATS["float8_e5m2"], 0.9, 2.0, 0.0)  # around 1, 1.25, 1.5, 1.75 and 2
    array([0.9   , 0.9375, 1.125 , 1.375 , 1.625 , 1.875 , 2.    ])
    """
    ends = [abs(low), abs(high)]
    cuts = list(_cuts(number_format, max(ends), floor, ends))
    sizes = np.concatenate(cuts) if cuts else np.empty(0)
    both = np.concatenate([-sizes, sizes])
    return np.concatenate([[low], np.unique(both[(low < both) & (both < high)]), [high]])


def _cuts(number_format: Format, top: float, floor: float, ends: list[float]) -> Iterator[Array]:
    """Yield the positive cuts up to `top`, the middles between neighbours, binade by binade."""
    first = number_format.emin
    lowest = math.frexp(floor)[1] - 1 if floor else first
    if lowest > first:
        first = lowest
        yield np.array([2.0**first])
    else:
        yield _middles(0, number_format, first, top, ends)
    for exponent in range(first, math.frexp(top)[1]):
        yield _middles(1, number_format, exponent, top, ends)


def _middles(
    leading: int, number_format: Format, exponent: int, top: float, ends: list[float]
) -> Array:
    """Return the middles in a binade, or below the first one where the leading bit is 0."""
    count = 1 << (number_format.precision - 1)
    unit = math.ldexp(1.0, exponent - number_format.precision + 1)
    last = min(count, math.ceil(top / unit) - leading * count)
    if last <= MANY:
        k = np.arange(max(last, 0), dtype=float)
    elif number_format.precision > FINEST:
        return np.array([math.ldexp(1.0, exponent + 1)])
    else:
        places = [0, *(round(end / unit) - leading * count for end in ends), count]
        near = [np.arange(place - NEAR_ENDS, place + NEAR_ENDS) for place in places]
        k = np.unique(np.concatenate(near)).astype(float)
        k = k[(k >= 0) & (k < count)]
    return (leading * count + k + 0.5) * unit


def units(number_format: Format, values: Array) -> Array:
    """Return the width of the cells where the values are.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> units(FORMATS["bfloat16"], np.array([1.5, -0.75]))
    array([0.0078125 , 0.00390625])
    """
    exponents = np.maximum(np.frexp(values)[1] - 1, number_format.emin)
    return np.asarray(np.ldexp(1.0, exponents - number_format.precision + 1))
