"""Results of a routine judged against the truth, a block of inputs at a time.

Errors in ULP and counts are made for whole arrays; what is rare (NaN, infinities, zeros, the
largest errors) is looked for only in blocks where it can be.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.formats import FLOAT64, Format
from gelu_cli.arithmetic.rounding import Array, Floats
from gelu_cli.arithmetic.ulp import ordinals, ulp_error
from gelu_cli.kernels.inputs import cell_numbers
from gelu_cli.kernels.runs import FLOAT32, Run
from gelu_cli.kernels.tally import HISTOGRAM_BUCKETS, Failure, Tally, Worst
from gelu_cli.kernels.truth import Question, truth_at


class Bar(NamedTuple):
    """What later blocks have to exceed to be of interest: the worst errors found so far."""

    ulp: float | Fraction = -1.0
    ordinal: int = -1


NO_BAR = Bar()
FLOAT32_LEAST = FLOAT32.number(1)
WORTH_LISTING = 2.0**-8
"""An error in ULP that is worth a place among the worst; of smaller ones only the largest is."""


class Judged(NamedTuple):
    """Results beside the truth: inputs, results, true values, what they round to, errors in ULP."""

    x: Floats
    got: Floats
    y: Floats
    want: Floats
    errors: Floats

    def only(self, where: NDArray[np.bool_]) -> Judged:
        """Return some of the results."""
        return Judged(*(part[where] for part in self))


@np.errstate(all="ignore")  # NaN and infinity are what is looked for
def judge(question: Question, x: Array, got: Array, *, keep: int, ftz: bool) -> Tally:
    """Return the tally of results at finite inputs, float64s.

    >>> from gelu_cli.forms import find_form
    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> question = Question(find_form("relu"), "value", FORMATS["bfloat16"])
    >>> x, got = np.array([-1.0, 1.0, 2.0]), np.array([0.0, 1.0078125, 2.0])
    >>> tally = judge(question, x, got, keep=1, ftz=False)
    >>> tally.worst, tally.misrounded
    ([Worst(ulp=1.0, x=1.0, got=1.0078125)], 1)
    """
    truth = truth_at(question, x)
    judged = Judged(x, got, truth.value, truth.want, truth.ulp_errors(got))
    if ftz:
        _flush(judged, question)
    return tally_of(judged, question.number_format, keep, NO_BAR)


def _flush(judged: Judged, question: Question) -> None:
    """Take for right what a machine without subnormal numbers makes of them, too.

    That is 0 for a subnormal result, and for a subnormal input the result at 0.
    """
    x, got, y, want, errors = judged
    least = 2.0**question.number_format.emin
    flushed = (np.abs(y) < least) & (got == 0)
    errors[flushed], want[flushed] = 0.0, 0.0
    small = np.flatnonzero(np.abs(x) < least)
    if len(small):
        at_zero = truth_at(question, 0 * x[small].astype(np.float64))
        others = at_zero.ulp_errors(got[small].astype(np.float64))
        better = others < errors[small]
        errors[small[better]], want[small[better]] = others[better], at_zero.want[better]


@np.errstate(all="ignore")
def judge_at_limits(question: Question, x: Array, got: Array, keep: int) -> Tally:
    """Return the tally of results at NaN, where NaN is due, and at ±∞, where the limit is."""
    number_format = question.number_format
    want = np.array([question.want(point) for point in x.tolist()])
    errors = np.full(x.shape, np.nan)
    for i in np.flatnonzero(np.isfinite(got) & np.isfinite(want)).tolist():
        error = ulp_error(number_format, float(got[i]), Fraction(float(want[i])))
        errors[i] = FLOAT64.exactly(error)
    tally = tally_of(Judged(x, got, want, want, errors), number_format, keep, NO_BAR)
    tally.ends, tally.non_monotone = None, 0  # no neighbours of one another
    tally.peaks = {}
    return tally


@np.errstate(all="ignore")
def judge_run(
    question: Question,
    x: Floats,
    got: Floats,
    truth: Run,
    place: slice,
    keep: int,
    ftz: bool,
    bar: Bar,
) -> Tally:
    """Return the tally of results at consecutive float32s, at some places of a run."""
    if truth.vanishing and not np.any(got):
        return _vanished(x, got, truth, place)
    y = truth.values(x, place)
    errors = np.abs(got - y)
    errors /= _units(y, one_way=truth.rising != 0)
    low, high = 0.5 - truth.bound, 0.5 + truth.bound
    at_power = _begins_with_a_power(x)
    if at_power:  # the truth may be beside another one, where the unit changes
        at_first = truth_at(question, x[:1].astype(np.float64))
        errors[:1] = at_first.ulp_errors(got[:1].astype(np.float64))
    if np.max(errors) < low and not ftz:
        return _all_right(Judged(x, got, y, got, errors), keep, bar, truth.rising)
    want = y.astype(np.float32)
    if at_power:
        want[:1] = at_first.want
    if np.count_nonzero(errors > low) != np.count_nonzero(errors >= high):
        unsure = np.flatnonzero((errors > low) & (errors < high))
        exact = truth_at(question, x[unsure].astype(np.float64))
        errors[unsure] = exact.ulp_errors(got[unsure].astype(np.float64))
        want[unsure] = exact.want
    judged = Judged(x, got, y, want, errors)
    if ftz:
        _flush(judged, question)
    return tally_of(judged, FLOAT32, keep, bar, truth.rising)


def _begins_with_a_power(x: Floats) -> bool:
    mantissa, _ = np.frexp(x[0])
    return bool(abs(mantissa) == 0.5)


def _all_right(judged: Judged, keep: int, bar: Bar, rising: int) -> Tally:
    """Return the tally of results that are all correctly rounded."""
    count = len(judged.x)
    tally = Tally(inputs=count, judged=count, sum_ulp=float(np.sum(judged.errors)))
    tally.non_monotone = _non_monotone(judged, rising)
    tally.ends = _pair(judged, 0), _pair(judged, -1)
    tally.histogram[0] = count
    tally.furthest = 0, float(judged.x[0]), float(judged.got[0])
    largest = float(np.max(judged.errors))
    tally.peaks = _peaks(judged, FLOAT32, largest)
    if largest > bar.ulp:
        tally.worst = _worst(judged, FLOAT32, keep, bar.ulp)
    return tally


def _vanished(x: Floats, got: Floats, truth: Run, place: slice) -> Tally:
    """Return the tally of zeros where the truth is next to nothing, the most at one of the ends."""
    last = len(x) - 1
    at = [slice(place.start + i, place.start + i + 1) for i in (0, last)]
    y = [float(truth.values(x[i : i + 1], one)[0]) for i, one in zip((0, last), at, strict=True)]
    ends = list(zip(got[[0, last]].tolist(), y, strict=True))
    i = last if abs(y[1]) > abs(y[0]) else 0
    most = float(x[i]), float(got[i])
    tally = Tally(inputs=len(x), judged=len(x), ends=(ends[0], ends[1]), furthest=(0, *most))
    largest = max(map(abs, y)) / FLOAT32_LEAST
    tally.worst = [Worst(largest, *most)]
    tally.peaks = dict.fromkeys(cell_numbers(FLOAT32, x[[i]]).tolist(), largest)
    tally.histogram[0] = len(x)
    return tally


def _units(y: Array, one_way: bool) -> Array | float:
    """Return the unit in the last place of a float32 at each y, from the exponent bits of y.

    Where y goes one way and begins and ends in one binade, that is one number.
    """
    if one_way and len(y) > 2:
        ends = np.asarray(_units(y[:: len(y) - 1], one_way=False))
        if ends[0] == ends[1]:
            return float(ends[0])
    power = (y.view(np.int64) & 0x7FF0_0000_0000_0000).view(np.float64)
    return np.maximum(power, 2.0**FLOAT32.emin) * 2.0 ** (1 - FLOAT32.precision)


def tally_of(judged: Judged, number_format: Format, keep: int, bar: Bar, rising: int = 0) -> Tally:
    """Return the tally of a block; `rising` is 1 or −1 where the truth is known to go one way."""
    tally = Tally(inputs=len(judged.x), non_monotone=_non_monotone(judged, rising))
    tally.ends = _pair(judged, 0), _pair(judged, -1)
    tally.sum_ulp = float(np.sum(judged.errors))
    if not (np.isfinite(tally.sum_ulp) and np.isfinite(judged.want).all()):
        judged = _failures(judged, number_format, tally, keep)
        tally.sum_ulp = float(np.sum(judged.errors))
    errors = judged.errors
    tally.judged = len(errors)
    largest = float(np.max(errors, initial=0.0))
    tally.over_half_ulp = int(np.count_nonzero(errors > 0.5))
    tally.over_1_ulp = int(np.count_nonzero(errors > 1)) if largest > 1 else 0
    tally.misrounded = int(np.count_nonzero(judged.got != judged.want))
    zero = judged.got == 0
    if np.any(zero):
        tally.wrong_zero = int(np.count_nonzero(zero & (judged.want != 0)))
    if largest >= 0.5:
        tally.wrong_zero += int(np.count_nonzero(~zero & (judged.want == 0)))
    if largest >= 1:
        tally.wrong_sign = _wrong_signs(judged)
    _fill_histogram(tally, errors)
    if not len(errors):
        return tally
    tally.peaks = _peaks(judged, number_format, largest) | tally.peaks
    if largest > bar.ulp:
        tally.worst = _worst(judged, number_format, keep, bar.ulp)
    if not tally.misrounded:
        tally.furthest = 0, float(judged.x[0]), float(judged.got[0])
    elif 2 * largest + 2 > bar.ordinal or largest >= 2.0 ** (number_format.precision - 2):
        tally.furthest = _furthest(judged, number_format, bar.ordinal)
    return tally


def _pair(judged: Judged, index: int) -> tuple[float, float]:
    return float(judged.got[index]), float(judged.y[index])


def _peaks(judged: Judged, number_format: Format, largest: float) -> dict[int, float]:
    """Return the largest error in each cell; the inputs are in the order of their bits."""
    first, last = cell_numbers(number_format, judged.x[[0, -1]]).tolist()
    if first == last:
        return {first: largest}
    cells = cell_numbers(number_format, judged.x)
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    peaks = np.maximum.reduceat(judged.errors, starts)
    return dict(zip(cells[starts].tolist(), peaks.tolist(), strict=True))


def _non_monotone(judged: Judged, rising: int) -> int:
    """Count the steps from one input to the next that go one way where the truth goes the other."""
    got, y = judged.got, judged.y
    if rising > 0:
        return int(np.count_nonzero(got[1:] < got[:-1]))
    if rising < 0:
        return int(np.count_nonzero(got[1:] > got[:-1]))
    down = (got[1:] < got[:-1]) & (y[1:] > y[:-1])
    up = (got[1:] > got[:-1]) & (y[1:] < y[:-1])
    return int(np.count_nonzero(down | up))


def _failures(judged: Judged, number_format: Format, tally: Tally, keep: int) -> Judged:
    """Count wrong NaNs and infinities, and return the results that are numbers, as they should."""
    got, want = judged.got, judged.want
    nan = np.isnan(got) != np.isnan(want)
    infinite = (np.isinf(got) | np.isinf(want)) & (got != want) & ~nan
    tally.wrong_nan, tally.wrong_inf = int(np.sum(nan)), int(np.sum(infinite))
    tally.peaks = dict.fromkeys(cell_numbers(number_format, judged.x[nan | infinite]).tolist(), inf)
    for i in np.flatnonzero(nan | infinite)[:keep].tolist():
        tally.failures.append(Failure(float(judged.x[i]), float(got[i])))
    return judged.only(np.isfinite(got) & np.isfinite(want))


def _wrong_signs(judged: Judged) -> int:
    got, want = judged.got, judged.want
    opposite = np.signbit(got) != np.signbit(want)
    return int(np.count_nonzero(opposite & (got != 0) & (want != 0)))


def _fill_histogram(tally: Tally, errors: Floats) -> None:
    if not tally.over_1_ulp:
        tally.histogram[0] = len(errors) - tally.over_half_ulp
        tally.histogram[1] = tally.over_half_ulp
        return
    # The exponent of the number before, so that 2ⁿ belongs to the bucket that ends there.
    exponents = (errors.view(np.int64) - 1) >> 52
    buckets = np.clip(exponents - 1021, 0, HISTOGRAM_BUCKETS - 1)
    tally.histogram = np.bincount(buckets, minlength=HISTOGRAM_BUCKETS)


def _worst(judged: Judged, number_format: Format, keep: int, bar: float | Fraction) -> list[Worst]:
    largest = int(np.argmax(judged.errors))
    if np.isinf(judged.errors[largest]):
        return _worst_beyond_float64(judged, number_format, keep)
    found = np.flatnonzero(judged.errors > max(float(bar), WORTH_LISTING))
    if not len(found):
        found = np.array([largest])
    if len(found) > keep:
        found = found[np.argpartition(-judged.errors[found], keep - 1)[:keep]]
    found.sort()
    return [
        Worst(float(judged.errors[i]), float(judged.x[i]), float(judged.got[i]))
        for i in found.tolist()
    ]


def _worst_beyond_float64(judged: Judged, number_format: Format, keep: int) -> list[Worst]:
    some = judged.only(np.isinf(judged.errors))
    exponents = np.maximum(np.frexp(some.y)[1] - 1, number_format.emin)
    sizes = np.log2(np.abs(some.got)) - exponents  # y is nothing beside them
    found = np.sort(np.argsort(-sizes, kind="stable")[:keep])
    columns = (part[found].tolist() for part in (some.x, some.got, some.y))
    return [
        Worst(ulp_error(number_format, got, Fraction(y)), x, got)
        for x, got, y in zip(*columns, strict=True)
    ]


def _furthest(judged: Judged, number_format: Format, bar: int) -> tuple[int, float, float]:
    # Within a factor of two of the truth n ULPs are at most 2n + 2 steps.
    far = judged.errors >= min((bar - 2) / 2, 2.0 ** (number_format.precision - 2))
    far &= judged.got != judged.want
    places = np.flatnonzero(far)
    if not len(places):
        return -1, 0.0, 0.0
    got, want = (ordinals(number_format, part[places]) for part in (judged.got, judged.want))
    # Of float64s it may be more than an int64 holds.
    distance = np.where(got > want, got - want, want - got).view(np.uint64)
    i = int(np.argmax(distance))
    return int(distance[i]), float(judged.x[places[i]]), float(judged.got[places[i]])
