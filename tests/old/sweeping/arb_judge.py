"""A judge of sweeps in Arb: every figure of `gelu sweep` again, from the definitions alone.

It shares no code with the program. The truth y at an input is an exact number and a ball that keeps
its relative accuracy (`tests.truth.arb.split`), so 16 − 10⁻⁵⁶ is known to be below 16. Arrays of
float64s with bounds of their errors settle most questions; what they leave open, balls decide,
whose precision is raised until they do.
"""

from functools import cache
from itertools import pairwise
from math import fsum, inf, isclose, isnan, log2, nan
from typing import NamedTuple

import numpy as np
from flint import arb, ctx

from tests.truth.arb import split

BITS, MOST_BITS, EXACT_BITS = 96, 1 << 13, 4096
SLACK = 2.0**-50
"""More than float64 loses, as a share, in a difference of a result and y in units."""


class Format(NamedTuple):
    """A binary format of IEEE 754 or the OCP: its finite numbers, by pattern."""

    width: int
    precision: int
    emin: int
    largest: float
    beyond: float

    def ordinals(self, numbers):
        """Return the places of finite numbers on the line, which both zeros share."""
        places = np.searchsorted(magnitudes(self), np.abs(numbers))
        return np.where(np.signbit(numbers), -places, places)

    def number(self, bits):
        """Return the number of a pattern in hexadecimal, "0xff80"."""
        assert len(bits) == 2 + self.width // 4
        negative, place = divmod(int(bits, 16), 1 << (self.width - 1))
        numbers = [*magnitudes(self), self.beyond]
        return float(numbers[place] if place < len(numbers) else nan) * (-1 if negative else 1)


FORMATS = {
    "float8_e4m3fn": Format(8, 4, -6, 448.0, nan),
    "float8_e5m2": Format(8, 3, -14, 57344.0, inf),
    "float16": Format(16, 11, -14, 65504.0, inf),
    "bfloat16": Format(16, 8, -126, 255 * 2.0**120, inf),
}


@cache
def magnitudes(number_format):
    """Return the finite numbers ≥ 0 of a format in the order of their patterns."""
    trailing = number_format.precision - 1
    pattern = np.arange(1 << (number_format.width - 1))
    exponent, fraction = pattern >> trailing, pattern & ((1 << trailing) - 1)
    significand = np.where(exponent > 0, fraction + (1 << trailing), fraction).astype(float)
    found = np.ldexp(significand, np.maximum(exponent, 1) - 1 + number_format.emin - trailing)
    return found[found <= number_format.largest]


def halves(number_format, low=-inf, high=inf):
    """Return the inputs of a range from 0 up and those from −0 down."""
    up = magnitudes(number_format)
    return [x[(low <= x) & (x <= high)] for x in (up, -up)]


# Truth


class Truth:
    """A quantity of a form at an input, times a float: exact + rest, a ball that shrinks."""

    __slots__ = ("bits", "exact", "factor", "question", "rest")

    def __init__(self, form, quantity, x, factor=1.0):
        self.question = form, quantity, x
        self.factor = factor
        self.bits = BITS // 2
        self.rest = None
        while self.rest is None or not (self.rest > 0 or self.rest < 0 or self.rest.is_zero()):
            self.refine()

    def refine(self):
        self.bits *= 2
        assert self.bits <= MOST_BITS, f"undecided: {self.question}"
        with ctx.workprec(self.bits):
            exact, rest = split(*self.question)
            self.rest = rest * self.factor
        with ctx.workprec(EXACT_BITS):
            self.exact = exact * self.factor
        if self.rest.is_exact():
            with ctx.workprec(EXACT_BITS):
                self.exact, self.rest = self.exact + self.rest, arb(0)

    @property
    def ball(self):
        with ctx.workprec(self.bits):
            return self.exact + self.rest


def sign(exact, *parts):
    """Return the sign of an exact number plus factors times the rests of truths, for certain."""
    while True:
        with ctx.workprec(max((truth.bits for _, truth in parts), default=BITS)):
            total = sum((factor * truth.rest for factor, truth in parts), arb(0)) + exact
        if total > 0 or total < 0:
            return 1 if total > 0 else -1
        if total.is_zero():
            return 0
        coarsest = min((truth for _, truth in parts if truth.rest.rad() > 0), key=by_bits)
        coarsest.refine()


def by_bits(truth):
    return truth.bits


def side(truth, number, of=1):
    """Return the sign of of·y − number; `number` is a float or an exact ball, `of` is ±1."""
    with ctx.workprec(EXACT_BITS):
        exact = of * truth.exact - number
    return sign(exact, (of, truth))


def power(exponent):
    return arb((1, exponent))


def binade(truth, positive, emin):
    """Return ⌊log₂|y|⌋, or some exponent below emin if it is less than that."""
    ball = positive * truth.ball
    mantissa, exponent = ball.mid().man_exp()
    exponent = int(exponent) + int(mantissa).bit_length() - 1
    share = ball * power(-exponent)
    if exponent < emin - 2 or 1.01 < share < 1.99:
        return exponent
    while side(truth, power(exponent), positive) < 0:
        exponent -= 1
    while side(truth, power(exponent + 1), positive) >= 0:
        exponent += 1
    return exponent


def nearest_float(truth, exact, factor):
    """Return the float64 nearest to an exact number plus a factor times a truth's rest."""
    with ctx.workprec(truth.bits):
        found = float((exact + factor * truth.rest).mid())
    with ctx.workprec(EXACT_BITS):
        midpoints = [(arb(found) + float(np.nextafter(found, end))) / 2 for end in (inf, -inf)]
        above, below = (exact - midpoint for midpoint in midpoints)
    assert sign(above, (factor, truth)) <= 0 <= sign(below, (factor, truth))
    return found


class Table(NamedTuple):
    """The truth at each input of a format, in units of the last place.

    |y| = (high + low)·2^unit, to ± doubt; `want` is y rounded; `step` is the sign of the truth at
    the next input less that at this one.
    """

    x: np.ndarray
    truths: list
    sign: np.ndarray
    unit: np.ndarray
    high: np.ndarray
    low: np.ndarray
    doubt: np.ndarray
    subnormal: np.ndarray
    want: np.ndarray
    step: np.ndarray
    starts: tuple

    @property
    def places(self):
        return {x: place for place, x in enumerate(map(spelled, self.x.tolist()))}

    def only(self, places):
        """Return the truth at the inputs with these places, whose order tells nothing."""
        return Table(*(np.asarray(part)[places] for part in self[:-1]), ())


def spelled(x):
    """Return a float as a key that tells −0 from 0."""
    return float(x).hex()


@cache
def table(form, quantity, dtype, low=-inf, high=inf, result=None, upstream=1.0):
    """Return the truth at the inputs of a range, in the order of the bit patterns."""
    sequences = halves(FORMATS[dtype], low, high)
    x = np.concatenate(sequences)
    truths = [Truth(form, quantity, value, upstream) for value in x.tolist()]
    rows = np.array([in_units(truth, FORMATS[result or dtype]) for truth in truths])
    steps = [step(*pair) for pair in pairwise(truths)]
    return Table(x, truths, *rows.T, np.array([*steps, 0]), (0, len(sequences[0]), len(x)))


def in_units(truth, number_format):
    """Return sign, unit, high, low, doubt, subnormal, want of a `Table` at one input."""
    positive = sign(truth.exact, (1, truth))
    least = number_format.emin - number_format.precision + 1
    if positive == 0:
        return 0, least, 0, 0, 0, True, 0.0
    exponent = binade(truth, positive, number_format.emin)
    unit = max(exponent, number_format.emin) - number_format.precision + 1
    high, low, doubt = in_floats(truth, positive * power(-unit))
    while doubt > 2.0**-40:
        truth.refine()
        high, low, doubt = in_floats(truth, positive * power(-unit))
    count = int(high)
    half = (high - count - 0.5) + low
    up = half > 0
    if abs(half) <= doubt:
        with ctx.workprec(EXACT_BITS):
            where = side(truth, (2 * count + 1) * power(unit - 1), positive)
        up = where > 0 or (where == 0 and count % 2)
    want = float((count + up) * 2.0**unit)
    if want > number_format.largest:
        want = number_format.beyond
    return positive, unit, high, low, doubt, exponent < number_format.emin, positive * want


def in_floats(truth, factor):
    """Return factor·y as a sum of two float64s, and how far it may be off."""
    with ctx.workprec(truth.bits):
        ball = factor * truth.ball
        high = float(ball.mid())
        low = float(ball.mid() - high)
    return high, low, float(ball.rad()) * (1 + SLACK) + abs(low) * SLACK + 2.0**-1000


def step(here, there):
    """Return the sign of the truth there less the truth here."""
    with ctx.workprec(EXACT_BITS):
        exact = there.exact - here.exact
    return sign(exact, (1, there), (-1, here))


def mirror(truth, other):
    """Return s where s times a truth's rest is another's, or 0 if none is known.

    f(x) − x = f(−x), and so f′(x) − 1 = −f′(−x), which `split` has for every form but ELU.
    """
    form, quantity, x = truth.question
    if truth.factor != other.factor:
        return 0
    if x == 0 or form == "elu" or other.question != (form, quantity, -x):
        return 0
    return 1 if quantity == "value" else -1


# Judging


class Error:
    """|got − y|/ulp(y) of a result: exact + factor·rest of the truth."""

    __slots__ = ("exact", "factor", "truth")

    def __init__(self, truth, unit, got):
        above = -side(truth, got)  # the sign of got − y
        with ctx.workprec(EXACT_BITS):
            self.exact = above * (arb(got) - truth.exact) * power(-unit)
            self.factor = -above * power(-unit)
        self.truth = truth

    def over(self, limit):
        """Return whether the error is greater than a limit."""
        with ctx.workprec(EXACT_BITS):
            exact = self.exact - limit
        return sign(exact, (self.factor, self.truth)) > 0

    def exceeds(self, other):
        """Return the sign of this error less the other."""
        with ctx.workprec(EXACT_BITS):
            exact = self.exact - other.exact
        if mirrored := mirror(self.truth, other.truth):
            return sign(exact, (self.factor - mirrored * other.factor, self.truth))
        return sign(exact, (self.factor, self.truth), (-other.factor, other.truth))

    def __float__(self):
        return nearest_float(self.truth, self.exact, self.factor)


class Nothing(NamedTuple):
    """The truth 0, and the error of a result that is right by definition."""

    question: tuple = ("zero", "value", 0.0)
    exact: arb = arb(0)
    rest: arb = arb(0)
    bits: int = BITS
    factor: float = 0.0


class Judgement:
    """What a sweep has to say of the results `got` at the inputs of a table."""

    def __init__(
        self, form, quantity, dtype, got, ftz=False, low=-inf, high=inf, result=None, upstream=1.0
    ):
        self.of_x, self.format = FORMATS[dtype], FORMATS[result or dtype]
        self.table = table(form, quantity, dtype, low, high, result, upstream)
        self.overflow = result is not None or abs(upstream) > 1
        self.exactly = {}
        self.x, self.got = self.table.x, np.asarray(got, float)
        self.judge()
        self.by_jax = self.errors_by_jax(self.table, ftz)
        if ftz:
            zeros = table(form, quantity, dtype, 0.0, 0.0, result, upstream)
            at_zero = self.errors_by_jax(zeros.only(np.signbit(self.x).astype(int)), ftz)
            flushed = (np.abs(self.x) < 2.0**self.of_x.emin) & (self.x != 0)
            self.by_jax[flushed] = np.minimum(self.by_jax, at_zero)[flushed]
            self.forgive(zeros)
        self.bucket = self.buckets()
        self.count()

    def judge(self):
        """Compare results with the truth at their own inputs."""
        t, got = self.table, self.got
        self.judged = np.isfinite(got) & np.isfinite(t.want)
        self.answer = np.where(self.judged, got, 0.0)
        self.points = list(zip(t.truths, t.unit.astype(int).tolist(), strict=True))
        self.error, self.doubt = self.errors(t.sign, t.unit, t.high, t.low, t.doubt)
        want = np.where(self.judged, t.want, 0.0)
        assert np.isin(np.abs(self.answer), magnitudes(self.format)).all()
        places = self.format.ordinals(self.answer), self.format.ordinals(want)
        self.ordinal = np.abs(places[0] - places[1])
        self.wrong_sign = self.judged & (np.sign(got) * t.sign < 0)
        self.wrong_zero = self.judged & ((got == 0) != (want == 0))

    def errors(self, positive, unit, high, low, doubt):
        """Return errors in ULP as float64s, and how far these may be off."""
        ours = np.ldexp(self.answer, -unit.astype(int))
        error = np.abs((ours - positive * high) - positive * low)
        return error, doubt + SLACK * error

    def errors_by_jax(self, t, ftz):
        """Return errors by the rule of JAX's page on accuracy, to nine digits.

        Infinity is one unit beyond the largest number, wherever |y| is in the last binade or above.
        Under flush-to-zero, what is below the least normal number by a least unit or more is 0.
        """
        got, line = self.got, self.format
        error, _ = self.errors(t.sign, t.unit, t.high, t.low, t.doubt)
        unit = np.ldexp(1.0, t.unit.astype(int))
        size, y = np.abs(got), (t.high + t.low) * unit
        if ftz:
            tiny = 2.0**line.emin
            span = tiny * (1 - 2.0 ** (1 - line.precision))
            ours, theirs = (np.maximum(0, each - span) for each in (size, y))
            across = np.sign(got) * t.sign < 0
            contracted = np.where(across, ours + theirs, np.abs(ours - theirs)) / unit
            both = (size < tiny) & (t.subnormal == 1)
            either = (size < tiny) | (t.subnormal == 1) | across
            error = np.where(both, 0, np.where(either, contracted, error))
        last = line.largest - magnitudes(line)[-2]
        end = line.largest + last
        above = np.abs(np.minimum(size, end) - np.minimum(y, end)) / last
        reached = (np.copysign(1, got) == t.sign) & (y >= last * 2 ** (line.precision - 1))
        error = np.where(
            np.isfinite(got) & np.isfinite(t.want), error, np.where(reached, above, inf)
        )
        right = (got == t.want) | (np.isnan(got) & np.isnan(t.want))
        return np.where(~np.isfinite(t.want) & right, 0, np.where(np.isnan(got), inf, error))

    def forgive(self, zeros):
        """Let subnormal results be 0, and subnormal inputs be taken as 0 of their sign."""
        least = 2.0**self.of_x.emin
        flushed = self.judged & (self.got == 0) & (self.table.subnormal == 1)
        for mine in (self.error, self.doubt, self.ordinal, self.wrong_sign, self.wrong_zero):
            mine[flushed] = 0
        for place in np.flatnonzero(flushed):
            self.points[place] = Nothing(), 0
        for place in np.flatnonzero(self.judged & (np.abs(self.x) < least) & (self.x != 0)):
            zero = int(np.signbit(self.x[place]))
            truth, unit = zeros.truths[zero], int(zeros.unit[zero])
            kinder = Error(truth, unit, self.answer[place])
            if kinder.exceeds(self.exact(place)) < 0:
                self.replace(place, truth, zeros.want[zero], unit)

    def replace(self, place, truth, want, unit=0):
        """Judge one result by another truth."""
        self.points[place] = truth, unit
        self.exactly.pop(place, None)
        self.error[place] = float(self.exact(place))
        self.doubt[place] = SLACK * self.error[place]
        places = self.format.ordinals(np.array([self.answer[place], want]))
        self.ordinal[place] = abs(places[0] - places[1])
        self.wrong_sign[place] = self.answer[place] * float(truth.exact) < 0
        self.wrong_zero[place] = (self.answer[place] == 0) != (want == 0)

    def exact(self, place):
        """Return the error of one result, as exact as need be."""
        if place not in self.exactly:
            self.exactly[place] = Error(*self.points[place], self.answer[place])
        return self.exactly[place]

    def buckets(self):
        """Return the least b ≥ −1 with error ≤ 2^b of each result."""
        share, exponent = np.frexp(self.error)
        found = np.where(self.error > 0, np.maximum(exponent, -1), -1)
        off = 4 * self.doubt / np.maximum(self.error, 0.25)
        for place in np.flatnonzero(
            (self.error > 0.4) & ((share - 0.5 <= off) | (1 - share <= off))
        ):
            error = self.exact(place)
            while found[place] > -1 and not error.over(power(int(found[place]) - 1)):
                found[place] -= 1
            while error.over(power(int(found[place]))):
                found[place] += 1
        return found

    def count(self):
        """Count what has no distance, what is misrounded and what steps against the truth."""
        got, want = self.got, self.table.want
        right = (got == want) | (np.isnan(got) & np.isnan(want))
        full = ~np.isfinite(want) & (got == self.table.sign * self.format.largest)
        full &= self.overflow
        self.failed = ~self.judged & ~full & ~right
        self.wrong = {
            "wrong_nan": int(np.sum(self.failed & (np.isnan(got) != np.isnan(want)))),
            "wrong_inf": int(np.sum(self.failed & (np.isnan(got) == np.isnan(want)))),
            **({"saturated": int(np.sum(full))} if self.overflow else {}),
            "wrong_sign": int(np.sum(self.wrong_sign)),
            "wrong_zero": int(np.sum(self.wrong_zero)),
            "misrounded": int(np.sum(self.judged & (self.ordinal > 0))),
            "non_monotone": self.steps(),
        }  # fmt: skip

    def steps(self):
        """Count the steps of the result against the truth's; NaN makes no step."""
        found = 0
        for first, end in pairwise(self.table.starts):
            ours, truth = self.got[first:end], self.table.step[first : max(end - 1, first)]
            up, down = ours[1:] > ours[:-1], ours[1:] < ours[:-1]
            found += int(np.sum((up & (truth <= 0)) | (down & (truth >= 0))))
        return found

    def worst_of(self, places):
        """Return the places, among some, of the largest error."""
        places = places[self.judged[places]]
        if not len(places):
            return []
        error, doubt = self.error[places], self.doubt[places]
        near = places[error + doubt >= np.max(error - doubt)]
        near, zeros = near[self.doubt[near] > 0], near[self.doubt[near] == 0]
        if not any(self.exact(place).over(0) for place in near):
            return [*near, *zeros]
        best = [near[0]]
        for place in near[1:]:
            over = self.exact(place).exceeds(self.exact(best[0]))
            if over > 0:
                best = []
            if over >= 0:
                best.append(place)
        return best

    def mean(self, places):
        """Return the mean error to 12 digits or more, or None if nothing was judged."""
        places = places[self.judged[places]]
        if not len(places):
            return None
        errors = self.error[places]
        if fsum(self.doubt[places]) > 1e-12 * fsum(errors):
            errors = [float(self.exact(place)) for place in places]
        return fsum(errors) / len(places)


# The program's tables


class Comparison:
    """What the program's tables say otherwise than a judgement, as lines of text."""

    def __init__(self, judgement, views, keep):
        self.mine = judgement
        self.lines = []
        (summary,) = views["summary"]
        self.summary(summary)
        self.regions(views["regions"])
        self.histogram(views["histogram"])
        self.worst(views["worst"], keep)

    def same(self, what, program, mine):
        if program != mine:
            self.lines.append(f"{what}: {program} by the program, {mine} by the judge")

    def tallied(self, what, row, places):
        """Compare what the summary has in common with the rows of the regions."""
        mine = self.mine
        self.same(f"{what}: inputs", int(row["inputs"]), len(places))
        over_1 = int(np.sum(mine.judged[places] & (mine.bucket[places] > 0)))
        self.same(f"{what}: over_1_ulp", int(row["over_1_ulp"]), over_1)
        best = mine.worst_of(places)
        self.same(f"{what}: has max_ulp", row["max_ulp"] != "", bool(best))
        if not best:
            self.same(f"{what}: nothing is judged", (row["max_ulp_x"], row["mean_ulp"]), ("", ""))
            return
        self.same(f"{what}: max_ulp", float(row["max_ulp"]), float(mine.exact(best[0])))
        self.at(f"{what}: max_ulp_x", row["max_ulp_x"], best)
        mean, printed = mine.mean(places), row["mean_ulp"]
        if not is_rounded(printed, mean):
            self.lines.append(f"{what}: mean_ulp: {printed} by the program, {mean!r} by the judge")

    def at(self, what, printed, places):
        """See that an input is one of those at which a maximum is."""
        inputs = [spelled(self.mine.x[place]) for place in places]
        if spelled(printed) not in inputs:
            few = [float(self.mine.x[place]) for place in places[:3]]
            more = f" and {len(places) - 3} more" if len(places) > 3 else ""
            self.lines.append(f"{what}: {printed} by the program, {few}{more} by the judge")

    def bits(self, what, row, column):
        """See that a number is that of the pattern beside it."""
        number_format = self.mine.format if column in ("got", "want") else self.mine.of_x
        number = number_format.number(row[f"{column}_bits"])
        self.same(f"{what}: {column}_bits", spelled(number), spelled(row[column]))

    def summary(self, row):
        mine, every = self.mine, np.arange(len(self.mine.x))
        self.tallied("summary", row, every)
        self.same("summary: exhaustive", row["exhaustive"], "yes")
        by_jax = float(np.max(mine.by_jax))
        if not isclose(float(row["max_ulp_jax"]), by_jax, rel_tol=1e-9):
            self.same("summary: max_ulp_jax", row["max_ulp_jax"], by_jax)
        half = int(np.sum(mine.judged & (mine.bucket > -1)))
        self.same("summary: over_half_ulp", int(row["over_half_ulp"]), half)
        for name, count in mine.wrong.items():
            self.same(f"summary: {name}", int(row[name]), count)
        if mine.judged.any():
            largest = int(np.max(mine.ordinal[mine.judged]))
            self.same("summary: max_ordinal", int(row["max_ordinal"]), largest)
            self.at("summary: max_ordinal_x", row["max_ordinal_x"],
                    np.flatnonzero(mine.judged & (mine.ordinal == largest)))  # fmt: skip
            self.bits("summary", row, "max_ulp_x")

    def regions(self, rows):
        """Regions are ranges of |x|, the lower end belonging to them, of one sign each."""
        taken = np.zeros(len(self.mine.x), int)
        for row in rows:
            low, high = float(row["low"]), float(row["high"])
            down = np.signbit(high) or high < 0
            ends = (-high, -low) if down else (low, high)
            size = np.abs(self.mine.x)
            inside = (np.signbit(self.mine.x) == down) & (size >= ends[0]) & (size < ends[1])
            self.tallied(f"region {row['low']} to {row['high']}", row, np.flatnonzero(inside))
            taken += inside
        if not np.all(taken == 1):
            self.lines.append(f"regions: {int(np.sum(taken != 1))} inputs are not in just one")

    def histogram(self, rows):
        """Buckets go up to a power of 2 from half of it, the first from 0; one may have no end."""
        buckets = self.mine.bucket[self.mine.judged]
        for row in rows:
            low, high = float(row["low"]), float(row["high"])
            first, last = (log2(end) if end else -inf for end in (low, high))
            if not (high == 2 * low or high == inf or (low, high) == (0, 0.5)):
                self.lines.append(f"histogram: no bucket is from {low} to {high}")
            count = int(np.sum((buckets > first) & (buckets <= last)))
            self.same(f"histogram: {low} to {high}", int(row["count"]), count)
        self.same("histogram: in all", sum(int(row["count"]) for row in rows), len(buckets))

    def worst(self, rows, keep):
        """See that failures come first, then errors in descending order, and none is left out.

        Equal errors may be in any order.
        """
        mine, where = self.mine, self.mine.table.places
        places = [where.get(spelled(row["x"])) for row in rows]
        self.same("worst: places listed once", len(set(places) - {None}), len(rows))
        if None in places:
            return
        for row, place in zip(rows, places, strict=True):
            self.worst_row(row, place)
        failed = [place for place in places if mine.failed[place]]
        self.same("worst: failures", len(failed), min(keep, int(np.sum(mine.failed))))
        self.same("worst: failures come first", places[: len(failed)], failed)
        listed = places[len(failed) :]
        for two in pairwise(listed):
            if mine.exact(two[1]).exceeds(mine.exact(two[0])) > 0:
                self.lines.append(f"worst: not in order at x = {[float(mine.x[p]) for p in two]}")
        if left_out := [float(mine.x[p]) for p in self.left_out(listed, keep - len(failed))]:
            self.lines.append(f"worst: {len(left_out)} are left out: {left_out[:3]}")

    def left_out(self, listed, room):
        """Yield the places of errors that should be among those listed, of which there is room."""
        mine = self.mine
        others = np.setdiff1d(np.flatnonzero(mine.judged & (mine.doubt > 0)), listed)
        if len(listed) < room:
            yield from (place for place in others if mine.exact(place).over(0))
        elif listed:
            last = mine.error[listed[-1]] - mine.doubt[listed[-1]]
            near = others[mine.error[others] + mine.doubt[others] >= last]
            least = mine.exact(listed[-1])
            yield from (place for place in near if mine.exact(place).exceeds(least) > 0)

    def worst_row(self, row, place):
        mine, what = self.mine, f"worst: x = {row['x']}"
        want, got = float(mine.table.want[place]), float(mine.got[place])
        truth = mine.table.truths[place]
        for column in ("x", "got", "want"):
            self.bits(what, row, column)
        self.same(f"{what}: got", spelled(row["got"]), spelled(got))
        self.same(f"{what}: want", spelled(abs(float(row["want"]))), spelled(abs(want)))
        if mine.table.sign[place] and not isnan(want):
            self.same(f"{what}: want's sign", np.signbit(float(row["want"])), np.signbit(want))
        exact = nearest_float(truth, truth.exact, arb(1))
        self.same(f"{what}: exact", float(row["exact"]), exact)
        if mine.failed[place]:
            self.same(f"{what}: ulp, ordinal", (row["ulp"], row["ordinal"]), ("", ""))
        else:
            self.same(f"{what}: ulp", float(row["ulp"]), float(mine.exact(place)))
            self.same(f"{what}: ordinal", int(row["ordinal"]), int(mine.ordinal[place]))


def is_rounded(printed, number):
    """Return whether a printed number is one known to 12 digits, rounded to the digits printed."""
    if not float(printed):
        return number == 0
    digits, _, exponent = printed.lower().partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    return abs(float(printed) - number) <= unit / 2 + number * 1e-12
