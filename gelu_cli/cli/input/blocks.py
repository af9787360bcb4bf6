"""Points in blocks: a few at a time, or many as an array."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain, islice
from math import floor, lcm
from typing import TYPE_CHECKING

from gelu_cli.arithmetic.typed import Number
from gelu_cli.cli.input.numbers import Range
from gelu_cli.values.points import BULK, MANY, FewPoints, Points, points_of

if TYPE_CHECKING:
    from gelu_cli.cli.input.grid import Floats, Grid

FEW = 256
"""Exact points in a block: each takes its time, and rows are to appear soon."""

SPARE_BITS = 128
"""Of a step, before it is rounded: nearly all numbers of a range are then known well enough."""

EXACT_INTEGERS = 2**53
"""Integers up to here are float64s, so that the quotient of two of them is rounded only once."""


def blocks_of(pieces: Iterable[Number | Range], grid: Grid) -> Iterator[Points]:
    """Yield the points of all pieces in blocks; a range unfolds as it is read.

    >>> from fractions import Fraction
    >>> from gelu_cli.cli.input.grid import Grid
    >>> list(blocks_of([0.5, Range(Fraction(1), Fraction(2), 3)], Grid()))
    [FewPoints([0.5, 1.0, 3.0, 5.0])]
    """
    few: list[Iterable[Number]] = []
    for piece in pieces:
        if not isinstance(piece, Range):
            few.append((piece,))
        elif grid.exact or piece.length < MANY or _beyond_float64(piece):
            few.append(_numbers(piece, grid))
        else:
            yield from in_blocks(chain.from_iterable(few), grid)
            few.clear()
            yield from _arrays(piece, grid)
    yield from in_blocks(chain.from_iterable(few), grid)


def in_blocks(points: Iterable[Number], grid: Grid) -> Iterator[Points]:
    """Yield points of the grid in blocks.

    >>> from gelu_cli.cli.input.grid import Grid
    >>> [len(block) for block in in_blocks(map(float, range(40000)), Grid())]
    [32768, 7232]
    """
    points = iter(points)
    while block := list(islice(points, FEW if grid.exact else BULK)):
        yield FewPoints(block) if grid.exact else points_of(block)


def _numbers(points: Range, grid: Grid) -> Iterator[Number]:
    return (grid.point(number, "") for number in points.numbers())


def _beyond_float64(points: Range) -> bool:
    largest = Fraction(sys.float_info.max)
    return not all(-largest <= end <= largest for end in (points.start, points.last))


def _arrays(points: Range, grid: Grid) -> Iterator[Points]:
    for at in range(0, points.length, BULK):
        part = points.part(at, BULK)
        yield points_of(grid.array(_float64s(part), part.number))


def _float64s(points: Range) -> Floats:
    """Return the float64s nearest to the numbers."""
    start, step = points.start, points.step
    if isinstance(start, Fraction) and isinstance(step, Fraction):
        return _over_a_denominator(points, start, step)
    return _of_irrationals(points)


def _over_a_denominator(points: Range, start: Fraction, between: Fraction) -> Floats:
    """Return the float64s nearest to fractions, as quotients over a common denominator."""
    import numpy as np

    divisor = lcm(start.denominator, between.denominator)
    first, step = int(start * divisor), int(between * divisor)
    last = first + (points.length - 1) * step
    if max(map(abs, (first, last, step, divisor))) <= EXACT_INTEGERS:
        return (first + step * np.arange(points.length, dtype=np.int64)) / divisor
    return np.array([(first + k * step) / divisor for k in range(points.length)])


def _of_irrationals(points: Range) -> Floats:
    """Return the float64s nearest to numbers between two fractions, one by one where these differ.

    The fractions have integers over a power of 2: start and step, rounded down and up.
    """
    import numpy as np

    from gelu_cli.arithmetic.exact import exponent_of

    divisor = 1 << max(0, SPARE_BITS - exponent_of(points.step))
    start, step = (floor(x * divisor) for x in (points.start, points.step))
    numbers = range(points.length)
    low = np.array([(start + k * step) / divisor for k in numbers])
    high = np.array([(start + 1 + k * (step + 1)) / divisor for k in numbers])
    for k in np.flatnonzero(low != high).tolist():
        low[k] = float(points.number(k))
    return low
