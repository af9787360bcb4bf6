"""Expressions that people type: what they are by mpmath, and exactly where they are fractions."""

import re
import time
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.arithmetic.exact import RATIONAL, Irrational, exponent_of, nearest, sign_of
from gelu_cli.old.arithmetic.formats import FLOAT64, FORMATS
from gelu_cli.old.arithmetic.mpf import pi as mpf_pi
from gelu_cli.old.arithmetic.mpf import to_fraction
from gelu_cli.old.arithmetic.typed import parse_number
from tests.truth.mpmath import M, decimal_of, fraction
from tests.truth.mpmath import nearest as nearest_of_fraction

FRACTIONS = {
    "2**-126": Fraction(1, 2**126),
    "2^-126": Fraction(1, 2**126),
    "-2**-126": Fraction(-1, 2**126),
    "-2**2": -4,
    "(-2)**2": 4,
    "2**3**2": 512,
    "2**-1**2": Fraction(1, 2),
    "1+2**-23": 1 + Fraction(1, 2**23),
    "1 - 1/3": Fraction(2, 3),
    "8/2/2": 2,
    "8/(2*2)": 2,
    "1/-3": Fraction(-1, 3),
    "3·2×2": 12,
    "sqrt(9/4)": Fraction(3, 2),
    "√16/2": 2,
    "4**0.5": 2,
    "4**-1.5": Fraction(1, 8),
    "0x10**2": 256,
    "0*pi": 0,
    "pi-pi": 0,
    "sqrt(8)-2*sqrt(2)": 0,
    "10**1000": 10**1000,
}
REALS = {
    "pi": M.pi,
    "-PI": -M.pi,
    "π/2": M.pi / 2,
    "2*pi": 2 * M.pi,
    "2pi": 2 * M.pi,
    "2pi^2": 2 * M.pi**2,
    "1/(2pi)": 1 / (2 * M.pi),
    "e": M.e,
    "-e": -M.e,
    "e**-2": M.e**-2,
    "1e1*e": 10 * M.e,
    "sqrt(2)": M.sqrt(2),
    "√2": M.sqrt(2),
    "2√2": 2 * M.sqrt(2),
    "sqrt2/2": M.sqrt(2) / 2,
    "2**.5": M.sqrt(2),
    "1/sqrt(2)": 1 / M.sqrt(2),
    "-sqrt(2/pi)": -M.sqrt(2 / M.pi),
    "(1+sqrt(5))/2": (1 + M.sqrt(5)) / 2,
    "pi-e": M.pi - M.e,
    "sqrt(sqrt(2))": M.sqrt(M.sqrt(2)),
    "pi**100": M.pi**100,
}


@pytest.mark.parametrize(("word", "value"), FRACTIONS.items())
def test_what_is_a_fraction_is_that_fraction(word, value):
    number = parse_number(word)
    assert isinstance(number, Fraction)
    assert number == value


@pytest.mark.parametrize(("word", "value"), REALS.items())
def test_what_is_none_is_known_to_any_precision_and_rounded_once(word, value):
    number = parse_number(word)
    assert isinstance(number, Irrational)
    assert nearest(number, Decimals(100)) == decimal_of(value, 100)
    for dtype, number_format in FORMATS.items():
        if abs(value) < number_format.largest:
            assert nearest(number, number_format) == nearest_of_fraction(fraction(value), dtype)


@pytest.mark.parametrize("word", ["-0", "-0*3", "-0**2"])
def test_the_sign_of_a_zero_is_that_of_the_word(word):
    assert repr(parse_number(word)) == "-0.0"


REFUSED = {
    "e-3": "'e-3' may mean 1e-3 or (e)-3",
    "2*e+3": "'2*e+3' may mean 1e-3 or (e)-3",
    "1/2pi": "'1/2pi' may mean two things: put parentheses",
    "sqrt(-2)": "'sqrt(-2)' has the root of a negative number",
    "1/(pi-pi)": "'1/(pi-pi)' divides by zero",
    "0**-1": "'0**-1' divides by zero",
    "2**pi": "'2**pi': an exponent is a whole number, or half of one",
    "2**(1/3)": "'2**(1/3)': an exponent is a whole number, or half of one",
    "1,5": "'1,5' is not a number; write 1.5, or 1 5 for two of them",
    "1,5,2": "'1,5,2' is not a number; write 1 5 2",
    **{word: f"'{word}' is not a number; numbers look like" for word in (
        "()", "(1", "1)", "2 3", "2e", "pi2", "pie", "pi pi", "inf*2", "2*", "*2", "2***3",
        "sqrt", "sqrt()", "1 000", "exact", "1if", "__import__('os')", "9**9if 1else 2",
    )},
}  # fmt: skip


@pytest.mark.parametrize(("word", "message"), REFUSED.items())
def test_what_is_none_is_refused_with_what_to_write(word, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        parse_number(word)


HUGE = (
    "2**-1000000000", "10**10**10", "9**9**9**9", "1.0000001**4000", "(pi**1000)**1000",
    "sqrt(" * 500 + "2" + ")" * 500, "(" * 2000 + "1" + ")" * 2000, "2**" * 1000 + "2",
    "+".join(["pi"] * 2000), "*".join(["10**1000"] * 50), "-" * 3000 + "1", "2**1e1000",
)  # fmt: skip


@pytest.mark.parametrize("word", HUGE)
def test_what_would_take_for_ever_is_refused_at_once(word):
    start = time.process_time()
    with pytest.raises(UsageError):
        parse_number(word)
    assert time.process_time() - start < 1


def expressions():
    """Texts with what Python makes of them in mpmath, whose precedence is the one meant here."""
    numbers = st.integers(1, 40).map(lambda n: (str(n), M.mpf(n)))
    names = st.sampled_from([("pi", +M.pi), ("sqrt(3)", M.sqrt(3)), ("(2-e)", 2 - M.e)])

    def larger(inner):
        pairs = st.tuples(inner, inner)
        return st.one_of(
            pairs.map(lambda p: (f"{p[0][0]}*{p[1][0]}", p[0][1] * p[1][1])),
            pairs.map(lambda p: (f"({p[0][0]})/({p[1][0]})", p[0][1] / p[1][1])),
            pairs.map(lambda p: (f"({p[0][0]}+{p[1][0]})", p[0][1] + p[1][1])),
            st.tuples(inner, st.integers(-3, 3)).map(
                lambda p: (f"({p[0][0]})**{p[1]}", p[0][1] ** p[1])
            ),
        )

    return st.recursive(numbers | names, larger, max_leaves=6)


@settings(max_examples=80)
@given(expression=expressions())
def test_every_expression_is_what_mpmath_makes_of_it(expression):
    text, value = expression
    if not 1e-30 < abs(value) < 1e30:
        return
    number = parse_number(text)
    assert abs(M.mpf(str(nearest(number, Decimals(60)))) - value) <= abs(value) * M.mpf(10) ** -58


# Numbers that are no fractions

PI = RATIONAL.pi
ROOT = RATIONAL.sqrt(Fraction(2))


def test_the_order_is_that_of_the_numbers_however_near_they_are():
    below = to_fraction(mpf_pi(3000, "f"))  # within 2⁻²⁹⁹⁸
    assert below < PI < below + Fraction(1, 2**2990)
    assert below <= PI <= below + Fraction(1, 2**2990)
    assert not below >= PI
    assert ROOT < PI
    assert -PI < -ROOT < 0


def test_equal_numbers_are_neither_below_nor_above_each_other():
    two = ROOT * RATIONAL.sqrt(Fraction(2))
    assert not two < 2
    assert not two > 2
    assert two <= 2 <= two
    assert PI + ROOT <= ROOT + PI
    assert PI + ROOT >= ROOT + PI
    assert floor(two) == 2


@pytest.mark.parametrize(
    ("number", "whole"), [(PI, 3), (-PI, -4), (ROOT / 10**9, 0), (PI * 10**40 / PI, 10**40)]
)
def test_the_whole_part_is_the_largest_integer_below(number, whole):
    assert floor(number) == whole


def test_what_cancels_is_the_fraction_0():
    assert PI - PI == PI + -PI == 3 * PI - 2 * PI - PI == 0
    assert isinstance(PI + -PI, Fraction)
    assert PI / PI == PI**0 == 1


def test_half_way_between_two_numbers_the_even_one_is_nearest():
    tie = ROOT * RATIONAL.sqrt(Fraction(2)) * (1 + Fraction(1, 2**53)) / 2
    assert nearest(tie, FLOAT64) == 1.0
    assert str(nearest(ROOT * ROOT * Fraction(5, 4), Decimals(1))) == "2"


def test_sizes_and_signs():
    assert (sign_of(-PI), sign_of(Fraction(0)), sign_of(PI)) == (-1, 0, 1)
    assert exponent_of(PI) == 2
    assert float(abs(-PI)) == 3.141592653589793
    with pytest.raises(OverflowError):
        float(PI * 10**400)
