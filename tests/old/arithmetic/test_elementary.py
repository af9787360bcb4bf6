"""The functions that mpmath lacks, or that fail far out, against Arb's balls."""

from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from mpmath import libmp

from gelu_cli.old.arithmetic.mpf import exp, expm1, minus_erfc, softplus
from tests.old.every import every

BALLS = {
    expm1: lambda x: x.expm1(),
    softplus: lambda x: x.exp().log1p(),
    minus_erfc: lambda x: -x.erfc(),
}
every_function = every("f", BALLS, ids=lambda f: f.__name__)
PRECISIONS = st.sampled_from([24, 53, 100, 400])
TINY = st.floats(-1e-3, 1e-3) | st.sampled_from([5e-324, -5e-324, 1e-200, -1e-200])


def assert_accurate(f, x, precision, bits):
    """The relative error is below four units of the precision asked for."""
    y = f(libmp.from_float(x), precision)
    sign, man, exp, _ = y
    with ctx.workprec(bits):
        got, want = arb((-1) ** sign * int(man)) * arb(2) ** exp, BALLS[f](arb(x))
        assert abs(got - want) <= abs(want) * arb(2) ** (3 - precision)


@every_function
@given(x=st.floats(-700, 700) | st.floats(-40, 40) | TINY.filter(bool), precision=PRECISIONS)
def test_the_relative_error_is_that_of_the_precision(f, x, precision):
    assert_accurate(f, x, precision, 3000)


@every("side", [-1, 1])
@every("x", [2.0**63, 2.0**64, 3e19, 2.0**65, 1e30, 1e154, 1e160, 1e308])
@every("precision", [53, 200, 700])  # one term of the series, two, more
def test_erfc_far_out(x, side, precision):
    assert_accurate(minus_erfc, side * x, precision, 3000)


@every("precision", [53, 200])
@every("x", [-1e4, -1e9, 1e4])
@every("f", [expm1, softplus])
def test_exponentials_far_out(f, x, precision):
    if x > 0 or f is expm1:
        assert_accurate(f, x, precision, 3000)
    else:  # log(1 + eˣ) = eˣ to more digits than are there
        y = f(libmp.from_float(x), precision)
        exponential = libmp.mpf_exp(libmp.from_float(x), precision + 20)
        error = libmp.mpf_abs(libmp.mpf_sub(y, exponential))
        assert libmp.mpf_le(error, libmp.mpf_shift(exponential, 1 - precision))


def test_at_zero():
    assert expm1(libmp.fzero, 53) == libmp.fzero
    assert minus_erfc(libmp.fzero, 53) == libmp.fnone
    assert libmp.to_float(softplus(libmp.fzero, 53)) == 0.6931471805599453


@every("precision", [53, 700, 3000])
@every("x", [2.0**64, -(2.0**64), -1.5 * 2.0**64, -(2.0**65), -1e19, 1e25, -1e300])
def test_the_exponential_of_a_large_whole_number_is_2_to_n_times_one_of_a_small_one(x, precision):
    """Against e to more digits than its power has, 2**64 being on this side and 2**65 beyond."""
    got = exp(libmp.from_float(x), precision)
    whole = int(x)
    if abs(whole) < 10**26:
        e = libmp.mpf_e(precision + 200)
        want = libmp.mpf_pow_int(e, whole, precision + 20, "n")
    else:
        with ctx.workprec(5000):
            n = int((arb(whole) / arb.const_log2()).mid().floor().unique_fmpz())
            rest = (arb(whole) - n * arb.const_log2()).exp()
            man, exponent = rest.mid().man_exp()
        want = libmp.from_man_exp(int(man), int(exponent) + n)
    error = libmp.mpf_abs(libmp.mpf_sub(got, want, 53))
    assert libmp.mpf_le(error, libmp.mpf_shift(want, 3 - precision))


@every("precision", [24, 53, 64, 100, 127, 128, 400])
@every("scale", [0.5, 0.99, 1.0, 1.01, 2.0, 4.1])
@every("f", [expm1, softplus, minus_erfc])
def test_where_a_limit_stands_for_a_function_it_is_near_enough(f, scale, precision):
    """1 − e^−x, x + e⁻ˣ and 2 − erfc(x), on both sides of where the second term is dropped."""
    end = 2 ** precision.bit_length()
    x = {expm1: -end, softplus: end, minus_erfc: -((precision * 0.6931) ** 0.5)}[f] * scale
    assert_accurate(f, float(x), precision, 3000)
