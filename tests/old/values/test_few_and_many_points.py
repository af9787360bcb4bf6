"""Few points and many are the same points, with the same results."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64, FORMATS
from gelu_cli.old.formulas import QUANTITIES, all_forms, find_form
from gelu_cli.old.values.evaluate import evaluate
from gelu_cli.old.values.points import DIGITS_BY_FLOAT64, MANY, FewPoints, ManyPoints, points_of
from tests.old.every import every
from tests.truth.mpmath import decimal_of, truth

THREE = QUANTITIES[:3]
ROUNDINGS = {
    **FORMATS,
    **{f"{n} digits": Decimals(n) for n in (1, 6, DIGITS_BY_FLOAT64, DIGITS_BY_FLOAT64 + 1, 30)},
}
NUMBERS = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1e30, -0.75179152, -38.5,
           1 / 3, 448.0, 464.0, 65520.0, 3.4e38, 0.125, 2.5, -2.0**-25]  # fmt: skip
every_rounding = every("rounding", ROUNDINGS.values(), ids=ROUNDINGS)


def both(numbers):
    return FewPoints(list(numbers)), ManyPoints(np.array(numbers, dtype=np.float64))


def texts(rows):
    """Return rows as texts: −0 is not 0, NaN is NaN, and a Decimal is no float."""
    return [[repr(cell) for cell in row] for row in rows]


def rows_of(points, name, rounding):
    return texts(points.rows(points.evaluate(find_form(name), THREE, rounding)))


@settings(max_examples=30)
@given(
    name=st.sampled_from(list(all_forms())),
    rounding=st.sampled_from(list(ROUNDINGS.values())),
    numbers=st.lists(st.floats(-45, 45) | st.floats(-1e5, 1e5) | st.sampled_from(NUMBERS)),
)
def test_any_points_in_any_rounding_have_the_same_rows(name, rounding, numbers):
    few, many = both(numbers)
    assert rows_of(few, name, rounding) == rows_of(many, name, rounding)


@every("name", all_forms())
def test_decimals_of_many_points_are_the_definitions(name):
    """Up to 14 digits they are taken from float64s, where these leave no doubt."""
    x = [-7.3, -0.3, 0.7, 2.0**-20, 3.3]
    _, many = both(x)
    for digits in (3, DIGITS_BY_FLOAT64):
        (values,) = many.evaluate(find_form(name), ["value"], Decimals(digits))
        assert values.tolist() == [decimal_of(truth(name, "value", y), digits) for y in x]


@every("digits", [1, 2, 14])
def test_decimals_half_way_go_to_even_however_many_points_there_are(digits):
    """An x of so many digits and a 5 is a tie of ReLU, which no float64 beside it decides."""
    last = Fraction(1, 2 * 10**digits)
    ties = [0.5, 0.25, 0.125, 0.75, 2.5, 3.5, 12.5, 13.5, float(last)]
    few, many = both(ties)
    rounding = Decimals(digits)
    want = [rounding.exactly(Fraction(x)) for x in ties]
    for points in (few, many):
        (values,) = points.evaluate(find_form("relu"), ["value"], rounding)
        assert list(values) == want


def test_digits_where_the_neighbours_of_a_float64_disagree_are_of_a_closer_look():
    """Some values are within an ulp of a tie of 14 digits, on either side of it."""
    form, rounding = find_form("exact"), Decimals(DIGITS_BY_FLOAT64)
    start = np.float64(0.5)
    x = start + np.arange(20_000) * np.spacing(start)
    values = ManyPoints(x).evaluate(form, ["value"], FLOAT64)[0].tolist()
    below, above = (
        [f"{math.nextafter(y, end):.{DIGITS_BY_FLOAT64 - 1}e}" for y in values]
        for end in (-math.inf, math.inf)
    )
    doubtful = x[np.array(below) != np.array(above)]
    assert len(doubtful) > 10
    (got,) = ManyPoints(doubtful).evaluate(form, ["value"], rounding)
    assert got.tolist() == [
        decimal_of(truth("exact", "value", y), DIGITS_BY_FLOAT64) for y in doubtful[:40].tolist()
    ] + [evaluate(form, ["value"], y, rounding)[0] for y in doubtful[40:].tolist()]


@every("dtype", FORMATS)
def test_few_and_many_are_rounded_to_the_same_points(dtype):
    few, many = (points.rounded(FORMATS[dtype]) for points in both(NUMBERS))
    assert isinstance(few, FewPoints)
    assert isinstance(many, ManyPoints)
    assert texts([few.numbers()]) == texts([many.numbers()])


def test_exact_points_are_rounded_and_evaluated_as_they_are():
    tenth = FewPoints([Fraction(1, 10), 0.1])
    assert tenth.rounded(FORMATS["bfloat16"]).numbers() == [0.10009765625] * 2
    [column] = tenth.evaluate(find_form("relu"), ["value"], Decimals(20))
    assert column == (Decimal("0.10000000000000000000"), Decimal("0.10000000000000000555"))


@every_rounding
def test_an_empty_block_has_no_rows(rounding):
    for points in both([]):
        assert len(points) == len(points.numbers()) == 0
        columns = points.evaluate(find_form("exact"), THREE, rounding)
        assert all(len(column) == 0 for column in columns)
        assert list(points.rows(columns)) == []


@every("make", [list, tuple, np.array])
def test_points_are_an_array_if_they_are_many(make):
    for n, kind in ((0, FewPoints), (1, FewPoints), (MANY - 1, FewPoints), (MANY, ManyPoints)):
        points = points_of(make([k + 0.5 for k in range(n)]))
        assert (type(points), points.many) == (kind, kind is ManyPoints)
        assert len(points) == n
        assert texts([points.numbers()]) == texts([[k + 0.5 for k in range(n)]])
