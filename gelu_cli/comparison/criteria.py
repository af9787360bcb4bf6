"""What other people's checks say of the results of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import inf, nan
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.arithmetic.formats import Format
from gelu_cli.comparison.checks import CRITERIA, AllResults, Compared, EachResult
from gelu_cli.comparison.sums import Sums, draw_weights, sums_of
from gelu_cli.sweeping.observers import Sight
from gelu_cli.sweeping.truth import Question
from gelu_cli.sweeping.verdict import CriterionResult, Verdict

JUDGED, DRAWN = "judged", "N(0, 1)"
RARE = 1e-6
"""What is drawn less often than this is not seen: a test draws a million numbers or so."""


class Most(NamedTuple):
    """The largest of some figures, the first of equal ones, and its input."""

    value: float
    x: float

    def or_more(self, other: Most) -> Most:
        """Return the larger one of two."""
        return other if other.value > self.value else self


class OfEach(NamedTuple):
    """What is seen of single results: the largest measure, and how likely a draw fails, and where.

    `likeliest` is the weight of the input where draws fail most often.
    """

    largest: Most
    failing: float
    likeliest: Most

    def add(self, other: OfEach) -> OfEach:
        """Return what is seen at the inputs of both."""
        return OfEach(
            self.largest.or_more(other.largest),
            self.failing + other.failing,
            self.likeliest.or_more(other.likeliest),
        )


class OfAll(NamedTuple):
    """Sums over all results, and the input with the largest share of the squared errors."""

    sums: Sums
    worst: Most

    def add(self, other: OfAll) -> OfAll:
        """Return what is seen at the inputs of both."""
        return OfAll(self.sums.add(other.sums), self.worst.or_more(other.worst))


class CriteriaSeen(NamedTuple):
    """What is seen of one kernel: by each measure of single results, and by sums."""

    each: list[OfEach]
    judged: OfAll
    drawn: OfAll | None

    def add(self, other: CriteriaSeen) -> CriteriaSeen:
        """Return what is seen at the inputs of both, those of the other following."""
        each = [mine.add(theirs) for mine, theirs in zip(self.each, other.each, strict=True)]
        drawn = self.drawn.add(other.drawn) if self.drawn and other.drawn else None
        return CriteriaSeen(each, self.judged.add(other.judged), drawn)


class CriteriaObserver(NamedTuple):
    """Sees what criteria need of the results of kernels with these questions."""

    questions: Sequence[Question]
    draws: bool = True
    """Whether inputs are dense enough to say what draws from N(0, 1) would find."""

    @np.errstate(all="ignore")  # NaN and infinity are what is looked for
    def see(self, sight: Sight) -> dict[int, CriteriaSeen]:
        """Return what is seen of each kernel, by its place."""
        x = sight.x.astype(np.float64)
        weights = draw_weights(self.questions[0].dtype, x) if self.draws else None
        seen = {}
        for place, got in sight.got.items():
            result, due = self.questions[place].result, sight.judge(place).due
            seen[place] = _seen(x, Compared(result, got.astype(np.float64), due), weights)
        return seen

    def add(
        self, first: dict[int, CriteriaSeen], second: dict[int, CriteriaSeen]
    ) -> dict[int, CriteriaSeen]:
        """Return what is seen of each kernel at the inputs of both."""
        return {place: seen.add(second[place]) for place, seen in first.items()}

    def finish(self, verdicts: Sequence[Verdict], seen: dict[int, CriteriaSeen]) -> None:
        """Give verdicts what each criterion says, of the inputs judged and of draws."""
        for place, verdict in enumerate(verdicts):
            verdict.criteria = [*_results(verdict.question, seen[place])]


def _results(question: Question, seen: CriteriaSeen) -> Iterator[CriterionResult]:
    each = iter(seen.each)
    for name, of in CRITERIA:
        measure = of(question.result)
        if isinstance(measure, EachResult):
            yield from _of_each(name, measure, next(each), seen.drawn)
        else:
            yield _of_all(name, JUDGED, measure, seen.judged)
            if seen.drawn and seen.drawn.sums.weight:
                yield _of_all(name, DRAWN, measure, _as_drawn(seen.drawn))


def _of_each(
    name: str, measure: EachResult, found: OfEach, drawn: OfAll | None
) -> Iterator[CriterionResult]:
    largest, threshold = found.largest, measure.threshold
    passes = None if threshold is None else largest.value <= threshold
    yield CriterionResult(
        name, JUDGED, measure.measure, largest.value, threshold, largest.x, passes
    )
    if threshold is not None and drawn and drawn.sums.weight:
        share = found.failing / drawn.sums.weight
        x = found.likeliest.x if share else None
        yield CriterionResult(name, DRAWN, f"P({measure.beyond})", share, RARE, x, share <= RARE)


def _of_all(name: str, inputs: str, measure: AllResults, found: OfAll) -> CriterionResult:
    value = measure.value(found.sums)
    x = found.worst.x if found.worst.value else None
    return CriterionResult(
        name, inputs, measure.measure, value, measure.threshold, x, measure.passes(value)
    )


def _as_drawn(found: OfAll) -> OfAll:
    """Return what a test sees, which does not draw what is rare: NaN there is not seen."""
    sums = found.sums
    return (
        found._replace(sums=sums._replace(broken=0.0))
        if sums.broken <= RARE * sums.weight
        else found
    )


def _seen(x: Array, block: Compared, weights: Array | None) -> CriteriaSeen:
    """Return what is seen at some inputs, of which each has a weight among draws."""
    each = [
        _seen_of_each(x, measure, measure.value(block), weights)
        for measure in measures_of_each(block.result)
    ]
    drawn = None if weights is None else _seen_of_all(x, block, weights)
    return CriteriaSeen(each, _seen_of_all(x, block, np.ones(len(x))), drawn)


def _seen_of_each(x: Array, measure: EachResult, values: Array, weights: Array | None) -> OfEach:
    largest = _most(values, x)
    if measure.threshold is None or weights is None or largest.value <= measure.threshold:
        return OfEach(largest, 0.0, Most(0.0, nan))
    failing = np.where(values > measure.threshold, weights, 0.0)
    return OfEach(largest, float(np.sum(failing)), _most(failing, x))


def _seen_of_all(x: Array, block: Compared, weights: Array) -> OfAll:
    errors = np.abs(block.got - block.want) * np.sqrt(weights)
    errors = np.where(np.isnan(errors) & (weights > 0), inf, errors)
    errors = np.where((block.got == block.want) | (weights == 0), 0.0, errors)
    return OfAll(sums_of(block.got, block.want, weights), _most(errors, x))


def _most(values: Array, x: Array) -> Most:
    i = int(np.argmax(values))
    return Most(float(values[i]), float(x[i]))


@cache
def measures_of_each(result: Format) -> list[EachResult]:
    """Return the measures of single results in a format."""
    measures = [criterion.of(result) for criterion in CRITERIA]
    return [measure for measure in measures if isinstance(measure, EachResult)]
