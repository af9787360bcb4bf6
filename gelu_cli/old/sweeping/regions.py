"""Regions of a format's numbers, and their cells: where an error lies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic.format_arrays import Array, Floats, numbers
from gelu_cli.old.arithmetic.formats import Format

EDGES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Where GELUs do what they do; besides, regions end at the least normal number and at 2⁻¹²."""

SMALL = 2.0**-12

CELLS = 16
"""So many parts, each with the same share of the numbers, has every region."""


Ends: TypeAlias = tuple[float, float]


class Region(NamedTuple):
    """Inputs of one sign, of sizes from `low` up to but not including `high`."""

    sign: int
    low: float
    high: float
    up: Region | None = None
    """Where second inputs are, of kernels that have two."""

    @property
    def ends(self) -> Ends:
        """Where it begins and ends on the line; a zero has the sign of the inputs.

        >>> Region(-1, 4.0, 8.0).ends, Region(-1, 0.0, 0.25).ends
        ((-8.0, -4.0), (-0.25, -0.0))
        """
        return (self.low, self.high) if self.sign > 0 else (-self.high, -self.low)

    @property
    def place(self) -> tuple[float, ...]:
        """What regions are ordered by."""
        return *self.ends, *(self.up.ends if self.up else ())


def regions(number_format: Format) -> list[Region]:
    """Return the regions in the order of the bit patterns: from 0 up, then from −0 down."""
    least = 2.0**number_format.emin
    edges = [edge for edge in (SMALL, *EDGES) if least < edge <= number_format.largest]
    ends = [0.0, least, *edges, inf]
    return [Region(sign, *pair) for sign in (1, -1) for pair in pairwise(ends)]


def region_of_up(number_format: Format, up: float) -> Region:
    """Return where a second input is: by its sign, subnormal, below 1 or from 1 on.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> region_of_up(FORMATS["float16"], -3.0).ends
    (-inf, -1.0)
    """
    ends = [0.0, 2.0**number_format.emin, 1.0, inf]
    low, high = next(pair for pair in pairwise(ends) if abs(up) < pair[1])
    return Region(-1 if np.signbit(up) else 1, low, high)


CLOSE = 1e-5
"""Regions are known by their ends in six digits, as people see them."""


def region_numbers(number_format: Format, x: Array) -> NDArray[np.int64]:
    """Return for each number the place of its region among `regions`."""
    half = regions(number_format)[: len(regions(number_format)) // 2]
    place = np.searchsorted([region.high for region in half], np.abs(x), side="right")
    numbers: NDArray[np.int64] = place + np.signbit(x) * len(half)
    return numbers


@cache
def cell_starts(number_format: Format) -> Array:
    """Return where the cells of the positive numbers begin, and last the largest number.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> cell_starts(FORMATS["bfloat16"])[-2 * CELLS - 1 : -CELLS : 4].tolist()
    [8.0, 10.0, 12.0, 14.0, 16.0]
    """
    half = regions(number_format)[: len(regions(number_format)) // 2]
    largest = number_format.bits(number_format.largest)
    patterns = [number_format.bits(region.low) for region in half] + [largest]
    starts = [
        first + (end - first) * part // CELLS
        for first, end in pairwise(patterns)
        for part in range(CELLS)
    ]
    return numbers(number_format, np.array([*starts, largest]))


def cell_number(number_format: Format, x: float) -> int:
    """Return the place of the cell of one number.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> cell_number(FORMATS["bfloat16"], 0.0), cell_number(FORMATS["bfloat16"], -0.0)
    (0, 160)
    """
    return int(cell_numbers(number_format, np.array([x]))[0])


def cell_numbers(number_format: Format, x: Floats) -> NDArray[np.int64]:
    """Return for each number the place of its cell, in the order of the bit patterns."""
    starts = cell_starts(number_format)[:-1]
    place = np.searchsorted(starts, np.abs(x), side="right") - 1
    cells: NDArray[np.int64] = place + np.signbit(x) * len(starts)
    return cells


def by_cells(number_format: Format, x: Floats) -> list[tuple[int, int, int]]:
    """Return the cells of numbers in the order of their bits: where each begins and ends in x.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> by_cells(FORMATS["bfloat16"], np.array([1.0, 1.03125, 1.0625, -0.0]))
    [(80, 0, 2), (81, 2, 3), (160, 3, 4)]
    """
    first, last = cell_numbers(number_format, x[[0, -1]]).tolist()
    if first == last:
        return [(first, 0, len(x))]
    cells = cell_numbers(number_format, x)
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    ends = np.append(starts[1:], len(x))
    return [*zip(cells[starts].tolist(), starts.tolist(), ends.tolist(), strict=True)]


@cache
def size_ends(number_format: Format) -> Sequence[Ends]:
    """Return the ends of cells by size: subnormal numbers, one exponent around 1, some far from it.

    First come those of positive numbers.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> [low for low, _ in size_ends(FORMATS["float16"])[7:19]]
    [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0, 1024.0, 4096.0]
    """
    least, end = number_format.emin, int(np.frexp(number_format.largest)[1])
    step = 1 << max(0, (-least).bit_length() - 3)  # some eight cells far out, on either side
    powers = [n for n in range(least, end) if n == least or abs(n) <= 4 or n % step == 0]
    edges = [0.0, *(2.0**n for n in powers), number_format.largest]
    return [Region(sign, *pair).ends for sign in (1, -1) for pair in pairwise(edges)]


@cache
def _size_table(number_format: Format) -> NDArray[np.int64]:
    """Return the cells of float64s by their first 12 bits, sign and exponent."""
    ends = size_ends(number_format)
    half = len(ends) // 2
    x = (np.arange(1 << 12, dtype=np.uint64) << np.uint64(52)).view(np.float64)
    sizes = np.searchsorted([low for low, _ in ends[1:half]], np.abs(x), "right")
    cells: NDArray[np.int64] = sizes + np.signbit(x) * half
    return cells


def size_cells(number_format: Format, x: Floats) -> NDArray[np.int64]:
    """Return for each number the place of its cell among `size_ends`."""
    cells: NDArray[np.int64] = _size_table(number_format)[x.view(np.int64) >> 52]
    return cells
