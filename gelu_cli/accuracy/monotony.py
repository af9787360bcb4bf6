"""Steps from one input to the next that the exact values do not go."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gelu_cli.accuracy.judge import Block
from gelu_cli.accuracy.question import Question
from gelu_cli.numbers.cells import Floats

ROUNDING = 2.0**-50
CLOSE = 2.0**-20
"""Values of two blocks that differ by less than this share may be the other way round."""


class End(NamedTuple):
    """The first or the last input of a block: x, the exact value, the result."""

    x: float
    y: float
    got: float


Ends: TypeAlias = tuple[End, End]


def ends_of(block: Block, got: Any) -> Ends:
    """Return both ends of a block."""
    columns = block.x, block.truth.y, got
    first, last = (End(*(float(each[j]) for each in columns)) for j in (0, -1))
    return first, last


def wrong_steps(block: Block, results: Any) -> int:
    """Count wrong steps in a block; where values are constant, any step."""
    got = results if results.itemsize >= 4 else results.astype(np.float32)
    up, down = got[1:] > got[:-1], got[1:] < got[:-1]
    if (rising := block.truth.rising) is not None:
        return int(np.count_nonzero(up) * (rising <= 0) + np.count_nonzero(down) * (rising >= 0))
    x = block.x.astype(np.float64)
    steps = (up | down) & (x[1:] != x[:-1])
    if not steps.any():
        return 0
    rise, doubt = _rise(block)
    way = np.sign(rise)
    for i in np.flatnonzero((np.abs(rise) <= doubt) & (doubt > 0) & steps).tolist():
        way[i] = _way(block.question, float(x[i]), float(x[i + 1]))
    return int(np.count_nonzero(steps & ((down & (way >= 0)) | (up & (way <= 0)))))


def _rise(block: Block) -> tuple[Floats, Floats]:
    """Return the steps of the exact values in units, and their errors."""
    truth = block.truth
    unit = np.broadcast_to(truth.unit, truth.m.shape)
    low = 0.0 if truth.low is None else np.diff(truth.low)
    same, step = unit[1:] == unit[:-1], np.diff(truth.m)
    rise = np.where(same, step + low, np.diff(truth.y) / unit[1:])
    size = np.where(same, np.abs(step), np.abs(truth.m[1:]))
    return rise, 2 * truth.error + ROUNDING * size


def _way(question: Question, x: float, other: float) -> int:
    """Return the direction between close inputs, from the slope half way."""
    return question.slope(x + (other - x) / 2) * (1 if other > x else -1)


def wrong_seams(question: Question, ends: Sequence[Ends]) -> int:
    """Count the wrong steps from one block to the next of the same sign."""
    ordered = sorted(ends, key=lambda each: (bool(np.signbit(each[0].x)), abs(each[0].x)))
    wrong = 0
    for (_, last), (first, _) in pairwise(ordered):
        step = np.sign(first.got - last.got)  # NaN of NaNs
        if np.signbit(last.x) == np.signbit(first.x) and last.x != first.x and abs(step) == 1:
            close = abs(first.y - last.y) <= CLOSE * abs(last.y)
            way = _way(question, last.x, first.x) if close else np.sign(first.y - last.y)
            wrong += int(step != way)
    return wrong
