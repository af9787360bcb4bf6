"""Rounding of fractions, of balls and of both together, by fractions and ml_dtypes."""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from flint import arb, fmpq
from hypothesis import example, given
from hypothesis import strategies as st

from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import FORMATS, Decimals
from gelu_cli.numbers.rounding import exact_ball, round_ball, round_fraction, round_sum, working
from tests.truth.mpmath import nearest

TIES = {
    ("bfloat16", Fraction(257, 256)): 1.0,
    ("bfloat16", Fraction(259, 256)): 1.015625,
    ("bfloat16", Fraction(257, 256) + Fraction(1, 10**40)): 1.0078125,
    ("float16", Fraction(1, 2**25)): 0.0,
    ("float16", Fraction(3, 2**25)): 2.0**-23,
    ("float16", Fraction(65519)): 65504.0,
    ("float16", Fraction(65520)): float("inf"),
    ("float64", Fraction(2**1024 - 2**970)): float("inf"),
    ("float32", 1 + Fraction(1, 2**24)): 1.0,
    ("float8_e4m3fn", Fraction(464)): 448.0,
    ("float8_e4m3fn", Fraction(465)): float("nan"),
}


def test_ties_go_to_even_and_a_hair_beside_them_does_not():
    for (name, y), want in TIES.items():
        assert str(round_fraction(FORMATS[name], to_fraction(y))) == str(want), (name, y)


@given(st.sampled_from(sorted(FORMATS)), st.fractions(-300, 300, max_denominator=10**30))
@example("float16", Fraction(-1, 10**9))
@example("float8_e5m2", Fraction(2**-17))
def test_fractions_are_rounded_as_by_hand(name, y):
    assert round_fraction(FORMATS[name], to_fraction(y)) == nearest(y, name)


@given(st.integers(1, 40), st.decimals(-(10**9), 10**9, places=30))
@example(1, Decimal("9.5"))
@example(2, Decimal("0.0995"))
def test_decimals_are_rounded_as_by_decimal(digits, y):
    want = Context(prec=digits, rounding=ROUND_HALF_EVEN).plus(y)
    got = round_fraction(Decimals(digits), to_fraction(Fraction(y)))
    assert got == want
    assert not y or len(got.as_tuple().digits) == digits


def test_places_are_rounded_to_a_fixed_unit():
    cases = {(2, "0.125"): "0.12", (2, "0.135"): "0.14", (0, "0.5"): "0", (-3, "12345"): "1.2E+4"}
    for (places, y), want in cases.items():
        assert str(round_fraction(Decimals(22, -places), to_fraction(Fraction(y)))) == want


@given(
    st.sampled_from([*FORMATS.values(), Decimals(1), Decimals(5), Decimals(30)]),
    st.fractions(-1000, 1000, max_denominator=10**6),
    st.integers(3, 120),
)
@example(Decimals(1), Fraction(99, 1000), 3)
@example(FORMATS["float8_e5m2"], Fraction(127, 128), 4)
def test_a_ball_that_is_rounded_is_rounded_as_both_its_ends(to, y, bits):
    """Also where a wide ball contains a power of the base, below which the unit is finer."""
    with working(bits):
        ball = arb(to_fraction(y)) + arb(0, abs(float(y)) * 2.0**-bits)
        found = round_ball(to, ball)
    if found is not None:
        with working(400):
            ends = [exact_ball(ball.mid() + k * ball.rad()) for k in (-1, 1)]
        assert {str(round_fraction(to, end)) for end in ends} == {str(found)}


def test_next_to_a_power_of_ten_no_digit_is_lost():
    for digits in (20, 60, 200):
        below, want = (1 - fmpq(1, 10**digits)) / 10**10, f"9.{'9' * (digits - 1)}E-11"
        with working(8 * digits):
            assert str(round_ball(Decimals(digits), arb(below))) == want
        nines = round_fraction(Decimals(digits), 1 - fmpq(1, 10**digits))
        assert str(nines) == f"0.{'9' * digits}"
    with working(60):
        assert str(round_ball(Decimals(3), arb("1.0004"))) == "1.00"


def test_the_sign_of_what_is_beside_a_tie_decides():
    tie, tiny = 1 + fmpq(1, 2**24), arb((1, -5000))
    assert round_sum(FORMATS["float32"], tie, tiny) == 1 + 2.0**-23
    assert round_sum(FORMATS["float32"], tie, -tiny) == 1.0
    assert round_sum(FORMATS["float32"], tie, None) == 1.0
    assert round_sum(FORMATS["float32"], tie, arb(0, 2.0**-60)) is None
