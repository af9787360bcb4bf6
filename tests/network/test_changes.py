"""What a swap of forms changes, against closed forms and mpmath's sums."""

import math

from gelu_cli.calculus.averages import normal
from gelu_cli.formulas import typed_form
from gelu_cli.network.changes import Change, change
from gelu_cli.numbers import FLOAT64, Decimals
from tests.truth.mpmath import FORMS, M, decimal_of, ratio


def of(form, target, mean=0, sigma=1, to=FLOAT64, *, gated=False):
    return change(typed_form(form), typed_form(target), normal(mean, sigma), to, gated=gated)


def of_squares(value, slope, digits):
    """r, dB and the same of the gradient, from ratios of mean squares."""
    return Change(
        *(
            decimal_of(y, digits)
            for square in (value, slope)
            for y in (M.sqrt(square), 10 * M.log10(square))
        )
    )


def test_twenty_digits_are_those_of_sums():
    """By the trapezoidal rule, whose error is far below 1e-25 for analytic forms."""
    step = M.mpf(1) / 12
    nodes = range(-11 * 12, 11 * 12 + 1)
    for form, mean, sigma in [("tanh", 0, 1), ("sigmoid", "1/2", 2), ("silu", -2, "1/2")]:
        with M.workdps(32):
            xs = [ratio(mean) + ratio(sigma) * step * k for k in nodes]
            weights = [step * M.npdf(step * k) for k in nodes]

            def ratio_of(quantity, g=form, xs=xs, weights=weights):
                pairs = [(quantity(FORMS["exact"], x), quantity(FORMS[g], x)) for x in xs]
                return M.fdot(weights, [(b - a) ** 2 for a, b in pairs]) / M.fdot(
                    weights, [a * a for a, _ in pairs]
                )

            want = of_squares(ratio_of(lambda f, x: f(x)), ratio_of(M.diff), 20)
        assert of(form, "exact", mean, sigma, Decimals(20)) == want, form


def test_a_wide_gated_block_weighs_the_branches_by_the_ups():
    """Of leaky relu all ratios are slope²; of S = 3 the branch of h counts nine times."""
    square = (ratio(3) ** 2 * ratio("0.01") + ratio("0.01") * 9) / (9 + 9)
    found = of("leaky_relu:slope=0.1", "relu", sigma=3, to=Decimals(30), gated=True)
    assert found == of_squares(square, square, 30)
    m, s = ratio("1/2"), ratio(3)
    above = (m * m + s * s) * M.ncdf(m / s) + m * s * M.npdf(m / s)
    below, share = m * m + s * s - above, M.ncdf(-m / s)
    slope = ratio("0.01") * (s * s * share + below) / (s * s * (1 - share) + above)
    found = of("leaky_relu:slope=0.1", "relu", "1/2", 3, Decimals(30), gated=True)
    assert found == of_squares(ratio("0.01") * below / above, slope, 30)


def test_a_form_in_its_own_place_changes_nothing():
    want = Change(0.0, -math.inf, 0.0, -math.inf)
    for form, target in [
        ("elu", "elu"),
        ("sigmoid:beta=1", "silu"),
        ("leaky_relu:slope=0", "relu"),
    ]:
        assert of(form, target) == of(form, target, to=Decimals(20)) == want, form


def test_tiny_changes_keep_their_digits():
    """Next to 0 both are x/2 + x²/√(2π); what is left is (c − 0.044715)·√(2/π)·x⁴/2 and more."""
    scale = abs((4 - M.pi) / (6 * M.pi) - ratio("0.044715"))
    want = scale * M.sqrt(2 / M.pi) * M.sqrt(105) * ratio("1e-27")
    assert of("tanh_taylor", "tanh", 0, "1e-9", Decimals(6)).relative_rms == decimal_of(want, 6)


def test_a_distribution_that_is_wide_for_the_forms_has_the_integral_of_their_difference():
    """E(silu − relu)² is ∫ over the axis times the density at 0, to 1/sigma²."""
    sigma = 10**6
    integral = 2 * M.quad(lambda x: (x / (1 + M.exp(x))) ** 2, [0, 1, 4, 16, 64])
    want = M.sqrt(2 * integral / M.sqrt(2 * M.pi) / ratio(sigma) ** 3)
    found = of("silu", "relu", 0, sigma).relative_rms
    assert abs(found / float(want) - 1) < 1e-9
