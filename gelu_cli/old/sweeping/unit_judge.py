"""What several kernels return at a unit of the inputs, judged: what one process does of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise, starmap
from math import copysign
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array, Floats, held
from gelu_cli.old.environment import State, standard_environment
from gelu_cli.old.guests.calling import UsersFunction
from gelu_cli.old.guests.conduct import Batches, Call, changes, full
from gelu_cli.old.guests.programs import ProgramImplementation
from gelu_cli.old.guests.surroundings import Places, Seen, look_around
from gelu_cli.old.sweeping.implementations import Kernel, RoutineImplementation
from gelu_cli.old.sweeping.inputs import AT_ONCE, BLOCK, Batch, Inputs, Pairs, Stretch, Unit
from gelu_cli.old.sweeping.judging import Judge, Part, by_regions
from gelu_cli.old.sweeping.judging_runs import BinadeResults, Float32Judge
from gelu_cli.old.sweeping.observers import Observer, Sight, look
from gelu_cli.old.sweeping.pairs import PairJudge, truth_of_factor
from gelu_cli.old.sweeping.regions import Region, region_of_up
from gelu_cli.old.sweeping.runs import BINADE, FLOAT32, RUN, SIGN_BIT
from gelu_cli.old.sweeping.tally import Tally, bar_of, best
from gelu_cli.old.sweeping.truth import Truth

Answer: TypeAlias = tuple[Any, Mapping[State, str]]
"""What was asked of a function, and the floating-point environments that it was seen in."""


class Task(NamedTuple):
    """A unit of inputs, and the places of the kernels whose results are judged there.

    `first` says whether the sweep begins with it, `observed` whether observers see it, and
    `returned` whether the results themselves are wanted, not judged, of inputs that are an array.
    """

    unit: Unit
    kernels: Sequence[int]
    first: bool = False
    observed: bool = False
    returned: bool = False


class Outcome(NamedTuple):
    """What was found of one kernel at a unit; `calls` are made again at the end of the sweep."""

    parts: list[Part]
    calls: list[Call]
    environments: Mapping[State, str]
    provenance: Mapping[str, str]
    versions: Mapping[str, str]


class Found(NamedTuple):
    """What was found at a unit: the outcome of each kernel, and what each observer has seen.

    `got` has the results of each kernel, by its place, if they are wanted.
    """

    outcomes: list[Outcome]
    seen: list[Any]
    got: Mapping[int, Floats]


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
            each if not isinstance(each, UsersFunction)
            # A program is given its inputs as a stream.
            else Batches(each, None if isinstance(each, ProgramImplementation)
                         else each.calling.batch or batch.size)
            for each, _ in kernels
        ]  # fmt: skip
        longest = [each.calling.batch or AT_ONCE * RUN for each in self.functions]
        self._at_once = max(longest) // RUN or AT_ONCE if longest else 1
        """Runs of float32s that are given to kernels at once."""

        self._x: Array = np.zeros(0)
        self._factors: dict[tuple[int, Float32Judge], Truth] = {}
        """Of the last pairs: the truth of the factor at the inputs x, by where a region begins."""

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
                example = np.array([self.batch.example])
                if each.function.calling.second:
                    example = np.stack([example, example])
                each.function.load(full(held(self._dtype, example), each.size or 1))
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
        kept: dict[int, list[Call]] = {i: [] for i in task.kernels}
        unit, observers = task.unit, self.observers if task.observed else ()

        def called(x: Floats) -> Mapping[int, Floats]:
            """Return the results of each kernel; some calls of functions are kept."""
            got = {}
            for i in task.kernels:
                function = self._called[i]
                got[i] = function(x)
                first = task.first and not kept[i]
                one = x.ndim == 1 and np.any(x == 1)  # of pairs each unit has it
                if isinstance(function, Batches) and (first or one):
                    kept[i].append(Call(x, got[i].copy()))
            return got

        parts: Mapping[int, list[Part]] = {i: [] for i in task.kernels}
        seen: list[Any] = []
        got: Mapping[int, Floats] = {}
        if isinstance(unit, Stretch):
            parts, seen = self._stretch(unit, task.kernels, called, observers)
        else:
            (x,) = self._inputs(unit)
            got = called(x)
            if not task.returned:
                x = x[0] if isinstance(unit, Pairs) else x
                parts, seen = self._blocks(unit, x, got, observers)
        outcomes = []
        for i in task.kernels:
            each = self.kernels[i].implementation
            provenance: Mapping[str, str] = {}
            versions: Mapping[str, str] = {}
            if isinstance(each, UsersFunction):
                provenance, versions = dict(each.provenance), dict(each.versions)
            outcomes.append(
                Outcome(parts[i], kept[i], dict(each.environments), provenance, versions)
            )
        return Found(outcomes, seen, got if task.returned else {})

    @standard_environment()
    def ask(self, asked: Asked) -> Answer:
        """Ask something of a function of the user's."""
        function = self._called[asked.kernel]
        if not isinstance(function, Batches):
            raise TypeError("routines are not asked")
        answer = asked.answered(function)
        return answer, dict(function.function.environments)

    def _blocks(
        self,
        unit: Array | Pairs,
        floats: Floats,
        got: Mapping[int, Floats],
        observers: Sequence[Observer],
    ) -> tuple[Mapping[int, list[Part]], list[Any]]:
        """Judge the results at numbers in the order of their bits, or at pairs of inputs."""
        up: Region | None = None
        if isinstance(unit, Pairs):
            x, count = unit.x, len(unit.ups)
            up = region_of_up(self._dtype, float(unit.ups[0]))
        else:
            x, count = unit, 1
        parts: dict[int, list[Part]] = {i: [] for i in got}
        seen: list[Any] = []
        for region, where in by_regions(self._dtype, x, None if up else BLOCK):
            place, some = region._replace(up=up), slice(where.start * count, where.stop * count)
            shared = {
                each: self._judge_of_pairs(each, unit, where)
                if isinstance(unit, Pairs)
                else Judge(each.question, x[where], self.ftz)
                for each in dict.fromkeys(self._judges[i] for i in got)
            }
            judges = {i: shared[self._judges[i]] for i in got}
            results = {i: each[some] for i, each in got.items()}
            for i, judge in judges.items():
                found = self._found[i].setdefault(place, Tally())
                tally = judge.tally(results[i], self.keep, bar_of([found], self.keep))
                found.worst = best(found.worst + tally.worst, self.keep)
                parts[i].append((place, tally))
            seen = look(observers, seen, Sight(floats[some], results, judges.__getitem__, up))
        return parts, seen

    def _judge_of_pairs(self, known: Float32Judge, pairs: Pairs, where: slice) -> PairJudge:
        """Return a judge of pairs; the truth at each x is found once for all second inputs."""
        if not np.array_equal(pairs.x, self._x):
            self._x, self._factors = pairs.x, {}
        x, key = pairs.x[where], (where.start, known)
        if key not in self._factors:
            self._factors[key] = truth_of_factor(known.question, x)
        return PairJudge(known.question, x, pairs.ups, self.ftz, self._factors[key], pairs.every_up)

    def _stretch(
        self,
        stretch: Stretch,
        kernels: Sequence[int],
        called: Callable[[Floats], Mapping[int, Floats]],
        observers: Sequence[Observer],
    ) -> tuple[Mapping[int, list[Part]], list[Any]]:
        """Judge the results at the float32s of a stretch, run by run, which kernels share."""
        middle = copysign(FLOAT32.number(stretch.field << 23), stretch.sign)
        ((region, _),) = by_regions(FLOAT32, np.array([middle]))
        found = {i: self._found[i].setdefault(region, Tally()) for i in kernels}
        results = {
            i: BinadeResults(self._judges[i], stretch.sign, stretch.field, self.keep, found[i])
            for i in kernels
        }
        seen: list[Any] = []
        start = stretch.first % BINADE
        for x in self._inputs(stretch):
            got = called(x)
            cuts = [0, *range(RUN - start % RUN, len(x), RUN), len(x)]
            for run in starmap(slice, pairwise(cuts)):
                some = {i: each[run] for i, each in got.items()}
                for i, each in some.items():
                    results[i].take(start + run.start, x[run], each)
                seen = look(observers, seen, Sight(x[run], some, lambda i: results[i].judge))
            start += len(x)
        tallies = {i: each.tally() for i, each in results.items()}
        for i, tally in tallies.items():
            found[i].add(tally, self.keep)
        return {i: [(region, tally)] for i, tally in tallies.items()}, seen

    def _inputs(self, unit: Unit) -> Iterator[Floats]:
        """Yield the inputs of each call at a unit, of a stretch so many runs."""
        if not isinstance(unit, Stretch):
            if isinstance(unit, Pairs):
                yield unit.arrays(self._dtype)
            else:
                yield held(self._dtype, unit)
            return
        step = self._at_once * RUN
        sign = SIGN_BIT if unit.sign < 0 else 0
        for start in range(unit.first - unit.first % step, unit.end, step):
            first, end = max(unit.first, start), min(unit.end, start + step)
            yield np.arange(first | sign, end | sign, dtype=np.uint32).view(np.float32)
