"""Measure kernels, or results that were computed elsewhere.

`Measuring` measures kernels at one unit of inputs; `measure` adds the findings of all units. Calls
with shuffled and with shorter arrays show if the results of a kernel are repeatable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import reduce
from math import ceil
from typing import Any

import numpy as np

from gelu_cli.accuracy.criteria import Tolerance, see
from gelu_cli.accuracy.findings import Differences, Findings, KernelFindings, bits_differ, compared
from gelu_cli.accuracy.judge import Block, ends_of, judge, wrong_seams, wrong_special, wrong_steps
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Place, places_of, region_indices
from gelu_cli.accuracy.selection import AT_ONCE, STANDARD, Inputs, Normal, Unit, weights_of
from gelu_cli.accuracy.stretches import judge_stretch
from gelu_cli.accuracy.tally import NO_ROWS, ROW, Rows
from gelu_cli.accuracy.truth import truth_of
from gelu_cli.accuracy.verdict import SPARE, Verdict
from gelu_cli.kernels import PROGRAM, Kernel, call, facts, notes, workers
from gelu_cli.numbers.cells import Floats

AGAIN = 4096
"""Number of inputs at which a kernel is called again, besides the WORST inputs of each unit."""

WORST = 64
VECTOR_BITS = 512
"""Size of the widest vector registers, those of AVX-512."""

CALLS, FEWEST = 64, 2
"""For each length of arrays all units together make some CALLS calls, each unit at least FEWEST.
If the kernel is a program, a unit makes FEWEST calls."""

Progress = Callable[[int, int], None]

INPUTS_PER_PROCESS = 1 << 18  # a routine does so many while a process starts


def unrepeatable(kernel: Kernel, unit: Unit, worst: Sequence[Rows], share: float) -> Rows:
    """Return the inputs at which results change from call to call.

    The kernel is called again with the worst inputs of a unit and a `share` of all its inputs,
    evenly spread: first in one shuffled array, then in arrays of 1, n + 1 and 2n inputs; n inputs
    fill a vector register.
    """
    rows = np.concatenate([NO_ROWS, *worst])
    rows = rows[np.argsort(-rows["size"], kind="stable")][:WORST]
    spread = np.linspace(0, len(unit) - 1, ceil(share * len(unit))).astype(np.int64)
    inputs = [
        np.concatenate([rows[name].astype(each.dtype), each])
        for name, each in zip(("x", "up"), unit.at(spread), strict=False)
    ]
    count = len(inputs[0])
    orders = [np.random.default_rng(count).permutation(count)]
    vector = VECTOR_BITS // (8 * inputs[0].itemsize)
    calls = FEWEST if kernel.kind == PROGRAM else max(FEWEST, CALLS * len(spread) // AGAIN)
    for length in (1, vector + 1, 2 * vector):
        starts = range(0, min(count, calls * length), length)
        orders += (np.arange(start, min(start + length, count)) for start in starts)
    usual, changed = call(kernel, *inputs).copy(), np.zeros(count, bool)  # kernels may reuse arrays
    for order in orders:
        changed[order] |= bits_differ(call(kernel, *(e[order] for e in inputs)), usual[order])
    found = np.ones(np.count_nonzero(changed), ROW)
    for name, each in zip(("got", "x", "up"), (usual, *inputs), strict=False):
        found[name] = each[changed].astype(np.float64)
    return np.unique(found)


@dataclass(frozen=True)
class Measured:
    """Verdicts on kernels; differences of two compared kernels by `Place`."""

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
    """Measure kernels that have the same expected results.

    Parameters
    ----------
    jobs
        Largest number of processes.
    progress
        Called as progress(done, total) with numbers of inputs. If `progress` is given, Ctrl-C
        returns the findings so far; without findings it raises KeyboardInterrupt.
    options
        `keep`, `normal`, `ftz`, `criteria`, `own` and `compare`, attributes of `Measuring`.

    Raises UsageError if the range has no number of the format, ComputationError if a kernel fails.
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

    `inputs` has the array of x and, with `question.glu`, of ups; they may be unsorted. `results`
    has the result at each index. `options` are those of `measure`; `label` names the results.
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
    """Return the weight of each result, and the number of distinct inputs.

    Results at equal inputs share one weight. Pairs have weights only if each x is paired with each
    up; else the array of weights is empty.
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


@dataclass(frozen=True)
class Measuring:
    """The task of a process: measure kernels at a unit of inputs.

    `keep` is the number of the worst inputs that views list; `normal` is the distribution of random
    inputs. With `ftz`, subnormal inputs and results may be flushed to 0. With `criteria`, results
    are checked by acceptance criteria; `own` is an additional tolerance among these. With
    `compare`, two kernels are compared. `again` is the share of the inputs at which kernels are
    called again.
    """

    question: Question
    kernels: tuple[Kernel, ...]
    keep: int = 10
    normal: Normal = STANDARD
    ftz: bool = False
    criteria: bool = False
    own: Tolerance | None = None
    compare: bool = False
    again: float = 0.0

    @property
    def rows(self) -> int:
        """Number of the worst inputs to keep; exact errors decide which to list."""
        return self.keep + SPARE

    def __call__(self, unit: Unit) -> Findings:
        """Call the kernels at a unit of inputs, and measure the results."""
        found = Findings.none(len(self.kernels))
        if unit.special:
            columns, results = self._called(unit)
            for mine, got in zip(found.kernels, results, strict=True):
                mine.special = wrong_special(self.question, columns, got)
            return found
        if isinstance(unit.bits, tuple):
            judge_stretch(self, found, unit)
        else:
            for part in unit.parts():
                weight = reduce(np.outer, part.weights).ravel() if part.weights else np.zeros(0)
                self.judge_inputs(found, *self._called(part), weight)
        for kernel, mine in zip(self.kernels, found.kernels, strict=True):
            mine.notes, mine.facts = dict.fromkeys(notes(kernel)), facts(kernel)
            if self.again:
                worst = [each.largest("ulp") for each in mine.tallies.values()]
                mine.unrepeatable = unrepeatable(kernel, unit, worst, self.again)
        return found

    def _called(self, unit: Unit) -> tuple[list[Floats], list[Any]]:
        """Call the kernels; return columns of inputs, results by kernel."""
        inputs = unit.inputs
        columns = [each.astype(np.float64) for each in inputs]
        return columns, [call(each, *inputs) for each in self.kernels]

    def judge_inputs(
        self, found: Findings, columns: list[Floats], got: list[Any], weight: Floats
    ) -> None:
        """Measure results at inputs that are sorted by `Place`, then by x."""
        for place, where in places_of(self.question.dtype, *columns):
            x, *ups = (each[where] for each in columns)
            truth = truth_of(self.question, x, *ups)
            block = Block(self.question, place, x, truth, weight[where], self.ftz, *ups)
            self.judge_block(found, block, [each[where] for each in got])

    def judge_block(self, found: Findings, block: Block, got: list[Any]) -> None:
        """Measure the results of all kernels at the inputs of a block."""
        for mine, each in zip(found.kernels, got, strict=True):
            tally = mine.at(block.place)
            wide = each.astype(np.float64)
            judge(block, wide, tally, self.rows)
            if self.criteria:
                mine.see(see(block, wide, self.own))
            if not block.place.up:
                tally.count(non_monotone=wrong_steps(block, each))
                mine.ends.append(ends_of(block, each))
        if self.compare:
            here = found.differences.setdefault(block.place, Differences())
            here.add(compared(block, got[0], got[1], self.rows), self.rows)
