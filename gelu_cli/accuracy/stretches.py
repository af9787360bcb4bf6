"""Results at consecutive float32s of one binade, judged run by run.

Most float32s are next to 0 or far out, where GELUs are x/2, x or 0 to within ¼ ULP. Results on that
line are correctly rounded: those at both ends are judged, and between them errors are summed.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from gelu_cli.accuracy.findings import Differences, Findings, bits_differ
from gelu_cli.accuracy.judge import Block
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Place, places_of
from gelu_cli.accuracy.runs import FLOAT32, RUN, Run, Side, truth_on
from gelu_cli.accuracy.selection import Normal, weights_of
from gelu_cli.accuracy.truth import truth_of
from gelu_cli.numbers.arrays import ulps
from gelu_cli.numbers.cells import Floats

CHUNK, STEEP, FAR = 64, 2.0**-6, 40
"""Float32s in a row have one weight each CHUNK; none beyond FAR standard deviations."""


@lru_cache(8)
def side_of(question: Question, way: int) -> Side:
    """Return the exact values on one side of 0, cached by the process."""
    return Side(question, way)


def chunk_weights(x: Any, normal: Normal) -> Floats:
    """Return the weights of consecutive float32s, each or CHUNK at a time.

    The density's logarithm changes along a chunk by less than STEEP.
    """
    z = (x[[0, -1]].astype(np.float64) - normal.mean) / normal.sigma
    if z.min() > FAR or z.max() < -FAR:
        return np.zeros(0)
    slope = min(float(np.max(np.abs(z))), FAR) * abs(float(x[-1])) / normal.sigma
    if len(x) % CHUNK or slope * CHUNK * 2.0**-23 > STEEP:
        return weights_of(FLOAT32, x.astype(np.float64), normal)
    middles = x[CHUNK // 2 :: CHUNK]
    return np.asarray(normal.density(middles.astype(np.float64)) * np.spacing(np.abs(middles)))


def judge_stretch(task: Any, found: Findings, x: Any, got: list[Any]) -> None:
    """Judge results at consecutive float32s."""
    first, edge = FLOAT32.bits(abs(float(x[0]))), CHUNK * -(-task.rows // CHUNK)
    side = side_of(task.question, -1 if np.signbit(x[0]) else 1)
    ((place, _),) = places_of(FLOAT32, x[:1].astype(np.float64))
    parts, run = [(0, len(x))], side.run(first)
    if run and len(x) > 2 * edge and _are_on_line(task, run, x, first, got):
        _add_on_line(task, found, place, run, x[edge:-edge], first + edge)
        parts = [(0, edge), (len(x) - edge, len(x))]
    for low, high in parts:
        cuts = range(RUN - first % RUN, high, RUN)
        for start, end in pairwise([low, *(cut for cut in cuts if cut > low), high]):
            some, run = x[start:end], side.run(first + start)
            if run:
                truth = truth_on(task.question, run, some, first + start)
            else:
                truth = truth_of(task.question, some.astype(np.float64))
            weight = chunk_weights(some, task.normal)
            weight = np.repeat(weight, len(some) // max(1, len(weight)))
            block = Block(task.question, place, some, truth, weight, task.ftz)
            task.judge_block(found, block, [each[start:end] for each in got])


def _are_on_line(task: Any, run: Run, x: Any, first: int, got: list[Any]) -> bool:
    """Return True if all results are on a line that all exact values round to."""
    inside = run.first <= first and first + len(x) <= run.first + run.size
    known = inside and run.beside and (run.side or not run.a.any())
    if not known or task.criteria or task.question.result is not FLOAT32:
        return False
    line = np.float32(run.slope) * x + np.float32(run.level)
    exact = np.array_equal(run.line(x[[0, -1]]), line[[0, -1]])
    normal = not run.slope or np.min(np.abs(line[[0, -1]])) >= 2.0**FLOAT32.emin
    same = not (task.compare and bits_differ(*got).any())
    return exact and normal and same and all(np.array_equal(each, line) for each in got)


def _add_on_line(task: Any, found: Findings, place: Place, run: Run, x: Any, first: int) -> None:
    """Add sums of errors at float32s whose results are on a line."""
    count, at, weight = len(x), first - run.first, chunk_weights(x, task.normal)
    unit = float(ulps(FLOAT32, run.line(x[-1:]))[0])
    sums = {"ulp": abs(run.total(at, at + count)) * run.unit / unit}
    if len(weight):
        each = count // len(weight)
        middles = run.sum_at(at + (np.arange(len(weight)) + 0.5) * each) * run.unit
        squares = each * float(weight @ middles**2)
        sums |= {"weight": each * float(weight.sum()), "squares": squares, "least": squares}
    for mine in found.kernels:
        mine.at(place).count(inputs=count, judged=count, **sums)
    if task.compare:
        here = found.differences.setdefault(place, Differences())
        here.add(Differences(count, weight=sums.get("weight", 0.0)), task.rows)
