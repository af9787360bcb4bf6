"""Nodes and weights: what the normal density weighs, from one end to the other."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.arithmetic.multiprecision import Multiprecision
from gelu_cli.calculus.quadrature import FIRST_LEVEL, Normal, nodes
from tests.truth.mpmath import M, ratio

A = Multiprecision(140)
ACCURACY = M.mpf(2) ** -110


def integral(f, mean, sigma, low=-math.inf, high=math.inf, level=6, width=1):
    """The integral of f against N(mean, sigma²) from low to high, all levels added up."""
    normal = Normal(A.rational(Fraction(mean)), A.rational(Fraction(sigma)), A.precision)
    low, high = (end if math.isinf(end) else A.rational(Fraction(end)) for end in (low, high))
    total = A.context.fsum(
        weight * f(x)
        for each in range(FIRST_LEVEL, level + 1)
        for x, weight in nodes(A, normal, low, high, each, A.rational(Fraction(width)))
    )
    return M.mpf(total) / 2**level


def mass(mean, sigma, low, high):
    """P(low < X < high), from the tail that does not cancel."""
    u, v = ((ratio(end) - ratio(mean)) / ratio(sigma) if math.isfinite(end) else M.mpf(end)
            for end in (low, high))  # fmt: skip
    return (M.erfc(u / M.sqrt(2)) - M.erfc(v / M.sqrt(2))) / 2


@pytest.mark.parametrize("mean", [0, 40])
@pytest.mark.parametrize("sigma", ["1e-6", 3, "1e6"])
def test_on_the_whole_line_mass_mean_and_square_are_the_distributions(mean, sigma):
    m, s = ratio(mean), ratio(sigma)
    for f, want in ((lambda x: 1, 1), (lambda x: x, m), (lambda x: x * x, m**2 + s**2)):
        assert abs(integral(f, mean, sigma) - want) <= ACCURACY * (1 + m**2 + s**2)


@pytest.mark.parametrize(
    ("low", "high"),
    [(-math.inf, 0), (0, math.inf), (-math.inf, -3), (2, math.inf), (-1, 1), (-1.76, 0), (0, 2.5)],
)
@pytest.mark.parametrize(("mean", "sigma"), [("1/2", 2), (0, 30)])
def test_on_a_part_of_it_the_mass_is_erfcs(mean, sigma, low, high):
    got = integral(lambda x: 1, mean, sigma, low, high)
    assert abs(got - mass(mean, sigma, low, high)) <= ACCURACY


@pytest.mark.parametrize(("low", "high", "mean"), [(-10, math.inf, 10), (-math.inf, 10, -10)])
def test_a_half_line_may_begin_far_from_the_mean(low, high, mean):
    assert abs(integral(lambda x: 1, mean, "1/4", low, high, level=8) - 1) <= ACCURACY


@pytest.mark.parametrize("low", [-math.inf, 0])
@pytest.mark.parametrize("sigma", [1, 3, 1000])
def test_what_is_left_out_far_away_is_below_the_precision(sigma, low):
    """Of the fourth power too, of which more lies there."""
    got = integral(lambda x: x**4, 0, sigma, low)
    want = 3 * sigma**4 * (M.mpf(1) if low else M.mpf(1) / 2)
    assert abs(got - want) <= want * M.mpf(2) ** (4 - A.precision)


def test_where_sigma_is_large_a_change_near_0_is_seen():
    """The mean of 1/(1 + x²), which has no more than that to change in."""
    s = M.mpf(1000)
    want = M.sqrt(M.pi / 2) / s * M.exp(1 / (2 * s**2)) * M.erfc(1 / (s * M.sqrt(2)))
    assert abs(integral(lambda x: 1 / (1 + x * x), 0, 1000) - want) <= ACCURACY


@pytest.mark.parametrize("low", [-math.inf, 0])
@pytest.mark.parametrize("width", ["1e-3", "1e-12"])
def test_a_change_within_a_width_is_seen_on_the_same_levels_however_small_it_is(width, low):
    """The mean of w²/(w² + x²) for X ~ N(0, 1), or half of it."""
    w = ratio(width)
    want = (
        w
        * M.sqrt(M.pi / 2)
        * M.exp(w**2 / 2)
        * M.erfc(w / M.sqrt(2))
        * (1 if low else M.mpf(1) / 2)
    )
    got = integral(lambda x: w**2 / (w**2 + x * x), 0, 1, low, level=7, width=width)
    assert abs(got - want) <= ACCURACY


def test_and_a_narrow_density_far_from_0_is_seen_too():
    assert abs(integral(lambda x: 1, 10**4, 3) - 1) <= ACCURACY


@settings(max_examples=2)
@given(
    mean=st.fractions(-3, 3, max_denominator=100),
    sigma=st.fractions(Fraction(1, 10), 10, max_denominator=100),
    cuts=st.sets(st.fractions(-4, 4, max_denominator=8), max_size=3),
)
def test_parts_add_up_to_the_whole(mean, sigma, cuts):
    ends = [-math.inf, *sorted(cuts), math.inf]
    for f, want in ((lambda x: 1, 1), (lambda x: x, mean)):
        total = sum(integral(f, mean, sigma, *part, level=7) for part in pairwise(ends))
        assert abs(total - ratio(want)) <= ACCURACY * 100


@pytest.mark.parametrize(("low", "high"), [(-math.inf, math.inf), (0, math.inf), (-1, 2)])
def test_each_level_halves_the_step_and_repeats_no_point(low, high):
    normal = Normal(A.rational(0), A.rational(1), A.precision)
    ends = [end if math.isinf(end) else A.rational(end) for end in (low, high)]
    levels = [[x for x, _ in nodes(A, normal, *ends, level)] for level in (2, 3, 4)]
    points = [x for level in levels for x in level]
    inner = [x for x in points if low < x < high]  # next to an end nodes round to it
    assert len(set(inner)) == len(inner) > 0.5 * len(points)
    assert all(low <= x <= high for x in points)
    assert abs(len(levels[1]) - len(levels[0])) <= 2
    assert abs(len(levels[2]) - 2 * len(levels[1])) <= 2


def test_the_error_falls_geometrically():
    errors = [abs(integral(lambda x: 1 / (1 + x * x), 0, 1, level=level) - want)
              for want in [M.sqrt(M.pi / 2) * M.exp(M.mpf(1) / 2) * M.erfc(1 / M.sqrt(2))]
              for level in (2, 3)]  # fmt: skip
    # The poles at ±i give e^(−2π/step).
    for step, error in zip((4, 8), errors, strict=True):
        assert error < 20 * math.exp(-2 * math.pi * step)
