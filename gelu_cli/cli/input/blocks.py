"""Points in blocks: a few at a time, or many as an array."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from math import lcm
from typing import TYPE_CHECKING

from gelu_cli.arithmetic.typed import Number
from gelu_cli.cli.input.numbers import Range
from gelu_cli.values.points import BULK, MANY, FewPoints, Points, points_of

if TYPE_CHECKING:
    from gelu_cli.cli.input.grid import Floats, Grid

FEW = 256
"""Exact points in a block: each takes its time, and rows are to appear soon."""

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
    return max(abs(points.start), abs(points.last)) > sys.float_info.max


def _arrays(points: Range, grid: Grid) -> Iterator[Points]:
    for at in range(0, points.length, BULK):
        part = points.part(at, BULK)
        yield points_of(grid.array(_float64s(part), part.number))


def _float64s(points: Range) -> Floats:
    """Return the float64s nearest to the numbers, as quotients over a common denominator."""
    import numpy as np

    divisor = lcm(points.start.denominator, points.step.denominator)
    first, last, step = (int(x * divisor) for x in (points.start, points.last, points.step))
    if max(map(abs, (first, last, step, divisor))) <= EXACT_INTEGERS:
        return (first + step * np.arange(points.length, dtype=np.int64)) / divisor
    return np.array([(first + k * step) / divisor for k in range(points.length)])
