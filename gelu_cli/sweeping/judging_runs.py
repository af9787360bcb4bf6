"""Results at consecutive float32s judged against polynomials, a run at a time.

Where these do not settle a rounding, a unit or a count, the exact truth does.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import frexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.format_arrays import LITTLE, Array, Floats, ulps
from gelu_cli.arithmetic.formats import Format
from gelu_cli.sweeping.judging import Judge
from gelu_cli.sweeping.metrics import End, Judged
from gelu_cli.sweeping.regions import cell_numbers
from gelu_cli.sweeping.runs import FLOAT32, LEAST_NORMAL, RUN, Line, Run
from gelu_cli.sweeping.smoothness import trends
from gelu_cli.sweeping.tally import NO_BAR, Tally, Worst, best
from gelu_cli.sweeping.truth import LEAST_FLOAT, Question, Truth, Values, errors_of, truth_at

NOWHERE = np.zeros(0, np.int64)

MANTISSA = 0x7F_FFFF
"""The bits of a float32 that are 0 in powers of 2."""

SMALL = 2.0**-20
SHOWN = 2.0**-40
"""Errors of results beside a line that are smaller, or nearer to a power of 2, are found with the
digits of the distance from it."""

NO_RESTS = np.zeros(RUN)


class RunJudge(Judge):
    """Judges results at consecutive float32s, `x`, which are at some places of a run.

    The polynomial of the run is found already; what it leaves unsure is found exactly.
    """

    def __init__(self, question: Question, x: Floats, truth: Run, place: slice, ftz: bool) -> None:
        super().__init__(question, x, ftz)
        self.truth = truth
        self.place = place

    def tally(self, got: Floats, keep: int, bar: float | Fraction = NO_BAR) -> Tally:
        """Return the tally of results at all of the inputs."""
        truth, place = self.truth, self.place
        line = truth.line.met_by(self.x, got) if truth.settles(place, self.ftz) else None
        if line:
            return on_the_line(self.question, truth, line, place, keep, bar)
        return super().tally(got, keep, bar)

    def _judged(self, got: Floats) -> Judged:
        question, x, y, want = self.question, self.x, self._y, self._want
        errors, rests = self._errors(got)
        unsure = self._unsure(got, errors)
        if len(unsure):
            y, want, rests = y.copy(), want.copy(), rests.copy()
            exact = truth_at(question, x[unsure].astype(np.float64))
            errors[unsure], rests[unsure] = exact.ulp_errors(got[unsure].astype(np.float64))
            want[unsure], y[unsure] = exact.want, exact.value
        return Judged(x, got, y, want, errors, rests, self._trends(got, y))

    @property
    def _slopes(self) -> tuple[int, int]:
        return self.truth.slopes

    @cached_property
    def values(self) -> Values:
        """The true values at all of the inputs, to float64 or the bound of the polynomial."""
        truth, y = self.truth, self._y
        unsure = self._begins_a_binade if truth.beside else self._near_a_power
        if len(unsure):
            y = y.copy()
            y[unsure] = truth_at(self.question, self.x[unsure].astype(np.float64)).value
        largest = max(abs(float(y.min())), abs(float(y.max())))
        return Values(y, truth.bound * truth.unit + largest * 2.0**-51 + LEAST_FLOAT)

    @cached_property
    @np.errstate(all="ignore")
    def due(self) -> Truth:
        """The truth at all of the inputs; `error` is the bound of the polynomial.

        What that leaves unsure, a rounding or a unit, is found exactly.
        """
        truth, x, y = self.truth, self.x, self._y
        units = np.broadcast_to(np.asarray(self._units), y.shape)
        error = truth.bound * truth.unit / units
        if truth.beside:
            multiple, low = (part.copy() for part in self._beside)
            unsure = self._begins_a_binade
        else:
            multiple, low = y / units, np.zeros_like(y)
            near_tie = np.abs(multiple - np.rint(multiple)) >= 0.5 - error
            unsure = np.union1d(self._near_a_power, np.flatnonzero(near_tie))
        exponent = np.frexp(units)[1] - 1
        due = Truth(multiple, low, exponent, self._want.astype(np.float64), error)
        if len(unsure):
            exact = truth_at(self.question, x[unsure].astype(np.float64))
            for part, found in zip(due, exact, strict=True):
                part[unsure] = found
        return due

    @cached_property
    def _y(self) -> Array:
        return self.truth.values(self.x, self.place)

    @cached_property
    def _want(self) -> Floats:
        if self.question.result is FLOAT32:
            return self._y.astype(np.float32)
        number_format = self.question.result
        rounded = np.rint(self._y / self._units) * self._units
        if np.max(np.abs(rounded)) > number_format.largest:
            beyond = np.abs(rounded) > number_format.largest
            overflow = np.inf if number_format.infinite else np.nan
            rounded[beyond] = np.copysign(overflow, rounded[beyond])
        return rounded.astype(np.float32)

    @cached_property
    def _units(self) -> Array | float:
        return _units(self.question.result, self._y, one_way=self.truth.rising is not None)

    @cached_property
    def _near_a_power(self) -> NDArray[np.int64]:
        """Where the truth is within its bound of a power of 2."""
        share = self.truth.bound * 2.0**-22  # its unit is at most 2⁻²³ of a normal value
        if isinstance(self._units, float):  # between two powers
            ends = (frexp(end)[0] for end in (self._y[0], self._y[-1]))
            if not any(_is_near_a_power(mantissa, share) for mantissa in ends):
                return NOWHERE
        near = _near_powers(self._y, share)
        return near[np.abs(self._y[near]) > LEAST_NORMAL / 2]

    def _errors(self, got: Floats) -> tuple[Array, Array]:
        """Return the errors in ULP, and what float64s leave out of them."""
        truth, units, wide = self.truth, self._units, got.astype(np.float64)
        if truth.beside and self.question.result is FLOAT32:
            return self._errors_beside(wide, slice(None))
        errors = np.subtract(wide, self._y, out=wide)
        np.abs(errors, out=errors)
        errors *= 1 / units  # a power of 2
        if not truth.beside:
            return errors, NO_RESTS[: len(errors)]
        # Of results in other formats few errors show how near to the line the truth is.
        telling = errors < SMALL
        if np.all(telling):
            return self._errors_beside(got.astype(np.float64), slice(None))
        telling[_near_powers(errors, SHOWN)] = True
        places, rests = np.flatnonzero(telling), np.zeros_like(errors)
        some = got[places].astype(np.float64)
        errors[places], rests[places] = self._errors_beside(some, places)
        return errors, rests

    def _errors_beside(self, got: Array, some: Any) -> tuple[Array, Array]:
        """Return the errors, and what float64s leave out, of results at some places of a line."""
        units = self._units if isinstance(self._units, float) else self._units[some]
        line, distance = self._beside
        return errors_of(got / units, line[some], distance[some])

    @cached_property
    def _beside(self) -> tuple[Array, Array]:
        """The line, and how far the form is from it, in units; where that is tiny, its sign."""
        truth, units = self.truth, self._units
        distance = truth.distance(self.place) * (truth.unit / units)
        distance = np.where(distance == 0, truth.side * LITTLE, distance)
        return truth.line.at(self.x) / units, distance

    def _unsure(self, got: Floats, errors: Array) -> NDArray[np.int64]:
        """Return where the truth, or the error, is too near to be told from a power of 2.

        A tie is one such error, and of results in other formats whatever is next to a tie. Beside
        a line all that is exact, but for a power, or 0, with which a binade begins: what is half
        way between two numbers there is on a known side of it.
        """
        truth = self.truth
        if truth.beside:
            return self._begins_a_binade
        if np.max(errors) < 0.5 - truth.bound:
            return self._near_a_power
        near = _near_powers(errors, 2 * truth.bound)
        large = near[errors[near] > 0.5 - truth.bound]
        if self.question.result is not FLOAT32:
            large = np.union1d(large, self._next_to_ties(got))
        return np.union1d(self._near_a_power, large) if len(self._near_a_power) else large

    @property
    def _begins_a_binade(self) -> NDArray[np.int64]:
        """The first input, if it is a power of 2 or 0."""
        mantissa, _ = np.frexp(self.x[0])
        return np.arange(int(abs(mantissa) in (0, 0.5)))

    def _next_to_ties(self, got: Floats) -> NDArray[np.int64]:
        """Return where a result is not what the truth seems to round to, which is next to a tie.

        So it is where the truth is next to the largest number and half a unit.
        """
        wrong = np.flatnonzero((got != self._want) | np.isinf(got))
        units = self._units if isinstance(self._units, float) else self._units[wrong]
        multiples = self._y[wrong] / units
        near: NDArray[np.bool_] = np.abs(multiples - np.rint(multiples)) > 0.5 - self.truth.bound
        return wrong[near]

    def _trends(self, got: Floats, y: Array) -> Array | int:
        """Return which way the truth goes from input to input, or on the whole run."""
        rising, bound = self.truth.rising, self.truth.bound
        if rising is not None:  # to the left of 0 patterns go to the left
            return -rising if np.signbit(self.x[0]) else rising
        doubt = 2 * bound * ulps(FLOAT32, y[1:])
        return trends(self.question, self._points, got, y, doubt)


def _near_powers(numbers: Array, share: float) -> NDArray[np.int64]:
    """Return where numbers are within a share of themselves, at most 2⁻²⁰, of a power of 2."""
    # Of float32s the share is at most 16 steps below a power, and 8 above.
    bits = numbers.astype(np.float32).view(np.int32)
    near = np.flatnonzero((bits + 17) & MANTISSA < 32)
    close: NDArray[np.bool_] = _is_near_a_power(np.frexp(numbers[near])[0], share)
    return near[close]


def _is_near_a_power(mantissa: Any, share: float) -> Any:
    """Return whether a number from ½ to 1, or to −1, is within a share of itself of an end."""
    return abs(abs(mantissa) - 0.75) >= 0.25 - share


@np.errstate(all="ignore")
def on_the_line(
    question: Question, truth: Run, line: Line, place: slice, keep: int, bar: float | Fraction
) -> Tally:
    """Return the tally of results that are all on a line, the truth within ¼ ULP beside it.

    The truth is ever farther from it towards one end, where the largest errors are. No metric
    counts what is right.
    """
    places = np.array([place.start, place.stop - 1])
    ends, count = truth.inputs(places), place.stop - place.start
    y, got = truth.values(ends, places), line.at(ends)
    units = ulps(question.result, y)
    far = np.abs(truth.distance(places)) * (truth.unit / units)
    tally = Tally(count, count, abs(truth.total(place)) * (truth.unit / units[1]))
    if units[0] < units[1]:  # just below the power that the binade begins with
        tally.sum_ulp += far[0] / 2
    tally.histogram[0] = count
    first, last = map(End, ends.tolist(), got.tolist(), y.tolist(), truth.slopes)
    tally.ends = first, last
    tally.furthest = 0, first.x, first.got
    largest = float(max(far))
    tally.peaks = dict.fromkeys(cell_numbers(FLOAT32, ends[[0]]).tolist(), largest)
    if largest >= bar:
        tally.worst = best(_farthest(truth, line, place, far, units[1], keep), keep)
    return tally


def _farthest(
    truth: Run, line: Line, place: slice, far: Array, unit: float, keep: int
) -> list[Worst]:
    """Return where the truth is farthest from the line; if it is on it, a place in each run."""
    start, stop = place.start, place.stop
    first, last = np.abs(truth.distance(np.array([start, stop - 1])))
    if not truth.side:
        places = np.unique([start, *range(-(-start // RUN) * RUN, stop, RUN)])
    elif first >= last:
        places = np.arange(start, min(stop, start + keep))
    else:  # besides, the unit of the first one may be half as large
        places = np.unique([start, *range(max(start, stop - keep), stop)])
    x = truth.inputs(places)
    errors = np.abs(truth.distance(places)) * (truth.unit / unit)
    errors[places == start] = far[0]
    rest = LITTLE if truth.side and not max(far) else 0.0
    columns = errors.tolist(), x.tolist(), line.at(x).tolist()
    return [Worst(*row, rest) for row in zip(*columns, strict=True)]


def _units(number_format: Format, y: Array, one_way: bool) -> Array | float:
    """Return the unit in the last place at each y, from the exponent bits of y.

    Where y goes one way and begins and ends in one binade, that is one number.
    """
    if one_way and len(y) > 2:
        ends = ulps(number_format, y[:: len(y) - 1])
        if ends[0] == ends[1]:
            return float(ends[0])
    return ulps(number_format, y)
