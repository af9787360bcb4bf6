"""Results of kernels of two inputs, f(x)·u, judged against the truth at pairs of them.

The truth of f at x is found once, for all u: multiplied by the exact number that u stands for, it
is the truth of a pair, with the side of a tie, of a power of 2 and of 0 that f has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf, nan
from typing import Any

import numpy as np

from gelu_cli.old.arithmetic.extended.double_double import two_product
from gelu_cli.old.arithmetic.extended.number import Extended
from gelu_cli.old.arithmetic.format_arrays import (
    LITTLE,
    Array,
    Floats,
    in_units,
    least_exponent,
    nearest,
)
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.guests.calling import UP_GRADIENT
from gelu_cli.old.sweeping.doubling import powers_of_2, runs_of
from gelu_cli.old.sweeping.drawn import Normal, weights_of_some
from gelu_cli.old.sweeping.gating import INFINITE, OF_PAIRS, Gating
from gelu_cli.old.sweeping.judging import Indices, Judge
from gelu_cli.old.sweeping.metrics import Judged, Run
from gelu_cli.old.sweeping.regions import size_cells, size_ends
from gelu_cli.old.sweeping.tally import NO_BAR, Tally, best, tally_of
from gelu_cli.old.sweeping.truth import (
    Question,
    Truth,
    Values,
    no_truth,
    one_truth,
    settle_in,
    truth_at,
    values_near,
)


@np.errstate(all="ignore")
def truth_of_factor(question: Question, x: Array) -> Truth:
    """Return the truth of what results are multiples of, f or f′, at first inputs."""
    if not (inner := question.inner):
        return truth_at(question._replace(second=None), x)
    rounded, truth = truth_at(inner, x).want, no_truth(x)
    rounded = np.clip(rounded, -INFINITE, INFINITE)
    units = in_units(question.result, Extended(rounded, 0 * rounded, 0 * rounded))
    settle_in(truth, slice(None), question.result, units)
    return truth


@np.errstate(all="ignore")
def product(question: Question, factor: Truth, x: Array, up: Array) -> Truth:
    """Return the truth at pairs of inputs, from that of the factor at each x.

    With the factor (M + L)·2ᵉ and u the exact sum h + l, that is M·h + (M·l + L·h) units: the first
    product is exact as two float64s, the others are right to 2⁻⁵² of themselves.
    """
    result, gating = question.result, question.gating or Gating()
    high, low = gating.factors(up, question.quantity)
    high, exponent = np.frexp(high)
    low = np.ldexp(low, -exponent)
    multiple, rest = two_product(factor.multiple, high)
    beside = factor.multiple * low + factor.low * high
    error = factor.error * (np.abs(high) + np.abs(low)) + 2.0**-51 * np.abs(beside)
    error += np.abs(factor.low * low)
    units = in_units(
        result,
        Extended(multiple, rest + beside, error, factor.unit_exponent + exponent.astype(np.int64)),
    )
    small = (np.abs(units.multiple) < LITTLE) & (multiple != 0)
    little = np.copysign(LITTLE, multiple)  # what is too small keeps its sign
    units = units._replace(
        multiple=np.where(small, little, units.multiple), low=np.where(small, 0.0, units.low)
    )
    truth = no_truth(multiple)
    settled = settle_in(truth, slice(None), result, units)
    if not settled.all():
        for i in np.flatnonzero(~settled).tolist():
            exact = one_truth(question.at(float(up[i])), float(x[i]))
            for field, value in zip(truth, exact, strict=True):
                field[i] = value
    truth.unit_exponent[truth.multiple == 0] = least_exponent(result)
    zero = truth.want == 0
    truth.want[zero] = (np.copysign(0.0, factor.want) * np.copysign(1.0, high))[zero]
    truth.want[(np.abs(factor.value) >= INFINITE) & (high == 0)] = np.nan  # ∞·0
    return truth


def factor_at_each(question: Question, x: Array) -> Truth:
    """Return what `truth_of_factor` does, found once for inputs that are the same."""
    patterns, places = np.unique(x.view(np.uint64), return_inverse=True)
    return truth_of_factor(question, patterns.view(np.float64)).only(places)


class PairJudge(Judge):
    """Judges results at pairs of finite inputs: each x with each of the second inputs `ups`.

    The pairs are in the order of x, and for one x in that of `ups`; or `listed`, so that the second
    input of an x is that of its place. `factor` is the truth of what results are multiples of at
    x; `every_up` says that the second inputs are no choice.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> question = Question(find_form("relu"), "value", FORMATS["bfloat16"], gating=Gating())
    >>> x, ups = np.array([1.0, 3.0]), np.array([0.5, 1.5])
    >>> judge = PairJudge(question, x, ups, ftz=False)
    >>> judge.due.want.tolist()
    [0.5, 1.5, 1.5, 4.5]
    >>> judge.tally(np.array([0.5, 1.5, 1.5, 4.53125]), keep=1).worst
    [Worst(ulp=1.0, x=3.0, got=4.53125, rest=0.0, up=1.5)]
    """

    def __init__(
        self,
        question: Question,
        x: Array,
        ups: Array,
        ftz: bool,
        factor: Truth | None = None,
        every_up: bool = False,
        *,
        listed: bool = False,
    ) -> None:
        super().__init__(question, x if listed else np.repeat(x, len(ups)), ftz)
        self.up: Array = ups if listed else np.tile(ups, len(x))
        self._first, self._ups, self._listed = x, ups, listed
        self._factor = factor or factor_at_each(question, x)
        self._every_up = every_up

    @cached_property
    def due(self) -> Truth:
        """The truth at all of the pairs."""
        return self.due_at(np.arange(len(self.x)))

    def due_at(self, places: Indices) -> Truth:
        """Return the truth at some of the pairs."""
        first = places if self._listed else places // len(self._ups)
        x = self._points[places]
        return product(self.question, self._factor.only(first), x, self.up[places])

    @property
    def nearly(self) -> Array:
        """The true values, or nearly so: no pair is judged by them."""
        factors = sum((self.question.gating or Gating()).factors(self._ups, self.question.quantity))
        combined = np.multiply if self._listed else np.outer
        nearly: Array = combined(self._factor.value, factors).ravel()
        return nearly

    def _shares(self, normal: Normal) -> tuple[Array, Array]:
        """Return the probabilities of both inputs, 0 if the second ones are a choice."""
        if not self._every_up:
            return np.zeros_like(self._first), np.zeros_like(self._ups)
        of_x, of_ups = (weights_of_some(self.question.dtype, each, normal)
                        for each in (self._first, self._ups))  # fmt: skip
        return of_x, of_ups

    def weights(self, normal: Normal) -> Array:
        """Return the probability of each pair."""
        combined = np.multiply if self._listed else np.outer
        weights: Array = combined(*self._shares(normal)).ravel()
        return weights

    def values_at(self, places: Indices) -> Values:
        """Return the true values at some of the pairs, to float64."""
        return values_near(self.due_at(places).value)

    @property
    def _slopes(self) -> None:
        return None

    def _judged(self, results: Floats) -> Judged:
        ones, weights = np.ones(len(self.x)), self.weights(self.question.normal)
        run = Run(ones, ones, weights, weights, self.up)
        return self._results(results, self.due, slice(None), run)

    def _results(self, results: Floats, due: Truth, places: Any, run: Run) -> Judged:
        """Return the results at some of the pairs beside the truth that is due there."""
        got: Array = results[places].astype(np.float64, copy=False)
        beside = got, due.value, due.want, *due.ulp_errors(got)
        units = np.ldexp(1.0, due.unit_exponent)
        return Judged(self.x[places], *beside, 0, units, self.up[places], run)

    @np.errstate(all="ignore")
    def tally(self, got: Floats, keep: int, bar: float | Fraction = NO_BAR) -> Tally:
        """Return the tally of results at all of the pairs, of runs from their last one."""
        if self.ftz or self._listed or not self._every_up:
            return super().tally(got, keep, bar)
        first, ups, factor = self._first, self._ups, self._factor
        high, low = (self.question.gating or Gating()).factors(ups, self.question.quantity)
        powers = powers_of_2(high)
        if powers is None or np.any(low) or not self.question.result.infinite:
            return super().tally(got, keep, bar)
        one = factor.multiple * high[0]
        table = got.reshape(len(first), -1)
        runs = runs_of(table, powers, one, factor.unit_exponent, self.question.result)
        if not len(runs.ends):  # everything overflows, as it should
            return Tally(inputs=len(got))
        run = runs.sums(self._shares(self.question.normal), ups, got)
        judged = self._results(got, self.due_at(runs.ends), runs.ends, run)
        tally = tally_of(judged, self.question, keep, bar)
        tally.inputs = len(got)
        dtype = self.question.dtype
        there = {size_ends(dtype)[cell] for cell in size_cells(dtype, ups).tolist()}
        tally.peaks = {each: peak for each, peak in tally.peaks.items() if each[2:] in there}
        worse = [entry for entry in tally.worst if entry.ulp > bar]
        tally.worst = best([*tally.worst, *runs.others(worse, judged, ups)], keep)
        return tally

    def at_zeros(self) -> Iterator[tuple[Indices, Truth]]:
        """Yield where inputs are subnormal, and the truth with 0 for one of them, or for both."""
        least = 2.0**self.question.dtype.emin
        small = [np.abs(each) < least for each in (self._points, self.up)]
        for kept in ((0, 1), (1, 0), (0, 0)):
            where = np.logical_and.reduce([each for each, one in zip(small, kept, strict=True)
                                           if not one])  # fmt: skip
            places = np.flatnonzero(where)
            if len(places):
                x, up = (one * each[places] for one, each in zip(kept, (self._points, self.up),
                                                                 strict=True))  # fmt: skip
                yield places, product(self.question, truth_of_factor(self.question, x), x, up)


def pairs_with_limits(number_format: Format, ups: Sequence[float]) -> tuple[Array, Array]:
    """Return ±∞, where the format has them, and NaN with these numbers and each other, both ways.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> [each.tolist() for each in pairs_with_limits(FORMATS["float8_e4m3fn"], [1.0])]
    [[nan, nan, 1.0], [1.0, nan, nan]]
    """
    limits = [inf, -inf, nan] if number_format.infinite else [nan]
    pairs = [(x, up) for x in limits for up in [*ups, *limits]]
    pairs += [(x, up) for x in ups for up in limits]
    x, up = np.array(pairs).T
    return x, up


APART = 4
"""Two products differ if they are so many ULP apart in the median of pairs."""

SURE = 0.9
"""A share of the pairs that tell two roundings apart which says what a kernel does."""


def gates_that_tell(number_format: Format) -> Array:
    """Return numbers at which few values of the factor are numbers of the format."""
    return np.unique(nearest(number_format, np.linspace(-4, 8, 512))[0])


def rounding_told(
    question: Question, x: Array, ups: Array, got: Array, *, listed: bool = False
) -> str:
    """Say whether the factor is rounded before the product, from results at pairs; or nothing.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> half, ups = FORMATS["float16"], np.array([1.1, 3.7]).astype(np.float16).astype(float)
    >>> question = Question(find_form("exact"), "value", half, gating=Gating())
    >>> x = gates_that_tell(half)
    >>> print(rounding_told(question, x, ups, PairJudge(question, x, ups, ftz=False).due.want))
    the product is rounded once: 195 of 195 pairs that tell agree
    """
    gating = question.gating or Gating()
    if gating.intermediate or question.quantity == UP_GRADIENT:
        return ""
    twice = question._replace(gating=gating._replace(intermediate=question.result))
    judges = [PairJudge(each, x, ups, ftz=False, listed=listed) for each in (question, twice)]
    one, two = (judge.due.want for judge in judges)
    telling = np.isfinite(got) & np.isfinite(one) & np.isfinite(two) & (one != two)
    count = int(np.count_nonzero(telling))
    once, both = (int(np.count_nonzero(got[telling] == each[telling])) for each in (one, two))
    if both > SURE * count:
        name = question.result.name
        return (
            f"{'F′(x)' if gating.upstream else 'F(gate)'} is rounded to {name} before the product: "
            f"{both:,} of {count:,} pairs that tell agree; --intermediate {name} judges by that"
        )
    if once > SURE * count:
        return f"the product is rounded once: {once:,} of {count:,} pairs that tell agree"
    return ""


def order_told(question: Question, x: Array, ups: Array, got: Array) -> str:
    """Say whether results at all pairs are those of a kernel that takes its inputs in turn.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> x, ups = np.array([0.5, 1.0, 3.0]), np.array([-1.0, 2.0])
    >>> question = Question(find_form("silu"), "value", FORMATS["float16"], gating=Gating())
    >>> got = PairJudge(question, ups, x, ftz=False).due.want.reshape(2, 3).T.ravel()
    >>> print(order_told(question, x, ups, got))
    results are F(up)·gate: it takes the up first; add --up-first
    """
    if question.quantity in OF_PAIRS:
        return ""
    due = PairJudge(question, x, ups, ftz=False).due
    turned = np.arange(len(got)).reshape(len(ups), -1).T.ravel()
    swapped = PairJudge(question, ups, x, ftz=False).due.only(turned)
    telling = np.isfinite(got) & np.isfinite(due.want) & np.isfinite(swapped.want)
    telling &= due.want != swapped.want
    near, far = (
        np.median(each.only(telling).ulp_errors(got[telling])[0]) if telling.any() else 0.0
        for each in (swapped, due)
    )
    if near > 1 or far < APART:
        return ""
    if question.gating and question.gating.upstream:
        return "results are F′(upstream)·x: it takes x first; wrap it as (dy, x) → f(x, dy)"
    if question.gating and question.gating.up_first:
        return "results are F(up)·gate: it takes the gate first; remove --up-first"
    return "results are F(up)·gate: it takes the up first; add --up-first"
