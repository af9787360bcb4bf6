"""What several kernels return at a unit of the inputs, judged: what one process does of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import pairwise, starmap
from math import copysign
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array, Floats, held
from gelu_cli.environment import State, standard_environment
from gelu_cli.guests.calling import UsersFunction
from gelu_cli.guests.conduct import Batches, Call, changes, full
from gelu_cli.guests.programs import ProgramImplementation
from gelu_cli.guests.surroundings import Places, Seen, look_around
from gelu_cli.kernels.implementations import Implementation, Kernel, RoutineImplementation
from gelu_cli.kernels.inputs import Inputs
from gelu_cli.kernels.judging import Judge, Part, RegionJudge
from gelu_cli.kernels.judging_binades import BinadeJudge, Float32Judge
from gelu_cli.kernels.judging_runs import RunJudge
from gelu_cli.kernels.observers import Indices, Observer, Sight, added
from gelu_cli.kernels.regions import Region, region_numbers, regions
from gelu_cli.kernels.runs import BINADE, FLOAT32, RUN, SIGN_BIT
from gelu_cli.kernels.tally import Tally
from gelu_cli.kernels.truth import Question, Truth
from gelu_cli.kernels.units import AT_ONCE, BLOCK, Batch, Stretch, Unit

JudgeOf: TypeAlias = Callable[[], RegionJudge | RunJudge | Judge]
"""Gives the judge of results of a kernel, made when it is asked for."""


class Task(NamedTuple):
    """A unit of inputs, and the places of the kernels whose results are judged there."""

    unit: Unit
    kernels: Sequence[int]
    first: bool = False
    """Whether the sweep begins with it."""

    observed: bool = False
    """Whether observers see it."""

    returned: bool = False
    """Whether the results themselves are wanted, of inputs that are an array."""


class Outcome(NamedTuple):
    """What was found of one kernel at a unit."""

    parts: list[Part]
    calls: list[Call]
    """Those that are made again at the end of the sweep."""

    environments: Mapping[State, str]
    provenance: Mapping[str, str]
    versions: Mapping[str, str]


class Found(NamedTuple):
    """What was found at a unit: the outcome of each kernel, and what each observer has seen."""

    outcomes: list[Outcome]
    seen: list[Any]
    got: Mapping[int, Floats]
    """The results of each kernel, by its place, if they are wanted."""


class Again(NamedTuple):
    """The function at a place among the kernels, the inputs of its sweep, and calls of it."""

    kernel: int
    inputs: Inputs
    calls: Sequence[Call]


class Around(NamedTuple):
    """The function at a place among the kernels, and inputs that are seen in other surroundings.

    Lengths are tried with the inputs at the places `few`.
    """

    kernel: int
    x: Floats
    few: Places


class UnitJudge:
    """Judges results of kernels, unit by unit; those with the same question share its truth.

    `keep` of the worst are kept, and functions are called with a `batch` if they name none.
    `observers` see all results. It goes to another process as what it was made of.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        keep: int,
        ftz: bool,
        batch: Batch,
        observers: Sequence[Observer] = (),
    ) -> None:
        self.kernels = kernels
        self.keep = keep
        self.ftz = ftz
        self.batch = batch
        self.observers = observers
        self._dtype = kernels[0].question.dtype
        self._found: list[dict[Region, Tally]] = [{} for _ in kernels]
        self._called = [
            Batches(each, _batch_size(each, batch)) if isinstance(each, UsersFunction) else each
            for each, _ in kernels
        ]  # fmt: skip
        self._at_once = _runs_at_once(kernels)
        self._truths: list[_Truth] = []
        self._truth_of: list[int] = []
        for _, question in kernels:
            known = [truth.question for truth in self._truths]
            if question not in known:
                self._truths.append(_Truth(question, ftz))
            self._truth_of.append([*known, question].index(question))

    def __reduce__(self) -> tuple[object, ...]:
        return UnitJudge, self.made_of

    @property
    def made_of(self) -> tuple[Any, ...]:
        """What another one is made of that judges the same."""
        return self.kernels, self.keep, self.ftz, self.batch, self.observers

    def with_kernels(self, kernels: Sequence[Kernel]) -> UnitJudge:
        """Return one that judges other kernels the same way."""
        return UnitJudge(kernels, *self.made_of[1:])

    @property
    def functions(self) -> list[UsersFunction]:
        """The kernels of the user's own, which may have processes of their own."""
        return [each for each, _ in self.kernels if isinstance(each, UsersFunction)]

    @contextmanager
    def streams(self, tasks: Sequence[Task]) -> Iterator[None]:
        """Have each program judged in the block by one process, which gets the inputs of tasks."""
        with ExitStack() as streams:
            for place, (each, _) in enumerate(self.kernels):
                if isinstance(each, ProgramImplementation):
                    mine = (task.unit for task in tasks if place in task.kernels)
                    streams.enter_context(
                        each.stream(x for unit in mine for x in self._inputs(unit))
                    )
            yield

    def load(self) -> UnitJudge:
        """Start the processes of functions, and have routines import what they call."""
        for each in self._called:
            if isinstance(each, Batches):
                first = held(self._dtype, np.array([self.batch.example]))
                each.function.load(full(first, each.size or 1))
            elif isinstance(each, RoutineImplementation):
                each(np.ones(1, np.float32))
        return self

    def close(self) -> None:
        """End the processes of functions."""
        for function in self.functions:
            function.close()

    @standard_environment()
    def judge(self, task: Task) -> Found:
        """Judge the results of the kernels of a task, one after the other."""
        called = {i: _Called(self._called[i], task.first) for i in task.kernels}
        unit, looks = task.unit, _Looks(self.observers if task.observed else ())
        got: Mapping[int, Floats] = {}
        if isinstance(unit, Stretch):
            parts = self._stretch(unit, called, looks)
        else:
            (x,) = self._inputs(unit)
            got = {i: call(x) for i, call in called.items()}
            parts = self._block(unit, x, got, looks)
        outcomes = [
            Outcome(parts[i], each.kept, dict(self.kernels[i].implementation.environments),
                    *_provenance(self.kernels[i].implementation))
            for i, each in called.items()
        ]  # fmt: skip
        return Found(outcomes, looks.seen, got if task.returned else {})

    @standard_environment()
    def again(self, asked: Again) -> tuple[str, Mapping[State, str]]:
        """Call a function again; return whether results change, in words, and its environments."""
        own = self._called[asked.kernel]
        if not isinstance(own, Batches):
            return "", {}
        said = changes(own, asked.inputs.low, asked.inputs.high, asked.calls)
        return said, dict(own.function.environments)

    @standard_environment()
    def around(self, asked: Around) -> tuple[Seen, Mapping[State, str]]:
        """Call a function in other surroundings; return what was seen, and its environments."""
        own = self._called[asked.kernel]
        if not isinstance(own, Batches):
            raise TypeError("a routine has no surroundings")
        seen = look_around(own, asked.x, asked.few)
        return seen, dict(own.function.environments)

    def _block(
        self, x: Array, floats: Floats, got: Mapping[int, Floats], looks: _Looks
    ) -> Mapping[int, list[Part]]:
        """Judge the results at any numbers of the format, in the order of their bits."""
        parts: dict[int, list[Part]] = {i: [] for i in got}
        for start in range(0, len(x), BLOCK):  # of a large batch
            block = slice(start, start + BLOCK)
            judges: dict[int, JudgeOf] = {}
            for truth, places in self._sharing(got):
                judge = RegionJudge(truth.question, x[block], self.ftz)
                for i in places:
                    parts[i] += judge.parts(got[i][block], self.keep)
                    judges[i] = partial(_itself, judge)
            if looks:
                looks.at(floats[block], {i: each[block] for i, each in got.items()}, judges)
        return parts

    def _stretch(
        self, stretch: Stretch, called: Mapping[int, _Called], looks: _Looks
    ) -> Mapping[int, list[Part]]:
        """Judge the results at the float32s of a stretch, run by run, which kernels share."""
        region = _region_of(stretch)
        found = {i: self._found[i].setdefault(region, Tally()) for i in called}
        judges = {
            i: truth.binade(stretch) for truth, places in self._sharing(called) for i in places
        }
        results = {i: judge.results(self.keep, found[i]) for i, judge in judges.items()}
        start = stretch.first % BINADE
        for x in self._inputs(stretch):
            got = {i: call(x) for i, call in called.items()}
            for run in _runs(start, len(x)):
                some = {i: each[run] for i, each in got.items()}
                for i, each in some.items():
                    results[i].take(start + run.start, x[run], each)
                if looks:
                    place = start + run.start, x[run]
                    known = {i: partial(each.judge, *place) for i, each in judges.items()}
                    looks.at(x[run], some, known)
            start += len(x)
        tallies = {i: each.tally() for i, each in results.items()}
        for i, tally in tallies.items():
            found[i].add(tally, self.keep)
        return {i: [(region, tally)] for i, tally in tallies.items()}

    def _inputs(self, unit: Unit) -> Iterator[Floats]:
        """Yield the inputs of each call at a unit."""
        if isinstance(unit, Stretch):
            yield from _calls(unit, self._at_once)
        else:
            yield held(self._dtype, unit)

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


class _Looks:
    """What observers see of a unit."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self.seen: list[Any] = []
        self._observers = observers

    def __bool__(self) -> bool:
        return bool(self._observers)

    def at(self, x: Floats, got: Mapping[int, Floats], judges: Mapping[int, JudgeOf]) -> None:
        """Let them see the results of kernels at inputs, and what their judges know there."""

        def truth_at(place: int, where: Indices | slice) -> Truth:
            return judges[place]().due.only(where)

        sight = Sight(x, got, truth_at, lambda place: judges[place]().values)
        seen = [each.see(sight) for each in self._observers]
        self.seen = added(self._observers, self.seen, seen)


class _Called:
    """An implementation at a unit, which keeps the calls that are made again."""

    def __init__(self, implementation: Implementation | Batches, first: bool) -> None:
        self.kept: list[Call] = []
        self._implementation = implementation
        self._first = first

    def __call__(self, x: Floats) -> Floats:
        got = self._implementation(x)
        if isinstance(self._implementation, Batches) and (self._first or np.any(x == 1)):
            self._first = False
            self.kept.append(Call(x, got.copy()))
        return got


def _itself(judge: RegionJudge) -> RegionJudge:
    return judge


def _batch_size(own: UsersFunction, batch: Batch) -> int | None:
    return None if isinstance(own, ProgramImplementation) else own.calling.batch or batch.size


def _provenance(implementation: Implementation) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return what results depend on beside the kernel, and the versions of libraries there."""
    if not isinstance(implementation, UsersFunction):
        return {}, {}
    return dict(implementation.provenance), dict(implementation.versions)


def _runs_at_once(kernels: Sequence[Kernel]) -> int:
    """Return how many runs of float32s are given to kernels at once."""
    own = [each for each, _ in kernels if isinstance(each, UsersFunction)]
    if not own:
        return 1
    longest = max(each.calling.batch or AT_ONCE * RUN for each in own)
    return longest // RUN or AT_ONCE


def _calls(stretch: Stretch, at_once: int) -> Iterator[Floats]:
    """Yield the inputs of each call, so many runs."""
    step = at_once * RUN
    sign = SIGN_BIT if stretch.sign < 0 else 0
    for number in range(stretch.first // step, -(-stretch.end // step)):
        first, end = max(stretch.first, number * step), min(stretch.end, (number + 1) * step)
        yield np.arange(first | sign, end | sign, dtype=np.uint32).view(np.float32)


def _runs(start: int, size: int) -> Iterator[slice]:
    """Cut so many float32s from a place of a binade on where runs begin."""
    cuts = [0, *range(RUN - start % RUN, size, RUN), size]
    return starmap(slice, pairwise(cuts))


def _region_of(stretch: Stretch) -> Region:
    middle = np.array([copysign(FLOAT32.number(stretch.field << 23), stretch.sign)])
    return regions(FLOAT32)[int(region_numbers(FLOAT32, middle)[0])]
