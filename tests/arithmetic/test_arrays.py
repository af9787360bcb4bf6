"""Arrays of float64: every element as near the truth as numpy and scipy are."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.arithmetic.arrays import ARRAYS
from tests.arithmetic.expressions import FUNCTIONS, Truth
from tests.truth.mpmath import M

X = np.concatenate([np.linspace(-26, 26, 101), [-1e-9, 1e-9, -3e-300, 0.0]])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_right_to_within_a_few_units(name):
    got = FUNCTIONS[name](ARRAYS, X)
    accuracy = 1e-13 if name == "erfc" else 2e-15  # scipy's loses digits far out
    assert (got.shape, got.dtype) == (X.shape, np.float64)
    for x, y in zip(X.tolist(), got.tolist(), strict=True):
        want = FUNCTIONS[name](Truth(), M.mpf(x))
        assert abs(M.mpf(y) - want) <= accuracy * abs(want), x


@pytest.mark.parametrize(
    ("name", "limits"),
    [("erfc", [2, 0]), ("σ(x)", [0, 1]), ("softplus", [0, math.inf]), ("expm1", [-1, math.inf]),
     ("exp", [0, math.inf])],
)  # fmt: skip
def test_infinities_give_limits(name, limits):
    assert FUNCTIONS[name](ARRAYS, np.array([-math.inf, math.inf])).tolist() == limits


def test_constants_broadcast():
    assert (ARRAYS.rational(Fraction(1, 3)) * np.ones((2, 3))).tolist() == [[1 / 3] * 3] * 2
    assert ARRAYS.pi == math.pi
    assert ARRAYS.sqrt(np.array([4.0, 2.0])).tolist() == [2.0, 2**0.5]
