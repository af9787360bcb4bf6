"""One judge: results of a kernel in one region, into a tally.

All errors are in units of the last place of the exact values. If all are below ½ every result is
correctly rounded, and nothing else is looked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from gelu_cli.accuracy.profile import BOUNDS, over_bounds
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Place, cells_of
from gelu_cli.accuracy.tally import ROW, Extreme, Rows, Tally
from gelu_cli.accuracy.truth import Indices, Truth
from gelu_cli.numbers.cells import Floats, Mask
from gelu_cli.numbers.formats import LITTLE
from gelu_cli.numbers.patterns import ordinal_distances

MANTISSA = (1 << 52) - 1


class Block:
    """Inputs of one region in the order of bit patterns, and the truth there.

    Parameters
    ----------
    x, up
        The inputs; `up` is 1 for kernels of one input.
    weight
        How likely a draw rounds to each input, or to each of as many inputs in a row as there are
        inputs to a weight; empty if no draw does.
    flushed
        The truth for subnormal inputs that are flushed to 0; None to flush nothing.
    """

    def __init__(
        self,
        question: Question,
        place: Place,
        x: Any,
        truth: Truth,
        weight: Floats,
        up: Any = 1.0,
        flushed: list[Truth] | None = None,
    ) -> None:
        self.question, self.place, self.x, self.truth, self.up = question, place, x, truth, up
        self.weight, self.flushed = weight, flushed

    def truth_for(self, got: Floats) -> Truth:
        """Return the truth that results are measured against."""
        return self.truth if self.flushed is None else self.truth.nearest(got, self.flushed)

    @cached_property
    def least_squares(self) -> float:
        """Σ weight·error² of correctly rounded results."""
        return self.sum_of_squares(self.truth.rounding_errors, self.truth.unit)

    def sum_of_squares(self, errors: Floats, unit: Any) -> float:
        """Return Σ weight·error² of absolute errors, from errors in units."""
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

    def extreme(self, size: Any, i: int, got: Floats) -> Extreme:
        """Return the error of one result as an extreme."""
        return Extreme(float(size), float(self.x[i]), self.up_of(i), float(got[i]))

    def rows(self, indices: Indices, ulp: Any, got: Floats) -> Rows:
        """Return results as rows of a tally."""
        found = np.empty(len(indices), ROW)
        found["ulp"], found["x"], found["got"] = ulp, self.x[indices], got[indices]
        found["up"] = self.up[indices] if isinstance(self.up, np.ndarray) else self.up
        return found


@np.errstate(all="ignore")  # NaN and infinity are what is looked for
def judge(block: Block, results: Any, tally: Tally, keep: int) -> Floats:
    """Add results to a tally."""
    got = results.astype(np.float64)
    truth = block.truth_for(got)
    step = got / truth.unit
    step -= truth.m
    errors: Floats = np.abs(step if truth.low is None else step - truth.low)
    top, count = float(errors.max()), len(errors)
    tally.count("inputs", count)
    ok = None
    if truth.beyond is not None or not np.isfinite(got).all():
        ok = _numbers(block, got, errors, tally, keep)
        top = float(np.max(errors, initial=-1.0, where=ok))
        if ok.all():
            ok = None
    known = errors if ok is None else np.where(ok, errors, 0.0)
    wrong_signs: Indices = np.zeros(0, np.int64)
    if top >= 0.5:
        _raise_above_bounds(truth, step, known)
        wrong_signs = _count_wrong(block, truth, got, known, ok, tally, keep)
    heights = known if ok is None else np.where(ok, known, errors)
    if top >= 0.5 or ok is not None:
        _over_bounds(block, truth, got, heights, wrong_signs, tally)
    judged = count if ok is None else int(np.count_nonzero(ok))
    tally.count("judged", judged)
    cells, starts = block.cells
    peaks = np.fmax.reduceat(heights, starts) if len(starts) > 1 else np.fmax.reduce(heights)
    tally.peaks[cells] = np.fmax(tally.peaks[cells], peaks)
    tally.sums += float(known.sum()), *_drawn(block, truth, got, known, ok)
    if judged:
        _extremes(block, truth, got, known, ok, tally)
        _list_worst(block, got, known, ok, tally, keep)
    return errors


def _numbers(block: Block, got: Floats, errors: Floats, tally: Tally, keep: int) -> Mask:
    """Count wrong NaN and infinities; return a mask of numbers."""
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
    tally.count("saturated", np.count_nonzero(saturated))
    nan = np.isnan(got) != np.isnan(want)
    for name, some in (("wrong_nan", failed & nan), ("wrong_inf", failed & ~nan)):
        tally.count(name, np.count_nonzero(some))
        tally.list_failures(name, block.rows(np.flatnonzero(some)[:keep], np.inf, got), keep)
    return ok


def _raise_above_bounds(truth: Truth, step: Floats, known: Floats) -> None:
    """Raise errors of a power of 2 by one float64 if they are more than that."""
    if truth.low is None:
        return
    at = np.flatnonzero((known.view(np.int64) & MANTISSA == 0) & (truth.low != 0) & (known >= 0.5))
    more = step[at] * truth.low[at] < 0
    known[at[more]] = np.nextafter(known[at[more]], np.inf)


def _over_bounds(
    block: Block, truth: Truth, got: Floats, errors: Floats, wrong_signs: Indices, tally: Tally
) -> None:
    """Find the inputs over bounds, unless some nearer to 0 are known."""
    plain = not len(wrong_signs) and float(np.min(truth.unit)) > 2.0**truth.result.least_exponent
    reached = np.searchsorted(BOUNDS, float(np.max(errors)))  # NaN is behind all
    if plain and np.all(tally.over.errors[:reached] <= abs(float(block.x[0]))):
        return
    over = errors.copy()
    over[wrong_signs] = np.inf
    tally.over = tally.over.add(over_bounds(block.x, over, (got == 0) & truth.subnormal))


def _count_wrong(
    block: Block, truth: Truth, got: Floats, known: Floats, ok: Mask | None, tally: Tally, keep: int
) -> Indices:
    """Count errors from ½ ULP on; return the results of the wrong sign."""
    tally.count("over_half_ulp", np.count_nonzero(known > 0.5))
    tally.count("over_1_ulp", np.count_nonzero(known > 1))
    want = truth.want
    wrong = got != want if ok is None else (got != want) & ok
    places = np.flatnonzero(wrong)
    tally.count("misrounded", len(places))
    if not len(places):
        return places
    mine, right = got[places], want[places]
    tally.count("wrong_zero", np.count_nonzero((mine == 0) != (right == 0)))
    y = truth.m[places]
    if truth.low is not None:
        y = np.where(y == 0, truth.low[places], y)
    other = np.flatnonzero((np.signbit(mine) != np.signbit(y)) & (mine != 0) & (y != 0))
    tally.count("wrong_sign", len(other))
    some = places[other[:keep]]
    tally.list_failures("wrong_sign", block.rows(some, known[some], got), keep)
    if 2 * float(known.max()) + 2 >= tally.size_of("ordinal"):
        apart = ordinal_distances(truth.result, mine, right)
        i = int(np.argmax(apart))
        tally.take_extreme("ordinal", block.extreme(apart[i], int(places[i]), got))
    return places[other]


def _absolute(truth: Truth, got: Floats, known: Floats) -> Floats:
    """Return absolute errors, also of those that are beyond float64 in ULP."""
    found: Floats = known * truth.unit
    return (
        np.where(np.isinf(known), np.abs(got - truth.y), found) if np.isinf(known).any() else found
    )


def _drawn(
    block: Block, truth: Truth, got: Floats, known: Floats, ok: Mask | None
) -> tuple[float, float, float, float]:
    """Sum weights of numbers, of other results, squares and least squares."""
    weight = block.weight
    if not len(weight):
        return 0.0, 0.0, 0.0, 0.0
    each = len(known) // len(weight)
    total = float(weight.sum()) * each
    if isinstance(truth.unit, float):
        squares = block.sum_of_squares(known, truth.unit)
    else:
        squares = block.sum_of_squares(_absolute(truth, got, known), 1.0)
    if ok is None:
        return total, 0.0, squares, block.least_squares
    least = block.sum_of_squares(np.where(ok, block.truth.rounding_errors, 0.0), block.truth.unit)
    there = float((np.repeat(weight, each) * ok).sum())
    return there, max(total - there, 0.0), squares, least


def _extremes(
    block: Block, truth: Truth, got: Floats, known: Floats, ok: Mask | None, tally: Tally
) -> None:
    """Find the largest absolute and relative error, if it can be here."""
    unit, top = truth.unit, float(known.max())
    if top * np.max(unit) > tally.size_of("abs"):
        absolute = np.where(known > 2 * LITTLE, _absolute(truth, got, known), 0.0)
        i = int(np.argmax(absolute))
        tally.take_extreme("abs", block.extreme(absolute[i], i, got))
    m = truth.m
    least = 2.0 ** (truth.result.precision - 1)
    if truth.rising is not None:
        least = max(least, min(abs(float(m[0])), abs(float(m[-1]))))
    if top / least > tally.size_of("rel"):
        some = ~truth.subnormal if ok is None else ~truth.subnormal & ok
        relative = np.where(some, known / np.abs(m), -1.0)
        i = int(np.argmax(relative))
        if relative[i] >= 0:
            tally.take_extreme("rel", block.extreme(relative[i], i, got))


def _list_worst(
    block: Block, got: Floats, known: Floats, ok: Mask | None, tally: Tally, keep: int
) -> None:
    """List the largest errors; of equal ones those at both ends of the inputs."""
    bar = tally.bar(keep)
    if float(known.max()) < bar:
        return
    places = np.flatnonzero(known >= bar if ok is None else (known >= bar) & ok)
    if len(places) > 4 * keep:
        most = known[places]
        places = places[most >= np.partition(most, -keep)[-keep]]
    if len(places) > 2 * keep:
        most = known[places]
        larger, equal = np.flatnonzero(most > most.min()), np.flatnonzero(most == most.min())
        places = places[np.unique(np.concatenate([larger, equal[:keep], equal[-keep:]]))]
    tally.list_worst(block.rows(places, known[places], got), keep)
