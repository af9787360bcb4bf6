"""Double-double operations keep the bounds that stand in their docstrings, exactly."""

import math
from fractions import Fraction

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.extended.double_double import (
    UNIT,
    add,
    divide,
    fast_two_sum,
    multiply,
    split,
    two_product,
    two_sum,
)
from tests.old.arithmetic.extended.numbers import pairs, rest_of, sizes
from tests.old.every import every

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


OPERATIONS = {
    "a sum, of its terms": (add, lambda a, b: a + b, lambda a, b: abs(a) + abs(b), 4),
    "a product": (multiply, lambda a, b: a * b, lambda a, b: abs(a * b), 7),
    "a quotient": (divide, lambda a, b: a / b, lambda a, b: abs(a / b), 32),
}
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


@every("name", OPERATIONS)
@settings(max_examples=40)
@given(both=TWO_PAIRS)
def test_of_pairs_it_is_off_by_so_many_units(name, both):
    operation, true, size, units = OPERATIONS[name]
    exact = [*map(total, both)]
    result = operation(*both)
    assert abs(total(result) - true(*exact)) <= units * SQUARE * size(*exact)
    assert sum(result) == result[0]
