"""Suprema: proved by Arb, reached at the place that is named."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.dual import slope_of
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.stretches import Place, stretches
from gelu_cli.old.calculus.suprema import Hill, supremum
from tests.old.every import every
from tests.truth.mpmath import M, fraction, nearest


def of(curve, low, high, rounding=FLOAT64):
    cuts = stretches(Place.of(Fraction(low)), Place.of(Fraction(high)), [])
    return supremum([Hill(cut, curve, slope_of(curve)) for cut in cuts], rounding)


def polynomial(coefficients):
    def curve(a, x):
        total = a.rational(0)
        for coefficient in coefficients:
            total = total * x + a.rational(coefficient)
        return total

    return curve


@given(
    roots=st.lists(st.fractions(-8, 8, max_denominator=16), min_size=2, max_size=3, unique=True),
    start=st.integers(-20, 20).filter(bool),
)
def test_of_a_random_polynomial_it_is_at_a_critical_point_or_an_end(roots, start):
    """The derivative is (x − r₁)(x − r₂)…, so that every candidate is known exactly."""
    coefficients = [Fraction(1)]
    for r in roots:
        shifted = [*coefficients, Fraction(0)]
        coefficients = [u - r * v for u, v in zip(shifted, [Fraction(0), *coefficients],
                                                  strict=True)]  # fmt: skip
    n = len(coefficients)
    coefficients = [c / (n - i) for i, c in enumerate(coefficients)] + [Fraction(start)]

    def value(x):
        total = Fraction(0)
        for c in coefficients:
            total = total * x + c
        return abs(total)

    places = [Fraction(-9), Fraction(9), Fraction(0), *roots]
    best = max(map(value, places))
    got = of(polynomial(coefficients), -9, 9)
    assert got.value == nearest(best)
    assert got.x in {nearest(x) for x in places if value(x) == best}


@every(
    ("curve", "low", "high", "value", "x"),
    [
        (lambda a, x: x * x - 2 * x, -1, 3, 3, -1),  # an end, as high as the other one
        (lambda a, x: x * x, -2, 2, 4, 2),  # of opposite places the positive one
        (lambda a, x: x - x**3, -1, 1, 2 / math.sqrt(27), 1 / math.sqrt(3)),
        (lambda a, x: 0 * x - 5, -1, 1, 5, 0),  # a constant: the place nearest to 0
        (lambda a, x: a.exp(-x * x), -3, 3, 1, 0),
        (lambda a, x: a.exp(-(x - 1) * (x - 1)), -3, 3, 1, 1),
        (lambda a, x: a.exp(x), -700, 700, math.exp(700), 700),
        (lambda a, x: a.exp(-x), 600, 700, math.exp(-600), 600),
    ],
)
def test_known_suprema(curve, low, high, value, x):
    got = of(curve, low, high)
    assert got.value == pytest.approx(value, rel=1e-15)
    assert got.x == pytest.approx(x, rel=1e-15)


def test_a_narrow_peak_between_points_is_enclosed():
    """x·e^(−1000x) has its maximum 1/1000e at 1/1000."""
    got = of(lambda a, x: x * a.exp(-1000 * x), 0, 10, Decimals(30))
    with M.workdps(50):
        assert Fraction(got.value) == pytest.approx(fraction(1 / (1000 * M.e)), rel=1e-29)
    assert got.x == Decimals(30).exactly(Fraction(1, 1000))


def test_digits_of_the_place_are_as_right_as_those_of_the_value():
    """sin-like: x·(1 − x²)·e^(−x²) peaks where 2x⁴ − 5x² + 1 = 0."""
    got = of(lambda a, x: x * (1 - x * x) * a.exp(-x * x), 0, 1, Decimals(50))
    with M.workdps(80):
        x = M.sqrt((5 - M.sqrt(17)) / 4)
        want = fraction(x), fraction(x * (1 - x**2) * M.exp(-(x**2)))
    assert (got.x, got.value) == tuple(Decimals(50).exactly(y) for y in want)
