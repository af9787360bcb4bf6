"""Averages of any function: each statistic is rounded once."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus import averages as rule
from gelu_cli.calculus.averages import Integrand, averages
from gelu_cli.calculus.quadrature import FIRST_LEVEL
from gelu_cli.errors import ComputationError
from gelu_cli.stages import watched_by
from tests.truth.mpmath import M, decimal_of, fraction, nearest, ratio

LINE = (-math.inf, math.inf)


def mean_of(f, mean=0, sigma=1, rounding=FLOAT64, ends=lambda a: LINE):
    """E f(X), f being a function of (arithmetic, part, x)."""
    (result,) = averages(
        lambda a: Integrand(ends(a), lambda part, x: f(a, part, x)),
        lambda sample: [sample.mean(sample.values)],
        Fraction(mean), Fraction(sigma), rounding,
    )  # fmt: skip
    return result


@settings(max_examples=12)
@given(
    mean=st.fractions(-100, 100, max_denominator=10**4),
    sigma=st.fractions(Fraction(1, 10**4), 100, max_denominator=10**4),
)
def test_powers_have_the_moments_of_the_normal_distribution(mean, sigma):
    m, v = mean, sigma**2
    for power, want in ((1, m), (2, m**2 + v), (4, m**4 + 6 * m**2 * v + 3 * v**2)):
        assert mean_of(lambda a, part, x, n=power: x**n, mean, sigma) == nearest(want)


@pytest.mark.parametrize("sigma", ["1e-6", "1/3", 1])
@pytest.mark.parametrize("digits", [10, 40, 100])
def test_an_exponential_has_its_closed_form_to_every_digit(sigma, digits):
    got = mean_of(lambda a, part, x: a.exp(x), sigma=sigma, rounding=Decimals(digits))
    assert got == decimal_of(M.exp(ratio(sigma) ** 2 / 2), digits)


@pytest.mark.parametrize("cut", [0, -2, "1/2"])
@pytest.mark.parametrize("sigma", ["1/3", 2])
def test_a_step_is_cut_where_it_is(cut, sigma):
    got = mean_of(
        lambda a, part, x: a.rational(part), sigma=sigma,
        ends=lambda a: (-math.inf, a.rational(Fraction(cut)), math.inf),
    )  # fmt: skip
    assert got == nearest(fraction(M.erfc(ratio(cut) / ratio(sigma) / M.sqrt(2)) / 2))


@pytest.mark.parametrize(("rounding", "want"), [(FLOAT64, 0.25), (Decimals(1), 0)])
def test_a_rational_average_is_settled(rounding, want):
    """1/4 is exact in float64 and half way between two numbers of one digit."""
    for sign in (1, -1):
        got = mean_of(lambda a, part, x, s=sign: s * x * x / 4, rounding=rounding)
        assert got == sign * (want or decimal_of(ratio("1/4"), 1))


def test_what_is_0_is_0_and_what_is_tiny_is_not():
    assert mean_of(lambda a, part, x: x * 0) == 0
    tiny = Fraction(1, 10**250)
    assert mean_of(lambda a, part, x: x * x * a.rational(tiny)) == 1e-250


def test_statistics_may_be_anything_of_a_sample():
    def statistics(sample):
        mean = sample.mean(sample.values)
        return mean, sample.a.sqrt(sample.mean([(y - mean) ** 2 for y in sample.values]))

    got = averages(lambda a: Integrand(LINE, lambda part, x: 3 * x), statistics,
                   Fraction(1, 3), Fraction(1, 7), FLOAT64)  # fmt: skip
    assert got == [1.0, nearest(Fraction(3, 7))]


def test_what_changes_too_quickly_is_refused(monkeypatch):
    """A step off the centre that the integral is not cut at."""
    monkeypatch.setattr(rule, "LAST_LEVEL", 8)
    with pytest.raises(ComputationError, match="changes too quickly"):
        mean_of(
            lambda a, part, x: a.context.sign(x - a.rational(Fraction(1, 3))), rounding=Decimals(2)
        )


def test_what_has_no_scale_of_its_own_is_refused_before_the_last_level(monkeypatch):
    """Where no digit agrees on the first levels, the last ones would take most of the time."""
    told = []
    with (
        pytest.raises(ComputationError, match="take a --sigma nearer to the scale of the form"),
        watched_by(told.append),
    ):
        mean_of(lambda a, part, x: a.exp(300 * a.context.sin((3 * x - 1) ** 2 * 10**9)))
    assert len(told) <= rule.LAST_LEVEL - FIRST_LEVEL - 2


def test_a_bend_within_a_width_is_averaged_on_its_own_scale():
    """E of w²/(w² + X²), w = 10⁻⁹, whose mass lies within w of 0."""
    w = M.mpf(10) ** -9
    (got,) = averages(
        lambda a: Integrand(
            LINE, lambda part, x: 1 / (1 + (x * 10**9) ** 2), [(0, a.rational(Fraction(1, 10**9)))]
        ),
        lambda sample: [sample.mean(sample.values)],
        Fraction(0), Fraction(1), FLOAT64,
    )  # fmt: skip
    want = w * M.sqrt(M.pi / 2) * M.exp(w**2 / 2) * M.erfc(w / M.sqrt(2))
    assert got == nearest(fraction(want))


def test_a_long_part_is_cut_at_the_scales_between_its_ends():
    """Where a bend of width 10⁻⁹ lies at an end of it; 1/(1 + (x − low)/w) is no narrower."""
    low, w = Fraction(1, 3), Fraction(1, 10**9)

    def integrand(a):
        ends = (-math.inf, a.rational(low), a.rational(low + 1), math.inf)
        at = a.rational(low)
        return Integrand(
            ends, lambda part, x: 1 / (1 + abs(x - at) * 10**9), [(at, a.rational(w)), (at + 1, 1)]
        )

    (got,) = averages(
        integrand, lambda sample: [sample.mean(sample.values)], Fraction(0), Fraction(1), FLOAT64
    )
    with M.workdps(30):
        at, ends = ratio(low), [0, *(M.mpf(10) ** n for n in range(-10, 2)), 14]
        right, left = (
            M.quad(lambda t, s=side: M.npdf(at + s * t) / (1 + t * 10**9), ends) for side in (1, -1)
        )
        assert got == nearest(fraction(left + right))


@pytest.mark.parametrize(
    ("before", "common", "enough"),
    [(14, 38, True), (18, 37, True), (18, 36, False), (30, 40, False), (39, 40, False),
     (0, 64, False), (0, 0, False)],
)  # fmt: skip
def test_a_sample_is_left_out_where_agreement_doubles_and_the_next_would_be_more_than_enough(
    before, common, enough
):
    """Of 65 bits and 8 more: 38 promise 76; 40 after 30 promise no more than 53."""
    assert rule._would_agree(before, common, 65) is enough


def test_the_last_step_is_not_halved_for_a_sample_that_only_confirms():
    steps = []
    with watched_by(steps.append):
        got = mean_of(lambda a, part, x: a.exp(x), ends=lambda a: (-math.inf, 0, math.inf))
    assert got == nearest(fraction(M.exp(M.mpf(1) / 2)))
    assert [step.partition(",")[2].partition(",")[0] for step in steps] == [
        f" step 1/{2**level}" for level in (2, 3, 4)
    ]
