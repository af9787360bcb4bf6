"""Two kernels beside each other: where they differ, and which of the two is nearer the truth there.

Results differ where their bits do: 0 and −0 differ, NaNs of any payload are one NaN. Of two that
differ, the one whose distance from the true value is smaller is nearer; where the distances are
equal neither is. A NaN or an infinity that is due is nearer than any number, and a number nearer
than one that is not due.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.extended.double_double import two_sum
from gelu_cli.arithmetic.format_arrays import Array, Floats, ulps
from gelu_cli.errors import ComputationError
from gelu_cli.guests.conduct import bits_differ
from gelu_cli.stages import tell
from gelu_cli.sweeping.implementations import Kernel
from gelu_cli.sweeping.inputs import Inputs
from gelu_cli.sweeping.observers import Indices, Sight
from gelu_cli.sweeping.regions import CELLS, Region, by_cells, regions
from gelu_cli.sweeping.sweep import Sweep
from gelu_cli.sweeping.truth import (
    Question,
    Truth,
    Values,
    truth_at,
)
from gelu_cli.sweeping.verdict import SPARE, Verdict

ROUNDING = 2.0**-48
"""Of a few sums of float64s, as a share of the result."""

Signs: TypeAlias = NDArray[np.int8]


class Difference(NamedTuple):
    """Results of both kernels at x, and how far apart they are in units of the last place."""

    x: float
    a: float
    b: float
    ulp: float


class Count(NamedTuple):
    """Of some inputs: how many, at how many results differ, and which is nearer how often."""

    inputs: int = 0
    differ: int = 0
    nearer_a: int = 0
    nearer_b: int = 0
    largest: float = 0.0
    """The largest difference in ULP, infinite where one of the results is no number."""

    def plus(self, other: Count) -> Count:
        """Return the count of the inputs of both."""
        return Count(
            self.inputs + other.inputs,
            self.differ + other.differ,
            self.nearer_a + other.nearer_a,
            self.nearer_b + other.nearer_b,
            max(self.largest, other.largest),
        )


class DifferencesSeen(NamedTuple):
    """What is seen of two kernels at some inputs, in the order of their bits."""

    cells: Mapping[int, Count]
    """By the cells of `sweeping.regions`."""

    first: Difference | None
    largest: list[Difference]
    """The largest differences; the earlier input where they are equal."""


class Differences:
    """Sees where two kernels, both swept with the same question, return different bits.

    So many of the largest differences are kept.
    """

    def __init__(self, question: Question, keep: int, ftz: bool) -> None:
        self.question = question
        self.keep = keep
        self.ftz = ftz

    @np.errstate(all="ignore")
    def see(self, sight: Sight) -> DifferencesSeen:
        """Return what is seen at some inputs."""
        x, a, b = sight.x, sight.got[0], sight.got[1]
        places = np.flatnonzero(bits_differ(a, b))
        dtype = self.question.dtype
        counts = {cell: Count(end - start) for cell, start, end in by_cells(dtype, x)}
        if not len(places):
            return DifferencesSeen(counts, None, [])
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        y, error = sight.judge(0).values
        if len(places) < len(x):
            x, a, b, y = x[places], wide_a[places], wide_b[places], y[places]
            error = error if isinstance(error, float) else error[places]
        else:
            a, b = wide_a, wide_b
        nearer = self._nearer(sight, places, x, a, b, Values(y, error))
        apart = np.abs(a - b) / ulps(self.question.result, y)
        apart[np.isnan(apart)] = inf
        for cell, start, end in by_cells(dtype, x):
            some = nearer[start:end]
            of_a, of_b = (int(np.count_nonzero(some == sign)) for sign in (1, -1))
            largest = float(apart[start:end].max())
            counts[cell] = counts[cell].plus(Count(0, end - start, of_a, of_b, largest))
        return DifferencesSeen(
            counts, _difference(x, a, b, apart, 0), _largest(x, a, b, apart, self.keep)
        )

    def add(self, first: DifferencesSeen, second: DifferencesSeen) -> DifferencesSeen:
        """Return what is seen at the inputs of both, those of the second following."""
        cells = dict(first.cells)
        for cell, count in second.cells.items():
            cells[cell] = cells.get(cell, Count()).plus(count)
        # Sorting keeps the order of equal ones.
        largest = sorted([*first.largest, *second.largest], key=lambda each: -each.ulp)
        return DifferencesSeen(cells, first.first or second.first, largest[: self.keep])

    def finish(self, verdicts: Sequence[Verdict], seen: DifferencesSeen) -> None:
        """Leave verdicts as they are: a `Comparison` has what was seen."""

    def _nearer(
        self, sight: Sight, places: Indices, x: Floats, a: Array, b: Array, values: Values
    ) -> Signs:
        """Return 1 where a is nearer the truth, −1 where b is, else 0; at some of the inputs."""
        if self.ftz:
            a, b = (self._unflushed(sight, places, x, got, values.y) for got in (a, b))
        nearer, unsure = _by_values(a, b, values)
        left = np.flatnonzero(unsure)
        if len(left):
            truth = sight.judge(0).due.only(places[left])
            nearer[left] = _nearer_of(self.question, x[left], a[left], b[left], truth)
        return nearer

    def _unflushed(self, sight: Sight, places: Indices, x: Floats, got: Array, y: Array) -> Array:
        """Return results, with the right number for what machines without subnormals may return.

        That is 0 for a subnormal number, and for a subnormal x the result at 0.
        """
        question = self.question
        right = (got == 0) & (np.abs(y) < 2.0**question.result.emin)
        small = np.flatnonzero(np.abs(x) < 2.0**question.dtype.emin)
        if len(small):
            right[small] |= got[small] == truth_at(question, 0 * x[small].astype(np.float64)).want
        flushed = np.flatnonzero(right)
        if len(flushed):
            got = got.copy()
            got[flushed] = sight.judge(0).due.want[places[flushed]]
        return got


def _by_values(a: Array, b: Array, values: Values) -> tuple[Signs, NDArray[np.bool_]]:
    """Return which result is nearer the truth, and where that is not sure.

    y is nearer to the larger of two numbers if it is above the middle of them.
    """
    above = values.y - a
    above += values.y
    above -= b
    size = max(np.max(a), -np.min(a)) + max(np.max(b), -np.min(b))
    if isinstance(values.error, float) and np.isfinite(size):
        slack: Array | float = 2 * values.error + 2.0**-50 * size
    else:
        slack = 2 * values.error + 2.0**-50 * (np.abs(a) + np.abs(b))
        above[~np.isfinite(slack)] = np.nan
    signs = (above > slack).view(np.int8) - (above < -slack).view(np.int8)
    unsure = signs == 0
    if unsure.any():
        unsure &= a != b
    signs *= (a > b).view(np.int8) - (a < b).view(np.int8)  # 0 for zeros of both signs
    return signs, unsure


def _nearer_of(question: Question, x: Floats, a: Array, b: Array, truth: Truth) -> Signs:
    """Return 1 where a is nearer the truth than b, −1 where b is, 0 if neither."""
    numbers = np.isfinite(a) & np.isfinite(b)
    if np.all(numbers):
        return nearer_numbers(question, x, a, b, truth)
    nearer: Signs = np.sign(_rank(a, truth.want) - _rank(b, truth.want))
    some = x[numbers], a[numbers], b[numbers], truth.only(numbers)
    nearer[numbers] = nearer_numbers(question, *some)
    return nearer


def nearer_numbers(question: Question, x: Floats, a: Array, b: Array, truth: Truth) -> Signs:
    """Return 1 where the number a is nearer the truth than b, −1 where b is, 0 if neither.

    What the truth given leaves unsure is decided by one with more digits, or exactly.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> from gelu_cli.forms import find_form
    >>> x = np.array([1.0, 1.0])
    >>> question = Question(find_form("relu"), "value", FORMATS["float64"])
    >>> a, b = np.array([1.25, 1.25]), np.array([0.5, 0.75])
    >>> nearer_numbers(question, x, a, b, truth_at(question, x))
    array([1, 0], dtype=int8)
    """
    nearer, unsure = _by_middles(a, b, truth)
    if unsure.any():
        left = np.flatnonzero(unsure)
        points = x[left].astype(np.float64)
        nearer[left], unsure = _by_middles(a[left], b[left], truth_at(question, points))
        for i in left[unsure].tolist():
            middle = (Fraction(float(a[i])) + Fraction(float(b[i]))) / 2
            nearer[i] = question.side(float(x[i]), middle) * (1 if a[i] > b[i] else -1)
    return nearer


def _by_middles(a: Array, b: Array, truth: Truth) -> tuple[Signs, NDArray[np.bool_]]:
    """Return what `_by_values` does, of numbers, from all digits of the truth."""
    exponent = -truth.unit_exponent
    total, lost = two_sum(np.ldexp(a, exponent), np.ldexp(b, exponent))
    above, rest = two_sum(2 * truth.multiple, -total)  # twice y less the middle, in units
    rest = rest - lost
    beside = above + rest != 0
    low = 2 * truth.low
    above = above + (rest + low)
    error = 2 * truth.error + ROUNDING * np.where(beside, np.abs(above), 0.0)
    nearer = np.sign(above) * np.sign(a - b)
    unsure = ~(np.abs(above) > error) & (a != b)
    far = ~np.isfinite(above)
    if far.any():  # beside such a number y is nothing
        one, other = np.abs(a[far]), np.abs(b[far])
        by_sign = np.sign(truth.multiple[far]) * np.sign(a[far])
        nearer[far] = np.where(one == other, by_sign, np.sign(other - one))
        unsure[far] = (one == other) & (truth.multiple[far] == 0)
    return nearer.astype(np.int8), unsure


def _rank(got: Floats, want: Array) -> Signs:
    """Return 2 for what is due though it is no number, 1 for a number, 0 for what is not due."""
    due = ~np.isfinite(got) & ((got == want) | (np.isnan(got) & np.isnan(want)))
    return np.where(due, 2, np.isfinite(got)).astype(np.int8)


def _largest(x: Floats, a: Floats, b: Floats, apart: Array, keep: int) -> list[Difference]:
    places = np.arange(len(x))
    if len(x) > keep:
        least = np.partition(apart, -keep)[-keep]
        above, equal = places[apart > least], places[apart == least]
        places = np.union1d(above, equal[: keep - len(above)])
    places = places[np.argsort(-apart[places], kind="stable")]
    return [_difference(x, a, b, apart, i) for i in places.tolist()]


def _difference(x: Floats, a: Floats, b: Floats, apart: Array, i: int) -> Difference:
    return Difference(float(x[i]), float(a[i]), float(b[i]), float(apart[i]))


NOTHING_SEEN = DifferencesSeen({}, None, [])


class Both(NamedTuple):
    """The results of both kernels at x; None for one that is not known."""

    x: float
    a: float | None
    b: float | None


@dataclass
class Comparison:
    """What is found of two kernels: the verdict on each, and where they differ."""

    a: Verdict
    b: Verdict
    seen: DifferencesSeen = NOTHING_SEEN
    others: Mapping[int, Both] = field(default_factory=dict)
    """The results of both at the worst inputs of each, by the bits of x."""

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts on both."""
        return [self.a, self.b]

    @property
    def total(self) -> Count:
        """The count of all inputs."""
        return _sum(self.seen.cells.values())

    @property
    def first(self) -> Difference | None:
        """The first input, in the order of bit patterns, at which the results differ."""
        return self.seen.first

    @property
    def regions(self) -> Mapping[Region, Count]:
        """The counts by region of x."""
        of_cells: dict[int, list[Count]] = {}
        for cell, count in self.seen.cells.items():
            of_cells.setdefault(cell // CELLS, []).append(count)
        known = regions(self.a.question.dtype)
        return {known[place]: _sum(counts) for place, counts in of_cells.items()}


def _sum(counts: Iterable[Count]) -> Count:
    return reduce(Count.plus, counts, Count())


def sweep_of_two(
    kernels: Sequence[Kernel],
    inputs: Inputs,
    *,
    jobs: int = 1,
    keep: int = 10,
    ftz: bool = False,
) -> Sweep:
    """Return a sweep of two kernels with the same question that sees where they differ."""
    differences = Differences(kernels[0].question, keep + SPARE, ftz)
    return Sweep(kernels, inputs, jobs=jobs, keep=keep, ftz=ftz, observers=[differences])


def comparison(
    sweep: Sweep, covered: Callable[[int, int], None] = lambda done, total: None
) -> Comparison:
    """Return what `sweep_of_two` finds; Ctrl-C ends it early, and so does a kernel that fails."""
    a, b = sweep.verdicts(covered)
    found = Comparison(a, b, *sweep.seen)
    if a.complete and not (a.failure or b.failure):
        try:
            found.others = _others(sweep, found)
        except KeyboardInterrupt:
            a.complete = b.complete = False
            sweep.kill()
        except ComputationError as error:
            a.complete, a.failure = False, error
    return found


def _others(sweep: Sweep, found: Comparison) -> Mapping[int, Both]:
    """Ask for the results of both at the worst inputs of each, in the order of their bits."""
    bits = found.a.question.dtype.bits
    points: dict[int, float] = {}
    for each in found.verdicts:
        points |= {bits(entry.x): entry.x for entry in each.total.worst}
        points |= {bits(failure.x): failure.x for failure in each.failures}
    if not points:
        return {}
    tell("results of both at the worst inputs")
    x = np.array([points[place] for place in sorted(points)])
    columns = (column.tolist() for column in (x, *sweep.results_at(x)))
    return {bits(each[0]): Both(*each) for each in zip(*columns, strict=True)}
