"""Errors of a kernel's results in one region, added to a tally.

Errors are in units of the last place of the exact values. If all are below ½, every result is
correctly rounded, and wrong results are not searched for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gelu_cli.accuracy.profile import BOUNDS, over_bounds
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Place, cells_of
from gelu_cli.accuracy.tally import ROW, Rows, Tally
from gelu_cli.accuracy.truth import Indices, Truth
from gelu_cli.numbers.cells import Floats, Mask
from gelu_cli.numbers.formats import LITTLE
from gelu_cli.numbers.patterns import ordinal_distances

MANTISSA = (1 << 52) - 1


@dataclass(eq=False)
class Block:
    """Inputs of one region, in bit pattern order, and their exact values.

    Attributes
    ----------
    x, truth
        The inputs, and their exact values.
    weight
        The probability that a draw rounds to an input: one weight for each run of `per_weight`
        consecutive inputs. Empty if inputs have no weights.
    ftz
        True if results that are flushed to 0 count as correctly rounded.
    up
        The second inputs; 1 for kernels of one input.
    """

    question: Question
    place: Place
    x: Any
    truth: Truth
    weight: Floats
    ftz: bool = False
    up: Any = 1.0

    def counted(self, got: Floats) -> Floats:
        """Return results, correctly rounded ones for those that are flushed."""
        if not self.ftz:
            return got
        flushed = self.truth.subnormal | self.question.flushed(self.x, self.up)
        return np.where((got == 0) & flushed, self.truth.want, got)

    @cached_property
    def per_weight(self) -> int:
        """The number of consecutive inputs that share a weight."""
        return len(self.x) // len(self.weight) if len(self.weight) else 1

    @cached_property
    def total_weight(self) -> float:
        """The probability that a draw rounds to one of the inputs."""
        return float(self.weight.sum()) * self.per_weight

    @cached_property
    def least_squares(self) -> float:
        """Σ weight·error² of correctly rounded results."""
        return self.sum_of_squares(self.truth.rounding_errors, self.truth.unit)

    def sum_of_squares(self, errors: Floats, unit: Any) -> float:
        """Return Σ weight·(error·unit)² of errors in units."""
        rows = (errors if isinstance(unit, float) else errors * unit).reshape(len(self.weight), -1)
        some = slice(None) if self.question.dtype.width < 64 else self.weight > 0
        total = float(np.einsum("i,ij,ij", self.weight[some], rows[some], rows[some]))
        return total * unit * unit if isinstance(unit, float) else total

    @cached_property
    def cells(self) -> tuple[Indices, Indices]:
        """The cells that hold inputs, and the index of the first input of each."""
        starts = cells_of(self.question.dtype, self.place.x)
        ends = np.searchsorted(starts, np.abs(self.x[[0, -1]]), "right") - 1
        if ends[0] == ends[1]:
            return ends[:1], np.zeros(1, np.int64)
        cell = np.searchsorted(starts, np.abs(self.x), "right") - 1
        first = np.flatnonzero(np.diff(cell, prepend=-1))
        return cell[first], first

    def up_of(self, i: int) -> float:
        """Return the second input of one result."""
        return float(self.up[i]) if isinstance(self.up, np.ndarray) else self.up

    def rows(self, indices: Any, size: Any, got: Floats) -> Rows:
        """Return results as rows of a tally."""
        found = np.empty(len(indices), ROW)
        found["size"], found["x"], found["got"] = size, self.x[indices], got[indices]
        found["up"] = self.up[indices] if isinstance(self.up, np.ndarray) else self.up
        return found


@np.errstate(all="ignore")  # results may be NaN and infinite
def judge(block: Block, results: Any, tally: Tally, keep: int) -> None:
    """Add the errors of results to a tally, with the `keep` worst inputs.

    `ok` is the mask of numbers where numbers are expected, None if all are. Other results have an
    error of 0 in `known`; in `heights` failures are ∞, and right infinities and NaN are NaN.
    """
    truth, raw = block.truth, results.astype(np.float64)
    got = block.counted(raw)
    offset = got / truth.unit
    offset -= truth.m
    errors: Floats = np.abs(offset if truth.low is None else offset - truth.low)
    ok = None
    if truth.beyond is not None or not np.isfinite(got).all():
        ok = _count_failures(block, raw, errors, tally, keep)
        ok = None if ok.all() else ok
    known = errors if ok is None else np.where(ok, errors, 0.0)
    found = _Judged(block, raw, got, truth, known, ok, tally, keep)
    count = len(got) if ok is None else int(np.count_nonzero(ok))
    wrong_signs: Indices = np.zeros(0, np.int64)
    if found.top >= 0.5:
        _raise_above_bounds(truth, offset, known)
        wrong_signs = found.count_wrong()
    heights = known if ok is None else np.where(ok, known, errors)
    if found.top >= 0.5 or ok is not None:
        found.find_over_bounds(heights, wrong_signs)
    cells, starts = block.cells
    peaks = np.fmax.reduceat(heights, starts) if len(starts) > 1 else np.fmax.reduce(heights)
    tally.peaks[cells] = np.fmax(tally.peaks[cells], peaks)
    tally.count(inputs=len(got), judged=count, ulp=float(known.sum()))
    if len(block.weight):
        found.count_draws()
    if count:
        found.find_extremes()
        found.list_worst()


def _count_failures(block: Block, got: Floats, errors: Floats, tally: Tally, keep: int) -> Mask:
    """Count wrong NaN and infinities; return the mask of numbers.

    Also set errors in place: ∞ for failures, NaN for right infinities and NaN.
    """
    truth, result = block.truth, block.question.result
    want, m, ok = truth.want, truth.m, np.isfinite(got)
    beyond = np.zeros(ok.shape, bool) if truth.beyond is None else truth.beyond
    right = beyond & ((got == want) | (np.isnan(got) & np.isnan(want)))
    saturated = beyond & (got == np.copysign(result.largest, m)) & ~np.isnan(m)
    if result.infinite:
        saturated &= np.isfinite(m)
    failed = ~(ok & ~beyond | right | saturated)
    ok &= ~beyond
    errors[~ok] = np.nan
    errors[failed] = np.inf
    nan = failed & (np.isnan(got) != np.isnan(want))
    tally.count(saturated=np.count_nonzero(saturated))
    for name, some in (("wrong_nan", nan), ("wrong_inf", failed & ~nan)):
        tally.count(**{name: np.count_nonzero(some)})
        tally.keep(name, block.rows(np.flatnonzero(some)[:keep], np.inf, got), keep)
    return ok


def _raise_above_bounds(truth: Truth, offset: Floats, known: Floats) -> None:
    """Raise an error that was rounded down to a power of 2 by one float64."""
    if truth.low is None:
        return
    at = np.flatnonzero((known.view(np.int64) & MANTISSA == 0) & (truth.low != 0) & (known >= 0.5))
    more = offset[at] * truth.low[at] < 0
    known[at[more]] = np.nextafter(known[at[more]], np.inf)


@dataclass(eq=False)
class _Judged:
    """Results of a block and their errors `known`, to be added to a tally.

    `ok` is the mask of numbers, None if all are; `known` is 0 for other results.
    """

    block: Block
    raw: Floats
    got: Floats
    truth: Truth
    known: Floats
    ok: Mask | None
    tally: Tally
    keep: int

    @cached_property
    def top(self) -> float:
        """The largest error in ULP."""
        return float(self.known.max())

    def count_wrong(self) -> Indices:
        """Count errors above ½ ULP; return the indices of wrong signs."""
        got, known, truth, tally = self.got, self.known, self.truth, self.tally
        want = truth.want
        places = np.flatnonzero(got != want if self.ok is None else (got != want) & self.ok)
        tally.count(
            over_half_ulp=np.count_nonzero(known > 0.5),
            over_1_ulp=np.count_nonzero(known > 1),
            misrounded=len(places),
        )
        if not len(places):
            return places
        mine, right, y = got[places], want[places], truth.m[places]
        if truth.low is not None:
            y = np.where(y == 0, truth.low[places], y)
        other = np.flatnonzero((np.signbit(mine) != np.signbit(y)) & (mine != 0) & (y != 0))
        tally.count(wrong_zero=np.count_nonzero((mine == 0) != (right == 0)), wrong_sign=len(other))
        some = places[other[: self.keep]]
        tally.keep("wrong_sign", self.block.rows(some, np.inf, self.raw), self.keep)
        if 2 * self.top + 2 >= tally.bar("ordinal"):
            apart = ordinal_distances(truth.result, mine, right)
            i = int(np.argmax(apart))
            tally.keep("ordinal", self.block.rows(places[[i]], apart[i], self.raw))
        return places[other]

    def find_over_bounds(self, errors: Floats, wrong_signs: Indices) -> None:
        """Find the inputs nearest to 0 whose errors exceed bounds."""
        block, truth, tally = self.block, self.truth, self.tally
        plain = (
            not len(wrong_signs) and float(np.min(truth.unit)) > 2.0**truth.result.least_exponent
        )
        reached = np.searchsorted(BOUNDS, float(np.max(errors)))  # NaN is above all bounds
        if plain and np.all(tally.over.errors[:reached] <= abs(float(block.x[0]))):
            return  # inputs nearer to 0 are known
        over = errors.copy()
        over[wrong_signs] = np.inf
        tally.over = tally.over.add(over_bounds(block.x, over, (self.got == 0) & truth.subnormal))

    def absolute(self) -> Floats:
        """Return absolute errors, also if an error in ULP overflows."""
        known, truth = self.known, self.truth
        found: Floats = known * truth.unit
        infinite = np.isinf(known)
        return np.where(infinite, np.abs(self.got - truth.y), found) if infinite.any() else found

    def count_draws(self) -> None:
        """Add up weights of numbers and of other results, and weighted squares."""
        block, unit, there, least = self.block, self.truth.unit, self.block.total_weight, 0.0
        if isinstance(unit, float):
            squares = block.sum_of_squares(self.known, unit)
        else:
            squares = block.sum_of_squares(self.absolute(), 1.0)
        if self.ok is None:
            least = block.least_squares
        else:
            rounding = np.where(self.ok, block.truth.rounding_errors, 0.0)
            least = block.sum_of_squares(rounding, block.truth.unit)
            there = float((np.repeat(block.weight, block.per_weight) * self.ok).sum())
        lost = max(block.total_weight - there, 0.0)
        self.tally.count(weight=there, lost=lost, squares=squares, least=least)

    def find_extremes(self) -> None:
        """Keep the largest absolute and relative error, if it is in this block."""
        block, truth, known, tally = self.block, self.truth, self.known, self.tally
        m = truth.m
        if self.top * np.max(truth.unit) > tally.bar("abs"):
            absolute = np.where(known > 2 * LITTLE, self.absolute(), 0.0)
            i = int(np.argmax(absolute))
            tally.keep("abs", block.rows([i], absolute[i], self.raw))
        least = 2.0 ** (truth.result.precision - 1)
        if truth.rising is not None:
            least = max(least, min(abs(float(m[0])), abs(float(m[-1]))))
        if self.top / least > tally.bar("rel"):
            some = ~truth.subnormal if self.ok is None else ~truth.subnormal & self.ok
            relative = np.where(some, known / np.abs(m), -1.0)
            i = int(np.argmax(relative))
            if relative[i] >= 0:
                tally.keep("rel", block.rows([i], relative[i], self.raw))

    def list_worst(self) -> None:
        """Keep the largest errors; of equal ones those at both ends of the inputs."""
        known, keep, bar = self.known, self.keep, self.tally.bar("ulp", self.keep)
        if self.top < bar:
            return
        places = np.flatnonzero(known >= bar if self.ok is None else (known >= bar) & self.ok)
        if len(places) > 4 * keep:
            most = known[places]
            places = places[most >= np.partition(most, -keep)[-keep]]
        if len(places) > 2 * keep:
            most = known[places]
            larger, equal = np.flatnonzero(most > most.min()), np.flatnonzero(most == most.min())
            places = places[np.unique(np.concatenate([larger, equal[:keep], equal[-keep:]]))]
        self.tally.keep("ulp", self.block.rows(places, known[places], self.raw), keep)
