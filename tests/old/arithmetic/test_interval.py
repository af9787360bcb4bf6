"""Enclosures hold the truth, and are narrow enough to round by."""

from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import libmp

from gelu_cli.old.arithmetic.interval import Interval, IntervalArithmetic
from tests.old.arithmetic.expressions import FUNCTIONS, NUMBERS, STEPS, Truth, expressions
from tests.old.every import every
from tests.truth.mpmath import M, ratio

PRECISIONS = st.sampled_from([12, 53, 85, 200])


def ends_of(interval):
    return [Fraction(*libmp.to_rational(end)) for end in (interval.low, interval.high)]


def holds(interval, number):
    low, high = M.make_mpf(interval.low), M.make_mpf(interval.high)
    return low <= number <= high


@given(NUMBERS, expressions, PRECISIONS)
def test_whatever_is_computed_the_truth_is_inside(x, steps, precision):
    a, truth = IntervalArithmetic(precision), Truth()
    enclosure, number = a.rational(x), ratio(x)
    assert holds(enclosure, number)
    for step, y in steps:
        assume(abs(number) < 1000 and y != 0)
        enclosure = STEPS[step](a, enclosure, a.rational(y))
        number = STEPS[step](truth, number, ratio(y))
        assert holds(enclosure, number), step


@every("name", FUNCTIONS)
@given(x=st.floats(-700, 700) | st.floats(-1e-3, 1e-3), precision=PRECISIONS)
def test_a_function_is_enclosed_to_its_last_bits(name, x, precision):
    a = IntervalArithmetic(precision)
    end = libmp.from_float(x)
    y = FUNCTIONS[name](a, Interval(end, end, precision))
    low, high = M.make_mpf(y.low), M.make_mpf(y.high)
    assert high - low <= abs(low) * M.mpf(2) ** (4 - precision)
    assert low <= FUNCTIONS[name](Truth(), M.mpf(x)) <= high


ENDS = [Fraction(n, 3) for n in (-7, -1, 0, 2, 5)]
INTERVALS = [(low, high) for low in ENDS for high in ENDS if low <= high]


def hull(pair):
    a = IntervalArithmetic(60)
    return Interval(a.rational(pair[0]).low, a.rational(pair[1]).high, 60)


def assert_tight(y, low, high):
    """The ends of an enclosure are those of the results, to its precision."""
    room = (abs(Fraction(low)) + abs(Fraction(high))) / 2**55
    least, greatest = ends_of(y)
    assert low - room <= least <= low
    assert high <= greatest <= high + room


@every("x", INTERVALS)
def test_products_and_quotients_of_intervals_of_every_sign(x):
    for y in INTERVALS:
        products = [p * q for p in x for q in y]
        assert_tight(hull(x) * hull(y), min(products), max(products))
        quotient = hull(x) / hull(y)
        if y[0] <= 0 <= y[1]:
            assert not (finite(quotient.low) and finite(quotient.high))
            assert x[0] < 0 or y[0] < 0 or libmp.mpf_sign(quotient.low) >= 0 or y == (0, 0)
        else:
            quotients = [p / q for p in x for q in y]
            assert_tight(quotient, min(quotients), max(quotients))


@every("x", INTERVALS)
def test_powers_of_intervals_of_every_sign(x):
    for power in (1, 2, 3, 4):
        ends = [p**power for p in x]
        low = 0 if power % 2 == 0 and x[0] <= 0 <= x[1] else min(ends)
        assert_tight(hull(x) ** power, low, max(ends))
        if not x[0] <= 0 <= x[1]:
            assert_tight(hull(x) ** -power, 1 / max(ends), 1 / low)
    assert_tight(abs(hull(x)), 0 if x[0] <= 0 <= x[1] else min(map(abs, x)), max(map(abs, x)))


def test_nothing_is_known_of_what_has_no_bounds():
    """0·∞ and ∞/∞ may be anything; what is certain about an unbounded interval is kept."""
    a = IntervalArithmetic(30)
    above_one = Interval(libmp.fone, libmp.finf, 30)
    anything = hull((Fraction(-1), Fraction(1))) / hull((Fraction(-1), Fraction(1)))
    for y in (anything, anything * 0, anything - anything, above_one / above_one - 2):
        assert not (finite(y.low) and finite(y.high))
    assert (1 / above_one).high == libmp.fone
    assert (above_one + 1).low == libmp.from_int(2)
    assert above_one.sign == 1
    assert a.rational(0).sign == anything.sign == 0


def finite(end):
    return end not in (libmp.finf, libmp.fninf, libmp.fnan)


@every("x", ["1/3", "-1/3", "1e-9", "-1e-9", "1e-40", "-1e-40", "1e-400", "-1e-400"])
def test_a_logarithm_next_to_1_keeps_its_digits(x):
    a = IntervalArithmetic(80)
    y = a.log1p(a.rational(Fraction(x)))
    with M.workdps(900):
        want = M.log1p(ratio(x))
        low, high = M.make_mpf(y.low), M.make_mpf(y.high)
        assert low <= want <= high
        assert high - low <= abs(want) * M.mpf(2) ** -36


@every("power", [3, 5, 7])
@every("n", range(1, 40))
def test_a_power_of_a_point_is_rounded_outward(n, power):
    """Of an end with 60 bits the power has hundreds: both ends of its enclosure are next to it."""
    y = IntervalArithmetic(60).rational(Fraction(n, 41))
    x = Interval(y.low, y.low, 60)
    low, high = ends_of(x**power)
    assert low < ends_of(x)[0] ** power < high
