"""Results of a routine judged against the truth, a block of inputs at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic.format_arrays import Array, Floats, ulp_error, ulps
from gelu_cli.old.arithmetic.formats import FLOAT64, Format
from gelu_cli.old.sweeping.drawn import Normal, draw_weights
from gelu_cli.old.sweeping.metrics import Judged
from gelu_cli.old.sweeping.regions import Region, region_numbers, regions
from gelu_cli.old.sweeping.tally import NO_BAR, Tally, tally_of
from gelu_cli.old.sweeping.truth import Question, Truth, Values, slopes, truth_at, values_near

Part: TypeAlias = tuple[Region, Tally]
"""What was found among the inputs of a region."""

Indices: TypeAlias = NDArray[np.int64]

Placed: TypeAlias = tuple[Region, slice]
"""A region, and where inputs of it are in an array."""


class Judge:
    """Judges results at finite inputs `x` against the truth at each of them.

    The truth is found once, for the results of many routines.

    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> question = Question(find_form("relu"), "value", FORMATS["bfloat16"])
    >>> judge = Judge(question, np.array([-1.0, 1.0, 2.0]), ftz=False)
    >>> tally = judge.tally(np.array([0.0, 1.0078125, 2.0]), keep=1)
    >>> tally.worst, tally.misrounded
    ([Worst(ulp=1.0, x=1.0, got=1.0078125, rest=0.0, up=1.0)], 1)
    """

    up: Any = 1.0
    """The second inputs, of kernels that have two."""

    def __init__(self, question: Question, x: Floats, ftz: bool) -> None:
        self.question = question
        self.x = x
        self.ftz = ftz

    @np.errstate(all="ignore")  # NaN and infinity are what is looked for
    def tally(self, got: Floats, keep: int, bar: float | Fraction = NO_BAR) -> Tally:
        """Return the tally of results at all of the inputs."""
        judged = self._judged(got)
        if self.ftz:
            _, _, y, want, _, rests, *_ = judged
            judged = judged._replace(y=y.copy(), want=want.copy(), rests=rests.copy())
            flush(judged, self.question, self.at_zeros())
        return tally_of(judged, self.question, keep, bar, self._slopes)

    @cached_property
    @np.errstate(all="ignore")
    def due(self) -> Truth:
        """The truth at all of the inputs."""
        return truth_at(self.question, self._points)

    def weights(self, normal: Normal) -> Array:
        """Return the probabilities that draws round to the inputs."""
        return draw_weights(self.question.dtype, self.x, normal)

    @cached_property
    def values(self) -> Values:
        """The true values at all of the inputs, to float64."""
        return values_near(self._y)

    def values_at(self, places: Indices) -> Values:
        """Return the true values at some of the inputs, to float64."""
        y, error = self.values
        return Values(y[places], error if isinstance(error, float) else error[places])

    def due_at(self, places: Indices) -> Truth:
        """Return the truth at some of the inputs."""
        return self.due.only(places)

    @cached_property
    def _points(self) -> Array:
        return self.x.astype(np.float64, copy=False)

    @property
    def nearly(self) -> Array:
        """The true values, or nearly so."""
        return self.values.y

    @cached_property
    @np.errstate(all="ignore")
    def _y(self) -> Array:
        return self.due.value

    @cached_property
    @np.errstate(all="ignore")
    def _slopes(self) -> tuple[int, int] | None:
        first, last = slopes(self.question, self._points[[0, -1]]).tolist()
        return first, last

    def _judged(self, results: Floats) -> Judged:
        got = results.astype(np.float64, copy=False)
        errors, units = self.due.ulp_errors(got), np.ldexp(1.0, self.due.unit_exponent)
        return Judged(self.x, got, self._y, self.due.want, *errors, self._trends(got), units)

    def _trends(self, got: Floats) -> Floats | int:
        return trends(self.question, self._points, got, self._y)

    def at_zeros(self) -> Iterator[tuple[Indices, Truth]]:
        """Yield where inputs are subnormal, and the truth with 0 in their places."""
        small = np.flatnonzero(np.abs(self.x) < 2.0**self.question.dtype.emin)
        if len(small):
            yield small, truth_at(self.question, 0 * self._points[small])


def by_regions(number_format: Format, x: Array, block: int | None = None) -> Iterator[Placed]:
    """Yield the regions of inputs that follow each other, each with where its inputs are.

    These are `block` or fewer: of the others, the region comes again.
    """
    for first in range(0, len(x), block or len(x)):
        numbers = region_numbers(number_format, x[first : first + (block or len(x))])
        starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
        for start, end in pairwise([*starts, len(numbers)]):
            region = regions(number_format)[numbers[start]]
            yield region, slice(first + start, first + end)


def flush(judged: Judged, question: Question, at_zeros: Iterable[tuple[Indices, Truth]]) -> None:
    """Take for right what a machine without subnormal numbers makes of them, too.

    That is 0 for a subnormal result, and for a subnormal input the result at 0.
    """
    _, got, y, want, errors, rests, *_ = judged
    flushed = (np.abs(y) < 2.0**question.result.emin) & (got == 0)
    errors[flushed], rests[flushed], want[flushed] = 0.0, 0.0, 0.0
    for small, at_zero in at_zeros:
        others, their_rests = at_zero.ulp_errors(got[small].astype(np.float64))
        better = others < errors[small]
        errors[small[better]], rests[small[better]] = others[better], their_rests[better]
        want[small[better]], y[small[better]] = at_zero.want[better], at_zero.value[better]


@np.errstate(all="ignore")
def judge_at_limits(
    question: Question, x: Array, got: Array, keep: int, limits: Array | None = None, ups: Any = 1.0
) -> Tally:
    """Return the tally of results at NaN, where NaN is due, and at ±∞, where the limit is.

    Of pairs of inputs, one or both of them such, `limits` are what is due.
    """
    if limits is None:
        limits = np.array([question.limit(point) for point in x.tolist()])
    want = np.array([question.result.from_float(limit) for limit in limits.tolist()])
    errors = np.full(x.shape, np.nan)
    for i in np.flatnonzero(np.isfinite(got) & np.isfinite(want)).tolist():
        error = ulp_error(question.result, float(got[i]), Fraction(float(limits[i])))
        errors[i] = FLOAT64.exactly(error)
    units = ulps(question.result, limits)
    judged = Judged(x, got, limits, want, errors, 0 * errors, 0, units, ups)
    return tally_of(judged, question, keep, in_cells=False)


def trends(
    question: Question, x: Array, got: Floats, y: Array, doubt: Array | float = 0.0
) -> Array:
    """Return which way the truth goes from each input to the next: 1, −1, or 0 if it is constant.

    Values y that differ by no more than `doubt` do not tell. There the derivative half way does,
    if there is a step of the results to be judged. NaN stands where two inputs are the same.
    """
    rise = np.diff(y)
    trends = np.sign(rise)
    unsure = np.flatnonzero((np.abs(rise) <= doubt) & (got[1:] != got[:-1]))
    if len(unsure):
        left, right = x[unsure], x[unsure + 1]
        middle = left + (right - left) / 2
        trends[unsure] = slopes(question, middle) * np.sign(right - left)
        trends[unsure[left == right]] = np.nan
    return trends
