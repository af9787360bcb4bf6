"""Python's floats: near the truth everywhere, and infinite rather than an error."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.arithmetic.floats import FLOATS
from tests.arithmetic.expressions import FUNCTIONS, Truth
from tests.truth.mpmath import M


@pytest.mark.parametrize("name", FUNCTIONS)
@given(x=st.floats(-26, 26) | st.floats(-1e-3, 1e-3))
def test_a_function_is_right_to_within_a_few_units(name, x):
    want = FUNCTIONS[name](Truth(), M.mpf(x))
    assert abs(M.mpf(FUNCTIONS[name](FLOATS, x)) - want) <= 4 * M.mpf(2) ** -52 * abs(want)


@pytest.mark.parametrize(
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
    assert FUNCTIONS[name](FLOATS, x) == want


def test_constants_are_the_nearest_floats():
    assert FLOATS.pi == float(M.pi)
    assert FLOATS.rational(Fraction(1, 3)) == 1 / 3
    assert type(FLOATS.rational(2)) is float
    assert FLOATS.sqrt(2.0) == 2**0.5
