"""Averages that are tiny, beside others, or half way between two numbers: told, or refused."""

from fractions import Fraction

import pytest
from flint import arb

from gelu_cli.errors import ComputationError
from gelu_cli.old.arithmetic.balls import integral, working
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import average_errors
from gelu_cli.old.calculus.integrals import Averages, Normal, root_mean_square
from gelu_cli.old.calculus.stretches import curves_on_line
from gelu_cli.old.formulas import find_form
from tests.old.asked import comparison
from tests.old.every import every
from tests.truth.mpmath import FORMS, M, decimal_of, ratio


def errors(name, target, sigma, rounding, mean=0, quantity="value"):
    pair = comparison(name, target, quantity)
    return average_errors(pair, Fraction(sigma), rounding, Fraction(mean))


def test_what_nobody_can_prove_is_refused():
    """E|Φ(X) − 1{X > 0}| is 1/4: no enclosure tells on which side of it."""
    with pytest.raises(ComputationError, match="an average cannot be told to so many digits"):
        errors("noisy_relu", "relu", 1, Decimals(1), quantity="gradient")
    mean, _ = errors("noisy_relu", "relu", 1, Decimals(2), quantity="gradient")
    assert str(mean) == "0.25"


@every("mean", [45, -45])
def test_the_mean_error_of_forms_that_are_alike_there(mean):
    """ReLU − GELU is |x|·erfc(|x|/√2)/2, which matters where |x| is near a half of the mean."""
    found = errors("relu", "exact", 1, Decimals(15), mean)
    with M.workdps(30):
        scales = M.mpf("1e-221"), M.mpf("1e-295")

        def error(x):
            return x * M.erfc(x / M.sqrt(2)) / 2

        def average(power, places):  # the error that quad stops at is absolute
            scale = scales[power - 1]
            return M.quad(lambda x: error(x) ** power * M.npdf(x, 45, 1) / scale, places) * scale

        want = average(1, range(15, 31, 3)), M.sqrt(average(2, range(9, 25, 3)))
        assert found == [decimal_of(each, 15) for each in want]


def test_an_average_to_an_absolute_error_may_be_0():
    line = curves_on_line(find_form("exact"), "gradient")
    signs = [(stretch, lambda a, x: x) for stretch, _ in line]
    averages = Averages(Normal(Fraction(0), Fraction(1)), 80, precise=False, signed=False)
    found = averages.of(line, signs, share=False).folded
    with M.workdps(40):  # E sgn(X)·Φ(X) + E |X|·φ(X) = 1/4 + 1/(2π)
        want = M.mpf(1) / 4 + 1 / (2 * M.pi)
        assert abs(M.make_mpf(found.middle) - want) < 2**-78


# The root mean square over a range


def over_range(name, low, high, rounding, target="exact"):
    pair = comparison(name, target)
    return root_mean_square(pair.differences(Fraction(low), Fraction(high)), rounding)


@every(("name", "cuts"), [("sigmoid", [-2, 0]), ("hard", [-3 / ratio("1.702"), 0])])
def test_over_a_range_it_is_the_integral_that_mpmath_finds(name, cuts):
    low, high = Fraction(-4), Fraction("1.5")
    with M.workdps(32):
        ends = [ratio(low), *cuts, ratio(high)]
        area = M.quad(lambda x: (FORMS[name](x) - FORMS["exact"](x)) ** 2, ends)
        want = M.sqrt(area / (ends[-1] - ends[0]))
        assert over_range(name, low, high, FLOAT64) == float(want)
        assert over_range(name, low, high, Decimals(25)) == decimal_of(want, 25)


def test_over_a_range_that_of_polynomials_is_exact():
    """ELU is x and the hard form (1.702x² + 3x)/6 there: (1.702x² − 3x)/6 and its square."""
    slope = ratio("1.702")
    square = (slope**2 / 5 - 2 * slope * 3 / 4 + 3) / 36
    assert over_range("hard", 0, 1, Decimals(20), "elu") == decimal_of(M.sqrt(square), 20)
    assert over_range("relu", 1, 2, FLOAT64, "elu") == 0


def test_an_interrupt_in_an_integrand_ends_the_integral_at_once():
    calls = []

    def interrupted(x):
        calls.append(x)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), working(64):
        integral(interrupted, arb(0), arb(1), arb(2) ** -60, arb(2) ** -100_000)
    assert len(calls) == 1
