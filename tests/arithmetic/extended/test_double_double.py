"""Double-double operations keep the bounds that stand in their docstrings, exactly."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gelu_cli.arithmetic.extended.double_double import (
    UNIT,
    add,
    divide,
    fast_two_sum,
    multiply,
    split,
    two_product,
    two_sum,
)
from tests.arithmetic.extended.numbers import pairs, rest_of, sizes

FLOATS = sizes(-150, 150)
SQUARE = Fraction(UNIT) ** 2
ONE = 1.0
JUST_ABOVE, JUST_BELOW = math.nextafter(1, 2), math.nextafter(1, 0)


def total(pair):
    return Fraction(pair[0]) + Fraction(pair[1])


def nearly_opposite(pair):
    """Pairs whose sum with this one cancels: its negative, some units away in either part."""
    high, low = pair
    by = st.integers(-3, 3)
    moved = by.map(lambda n: -high + n * math.ulp(high))
    return moved.flatmap(
        lambda first: st.tuples(st.just(first), rest_of(first) | st.just(-low)).filter(
            lambda found: sum(found) == first
        )
    )


TWO_PAIRS = st.tuples(pairs(), pairs()) | pairs().flatmap(
    lambda a: st.tuples(st.just(a), nearly_opposite(a))
)


@given(FLOATS, FLOATS)
@example(ONE, -JUST_BELOW)
@example(2.0**60, 2.0**-60)
def test_a_sum_and_its_error_are_the_sum(a, b):
    s, e = two_sum(a, b)
    assert s == a + b
    assert total((s, e)) == Fraction(a) + Fraction(b)


@given(FLOATS, FLOATS)
def test_so_they_are_where_the_first_is_the_larger(a, b):
    a, b = sorted((a, b), key=abs, reverse=True)
    assert fast_two_sum(a, b) == two_sum(a, b)
    assert fast_two_sum(0.0, b) == (b, 0)


@given(sizes(-1000, 995))
@example(JUST_BELOW)
@example(math.ldexp(JUST_BELOW, 995))
def test_the_halves_of_a_number_have_26_bits(a):
    high, low = split(a)
    assert total((high, low)) == Fraction(a)
    for part in (high, low):
        mantissa = math.ldexp(math.frexp(part)[0], 26)
        assert mantissa == int(mantissa)


@given(FLOATS, FLOATS)
@example(JUST_ABOVE, JUST_ABOVE)
@example(JUST_BELOW, JUST_BELOW)
def test_a_product_and_its_error_are_the_product(a, b):
    p, e = two_product(a, b)
    assert p == a * b
    assert total((p, e)) == Fraction(a) * Fraction(b)


@given(TWO_PAIRS)
def test_a_sum_of_pairs_is_off_by_four_units_of_its_terms(both):
    a, b = both
    result = add(a, b)
    size = abs(total(a)) + abs(total(b))
    assert abs(total(result) - total(a) - total(b)) <= 4 * SQUARE * size
    assert sum(result) == result[0]


@given(TWO_PAIRS)
def test_a_product_of_pairs_is_off_by_seven_units(both):
    a, b = both
    result, true = multiply(a, b), total(a) * total(b)
    assert abs(total(result) - true) <= 7 * SQUARE * abs(true)
    assert sum(result) == result[0]


@given(TWO_PAIRS)
def test_a_quotient_of_pairs_is_off_by_32_units(both):
    a, b = both
    result, true = divide(a, b), total(a) / total(b)
    assert abs(total(result) - true) <= 32 * SQUARE * abs(true)
    assert sum(result) == result[0]


def random_pairs(n, seed):
    """Pairs near 1, where the relative errors are largest, with low parts of every size."""
    generator = np.random.default_rng(seed)
    high = 1 + generator.random(n) * 2.0 ** -generator.integers(0, 53, n)
    low = (generator.random(n) - 0.5) * np.spacing(high) * 2.0 ** -generator.integers(0, 8, n)
    sign = generator.choice([-1.0, 1.0], n)
    return high * sign, low * sign


def worst(operation, true, n):
    a, b = random_pairs(n, 1), random_pairs(n, 2)
    result = operation(a, b)
    columns = zip(*(part.tolist() for pair in (a, b, result) for part in pair), strict=True)
    found = Fraction(0)
    for a1, a2, b1, b2, r1, r2 in columns:
        want, size = true(Fraction(a1) + Fraction(a2), Fraction(b1) + Fraction(b2))
        found = max(found, abs(Fraction(r1) + Fraction(r2) - want) / size)
    return found / SQUARE


OPERATIONS = {
    "add": (add, lambda a, b: (a + b, abs(a) + abs(b)), 4),
    "multiply": (multiply, lambda a, b: (a * b, abs(a * b)), 7),
    "divide": (divide, lambda a, b: (a / b, abs(a / b)), 32),
}
every_operation = pytest.mark.parametrize("name", OPERATIONS)


@every_operation
def test_the_bounds_hold_on_arrays(name):
    operation, true, units = OPERATIONS[name]
    assert worst(operation, true, 2_000) <= units


@pytest.mark.slow
@every_operation
def test_the_bounds_hold_on_many_pairs(name):
    operation, true, units = OPERATIONS[name]
    assert worst(operation, true, 200_000) <= units
