"""What other people's checks say of the results of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple, TypeAlias

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.comparison.checks import (
    ABSOLUTE,
    AllResults,
    BesideReference,
    Compared,
    EachResult,
    Sums,
    Tolerance,
    criteria_of,
    sums_of,
)
from gelu_cli.old.sweeping.drawn import STANDARD, Normal
from gelu_cli.old.sweeping.observers import Sight
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.sweeping.verdict import CriterionResult, Verdict

JUDGED, DRAWN = "judged", "N(0, 1)"
RARE = 1e-6
"""What is drawn less often than this is not seen: a test draws a million numbers or so."""

NOWHERE = (None, None)
Most: TypeAlias = tuple[float, float, float]
"""The largest of some figures, the first of equal ones, and its inputs, the second 1 of one."""


class Seen(NamedTuple):
    """What is seen of one kernel, by criteria and by which inputs count."""

    most: dict[tuple[str, str], Most]
    """By a measure of single results the largest of those judged and, with its weight, the
    likeliest draw that fails; by no name the root of the largest share of the squared errors."""

    failing: dict[str, float]
    """By a measure of single results how likely a draw fails."""

    sums: dict[str, Sums]

    def add(self, other: Seen) -> Seen:
        """Return what is seen at the inputs of both, those of the other following."""
        most, failing, sums = other
        return Seen(
            {key: max(each, most[key], key=itemgetter(0)) for key, each in self.most.items()},
            {name: share + failing[name] for name, share in self.failing.items()},
            {inputs: each.add(sums[inputs]) for inputs, each in self.sums.items()},
        )


class CriteriaObserver(NamedTuple):
    """Sees what criteria need of the results of kernels with these questions."""

    questions: Sequence[Question]
    draws: bool = True
    """Whether inputs are dense enough to say what draws from N(0, 1) would find."""
    tolerance: Tolerance | bool = True
    """The user's own, if any: the first of the criteria."""
    normal: Normal = STANDARD
    """The distribution that draws are from."""

    @np.errstate(all="ignore")  # NaN and infinity are what is looked for
    def see(self, sight: Sight) -> dict[int, Seen]:
        """Return what is seen of each kernel, by its place."""
        judge = sight.judge(next(iter(sight.got)))
        weights = judge.weights(self.normal) if self.draws else np.zeros(len(sight.x))
        x = np.stack(np.broadcast_arrays(sight.x.astype(np.float64), judge.up))
        seen = {}
        for place, got in sight.got.items():
            result, due = self.questions[place].result, sight.judge(place).due
            block = Compared(result, got.astype(np.float64), due)
            seen[place] = _seen(x, block, weights, self.tolerance)
        return seen

    def add(self, first: dict[int, Seen], second: dict[int, Seen]) -> dict[int, Seen]:
        """Return what is seen of each kernel at the inputs of both."""
        return {place: seen.add(second[place]) for place, seen in first.items()}

    def finish(self, verdicts: Sequence[Verdict], seen: dict[int, Seen]) -> None:
        """Give verdicts what each criterion says, of the inputs judged and of draws."""
        for place, verdict in enumerate(verdicts):
            verdict.criteria = [
                each._replace(inputs=str(self.normal)) if each.inputs == DRAWN else each
                for each in _results(verdict.question.result, seen[place], self.tolerance)
            ]


def _seen(x: Array, block: Compared, weights: Array, tolerance: Tolerance | bool) -> Seen:
    """Return what is seen at some inputs, two rows, of which each has a weight among draws."""
    most: dict[tuple[str, str], Most] = {}
    failing, sums = dict[str, float](), dict[str, Sums]()
    for name, measure in criteria_of(block.result, tolerance).items():
        if isinstance(measure, EachResult):
            values = measure.value(block)
            limit = np.inf if measure.threshold is None else measure.threshold
            fails = np.where(values > limit, weights, 0.0)
            most |= {(name, JUDGED): _most(values, x), (name, DRAWN): _most(fails, x)}
            failing[name] = float(np.sum(fails))
    for inputs, each in ((JUDGED, np.ones_like(weights)), (DRAWN, weights)):
        errors = np.abs(block.got - block.want) * np.sqrt(each)
        errors = np.where(np.isnan(errors) & (each > 0), np.inf, errors)
        errors = np.where((block.got == block.want) | (each == 0), 0.0, errors)
        most["", inputs] = _most(errors, x)
        sums[inputs] = sums_of(block.got, block.want, each)
    return Seen(most, failing, sums)


def _most(values: Array, x: Array) -> Most:
    i = int(np.argmax(values))
    return float(values[i]), float(x[0, i]), float(x[1, i])


def _results(result: Format, seen: Seen, tolerance: Tolerance | bool) -> Iterator[CriterionResult]:
    x: float | None
    up: float | None
    drawn = seen.sums[DRAWN]
    if drawn.broken <= RARE * drawn.weight:  # a test does not draw it: NaN there is not seen
        drawn = drawn._replace(broken=0.0)
    for name, measure in criteria_of(result, tolerance).items():
        if isinstance(measure, BesideReference):
            error, x, up = seen.most[ABSOLUTE, JUDGED]
            of_format, *_ = seen.most[f"{ABSOLUTE}_of_format", JUDGED]
            most = measure.times * of_format + measure.slack
            yield CriterionResult(name, JUDGED, measure.measure, error, most, x, error <= most, up)
        elif isinstance(measure, AllResults):
            for inputs, sums in {**seen.sums, DRAWN: drawn}.items():
                if sums.weight:
                    value, (error, *at) = measure.value(sums), seen.most["", inputs]
                    x, up = at if error else NOWHERE
                    decided = measure.threshold, x, measure.passes(value), up
                    yield CriterionResult(name, inputs, measure.measure, value, *decided)
        else:
            (value, x, up), limit = seen.most[name, JUDGED], measure.threshold
            passes = None if limit is None else value <= limit
            yield CriterionResult(name, JUDGED, measure.measure, value, limit, x, passes, up)
            if limit is not None and drawn.weight:
                share, beyond = seen.failing[name] / drawn.weight, f"P({measure.beyond})"
                x, up = seen.most[name, DRAWN][1:] if share else NOWHERE
                yield CriterionResult(name, DRAWN, beyond, share, RARE, x, share <= RARE, up)
