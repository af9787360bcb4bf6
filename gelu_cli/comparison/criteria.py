"""What other people's checks say of the results of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple, TypeAlias

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.arithmetic.formats import Format
from gelu_cli.comparison.checks import (
    ABSOLUTE,
    AllResults,
    BesideReference,
    Compared,
    EachResult,
    Tolerance,
    criteria_of,
)
from gelu_cli.comparison.sums import Sums, sums_of
from gelu_cli.sweeping.drawn import STANDARD
from gelu_cli.sweeping.observers import Sight
from gelu_cli.sweeping.truth import Question
from gelu_cli.sweeping.verdict import CriterionResult, Verdict

JUDGED, DRAWN = "judged", "N(0, 1)"
RARE = 1e-6
"""What is drawn less often than this is not seen: a test draws a million numbers or so."""

NOWHERE = (None, None)
Most: TypeAlias = tuple[float, float, float]
"""The largest of some figures, the first of equal ones, and its inputs, the second 1 of one."""


class Seen(NamedTuple):
    """What is seen of one kernel: by each measure of single results, and over all of them."""

    largest: list[Most]
    """The largest of each measure."""

    likeliest: list[Most]
    """By each measure the likeliest draw that fails, and its weight."""

    failing: Array
    """By each measure how likely a draw fails."""

    worst: list[Most]
    """The root of the largest share of the squared errors, of inputs judged and of draws."""

    sums: list[Sums]
    """Over inputs judged and over draws."""

    def add(self, other: Seen) -> Seen:
        """Return what is seen at the inputs of both, those of the other following."""

        def larger(first: list[Most], second: list[Most]) -> list[Most]:
            return [max(pair, key=itemgetter(0)) for pair in zip(first, second, strict=True)]

        return Seen(
            larger(self.largest, other.largest),
            larger(self.likeliest, other.likeliest),
            self.failing + other.failing,
            larger(self.worst, other.worst),
            [mine.add(theirs) for mine, theirs in zip(self.sums, other.sums, strict=True)],
        )


class CriteriaObserver(NamedTuple):
    """Sees what criteria need of the results of kernels with these questions."""

    questions: Sequence[Question]
    draws: bool = True
    """Whether inputs are dense enough to say what draws from N(0, 1) would find."""
    tolerance: Tolerance | bool = True
    """The user's own, if any: the first of the criteria."""

    @np.errstate(all="ignore")  # NaN and infinity are what is looked for
    def see(self, sight: Sight) -> dict[int, Seen]:
        """Return what is seen of each kernel, by its place."""
        judge = sight.judge(next(iter(sight.got)))
        weights = judge.weights(STANDARD) if self.draws else np.zeros(len(sight.x))
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
            verdict.criteria = [*_results(verdict.question.result, seen[place], self.tolerance)]


def _seen(x: Array, block: Compared, weights: Array, tolerance: Tolerance | bool) -> Seen:
    """Return what is seen at some inputs, two rows, of which each has a weight among draws."""
    largest, likeliest, failing = [], [], []
    for measure in criteria_of(block.result, tolerance).values():
        if not isinstance(measure, EachResult):
            continue
        values, fails = measure.value(block), np.zeros(1)
        largest.append(_most(values, x))
        if measure.threshold is not None and largest[-1][0] > measure.threshold:
            fails = np.where(values > measure.threshold, weights, 0.0)
        likeliest.append(_most(fails, x))
        failing.append(np.sum(fails))
    worst, sums = [], []
    for each in (np.ones_like(weights), weights):
        errors = np.abs(block.got - block.want) * np.sqrt(each)
        errors = np.where(np.isnan(errors) & (each > 0), np.inf, errors)
        errors = np.where((block.got == block.want) | (each == 0), 0.0, errors)
        worst.append(_most(errors, x))
        sums.append(sums_of(block.got, block.want, each))
    return Seen(largest, likeliest, np.array(failing), worst, sums)


def _most(values: Array, x: Array) -> Most:
    i = int(np.argmax(values))
    return float(values[i]), float(x[0, i]), float(x[1, i])


def _results(result: Format, seen: Seen, tolerance: Tolerance | bool) -> Iterator[CriterionResult]:
    criteria = criteria_of(result, tolerance)
    of_each = [name for name, measure in criteria.items() if isinstance(measure, EachResult)]
    largest = dict(zip(of_each, seen.largest, strict=True))
    judged, drawn = seen.sums
    x: float | None
    up: float | None
    if drawn.broken <= RARE * drawn.weight:  # a test does not draw it: NaN there is not seen
        drawn = drawn._replace(broken=0.0)
    each = zip(seen.largest, seen.likeliest, seen.failing.tolist(), strict=True)
    for name, measure in criteria.items():
        if isinstance(measure, BesideReference):
            error, x, up = largest[ABSOLUTE]
            most = measure.times * largest[f"{ABSOLUTE}_of_format"][0] + measure.slack
            yield CriterionResult(name, JUDGED, measure.measure, error, most, x, error <= most, up)
        elif isinstance(measure, AllResults):
            both = zip((JUDGED, DRAWN), (judged, drawn), seen.worst, strict=True)
            for inputs, sums, (error, *at) in both:
                if sums.weight:
                    value = measure.value(sums)
                    x, up = at if error else NOWHERE
                    decided = measure.threshold, x, measure.passes(value), up
                    yield CriterionResult(name, inputs, measure.measure, value, *decided)
        else:
            (value, x, up), (_, *likeliest), failing = next(each)
            limit = measure.threshold
            passes = None if limit is None else value <= limit
            yield CriterionResult(name, JUDGED, measure.measure, value, limit, x, passes, up)
            if limit is not None and drawn.weight:
                share, beyond = failing / drawn.weight, f"P({measure.beyond})"
                x, up = likeliest if share else NOWHERE
                yield CriterionResult(name, DRAWN, beyond, share, RARE, x, share <= RARE, up)
