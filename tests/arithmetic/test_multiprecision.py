"""Plain numbers of any precision: right to their last bits, and all by themselves."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gelu_cli.arithmetic.multiprecision import Multiprecision, multiprecision
from tests.arithmetic.expressions import FUNCTIONS, Truth
from tests.truth.mpmath import M, fraction, ratio

PRECISIONS = st.sampled_from([53, 85, 200])


@pytest.mark.parametrize("name", FUNCTIONS)
@given(x=st.fractions(-45, 45) | st.fractions(Fraction(-1, 10**9), Fraction(1, 10**9)),
       precision=PRECISIONS)  # fmt: skip
def test_a_function_is_right_to_its_last_bits(name, x, precision):
    a = Multiprecision(precision)
    x = a.rational(x)
    got, want = M.mpf(FUNCTIONS[name](a, x)), FUNCTIONS[name](Truth(), M.mpf(x))
    assert abs(got - want) <= abs(want) * M.mpf(2) ** (2 - precision)


@given(x=st.fractions(), precision=PRECISIONS)
@example(x=Fraction(14779637448049291, 4838), precision=53)  # whose numerator has 54 bits
def test_a_rational_is_the_nearest_number(x, precision):
    got = fraction(Multiprecision(precision).rational(x))
    assert abs(got - x) <= abs(x) * Fraction(2) ** -precision


@pytest.mark.parametrize("precision", [53, 300])
def test_pi_and_roots(precision):
    a = Multiprecision(precision)
    assert abs(M.mpf(a.pi) - M.pi) <= M.mpf(2) ** (2 - precision)
    assert abs(M.mpf(a.sqrt(a.rational(2))) - M.sqrt(2)) <= M.mpf(2) ** -precision


def test_the_tails_do_not_cancel():
    a = Multiprecision(60)
    for x in (-40, -12, 12, 40):
        assert a.erfc(a.rational(-x)) > 0
        assert min(a.logistics(a.rational(x))) > 0
    assert M.almosteq(M.mpf(a.expm1(a.rational(Fraction(1, 10**40)))), ratio("1e-40"), 1e-17)


def test_the_global_precision_is_left_alone():
    before = mpmath.mp.prec, mpmath.mp.dps
    a, b = Multiprecision(500), Multiprecision(30)
    a.exp(a.rational(1))
    assert (a.context.prec, b.context.prec) == (500, 30)
    assert (mpmath.mp.prec, mpmath.mp.dps) == before


def test_a_precision_has_one_arithmetic():
    assert multiprecision(77) is multiprecision(77)
    assert multiprecision(77).precision == 77
