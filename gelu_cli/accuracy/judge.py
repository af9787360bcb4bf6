"""Tally errors of blocks of results; measure single results exactly.

Errors are in ULP of the exact values. A block has inputs of one place: a region of x and, for
pairs, a region of the second input. If all errors of a block are below ½ ULP, all its results are
correctly rounded, and the search for misrounded results is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import copysign, inf, isfinite, isinf, isnan
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gelu_cli.accuracy.question import UP_GRADIENT, Question
from gelu_cli.accuracy.regions import Place, cells_of
from gelu_cli.accuracy.tally import ROW, ULP_BOUNDS, Rows, Tally, over_bounds
from gelu_cli.accuracy.truth import ROUNDING, Indices, Truth
from gelu_cli.formulas.pieces import as_fraction, to_fraction
from gelu_cli.numbers.arrays import ordinal_distances
from gelu_cli.numbers.cells import Floats, Mask, two_sum
from gelu_cli.numbers.formats import LITTLE

MANTISSA = (1 << 52) - 1  # of a float64
CLOSE = 2.0**-20
"""If the exact values on the two sides of a block boundary differ by at most CLOSE·|value|, their
order in float64 is uncertain: the sign of the derivative decides."""


@dataclass(eq=False)
class Block:
    """Inputs of one place, in bit pattern order, and their exact values.

    The inputs are in len(weight) groups of equal size; `weight` has for each group the probability
    that a random input rounds to a certain input of the group. `weight` is empty if probabilities
    are undefined or all 0. With `ftz`, results that are flushed to 0 count as correctly rounded.
    `up` has the second inputs; it is 1 for kernels of one input.
    """

    question: Question
    place: Place
    x: Any
    truth: Truth
    weight: Floats
    ftz: bool = False
    up: Any = 1.0

    def counted(self, got: Floats) -> Floats:
        """Replace the zeros that `ftz` accepts by correctly rounded results."""
        if not self.ftz:
            return got
        flushed = self.truth.subnormal | self.question.flushed(self.x, self.up)
        return np.where((got == 0) & flushed, self.truth.want, got)

    def grouped(self, values: Any) -> Any:
        """Return an array with a row for each group of inputs."""
        return values.reshape(len(self.weight), -1)

    def probability(self, indices: Indices) -> float:
        """Return the probability of the inputs at `indices`."""
        if not len(self.weight):
            return 0.0
        return float(self.weight[indices * len(self.weight) // len(self.x)].sum())

    @cached_property
    def total_weight(self) -> float:
        """The probability that a random input rounds to one of the inputs."""
        return float(self.weight.sum()) * (len(self.x) // max(1, len(self.weight)))

    @cached_property
    def squares_of_rounding(self) -> float:
        """Σ weight·error² for the absolute errors of correctly rounded results."""
        return self.sum_of_squares(self.truth.rounding_errors, self.truth.unit)

    def sum_of_squares(self, errors: Floats, unit: Any) -> float:
        """Return Σ weight·(error·unit)²; `unit` is an array or a number."""
        if np.ndim(unit):
            errors, unit = errors * unit, 1.0
        weight, groups = self.weight, self.grouped(errors)
        if self.question.result.width == 64:  # error² may overflow
            groups = groups[weight > 0]
            return float(np.sum(weight[weight > 0, None] * groups * groups) * unit**2)
        return float(np.sum(weight * np.einsum("ij,ij->i", groups, groups)) * unit**2)

    @cached_property
    def cells(self) -> tuple[Indices, Indices]:
        """Indices of the place's cells with inputs; indices of their first inputs."""
        cells = cells_of(self.question.dtype, self.place.x).astype(self.x.dtype)  # exact
        starts = np.searchsorted(np.abs(self.x), cells)
        held = starts < np.append(starts[1:], len(self.x))
        return np.flatnonzero(held), starts[held]

    def rows(self, indices: Any, size: Any, got: Floats) -> Rows:
        """Return the results at `indices` as rows (`ROW`) of a tally."""
        found = np.empty(len(indices), ROW)
        found["size"], found["x"], found["got"] = size, self.x[indices], got[indices]
        found["up"] = np.broadcast_to(self.up, self.x.shape)[indices]
        return found


@np.errstate(all="ignore")  # results may be NaN and infinite
def judge(block: Block, results: Floats, tally: Tally, keep: int) -> None:
    """Add errors of a block's results to a tally; keep the `keep` worst rows."""
    found = _Judged(block, results, tally, keep)
    if found.top >= 0.5:
        found.count_wrong()
    if found.top >= 0.5 or found.ok is not None:
        found.find_over_bounds()
    (cells, starts), heights = block.cells, found.heights
    peaks = np.fmax.reduceat(heights, starts) if len(starts) > 1 else np.fmax.reduce(heights)
    tally.peaks[cells] = np.fmax(tally.peaks[cells], peaks)
    count = len(heights) if found.ok is None else int(np.count_nonzero(found.ok))
    tally.count(inputs=len(heights), judged=count, ulp=float(found.known.sum()))
    if len(block.weight):
        found.count_draws()
    if count:
        found.find_extremes()
        found.list_worst()


class _Judged:
    """Errors of results in a block, to be added to a tally.

    Attributes
    ----------
    raw, got
        The results as the kernel returned them; the same after `Block.counted`.
    ok
        Mask of finite results whose exact values round to finite numbers; None if all results are.
    known
        Errors in ULP; 0 for results that are not `ok`. `top` is the largest of these errors.
    heights
        Errors in ULP; ∞ for `wrong_inf` and `wrong_nan`; NaN where ∞ or NaN is right or the result
        is `saturated`.
    """

    def __init__(self, block: Block, raw: Floats, tally: Tally, keep: int) -> None:
        self.block, self.truth, self.tally, self.keep = block, block.truth, tally, keep
        self.raw, self.got, low = raw, block.counted(raw), block.truth.low
        offset = self.got / self.truth.unit
        offset -= self.truth.m
        self.heights: Floats = np.abs(offset if low is None else offset - low)
        self.ok, self.known, self.wrong_signs = None, self.heights, np.zeros(0, np.int64)
        self.top = float(self.heights.max())
        if self.truth.beyond is not None or not isfinite(self.top):
            self.ok = self.count_failures()
            self.known = np.where(self.ok, self.heights, 0.0)
            self.top = float(self.known.max())
        if self.top >= 0.5 and low is not None:
            self.raise_powers(low)

    def raise_powers(self, low: Floats) -> None:
        """Raise each error that float64 has rounded down to a power of 2."""
        powers = (self.known.view(np.int64) & MANTISSA == 0) & (self.known >= 0.5)
        at = np.flatnonzero(powers)
        unit = np.broadcast_to(self.truth.unit, powers.shape)[at]
        offset, lost = two_sum(self.got[at] / unit, -self.truth.m[at])
        error, rest = two_sum(offset, -low[at])
        up = at[error * (rest + lost) > 0]  # where the exact error exceeds the power
        self.known[up] = self.heights[up] = np.nextafter(self.known[up], np.inf)

    def count_failures(self) -> Mask:
        """Count wrong NaN and ∞ and saturated results; set `heights`; return `ok`."""
        truth, got, result = self.truth, self.raw, self.truth.result
        want, m, ok = truth.want, truth.m, np.isfinite(got)
        beyond = np.zeros(ok.shape, bool) if truth.beyond is None else truth.beyond
        right = beyond & ((got == want) | (np.isnan(got) & np.isnan(want)))
        saturated = beyond & (got == np.copysign(result.largest, m)) & ~np.isnan(m)
        if result.infinite:
            saturated &= np.isfinite(m)
        failed = ~(ok & ~beyond | right | saturated)
        ok &= ~beyond
        self.heights[~ok] = np.nan
        self.heights[failed] = np.inf
        nan = failed & (np.isnan(got) != np.isnan(want))
        self.tally.count(saturated=np.count_nonzero(saturated))
        for name, mask in (("wrong_nan", nan), ("wrong_inf", failed & ~nan)):
            self.tally.count(**{name: np.count_nonzero(mask)})
            self.add_rows(name, np.flatnonzero(mask)[: self.keep], np.inf, self.keep)
        return ok

    def add_rows(self, name: str, indices: Any, size: Any, most: int = 1) -> None:
        """Add results to the rows that the tally keeps under a name."""
        self.tally.keep(name, self.block.rows(indices, size, self.raw), most)

    def count_wrong(self) -> None:
        """Count large errors and wrong results; keep the largest ordinal distance."""
        got, truth, tally, top = self.got, self.truth, self.tally, self.top
        at = np.flatnonzero(self.known >= 0.5)
        errors = self.known[at]
        ties = at[errors == 0.5]
        wrong = len(at) - np.count_nonzero(got[ties] == truth.want[ties])
        large = {"over_half_ulp": errors > 0.5, "over_1_ulp": errors > 1}
        tally.count(misrounded=wrong, **{k: np.count_nonzero(each) for k, each in large.items()})
        if not wrong:
            return
        if top + 1 >= truth.least:  # else |error| < |y|: no 0, no wrong sign
            self.count_wrong_signs(at)
        # Numbers ≥ power are ≥ 1 ULP apart; smaller ones ≥ ½ ULP, if |error| ≤ |y|/4.
        steps = (top + 0.5) * (1 if truth.least >= truth.power + top + 1 else 2)
        if top > truth.power / 4 or steps >= tally.bar("ordinal"):
            apart = ordinal_distances(truth.result, got[at], truth.want[at])
            i = int(np.argmax(apart))
            self.add_rows("ordinal", at[[i]], apart[i])

    def count_wrong_signs(self, indices: Indices) -> None:
        """Count results with a wrong sign, and zeros on one side alone."""
        got, want, y = (each[indices] for each in (self.got, self.truth.want, self.truth.m))
        if self.truth.low is not None:
            y = np.where(y == 0, self.truth.low[indices], y)
        opposite = (np.signbit(got) != np.signbit(y)) & (got != 0) & (y != 0)
        self.wrong_signs = indices[opposite]
        self.tally.count(wrong_zero=np.count_nonzero((got == 0) != (want == 0)))
        self.tally.count(wrong_sign=len(self.wrong_signs))
        self.add_rows("wrong_sign", self.wrong_signs[: self.keep], np.inf, self.keep)

    def find_over_bounds(self) -> None:
        """Find for each bound the input nearest to 0 with a larger error."""
        x, known, zeros = self.block.x, self.tally.over, self.got == 0
        top = self.top if self.ok is None and not len(self.wrong_signs) else np.inf
        if known.errors[np.searchsorted(ULP_BOUNDS, top, "right") - 1] > abs(x[0]) or zeros.any():
            over = self.heights.copy()
            over[self.wrong_signs] = np.inf
            self.tally.over = known.add(over_bounds(x, over, zeros & self.truth.subnormal))

    def absolute(self) -> Floats:
        """Return absolute errors; use `truth.y` if the error in ULP overflows."""
        found: Floats = self.known * self.truth.unit
        if np.isinf(self.top):
            return np.where(np.isinf(self.known), np.abs(self.got - self.truth.y), found)
        return found

    def count_draws(self) -> None:
        """Add the block's `weight`, `lost`, `squares` and `least` (see `Tally`)."""
        block, weight, unit = self.block, self.block.total_weight, self.truth.unit
        if self.ok is None:
            least = block.squares_of_rounding
        else:
            least = block.sum_of_squares(np.where(self.ok, self.truth.rounding_errors, 0.0), unit)
            # Not `probability`: this sum is `total_weight`, to the last bit, if all results are ok.
            weight = float(np.sum(block.weight * block.grouped(self.ok).sum(axis=1)))
        lost = max(block.total_weight - weight, 0.0)
        if np.isinf(self.top):
            squares = block.sum_of_squares(self.absolute(), 1.0)
        else:
            squares = block.sum_of_squares(self.known, unit)
        self.tally.count(weight=weight, lost=lost, squares=squares, least=least)

    def find_extremes(self) -> None:
        """Keep the largest absolute error and, for normal y, relative error."""
        truth, known, tally = self.truth, self.known, self.tally
        if self.top * np.max(truth.unit) >= tally.bar("abs"):
            absolute = np.where(known > 2 * LITTLE, self.absolute(), 0.0)
            i = int(np.argmax(absolute))
            self.add_rows("abs", [i], absolute[i])
        if self.top / max(truth.power, truth.least) >= tally.bar("rel"):
            relative = known / np.abs(truth.m)  # m may be 0, or NaN where a result is not ok
            if truth.least <= truth.power or self.ok is not None:
                relative[truth.subnormal if self.ok is None else truth.subnormal | ~self.ok] = -1.0
            i = int(np.argmax(relative))
            if relative[i] >= 0:
                self.add_rows("rel", [i], relative[i])

    def list_worst(self) -> None:
        """Keep the `keep` largest errors in ULP."""
        known, keep, bar = self.known, self.keep, self.tally.bar("ulp", self.keep)
        if self.top < bar:
            return
        worst = np.flatnonzero(known >= bar if self.ok is None else (known >= bar) & self.ok)
        if len(worst) > keep:
            worst = worst[known[worst] >= np.partition(known[worst], -keep)[-keep]]
            worst = worst[np.argsort(-known[worst], kind="stable")[:keep]]
        self.add_rows("ulp", worst, known[worst], keep)


class Result(NamedTuple):
    """A result and its errors.

    Attributes
    ----------
    x, up
        The inputs; `up` is 1 for kernels of one input.
    want, exact
        The correctly rounded result; the exact value y to 60 digits or more, None at non-finite
        inputs, and if F(gate) overflows in the intermediate format.
    ulp, ordinal, absolute, relative
        |got − y|/ulp(y); steps of the format from `got` to `want`; |got − y|; |got − y|/|y|, or
        |got| if y = 0. All are None if `exact` is None, or `got` or `want` is not finite.
    """

    x: float
    up: float
    got: float
    want: float
    exact: Fraction | None = None
    ulp: Fraction | None = None
    ordinal: int | None = None
    absolute: Fraction | None = None
    relative: Fraction | None = None

    @property
    def order(self) -> tuple[Any, ...]:
        """A sort key: the largest error first; ties as in `largest_of`."""
        x, up = ((copysign(1, each) < 0, abs(each)) for each in (self.x, self.up))
        return -(self.ulp or 0), *x, *up


def result_at(question: Question, x: float, up: float, got: float, ftz: bool = False) -> Result:
    """Return a result with its exact errors; inputs may be ±∞ or NaN.

    With `ftz`, a result 0 counts as `want` if flushing subnormal numbers makes the result 0.
    """
    if not (isfinite(x) and isfinite(up)):
        limit = question.limit(x, up)
        return Result(x, up, got, question.result.from_float(limit) if isinf(limit) else limit)
    one = question.at(up)
    want = one.want(x)
    if one.inner and not isfinite(one.inner.want(x)):
        return Result(x, up, got, want)
    exact = as_fraction(one.value(x))
    if not (isfinite(got) and isfinite(want)):
        return Result(x, up, got, want, exact)
    result, counted = question.result, got
    subnormal = abs(exact) < 2.0**result.emin
    if ftz and not got and (subnormal or question.flushed(x, up)):
        counted = want
    size, ulp, y = map(as_fraction, one.distance(x, counted))
    ordinal = abs(result.ordinal(counted) - result.ordinal(want))
    return Result(x, up, got, want, exact, ulp, ordinal, size, size / abs(y) if y else size)


def wrong_special(question: Question, columns: Sequence[Floats], got: Any) -> Rows:
    """Return rows of the wrong results at non-finite inputs.

    If a finite result is expected, results within 1 ULP of that are right. If ∞ is expected, the
    largest number is right, too, if the format has no infinity, or if the gate and the up are
    finite after the limits of the GLU.
    """
    x, up = (*columns, np.ones(len(got)))[:2]
    rows = zip(x.tolist(), up.tolist(), got.astype(np.float64).tolist(), strict=True)
    return np.array([(inf, *row) for row in rows if not _is_right(question, *row)], ROW)


def _is_right(question: Question, x: float, up: float, got: float) -> bool:
    if question.quantity == UP_GRADIENT and isnan(up):  # a kernel need not read the up
        return True
    want, result = question.limit(x, up), question.result
    if isnan(want) or isnan(got):
        return isnan(got) and not (isfinite(want) or (isinf(want) and result.infinite))
    if isinf(want):
        factor = question.factors(np.array([up]))[0][0]
        finite = isfinite(factor) and isfinite(min(x, question.unlimited))
        saturated = got == copysign(result.largest, want)
        return got == want or (saturated and (finite or not result.infinite))
    unit = result.ulp(to_fraction(want))
    return isfinite(got) and bool(abs(to_fraction(got) - to_fraction(want)) <= unit)


class End(NamedTuple):
    """The first or last input of a block, with its exact value and result."""

    x: float
    y: float
    got: float


Ends: TypeAlias = tuple[End, End]


def ends_of(block: Block, got: Any) -> Ends:
    """Return the `End` at the first and at the last input of a block."""
    ends = np.array([0, -1])
    columns = block.x[ends], block.truth.y_at(ends), got[ends]
    first, last = map(End, *(each.astype(np.float64).tolist() for each in columns))
    return first, last


def wrong_steps(block: Block, results: Any) -> int:
    """Count monotonicity violations; if y is constant, every step is wrong."""
    got = results if results.itemsize >= 4 else results.astype(np.float32)
    up, down = got[1:] > got[:-1], got[1:] < got[:-1]
    if (rising := block.truth.rising) is not None:
        return int(np.count_nonzero(up) * (rising <= 0) + np.count_nonzero(down) * (rising >= 0))
    x = block.x.astype(np.float64)
    steps = (up | down) & (x[1:] != x[:-1])
    if not steps.any():
        return 0
    rise, doubt = _rise(block)
    direction = np.sign(rise)
    for i in np.flatnonzero((np.abs(rise) <= doubt) & (doubt > 0) & steps).tolist():
        direction[i] = _direction(block.question, float(x[i]), float(x[i + 1]))
    return int(np.count_nonzero(steps & ((down & (direction >= 0)) | (up & (direction <= 0)))))


def _rise(block: Block) -> tuple[Floats, Floats]:
    """Return y's rises between adjacent inputs, in ULP, and error bounds."""
    truth = block.truth
    unit = np.broadcast_to(truth.unit, truth.m.shape)
    low = 0.0 if truth.low is None else np.diff(truth.low)
    same, step = unit[1:] == unit[:-1], np.diff(truth.m)
    rise = np.where(same, step + low, np.diff(truth.y) / unit[1:])
    size = np.where(same, np.abs(step), np.abs(truth.m[1:]))
    unknown = np.abs(truth.m[1:]) == LITTLE  # only the sign of the value is known
    return rise, np.where(unknown, np.inf, 2 * truth.error + ROUNDING * size)


def _direction(question: Question, x: float, other: float) -> int:
    """Return the sign of F(other) − F(x), by the slope at the midpoint."""
    return question.slope(x + (other - x) / 2) * (1 if other > x else -1)


def wrong_seams(question: Question, ends: Sequence[Ends]) -> int:
    """Count monotonicity violations between adjacent blocks of x of one sign."""
    ordered = sorted(ends, key=lambda each: (bool(np.signbit(each[0].x)), abs(each[0].x)))
    wrong = 0
    for (_, last), (first, _) in pairwise(ordered):
        step = np.sign(first.got - last.got)  # NaN if a result is NaN, or for ∞ − ∞
        if np.signbit(last.x) == np.signbit(first.x) and last.x != first.x and abs(step) == 1:
            close = abs(first.y - last.y) <= CLOSE * abs(last.y)
            rise = _direction(question, last.x, first.x) if close else np.sign(first.y - last.y)
            wrong += int(step != rise)
    return wrong
