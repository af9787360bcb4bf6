"""What is found in blocks of judged results, and added up over them.

What is rare (NaN, infinities, the largest errors) is looked for only in blocks where it can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, isinf, isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic.format_arrays import (
    Floats,
    Mask,
    is_native,
    ordinal_distances,
    ulps,
)
from gelu_cli.old.arithmetic.formats import FLOAT64, Format
from gelu_cli.old.sweeping.drawn import NONE_DRAWN, Drawn, drawn
from gelu_cli.old.sweeping.metrics import METRICS, Among, End, Judged
from gelu_cli.old.sweeping.regions import by_cells, size_cells, size_ends
from gelu_cli.old.sweeping.truth import Question

ENDS = [2.0**n for n in range(-1, 64)]
"""Of the buckets of errors in ULP: up to ½, up to 1, up to 2, 4, 8 …; the rest is in one more."""

HISTOGRAM_BUCKETS = len(ENDS) + 1
FAILED = len(ENDS)


class Worst(NamedTuple):
    """A large error: in ULP, at x, of the result got; a Fraction where float64 has no such size."""

    ulp: float | Fraction
    x: float
    got: float
    rest: float = 0.0
    """What a float64 leaves out of it."""

    up: float = 1.0
    """The second input, of a kernel that has two."""

    @property
    def rank(self) -> tuple[float | Fraction, float, float]:
        """What errors are ordered by.

        Of those with the same rest, too small to be told, the one nearest to 0 has the largest,
        or the farthest one where errors come nearer to a limit from below.
        """
        return self.ulp, self.rest, abs(self.x) if self.rest < 0 else -abs(self.x)


def best(entries: list[Worst], keep: int) -> list[Worst]:
    """Return so many of the largest errors, of equal ones those at both ends of their inputs.

    Where float64s do not tell errors apart they go one way: the largest is at an end.
    """
    entries = sorted(entries, key=lambda entry: entry.rank, reverse=True)
    if len(entries) <= keep or entries[keep - 1].rest:
        return entries[:keep]
    least = entries[keep - 1].ulp
    larger = [entry for entry in entries if (entry.ulp, entry.rest) > (least, 0)]
    equal = [entry for entry in entries if (entry.ulp, entry.rest) == (least, 0)]
    left = keep - len(larger)
    return larger + equal[: left - left // 2] + equal[len(equal) - left // 2 :]


class Failure(NamedTuple):
    """A NaN or an infinity where a number is due, or the other way round: at x, the result got."""

    x: float
    got: float
    up: float = 1.0


def first_of_each(failures: Iterable[Failure], keep: int) -> list[Failure]:
    """Return the first `keep` results that are NaN, that are infinite, and that are numbers.

    >>> some = [Failure(1.0, inf), Failure(2.0, inf), Failure(3.0, float("nan"))]
    >>> [each.x for each in first_of_each(some, 1)]
    [1.0, 3.0]
    """
    left = dict.fromkeys(("nan", "inf", "number"), keep)
    found = []
    for each in failures:
        kind = "nan" if isnan(each.got) else "inf" if isinf(each.got) else "number"
        left[kind] -= 1
        if left[kind] >= 0:
            found.append(each)
    return found


NO_BAR = -1.0


def bar_of(tallies: Iterable[Tally], keep: int) -> float | Fraction:
    """Return what further errors have to reach if only the `keep` largest are kept.

    >>> bar_of([Tally(worst=[Worst(2.5, 1.0, 0.5)]), Tally()], keep=1)
    2.5
    """
    full = [tally.worst[-1].ulp for tally in tallies if len(tally.worst) == keep]
    return max(full, default=NO_BAR)


@dataclass
class Tally:
    """Counts and extremes of the errors of results, in the order of their inputs.

    `counts` has what `METRICS` count, by name; each is an attribute as well.

    >>> Tally().counts["misrounded"], Tally().misrounded
    (0, 0)
    """

    inputs: int = 0
    judged: int = 0
    """Finite results where a finite one is due: those that have an error in ULP."""

    sum_ulp: float = 0.0
    counts: dict[str, int] = field(default_factory=lambda: {metric.name: 0 for metric in METRICS})
    histogram: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(HISTOGRAM_BUCKETS, np.int64)
    )
    worst: list[Worst] = field(default_factory=list)
    """The largest errors first; the earlier input where they are equal."""

    failures: list[Failure] = field(default_factory=list)
    furthest: tuple[int, float, float, float] = (-1, 0.0, 0.0, 1.0)
    """The largest ordinal distance, its x, its result, its second input."""

    peaks: dict[Any, float] = field(default_factory=dict)
    """The largest error in ULP in each cell of `sweeping.regions`, infinite where one failed.
    Of pairs that in each square: four numbers, its ends of x and of the second input."""

    ends: tuple[End, End] | None = None

    farthest: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    """The largest absolute error (`abs`), and relative error of a normal number (`rel`): its size,
    its x, its result, its second input."""

    drawn: Drawn = NONE_DRAWN
    """What the errors are for inputs drawn from a normal distribution."""

    first_over: dict[tuple[int, bool], float] = field(default_factory=dict)
    """By the place of a bound in `ENDS` (FAILED for results that fail) and whether x is negative:
    the input nearest to 0 whose error is larger; those of `flushed` are left out."""

    flushed: float = 0.0
    """The largest error next to x = 0 of a result that is 0 where the truth is subnormal."""

    @property
    def listed(self) -> list[Worst | Failure]:
        """The results that are listed one by one."""
        return [*self.worst, *self.failures]

    def __getattr__(self, name: str) -> int:
        counts: dict[str, int] = self.__dict__.get("counts", {})
        if name not in counts:
            raise AttributeError(f"a tally has no '{name}'; it counts {', '.join(counts)}")
        return counts[name]

    def add(self, other: Tally, keep: int) -> None:
        """Add the tally of the inputs that follow, and keep so many of the worst."""
        self.inputs += other.inputs
        self.judged += other.judged
        self.sum_ulp += other.sum_ulp
        for name, number in other.counts.items():
            self.counts[name] += number
        if self.ends and other.ends:
            for metric in METRICS:
                self.counts[metric.name] += metric.between(self.ends[1], other.ends[0])
            self.ends = self.ends[0], other.ends[1]
        self.ends = self.ends or other.ends
        self.histogram = self.histogram + other.histogram
        if len(self.worst) < keep or any(new.rank >= self.worst[-1].rank for new in other.worst):
            self.worst = best(self.worst + other.worst, keep)
        self.failures = first_of_each(self.failures + other.failures, keep)
        self.furthest = max(self.furthest, other.furthest, key=lambda entry: entry[0])
        for cell, peak in other.peaks.items():
            self.peaks[cell] = max(peak, self.peaks.get(cell, 0.0))
        for name, found in other.farthest.items():
            self.farthest[name] = max(
                self.farthest.get(name, found), found, key=lambda each: each[0]
            )
        self.drawn = self.drawn.add(other.drawn)
        self.flushed = max(self.flushed, other.flushed)
        for over, x in other.first_over.items():
            self.first_over[over] = min(x, self.first_over.get(over, x), key=abs)


def tally_of(
    judged: Judged,
    question: Question,
    keep: int,
    bar: float | Fraction = NO_BAR,
    slopes: tuple[int, int] | None = None,
    *,
    in_cells: bool = True,
) -> Tally:
    """Return the tally of a block of results.

    Only errors above the bar are listed. `slopes` are those of the truth at the first and the last
    input; pairs of inputs without are no neighbours of one another. NaN and the infinities lie in
    no cell.
    """
    tally = Tally(inputs=judged.total)
    blocks = {Among.NUMBERS: judged}
    if slopes:
        blocks[Among.NEIGHBOURS] = judged
        tally.ends = _end(judged, 0, slopes[0]), _end(judged, -1, slopes[1])
    largest, heights = float(np.max(judged.errors)), judged.errors
    # Where all errors are below ½, each result is what the truth rounds to.
    if not largest < 0.5 and not (np.isfinite(largest) and np.isfinite(judged.want).all()):
        others, heights = _told_apart(judged, question)
        blocks |= others
        largest = float(np.max(blocks[Among.NUMBERS].errors, initial=0.0))
    tally.counts = counts_of(blocks, largest)
    numbers, failed = blocks[Among.NUMBERS], blocks.get(Among.FAILURES)
    tally.judged = numbers.total
    if tally.judged:
        errors, run = numbers.errors, numbers.run
        tally.sum_ulp = float(errors @ run.ulps if run else np.sum(errors))
        tally.histogram = _histogram(numbers, largest)
        absolute, unit = _absolute(numbers, largest)
        tally.farthest = _farthest(numbers, question.result, absolute, unit)
        tally.furthest = _furthest(numbers, question.result)
        if largest >= bar:
            tally.worst = _worst(numbers, question.result, keep, bar)
        if in_cells:
            tally.first_over, tally.flushed = _first_over(numbers, question, largest)
            tally.drawn = _among_draws(numbers, question, absolute, unit, largest)
    if failed and len(failed.x):
        kinds = np.isnan(failed.got), np.isinf(failed.got), np.isfinite(failed.got)
        first = np.sort(np.concatenate([np.flatnonzero(each)[:keep] for each in kinds]))
        tally.failures = [
            Failure(float(failed.x[i]), float(failed.got[i]), failed.up(i)) for i in first.tolist()
        ]
        if in_cells:
            tally.first_over[FAILED, bool(np.signbit(failed.x[0]))] = float(failed.x[0])
    if in_cells:
        tally.peaks = _peaks(judged, heights, question.dtype)
    return tally


def _peaks(judged: Judged, heights: Floats, dtype: Format) -> dict[Any, float]:
    """Return the largest heights in each cell, or square; those below 0 are none.

    The results that a pair stands for have its error, or one that falls with them where they are 0.
    """
    if not judged.run:
        cells = by_cells(dtype, judged.x)
        found = ((cell, float(heights[start:end].max())) for cell, start, end in cells)
        return {cell: peak for cell, peak in found if peak >= 0}
    seconds: Any = judged.ups
    gates, ups, starts = (size_cells(dtype, x) for x in (judged.x, seconds, judged.run.starts))
    ends = size_ends(dtype)
    peaks = np.full((len(ends), len(ends)), -1.0)
    np.maximum.at(peaks.ravel(), ups * len(ends) + gates, heights)
    many = np.flatnonzero(starts < ups)
    for up in range(starts.min(), ups.max()) if len(many) else ():
        some, top = many[(starts[many] <= up) & (up < ups[many])], max(map(abs, ends[up]))
        fallen = np.frexp(np.nextafter(top, 0))[1] - np.frexp(seconds[some])[1]
        scale = np.where(judged.got[some] == 0, np.ldexp(1.0, fallen), 1.0)
        np.maximum.at(peaks[up], gates[some], heights[some] * scale)
    return {(*ends[x], *ends[up]): float(peaks[up, x]) for up, x in np.argwhere(peaks >= 0)}


def counts_of(blocks: Mapping[Among, Judged], largest: float) -> dict[str, int]:
    """Return what metrics count of results, the largest error of which is known."""
    return {
        metric.name: metric.count(blocks[metric.among])
        if metric.among in blocks and largest >= metric.least
        else 0
        for metric in METRICS
    }


def _end(judged: Judged, index: int, slope: int) -> End:
    x, got, y, *_ = judged
    return End(float(x[index]), float(got[index]), float(y[index]), slope)


def _told_apart(judged: Judged, question: Question) -> tuple[dict[Among, Judged], Floats]:
    """Return results that are numbers, as they should be, those that saturate or fail; all errors.

    These are infinite where a result fails, −1 where there is none.
    """
    _, got, y, want, *_ = judged
    nan = np.isnan(got) != np.isnan(want)
    infinite = (np.isinf(got) | np.isinf(want)) & (got != want)
    saturated = saturates(question, got, y, want)
    number, failed = np.isfinite(got) & np.isfinite(want), (nan | infinite) & ~saturated
    return {
        Among.NUMBERS: judged.only(number),
        Among.SATURATED: judged.only(saturated),
        Among.FAILURES: judged.only(failed),
    }, np.where(number, judged.errors, np.where(failed, inf, -1.0))


def saturates(question: Question, got: Floats, y: Floats, want: Floats) -> Mask:
    """Return which results are the largest number where the truth y rounds to what is beyond it.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> relu, e4m3 = find_form("relu"), FORMATS["float8_e4m3fn"]
    >>> question = Question(relu, "value", FORMATS["float32"], e4m3)
    >>> saturates(question, np.array([448.0]), np.array([1e6]), np.array([np.nan])).tolist()
    [True]
    """
    if not question.may_overflow:
        return np.zeros(got.shape, dtype=bool)
    largest: Mask = (got == np.copysign(question.result.largest, y)) & ~np.isfinite(want)
    # Where the truth is NaN, or an infinity that the format has, that is what is due.
    return largest & (np.isfinite(y) if question.result.infinite else ~np.isnan(y))


def _histogram(numbers: Judged, largest: float) -> NDArray[np.int64]:
    """Count errors up to each end of a bucket that is below the largest, and all."""
    above = [numbers.count(numbers.errors > end) for end in ENDS if end < largest]
    histogram = np.zeros(HISTOGRAM_BUCKETS, np.int64)
    histogram[: len(above) + 1] = -np.diff([numbers.total, *above, 0])
    return histogram


def _absolute(numbers: Judged, largest: float) -> tuple[Floats, float]:
    """Return |got − y| in some unit, and the unit; of errors in ULP beyond float64 as well."""
    if isinstance(numbers.units, float):
        return numbers.errors, numbers.units
    if np.isfinite(largest):
        return numbers.errors * numbers.units, 1.0
    return np.abs(numbers.got - numbers.y), 1.0


def _farthest(
    numbers: Judged, number_format: Format, absolute: Floats, unit: float
) -> dict[str, tuple[float, float, float, float]]:
    """Return the largest absolute error, and relative error of a normal y, each with its inputs."""
    x, got, y, *_ = numbers
    some: Any = slice(None)
    i, least = int(np.argmax(absolute)), 2.0**number_format.emin
    farthest = {"abs": (unit * float(absolute[i]), float(x[i]), float(got[i]), numbers.up(i))}
    # In one binade, where y rises or falls, others are smaller.
    if absolute is numbers.errors and abs(y[i]) >= least:
        some = np.flatnonzero(absolute >= absolute[i] * min(abs(y[0] / y[i]), abs(y[-1] / y[i])))
    sizes = np.abs(y[some])
    relative = np.where(sizes >= least, absolute[some] / sizes, -1.0)
    i = int(np.argmax(relative))
    if relative[i] >= 0:
        size = unit * float(relative[i])
        i = i if isinstance(some, slice) else int(some[i])
        farthest["rel"] = size, float(x[i]), float(got[i]), numbers.up(i)
    return farthest


@np.errstate(all="ignore")
def _among_draws(
    numbers: Judged, question: Question, absolute: Floats, unit: float, largest: float
) -> Drawn:
    """Return the squared errors of draws, and of the least errors that results can have."""
    least = absolute
    if largest >= 0.5 and len(wrong := np.flatnonzero(numbers.got != numbers.want)):
        least, y = absolute.copy(), numbers.y[wrong].astype(np.float64)
        if question.result is FLOAT64:  # whose y does not show the errors
            least[wrong] = np.minimum(absolute[wrong], ulps(FLOAT64, y) / 2)
        else:
            least[wrong] = np.abs(numbers.want[wrong] - y) / unit
    if run := numbers.run:
        some = run.squares > 0
        both = (np.square(unit * each[some]) for each in (absolute, least))
        return Drawn(
            float(np.sum(run.weights)), *(float(run.squares[some] @ each) for each in both)
        )
    weight, *squares = drawn(question.dtype, numbers.x, absolute, least, question.normal)
    return Drawn(weight, *(each * unit * unit for each in squares))


def tiny(question: Question) -> float:
    """Return the size of x below which f(x) ≈ x/2 may be subnormal: four least normal numbers."""
    return 2.0 ** (question.result.emin + 2)


def _first_over(
    numbers: Judged, question: Question, largest: float
) -> tuple[dict[tuple[int, bool], float], float]:
    """Return `Tally.first_over` and `Tally.flushed` of a block."""
    errors, x, left_out = numbers.errors, numbers.x, 0.0
    if abs(x[0]) < tiny(question):
        flushed = (np.abs(x) < tiny(question)) & (numbers.got == 0)
        flushed &= np.abs(numbers.y) < 2.0**question.result.emin
        left_out = float(np.max(errors[flushed], initial=0.0))
        errors = np.where(flushed, 0.0, errors)
        largest = float(np.max(errors))
    negative = bool(np.signbit(x[0]))
    places = (place for place, end in enumerate(ENDS) if end < largest)
    over = {(place, negative): float(x[np.argmax(errors > ENDS[place])]) for place in places}
    return over, left_out


def _worst(numbers: Judged, number_format: Format, keep: int, bar: float | Fraction) -> list[Worst]:
    largest = int(np.argmax(numbers.errors))
    if np.isinf(numbers.errors[largest]):
        beyond = np.isinf(numbers.errors)
        worst = _worst_beyond_float64(numbers.only(beyond), number_format, keep)
        others = numbers.only(~beyond)
        if len(worst) < keep and len(others.x):
            worst += _worst(others, number_format, keep - len(worst), bar)
        return worst
    errors, rests = numbers.errors, numbers.rests
    least = max(float(bar), 0.0)
    found = np.flatnonzero(errors >= least)
    if not least:
        found = found[(errors[found] > 0) | (rests[found] != 0)]
    if not len(found):
        found = np.array([largest])
    if len(found) > keep:
        found = found[errors[found] >= np.partition(errors[found], -keep)[-keep]]
    if len(found) > 2 * keep:  # of equal ones those at both ends
        equal = found[errors[found] == np.min(errors[found])]
        larger = found[errors[found] > np.min(errors[found])]
        equal = equal[rests[equal] >= np.partition(rests[equal], -keep)[-keep]]
        found = np.unique(np.concatenate([larger, equal[:keep], equal[-keep:]]))
    found.sort()
    ups = np.broadcast_to(numbers.ups, numbers.x.shape)
    columns = (numbers.errors, numbers.x, numbers.got, numbers.rests, ups)
    rows = zip(*(part[found].tolist() for part in columns), strict=True)
    return best([Worst(*row) for row in rows], keep)


def _worst_beyond_float64(numbers: Judged, number_format: Format, keep: int) -> list[Worst]:
    exponents = np.maximum(np.frexp(numbers.y)[1] - 1, number_format.emin)
    sizes = np.log2(np.abs(numbers.got)) - exponents  # y is nothing beside them
    found = np.sort(np.argsort(-sizes, kind="stable")[:keep])
    ups = np.broadcast_to(numbers.ups, numbers.x.shape)
    columns = (part[found].tolist() for part in (numbers.x, numbers.got, numbers.y, ups))
    entries = [
        Worst(abs(Fraction(got)) / number_format.ulp(Fraction(y)), x, got, up=up)
        for x, got, y, up in zip(*columns, strict=True)
    ]
    return best(entries, keep)


def _furthest(numbers: Judged, number_format: Format) -> tuple[int, float, float, float]:
    """Return the largest ordinal distance of a result from what is due, its inputs, the result."""
    x, got, want = numbers.x, numbers.got, numbers.want
    if not is_native(number_format, got):  # where distances take long
        wrong = np.flatnonzero(got != want)
        if not len(wrong):
            return 0, float(x[0]), float(got[0]), numbers.up(0)
        x, got, want = x[wrong], got[wrong], want[wrong]
    else:
        wrong = np.arange(len(x))
    distances = ordinal_distances(number_format, got, want)
    i = int(np.argmax(distances))
    return int(distances[i]), float(x[i]), float(got[i]), numbers.up(int(wrong[i]))
