"""The part of a measurement that one process does: a unit of inputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from gelu_cli.accuracy.criteria import Tolerance, see
from gelu_cli.accuracy.differences import Differences, compared
from gelu_cli.accuracy.exact_errors import wrong_special
from gelu_cli.accuracy.findings import Findings
from gelu_cli.accuracy.judge import Block, judge
from gelu_cli.accuracy.monotony import ends_of, wrong_steps
from gelu_cli.accuracy.products import Pairs, factor_at, truth_of, truth_of_pairs
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Place, parts
from gelu_cli.accuracy.repeats import bits_differ, unrepeatable
from gelu_cli.accuracy.selection import CALL, DRAWN, SPECIAL, Unit
from gelu_cli.accuracy.stretches import judge_stretch
from gelu_cli.accuracy.truth import Truth
from gelu_cli.accuracy.weights import STANDARD, Normal, weights_of
from gelu_cli.kernels import Kernel, call, facts, notes
from gelu_cli.numbers.cells import Floats


@dataclass(frozen=True)
class Measuring:
    """The task of a process: measure kernels at a unit of inputs.

    Attributes
    ----------
    question, kernels
        The expected results, and the kernels.
    keep
        Number of the worst inputs to keep.
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
    drawn_ups
        True if second inputs have weights among draws.
    """

    question: Question
    kernels: tuple[Kernel, ...]
    keep: int = 26
    normal: Normal = STANDARD
    ftz: bool = False
    criteria: bool = False
    own: Tolerance | None = None
    compare: bool = False
    again: float = 0.0
    drawn_ups: bool = False

    def __call__(self, unit: Unit) -> Findings:
        """Call the kernels at a unit, and judge their results."""
        found = Findings.none(len(self.kernels))
        if unit.kind == SPECIAL:
            self._special(found, unit)
            return found
        if unit.kind == DRAWN:
            one, other = (call(each, *unit.inputs) for each in self.kernels)
            found.drawn = Differences(len(one), int(np.count_nonzero(bits_differ(one, other))))
            return found
        (self._points if unit.ups is None else self._pairs)(found, unit)
        for kernel, mine in zip(self.kernels, found.kernels, strict=True):
            mine.notes, mine.facts = dict.fromkeys(notes(kernel)), facts(kernel)
            if self.again:
                worst = [each.largest("ulp") for each in mine.tallies.values()]
                mine.unrepeatable = unrepeatable(kernel, unit, worst, self.again)
        return found

    def _special(self, found: Findings, unit: Unit) -> None:
        x, *ups = unit.inputs
        inputs = x.astype(np.float64), (ups[0] if ups else np.ones(len(x))).astype(np.float64)
        for kernel, mine in zip(self.kernels, found.kernels, strict=True):
            got = call(kernel, x, *ups).astype(np.float64)
            mine.special = wrong_special(self.question, *inputs, got)

    def _points(self, found: Findings, unit: Unit) -> None:
        if unit.bits is None:
            for start in range(unit.first, unit.end, CALL):
                (part,) = Unit(unit.dtype, unit.sign, start, min(start + CALL, unit.end)).inputs
                results = [call(each, part) for each in self.kernels]
                judge_stretch(self, found, part, start, results)
            return
        (x,) = unit.inputs
        got = [call(each, x) for each in self.kernels]
        points = x.astype(np.float64)
        weight = weights_of(self.question.dtype, points, self.normal, *unit.around)
        self.judge_points(found, points, got, weight)

    def judge_points(self, found: Findings, x: Floats, got: list[Any], weight: Floats) -> None:
        """Judge results at inputs in the order of bit patterns."""
        question = self.question
        for region, where in parts(question.dtype, x):
            some, truth = x[where], truth_of(question, x[where])
            flushed = self.flushed(some)
            block = Block(question, Place(region), some, truth, weight[where], flushed=flushed)
            self.judge_block(found, block, [each[where] for each in got])

    def flushed(self, x: Floats) -> list[Truth] | None:
        """Return the exact values for subnormal inputs flushed to 0."""
        if not self.ftz:
            return None
        subnormal = bool(np.abs(x[-1]) < 2.0**self.question.dtype.emin)
        return [truth_of(self.question, 0 * x)] if subnormal else []

    def judge_block(self, found: Findings, block: Block, got: list[Any]) -> None:
        """Judge the results of all kernels at the inputs of a block."""
        for mine, each in zip(found.kernels, got, strict=True):
            tally = mine.at(block.place)
            judge(block, each, tally, self.keep)
            if self.criteria:
                mine.see(see(block, each.astype(np.float64), self.own))
            if not block.place.up:
                tally.count(non_monotone=wrong_steps(block, each))
                mine.ends.append(ends_of(block, each))
        if self.compare:
            here = found.differences.setdefault(block.place, Differences())
            here.add(compared(block, got[0], got[1], self.keep), self.keep)

    def _pairs(self, found: Findings, unit: Unit) -> None:
        """Judge results at each x with each up; x and ups are of one region."""
        assert unit.ups is not None
        got = [call(each, *unit.inputs) for each in self.kernels]
        of, weight = self.question.dtype, np.zeros(0)
        x, ups = (e.view(of.dtype).astype(np.float64) for e in (unit.patterns(), unit.ups))
        if self.drawn_ups:
            of_x = weights_of(of, x, self.normal, *unit.around)
            of_ups = weights_of(of, ups, self.normal, *unit.ups_around)
            weight = np.outer(of_x, of_ups).ravel()
        self.judge_pairs(found, Pairs.outer(x, ups), got, weight)

    def judge_pairs(self, found: Findings, pairs: Pairs, got: list[Any], weight: Floats) -> None:
        """Judge results at pairs whose x, and whose ups, are of one region."""
        question, dtype = self.question, self.question.dtype
        truth = truth_of_pairs(question, _factor_at(question, pairs.x.tobytes()), pairs)
        ((region, _),) = parts(dtype, pairs.x[:1])
        ((of_up, _),) = parts(dtype, pairs.ups[:1], second=True)
        flushed = self._flushed_pairs(pairs) if self.ftz else None
        x, ups = pairs.x[pairs.row], pairs.ups[pairs.column]
        block = Block(question, Place(region, of_up), x, truth, weight, ups, flushed)
        self.judge_block(found, block, got)

    def _flushed_pairs(self, pairs: Pairs) -> list[Truth]:
        """Return the exact values with one input, or both, flushed to 0."""
        least = 2.0**self.question.dtype.emin
        xs, both = ([each, 0 * each] if abs(each[-1]) < least else [each] for each in pairs[:2])
        return [
            truth_of_pairs(self.question, factor_at(self.question, x), pairs._replace(x=x, ups=ups))
            for x in xs
            for ups in both
            if x is not pairs.x or ups is not pairs.ups
        ]


@lru_cache(2)
def _factor_at(question: Question, x: bytes) -> Truth:
    """Return the exact values of F, cached as consecutive units share x."""
    return factor_at(question, np.frombuffer(x))
