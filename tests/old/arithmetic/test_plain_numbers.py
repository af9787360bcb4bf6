"""Arrays of float64s: as accurate as numpy and scipy are."""

import math
from fractions import Fraction

import numpy as np

from gelu_cli.old.arithmetic.arrays import ARRAYS
from tests.old.arithmetic.expressions import FUNCTIONS, Truth
from tests.old.every import every
from tests.truth.mpmath import M


@every(
    ("name", "x", "want"),
    [
        ("exp", 800.0, math.inf), ("exp", -800.0, 0), ("exp", math.inf, math.inf),
        ("exp", -math.inf, 0), ("expm1", 800.0, math.inf), ("expm1", -800.0, -1),
        ("expm1", math.inf, math.inf), ("erfc", 1e300, 0), ("erfc", -1e300, 2),
        ("σ(x)", 1e300, 1), ("σ(x)", -1e300, 0), ("σ(x)", -math.inf, 0),
        ("softplus", 1e300, 1e300), ("softplus", -1e300, 0), ("softplus", math.inf, math.inf),
    ],
)  # fmt: skip
def test_far_out_it_is_at_its_limit(name, x, want):
    with np.errstate(all="ignore"):
        assert FUNCTIONS[name](ARRAYS, np.float64(x)) == want


def test_constants_are_the_nearest_floats():
    assert ARRAYS.pi == float(M.pi)
    assert (ARRAYS.rational(Fraction(1, 3)) * np.ones((2, 3))).tolist() == [[1 / 3] * 3] * 2
    assert ARRAYS.sqrt(np.array([4.0, 2.0])).tolist() == [2.0, 2**0.5]


X = np.concatenate([np.linspace(-26, 26, 101), [-1e-9, 1e-9, -3e-300, 0.0]])


@every("name", FUNCTIONS)
def test_of_arrays_it_is_right_to_within_a_few_units(name):
    got = FUNCTIONS[name](ARRAYS, X)
    accuracy = 1e-13 if name == "erfc" else 2e-15  # scipy's loses digits far out
    assert (got.shape, got.dtype) == (X.shape, np.float64)
    for x, y in zip(X.tolist(), got.tolist(), strict=True):
        want = FUNCTIONS[name](Truth(), M.mpf(x))
        assert abs(M.mpf(y) - want) <= accuracy * abs(want), x


@every(
    ("name", "limits"),
    [("erfc", [2, 0]), ("σ(x)", [0, 1]), ("softplus", [0, math.inf]), ("expm1", [-1, math.inf]),
     ("exp", [0, math.inf])],
)  # fmt: skip
def test_infinities_give_limits(name, limits):
    assert FUNCTIONS[name](ARRAYS, np.array([-math.inf, math.inf])).tolist() == limits
