"""Measure kernels at inputs, or results that were computed elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from gelu_cli.accuracy.criteria import Tolerance
from gelu_cli.accuracy.differences import Differences
from gelu_cli.accuracy.exact_errors import wrong_special
from gelu_cli.accuracy.findings import Findings, KernelFindings
from gelu_cli.accuracy.measuring import Measuring
from gelu_cli.accuracy.monotony import wrong_seams
from gelu_cli.accuracy.products import Pairs
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Place, parts, starts_of
from gelu_cli.accuracy.repeats import AGAIN
from gelu_cli.accuracy.selection import AT_ONCE, Inputs
from gelu_cli.accuracy.verdict import SPARE, Verdict
from gelu_cli.accuracy.weights import STANDARD, Normal, weights_of
from gelu_cli.kernels import Kernel, workers
from gelu_cli.numbers.cells import Floats

Progress = Callable[[int, int], None]

INPUTS_PER_PROCESS = 1 << 18
"""A routine computes this many inputs in the time in which a process starts."""


@dataclass(frozen=True)
class Measured:
    """Verdicts on kernels; of two compared ones their differences by place.

    `drawn` has the differences at random pairs (gate, up).
    """

    verdicts: list[Verdict]
    differences: dict[Place, Differences]
    drawn: Differences

    @property
    def differ_share(self) -> float | None:
        """The probability that a draw differs; an estimate if `drawn` has pairs."""
        drawn = self.drawn
        return drawn.differ / drawn.inputs if drawn.inputs else self.total.differ_share

    @property
    def share_error(self) -> float:
        """Two standard errors of that estimate; 0 if the share is exact."""
        share, count = self.differ_share or 0.0, self.drawn.inputs
        return 2 * sqrt(share * (1 - share) / count) if count else 0.0

    @property
    def total(self) -> Differences:
        """The differences at all finite inputs."""
        total = Differences()
        for _, each in sorted(self.differences.items(), key=lambda item: item[0].order):
            total.add(each, self.verdicts[0].keep + SPARE)
        return total


def measure(
    question: Question,
    inputs: Inputs,
    kernels: Sequence[Kernel],
    *,
    jobs: int = 1,
    ftz: bool = False,
    keep: int = 10,
    normal: Normal = STANDARD,
    criteria: bool = False,
    own: Tolerance | None = None,
    compare: bool = False,
    progress: Progress | None = None,
) -> Measured:
    """Measure kernels with one question.

    Parameters
    ----------
    question, inputs, kernels
        The expected results, the inputs, and the kernels.
    jobs
        Number of processes.
    ftz
        True if subnormal inputs and results may be flushed to 0.
    keep
        Number of the worst inputs in views.
    normal
        The distribution of draws.
    criteria, own
        True to check acceptance criteria, and a tolerance to check with them.
    compare
        True to compare two kernels.
    progress
        Called as progress(done, total) with numbers of inputs. Ctrl-C then ends the measurement
        with the results so far, if any, instead of raising KeyboardInterrupt.

    Raises
    ------
    UsageError
        If the range holds no number.
    ComputationError
        If a kernel fails.
    """
    units = [*inputs.units(), inputs.special()]
    if compare and question.glu and not inputs.drawn_ups:
        units += inputs.drawn(normal)
    total, done, complete = sum(map(len, units)), 0, False
    task = Measuring(question, tuple(kernels), keep + SPARE, normal, ftz, criteria, own, compare)
    task = replace(task, again=min(1.0, AGAIN / total), drawn_ups=inputs.drawn_ups)
    found = Findings.none(len(kernels))
    isolated = any(each.isolated for each in kernels)
    if not isolated:
        jobs = min(jobs, 1 + total // INPUTS_PER_PROCESS)
    results = workers.run(task, units, jobs=jobs, isolated=isolated)
    try:
        with closing(results):  # type: ignore[type-var]
            for index, part in results:
                found.add(part, task.keep)
                done += len(units[index])
                if progress:
                    progress(done, total)
        complete = True
    except KeyboardInterrupt:
        if progress is None or not any(each.tallies for each in found.kernels):
            raise
    verdicts = [
        _verdict(
            each.label, task, mine, inputs=inputs, exhaustive=inputs.exhaustive, complete=complete
        )
        for each, mine in zip(kernels, found.kernels, strict=True)
    ]
    return Measured(verdicts, found.differences, found.drawn)


def measure_results(
    label: str,
    question: Question,
    inputs: Sequence[Any],
    results: Any,
    *,
    ftz: bool = False,
    keep: int = 10,
    normal: Normal = STANDARD,
    criteria: bool = False,
    own: Tolerance | None = None,
) -> Verdict:
    """Measure results that were computed elsewhere.

    Parameters
    ----------
    label, question
        The name of the results, and the expected results.
    inputs, results
        x, with `question.glu` also ups, and the result of each: arrays in any order.
    ftz, keep, normal, criteria, own
        As of `measure`.
    """
    task = Measuring(question, (), keep + SPARE, normal, ftz, criteria, own)
    columns = [np.asarray(each).astype(np.float64) for each in inputs]
    order = np.lexsort([k for each in reversed(columns) for k in (np.abs(each), np.signbit(each))])
    x, *ups = (each[order] for each in columns)
    up = ups[0] if ups else np.ones_like(x)
    got = np.asarray(results)[order].astype(question.result.dtype, copy=False)
    found, finite = Findings.none(1), np.asarray(np.isfinite(x) & np.isfinite(up))
    if ups and finite.any():
        _judge_pairs(task, found, x[finite], up[finite], got[finite])
    elif finite.any():
        _judge_points(task, found, x[finite], got[finite])
    (mine,) = found.kernels
    others = (each[~finite] for each in (x, up, got.astype(np.float64)))
    mine.special = wrong_special(question, *others)
    keys = np.stack([each[finite].view(np.uint64) for each in (x, up)])
    exhaustive = np.unique(keys, axis=1).shape[1] == (2 * question.dtype.top) ** len(columns)
    return replace(_verdict(label, task, mine, exhaustive=exhaustive), unrepeatable=None)


def _judge_points(task: Measuring, found: Findings, x: Floats, got: Any) -> None:
    """Judge results at x; repeated x share the weight of one."""
    patterns, again, count = np.unique(x.view(np.uint64), return_inverse=True, return_counts=True)
    distinct = patterns.view(np.float64)
    weight = (weights_of(task.question.dtype, distinct, task.normal) / count)[again]
    for start in range(0, len(x), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        task.judge_points(found, x[some], [got[some]], weight[some])


def _judge_pairs(task: Measuring, found: Findings, x: Floats, ups: Floats, got: Any) -> None:
    """Judge results at pairs, which have weights if they are a full grid."""
    dtype, weight = task.question.dtype, _weights_of_grid(task, x, ups)
    starts = starts_of(dtype, second=True)
    regions = np.searchsorted(starts, np.abs(ups), "right") + len(starts) * np.signbit(ups)
    for _, where in parts(dtype, x):
        for region in np.unique(regions[where]):
            some = where.start + np.flatnonzero(regions[where] == region)
            for start in range(0, len(some), AT_ONCE):
                at = some[start : start + AT_ONCE]
                pairs = Pairs.listed(x[at], ups[at])
                task.judge_pairs(found, pairs, [got[at]], weight[at] if len(weight) else weight)


def _weights_of_grid(task: Measuring, x: Floats, ups: Floats) -> Floats:
    """Return the probability of each pair; empty unless pairs are a full grid."""
    weights, distinct = np.ones(len(x)), 1
    for column in (x, ups):
        patterns, index = np.unique(column.view(np.uint64), return_inverse=True)
        weights *= weights_of(task.question.dtype, patterns.view(np.float64), task.normal)[index]
        distinct *= len(patterns)
    return weights if len(x) == distinct else np.zeros(0)


def _verdict(label: str, task: Measuring, found: KernelFindings, **inputs: Any) -> Verdict:
    """Make the verdict on a kernel from its findings."""
    question, wrong = task.question, None
    if not question.glu:
        inside = sum(each["non_monotone"] for each in found.tallies.values())
        wrong = inside + wrong_seams(question, found.ends)
    return Verdict(
        label,
        question,
        found.tallies,
        ftz=task.ftz,
        normal=task.normal,
        keep=task.keep - SPARE,
        special=found.special,
        unrepeatable=found.unrepeatable,
        non_monotone=wrong,
        seen=found.seen,
        notes=[*found.notes],
        facts=found.facts,
        **inputs,
    )
