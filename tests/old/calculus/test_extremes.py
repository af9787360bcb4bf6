"""Averages where sigma is 1e±30 and 1e±300, and means are ±10⁴, against first terms by mpmath."""

from fractions import Fraction
from math import inf

from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.calculus.comparison import average_errors
from gelu_cli.old.calculus.moments import gaussian_moments
from gelu_cli.old.formulas import all_forms, find_form
from tests.old.asked import comparison
from tests.old.every import every
from tests.truth.arb import kinks
from tests.truth.gaussian import integral_of_error, of_relu, of_taylor
from tests.truth.mpmath import M, decimal_of, ratio

NAMES = list(all_forms())
SMOOTH = [name for name in NAMES if not kinks(name)]
MEANS = (0, 10**4, -(10**4))
DIGITS = 20


def moments(name, mean, sigma):
    return list(gaussian_moments(find_form(name), Fraction(mean), Fraction(sigma)))


def errors(name, target, mean, sigma):
    question = comparison(name, target)
    return average_errors(question, Fraction(sigma), Decimals(DIGITS), Fraction(mean))


def in_digits(numbers):
    return [decimal_of(number, DIGITS) for number in numbers]


@every("sigma", ["1e30", "1e300"])
@every(
    ("name", "mean"),
    [(name, MEANS[i % 3]) for i, name in enumerate(NAMES) if name != "mish"],
)
def test_a_wide_distribution_sees_relu(name, mean, sigma):
    assert moments(name, mean, sigma) == [float(y) for y in of_relu(mean, sigma)]


@every("name", SMOOTH)
def test_a_narrow_distribution_sees_the_first_terms(name):
    assert moments(name, 1, "1e-30") == [float(y) for y in of_taylor(name, 1, "1e-30")]


@every("name", ["exact", "tanh", "hard", "elu", "softplus"])
def test_far_to_the_right_a_narrow_distribution_sees_relu(name):
    """There f(x) = x, or x + e^(−x)."""
    assert moments(name, 10**4, "1e-30") == [float(y) for y in of_relu(10**4, "1e-30")]


@every("name", ["exact", "tanh", "hard", "elu", "softplus"])
def test_far_to_the_left_all_that_is_left_is_a_constant(name):
    """Its derivatives are below e^(−9999), and 1 over their squares is beyond float64."""
    f = -1 if name == "elu" else 0
    gain = 1 if name == "elu" else inf
    assert moments(name, -(10**4), "1e-30") == [0, 0, 0, f, f * f, 0, inf, gain, inf]


@every("sigma", ["1e30", "1e300"])
@every("mean", MEANS)
def test_a_wide_distribution_sees_the_integral_of_an_error(mean, sigma):
    assert errors("hard", "relu", mean, sigma) == in_digits(integrals("hard", mean, sigma))


def test_or_of_one_that_never_ends():
    with M.workdps(40):
        want = in_digits(integrals("softplus", -(10**4), "1e30"))
    assert errors("softplus", "relu", -(10**4), "1e30") == want


def integrals(name, mean, sigma):
    density = M.npdf(ratio(mean), 0, ratio(sigma))
    absolute, square = (density * integral_of_error(name, power) for power in (1, 2))
    return absolute, M.sqrt(square)


@every("sigma", ["1e30", "1e300"])
@every("mean", MEANS)
def test_or_on_one_side_a_constant_error(mean, sigma):
    """Of ELU, −1 on half of the line."""
    assert errors("elu", "relu", mean, sigma) == in_digits([ratio("1/2"), M.sqrt(ratio("1/2"))])


@every("sigma", ["1e-30", "1e-300"])
def test_around_0_a_narrow_distribution_sees_the_first_term_of_an_error(sigma):
    """Of hard that is −|x|/2."""
    s = ratio(sigma)
    assert errors("hard", "relu", 0, sigma) == in_digits([s / M.sqrt(2 * M.pi), s / 2])


def test_where_values_and_slopes_agree_it_sees_the_second_term():
    """Of sigmoid that is (β/4 − 1/√(2π))·x²."""
    square = abs(ratio("1.702") / 4 - 1 / M.sqrt(2 * M.pi)) * ratio("1e-60")
    assert errors("sigmoid", "exact", 0, "1e-30") == in_digits([square, M.sqrt(3) * square])


@every("mean", MEANS)
def test_a_narrow_distribution_sees_the_error_at_its_mean(mean):
    """Of softplus log(1 + e^(−|x|)), which is 10^(−4343) at ±10⁴."""
    there = M.log1p(M.exp(-abs(mean)))
    assert errors("softplus", "relu", mean, "1e-30") == in_digits([there, there])
