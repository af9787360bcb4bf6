"""Points in blocks: lists where they are few, arrays where they are many."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from math import lcm
from typing import TYPE_CHECKING, TypeAlias

from gelu_cli.cli.input.grid import Grid
from gelu_cli.cli.input.numbers import Number, Range

if TYPE_CHECKING:
    from gelu_cli.cli.input.grid import Floats

    Block: TypeAlias = list[Number] | Floats

BLOCK = 256
"""Points in a list: what is exact takes its time, and rows are to appear soon."""

BULK = 1 << 15
"""Points in an array: many enough for several threads, few enough for a processor's caches."""

MANY = 512
"""Fewer points are not worth the import of numpy."""

EXACT_INTEGERS = 2**53
"""Integers up to here are float64s, so that the quotient of two of them is rounded only once."""


def blocks_of(pieces: Iterable[Number | Range], grid: Grid) -> Iterator[Block]:
    """Yield the points of all pieces in blocks; a range unfolds as it is read.

    >>> from fractions import Fraction
    >>> list(blocks_of([0.5, Range(Fraction(1), Fraction(2), 3)], Grid()))
    [[0.5, 1.0, 3.0, 5.0]]
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


def in_blocks(points: Iterable[Number], grid: Grid) -> Iterator[Block]:
    """Yield points of the grid in blocks.

    >>> [type(block).__name__ for block in in_blocks(map(float, range(40000)), Grid())]
    ['ndarray', 'ndarray']
    """
    points = iter(points)
    while block := list(islice(points, BLOCK if grid.exact else BULK)):
        if grid.exact or len(block) < MANY:
            yield block
        else:
            import numpy as np

            yield np.array(block, np.float64)


def short_lists(blocks: Iterable[Block]) -> Iterator[list[Number]]:
    """Yield the points in short lists of Python's numbers, for what takes long at each.

    >>> [len(block) for block in short_lists(in_blocks(map(float, range(600)), Grid()))]
    [256, 256, 88]
    """
    for block in blocks:
        for at in range(0, len(block), BLOCK):
            part = block[at : at + BLOCK]
            yield part if isinstance(part, list) else part.tolist()


def _numbers(points: Range, grid: Grid) -> Iterator[Number]:
    return (grid.point(number, "") for number in points.numbers())


def _beyond_float64(points: Range) -> bool:
    return max(abs(points.start), abs(points.last)) > sys.float_info.max


def _arrays(points: Range, grid: Grid) -> Iterator[Floats]:
    for at in range(0, points.length, BULK):
        part = points.part(at, BULK)
        yield grid.array(_float64s(part), part.number)


def _float64s(points: Range) -> Floats:
    """Return the float64s nearest to the numbers, as quotients over a common denominator."""
    import numpy as np

    divisor = lcm(points.start.denominator, points.step.denominator)
    first, last, step = (int(x * divisor) for x in (points.start, points.last, points.step))
    if max(map(abs, (first, last, step, divisor))) <= EXACT_INTEGERS:
        return (first + step * np.arange(points.length, dtype=np.int64)) / divisor
    return np.array([(first + k * step) / divisor for k in range(points.length)])
