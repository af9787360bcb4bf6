"""Regions of the numbers of a format, divided into cells."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np

from gelu_cli.numbers import Format
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.patterns import numbers_of

EDGES = (2.0**-12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Regions of x also end at the least normal number; those of second inputs there and at 1."""

CELLS = 16
"""Cells of a region: each has the same share of its numbers."""


class Region(NamedTuple):
    """Numbers of one sign, of sizes from `low` up to but not including `high`."""

    sign: int
    low: float
    high: float

    @property
    def ends(self) -> tuple[float, float]:
        """The ends on the real axis; a zero has the sign of the numbers.

        >>> Region(-1, 4.0, 8.0).ends, Region(-1, 0.0, 0.25).ends
        ((-8.0, -4.0), (-0.25, -0.0))
        """
        return (self.low, self.high) if self.sign > 0 else (-self.high, -self.low)


class Place(NamedTuple):
    """A region of x and, for pairs, one of the second input."""

    x: Region
    up: Region | None = None

    @property
    def order(self) -> tuple[float, ...]:
        """The key by which places are sorted along x."""
        return *self.x.ends, *(self.up.ends if self.up else ())


@lru_cache
def starts_of(of: Format, second: bool = False) -> tuple[float, ...]:
    """Return the sizes at which regions of one sign begin, and infinity."""
    least = 2.0**of.emin
    edges = (1.0,) if second else EDGES
    return 0.0, least, *(each for each in edges if least < each <= of.largest), inf


def parts(of: Format, x: Floats, second: bool = False) -> Iterator[tuple[Region, slice]]:
    """Yield the regions of numbers in the order of bit patterns, as slices."""
    starts = starts_of(of, second)
    place = np.searchsorted(starts, np.abs(x), side="right") + len(starts) * np.signbit(x)
    cuts = [0, *(np.flatnonzero(np.diff(place)) + 1).tolist(), len(x)]
    for first, end in pairwise(cuts):
        negative, low = divmod(int(place[first]), len(starts))
        yield Region(1 - 2 * negative, starts[low - 1], starts[low]), slice(first, end)


@lru_cache
def cells_of(of: Format, region: Region) -> Floats:
    """Return the sizes at which the cells of a region begin."""
    first = of.bits(region.low)
    end = of.top - 1 if region.high == inf else of.bits(region.high)
    return numbers_of(of, np.array([first + (end - first) * k // CELLS for k in range(CELLS)]))
