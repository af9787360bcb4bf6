"""Points are rounded once, from the number as typed, one by one and in arrays."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.cli.input.grid import Grid
from gelu_cli.errors import UsageError

FORMAT_NAMES = sorted(FORMATS)


@pytest.mark.parametrize("name", FORMAT_NAMES)
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


@pytest.mark.parametrize("name", sorted({*FORMAT_NAMES} - {"float64"}))
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
