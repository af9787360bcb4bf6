"""What several kernels return at a unit of the inputs, judged: what one process does of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import pairwise, starmap
from math import copysign
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array, Floats, held
from gelu_cli.environment import State, standard_environment
from gelu_cli.guests.calling import UsersFunction
from gelu_cli.guests.conduct import Batches, Call, changes, full
from gelu_cli.guests.programs import ProgramImplementation
from gelu_cli.guests.surroundings import Places, Seen, look_around
from gelu_cli.sweeping.implementations import Implementation, Kernel, RoutineImplementation
from gelu_cli.sweeping.inputs import AT_ONCE, BLOCK, Batch, Inputs, Stretch, Unit
from gelu_cli.sweeping.judging import Judge, Part, by_regions
from gelu_cli.sweeping.judging_binades import BinadeResults, Float32Judge
from gelu_cli.sweeping.observers import Observer, Sight, look
from gelu_cli.sweeping.regions import Region
from gelu_cli.sweeping.runs import BINADE, FLOAT32, RUN, SIGN_BIT
from gelu_cli.sweeping.tally import Tally

Made = TypeVar("Made")

Answer: TypeAlias = tuple[Any, Mapping[State, str]]
"""What was asked of a function, and the floating-point environments that it was seen in."""


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
    """Do results change, in words, when calls of a sweep of these inputs are made again?"""

    kernel: int
    inputs: Inputs
    calls: Sequence[Call]

    def answered(self, function: Batches) -> str:
        """Return the change, or nothing."""
        return changes(function, self.inputs.low, self.inputs.high, self.calls)


class Around(NamedTuple):
    """What are results at these inputs in other surroundings?

    Lengths are tried with the inputs at the places `few`.
    """

    kernel: int
    x: Floats
    few: Places

    def answered(self, function: Batches) -> Seen:
        """Return what was seen."""
        return look_around(function, self.x, self.few)


Asked: TypeAlias = Again | Around
"""What is asked of one function beside its results at the inputs of a sweep."""


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
        self._judges: list[Float32Judge] = []
        for _, question in kernels:
            known = [judge for judge in self._judges if judge.question == question]
            self._judges += known[:1] or [Float32Judge(question, ftz=ftz)]

    def __reduce__(self) -> tuple[object, ...]:
        return UnitJudge, self.made_of

    @property
    def made_of(self) -> tuple[Any, ...]:
        """What another one is made of that judges the same."""
        return self.kernels, self.keep, self.ftz, self.batch, self.observers

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
        unit, observers = task.unit, self.observers if task.observed else ()
        got: Mapping[int, Floats] = {}
        if isinstance(unit, Stretch):
            parts, seen = self._stretch(unit, called, observers)
        else:
            (x,) = self._inputs(unit)
            got = {i: call(x) for i, call in called.items()}
            parts, seen = self._array(unit, x, got, observers)
        outcomes = [
            Outcome(parts[i], each.kept, dict(self.kernels[i].implementation.environments),
                    *_provenance(self.kernels[i].implementation))
            for i, each in called.items()
        ]  # fmt: skip
        return Found(outcomes, seen, got if task.returned else {})

    @standard_environment()
    def ask(self, asked: Asked) -> Answer:
        """Ask something of a function of the user's."""
        function = self._called[asked.kernel]
        if not isinstance(function, Batches):
            raise TypeError("routines are not asked")
        answer = asked.answered(function)
        return answer, dict(function.function.environments)

    def _array(
        self, x: Array, floats: Floats, got: Mapping[int, Floats], observers: Sequence[Observer]
    ) -> tuple[Mapping[int, list[Part]], list[Any]]:
        """Judge the results at any numbers of the format, in the order of their bits."""
        parts: dict[int, list[Part]] = {i: [] for i in got}
        seen: list[Any] = []
        for region, where in by_regions(self._dtype, x, BLOCK):
            judges = self._shared(got, partial(_judge_at, x[where]))
            some = {i: each[where] for i, each in got.items()}
            for i, judge in judges.items():
                parts[i].append((region, judge.tally(some[i], self.keep)))
            seen = look(observers, seen, Sight(floats[where], some, judges.__getitem__))
        return parts, seen

    def _stretch(
        self, stretch: Stretch, called: Mapping[int, _Called], observers: Sequence[Observer]
    ) -> tuple[Mapping[int, list[Part]], list[Any]]:
        """Judge the results at the float32s of a stretch, run by run, which kernels share."""
        middle = copysign(FLOAT32.number(stretch.field << 23), stretch.sign)
        ((region, _),) = by_regions(FLOAT32, np.array([middle]))
        found = {i: self._found[i].setdefault(region, Tally()) for i in called}
        binades = self._shared(called, lambda judge: judge.binade(stretch.sign, stretch.field))
        results = {i: BinadeResults(each, self.keep, found[i]) for i, each in binades.items()}
        seen: list[Any] = []
        start = stretch.first % BINADE
        for x in self._inputs(stretch):
            got = {i: call(x) for i, call in called.items()}
            for run in _runs(start, len(x)):
                some = {i: each[run] for i, each in got.items()}
                for i, each in some.items():
                    results[i].take(start + run.start, x[run], each)
                seen = look(observers, seen, Sight(x[run], some, lambda i: results[i].judge))
            start += len(x)
        tallies = {i: each.tally() for i, each in results.items()}
        for i, tally in tallies.items():
            found[i].add(tally, self.keep)
        return {i: [(region, tally)] for i, tally in tallies.items()}, seen

    def _shared(
        self, places: Iterable[int], make: Callable[[Float32Judge], Made]
    ) -> dict[int, Made]:
        """Return what is made of the judges of kernels, once for those with the same question."""
        made = {judge: make(judge) for judge in dict.fromkeys(self._judges[i] for i in places)}
        return {i: made[self._judges[i]] for i in places}

    def _inputs(self, unit: Unit) -> Iterator[Floats]:
        """Yield the inputs of each call at a unit."""
        if isinstance(unit, Stretch):
            yield from _calls(unit, self._at_once)
        else:
            yield held(self._dtype, unit)


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


def _judge_at(x: Array, shared: Float32Judge) -> Judge:
    return Judge(shared.question, x, shared.ftz)


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
