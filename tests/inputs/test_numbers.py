"""Numbers, ranges and intervals as people type them."""

from fractions import Fraction
from math import copysign, inf, isnan

import numpy as np
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
    "-3": -3,
    ".5": "1/2",
    "5.": 5,
    "1e-3": "1/1000",
    "1_000": 1000,
    "1/3": "1/3",
    "-2/6": "-1/3",
    "2^-126": Fraction(2) ** -126,
    "-2^3": -8,
    "10^2": 100,
    "0x1.8p+1": 3,
    "-0X1P-2": "-1/4",
    "−1.5": "-3/2",
    "–.5": "-1/2",
    "‐2": -2,
    " 2 ": 2,
    "+4": 4,
    "1e400": 10**400,
    "0": 0,
}
NOT_FINITE = {"inf": inf, "-inf": -inf, "Infinity": inf, "−inf": -inf}
REFUSED = ["", "1.2.3", "--1", "x", "0x", "1,5", "2^", "2^^3", "1e", "½", "pi"]
FAULTS = {"1/0": "divides by 0", "1e20000": "is too large", "2^-100000": "is too large or tiny"}
RANGES = {
    "-1:1:0.5": [-1, "-1/2", 0, "1/2", 1],
    "0:1:/3": [0, "1/2", 1],
    "1:0:-1/2": [1, "1/2", 0],
    "0:1:0.4": [0, "2/5", "4/5"],
    "2:2:1": [2],
    "5:5:/1": [5],
    "−1:0:1": [-1, 0],
}
BAD_RANGES = ["1:2", "1:2:3:4", "0:1:0", "0:1:-1", "0:1:/0", "0:1:/1.5", "-inf:0:1", "0:1:1e-9"]


def test_numbers_are_exact():
    for word, value in NUMBERS.items():
        assert parse_number(word) == Fraction(value), word
    assert {word: parse_number(word) for word in NOT_FINITE} == NOT_FINITE
    assert isnan(parse_number("NaN"))
    for word in ("-0", "−0.0", "-0/5", "-0x0p0"):
        assert copysign(1, parse_number(word)) == -1, word


def test_what_is_not_a_number_is_refused_with_its_text():
    for word in (*REFUSED, *FAULTS):
        with pytest.raises(UsageError, match=FAULTS.get(word, "is not a number")) as refused:
            parse_number(word)
        assert str(refused.value).startswith(f"'{word}' ")


@given(st.fractions(max_denominator=10**6), st.floats(allow_nan=False))
def test_fractions_and_floats_read_back(fraction, value):
    assert parse_number(str(fraction)) == fraction
    for word in (repr(value), value.hex()):
        assert to_float(parse_number(word)) == value
    assert to_float(-(Fraction(10) ** 400)) == -inf


def test_ranges_have_both_ends():
    for word, values in RANGES.items():
        assert parse_point(word).exact() == [Fraction(each) for each in values], word
    for word in [*RANGES, "0:1:/1000", "1e15:1e15:1", "1/3:1:/7", "0:1e20:1e19", "0:1:1e-4"]:
        found = parse_point(word)
        assert found.floats().tolist() == [float(each) for each in found.exact()], word
    assert parse_point("1:1e8:1") == Range(Fraction(1), Fraction(1), 10**8)
    for word in BAD_RANGES:
        with pytest.raises(UsageError, match=f"^(|start of |end of |N of )(range )?'{word}' "):
            parse_point(word)


def test_intervals():
    for word, ends in {"-4:4": (-4, 4), "-inf:1/2": (-inf, Fraction(1, 2)), "1:1": (1, 1)}.items():
        assert parse_interval(word) == ends
    for ends in ((-1, 0.5), np.float32([-1, 0.5])):
        assert parse_interval(ends) == (-1, Fraction(1, 2))
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
    assert [finite(np.float32(0.5), ""), finite(np.array(2), "")] == [Fraction(1, 2), 2]
    assert [finite(0.5, ""), positive("1e-3", ""), whole("1_0", "", 1, 10)] == [
        Fraction(1, 2),
        Fraction(1, 1000),
        10,
    ]


def test_lists_keep_each_word_once():
    assert listed(["a,b", " b ,c", ""]) == ["a", "b", "c"]
    assert listed("a, a,b") == ["a", "b"]
