"""Points in blocks: a few at a time, or many as an array."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain, islice
from math import floor, lcm

from gelu_cli.arithmetic.exact import exponent_of
from gelu_cli.arithmetic.typed import Number
from gelu_cli.reading.numbers import Floats, Grid, Range
from gelu_cli.values.points import BULK, MANY, FewPoints, Points, points_of

FEW = 32
"""Exact points in a block: each takes its time, and rows are to appear soon."""

SPARE_BITS = 128
"""Bits of a step before it is rounded: both ends of nearly every number round to one float64."""

EXACT_INTEGERS = 2**53
"""Integers up to here are float64s, so the quotient of two of them is rounded only once."""


def blocks_of(pieces: Iterable[Number | Range], grid: Grid) -> Iterator[Points]:
    """Yield the points of all pieces in blocks; a range unfolds as it is read.

    >>> from gelu_cli.reading.numbers import Grid
    >>> [*blocks_of([0.5, Range(Fraction(1), Fraction(2), 3)], Grid())][0].points
    [0.5, 1.0, 3.0, 5.0]
    """
    few: list[Iterable[Number]] = []
    largest = Fraction(sys.float_info.max)
    for piece in pieces:
        if not isinstance(piece, Range):
            few.append((piece,))
            continue
        beyond = any(not -largest <= end <= largest for end in (piece.start, piece.last))
        if grid.exact or piece.length < MANY or beyond:
            few.append(grid.point(number, "") for number in piece.numbers())
        else:
            yield from in_blocks(chain.from_iterable(few), grid)
            few.clear()
            for at in range(0, piece.length, BULK):
                part = piece.part(at, BULK)
                yield points_of(grid.array(_float64s(part), part.number))
    yield from in_blocks(chain.from_iterable(few), grid)


def in_blocks(points: Iterable[Number], grid: Grid) -> Iterator[Points]:
    """Yield points of the grid in blocks.

    >>> from gelu_cli.reading.numbers import Grid
    >>> [len(block) for block in in_blocks(map(float, range(40000)), Grid())]
    [32768, 7232]
    """
    points = iter(points)
    while block := list(islice(points, FEW if grid.exact else BULK)):
        yield FewPoints(block) if grid.exact else points_of(block)


def _float64s(points: Range) -> Floats:
    """Return the float64s nearest to the numbers."""
    import numpy as np

    start, between, count = points.start, points.step, points.length
    if isinstance(start, Fraction) and isinstance(between, Fraction):
        divisor = lcm(start.denominator, between.denominator)
        first, step = int(start * divisor), int(between * divisor)
        last = first + (count - 1) * step
        if max(map(abs, (first, last, step, divisor))) <= EXACT_INTEGERS:
            return (first + step * np.arange(count, dtype=np.int64)) / divisor
        return np.array([(first + k * step) / divisor for k in range(count)])
    # Irrational numbers lie between two fractions, from start and step rounded down and up.
    divisor = 1 << max(0, SPARE_BITS - exponent_of(between))
    first, step = floor(start * divisor), floor(between * divisor)
    low = np.array([(first + k * step) / divisor for k in range(count)])
    high = np.array([(first + 1 + k * (step + 1)) / divisor for k in range(count)])
    for k in np.flatnonzero(low != high).tolist():
        low[k] = float(points.number(k))
    return low
