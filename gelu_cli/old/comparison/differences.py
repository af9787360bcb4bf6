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
from math import copysign, inf
from operator import add
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.extended.double_double import two_sum
from gelu_cli.old.arithmetic.format_arrays import Array, Floats, ulps
from gelu_cli.old.guests.conduct import bits_differ
from gelu_cli.old.stages import tell
from gelu_cli.old.sweeping.drawn import weights_at
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.judging import Judge
from gelu_cli.old.sweeping.observers import Indices, Sight
from gelu_cli.old.sweeping.regions import CELLS, Region, by_cells, regions
from gelu_cli.old.sweeping.sweep import Sweep
from gelu_cli.old.sweeping.truth import Question, Truth, Values
from gelu_cli.old.sweeping.verdict import SPARE, Verdict

ROUNDING = 2.0**-48
"""Of a few sums of float64s, as a share of the result."""

Signs: TypeAlias = NDArray[np.int8]

Key = TypeVar("Key")


class Difference(NamedTuple):
    """Results of both kernels at x, and how far apart they are in units of the last place."""

    x: float
    a: float
    b: float
    ulp: float
    up: float = 1.0

    @property
    def place(self) -> tuple[float, ...]:
        """What differences are ordered by: the bits of the inputs."""
        x, up = self.x, self.up
        return -copysign(1, x), abs(x), -copysign(1, up), abs(up)


Place: TypeAlias = tuple[Region | None, int]
"""The region of second inputs, and a cell of `sweeping.regions`."""


class Count(NamedTuple):
    """Of some inputs: how many, at how many results differ, and which is nearer how often."""

    inputs: int = 0
    differ: int = 0
    nearer_a: int = 0
    nearer_b: int = 0
    largest: float = 0.0
    """The largest difference in ULP, infinite where one of the results is no number."""

    share_a: float = 0.0
    """How likely a is nearer at an input that is drawn."""
    share_b: float = 0.0

    def plus(self, other: Count) -> Count:
        """Return the count of the inputs of both."""
        return Count(*map(add, self, other))._replace(largest=max(self.largest, other.largest))


def summed(counts: Iterable[tuple[Key, Count]]) -> dict[Key, Count]:
    """Return the counts of each place together."""
    found: dict[Key, Count] = {}
    for place, count in counts:
        found[place] = found.get(place, Count()).plus(count)
    return found


class DifferencesSeen(NamedTuple):
    """What is seen of two kernels at some inputs, in the order of their bits."""

    cells: Mapping[Place, Count]

    first: Difference | None
    largest: list[Difference]
    """The largest differences; the earlier input where they are equal."""


class Differences(NamedTuple):
    """Sees where two kernels, both swept with the same question, return different bits.

    `keep` of the largest differences are kept.
    """

    question: Question
    keep: int
    ftz: bool

    @np.errstate(all="ignore")
    def see(self, sight: Sight) -> DifferencesSeen:
        """Return what is seen at some inputs."""
        dtype, got = self.question.dtype, (sight.got[0], sight.got[1])
        up = sight.region_of_ups
        places = np.flatnonzero(bits_differ(*got))
        counts = {(up, cell): Count(end - start) for cell, start, end in by_cells(dtype, sight.x)}
        if not len(places):
            return DifferencesSeen(counts, None, [])
        some = places if len(places) < len(sight.x) else slice(None)
        a, b = (each[some].astype(np.float64) for each in got)
        judge = sight.judge(0)
        values, x = judge.values_at(places), sight.x[some]
        ups = np.broadcast_to(judge.up, sight.x.shape)[some]
        one, other = (self._unflushed(judge, places, got, values.y) for got in (a, b))
        signs, unsure = _by_values(one, other, values)
        if len(left := np.flatnonzero(unsure)):
            truth, inputs = judge.due_at(places[left]), (x[left], one[left], other[left])
            signs[left] = nearer(self.question, *inputs, truth, ups[left])
        apart = np.abs(a - b) / ulps(self.question.result, values.y)
        apart[np.isnan(apart)] = inf
        normal = self.question.normal
        weights = judge.weights(normal)[some] if up else weights_at(dtype, sight.x, some, normal)
        for cell, start, end in by_cells(dtype, x):
            of_a, of_b = (int(np.count_nonzero(signs[start:end] == sign)) for sign in (1, -1))
            largest = float(apart[start:end].max())
            shares = (float(weights[start:end] @ (signs[start:end] == sign)) for sign in (1, -1))
            counts[up, cell] = counts[up, cell].plus(
                Count(0, end - start, of_a, of_b, largest, *shares)
            )
        most = min(self.keep, len(x))
        kept = np.flatnonzero(apart >= np.partition(apart, -most)[-most])
        kept = kept[np.argsort(-apart[kept], kind="stable")][:most]
        first, *largest_ones = (
            Difference(*(float(column[i]) for column in (x, a, b, apart, ups)))
            for i in (0, *kept.tolist())
        )
        return DifferencesSeen(counts, first, largest_ones)

    def add(self, first: DifferencesSeen, second: DifferencesSeen) -> DifferencesSeen:
        """Return what is seen at the inputs of both, those of the second following."""
        cells = summed([*first.cells.items(), *second.cells.items()])
        ones = [each.first for each in (first, second) if each.first]
        earliest = min(ones, key=lambda each: each.place, default=None)
        largest = [*first.largest, *second.largest]
        largest.sort(key=lambda each: (-each.ulp, each.place))
        return DifferencesSeen(cells, earliest, largest[: self.keep])

    def finish(self, verdicts: Sequence[Verdict], seen: DifferencesSeen) -> None:
        """Leave verdicts as they are: a `Comparison` has what was seen."""

    def _unflushed(self, judge: Judge, places: Indices, got: Array, y: Array) -> Array:
        """Return results, with the right number for what machines without subnormals may return.

        That is 0 for a subnormal number, and for a subnormal x the result at 0.
        """
        if not self.ftz:
            return got
        right = (got == 0) & (np.abs(y) < 2.0**self.question.result.emin)
        for small, at_zero in judge.at_zeros():
            due = np.full(judge.x.shape, np.nan)
            due[small] = at_zero.want
            right |= got == due[places]
        return np.where(right, judge.due_at(places).want, got) if right.any() else got


def _by_values(a: Array, b: Array, values: Values) -> tuple[Signs, NDArray[np.bool_]]:
    """Return which result is nearer the truth, and where that is not sure.

    y is nearer to the larger of two numbers if it is above the middle of them.
    """
    above = values.y - a
    above += values.y
    above -= b
    slack = 2 * values.error + 2.0**-50 * (np.abs(a) + np.abs(b))
    above[~np.isfinite(slack)] = np.nan
    signs = (above > slack).view(np.int8) - (above < -slack).view(np.int8)
    unsure = (signs == 0) & (a != b)
    signs *= (a > b).view(np.int8) - (a < b).view(np.int8)  # 0 for zeros of both signs
    return signs, unsure


def nearer(
    question: Question, x: Floats, a: Array, b: Array, truth: Truth, ups: Array | None = None
) -> Signs:
    """Return 1 where a is nearer the truth than b, −1 where b is, 0 if neither.

    `ups` are the second inputs of kernels that have two. What the truth leaves unsure is decided
    exactly.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.sweeping.truth import truth_at
    >>> x = np.array([1.0, 1.0])
    >>> question = Question(find_form("relu"), "value", FORMATS["float64"])
    >>> a, b = np.array([1.25, 1.25]), np.array([0.5, 0.75])
    >>> nearer(question, x, a, b, truth_at(question, x))
    array([1, 0], dtype=int8)
    """

    def rank(got: Array) -> Signs:
        """Return 1 of a number, and of what is none 2 if it is due."""
        is_due = (got == truth.want) | (np.isnan(got) & np.isnan(truth.want))
        return np.where(np.isfinite(got), 1, 2 * is_due).astype(np.int8)

    left = np.flatnonzero(np.isfinite(a) & np.isfinite(b))
    signs: Signs = np.sign(rank(a) - rank(b))
    signs[left], unsure = _by_middles(a[left], b[left], truth.only(left))
    for i in left[unsure].tolist():
        middle = (Fraction(float(a[i])) + Fraction(float(b[i]))) / 2
        one = question if ups is None else question.at(float(ups[i]))
        signs[i] = one.side(float(x[i]), middle) * (1 if a[i] > b[i] else -1)
    return signs


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


@dataclass
class Comparison:
    """What is found of two kernels: the verdict on each, and where they differ."""

    a: Verdict
    b: Verdict
    seen: DifferencesSeen = field(default_factory=lambda: DifferencesSeen({}, None, []))
    others: Mapping[tuple[int, int], Sequence[float]] = field(default_factory=dict)
    """The results of both at the worst inputs of each, by the bits of x and of the second input."""

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts on both."""
        return [self.a, self.b]

    @property
    def total(self) -> Count:
        """The count of all inputs."""
        return reduce(Count.plus, self.seen.cells.values(), Count())

    @property
    def regions(self) -> Mapping[Region, Count]:
        """The counts by region of x, and of the second input of kernels that have two."""
        known = regions(self.a.question.dtype)
        cells = self.seen.cells.items()
        return summed((known[cell // CELLS]._replace(up=up), each) for (up, cell), each in cells)

    @property
    def by_x(self) -> Mapping[Region, Count]:
        """The counts by region of x alone."""
        return summed((region._replace(up=None), each) for region, each in self.regions.items())


def sweep_of_two(
    kernels: Sequence[Kernel], inputs: Inputs, *, jobs: int, keep: int, ftz: bool
) -> Sweep:
    """Return a sweep of two kernels with the same question that sees where they differ."""
    differences = Differences(kernels[0].question, keep + SPARE, ftz)
    return Sweep(kernels, inputs, jobs=jobs, keep=keep, ftz=ftz, observers=[differences])


def comparison(
    sweep: Sweep, covered: Callable[[int, int], None] = lambda done, total: None
) -> Comparison:
    """Return what `sweep_of_two` finds; Ctrl-C ends it early, and so does a kernel that fails."""
    a, b = sweep.verdicts(covered)
    found, bits = Comparison(a, b, *sweep.seen), a.question.dtype.bits
    if not a.complete or a.failure or b.failure:
        return found
    try:
        listed = [*a.total.listed, *b.total.listed]
        points = {(bits(each.x), bits(each.up)): (each.x, each.up) for each in listed}
        if points:
            tell("results of both at the worst inputs")
            places = sorted(points)
            x, ups = np.array([points[place] for place in places]).T
            results = sweep.results_at(np.stack([x, ups]) if a.question.gating else x)
            rows = zip(*(column.tolist() for column in results), strict=True)
            found.others = dict(zip(places, rows, strict=True))
    except KeyboardInterrupt:
        a.complete = b.complete = False
        sweep.kill()
    except ComputationError as error:
        a.complete, a.failure = False, error
    return found
