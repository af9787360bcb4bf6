"""Points in blocks: a list where they are few, arrays of the same numbers where they are many."""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.cli.input.blocks import FEW, blocks_of, in_blocks
from gelu_cli.cli.input.grid import Grid
from gelu_cli.cli.input.numbers import Range
from gelu_cli.values.points import BULK, MANY, FewPoints, ManyPoints

BFLOAT16 = Grid(number_format=FORMATS["bfloat16"])
FRACTIONS = st.fractions(-1000, 1000, max_denominator=10**6)


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
