"""Exact fractions: what comes out as one is the truth; the rest is unknown."""

from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.exact import RATIONAL, Irrational, unknown
from tests.old.arithmetic.expressions import FUNCTIONS, STEPS, Truth, expressions
from tests.old.every import every
from tests.truth.mpmath import M, ratio

FRACTIONS = st.fractions()
UNKNOWN = unknown()
FEW = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(-2)])


@given(FEW, expressions)
def test_what_comes_out_as_a_fraction_is_the_truth(x, steps):
    exact, number = x, ratio(x)
    for step, y in steps:
        assume(abs(number) < 1000 and y != 0)
        exact, number = STEPS[step](RATIONAL, exact, y), STEPS[step](Truth(), number, ratio(y))
    assert isinstance(exact, Irrational) or abs(ratio(exact) - number) < M.mpf(10) ** -90


@given(FRACTIONS.map(abs))
def test_a_root_is_given_only_if_it_squares_back(x):
    root = RATIONAL.sqrt(x)
    assert isinstance(root, Irrational) or root**2 == x


@every("x", [2, 3, Fraction(1, 2), Fraction(4, 3), 10**40 + 1])
def test_an_irrational_root_is_unknown(x):
    assert isinstance(RATIONAL.sqrt(Fraction(x)), Irrational)


@every(("name", "value"), [("exp", 1), ("expm1", 0), ("erfc", 1), ("σ(x)", Fraction(1, 2))])
def test_the_functions_are_known_at_zero_alone(name, value):
    def f(x):
        return FUNCTIONS[name](RATIONAL, x)

    assert f(Fraction(0)) == value
    assert isinstance(f(Fraction(1, 10**30)), Irrational)
    assert isinstance(f(UNKNOWN), Irrational)


def test_pi_and_softplus_are_never_rational():
    numbers = RATIONAL.pi, RATIONAL.softplus(Fraction(0)), RATIONAL.sqrt(UNKNOWN)
    assert all(isinstance(number, Irrational) for number in numbers)


@every("zero", [0, Fraction(0)])
def test_nothing_times_the_unknown_is_nothing(zero):
    assert zero * UNKNOWN == UNKNOWN * zero == 0


@every("other", [3, Fraction(1, 3), unknown()])
def test_whatever_else_is_done_to_the_unknown_leaves_it_unknown(other):
    results = [UNKNOWN + other, other + UNKNOWN, UNKNOWN - other, other - UNKNOWN, UNKNOWN * other,
               other * UNKNOWN, UNKNOWN / other, other / UNKNOWN, -UNKNOWN, UNKNOWN**2]  # fmt: skip
    assert all(isinstance(result, Irrational) and result != UNKNOWN for result in results)
    assert other - UNKNOWN == -UNKNOWN + other


@given(FEW, FEW)
def test_multiples_of_one_number_are_known_beside_each_other(a, b):
    for number in (RATIONAL.pi, RATIONAL.exp(Fraction(3)), RATIONAL.sqrt(Fraction(2))):
        assert a * number + b * number == (a + b) * number
        assert a * number - number * a == 0
        assert b == 0 or (a * number) / (b * number) == a / b
    assert RATIONAL.exp(Fraction(3)) - RATIONAL.exp(Fraction(2)) != 0
