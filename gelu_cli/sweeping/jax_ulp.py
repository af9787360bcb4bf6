"""Sees which results may have the largest error by JAX's rule (`exact_errors`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array, Floats, ulps
from gelu_cli.sweeping.observers import Sight
from gelu_cli.sweeping.tally import Failure
from gelu_cli.sweeping.truth import Question
from gelu_cli.sweeping.verdict import Verdict

KEEP = 16
"""How many candidates are kept, to be evaluated exactly."""


class Candidate(NamedTuple):
    """A result, and about how far it is from the truth."""

    error: float
    x: float
    got: float


class FarthestByJax(NamedTuple):
    """Sees which results of kernels with these questions may have the largest error by JAX's rule.

    Without flushing, a finite result where one is due has its usual error in ULP, and the largest
    of these are known anyway.
    """

    questions: Sequence[Question]
    ftz: bool

    def see(self, sight: Sight) -> Mapping[int, list[Candidate]]:
        """Return the candidates among the results of each kernel."""
        return {place: self._candidates(sight, place, got) for place, got in sight.got.items()}

    @np.errstate(all="ignore")  # NaN and infinity are what is looked for
    def _candidates(self, sight: Sight, place: int, got: Floats) -> list[Candidate]:
        question = self.questions[place]
        if not (self.ftz or question.may_overflow) and np.isfinite(got).all():
            return []
        wide, y = got.astype(np.float64), sight.judge(place).values.y
        errors = _errors(question, wide, y, self.ftz)
        most = np.argpartition(-errors, min(KEEP, len(errors)) - 1)[:KEEP]
        columns = (each[most].tolist() for each in (errors, sight.x, wide))
        return [Candidate(*row) for row in zip(*columns, strict=True)]

    def add(
        self, first: Mapping[int, list[Candidate]], second: Mapping[int, list[Candidate]]
    ) -> Mapping[int, list[Candidate]]:
        """Return the candidates among the results of both."""
        return {
            place: sorted([*found, *second[place]], key=lambda each: -each.error)[:KEEP]
            for place, found in first.items()
        }

    def finish(self, verdicts: Sequence[Verdict], seen: Mapping[int, list[Candidate]]) -> None:
        """Give verdicts their candidates."""
        for place, verdict in enumerate(verdicts):
            verdict.farthest_by_jax = [Failure(each.x, each.got) for each in seen[place]]


def _errors(question: Question, got: Array, y: Array, ftz: bool) -> Array:
    """Return approximate errors of results; `error_by_jax` computes exact ones."""
    result = question.result
    top = float(ulps(result, np.array([result.largest]))[0])
    end = result.largest + top
    ours, theirs = (np.minimum(np.abs(each), end) for each in (got, y))
    same = np.signbit(got) == np.signbit(y)
    apart = np.where(same, np.abs(ours - theirs), ours + theirs)
    if ftz:
        least = 2.0**result.emin
        gap = least - float(ulps(result, np.zeros(1))[0])
        small = (ours < least) | (theirs < least) | ~same
        ours, theirs = (np.maximum(0.0, each - gap) for each in (ours, theirs))
        contracted = np.where(same, np.abs(ours - theirs), ours + theirs)
        apart = np.where(small, contracted, apart)
    errors = apart / np.minimum(ulps(result, y), top)
    beyond = np.abs(y) >= result.largest + top / 2
    far = np.isnan(got) | (np.isinf(got) & (~same | (np.abs(y) < result.largest / 2)))
    right = beyond & (np.isinf(got) & same if result.infinite else np.isnan(got))
    return np.where(right, 0.0, np.where(far, np.inf, errors))
