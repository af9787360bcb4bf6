"""Mean absolute and RMS errors against closed forms, Gauss's quadrature and mpmath's."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus.comparison import Comparison, average_errors, compare, summarise
from gelu_cli.forms import all_forms, find_form
from tests.calculus.expectations import sample
from tests.truth.arb import kinks, values_and_gradients
from tests.truth.mpmath import FORMS, M, decimal_of, ratio

OTHERS = [name for name in all_forms() if name != "exact"]


def of(name, target="exact", quantity="value", sigma=1, rounding=FLOAT64):
    comparison = Comparison(find_form(name), find_form(target), quantity)
    return average_errors(comparison, Fraction(sigma), rounding)


CASES = [("value", "1/4"), ("value", 30), ("gradient", 1)]


@pytest.mark.parametrize(
    ("name", "quantity", "sigma"),
    [(name, *CASES[i % 3]) for i, name in enumerate(OTHERS)],
)
def test_they_are_those_of_gausss_rule(name, quantity, sigma):
    assert_like_gauss(name, quantity, sigma)


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize(("quantity", "sigma"), CASES)
def test_every_form_has_those_of_gausss_rule_in_every_case(name, quantity, sigma):
    assert_like_gauss(name, quantity, sigma)


def assert_like_gauss(name, quantity, sigma):
    """Floats of values are off by 1e-16 each: that much of an average of 2e-7 is 1e-9."""
    which = ("value", "gradient").index(quantity)

    def errors(x):
        form, gelu = (values_and_gradients(each, x)[which] for each in (name, "exact"))
        return form - gelu

    sigma = float(Fraction(sigma))
    x, _ = sample(0.0, sigma, kinks(name))
    signs = np.sign(errors(x))
    crossings = [
        bisect(errors, low, high)
        for low, high, one, other in zip(x[:-1], x[1:], signs[:-1], signs[1:], strict=True)
        if one * other < 0 and abs(low) < 12
    ]
    x, weights = sample(0.0, sigma, [*kinks(name), *crossings])
    d = errors(x)
    want = [weights @ abs(d), math.sqrt(weights @ d**2)]
    assert of(name, "exact", quantity, sigma) == pytest.approx(want, rel=1e-7)


def bisect(f, low, high):
    """Return about where f changes its sign: next to it |f| is small, and counts little."""
    (sign,) = np.sign(f([low]))
    for _ in range(24):
        middle = (low + high) / 2
        (y,) = f([middle])
        low, high = (middle, high) if np.sign(y) == sign else (low, middle)
    return low


@pytest.mark.parametrize("name", ["tanh", "sigmoid"])
def test_twenty_five_digits_are_mpmaths(name):
    f, g = FORMS[name], FORMS["exact"]
    with M.workdps(35):

        def d(x):
            return f(x) - g(x)

        grid = [M.mpf(k) / 16 for k in range(1, 16 * 9)]
        cuts = [M.findroot(d, pair, solver="anderson") for pair in itertools.pairwise(grid)
                if d(pair[0]) * d(pair[1]) < 0]  # fmt: skip
        assert cuts
        ends = [0, *cuts, 15]
        ends = sorted({M.mpf(end) for end in [*ends, 1, 3, 6]})
        # f − g is even: both have gates with G(x) + G(−x) = 1.
        mean = 2 * M.quad(lambda x: abs(d(x)) * M.npdf(x), ends)
        square = 2 * M.quad(lambda x: d(x) ** 2 * M.npdf(x), ends)
        want = [decimal_of(mean, 25), decimal_of(M.sqrt(square), 25)]
    assert of(name, rounding=Decimals(25)) == want


@pytest.mark.parametrize("digits", [17, 40])
def test_noise_added_to_relu_has_closed_forms(digits):
    """X + ε ~ N(0, 2), so E d = (√2 − 1)/√(2π); Φ(X) − [X > 0] has 1/4 and 1/√12."""
    got = of("noisy_relu", "relu", rounding=Decimals(digits))[0]
    assert got == decimal_of((M.sqrt(2) - 1) / M.sqrt(2 * M.pi), digits)
    got = of("noisy_relu", "relu", "gradient", rounding=Decimals(digits))
    assert got == [decimal_of(M.mpf(1) / 4, digits), decimal_of(1 / M.sqrt(12), digits)]


def test_gelu_against_relu_has_closed_forms():
    """d = −|x|Φ(−|x|): E|d| = (1 − 1/√2)/√(2π), E d² = 1/2 + E f² − 2E x²Φ(x)[x > 0]."""
    mean, rms = of("relu", rounding=Decimals(30))
    assert mean == decimal_of((1 - 1 / M.sqrt(2)) / M.sqrt(2 * M.pi), 30)
    with M.workdps(50):
        square = 2 * M.quad(lambda x: (x * M.ncdf(-x)) ** 2 * M.npdf(x), [0, 1, 4, 20])
        assert rms == decimal_of(M.sqrt(square), 30)


def test_an_error_that_is_0_on_one_side_counts_there():
    """ELU − ReLU is e^x − 1 below 0: E d² = ½ − 2e^½Φ(−1) + e²Φ(−2)."""
    mean, rms = of("elu", "relu", rounding=Decimals(35))
    half = M.mpf(1) / 2
    assert mean == decimal_of(half - M.exp(half) * M.ncdf(-1), 35)
    square = half - 2 * M.exp(half) * M.ncdf(-1) + M.exp(2) * M.ncdf(-2)
    assert rms == decimal_of(M.sqrt(square), 35)


def summary(name, quantity="value", rounding=FLOAT64):
    comparison = compare(find_form(name), find_form("exact"), quantity)
    return summarise(comparison, -60, 10, Fraction(1), rounding)


def test_a_supremum_beyond_float64_is_bounded_and_a_pole_is_not():
    beyond, pole = summary("sigmoid"), summary("sigmoid", "gradient")
    assert beyond.max_rel_error == pole.max_rel_error == math.inf
    assert beyond.max_rel_error_is_bounded
    assert not pole.max_rel_error_is_bounded
    truth = 1 / (1 + M.exp(ratio("1.702") * 60)) / (M.erfc(60 / M.sqrt(2)) / 2) - 1
    assert summary("sigmoid", rounding=Decimals(9)).max_rel_error == decimal_of(truth, 9)


def test_a_ratio_that_grows_for_ever_is_not_bounded():
    comparison = compare(find_form("sigmoid"), find_form("exact"), "value")
    found = comparison.largest_ratio(-math.inf, 0, Decimals(5))
    assert (found.value, found.x, found.bounded) == (math.inf, -math.inf, False)
