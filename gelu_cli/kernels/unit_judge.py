"""What several kernels return at a unit of the inputs, judged: what one process does of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import copysign
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.rounding import Array, Floats
from gelu_cli.environment import State, standard_environment
from gelu_cli.kernels.functions import UsersFunction
from gelu_cli.kernels.functions.conduct import Call, Conduct, Witness
from gelu_cli.kernels.functions.guests import GuestImplementation
from gelu_cli.kernels.implementations import Implementation, Kernel, RoutineImplementation
from gelu_cli.kernels.inputs import Inputs
from gelu_cli.kernels.judging import Part, RegionJudge
from gelu_cli.kernels.judging_binades import BinadeJudge, Float32Judge
from gelu_cli.kernels.regions import Region, region_numbers, regions
from gelu_cli.kernels.runs import BINADE, FLOAT32, RUN, SIGN_BIT
from gelu_cli.kernels.tally import Tally
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
        self._truths: list[_Truth] = []
        self._truth_of: list[int] = []
        for _, question in kernels:
            known = [truth.question for truth in self._truths]
            if question not in known:
                self._truths.append(_Truth(question, ftz))
            self._truth_of.append([*known, question].index(question))

    def __reduce__(self) -> tuple[object, ...]:
        return UnitJudge, (self.kernels, self.keep, self.ftz)

    @property
    def guests(self) -> list[GuestImplementation]:
        """The functions that have processes of their own."""
        return [each for each, _ in self.kernels if isinstance(each, GuestImplementation)]

    def load(self) -> UnitJudge:
        """Start the processes of functions, and have routines import what they call."""
        for guest in self.guests:
            guest.load()
        for each, _ in self.kernels:
            if isinstance(each, RoutineImplementation):
                each(np.ones(1, np.float32))
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
        number_format = self.kernels[0].question.dtype
        floats: Floats = x.astype(np.float64 if number_format.width == 64 else np.float32)
        results = {i: call(floats) for i, call in called.items()}
        parts: dict[int, list[Part]] = {}
        for truth, places in self._sharing(called):
            judge = RegionJudge(truth.question, x, self.ftz)
            parts |= {i: judge.parts(results[i], self.keep) for i in places}
        return parts

    def _stretch(self, stretch: Stretch, called: Mapping[int, _Called]) -> Mapping[int, list[Part]]:
        """Judge the results at the float32s of a stretch, some runs at a time."""
        region = _region_of(stretch)
        found = {i: self._found[i].setdefault(region, Tally()) for i in called}
        results = {
            i: truth.binade(stretch).results(self.keep, found[i])
            for truth, places in self._sharing(called)
            for i in places
        }
        for start, x in _calls(stretch, self._at_once):
            for i, call in called.items():
                results[i].take(start, x, call(x))
        tallies = {i: each.tally() for i, each in results.items()}
        for i, tally in tallies.items():
            found[i].add(tally, self.keep)
        return {i: [(region, tally)] for i, tally in tallies.items()}

    def _sharing(self, places: Mapping[int, object]) -> list[tuple[_Truth, list[int]]]:
        """Return each truth with the places of the kernels that it is for."""
        return [
            (truth, ours)
            for number, truth in enumerate(self._truths)
            if (ours := [i for i in places if self._truth_of[i] == number])
        ]


class _Truth:
    """The truth of a question, which keeps the binade of float32s that it was last asked for."""

    def __init__(self, question: Question, ftz: bool) -> None:
        self.question = question
        self._judge = Float32Judge(question, ftz=ftz)
        self._asked = 0, 0
        self._latest: BinadeJudge | None = None

    def binade(self, stretch: Stretch) -> BinadeJudge:
        """Return the judge of the binade that a stretch is part of."""
        asked = stretch.sign, stretch.field
        if self._latest is None or self._asked != asked:
            self._asked, self._latest = asked, self._judge.binade(*asked)
        return self._latest


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


def _calls(stretch: Stretch, at_once: int) -> Iterator[tuple[int, Floats]]:
    """Yield the inputs of each call, so many runs, after where in the binade they begin."""
    step = at_once * RUN
    sign = SIGN_BIT if stretch.sign < 0 else 0
    for number in range(stretch.first // step, -(-stretch.end // step)):
        first, end = max(stretch.first, number * step), min(stretch.end, (number + 1) * step)
        x = np.arange(first | sign, end | sign, dtype=np.uint32).view(np.float32)
        yield first % BINADE, x


def _region_of(stretch: Stretch) -> Region:
    middle = np.array([copysign(FLOAT32.number(stretch.field << 23), stretch.sign)])
    return regions(FLOAT32)[int(region_numbers(FLOAT32, middle)[0])]
