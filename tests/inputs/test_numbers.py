"""Numbers, ranges and intervals as people type them."""

from fractions import Fraction
from math import copysign, inf, isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.errors import UsageError
from gelu_cli.inputs.numbers import (
    Range,
    finite,
    listed,
    parse_interval,
    parse_number,
    parse_point,
    positive,
    to_digits,
    to_float,
    whole,
)

NUMBERS = {
    "-3": -3, ".5": "1/2", "5.": 5, "1e-3": "1/1000", "1_000": 1000, "1/3": "1/3", "-2/6": "-1/3",
    "2^-126": Fraction(2) ** -126, "-2^3": -8, "10^2": 100, "0x1.8p+1": 3, "-0X1P-2": "-1/4",
    "−1.5": "-3/2", " 2 ": 2, "+4": 4, "1e400": 10**400, "0": 0,
}  # fmt: skip
NOT_FINITE = {"inf": inf, "-inf": -inf, "Infinity": inf, "−inf": -inf}
REFUSED = ["", "1.2.3", "--1", "1/0", "x", "0x", "1,5", "2^", "2^^3", "1e", "½", "pi", "1e20000"]
RANGES = {
    "-1:1:0.5": [-1, "-1/2", 0, "1/2", 1], "0:1:/3": [0, "1/2", 1], "1:0:-1/2": [1, "1/2", 0],
    "0:1:0.4": [0, "2/5", "4/5"], "2:2:1": [2], "5:5:/1": [5], "−1:0:1": [-1, 0],
}  # fmt: skip
BAD_RANGES = ["1:2", "1:2:3:4", "0:1:0", "0:1:-1", "0:1:/0", "0:1:/1.5", "0:inf:1", "0:1e9:1e-3"]


def test_numbers_are_exact():
    for word, value in NUMBERS.items():
        assert parse_number(word) == Fraction(value), word


def test_what_is_not_finite_is_a_float():
    for word, value in NOT_FINITE.items():
        assert parse_number(word) == value, word
    assert isnan(parse_number("NaN"))


def test_a_negative_zero_keeps_its_sign():
    for word in ("-0", "−0.0", "-0/5", "-0x0p0"):
        assert copysign(1, parse_number(word)) == -1, word
    assert not isinstance(parse_number("0"), float)


def test_what_is_not_a_number_is_refused_with_its_text():
    for word in REFUSED:
        with pytest.raises(UsageError, match=r"is not a number|exponents go to") as refused:
            parse_number(word)
        assert word.strip() in str(refused.value)


@given(st.fractions(max_denominator=10**6))
def test_a_fraction_reads_back(value):
    assert parse_number(str(value)) == value


@given(st.floats(allow_nan=False))
def test_floats_read_back(value):
    for word in (repr(value), value.hex()):
        assert to_float(parse_number(word)) == value


def test_beyond_float64_is_infinite():
    assert [to_float(Fraction(10) ** 400), to_float(-(Fraction(10) ** 400))] == [inf, -inf]


def test_ranges_have_both_ends():
    for word, values in RANGES.items():
        assert parse_point(word).exact() == [Fraction(each) for each in values], word


def test_ranges_as_floats_are_the_nearest():
    for word in [*RANGES, "0:1:/1000", "1e15:1e15:1", "1/3:1:/7", "0:1e20:1e19", "0:1:1e-4"]:
        found = parse_point(word)
        assert found.floats().tolist() == [float(each) for each in found.exact()], word


def test_bad_ranges_are_refused():
    for word in BAD_RANGES:
        with pytest.raises(UsageError) as refused:
            parse_point(word)
        assert "range" in str(refused.value) or "START:STOP" in str(refused.value), word


def test_a_range_has_at_most_a_billion_points():
    assert parse_point("1:1e9:1") == Range(Fraction(1), Fraction(1), 10**9)
    with pytest.raises(UsageError, match=r"more than 10\^9 points; write A:B:STEP"):
        parse_point("0:1:1e-9")


def test_intervals():
    for word, ends in {"-4:4": (-4, 4), "-inf:1/2": (-inf, Fraction(1, 2)), "1:1": (1, 1)}.items():
        assert parse_interval(word) == ends
    assert parse_interval((-1, 0.5)) == (-1, Fraction(1, 2))
    for word in ("1", "2:1", "1:2:3", "a:b", "nan:1"):
        with pytest.raises(UsageError):
            parse_interval(word)


def test_numbers_of_options_name_the_option():
    for parse, value in [(finite, "inf"), (finite, None), (positive, "0"), (positive, -1)]:
        with pytest.raises(UsageError, match="--mean"):
            parse(value, "--mean")
    for value in ("0", "11", "1.5", "x"):
        with pytest.raises(UsageError, match="--worst"):
            whole(value, "--worst", 1, 10)
    for value in ("x", 0, 2.5, []):
        with pytest.raises(UsageError, match=r"--digits"):
            to_digits(value)
    assert [finite(0.5, ""), positive("1e-3", ""), whole("1_0", "", 1, 10)] == [
        Fraction(1, 2), Fraction(1, 1000), 10,
    ]  # fmt: skip


def test_lists_keep_each_word_once():
    assert listed(["a,b", " b ,c", ""]) == ["a", "b", "c"]
    assert listed("a, a,b") == ["a", "b"]
