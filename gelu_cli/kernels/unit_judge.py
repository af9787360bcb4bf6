"""What several kernels return at a unit of the inputs, judged: what one process does of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import copysign
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.rounding import Array, Floats
from gelu_cli.environment import State, standard_environment
from gelu_cli.kernels.conduct import Call, Conduct, Witness
from gelu_cli.kernels.functions import UsersFunction
from gelu_cli.kernels.guests import GuestImplementation
from gelu_cli.kernels.implementations import Implementation, Kernel
from gelu_cli.kernels.inputs import Inputs
from gelu_cli.kernels.judging import Judge, Part, RegionJudge
from gelu_cli.kernels.judging_runs import RunJudge
from gelu_cli.kernels.regions import Region, region_numbers, regions
from gelu_cli.kernels.runs import FLOAT32, RUN, RUNS, Run, truth_by_runs
from gelu_cli.kernels.tally import NO_BAR, Bar, Tally
from gelu_cli.kernels.truth import Question
from gelu_cli.kernels.units import AT_ONCE, Stretch, Unit


class Task(NamedTuple):
    """A unit of inputs, and the places of the kernels whose results are judged there."""

    unit: Unit
    kernels: Sequence[int]
    first: bool = False
    """Whether the sweep begins with it."""


class Outcome(NamedTuple):
    """What was found of one kernel at a unit."""

    parts: list[Part]
    calls: list[Call]
    """Those that are made again at the end of the sweep."""

    environments: Mapping[State, str]


class Again(NamedTuple):
    """The function at a place among the kernels, the inputs of its sweep, and calls of it."""

    kernel: int
    inputs: Inputs
    calls: Sequence[Call]


class UnitJudge:
    """Judges results of kernels, unit by unit; those with the same question share its truth.

    `keep` of the worst are kept. It goes to another process as what it was made of.
    """

    def __init__(self, kernels: Sequence[Kernel], keep: int, ftz: bool) -> None:
        self.kernels = kernels
        self.keep = keep
        self.ftz = ftz
        self._found: list[dict[Region, Tally]] = [{} for _ in kernels]
        own = any(isinstance(each, UsersFunction) for each, _ in kernels)
        self._at_once = AT_ONCE if own else 1
        self._truths: list[_BinadeTruth] = []
        self._truth_of: list[int] = []
        for _, question in kernels:
            known = [truth.question for truth in self._truths]
            if question not in known:
                self._truths.append(_BinadeTruth(question))
            self._truth_of.append([*known, question].index(question))

    def __reduce__(self) -> tuple[object, ...]:
        return UnitJudge, (self.kernels, self.keep, self.ftz)

    @property
    def guests(self) -> list[GuestImplementation]:
        """The functions that have processes of their own."""
        return [each for each, _ in self.kernels if isinstance(each, GuestImplementation)]

    def load(self) -> UnitJudge:
        """Start the processes of functions."""
        for guest in self.guests:
            guest.load()
        return self

    def close(self) -> None:
        """End the processes of functions."""
        for guest in self.guests:
            guest.close()

    @standard_environment()
    def judge(self, task: Task) -> list[Outcome]:
        """Judge the results of the kernels of a task, one after the other."""
        called = {i: _Called(self.kernels[i].implementation, task.first) for i in task.kernels}
        unit = task.unit
        if isinstance(unit, Stretch):
            parts = self._stretch(unit, called)
        else:
            parts = self._block(unit, called)
        return [Outcome(parts[i], each.kept, each.environments) for i, each in called.items()]

    @standard_environment()
    def again(self, asked: Again) -> tuple[Conduct, Mapping[State, str]]:
        """Call a function again, and return what there is to say of it, and its environments."""
        own, question = self.kernels[asked.kernel]
        if not isinstance(own, UsersFunction):
            return Conduct("", ""), {}
        conduct = Witness(own, question, asked.inputs, asked.calls).conduct()
        return conduct, dict(own.environments)

    def _block(self, x: Array, called: Mapping[int, _Called]) -> Mapping[int, list[Part]]:
        """Judge the results at any numbers of the format, in the order of their bits."""
        number_format = self.kernels[0].question.number_format
        floats: Floats = x.astype(np.float64 if number_format.width == 64 else np.float32)
        results = {i: call(floats) for i, call in called.items()}
        parts: dict[int, list[Part]] = {}
        for truth, places in self._sharing(called):
            judge = RegionJudge(truth.question, x, self.ftz)
            parts |= {i: judge.parts(results[i], self.keep) for i in places}
        return parts

    def _stretch(self, stretch: Stretch, called: Mapping[int, _Called]) -> Mapping[int, list[Part]]:
        """Judge the results at the float32s of a stretch, a run at a time."""
        region = _region_of(stretch)
        tallies = {i: Tally() for i in called}
        for number, start, x, results in _runs(stretch, called, self._at_once):
            for truth, places in self._sharing(called):
                judge = self._run_judge(truth, stretch, number, start, x)
                for i in places:
                    bar = self._bar(self._found[i].get(region), tallies[i])
                    tallies[i].add(judge.tally(results[i], self.keep, bar), self.keep)
        for i, tally in tallies.items():
            self._found[i].setdefault(region, Tally()).add(tally, self.keep)
        return {i: [(region, tally)] for i, tally in tallies.items()}

    def _run_judge(
        self, truth: _BinadeTruth, stretch: Stretch, number: int, start: int, x: Floats
    ) -> RunJudge | Judge:
        run = truth.runs(stretch)[number % RUNS]
        if run is None:
            return Judge(truth.question, x.astype(np.float64), self.ftz)
        return RunJudge(truth.question, x, run, slice(start, start + len(x)), self.ftz)

    def _sharing(self, places: Mapping[int, object]) -> list[tuple[_BinadeTruth, list[int]]]:
        """Return each truth with the places of the kernels that it is for."""
        return [
            (truth, ours)
            for number, truth in enumerate(self._truths)
            if (ours := [i for i in places if self._truth_of[i] == number])
        ]

    def _bar(self, *tallies: Tally | None) -> Bar:
        known = [tally for tally in tallies if tally]
        full = [tally.worst[-1].ulp for tally in known if len(tally.worst) == self.keep]
        return Bar(
            max(full, default=NO_BAR.ulp),
            max((tally.furthest[0] for tally in known), default=NO_BAR.ordinal),
        )


class _BinadeTruth:
    """The truth of a question at the runs of a binade: of the one that it was last asked for."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._binade = 0, 0
        self._runs: Sequence[Run | None] = ()

    def runs(self, stretch: Stretch) -> Sequence[Run | None]:
        """Return the truth at the runs of the binade that a stretch is part of."""
        binade = stretch.sign, stretch.field
        if self._binade != binade:
            self._binade, self._runs = binade, truth_by_runs(self.question, *binade)
        return self._runs


class _Called:
    """An implementation at a unit, which keeps the calls that are made again."""

    def __init__(self, implementation: Implementation, first: bool) -> None:
        self.kept: list[Call] = []
        self._implementation = implementation
        self._first = first

    @property
    def environments(self) -> Mapping[State, str]:
        return dict(self._implementation.environments)

    def __call__(self, x: Floats) -> Floats:
        got = self._implementation(x)
        if isinstance(self._implementation, UsersFunction) and (self._first or np.any(x == 1)):
            self._first = False
            self.kept.append(Call(x, got.copy(), len(x)))
        return got


def _runs(
    stretch: Stretch, called: Mapping[int, _Called], at_once: int
) -> Iterator[tuple[int, int, Floats, Mapping[int, Floats]]]:
    """Yield the number of each run, where in it a part begins, the part, and all results at it.

    So many runs are in a call.
    """
    _, _, start, last = stretch
    for number in range(start // RUN, -(-last // RUN), at_once):
        first, end = max(start, number * RUN), min(last, (number + at_once) * RUN)
        bits = np.arange(first, end, dtype=np.uint32)
        x = (bits | np.uint32(0x8000_0000 if stretch.sign < 0 else 0)).view(np.float32)
        results = {i: call(x) for i, call in called.items()}
        for i in range(first // RUN, -(-end // RUN)):
            begin = max(first, i * RUN)
            part = slice(begin - first, min(end, (i + 1) * RUN) - first)
            yield i, begin - i * RUN, x[part], {each: got[part] for each, got in results.items()}


def _region_of(stretch: Stretch) -> Region:
    middle = np.array([copysign(FLOAT32.number(stretch.field << 23), stretch.sign)])
    return regions(FLOAT32)[int(region_numbers(FLOAT32, middle)[0])]
