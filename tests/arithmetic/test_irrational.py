"""Real numbers that are no fractions: their order, their whole parts, and where equality ends."""

from fractions import Fraction
from math import floor

import pytest

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.irrational import exponent_of, nearest, real, sign_of, square_root
from gelu_cli.arithmetic.mpf import pi as mpf_pi
from gelu_cli.arithmetic.mpf import to_fraction

PI = real(lambda a: a.pi)
ROOT = square_root(Fraction(2))


def test_the_order_is_that_of_the_numbers_however_near_they_are():
    below = to_fraction(mpf_pi(3000, "f"))  # within 2⁻²⁹⁹⁸
    assert below < PI < below + Fraction(1, 2**2990)
    assert below <= PI <= below + Fraction(1, 2**2990)
    assert not below >= PI
    assert ROOT < PI
    assert -PI < -ROOT < 0


def test_equal_numbers_are_neither_below_nor_above_each_other():
    two = ROOT * square_root(Fraction(2))
    assert not two < 2
    assert not two > 2
    assert two <= 2 <= two
    assert floor(two) == 2


@pytest.mark.parametrize(
    ("number", "whole"), [(PI, 3), (-PI, -4), (ROOT / 10**9, 0), (PI * 10**40 / PI, 10**40)]
)
def test_the_whole_part_is_the_largest_integer_below(number, whole):
    assert floor(number) == whole


def test_what_cancels_is_the_fraction_0():
    assert PI - PI == PI + -PI == 3 * PI - 2 * PI - PI == 0
    assert isinstance(PI + -PI, Fraction)
    assert PI / PI == PI**0 == 1


def test_half_way_between_two_numbers_the_even_one_is_nearest():
    tie = ROOT * square_root(Fraction(2)) * (1 + Fraction(1, 2**53)) / 2
    assert nearest(tie, FLOAT64) == 1.0
    assert str(nearest(ROOT * ROOT * Fraction(5, 4), Decimals(1))) == "2"


def test_sizes_and_signs():
    assert (sign_of(-PI), sign_of(Fraction(0)), sign_of(PI)) == (-1, 0, 1)
    assert exponent_of(PI) == 2
    assert float(abs(-PI)) == 3.141592653589793
    with pytest.raises(OverflowError):
        float(PI * 10**400)
