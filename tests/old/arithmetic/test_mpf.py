"""One file knows how mpmath holds its numbers, and asks nothing of it that goes away."""

import subprocess
import sys
from fractions import Fraction
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic import mpf
from gelu_cli.old.arithmetic.mpf import DOWN, INFINITY, MINUS_INFINITY, NAN, NEAREST, ONE, UP, ZERO
from tests.old.every import every

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(FLOATS)
def test_floats_and_fractions_are_held_exactly(x):
    y = mpf.from_float(x)
    assert mpf.to_float(y) == x
    assert mpf.to_fraction(y) == Fraction(x)
    n, k = mpf.significand(y)
    assert n * Fraction(2) ** k == abs(Fraction(x))
    assert mpf.bits(y) == n.bit_length()
    assert x == 0 or 2 ** (mpf.exponent(y) - 1) <= abs(Fraction(x)) < Fraction(2) ** mpf.exponent(y)


@given(st.fractions(), st.integers(1, 80))
def test_a_rounding_has_a_direction(value, precision):
    down, near, up = (mpf.from_fraction(value, precision, end) for end in (DOWN, NEAREST, UP))
    low, middle, high = map(mpf.to_fraction, (down, near, up))
    assert low <= value <= high
    assert middle in (low, high)
    assert abs(middle - value) == min(value - low, high - value)
    assert mpf.rounded(mpf.from_fraction(value, 500), precision) in (down, near, up)


@given(FLOATS.filter(lambda x: abs(x) < 1e9))
def test_integers_are_rounded_like_pythons(x):
    assert mpf.to_int(mpf.from_float(x), NEAREST) == round(x)


def test_infinities_are_numbers_that_are_not_finite():
    assert not any(map(mpf.is_finite, (INFINITY, MINUS_INFINITY, NAN)))
    assert mpf.is_finite(ZERO)
    assert mpf.is_finite(ONE)
    assert [mpf.to_float(end) for end in (MINUS_INFINITY, INFINITY)] == [-inf, inf]
    assert mpf.exponent(ZERO) == mpf.exponent(INFINITY) == 0
    assert mpf.multiply(ZERO, INFINITY) == NAN
    assert mpf.compare(MINUS_INFINITY, ZERO) < 0 < mpf.compare(INFINITY, ONE)


ALONE = """
import sys
from gelu_cli.old.arithmetic import mpf
assert "mpmath" not in sys.modules
import mpmath
assert mpmath.libmp is not mpf.libmp and mpmath.libmp.fzero == mpf.ZERO
assert mpmath.mp.make_mpf(mpf.exp(mpf.ONE, 53)) == mpmath.mp.exp(1)
"""
ELSEWHERE = """
import sys, importlib.util
{}
from gelu_cli.old.arithmetic import mpf
import mpmath
assert mpmath.libmp is mpf.libmp
"""


@every(
    "script",
    [
        ALONE,
        ELSEWHERE.format("import mpmath"),
        ELSEWHERE.format("importlib.util.module_from_spec = None"),
    ],
    ids=["alone", "there already", "not to be loaded alone"],
)
def test_the_stateless_layer_is_loaded_alone_or_is_that_of_mpmath(script):
    subprocess.run([sys.executable, "-c", script], check=True)
