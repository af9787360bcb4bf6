"""Mean absolute and RMS errors against closed forms, scipy's quadrature and mpmath's."""

import itertools
import math
from fractions import Fraction

import pytest

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus.average_errors import average_errors
from gelu_cli.calculus.comparison import Comparison
from gelu_cli.forms import all_forms, find_form
from tests.truth.mpmath import FORMS, M
from tests.truth.scalars import KINKS, decimal_of, expectation, value_and_gradient

OTHERS = [name for name in all_forms() if name != "exact"]


def of(name, target="exact", quantity="value", sigma=1, rounding=FLOAT64):
    comparison = Comparison(find_form(name), find_form(target), quantity)
    return average_errors(comparison, Fraction(sigma), rounding)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize(("quantity", "sigma"), [("value", "1/4"), ("value", 30), ("gradient", 1)])
def test_they_are_scipys(name, quantity, sigma):
    """scipy sees |d| in floats, which are off by 1e-16: that much of 2e-7 is 1e-9."""
    which = ("value", "gradient").index(quantity)

    def error(x):
        return abs(value_and_gradient(name, x)[which] - value_and_gradient("exact", x)[which])

    sigma = float(Fraction(sigma))
    mean = expectation(error, 0.0, sigma, KINKS.get(name, []))
    square = expectation(lambda x: error(x) ** 2, 0.0, sigma, KINKS.get(name, []))
    want = [mean, math.sqrt(square)]
    assert of(name, "exact", quantity, sigma) == pytest.approx(want, rel=1e-7)


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
