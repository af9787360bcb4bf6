"""Results at consecutive float32s of one binade, judged run by run."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from gelu_cli.accuracy.differences import Differences
from gelu_cli.accuracy.findings import Findings
from gelu_cli.accuracy.judge import Block
from gelu_cli.accuracy.on_a_line import add_on_line, line_at
from gelu_cli.accuracy.products import truth_of
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Place, parts
from gelu_cli.accuracy.repeats import bits_differ
from gelu_cli.accuracy.runs import FLOAT32, RUN, Run, Side, truth_on
from gelu_cli.accuracy.weights import Normal, weights_of
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


def judge_stretch(task: Any, found: Findings, x: Any, first: int, got: list[Any]) -> None:
    """Judge results at float32s, whose patterns are from `first` on."""
    side = side_of(task.question, -1 if np.signbit(x[0]) else 1)
    ((region, _),) = parts(FLOAT32, x[:1].astype(np.float64))
    place = Place(region)
    run = side.run(first)
    inside = run and run.first <= first and first + len(x) <= run.first + run.size
    if run and inside and run.beside and not task.ftz:
        line = line_at(task.question, run, x)
        alike = not task.compare or not bits_differ(got[0], got[1]).any()
        if line is not None and alike and all(np.array_equal(each, line) for each in got):
            _on_line(task, found, place, run, x, first)
            return
    cuts = [0, *range(RUN - first % RUN, len(x), RUN), len(x)]
    for start, end in pairwise(cuts):
        part, run = x[start:end], side.run(first + start)
        if run:
            truth = truth_on(task.question, run, part, first + start)
        else:
            truth = truth_of(task.question, part.astype(np.float64))
        flushed = task.flushed(part.astype(np.float64)) if task.ftz else None
        weight = chunk_weights(part, task.normal)
        block = Block(task.question, place, part, truth, weight, flushed=flushed)
        task.judge_block(found, block, [each[start:end] for each in got])


def _on_line(task: Any, found: Findings, place: Place, run: Run, x: Any, first: int) -> None:
    """Add the results of kernels that all are on a line."""
    weight = chunk_weights(x, task.normal)
    for mine in found.kernels:
        ends = add_on_line(run, place.x, x, first, mine.at(place), task.keep, weight)
        mine.ends.append(ends)
    if task.compare:
        each = len(x) // len(weight) if len(weight) else 1
        here = found.differences.setdefault(place, Differences())
        here.add(Differences(len(x), weight=each * float(weight.sum())), task.keep)
