"""Results of a routine judged against the truth, a block of inputs at a time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.rounding import Array, Floats
from gelu_cli.arithmetic.ulp import ulp_error, ulps
from gelu_cli.kernels.metrics import Among, Judged
from gelu_cli.kernels.regions import cell_numbers
from gelu_cli.kernels.runs import FLOAT32, Run
from gelu_cli.kernels.tally import Bar, Tally, Worst, counts_of, tally_of
from gelu_cli.kernels.truth import Question, truth_at

FLOAT32_LEAST = FLOAT32.number(1)
ALL_RIGHT = (Among.NUMBERS, Among.NEIGHBOURS)
"""What metrics look at in a block where nothing fails."""


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
    return tally_of(judged, question.number_format, keep)


def _flush(judged: Judged, question: Question) -> None:
    """Take for right what a machine without subnormal numbers makes of them, too.

    That is 0 for a subnormal result, and for a subnormal input the result at 0.
    """
    x, got, y, want, errors, _ = judged
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
    return tally_of(Judged(x, got, want, want, errors), number_format, keep, on_the_line=False)


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
        return tally_of(Judged(x, got, y, got, errors, truth.rising), FLOAT32, keep, bar)
    want = y.astype(np.float32)
    if at_power:
        want[:1] = at_first.want
    if np.count_nonzero(errors > low) != np.count_nonzero(errors >= high):
        unsure = np.flatnonzero((errors > low) & (errors < high))
        exact = truth_at(question, x[unsure].astype(np.float64))
        errors[unsure] = exact.ulp_errors(got[unsure].astype(np.float64))
        want[unsure] = exact.want
    judged = Judged(x, got, y, want, errors, truth.rising)
    if ftz:
        _flush(judged, question)
    return tally_of(judged, FLOAT32, keep, bar)


def _begins_with_a_power(x: Floats) -> bool:
    mantissa, _ = np.frexp(x[0])
    return bool(abs(mantissa) == 0.5)


def _vanished(x: Floats, got: Floats, truth: Run, place: slice) -> Tally:
    """Return the tally of zeros where the truth is next to nothing, the most at one of the ends."""
    last = len(x) - 1
    at = [slice(place.start + i, place.start + i + 1) for i in (0, last)]
    y = [float(truth.values(x[i : i + 1], one)[0]) for i, one in zip((0, last), at, strict=True)]
    first_end, last_end = zip(got[[0, last]].tolist(), y, strict=True)
    i = last if abs(y[1]) > abs(y[0]) else 0
    most = float(x[i]), float(got[i])
    largest = max(map(abs, y)) / FLOAT32_LEAST
    zero = np.broadcast_to(0.0, x.shape)
    judged = Judged(x, got, zero, got, zero, rising=1)  # either way: zeros do not step
    tally = Tally(len(x), len(x), counts=counts_of(dict.fromkeys(ALL_RIGHT, judged), largest))
    tally.histogram[0] = len(x)
    tally.ends = first_end, last_end
    tally.furthest = 0, *most
    tally.worst = [Worst(largest, *most)]
    tally.peaks = dict.fromkeys(cell_numbers(FLOAT32, x[[i]]).tolist(), largest)
    return tally


def _units(y: Array, one_way: bool) -> Array | float:
    """Return the unit in the last place of a float32 at each y, from the exponent bits of y.

    Where y goes one way and begins and ends in one binade, that is one number.
    """
    if one_way and len(y) > 2:
        ends = np.asarray(_units(y[:: len(y) - 1], one_way=False))
        if ends[0] == ends[1]:
            return float(ends[0])
    return ulps(FLOAT32, y)
