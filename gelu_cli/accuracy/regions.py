"""Divide the numbers of a format into regions, and each region into cells."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import numbers_of
from gelu_cli.numbers.cells import Floats

EDGES = (2.0**-12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Regions of |x| begin at 0, the least normal number and the EDGES; for |up|, 1 replaces EDGES."""

CELLS = 16
"""Number of cells of a region; a cell has at most one number more than another cell."""


class Region(NamedTuple):
    """The numbers of one sign with low ≤ |number| < high."""

    sign: int
    low: float
    high: float

    @property
    def ends(self) -> tuple[float, float]:
        """The ends in ascending order; a zero has the sign of the region."""
        return (self.low, self.high) if self.sign > 0 else (-self.high, -self.low)


class Place(NamedTuple):
    """A region of x and, for pairs, a region of the second input."""

    x: Region
    up: Region | None = None

    @property
    def order(self) -> tuple[float, ...]:
        """The key that sorts places by x, then by up."""
        return *self.x.ends, *(self.up.ends if self.up else ())


@lru_cache
def regions_of(of: Format, second: bool = False) -> tuple[Region, ...]:
    """List the regions of x or, if `second`, of ups: positive, then negative."""
    least, edges = 2.0**of.emin, (1.0,) if second else EDGES
    starts = 0.0, least, *(each for each in edges if least < each <= of.largest), inf
    return tuple(Region(sign, *ends) for sign in (1, -1) for ends in pairwise(starts))


def region_indices(of: Format, x: Floats, second: bool = False) -> Any:
    """Return for each number the index of its region in `regions_of`."""
    starts = [region.low for region in regions_of(of, second) if region.sign > 0]
    return np.searchsorted(starts, np.abs(x), side="right") - 1 + len(starts) * np.signbit(x)


def alike(*columns: Any) -> Iterator[slice]:
    """Yield the longest slices in which each column is constant."""
    changes = np.any([np.diff(each) != 0 for each in columns], axis=0)
    cuts = [0, *(np.flatnonzero(changes) + 1).tolist(), len(columns[0])]
    yield from (slice(*ends) for ends in pairwise(cuts) if ends[0] < ends[1])


def places_of(of: Format, x: Floats, ups: Floats | None = None) -> Iterator[tuple[Place, slice]]:
    """Yield each place of inputs that are sorted by place, with their slice."""
    columns = [x] if ups is None else [x, ups]
    first, last = ([each[i : i + 1] for each in columns] for i in (0, len(x) - 1))
    if (place := _place(of, *first)) == _place(of, *last):
        yield place, slice(0, len(x))
        return
    indices = [region_indices(of, each, k > 0) for k, each in enumerate(columns)]
    for some in alike(*indices):
        yield _place(of, *(each[some.start : some.start + 1] for each in columns)), some


def _place(of: Format, *inputs: Floats) -> Place:
    """Return the place of one input."""
    found = [region_indices(of, each, k > 0)[0] for k, each in enumerate(inputs)]
    return Place(*(regions_of(of, k > 0)[i] for k, i in enumerate(found)))


@lru_cache
def cells_of(of: Format, region: Region) -> Floats:
    """Return the CELLS values of |x| at which the cells of a region begin."""
    first = of.bits(region.low)
    end = of.top if region.high == inf else of.bits(region.high)
    return numbers_of(of, np.array([first + (end - first) * k // CELLS for k in range(CELLS)]))
