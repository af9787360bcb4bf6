"""Measure kernels at inputs, or results that were computed elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gelu_cli.accuracy.findings import Differences, Findings, KernelFindings
from gelu_cli.accuracy.judge import wrong_special
from gelu_cli.accuracy.measuring import Measuring
from gelu_cli.accuracy.monotony import wrong_seams
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Place, region_indices
from gelu_cli.accuracy.repeats import AGAIN
from gelu_cli.accuracy.selection import AT_ONCE, Inputs
from gelu_cli.accuracy.verdict import SPARE, Verdict
from gelu_cli.accuracy.weights import weights_of
from gelu_cli.kernels import Kernel, workers
from gelu_cli.numbers.cells import Floats

Progress = Callable[[int, int], None]

INPUTS_PER_PROCESS = 1 << 18
"""A routine computes this many inputs in the time in which a process starts."""


@dataclass(frozen=True)
class Measured:
    """Verdicts on kernels; of two compared ones their differences by place."""

    verdicts: list[Verdict]
    differences: dict[Place, Differences]

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
    progress: Progress | None = None,
    **options: Any,
) -> Measured:
    """Measure kernels with one question.

    Parameters
    ----------
    question, inputs, kernels
        The expected results, the inputs, and the kernels.
    jobs
        Number of processes.
    progress
        Called as progress(done, total) with numbers of inputs. Ctrl-C then ends the measurement
        with the results so far, if any, instead of raising KeyboardInterrupt.
    options
        `keep`, `normal`, `ftz`, `criteria`, `own` and `compare`, attributes of `Measuring`.

    Raises
    ------
    UsageError
        If the range holds no number.
    ComputationError
        If a kernel fails.
    """
    task = Measuring(question, tuple(kernels), **options)
    units = [*inputs.units(task.normal), inputs.special()]
    total, done, complete = sum(map(len, units)), 0, False
    task = replace(task, again=min(1.0, AGAIN / total))
    found = Findings.none(len(kernels))
    isolated = any(each.isolated for each in kernels)
    if not isolated:
        jobs = min(jobs, 1 + total // INPUTS_PER_PROCESS)
    results = workers.run(task, units, jobs=jobs, isolated=isolated)
    try:
        with closing(results):  # type: ignore[type-var]
            for index, part in results:
                found.add(part, task.rows)
                done += len(units[index])
                if progress:
                    progress(done, total)
        complete = True
    except KeyboardInterrupt:
        if progress is None or not any(each.tallies for each in found.kernels):
            raise
    more = {"inputs": inputs, "exhaustive": inputs.exhaustive, "complete": complete}
    verdicts = [
        _verdict(each.label, task, mine, unrepeatable=mine.unrepeatable, **more)
        for each, mine in zip(kernels, found.kernels, strict=True)
    ]
    return Measured(verdicts, found.differences)


def measure_results(
    label: str, question: Question, inputs: Sequence[Any], results: Any, **options: Any
) -> Verdict:
    """Measure results that were computed elsewhere.

    Parameters
    ----------
    label, question
        The name of the results, and the expected results.
    inputs, results
        x, with `question.glu` also ups, and the result of each: arrays in any order.
    options
        As of `measure`.
    """
    task, dtype = Measuring(question, (), **options), question.dtype
    columns = [np.asarray(each).astype(np.float64) for each in inputs]
    places = [region_indices(dtype, each, k > 0) for k, each in enumerate(columns)]
    bits = [each.view(np.uint64) for each in columns]
    order = np.lexsort([*reversed(bits), *reversed(places)])
    columns = [each[order] for each in columns]
    got = np.asarray(results)[order].astype(question.result.dtype, copy=False)
    found, finite = Findings.none(1), np.all(np.isfinite(columns), axis=0)
    (mine,) = found.kernels
    mine.special = wrong_special(question, [each[~finite] for each in columns], got[~finite])
    columns, got = [each[finite] for each in columns], got[finite]
    weight, distinct = _weights(task, columns)
    for start in range(0, len(got), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        task.judge_inputs(found, [each[some] for each in columns], [got[some]], weight[some])
    return _verdict(label, task, mine, exhaustive=distinct == (2 * dtype.top) ** len(columns))


def _weights(task: Measuring, columns: Sequence[Floats]) -> tuple[Floats, int]:
    """Return the probability of each result, and count distinct inputs.

    Equal inputs share the probability of one; pairs have none unless they are a full grid.
    """
    weights, grid = np.ones(len(columns[0])), 1
    bits = [each.view(np.uint64) for each in columns]
    for column in bits:
        patterns, index = np.unique(column, return_inverse=True)
        x = patterns.view(np.float64)
        weights *= weights_of(task.question.dtype, x, task.normal)[index]
        grid *= len(patterns)
    _, again, count = np.unique(np.stack(bits), axis=1, return_inverse=True, return_counts=True)
    return weights / count[again.ravel()] if len(count) == grid else np.zeros(0), len(count)


def _verdict(label: str, task: Measuring, found: KernelFindings, **more: Any) -> Verdict:
    """Make the verdict on a kernel from its findings."""
    wrong = None
    if not task.question.glu:
        inside = sum(each["non_monotone"] for each in found.tallies.values())
        wrong = inside + wrong_seams(task.question, found.ends)
    return Verdict(
        label,
        task.question,
        found.tallies,
        ftz=task.ftz,
        normal=task.normal,
        keep=task.keep,
        special=found.special,
        non_monotone=wrong,
        seen=found.seen,
        notes=[*found.notes],
        facts=found.facts,
        **more,
    )
