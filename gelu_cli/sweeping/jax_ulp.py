"""The largest error of a sweep in ULP by the rule of JAX's page on the accuracy of its functions.

It is the error in ULP, but overflow and flushing to zero have a distance: infinity is one unit
beyond the largest number; under flush-to-zero subnormal numbers count as 0, and 0 is one unit from
the least normal number.

Source: docs/accuracy.md of jax-ml/jax, reviewed in September 2026.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import copysign, inf, isfinite, isnan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array, Floats, ulps
from gelu_cli.sweeping.observers import Sight
from gelu_cli.sweeping.tally import Failure
from gelu_cli.sweeping.truth import Question
from gelu_cli.sweeping.verdict import exact_error

if TYPE_CHECKING:
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


def error_by_jax(question: Question, x: float, got: float, ftz: bool) -> Fraction | float:
    """Return the error of a result, infinite where it has no distance.

    With `ftz`, subnormal results may be flushed to 0, and a subnormal x may be taken for 0.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> from gelu_cli.forms import find_form
    >>> relu = Question(find_form("relu"), "value", FORMATS["float32"], FORMATS["float16"])
    >>> error_by_jax(relu, 65504.0, inf, False), error_by_jax(relu, 2.0**-14, 0.0, True)
    (Fraction(1, 1), Fraction(1, 1))
    """
    error = _error_at(question, x, got, ftz)
    if ftz and 0 < abs(x) < 2.0**question.dtype.emin:
        error = min(error, _error_at(question, copysign(0.0, x), got, ftz))
    return error


def _error_at(question: Question, x: float, got: float, ftz: bool) -> Fraction | float:
    want = question.want(x)
    if not (isfinite(got) or isfinite(want)):
        return Fraction(0) if got == want or (isnan(got) and isnan(want)) else inf
    if isnan(got) or not (isfinite(x) or isfinite(question.limit(x))):
        return inf
    y = question.exactly(x)
    if isfinite(got) and isfinite(want):
        return _distance(question, x, got, y, ftz)
    result = question.result
    largest = Fraction(result.largest)
    unit = result.ulp(largest)
    end = largest + unit  # the place of infinity
    if copysign(1.0, got) * y < 0 or abs(y) < unit * 2 ** (result.precision - 1):
        return inf
    ours = abs(Fraction(got)) if isfinite(got) else end
    return abs(ours - min(abs(y), end)) / unit


def _distance(question: Question, x: float, got: float, y: Fraction, ftz: bool) -> Fraction:
    """Return the distance of a finite result from a true value that rounds to a finite one."""
    least = Fraction(2) ** question.result.emin
    small = abs(got) < least, question.is_subnormal(x, y)
    if ftz and all(small):
        return Fraction(0)
    if ftz and (any(small) or got * y < 0):
        gap = least - question.result.ulp(Fraction(0))
        ours, theirs = (max(Fraction(0), abs(each) - gap) for each in (Fraction(got), y))
        apart = ours + theirs if got * y < 0 else abs(ours - theirs)
        return apart / question.unit(x, y)
    return exact_error(question, x, got).ulp
