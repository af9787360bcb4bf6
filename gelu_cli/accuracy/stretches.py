"""Measure results at a stretch: consecutive float32s of one binade.

A stretch is cut into runs, each with a polynomial of exact values (module `runs`). Most float32s
are near 0 or far out, where GELU is within ¼ ULP of a line: x/2, x or 0. Results on the line, that
is, equal to the rounded line, are correctly rounded. If all results of adjacent calls are on the
line, only results at the two ends are measured one by one; the other errors are summed by a
formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from gelu_cli.accuracy.findings import Differences, Findings, bits_differ
from gelu_cli.accuracy.judge import Block
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Place, cells_of, places_of
from gelu_cli.accuracy.runs import FLOAT32, RUN, Run, Side, truth_on
from gelu_cli.accuracy.selection import Normal, Unit, weights_of
from gelu_cli.kernels import call
from gelu_cli.numbers.arrays import numbers_of, ulps
from gelu_cli.numbers.cells import Floats

CALL, CHUNK, STEEP, FAR = 1 << 19, 64, 2.0**-6, 40
"""A call has at most CALL float32s of a run: larger arrays get new memory. CHUNK float32s share a
weight if the density changes by a factor ≤ e^STEEP; it is 0 beyond FAR standard deviations."""


@lru_cache(8)
def side_of(question: Question, way: int) -> Side:
    """Return the `Side` of positive or negative x, cached in the process."""
    return Side(question, way)


def chunk_weights(first: int, count: int, normal: Normal) -> Floats:
    """Return weights of consecutive float32s: one for each, or for each CHUNK.

    Each float32 of a chunk has the chunk's weight. If all weights are 0, the array is empty.
    """
    ends = numbers_of(FLOAT32, np.array([first, first + count - 1]))
    z = (ends - normal.mean) / normal.sigma
    if z.min() > FAR or z.max() < -FAR:
        return np.zeros(0)
    slope = min(float(np.max(np.abs(z))), FAR) * abs(float(ends[1])) / normal.sigma
    if count % CHUNK or slope * CHUNK * 2.0**-23 > STEEP:
        return weights_of(FLOAT32, numbers_of(FLOAT32, np.arange(first, first + count)), normal)
    middles = numbers_of(FLOAT32, np.arange(first + CHUNK // 2, first + count, CHUNK))
    return np.asarray(normal.density(middles) * ulps(FLOAT32, middles))


def judge_stretch(task: Any, found: Findings, unit: Unit) -> None:
    """Call kernels at the float32s of a stretch; measure the results."""
    ((place, _),) = places_of(FLOAT32, numbers_of(FLOAT32, np.array(unit.bits[:1])))
    side = side_of(task.question, place.x.sign)
    for line, calls in groupby(_calls(task, unit, side, place), lambda each: each[0]):
        parts: Iterable[Any] = (columns for _, columns in calls)
        if line:
            low, *_, high = parts
            _add_on_line(task, found, place, line[0], low[0], high[0])
            parts = low, high
        for columns in parts:
            _judge(task, found, place, side, *columns)


def _calls(task: Any, unit: Unit, side: Side, place: Place) -> Iterator[tuple[Any, list[Any]]]:
    """Yield `_line`, x and results of calls; of a call on a line both ends."""
    (start, end), edge = unit.bits, CHUNK * -(-task.rows // CHUNK)
    while start < end:
        run = side.run(start % (1 << 31))  # the pattern of |x|
        size = min(CALL, run.size if run else RUN)
        first, start = start, min(start - start % size + size, end)
        x = np.arange(first, start, dtype=np.uint32).view(np.float32)
        columns = [x, *(call(each, x) for each in task.kernels)]
        line = _line(task, run, place, *columns) if len(x) >= 3 * edge else None
        if line:
            for some in slice(edge), slice(-edge - len(x) % CHUNK, None):
                yield line, [each[some].copy() for each in columns]  # kernels may reuse arrays
        else:
            yield None, columns


def _judge(task: Any, found: Findings, place: Place, side: Side, x: Any, *got: Any) -> None:
    """Measure results at consecutive float32s."""
    first, bits = FLOAT32.bits(abs(float(x[0]))), int(x.view(np.uint32)[0])
    for start, end in pairwise([0, *range(RUN - first % RUN, len(x), RUN), len(x)]):
        some, run = x[start:end], side.run(first + start)
        truth = truth_on(task.question, run, some, first + start)
        weight = chunk_weights(bits + start, len(some), task.normal)
        block = Block(task.question, place, some, truth, weight, task.ftz)
        task.judge_block(found, block, [each[start:end] for each in got])


def _line(
    task: Any, run: Run | None, place: Place, x: Any, *got: Any
) -> tuple[Run, int, int] | None:
    """Return run and cells of both ends if all results are on the run's line."""
    asked = task.question.result is FLOAT32 and not task.criteria
    if not (asked and run and run.beside and (run.side or not run.a.any())):
        return None
    ends = x[[0, -1]]
    line = np.float32(run.slope) * x
    line = line + np.float32(run.level) if run.level else line
    exact = np.array_equal(run.line(ends), line[[0, -1]])
    normal = not run.slope or np.min(np.abs(line[[0, -1]])) >= 2.0**FLOAT32.emin
    same = not (task.compare and bits_differ(*got).any())
    known = exact and normal and same and all(np.array_equal(each, line) for each in got)
    low, high = np.searchsorted(cells_of(FLOAT32, place.x), np.abs(ends), "right")
    return (run, low, high) if known else None


def _add_on_line(task: Any, found: Findings, place: Place, run: Run, low: Any, high: Any) -> None:
    """Add sums of errors between x in `low` and x in `high`, all on a line."""
    first, end = int(low.view(np.uint32)[-1]) + 1, int(high.view(np.uint32)[0])
    count, at = end - first, FLOAT32.bits(abs(float(low[-1]))) + 1 - run.first
    weight, unit = chunk_weights(first, count, task.normal), ulps(FLOAT32, run.line(high[:1]))[0]
    each = count // max(1, len(weight))
    middles = run.sum_at(at + (np.arange(len(weight)) + 0.5) * each) * run.unit
    squares = each * float(np.sum(weight * middles**2))  # `@` would start threads
    sums = {"weight": each * float(weight.sum()), "squares": squares, "least": squares}
    sums["ulp"] = abs(run.total(at, at + count)) * run.unit / float(unit)
    for mine in found.kernels:
        mine.at(place).count(inputs=count, judged=count, **sums)
    if task.compare:
        here = found.differences.setdefault(place, Differences())
        here.add(Differences(count, weight=sums["weight"]), task.rows)
