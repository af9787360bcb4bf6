"""Points are rounded once, from the number as typed: one by one, and as arrays of many."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.reading.numbers import Grid, Range
from gelu_cli.old.reading.points import FEW, blocks_of, in_blocks
from gelu_cli.old.values.points import BULK, MANY, FewPoints, ManyPoints

BFLOAT16 = Grid(number_format=FORMATS["bfloat16"])
FRACTIONS = st.fractions(-1000, 1000, max_denominator=10**6)


# One by one


@pytest.mark.parametrize("name", sorted(FORMATS))
@given(st.fractions(), st.integers(-160, 130))
@settings(max_examples=30)
def test_a_point_is_what_the_format_makes_of_the_number(name, fraction, exponent):
    number = fraction * Fraction(2) ** exponent
    point = Grid(number_format=FORMATS[name]).point(number, "")
    assert repr(point) == repr(FORMATS[name].exactly(number))


def halfway(number_format):
    """Numbers half way between neighbours, from the least to where infinity begins."""
    p, emin = number_format.precision, number_format.emin
    for exponent in (emin, emin + 1, 0, 5):
        for odd in (1, 3, 2**p - 1, 2**p + 1, 2 ** (p + 1) - 1):
            yield Fraction(odd) * Fraction(2) ** (exponent - p)
    yield Fraction(2) ** (1 - emin) * (2 - Fraction(2) ** -p) / (1 if number_format.infinite else 2)


@pytest.mark.parametrize("name", sorted({*FORMATS} - {"float64"}))
def test_where_rounding_twice_would_differ_the_number_as_typed_decides(name):
    number_format = FORMATS[name]
    grid = Grid(number_format=number_format)
    ties = [tie * sign for tie in halfway(number_format) for sign in (1, -1)]
    numbers = [
        tie * (1 + shift)
        for tie in ties
        for shift in (0, Fraction(1, 10**40), Fraction(-1, 10**40))
    ]
    rounded = grid.array(np.array(list(map(float, numbers))), numbers.__getitem__)
    assert list(map(repr, rounded.tolist())) == [repr(number_format.exactly(x)) for x in numbers]


def test_only_where_there_is_doubt_is_the_number_asked_for():
    def refuse(i):
        raise AssertionError("asked without need")

    floats = np.array([0.1, -0.0, np.inf, np.nan, 1.0])
    rounded = Grid(number_format=FORMATS["bfloat16"]).array(floats, refuse)
    assert list(map(repr, rounded.tolist())) == ["0.10009765625", "-0.0", "inf", "nan", "1.0"]
    assert Grid().array(floats, refuse) is floats


def test_a_range_beyond_float64_is_refused_for_float64_alone():
    for word in ("0:1e400:/600", "-1e400:0:/600"):
        with pytest.raises(UsageError, match=f"'{word}' is beyond float64"):
            Grid().parse(word)
        assert Grid(exact=True).parse(word).length == 600
        assert Grid(number_format=FORMATS["float16"]).parse(word).length == 600


# In blocks


def points_of(pieces, grid):
    return [x for block in blocks_of(pieces, grid) for x in block.numbers()]


@given(
    FRACTIONS | st.fractions(), FRACTIONS | st.fractions(), st.integers(MANY, 600),
    st.integers(-30, 30),
)  # fmt: skip
@example(Fraction(0), Fraction(1, 10), MANY, 0)
@example(Fraction(-2), Fraction(1, 3), MANY, 0)
@example(Fraction(2**53), Fraction(-1, 3), MANY, 0)
@example(Fraction(0), Fraction(0), MANY, 0)
@settings(max_examples=30)
def test_a_long_range_has_the_float64_nearest_to_each_number(start, step, length, exponent):
    points = Range(start, step * Fraction(10) ** exponent, length)
    (block,) = blocks_of([points], Grid())
    assert isinstance(block, ManyPoints)
    assert list(map(repr, block.numbers())) == [repr(float(x)) for x in points.numbers()]


@pytest.mark.parametrize("length", [BULK, BULK + 1])
@pytest.mark.parametrize("step", [Fraction(1, 1000), Fraction(1, 10**20)])
def test_a_range_of_many_blocks_goes_on_where_it_was(length, step):
    points = Range(Fraction(-1), step, length)
    blocks = list(blocks_of([points], Grid()))
    assert max(map(len, blocks)) <= BULK
    assert [x for block in blocks for x in block.numbers()] == [float(x) for x in points.numbers()]


@pytest.mark.parametrize("step", [Fraction(1, 256), Fraction(1, 10), 1 + Fraction(1, 10**30)])
def test_a_long_range_in_a_format_is_rounded_once(step):
    points = Range(Fraction(1, 512), step, 1500)
    assert points_of([points], BFLOAT16) == [
        BFLOAT16.number_format.exactly(x) for x in points.numbers()
    ]


def test_a_long_range_may_leave_float64_where_a_format_is_asked():
    points = Range(Fraction(0), Fraction(10**400), MANY)
    assert points_of([points], BFLOAT16) == [0.0] + [float("inf")] * (MANY - 1)


def test_exact_numbers_stay_as_they_are_in_short_lists():
    points = Range(Fraction(0), Fraction(1, 3), MANY)
    blocks = list(blocks_of([points, 0.5], Grid(exact=True)))
    assert max(map(len, blocks)) == FEW
    assert [x for block in blocks for x in block.numbers()] == [*points.numbers(), 0.5]


def test_pieces_keep_their_order():
    ranges = [Range(Fraction(k), Fraction(1), length) for k, length in ((1, 3), (10, MANY), (9, 2))]
    points = points_of([0.5, *ranges, ranges[1], float("inf")], Grid())
    numbers = [float(x) for piece in (*ranges, ranges[1]) for x in piece.numbers()]
    assert points == [0.5, *numbers, float("inf")]


def test_few_points_are_a_list_and_many_an_array():
    kinds = [type(next(in_blocks([0.5] * n, Grid()))) for n in (1, MANY - 1, MANY)]
    assert kinds == [FewPoints, FewPoints, ManyPoints]
