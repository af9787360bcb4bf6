"""How often a form is negative: by mpmath's Φ between roots found there, and by sampling."""

import math
from fractions import Fraction

import numpy as np

from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.landmarks import negative_probability
from gelu_cli.old.formulas import all_forms, find_form
from gelu_cli.old.formulas.published import published_forms
from gelu_cli.old.values.evaluate_arrays import evaluate_array
from tests.old.asked import set_to
from tests.old.every import every
from tests.truth.mpmath import FORMS, M, decimal_of, ratio

INPUTS = [(0, 1), (1, 1), ("-0.7", "1/3"), (30, 1), ("-1/4", 12)]


def share_below(x, mean, sigma):
    """Return Φ((x − mean)/sigma)."""
    return M.erfc((ratio(mean) - x) / ratio(sigma) / M.sqrt(2)) / 2


@every(("mean", "sigma"), INPUTS)
@every("name", ["exact", "tanh", "sigmoid", "silu", "mish", "elu"])
def test_a_form_with_the_sign_of_x_is_negative_as_often_as_x_is(name, mean, sigma):
    want = decimal_of(share_below(0, mean, sigma), 30)
    got = negative_probability(find_form(name), Fraction(mean), Fraction(sigma), Decimals(30))
    assert got == want


@every("name", ["relu", "softplus", "noisy_relu"])
def test_a_form_that_is_never_negative_is_so_with_probability_0(name):
    assert negative_probability(find_form(name), Fraction(0), Fraction(1), FLOAT64) == 0


@every(("mean", "sigma"), INPUTS)
def test_hard_gelu_is_negative_between_its_kink_and_0(mean, sigma):
    low, high = (share_below(x, mean, sigma) for x in (-3 / M.mpf("1.702"), 0))
    want = decimal_of(high - low, 25)
    got = negative_probability(find_form("hard"), Fraction(mean), Fraction(sigma), Decimals(25))
    assert got == want


@every(("mean", "sigma"), INPUTS)
def test_a_polynomial_that_crosses_0_is_negative_up_to_its_root(mean, sigma):
    """With c1 = 1 the quintic of the gate is 0 within the range, on the left of 0."""
    form = set_to("polynomial", c1="1")
    f = lambda x: FORMS["polynomial"](x, c1="1")  # noqa: E731
    root = M.findroot(f, (-0.7, -0.5), solver="anderson")
    assert abs(f(root)) < M.mpf(10) ** -100
    grid = np.linspace(-2.775, 0, 2000)[1:-1]
    signs = [f(M.mpf(x)) < 0 for x in grid.tolist()]
    assert signs == [x > root for x in grid.tolist()]
    low, high = (share_below(x, mean, sigma) for x in (root, 0))
    want = decimal_of(high - low, 20)
    assert negative_probability(form, Fraction(mean), Fraction(sigma), Decimals(20)) == want


@every(
    "form",
    [
        *all_forms().values(),
        *published_forms().values(),
        set_to("sigmoid", beta="-2"),
        set_to("elu", alpha="-1"),
        set_to("elu", alpha="0"),
        set_to("tanh", c="-1/9"),
    ],
    ids=lambda form: f"{form.name}{dict(form.chosen) or ''}",
)
def test_a_sample_is_negative_as_often(form):
    mean, sigma, n = 0.3, 1.7, 20_000
    x = mean + sigma * np.random.default_rng(3).standard_normal(n)
    (y,) = evaluate_array(form, ["value"], x, FLOAT64)
    got = float(negative_probability(form, Fraction(mean), Fraction(sigma), FLOAT64))
    error = math.sqrt(max(got * (1 - got), 1 / n) / n)
    assert abs(np.mean(y < 0) - got) < 4 * error
