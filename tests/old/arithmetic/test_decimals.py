"""Rounding to decimal digits, against Python's decimal."""

import math
from decimal import Context, Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from mpmath import libmp

from gelu_cli.old.arithmetic.decimals import SPARE, Decimals, Places
from tests.old.every import every
from tests.truth.mpmath import M, decimal_of, mpf, to_places

DIGITS = st.integers(1, 60)
DYADIC = st.builds(
    lambda n, e: Fraction(n) * Fraction(2) ** e,
    st.integers(-(2**60), 2**60),
    st.integers(-400, 400),
)


@given(st.fractions() | DYADIC, DIGITS)
def test_a_fraction_rounds_as_decimal_divides(value, digits):
    got = Decimals(digits).exactly(value)
    assert got == decimal_of(value, digits)
    assert len(got.as_tuple().digits) == (digits if value else 1)


@every(
    ("digits", "value", "text"),
    [
        (1, "0.25", "0.2"), (1, "0.35", "0.4"), (2, "-0.625", "-0.62"), (2, "0.635", "0.64"),
        (1, "9.5", "1E+1"), (3, "999.5", "1.00E+3"), (3, "999.4999", "999"), (2, "1e30", "1.0E+30"),
        (5, "0", "0"), (50, "0.1", f"0.1{'0' * 49}"), (17, "1e-5", "0.000010000000000000000"),
    ],
)  # fmt: skip
def test_ties_go_to_the_even_digit_and_carries_keep_the_number_of_digits(digits, value, text):
    assert str(Decimals(digits).exactly(Fraction(value))) == text


@given(st.floats(allow_nan=False, allow_infinity=False), DIGITS)
def test_a_float64_rounds_as_decimal_rounds_it(x, digits):
    got = Decimals(digits).from_float(x)
    assert got == Context(prec=digits, Emin=-9999).plus(Decimal(x))
    assert got.is_signed() == (math.copysign(1, x) < 0)


@every("x", [math.inf, -math.inf, math.nan])
def test_what_is_no_number_stays_as_it_is(x):
    assert repr(Decimals(5).from_float(x)) == repr(x)


@given(DYADIC.filter(bool), st.integers(0, 2**20), DIGITS)
def test_an_interval_settles_only_on_what_both_ends_round_to(end, length, digits):
    low, high = sorted((end, end * (1 + Fraction(length, 2**50))))
    got = Decimals(digits).settle(mpf(low), mpf(high))
    if got is not None:
        assert got == decimal_of(low, digits) == decimal_of(high, digits)
        assert len(got.as_tuple().digits) == digits


@given(DYADIC.filter(bool), DIGITS)
def test_a_narrow_interval_settles(value, digits):
    """But for one about a tie; the exact fraction settles that."""
    hair = abs(value) / 10 ** (digits + 20)
    ends = value - hair, value + hair
    if decimal_of(ends[0], digits) == decimal_of(ends[1], digits):
        low, high = (libmp.from_rational(end.numerator, end.denominator, 900, "n") for end in ends)
        assert Decimals(digits).settle(low, high) == decimal_of(value, digits)


@every("sign", [0, 1])
def test_next_to_a_tie_the_ends_of_an_interval_are_rounded_outward(sign):
    """2**k is 3.5·10**m less some trillionths of it, and rounds to 3·10**m."""
    k = 1070810605533
    missing = 1 - M.mpf(10) ** ((k * M.log10(2)) % 1) / 3.5
    assert 0 < missing < M.mpf(2) ** -38
    below, above = (sign, 1, k, 1), (sign, 2**38 + 1, k - 38, 39)
    ends = (above, below) if sign else (below, above)
    assert Decimals(1).settle(*ends) is None
    assert Decimals(1).settle(above, above).as_tuple().digits == (4,)


@every(("low", "high"), [(-1, 1), (0, 1), (-1, 0)])
def test_an_interval_that_reaches_zero_does_not_settle(low, high):
    assert Decimals(3).settle(mpf(Fraction(low)), mpf(Fraction(high))) is None


@every(("sign", "text"), [(0, "0"), (1, "-0")])
def test_what_lies_below_all_decimals_is_a_zero_with_its_sign(sign, text):
    vanishing = (sign, 1, -(10**18), 1)
    assert str(Decimals(3).settle(vanishing, vanishing)) == text


@every(("sign", "text"), [(0, "inf"), (1, "-inf")])
def test_what_lies_above_all_decimals_is_an_infinity_with_its_sign(sign, text):
    enormous = (sign, 1, 10**18, 1)
    assert str(Decimals(3).settle(enormous, enormous)) == text


@every("digits", [*range(1, 40), 1000])
def test_the_precision_tells_apart_numbers_of_so_many_digits(digits):
    assert 2 ** Decimals(digits).precision > 10**digits


@every("digits", [17, 4299, 4301, 10_000])
def test_the_digits_may_be_thousands(digits):
    """Python refuses to print integers of more than 4300 digits, which is no reason here."""
    got = Decimals(digits).exactly(Fraction(1, 3))
    assert len(got.as_tuple().digits) == digits
    assert got == decimal_of(Fraction(1, 3), digits)


@every("exponent", [4000, 5000])
def test_the_fraction_may_have_thousands_of_digits(exponent):
    assert Decimals(2).exactly(Fraction(125 * 10**exponent)) == Decimal(f"1.2E+{exponent + 2}")


# A fixed place

PLACES = st.integers(-30, 60)


@given(st.fractions(-1000, 1000), PLACES)
def test_a_fraction_rounds_to_a_place(value, places):
    got = Places(places, 70).exactly(value)
    assert got == to_places(value, places)
    assert got.as_tuple().exponent == -places


@given(DYADIC, st.integers(0, 2**20), PLACES)
def test_an_interval_settles_on_the_place_that_both_ends_round_to(end, length, places):
    low, high = sorted((end, end * (1 + Fraction(length, 2**50))))
    got = Places(places, 400).settle(mpf(low), mpf(high))
    if got is not None:
        assert got == to_places(low, places) == to_places(high, places)
        assert got.as_tuple().exponent == -places


@every(("low", "high"), [("-1e-9", "1e-9"), ("0", "1e-9"), ("-0.004", "0.004")])
def test_an_interval_about_zero_settles_on_zero(low, high):
    ends = (libmp.from_str(end, 60, "n") for end in (low, high))
    assert str(Places(2, 2).settle(*ends)) == "0.00"


def test_an_end_at_infinity_does_not_settle():
    assert Places(2, 2).settle(libmp.fone, libmp.finf) is None


@every("places", [-(10**12), 10**12])
def test_places_may_be_far_away(places):
    tiny, one = (0, 1, -(10**13), 1), libmp.fone
    assert Places(places, 3).settle(tiny, tiny) == 0
    assert Places(places, 3).settle(one, one) == Places(places, 3).exactly(Fraction(1))
    assert Places(places, 3).exactly(Fraction(0)) == 0


@every("value", [Fraction(2, 3), Fraction(-3, 2), Fraction(99, 100), 1 - Fraction(1, 10**50)])
@every("places", [1, 20, 21, 22, 23, 24, 300])
def test_a_number_of_many_more_digits_than_expected_is_cut_short(places, value):
    widest = Decimals(2 + SPARE).exactly(value)
    want = max(to_places(value, places), widest, key=lambda y: y.as_tuple().exponent)
    got = Places(places, 2).exactly(value)
    hair = Fraction(1, 10**400)
    ends = (libmp.from_rational(end.numerator, end.denominator, 2000, "n")
            for end in (value - hair, value + hair))  # fmt: skip
    assert str(got) == str(want) == str(Places(places, 2).settle(*ends))
