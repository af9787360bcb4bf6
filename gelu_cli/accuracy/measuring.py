"""The part of a measurement that one process does: a unit of inputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from gelu_cli.accuracy.criteria import Tolerance, see
from gelu_cli.accuracy.findings import Differences, Findings, compared
from gelu_cli.accuracy.judge import Block, judge, wrong_special
from gelu_cli.accuracy.monotony import ends_of, wrong_steps
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import places_of
from gelu_cli.accuracy.repeats import unrepeatable
from gelu_cli.accuracy.selection import Unit
from gelu_cli.accuracy.stretches import judge_stretch
from gelu_cli.accuracy.truth import truth_of
from gelu_cli.accuracy.verdict import SPARE
from gelu_cli.accuracy.weights import STANDARD, Normal
from gelu_cli.kernels import Kernel, call, facts, notes
from gelu_cli.numbers.cells import Floats

CALL = 1 << 19
"""Most consecutive float32s in a call."""


@dataclass(frozen=True)
class Measuring:
    """The task of a process: measure kernels at a unit of inputs.

    Attributes
    ----------
    question, kernels
        The expected results, and the kernels.
    keep
        Number of the worst inputs in views.
    normal
        The distribution of draws.
    ftz
        True if subnormal inputs and results may be flushed to 0.
    criteria, own
        True to check acceptance criteria, and a tolerance to check with them.
    compare
        True to compare two kernels.
    again
        The share of inputs that are called again; 0 for none.
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
        """The number of the worst inputs to keep: exact errors decide among them."""
        return self.keep + SPARE

    def __call__(self, unit: Unit) -> Findings:
        """Call the kernels at a unit, and judge their results."""
        found = Findings.none(len(self.kernels))
        if isinstance(unit.bits, tuple):
            for start in range(0, len(unit), CALL):
                (x,) = unit.at(np.arange(start, min(start + CALL, len(unit))))
                judge_stretch(self, found, x, [call(each, x) for each in self.kernels])
        else:
            inputs = unit.inputs
            columns = [each.astype(np.float64) for each in inputs]
            results = [call(each, *inputs) for each in self.kernels]
            if unit.special:
                for mine, got in zip(found.kernels, results, strict=True):
                    mine.special = wrong_special(self.question, columns, got)
                return found
            weight = reduce(np.outer, unit.weights).ravel() if unit.weights else np.zeros(0)
            self.judge_inputs(found, columns, results, weight)
        for kernel, mine in zip(self.kernels, found.kernels, strict=True):
            mine.notes, mine.facts = dict.fromkeys(notes(kernel)), facts(kernel)
            if self.again:
                worst = [each.largest("ulp") for each in mine.tallies.values()]
                mine.unrepeatable = unrepeatable(kernel, unit, worst, self.again)
        return found

    def judge_inputs(
        self, found: Findings, columns: list[Floats], got: list[Any], weight: Floats
    ) -> None:
        """Judge results at x or at pairs, in the order of places and of x."""
        for place, where in places_of(self.question.dtype, *columns):
            x, *ups = (each[where] for each in columns)
            truth = truth_of(self.question, x, *ups)
            block = Block(self.question, place, x, truth, weight[where], self.ftz, *ups)
            self.judge_block(found, block, [each[where] for each in got])

    def judge_block(self, found: Findings, block: Block, got: list[Any]) -> None:
        """Judge the results of all kernels at the inputs of a block."""
        for mine, each in zip(found.kernels, got, strict=True):
            tally = mine.at(block.place)
            judge(block, each, tally, self.rows)
            if self.criteria:
                mine.see(see(block, each.astype(np.float64), self.own))
            if not block.place.up:
                tally.count(non_monotone=wrong_steps(block, each))
                mine.ends.append(ends_of(block, each))
        if self.compare:
            here = found.differences.setdefault(block.place, Differences())
            here.add(compared(block, got[0], got[1], self.rows), self.rows)
