"""The truth lies within the bound that a number of extended arithmetic carries."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import assume, example, given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.extended.functions import EXTENDED
from gelu_cli.old.arithmetic.extended.number import (
    PI,
    UNDERFLOW,
    ZERO,
    Extended,
    choose,
    constant,
    extended,
    is_power_of_two,
    magnitude,
    root,
    unscaled,
)
from tests.old.arithmetic.expressions import NUMBERS, STEPS, Truth, expressions
from tests.old.arithmetic.extended.numbers import (
    KINDS,
    bits,
    columns,
    exact,
    numbers,
    outside,
    pairs,
    sizes,
)
from tests.old.every import every
from tests.truth.mpmath import M

quietly = np.errstate(all="ignore")  # as who calls this arithmetic does
every_kind = every("kind", KINDS)
OPERATIONS = {
    "+": lambda a, b: a + b,
    "−": lambda a, b: a - b,
    "×": lambda a, b: a * b,
    "÷": lambda a, b: a / b,
}
every_operation = every("name", OPERATIONS)
SCALES = st.none() | st.integers(-5000, 5000)
SHARES = st.sampled_from([0.0, 2.0**-110, 2.0**-100, 2.0**-60, 2.0**-20, 0.3])


@st.composite
def approximate(draw, least=-90, greatest=90):
    """Return a number with a bound on its error, and a number that it may stand for."""
    high, low = draw(pairs(least, greatest))
    error = abs(high) * draw(SHARES)
    scale = draw(SCALES)
    y = Extended(*(np.array([part]) for part in (high, low, error)), scale and np.array([scale]))
    side = draw(st.sampled_from([-1, 0, 1]))
    return y, fraction_of(y) + side * fraction_of(y, "error")


def fraction_of(y, part=None):
    (high,), (low,), (error,), (scale,) = columns(y)
    power = Fraction(2) ** scale
    return Fraction(error) * power if part else (Fraction(high) + Fraction(low)) * power


def close(y, truth):
    """Return whether the truth is within the bound, with SLACK for the bound's own rounding."""
    bound = fraction_of(y, "error") if math.isfinite(columns(y)[2][0]) else math.inf
    return bound == math.inf or abs(fraction_of(y) - truth) <= bound * (1 + Fraction(1, 2**20))


@every_operation
@given(approximate(), approximate())
def test_an_operation_passes_on_the_errors_and_adds_its_own(name, left, right):
    (a, x), (b, y) = left, right
    assume(y or name != "÷")
    assert close(OPERATIONS[name](a, b), OPERATIONS[name](x, y))


@every_operation
@given(approximate(), st.fractions().filter(bool), st.integers(-(2**60), 2**60).filter(bool))
def test_so_it_does_with_a_constant_and_with_an_integer_on_either_side(name, left, value, n):
    a, x = left
    assert close(OPERATIONS[name](a, constant(value)), OPERATIONS[name](x, value))
    assert close(OPERATIONS[name](a, n), OPERATIONS[name](x, Fraction(n)))
    if x:
        assert close(OPERATIONS[name](n, a), OPERATIONS[name](Fraction(n), x))


@given(approximate(), st.integers(2, 5))
def test_minus_and_magnitude_are_exact_and_powers_are_not(left, n):
    a, x = left
    assert close(a**n, x**n)
    assert close(-a, -x)
    assert fraction_of(-a) == -fraction_of(a)
    assert fraction_of(magnitude(a)) == abs(fraction_of(a))
    assert fraction_of(magnitude(a), "error") == fraction_of(a, "error")


@given(approximate())
def test_a_square_root(left):
    a, x = magnitude(left[0]), abs(left[1])
    got = root(a)
    bound = fraction_of(got, "error") * (1 + Fraction(1, 2**20))
    low, high = fraction_of(got) - bound, fraction_of(got) + bound
    assert max(low, 0) ** 2 <= x <= high**2


@every_kind
@given(x=NUMBERS.map(float), steps=expressions)
def test_whatever_is_computed_the_truth_is_within_the_bound(kind, x, steps):
    assume(x != 0)
    truth, result, number = Truth(), exact([x], kind), M.mpf(x)
    for step, typed in steps:
        y = float(typed)
        assume(abs(number) < 180 and y != 0)  # the square is within FARTHEST
        with np.errstate(all="ignore"):
            result = STEPS[step](EXTENDED, result, exact([y], kind))
        number = STEPS[step](truth, number, M.mpf(y))
        if not math.isfinite(columns(result)[2][0]):
            return  # divided by what may be 0
        assert not outside(result, [number]), step


@given(st.lists(sizes(-1070, 1020), max_size=5))
@example([5e-324, 1.0])
@example([-1.7976931348623157e308])
def test_float64s_are_held_exactly_with_a_scale_where_they_need_one(x):
    y = extended(np.array(x, dtype=float))
    assert numbers(y) == [M.mpf(value) for value in x]
    assert not np.any(y.error)
    needed = any(abs(value) > 2.0**200 or abs(value) < 2.0**-200 for value in x)
    assert (y.scale is not None) == needed


VALUES = (
    st.fractions() | st.integers() | st.integers(-(2**70), 2**70).map(lambda n: Fraction(n, 10**30))
    | st.builds(lambda n, e: Fraction(n) * Fraction(10) ** e, st.integers(-99, 99),
                st.integers(-400, 400))
)  # fmt: skip


@given(VALUES)
def test_a_constant_is_within_its_bound(value):
    held = constant(value)
    if math.isfinite(held.error):
        number = Fraction(held.high) + Fraction(held.low)
        assert abs(number - Fraction(value)) <= Fraction(held.error)
        if 2.0**-900 < abs(value) < 2.0**900:
            assert held.error <= 2.0**-106 * abs(held.high)
    else:
        assert abs(value) > 2.0**900


@quietly
@every("power", [-400, 400, -5000, 5000])
def test_a_constant_beyond_float64_is_not_taken_for_zero_nor_for_exact(power):
    held = constant(Fraction(10) ** power)
    assert held.error > 0
    product = exact([1.5]) * held
    assert not product._is_zero
    assert not product.error[0] <= abs(product.high[0])


@every("value", [0, 1, -1, 2, Fraction(1, 2), Fraction(3, 8), 2**60])
def test_a_dyadic_constant_is_exact(value):
    held = constant(Fraction(value))
    assert (held.high, held.low, held.error) == (float(value), 0, 0)


def test_pi_is_within_its_bound():
    assert not outside(PI, [M.pi])
    assert bits(PI) > 105


@every_kind
def test_zero_is_exact_and_adds_no_error(kind):
    x = exact([1 / 3, -7.0, 2.0**-150], kind) / 3
    for same in (x + ZERO, ZERO + x, x - ZERO, x + 0, 0 + x):
        assert same is x
    for zero in (x * ZERO, ZERO * x, x * 0, 0 * x, ZERO / x, 0 / x):
        assert columns(zero) == columns(ZERO)
    assert not outside(ZERO - x, [-number for number in numbers(x)])


@every("power", [2.0**-30, 0.5, 1.0, -2.0, 2.0**100])
@every_kind
def test_a_power_of_two_multiplies_and_divides_without_error(kind, power):
    x = exact([1 / 3, -5.0, 2.0**-90], kind)
    held = constant(Fraction(power))
    assert is_power_of_two(held)
    for result, factor in ((x * held, power), (held * x, power), (x / held, 1 / power)):
        assert numbers(result) == [number * factor for number in numbers(x)]
        assert not np.any(result.error)


def test_what_is_no_exact_power_of_two_is_not_taken_for_one():
    for x in (constant(3), constant(Fraction(1, 3)), PI, constant(2**300), exact([2.0])):
        assert not is_power_of_two(x)
    assert not is_power_of_two(Extended(2.0, 0.0, 1e-30))


def test_far_apart_the_smaller_is_lost_within_its_bound():
    tiny = replace(exact([0.75, 0.75]), scale=np.array([-70_000, -1000]))
    one = replace(exact([0.5, 0.5]), scale=np.array([1, 1]))
    for result in (tiny + one, one + tiny, one - tiny):
        assert (np.abs(result.high) == 0.5).all()
        assert (result.error > 0).all()
    assert not outside(tiny + one, [M.ldexp(0.75, -70_000) + 1, M.ldexp(0.75, -1000) + 1])


def test_of_two_scales_each_number_keeps_its_own():
    x = exact([3.0, 5.0, 7.0], KINDS[1])
    y = exact([1.0, 2.0, 4.0])
    found = choose(np.array([True, False, True]), x, y)
    assert numbers(found) == [3, 2, 7]
    found = choose(np.array([True, False, True]), y, x)
    assert numbers(found) == [1, 5, 4]
    found = choose(np.array([True, False, False]), y, constant(9))
    assert numbers(found) == [1, 9, 9]


@quietly
@given(approximate(), st.sampled_from([1.0, 63.0, 2.0**15]))
def test_without_its_scale_a_number_is_itself_or_the_limit(left, limit):
    a, x = left
    got = unscaled(a, limit)
    assert got.scale is None
    (high,), (_,), (error,), _ = columns(got)
    assert abs(high) <= limit
    if error == 0 and abs(high) == limit:
        assert abs(x) >= limit * (1 - Fraction(1, 2**20))
        assert (high > 0) == (x > 0)
    else:
        assert close(got, x)


def test_the_operations_have_a_hundred_bits():
    generator = np.random.default_rng(5)
    a, b = (exact(1 + generator.random(1000)) for _ in range(2))
    for result in (a + b, a * b, a / b, root(a), 3 * a, 1 / a):
        assert bits(result).min() > 100


def test_a_quotient_by_what_may_be_zero_is_unknown():
    wide = Extended(np.array([1.0, 1.0]), np.zeros(2), np.array([1.0, 0.75]))
    with np.errstate(divide="ignore"):
        assert (1 / wide).error.tolist() == [math.inf, math.inf]


@given(sizes(-1074, -800), sizes(-250, 0))
def test_where_products_underflow_the_bound_says_so(x, y):
    a, b = exact([x]), exact([y])
    assert close(a * b, Fraction(x) * Fraction(y))
    assert (a * b).error[0] >= UNDERFLOW
