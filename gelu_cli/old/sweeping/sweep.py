"""How far are the results of floating-point routines from the truth, over every input?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import copysign, inf, nan
from typing import Any

import numpy as np

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.format_arrays import Array, Floats
from gelu_cli.old.environment import State, make_standard
from gelu_cli.old.guests.calling import UsersFunction, environment_notes
from gelu_cli.old.guests.conduct import Call
from gelu_cli.old.stages import tell
from gelu_cli.old.sweeping.executors import executor_for
from gelu_cli.old.sweeping.gating import usual_seconds
from gelu_cli.old.sweeping.implementations import Implementation, Kernel
from gelu_cli.old.sweeping.inputs import (
    BLOCK,
    Inputs,
    Pairs,
    batch_of,
    blocks_of,
    takes_every,
    unit_size,
    units_of,
    units_of_calls,
)
from gelu_cli.old.sweeping.judging import judge_at_limits
from gelu_cli.old.sweeping.nearest import (
    Sample,
    Samples,
    notes_on,
    second_that_tells,
    with_nearest_forms,
)
from gelu_cli.old.sweeping.neighbours import Neighbours
from gelu_cli.old.sweeping.observers import FarthestByJax, Observer, added
from gelu_cli.old.sweeping.pairs import (
    gates_that_tell,
    order_told,
    pairs_with_limits,
    rounding_told,
)
from gelu_cli.old.sweeping.regions import region_of_up
from gelu_cli.old.sweeping.shapes import Changes, inputs_around, notes_of
from gelu_cli.old.sweeping.tally import Tally
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.unit_judge import Again, Outcome, Task, UnitJudge
from gelu_cli.old.sweeping.verdict import SPARE, Verdict

FEW = 4
"""Second inputs of so many of the worst pairs of a region are taken with neighbours of x."""


def sweep(
    implementation: Implementation,
    question: Question,
    inputs: Inputs,
    *,
    jobs: int = 1,
    keep: int = 10,
    ftz: bool = False,
    shapes: bool = False,
    observers: Sequence[Observer] = (),
    covered: Callable[[int, int], None] = lambda done, total: None,
) -> Verdict:
    """Judge the results of one implementation, as `Sweep` does those of several."""
    kernels = with_nearest_forms([Kernel(implementation, question)], inputs.low, inputs.high)
    with Sweep(
        kernels, inputs, jobs=jobs, keep=keep, ftz=ftz, shapes=shapes, observers=observers
    ) as running:
        (verdict,) = running.verdicts(covered)
    return verdict


class Sweep:
    """Judges the results of several kernels at the same inputs, by as many as `jobs` processes.

    With `shapes` a user's functions are called in other surroundings as well. `observers` see all
    results but those of neighbours of the worst, and finish the verdicts; `seen` has what each of
    them has seen.

    A `with` statement loads functions and ends what was started for the sweep. Raises `UsageError`
    where the range holds no number of the format.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        inputs: Inputs,
        *,
        jobs: int = 1,
        keep: int = 10,
        ftz: bool = False,
        shapes: bool = False,
        observers: Sequence[Observer] = (),
    ) -> None:
        self._dtype = number_format = kernels[0].question.dtype
        self._inputs = inputs._replace(every=takes_every(number_format, inputs))
        own = [each for each, _ in kernels if isinstance(each, UsersFunction)]
        longest = max((each.calling.batch or 1 for each in own), default=1)
        units = units_of(number_format, self._inputs, longest)
        self._keep, self._ftz, self._shapes = keep + SPARE, ftz, shapes
        batch = batch_of(units, sampled=not self._inputs.every)
        calls = [each.calling.batch or batch.size for each in own]
        self._units = units_of_calls(units, min(calls)) if calls else units
        self._observers = [*observers, FarthestByJax([each for _, each in kernels], ftz)]
        if not inputs.ups:
            self._observers.append(Samples(inputs.low, inputs.high))
        self._asked = len(observers)
        judge = UnitJudge(kernels, self._keep, ftz, batch, self._observers)
        self._executor = executor_for(judge, self._units, jobs)
        self._seen: list[Any] = []
        self._found = [_Found(kernel, self._inputs, ftz) for kernel in kernels]

    def __enter__(self) -> Sweep:
        self._executor.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._executor.__exit__(*error)

    @property
    def seen(self) -> list[Any]:
        """What each observer has seen, the two of every sweep left out."""
        return self._seen[: self._asked]

    def kill(self) -> None:
        """End all processes that were started, at once; a handler of signals may call this."""
        self._executor.kill()

    def verdicts(
        self, covered: Callable[[int, int], None] = lambda done, total: None
    ) -> list[Verdict]:
        """Return the verdict on each kernel; Ctrl-C ends all early, and so does one that fails.

        The verdicts are on what was covered then. A failure before that is raised.

        After a sample, neighbours of the worst inputs are judged as well: they may be the largest
        errors or fail, but are not counted. `covered` is told how many inputs of how many have been
        judged.
        """
        complete, failure = False, None
        try:
            self._judge_units(covered)
            if self._inputs.infinities:
                self._judge_limits()
            if self._inputs.ups:
                self._tell_products()
            if not self._inputs.every:
                self._climb()
            complete = True
            self._call_again()
            if self._shapes:
                self._look_around()
        except KeyboardInterrupt:
            complete = False
            self._executor.kill()
            make_standard()  # it may have come while a function's environment was left
        except ComputationError as error:
            if not any(found.verdict.regions for found in self._found):
                raise
            self._executor.kill()  # what is still under way has no place any more
            failure = error
        verdicts = [found.concluded(self._keep, complete, failure) for found in self._found]
        for observer, seen in zip(self._observers, self._seen, strict=False):  # none before a unit
            observer.finish(verdicts, seen)
        return verdicts

    def results_at(self, x: Array) -> list[Floats]:
        """Return the results of each kernel at inputs in the order of their bits, one or more.

        Pairs are two rows. That is after a complete sweep, before the `with` statement ends.
        """
        everybody = range(len(self._found))
        tasks = [Task(block, everybody, returned=True) for block in blocks_of(x, BLOCK)]
        found = [each.got for each in self._executor.judge(tasks)]
        return [np.concatenate([got[place] for got in found]) for place in everybody]

    def _judge_units(self, covered: Callable[[int, int], None]) -> None:
        total, done = sum(map(unit_size, self._units)), 0
        everybody = range(len(self._found))
        tasks = (
            Task(unit, everybody, first=not i, observed=True) for i, unit in enumerate(self._units)
        )
        for unit, judged in zip(self._units, self._executor.judge(tasks), strict=True):
            for found, outcome in zip(self._found, judged.outcomes, strict=True):
                found.add(outcome, self._keep)
            self._seen = added(self._observers, self._seen, judged.seen)
            done += unit_size(unit)
            covered(done, total)

    def _judge_limits(self) -> None:
        """Judge the results at ±∞, where the format has them, and at NaN."""
        x = np.array([inf, -inf, nan] if self._dtype.infinite else [nan])
        asked, ups = x, np.ones_like(x)
        if self._inputs.ups:
            asked = np.stack(pairs_with_limits(self._dtype, usual_seconds(self._dtype)))
            x, ups = asked
        for found, got in zip(self._found, self.results_at(asked), strict=True):
            question = found.kernel.question
            due = None
            if self._inputs.ups:
                due = np.array([*map(question.limit_of_pair, x.tolist(), ups.tolist())])
            limits = judge_at_limits(question, x, got.astype(np.float64), self._keep, due, ups)
            found.verdict.total.add(limits, self._keep)

    def _tell_products(self) -> None:
        """Say of kernels of two inputs whether they round before the product, or have another."""
        x, ups = gates_that_tell(self._dtype), np.array(usual_seconds(self._dtype))
        inside = (self._inputs.low <= x) & (x <= self._inputs.high)
        pairs = Pairs(x[inside], ups)
        if not inside.any():
            return
        (judged,) = self._executor.judge([Task(pairs, range(len(self._found)), returned=True)])
        for place, found in enumerate(self._found):
            got, question = judged.got[place].astype(np.float64), found.kernel.question
            told = [each(question, *pairs[:2], got) for each in (order_told, rounding_told)]
            up = second_that_tells(question)
            alone = got.reshape(len(pairs.x), -1)[:, np.argmax(ups == up)]
            told += [] if told[0] else notes_on(question.at(up), Sample(pairs.x, alone))
            found.verdict.notes += filter(None, told)

    def _climb(self) -> None:
        """Judge neighbours of the worst inputs of each region until no error exceeds theirs."""
        sampled = np.concatenate(
            [each.x if isinstance(each, Pairs) else each for each in self._units]
        )
        for place, found in enumerate(self._found):
            neighbours = Neighbours(found.kernel.question.dtype, self._inputs, sampled)
            tell(f"{found.verdict.name}: neighbours of the worst inputs")
            while len(x := neighbours.next(found.verdict.regions)):
                units = [*self._around(found, x)] if self._inputs.ups else blocks_of(x, BLOCK)
                tasks = [Task(unit, [place]) for unit in units]
                for judged in self._executor.judge(tasks):
                    (outcome,) = judged.outcomes
                    found.add(outcome, self._keep, counted=False)

    def _around(self, found: _Found, x: Array) -> Iterator[Pairs]:
        """Yield these inputs with the second inputs of the worst pairs, and the next to these."""
        number_format = self._dtype
        for region, tally in found.verdict.regions.items():
            worst = {number_format.bits(abs(entry.up)) for entry in tally.worst[:FEW]}
            sizes = sorted({size + step for size in worst for step in (-1, 0, 1)})
            ups = [copysign(number_format.number(size), region.up.sign) for size in sizes
                   if region.up and 0 <= size < number_format.top]  # fmt: skip
            ups = [up for up in ups if region_of_up(number_format, up) == region.up]
            inside = x[(region.ends[0] <= x) & (x <= region.ends[1])]
            if ups and len(inside):
                yield Pairs(inside, np.array(ups))

    def _call_again(self) -> None:
        """See what there is to say of functions, after all other calls of them."""
        for place, found in enumerate(self._found):
            if isinstance(found.kernel.implementation, UsersFunction):
                tell(f"{found.verdict.name}: some inputs again")
                asked = Again(place, self._inputs, found.calls)
                seen = self._executor.ask(asked, everywhere=True)
                found.verdict.notes += next(([told] for told, _ in seen if told), [])
                for _, environments in seen:
                    found.see(environments)

    def _look_around(self) -> None:
        """See whether results of functions depend on what is around their inputs."""
        for place, found in enumerate(self._found):
            implementation, question = found.kernel
            if isinstance(implementation, UsersFunction):
                tell(f"{implementation.name}: other surroundings")
                asked = inputs_around(
                    place, question.dtype, self._units, self._inputs, found.worst()
                )
                ((seen, environments),) = self._executor.ask(asked)
                found.see(environments)
                changes = Changes(
                    implementation.name, question, asked.x, seen, keep=self._keep, ftz=self._ftz
                )
                found.verdict.changes = changes
                found.verdict.notes += notes_of(changes, asked, seen)
                if seen.broken:
                    raise ComputationError(seen.broken)


class _Found:
    """What is found of a kernel, as the outcomes come in."""

    def __init__(self, kernel: Kernel, inputs: Inputs, ftz: bool) -> None:
        implementation, question = self.kernel = kernel
        exhaustive = inputs.every and (not inputs.ups or inputs.every_up)
        self.verdict = Verdict(
            implementation.name, question, exhaustive, ftz,
            inputs=inputs, asked=implementation.asked, notes=question.notes,
        )  # fmt: skip
        self.calls: list[Call] = []
        self.environments: dict[State, str] = {}

    def add(self, outcome: Outcome, keep: int, *, counted: bool = True) -> None:
        """Add an outcome; those at inputs chosen as they are bad have no fair share of counts."""
        for region, tally in outcome.parts:
            found = self.verdict.regions.setdefault(region, Tally())
            found.add(tally if counted else _without_counts(tally), keep)
        self.calls += outcome.calls
        self.verdict.provenance, self.verdict.versions = outcome.provenance, outcome.versions
        self.see(outcome.environments)

    def see(self, environments: Mapping[State, str]) -> None:
        """Add the floating-point environments that one process has seen."""
        self.environments = {**environments, **self.environments}

    def worst(self) -> Array:
        """Return x and the second input of the largest errors of each region, and of failures."""
        tallies = self.verdict.regions.values()
        worst = [(entry.x, entry.up) for tally in tallies for entry in tally.worst]
        return np.array(
            worst + [(entry.x, entry.up) for tally in tallies for entry in tally.failures]
        )

    def concluded(self, keep: int, complete: bool, failure: ComputationError | None) -> Verdict:
        """Return the verdict with what is the sum of all parts."""
        verdict, implementation = self.verdict, self.kernel.implementation
        verdict.complete, verdict.failure = complete, failure
        for tally in verdict.regions.values():
            verdict.total.add(tally, keep)
        verdict.environments = self.environments or dict(implementation.environments)
        own = isinstance(implementation, UsersFunction)
        verdict.notes += environment_notes(verdict.environments) if own else implementation.notes
        return verdict


def _without_counts(tally: Tally) -> Tally:
    """Return what a tally has of single inputs."""
    return Tally(
        worst=tally.worst, failures=tally.failures, furthest=tally.furthest, peaks=tally.peaks,
        farthest=tally.farthest, first_over=tally.first_over, flushed=tally.flushed,
    )  # fmt: skip
