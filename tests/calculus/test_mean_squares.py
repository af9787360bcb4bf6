"""The root mean square of an error over a range."""

from decimal import Decimal
from fractions import Fraction

import pytest

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus.comparison import Comparison
from gelu_cli.calculus.integrals import root_mean_square
from gelu_cli.forms import find_form
from tests.truth.mpmath import FORMS, M, decimal_of, ratio


def of(name, low, high, rounding, target="exact", quantity="value"):
    pair = Comparison(find_form(name), find_form(target), quantity)
    return root_mean_square(pair.differences(Fraction(low), Fraction(high)), rounding)


@pytest.mark.parametrize(("name", "kinks"), [("tanh", []), ("hard", [-3 / ratio("1.702"), 0])])
def test_it_is_the_integral_that_mpmath_finds(name, kinks):
    low, high = Fraction(-4), Fraction("1.5")
    with M.workdps(40):
        ends = [ratio(low), *kinks, ratio(high)]
        integral = M.quad(lambda x: (FORMS[name](x) - FORMS["exact"](x)) ** 2, ends)
        want = M.sqrt(integral / (ends[-1] - ends[0]))
        assert of(name, low, high, FLOAT64) == float(want)
        assert of(name, low, high, Decimals(25)) == decimal_of(want, 25)


def test_of_polynomials_it_is_exact():
    """ELU is x and the hard form (1.702x² + 3x)/6 there: (1.702x² − 3x)/6 and its square."""
    slope = Fraction("1.702")
    square = (slope**2 / 5 - 2 * slope * 3 / 4 + Fraction(9, 3)) / 36
    got = of("hard", 0, 1, Decimals(20), "elu")
    assert got == (square.numerator / Decimal(square.denominator)).sqrt().quantize(got)


def test_no_error_is_0():
    zero = of("relu", 1, 2, FLOAT64, "elu")
    assert zero == 0
