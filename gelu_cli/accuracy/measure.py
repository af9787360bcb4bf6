"""Measurements: kernels over inputs, or results that are there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from gelu_cli.accuracy.criteria import Tolerance
from gelu_cli.accuracy.differences import Differences
from gelu_cli.accuracy.draws import NO_DRAWS, Share
from gelu_cli.accuracy.findings import Findings, OfKernel
from gelu_cli.accuracy.measuring import Measuring
from gelu_cli.accuracy.monotony import wrong_seams
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Place
from gelu_cli.accuracy.repeats import AGAIN
from gelu_cli.accuracy.selection import Inputs
from gelu_cli.accuracy.verdict import SPARE, Verdict
from gelu_cli.accuracy.weights import STANDARD, Normal
from gelu_cli.kernels import Kernel, workers

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Measured:
    """Verdicts on kernels and, of two, their differences by the place of the inputs.

    `drawn` is the share of drawn pairs that differ, of kernels of two inputs.
    """

    verdicts: list[Verdict]
    differences: dict[Place, Differences]
    drawn: Share = NO_DRAWS

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
    progress: Progress | None = None,
) -> Measured:
    """Measure kernels with one question.

    Parameters
    ----------
    question, inputs, kernels
        What results should be, at which inputs, of which kernels; two are also compared.
    jobs
        Number of processes.
    ftz
        True if subnormal inputs and results may be flushed to 0.
    keep
        Number of the worst inputs in views.
    normal
        The distribution of draws.
    criteria, own
        True to measure acceptance criteria, and a tolerance of one's own among them.
    progress
        Called with the numbers of inputs that are done and of all. Ctrl-C then ends the measurement
        with what was found so far, if anything, instead of raising KeyboardInterrupt.

    Raises
    ------
    UsageError
        If the range holds no number.
    ComputationError
        If a kernel fails.
    """
    units = [*inputs.units(), inputs.special()]
    if len(kernels) == 2 and question.glu and not inputs.drawn_ups:
        units += inputs.drawn(normal)
    total = sum(map(len, units))
    task = Measuring(
        question, tuple(kernels), keep + SPARE, normal, ftz, min(1.0, AGAIN / total),
        inputs.drawn_ups, criteria, own,
    )  # fmt: skip
    found, done, complete = Findings.none(len(kernels)), 0, False
    isolated = any(each.isolated for each in kernels)
    results = workers.run(task, units, jobs=jobs, isolated=isolated)
    try:
        with closing(results):  # type: ignore[type-var]
            for index, part in results:
                found.add(part, keep + SPARE)
                done += len(units[index])
                if progress:
                    progress(done, total)
        complete = True
    except KeyboardInterrupt:
        if progress is None or not any(each.tallies for each in found.kernels):
            raise
    shared = {
        "inputs": inputs, "exhaustive": inputs.exhaustive, "complete": complete, "ftz": ftz,
        "normal": normal, "keep": keep, "own": own,
    }  # fmt: skip
    verdicts = [
        _verdict(each.label, question, mine, **shared)
        for each, mine in zip(kernels, found.kernels, strict=True)
    ]
    return Measured(verdicts, found.differences, found.drawn)


def _verdict(label: str, question: Question, found: OfKernel, **shared: Any) -> Verdict:
    wrong = None
    if not question.glu:
        inside = sum(each["non_monotone"] for each in found.tallies.values())
        wrong = inside + wrong_seams(question, found.ends)
    return Verdict(
        label, question, found.tallies, special=found.special, unrepeatable=found.unrepeatable,
        non_monotone=wrong, seen=found.criteria, notes=[*found.notes], **shared,
    )  # fmt: skip
