"""Results at consecutive float32s judged against the polynomials of `runs`, binade by binade.

Where these do not settle a rounding, a unit or a count, the exact truth does. Where results are all
on the line that the truth rounds to, the ends of the line tell their errors.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic.format_arrays import LITTLE, Array, Floats, ulps
from gelu_cli.old.sweeping.drawn import CHUNK, FAR, NONE_DRAWN, Drawn, cell_weights
from gelu_cli.old.sweeping.judging import Judge, trends
from gelu_cli.old.sweeping.metrics import End, Judged
from gelu_cli.old.sweeping.regions import cell_numbers, cell_starts
from gelu_cli.old.sweeping.runs import (
    BINADE,
    FLOAT32,
    LEAST_NORMAL,
    NO_LINE,
    RUN,
    SIGN_BIT,
    Line,
    Run,
    Side,
)
from gelu_cli.old.sweeping.tally import NO_BAR, Tally, Worst, bar_of, best
from gelu_cli.old.sweeping.truth import LEAST_FLOAT, Question, Truth, Values, errors_of, truth_at

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
        y, want, units = self._y, self._want, self._units
        errors, rests = self._errors(got)
        unsure = self._unsure_of(got, errors)
        if len(unsure):
            y, want, rests = y.copy(), want.copy(), rests.copy()
            exact = self._exactly(unsure)
            errors[unsure], rests[unsure] = exact.ulp_errors(got[unsure].astype(np.float64))
            want[unsure], y[unsure] = exact.want, exact.value
            if np.any(self._units_at(unsure) != (exactly := np.ldexp(1.0, exact.unit_exponent))):
                units = np.broadcast_to(np.asarray(units), y.shape).copy()
                units[unsure] = exactly
        rising = self.truth.rising
        trend: Array | int
        if rising is None:
            doubt = 2 * self.truth.bound * ulps(FLOAT32, y[1:])
            trend = trends(self.question, self._points, got, y, doubt)
        else:  # to the left of 0 patterns go to the left
            trend = -rising if np.signbit(self.x[0]) else rising
        return Judged(self.x, got, y, want, errors, rests, trend, units)

    @property
    def _slopes(self) -> tuple[int, int]:
        return self.truth.slopes

    @cached_property
    def values(self) -> Values:
        """The true values at all of the inputs, to float64 or the bound of the polynomial."""
        truth, y = self.truth, self._y
        if len(self._unsure):
            y = y.copy()
            y[self._unsure] = self._exactly(self._unsure).value
        largest = max(abs(float(y.min())), abs(float(y.max())))
        return Values(y, truth.bound * truth.unit + largest * 2.0**-51 + LEAST_FLOAT)

    @cached_property
    @np.errstate(all="ignore")
    def due(self) -> Truth:
        """The truth at all of the inputs; `error` is the bound of the polynomial.

        What that leaves unsure, a rounding or a unit, is found exactly.
        """
        truth, y, unsure = self.truth, self._y, self._unsure
        units = np.broadcast_to(np.asarray(self._units), y.shape)
        error = truth.bound * truth.unit / units
        if truth.beside:
            multiple, low = (part.copy() for part in self._beside)
        else:
            multiple, low = y / units, np.zeros_like(y)
            unsure = np.union1d(unsure, np.flatnonzero(_from_integer(multiple) >= 0.5 - error))
        due = Truth(multiple, low, np.frexp(units)[1] - 1, self._want.astype(np.float64), error)
        if len(unsure):
            for part, found in zip(due, self._exactly(unsure), strict=True):
                part[unsure] = found
        return due

    def _exactly(self, places: NDArray[np.int64]) -> Truth:
        return truth_at(self.question, self.x[places].astype(np.float64))

    @cached_property
    def _y(self) -> Array:
        return self.truth.values(self.x, self.place)

    @cached_property
    def _want(self) -> Floats:
        number_format = self.question.result
        if number_format is FLOAT32:
            return self._y.astype(np.float32)
        rounded = np.rint(self._y / self._units) * self._units
        beyond = np.abs(rounded) > number_format.largest
        if beyond.any():
            overflow = np.inf if number_format.infinite else np.nan
            rounded[beyond] = np.copysign(overflow, rounded[beyond])
        return rounded.astype(np.float32)

    @cached_property
    def _units(self) -> Array | float:
        """The unit in the last place at each y: one number where y rises or falls in one binade."""
        number_format, y = self.question.result, self._y
        if self.truth.rising is not None and len(y) > 2:
            ends = ulps(number_format, y[:: len(y) - 1])
            if ends[0] == ends[1]:
                return float(ends[0])
        return ulps(number_format, y)

    @cached_property
    def _beside(self) -> tuple[Array, Array]:
        """The line, and how far the form is from it, in units; where that is tiny, its sign."""
        truth, units = self.truth, self._units
        distance = truth.distance(self.place) * (truth.unit / units)
        distance = np.where(distance == 0, truth.side * LITTLE, distance)
        return truth.line.at(self.x) / units, distance

    @cached_property
    def _unsure(self) -> NDArray[np.int64]:
        """Where the truth is within its bound of a power of 2.

        Beside a line that is where a binade begins, or 0: what is half way between two numbers
        there is on a known side of it.
        """
        if self.truth.beside:
            mantissa, _ = np.frexp(self.x[0])
            return np.arange(int(abs(mantissa) in (0, 0.5)))
        share = self.truth.bound * 2.0**-22  # its unit is at most 2⁻²³ of a normal value
        if isinstance(self._units, float):  # between two powers
            ends = np.frexp(self._y[:: len(self._y) - 1])[0]
            if not np.any(_is_near_a_power(ends, share)):
                return NOWHERE
        near = _near_powers(self._y, share)
        return near[np.abs(self._y[near]) > LEAST_NORMAL / 2]

    def _unsure_of(self, got: Floats, errors: Array) -> NDArray[np.int64]:
        """Return where the truth, or the error, is too near to be told from a power of 2.

        A tie is one such error. So is, of results in other formats, what is not what the truth
        seems to round to: the truth is next to a tie, or to the largest number and half a unit.
        """
        bound = self.truth.bound
        if self.truth.beside or np.max(errors) < 0.5 - bound:
            return self._unsure
        near = _near_powers(errors, 2 * bound)
        unsure = [self._unsure, near[errors[near] > 0.5 - bound]]
        if self.question.result is not FLOAT32:
            wrong = np.flatnonzero((got != self._want) | np.isinf(got))
            multiples = self._y[wrong] / self._units_at(wrong)
            unsure.append(wrong[_from_integer(multiples) > 0.5 - bound])
        return np.unique(np.concatenate(unsure))

    def _errors(self, got: Floats) -> tuple[Array, Array]:
        """Return the errors in ULP, and what float64s leave out of them."""
        wide = got.astype(np.float64)
        if self.truth.beside and self.question.result is FLOAT32:
            return self._errors_beside(wide, slice(None))
        errors = np.subtract(wide, self._y, out=wide)
        np.abs(errors, out=errors)
        errors *= 1 / self._units  # a power of 2
        if not self.truth.beside:
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
        line, distance = self._beside
        return errors_of(got / self._units_at(some), line[some], distance[some])

    def _units_at(self, some: Any) -> Array | float:
        return self._units if isinstance(self._units, float) else self._units[some]


def _from_integer(multiples: Array) -> Array:
    return np.abs(multiples - np.rint(multiples))


def _near_powers(numbers: Array, share: float) -> NDArray[np.int64]:
    """Return where numbers are within a share of themselves, at most 2⁻²⁰, of a power of 2."""
    # Of float32s the share is at most 16 steps below a power, and 8 above.
    bits = numbers.astype(np.float32).view(np.int32)
    near = np.flatnonzero((bits + 17) & MANTISSA < 32)
    close: NDArray[np.bool_] = _is_near_a_power(np.frexp(numbers[near])[0], share)
    return near[close]


def _is_near_a_power(mantissa: Array, share: float) -> NDArray[np.bool_]:
    """Return whether a number from ½ to 1, or to −1, is within a share of itself of an end."""
    return np.abs(np.abs(mantissa) - 0.75) >= 0.25 - share


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
    tally.furthest = 0, first.x, first.got, 1.0
    largest = float(max(far))
    for name, sizes, least in (("abs", 1.0, 0.0), ("rel", np.abs(y), LEAST_NORMAL)):
        ranks = np.where(np.abs(y) >= least, far * units / sizes, -1.0)
        if (i := int(np.argmax(ranks))) >= 0 and ranks[i] >= 0:
            tally.farthest[name] = float(ranks[i]), float(ends[i]), float(got[i]), 1.0
    tally.drawn = _drawn_beside(question, truth, place)
    tally.peaks = dict.fromkeys(cell_numbers(FLOAT32, ends[[0]]).tolist(), largest)
    if largest >= bar:
        tally.worst = best(_farthest(truth, line, place, far, units[1], keep), keep)
    return tally


def _drawn_beside(question: Question, truth: Run, place: slice) -> Drawn:
    """Return the squared errors of draws on a line, which are the least ones.

    The distance is smooth: it is taken in the middles of cells with many inputs.
    """
    mean, sigma = question.normal
    ends = truth.inputs(np.array([place.start, place.stop - 1])).astype(np.float64)
    if np.min(ends - mean) > FAR * sigma or np.max(ends - mean) < -FAR * sigma:
        return NONE_DRAWN
    step = RUN // 32 if sigma > 2.0**-6 * np.max(np.abs(ends)) else CHUNK
    cuts = np.minimum(np.arange(place.start, place.stop + step, step), place.stop) - 0.5
    spacing = (ends[1] - ends[0]) / max(place.stop - 1 - place.start, 1)
    edges = ends[0] + (cuts - place.start) * spacing
    cells = edges[:-1], edges[1:]
    weights = cell_weights(sum(cells) / 2, np.abs(np.diff(edges)), cells, question.normal)
    squares = (truth.distance((cuts[1:] + cuts[:-1]) / 2) * truth.unit) ** 2
    found = float(weights @ squares)
    return Drawn(float(np.sum(weights)), found, found)


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


class Float32Judge:
    """Judges results at float32s, a binade at a time.

    >>> from gelu_cli.old.formulas import find_form
    >>> judge = Float32Judge(Question(find_form("relu"), "value", FLOAT32), ftz=False)
    >>> results = BinadeResults(judge, 1, 127, keep=1, so_far=Tally())
    >>> results.take(0, np.array([1.0, 1.0 + 2**-23], np.float32), np.array([1, 1], np.float32))
    >>> results.tally().misrounded
    1
    """

    def __init__(self, question: Question, *, ftz: bool) -> None:
        self.question, self.ftz = question, ftz
        self._sides: dict[int, Side] = {}
        self._latest: tuple[tuple[int, ...], Judge] | None = None

    def on_line(self, sign: int, field: int) -> Run | None:
        """Return the truth on a binade, if it rounds to a line on all of it."""
        whole = self._side(sign).binade(field)
        return whole if whole and whole.settles(slice(0, BINADE), self.ftz) else None

    def judge(self, sign: int, field: int, start: int, x: Floats) -> Judge:
        """Return the judge of inputs from a place of a binade on, all in one run.

        The latest one is kept, for all routines that share its truth.
        """
        inputs = sign, field, start, len(x)
        if self._latest is None or self._latest[0] != inputs:
            number, first = divmod(start, RUN)
            truth, place = self._side(sign).run(field, number), slice(first, first + len(x))
            if truth is None:
                judge = Judge(self.question, x.astype(np.float64), self.ftz)
            else:
                judge = RunJudge(self.question, x, truth, place, self.ftz)
            self._latest = inputs, judge
        return self._latest[1]

    def _side(self, sign: int) -> Side:
        if sign not in self._sides:
            self._sides[sign] = Side(self.question, sign)
        return self._sides[sign]


class BinadeResults:
    """What is found of the results of a routine at the float32s of a binade, in their order.

    Of errors `keep` are kept that are as large as those found so far in the region.
    """

    def __init__(
        self, judge: Float32Judge, sign: int, field: int, keep: int, so_far: Tally
    ) -> None:
        self._judge, self._binade, self._keep = judge, (sign, field), keep
        self._on_line = judge.on_line(sign, field)
        self._tallies = so_far, Tally()
        self._held, self._line = slice(0, 0), NO_LINE
        """Where the latest results were all on the line, and that, with the sign that a 0 has."""

        self._latest = 0, np.zeros(0, np.float32)

    @property
    def judge(self) -> Judge:
        """The judge of the inputs that were taken in last."""
        return self._judge.judge(*self._binade, *self._latest)

    def take(self, start: int, x: Floats, got: Floats) -> None:
        """Take in results at consecutive inputs from a place of the binade on, all in one run."""
        self._latest = start, x
        line = self._on_line and self._on_line.line.met_by(x, got)
        if not line:
            self._add_held()
            self._add(self.judge.tally(got, self._keep, bar_of(self._tallies, self._keep)))
            return
        if self._held.stop != start or str(line) != str(self._line):  # 0 and −0 are equal
            self._add_held()
            self._held = slice(start, start)
        self._held, self._line = slice(self._held.start, start + len(x)), line

    def tally(self) -> Tally:
        """Return the tally of all results that were taken in."""
        self._add_held()
        return self._tallies[1]

    def _add_held(self) -> None:
        """Add the results on the line, cell by cell."""
        truth, start, stop = self._on_line, self._held.start, self._held.stop
        self._held = slice(stop, stop)
        if not truth or start == stop:
            return
        starts = cell_starts(FLOAT32).astype(np.float32).view(np.uint32).astype(np.int64)
        cuts = starts - truth.first % SIGN_BIT
        for ends in pairwise([start, *cuts[(cuts > start) & (cuts < stop)].tolist(), stop]):
            bar = bar_of(self._tallies, self._keep)
            question = self._judge.question
            self._add(on_the_line(question, truth, self._line, slice(*ends), self._keep, bar))

    def _add(self, tally: Tally) -> None:
        self._tallies[1].add(tally, self._keep)
