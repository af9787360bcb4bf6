"""The errors of forms over many points: maxima, averages, percentiles, counts by region and size.

The points come in blocks and are not kept. The errors are those of single points, each correctly
rounded to float64; their sums are exact, so that no figure depends on blocks, threads or order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from functools import partial, reduce
from itertools import pairwise
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import Array
from gelu_cli.old.calculus.comparison import Comparison
from gelu_cli.old.calculus.point_errors_arrays import errors_of_array
from gelu_cli.old.calculus.sums_and_percentiles import OrderStatistics, Sum, exact_sums, square_root
from gelu_cli.old.parallel import in_order
from gelu_cli.old.stages import tell
from gelu_cli.old.values.points import ManyPoints, Points

PERCENTS = (50, 99)
DECADES = np.array([float(f"1e{k}") for k in range(-20, 309)])
"""Errors are counted between these; all that are smaller count as one size."""


class Largest(NamedTuple):
    """The largest error, the first x that has it, and the place of this x among the points."""

    value: float
    x: float
    place: int


class Maxima(NamedTuple):
    """How many points there are, and the largest absolute and relative error of any."""

    n: int
    absolute: Largest
    relative: Largest

    def __or__(self, other: Maxima) -> Maxima:
        """Return the maxima over the points of both."""
        pairs = (self.absolute, other.absolute), (self.relative, other.relative)
        largest = (max(pair, key=lambda each: (each.value, -each.place)) for pair in pairs)
        return Maxima(self.n + other.n, *largest)


class Region(NamedTuple):
    """Points in [low, high), in the last region [low, high]; None stands for no points."""

    low: float
    high: float
    maxima: Maxima | None


class Size(NamedTuple):
    """How many absolute errors are over `low`, up to `high`; the least may be 0 as well."""

    low: float
    high: float
    n: int


class Errors(NamedTuple):
    """What is known of the errors of one form over all points; `percentiles` as in `PERCENTS`."""

    maxima: Maxima
    mean: Sum
    rms: Sum
    percentiles: Sequence[float]
    regions: Sequence[Region]
    sizes: Sequence[Size]


class Span(NamedTuple):
    """The finite points: how many, from where to where; and how many others were left out."""

    n: int = 0
    low: float = math.inf
    high: float = -math.inf
    nan: int = 0
    infinite: int = 0

    def __add__(self, other: Span) -> Span:  # type: ignore[override]
        """Return the span of the points of both."""
        return Span(
            self.n + other.n,
            min(self.low, other.low),
            max(self.high, other.high),
            self.nan + other.nan,
            self.infinite + other.infinite,
        )


class Summary(NamedTuple):
    """The finite points, and the errors of each form there."""

    span: Span
    errors: Sequence[Errors]


def summarise_points(
    blocks: Iterable[Points],
    comparisons: Sequence[Comparison],
    edges: Sequence[float],
    jobs: int = 1,
) -> Summary:
    """Return what errors over all points are: max, mean and √mean of d² for d = |form − target|.

    Regions of x meet at the ascending `edges`. Points that are not finite are counted and left
    out. A relative error 0/0 counts as 0. Blocks of many points are shared by `jobs` threads.
    Raises `UsageError` if no point is finite.

    >>> from gelu_cli.old.calculus.comparison import compare
    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.values.points import FewPoints
    >>> relu = compare(find_form("relu"), find_form("exact"), "gradient")
    >>> points = FewPoints([0.0, math.nan, 0.0, 0.0])
    >>> span, [errors] = summarise_points([points], [relu], edges=[0])
    >>> span.n, span.nan, errors.maxima.relative.value, float(errors.mean)
    (3, 1, 1.0, 0.5)
    """
    span = Span()
    none = _Tally(Fraction(0), Fraction(0), {}, np.zeros(len(DECADES) + 1, np.int64))
    tallies = [none for _ in comparisons]
    look = partial(_look, comparisons, np.array(edges, dtype=np.float64))
    with ExitStack() as stack:
        statistics = [stack.enter_context(OrderStatistics()) for _ in comparisons]
        for there, parts in in_order(look, _placed(blocks), jobs, lambda placed: placed[1].many):
            span += there
            for i, (errors, tally) in enumerate(parts):
                statistics[i].add(errors)
                tallies[i] |= tally
            tell(f"{span.n:,} points")
        if not span.n:
            raise UsageError("none of the points is finite; a summary needs one that is")
        return Summary(span, [
            Errors(
                reduce(or_, tally.regions.values()),
                tally.sum / span.n,
                square_root(tally.squares / span.n),
                each.percentiles(PERCENTS),
                _regions(tally.regions, span, edges),
                _sizes(tally.sizes.tolist()),
            )
            for tally, each in zip(tallies, statistics, strict=True)
        ])  # fmt: skip


def _placed(blocks: Iterable[Points]) -> Iterator[tuple[int, Points]]:
    """Yield blocks, each with the place of its first point among all."""
    place = 0
    for block in blocks:
        yield place, block
        place += len(block)


class _Tally(NamedTuple):
    """What is known of the errors of one form over some points; counts are of `DECADES`."""

    sum: Sum
    squares: Sum
    regions: Mapping[int, Maxima]
    sizes: NDArray[np.int64]

    def __or__(self, other: _Tally) -> _Tally:
        """Return the tally over the points of both."""
        regions = {**other.regions, **self.regions}
        for region in self.regions.keys() & other.regions.keys():
            regions[region] = self.regions[region] | other.regions[region]
        return _Tally(
            self.sum + other.sum, self.squares + other.squares, regions, self.sizes + other.sizes
        )


def _look(
    comparisons: Sequence[Comparison], edges: Array, placed: tuple[int, Points]
) -> tuple[Span, list[tuple[Array, _Tally]]]:
    """Return where the finite points of a block are, and each form's errors there, and a tally."""
    first, points = placed
    x = points.array if isinstance(points, ManyPoints) else np.array([*points.numbers()], float)
    places = np.flatnonzero(np.isfinite(x))
    finite, nan = x[places], int(np.isnan(x).sum())
    low, high = float(finite.min(initial=math.inf)), float(finite.max(initial=-math.inf))
    span = Span(len(finite), low + 0.0, high + 0.0, nan, len(x) - len(finite) - nan)
    return span, [_counted(each, finite, first + places, edges) for each in comparisons]


def _counted(
    comparison: Comparison, x: Array, places: NDArray[np.intp], edges: Array
) -> tuple[Array, _Tally]:
    *_, difference, ratio = errors_of_array(comparison, x)
    absolute, relative = np.abs(difference), np.abs(ratio)
    relative[np.isnan(relative)] = 0
    regions = np.searchsorted(edges, x, side="right")
    by_region = {}
    for region in np.unique(regions).tolist():
        inside = np.flatnonzero(regions == region)
        largest = []
        for sizes in (absolute, relative):
            at = inside[np.argmax(sizes[inside])]
            largest.append(Largest(float(sizes[at]), float(x[at]), int(places[at])))
        by_region[region] = Maxima(len(inside), *largest)
    decades = np.searchsorted(DECADES, absolute, side="left")
    counts = np.bincount(decades, minlength=len(DECADES) + 1)
    return absolute, _Tally(*exact_sums(absolute), by_region, counts)


def _regions(found: Mapping[int, Maxima], span: Span, edges: Sequence[float]) -> list[Region]:
    """Return the regions from the least point to the largest, which belongs to the last one."""
    ends = [span.low, *(edge for edge in edges if span.low < edge < span.high), span.high]
    first, beyond = min(found), max(found)
    regions = [
        Region(low, high, found.get(first + i)) for i, (low, high) in enumerate(pairwise(ends))
    ]
    if beyond == first + len(regions):  # the largest point is an edge
        *_, last = regions
        maxima = found[beyond] if last.maxima is None else last.maxima | found[beyond]
        regions[-1] = last._replace(maxima=maxima)
    return regions


def _sizes(counts: Sequence[int]) -> list[Size]:
    """Return the counts from the least size that has any to the largest."""
    ends = [0.0, *DECADES.tolist(), math.inf]
    some = [i for i, count in enumerate(counts) if count]
    sizes = [Size(ends[i], ends[i + 1], counts[i]) for i in range(some[0], some[-1] + 1)]
    if some[0] == 0 and len(some) > 1:  # as much as is nearly 0, up to where the others begin
        sizes = [Size(0.0, ends[some[1]], counts[0]), *sizes[some[1] :]]
    return sizes
