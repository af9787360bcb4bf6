"""Averages against closed forms, quadrature by mpmath, and limits of narrow distributions."""

from flint import arb

from gelu_cli.calculus.averages import (
    Uniform,
    integrals,
    mean_absolute_error,
    moments,
    normal,
    root_mean_square_error,
)
from gelu_cli.calculus.curves import compare
from gelu_cli.formulas import find_form, typed_form
from gelu_cli.numbers import Decimals
from gelu_cli.numbers.rounding import working
from tests.truth.gaussian import of_relu
from tests.truth.mpmath import FORMS, M, ratio


def pair(form, target="exact", quantity="value"):
    """Return a comparison by labels."""
    return compare(typed_form(form), typed_form(target), quantity)


def test_moments_of_relu_are_its_closed_forms_for_every_mean():
    for mean, sigma in (("0", "1"), ("1", "2"), ("-3", "1"), ("-0.3", "0.01"), ("20", "1")):
        found = moments(find_form("relu"), normal(mean, sigma))
        for got, want in zip(found, of_relu(mean, sigma), strict=False):
            assert M.almosteq(got, want, M.mpf(10) ** -14) or abs(want) < M.mpf(10) ** -300


def test_moments_and_errors_agree_with_quadrature():
    with M.workdps(30):
        for name in ("mish", "igelu", "squareplus", "elu"):
            ends = [-14, -3, -1, 0, 1, 3, 14]
            if name == "igelu":
                end = ratio("1.769") * M.sqrt(2)
                ends = [-14, -end, 0, end, 14]
            form = FORMS[name]
            square = M.quad(lambda x, f=form: (f(x) - FORMS["exact"](x)) ** 2 * M.npdf(x), ends)
            rms = root_mean_square_error(pair(name), normal())
            assert abs(rms / M.sqrt(square) - 1) < 1e-14, name


def test_forms_that_touch_at_zero_to_high_order_have_averages():
    # The cubic argument with (4 − π)/(6π) leaves an error of order x⁶ at 0.
    of, errors = normal(), pair("tanh_taylor")
    mean, rms = mean_absolute_error(errors, of), root_mean_square_error(errors, of)
    with M.workdps(30):
        error = lambda x: FORMS["tanh_taylor"](x) - FORMS["exact"](x)  # noqa: E731
        ends = [-14, -6, -3, -1, 0, 1, 3, 6, 14]
        assert abs(mean / M.quad(lambda x: abs(error(x)) * M.npdf(x), ends) - 1) < 1e-14
        assert abs(rms / M.sqrt(M.quad(lambda x: error(x) ** 2 * M.npdf(x), ends)) - 1) < 1e-14


def test_averages_far_out_are_faint_or_nearly_straight():
    assert moments(find_form("exact"), normal(30, 1)).mean == 30.0
    assert moments(find_form("exact"), normal(-60, 1)).mean == -0.0
    faint = moments(find_form("exact"), normal(-8, "0.5"), Decimals(20)).mean
    with M.workdps(40):
        want = M.quad(lambda x: x * M.ncdf(x) * 2 * M.npdf((x + 8) * 2), [-20, -9, -8, -6, -2, 2])
    assert M.almosteq(M.mpf(str(faint)), want, M.mpf(10) ** -18)


def test_root_mean_squares_over_a_range():
    with M.workdps(30):
        square = M.quad(lambda x: (FORMS["exact"](x) - max(x, 0)) ** 2, [-4, 0, 4]) / 8
    assert root_mean_square_error(pair("relu"), Uniform(-4, 4)) == float(M.sqrt(square))


def test_integrals_enclose_closed_forms_beside_poles_and_far_from_them():
    with working(400):
        for pole in (arb((1, -20)), arb(1) / 3, arb(1000)):
            f = lambda x, a=pole: [a / (x * x + a * a), (x / a).exp()]  # noqa: E731
            for bits in (60, 300):
                angle, rise = integrals([(arb(-1) / 7, arb(2) / 3, f)], bits)
                assert angle.overlaps((2 / (3 * pole)).atan() + (1 / (7 * pole)).atan())
                assert rise.overlaps(pole * ((2 / (3 * pole)).exp() - (-1 / (7 * pole)).exp()))
                assert min(angle.rel_accuracy_bits(), rise.rel_accuracy_bits()) >= bits
