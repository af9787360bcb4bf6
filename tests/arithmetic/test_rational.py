"""Exact fractions: what comes out as one is the truth; the rest is unknown."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gelu_cli.arithmetic.rational import RATIONAL, UNKNOWN
from tests.arithmetic.expressions import FUNCTIONS, STEPS, Truth, expressions
from tests.truth.mpmath import M, ratio

FRACTIONS = st.fractions()
FEW = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(-2)])


@given(FEW, expressions)
def test_what_comes_out_as_a_fraction_is_the_truth(x, steps):
    exact, number = x, ratio(x)
    for step, y in steps:
        assume(abs(number) < 1000 and y != 0)
        exact, number = STEPS[step](RATIONAL, exact, y), STEPS[step](Truth(), number, ratio(y))
    assert exact is UNKNOWN or abs(ratio(exact) - number) < M.mpf(10) ** -90


@given(FRACTIONS)
def test_the_root_of_a_square_is_exact(x):
    assert RATIONAL.sqrt(x * x) == abs(x)


@given(FRACTIONS.map(abs))
def test_a_root_is_given_only_if_it_squares_back(x):
    root = RATIONAL.sqrt(x)
    assert root is UNKNOWN or root**2 == x


@pytest.mark.parametrize("x", [2, 3, Fraction(1, 2), Fraction(4, 3), 10**40 + 1])
def test_an_irrational_root_is_unknown(x):
    assert RATIONAL.sqrt(Fraction(x)) is UNKNOWN


@pytest.mark.parametrize(
    ("name", "value"), [("exp", 1), ("expm1", 0), ("erfc", 1), ("σ(x)", Fraction(1, 2))]
)
def test_the_functions_are_known_at_zero_alone(name, value):
    def f(x):
        return FUNCTIONS[name](RATIONAL, x)

    assert f(Fraction(0)) == value
    assert f(Fraction(1, 10**30)) is f(UNKNOWN) is UNKNOWN


def test_pi_and_softplus_are_never_rational():
    assert RATIONAL.pi is RATIONAL.softplus(Fraction(0)) is RATIONAL.sqrt(UNKNOWN) is UNKNOWN


@pytest.mark.parametrize("zero", [0, Fraction(0)])
def test_nothing_times_the_unknown_is_nothing(zero):
    assert zero * UNKNOWN == UNKNOWN * zero == 0


@pytest.mark.parametrize("other", [3, Fraction(1, 3), UNKNOWN])
def test_whatever_else_is_done_to_the_unknown_leaves_it_unknown(other):
    results = [UNKNOWN + other, other + UNKNOWN, UNKNOWN - other, other - UNKNOWN, UNKNOWN * other,
               other * UNKNOWN, UNKNOWN / other, other / UNKNOWN, -UNKNOWN, UNKNOWN**2]  # fmt: skip
    assert all(result is UNKNOWN for result in results)


@given(FRACTIONS)
def test_a_fraction_is_itself(x):
    assert RATIONAL.rational(x) == x
