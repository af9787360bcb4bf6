"""Sums of floats and of their squares are those of fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.calculus.exact_sums import MOST, ROOT_BITS, exact_sums, square_root

RANDOM = np.random.default_rng(6)
LARGEST = math.nextafter(math.inf, 0)
ALL_BITS = math.nextafter(2.0, 0)


@pytest.mark.parametrize(
    "numbers",
    [
        [],
        [0.0],
        [5e-324, 0.0, LARGEST, 1.0],
        [2.0**-1030, 2.0**-1022, 0.1],
        RANDOM.lognormal(0, 40, 1000).tolist(),
        np.abs(RANDOM.normal(size=1000)).tolist(),
    ],
)
def test_the_sums_are_exact(numbers):
    fractions = [*map(Fraction, numbers)]
    want = sum(fractions), sum(y * y for y in fractions)
    assert exact_sums(np.array(numbers, dtype=np.float64)) == want


def test_so_many_numbers_of_all_bits_do_not_overflow():
    y = Fraction(ALL_BITS)
    assert exact_sums(np.full(MOST, ALL_BITS)) == (MOST * y, MOST * y * y)


@pytest.mark.parametrize(
    "y", [Fraction(2), Fraction(1, 3), Fraction(10) ** 600, Fraction(1, 10**600)]
)
def test_the_square_root_has_its_bits(y):
    root = square_root(y)
    assert root**2 <= y < (root * (1 + Fraction(2, 2**ROOT_BITS))) ** 2


def test_a_number_is_the_root_of_its_square():
    for y in (0.1, 5e-324, LARGEST, 0.0):
        assert square_root(Fraction(y) ** 2) == Fraction(y)
    assert square_root(math.inf) == math.inf
