"""Results of a routine judged against the truth, a block of inputs at a time."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array, Floats, ulp_error
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.kernels.metrics import Judged
from gelu_cli.kernels.regions import Region, region_numbers, regions
from gelu_cli.kernels.tally import NO_BAR, Bar, Tally, tally_of
from gelu_cli.kernels.trends import slopes, trends
from gelu_cli.kernels.truth import LEAST_FLOAT, Question, Truth, Values, truth_at

Part: TypeAlias = tuple[Region, Tally]
"""What was found among the inputs of a region."""


class Judge:
    """Judges results at finite inputs `x`, float64s.

    What is due there is found once, for the results of many routines.

    >>> from gelu_cli.forms import find_form
    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> question = Question(find_form("relu"), "value", FORMATS["bfloat16"])
    >>> judge = Judge(question, np.array([-1.0, 1.0, 2.0]), ftz=False)
    >>> tally = judge.tally(np.array([0.0, 1.0078125, 2.0]), keep=1)
    >>> tally.worst, tally.misrounded
    ([Worst(ulp=1.0, x=1.0, got=1.0078125, rest=0.0)], 1)
    """

    @np.errstate(all="ignore")
    def __init__(self, question: Question, x: Array, ftz: bool) -> None:
        self.question = question
        self.x = x
        self.ftz = ftz
        self.due = truth_at(question, x)
        """The truth at all of the inputs."""

        self._values = self.due.value
        first, last = slopes(question, x[[0, -1]]).tolist()
        self._slopes = first, last

    @property
    def values(self) -> Values:
        """The true values, to float64."""
        return Values(self._values, np.abs(self._values) * 2.0**-51 + LEAST_FLOAT)

    @np.errstate(all="ignore")  # NaN and infinity are what is looked for
    def tally(self, results: Floats, keep: int, bar: Bar = NO_BAR) -> Tally:
        """Return the tally of results at all of the inputs."""
        question, x, truth, y = self.question, self.x, self.due, self._values
        got = results.astype(np.float64, copy=False)
        trend = trends(question, x, got, y)
        judged = Judged(x, got, y, truth.want, *truth.ulp_errors(got), trend)
        if self.ftz:
            judged = judged._replace(y=y.copy(), want=truth.want.copy())  # others share them
            flush(judged, question)
        return tally_of(judged, question, keep, bar, self._slopes)


def judge(question: Question, x: Array, got: Array, *, keep: int, ftz: bool) -> Tally:
    """Return the tally of the results of one routine at finite inputs, float64s."""
    return Judge(question, x, ftz).tally(got, keep)


class RegionJudge:
    """Judges results at finite inputs, each stretch of them in one region by itself."""

    def __init__(self, question: Question, x: Array, ftz: bool) -> None:
        numbers = region_numbers(question.dtype, x)
        starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
        self._judges = [
            (regions(question.dtype)[numbers[start]], start, Judge(question, x[start:end], ftz))
            for start, end in pairwise([*starts, len(x)])
        ]

    @property
    def due(self) -> Truth:
        """The truth at all of the inputs."""
        parts = [judge.due for _, _, judge in self._judges]
        return Truth(*map(np.concatenate, zip(*parts, strict=True)))

    @property
    def values(self) -> Values:
        """The true values at all of the inputs, to float64."""
        parts = [judge.values for _, _, judge in self._judges]
        return Values(*map(np.concatenate, zip(*parts, strict=True)))

    def parts(self, got: Floats, keep: int) -> list[Part]:
        """Return the tallies of results at all of the inputs, region by region."""
        return [
            (region, judge.tally(got[start : start + len(judge.x)], keep))
            for region, start, judge in self._judges
        ]


def flush(judged: Judged, question: Question) -> None:
    """Take for right what a machine without subnormal numbers makes of them, too.

    That is 0 for a subnormal result, and for a subnormal input the result at 0.
    """
    x, got, y, want, errors, rests, _ = judged
    flushed = (np.abs(y) < 2.0**question.result.emin) & (got == 0)
    errors[flushed], rests[flushed], want[flushed] = 0.0, 0.0, 0.0
    small = np.flatnonzero(np.abs(x) < 2.0**question.dtype.emin)
    if len(small):
        at_zero = truth_at(question, 0 * x[small].astype(np.float64))
        others, their_rests = at_zero.ulp_errors(got[small].astype(np.float64))
        better = others < errors[small]
        errors[small[better]], rests[small[better]] = others[better], their_rests[better]
        want[small[better]], y[small[better]] = at_zero.want[better], at_zero.value[better]


@np.errstate(all="ignore")
def judge_at_limits(question: Question, x: Array, got: Array, keep: int) -> Tally:
    """Return the tally of results at NaN, where NaN is due, and at ±∞, where the limit is."""
    limits = np.array([question.limit(point) for point in x.tolist()])
    want = np.array([question.result.from_float(limit) for limit in limits.tolist()])
    errors = np.full(x.shape, np.nan)
    for i in np.flatnonzero(np.isfinite(got) & np.isfinite(want)).tolist():
        error = ulp_error(question.result, float(got[i]), Fraction(float(limits[i])))
        errors[i] = FLOAT64.exactly(error)
    return tally_of(Judged(x, got, limits, want, errors, 0 * errors), question, keep)
