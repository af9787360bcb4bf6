"""Numbers and ranges as people type them."""

import math
import re
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.typed import parse_number
from gelu_cli.old.reading.numbers import MOST_POINTS, Range, parse_decimal, parse_points, to_float64


def same(x, y):
    """Equal, with NaN like NaN and −0 unlike 0."""
    return repr(float(x)) == repr(float(y))


NUMBERS = {
    3: ["3", "+3", " 3\t", "1.5/.5", "0x1.8p+1"],
    -3: ["-3", "\N{MINUS SIGN}3", "-0X1.8P1"],
    1: ["1.", "1_0e-1"],
    1000: ["1_000", "1e3", "1E+3"],
    255: ["0xff"],
    Fraction(1, 2): [".5", "0x.8"],
    Fraction(-1, 2): ["-.5"],
    Fraction(1, 10): ["0.1"],
    Fraction(1025, 100): ["1_0.2_5"],
    Fraction(-1, 1000): ["-1e-3"],
    Fraction(1, 3): ["1/3"],
    Fraction(-1, 3): ["-1/3"],
    Fraction(100, 16): ["1e2/0x10"],
    Fraction(1, 4): ["0x1.p-2"],
    Fraction(1, 10**400): ["1e-400"],
    10**1000: ["1e1000"],
}


@pytest.mark.parametrize(
    ("word", "number"), [(word, number) for number, words in NUMBERS.items() for word in words]
)
def test_a_number_is_taken_exactly(word, number):
    parsed = parse_number(word)
    assert parsed == number
    assert isinstance(parsed, Fraction)


@pytest.mark.parametrize("sign", ["", "+", "-"])
@pytest.mark.parametrize("name", ["inf", "Inf", "INF", "infinity", "nan", "NaN"])
def test_infinities_and_nan_are_spelled_as_python_spells_them(sign, name):
    assert repr(parse_number(sign + name)) == repr(float(sign + name))


@pytest.mark.parametrize("word", ["-0", "-0.0", "-0e5", "-0/7", "-0x0p0", "-1e-400"])
def test_a_negative_zero_keeps_its_sign(word):
    assert repr(to_float64(parse_number(word), word)) == "-0.0"


NO_NUMBERS = [
    *("", " ", "-", "+", ".", "e5", ".e5", "1e", "1e+", "abc", "1x", "1 2", "1,5", "1j", "--5"),
    *("+-5", "-+5", "_1", "1_", "1__0", "1_.5", "1._5", "1.5_", "1_e5", "1e1_0", "0x", "0x.p1"),
    *("0x1p", "0xg", "0x1_0", "0b1", "1/", "/3", "1//3", "1/--3", "1/inf", "inf/2", "١", "２"),
    *("None", "True", "infinit", "nan0", "1e5.5"),
]
BEYOND = ["1e10001", "1e-10001", "0x1p99999", "1e999999999"]  # and never computed
SAID = [
    *((word, f"'{word}' is not a number") for word in NO_NUMBERS),
    *((word, f"'{word}' divides by zero") for word in ("1/0", "-1/0", "1/0.0", "0/0", "1/0x0")),
    *((word, f"exponent of '{word}'") for word in BEYOND),
    ("9" * 5000, "longer than 4000 characters"),
    ("0x" + "f" * 5000, "longer than 4000 characters"),
]


@pytest.mark.parametrize(("word", "said"), SAID, ids=lambda text: text[:20])
def test_a_word_that_is_no_number_is_named(word, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        parse_number(word)


@given(st.text("0123456789_.eExXpPaf+-/:inN ", max_size=12))
@example("1_")
@example("0:1:/1_0")
@settings(max_examples=200)
def test_every_word_is_a_number_or_a_range_or_refused(word):
    with suppress(UsageError):
        parse_points(word)


def spellings(x):
    """Ways to write the finite float64 x."""
    numerator, denominator = abs(x).as_integer_ratio()
    sign = "-" if math.copysign(1, x) < 0 else ""
    return [
        repr(x),
        repr(x).upper(),
        repr(x).replace("-", "\N{MINUS SIGN}", 1) if sign else f"+{x!r}",
        f"{x:.16e}",
        f"{x:.30E}",
        f"{x:_f}" if abs(x) < 1e9 and float(f"{x:f}") == x else f"{x!r} ",
        x.hex(),
        x.hex().upper(),
        f"{sign}{numerator}/{denominator}",
        f"{sign}{numerator:_}/{denominator}",
        f"{sign}{numerator:#x}/{denominator:#X}",
    ]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_in_every_spelling_is_that_float(x):
    for word in spellings(x):
        assert same(to_float64(parse_number(word), word), x), word


@pytest.mark.parametrize("word", ["1e309", "-1.8e308", "2/1e-308", "0x1p1024"])
def test_a_number_beyond_float64_says_how_it_can_be_had(word):
    with pytest.raises(UsageError, match=f"'{word}' is beyond float64.*--digits"):
        to_float64(parse_number(word), word)


FRACTIONS = st.fractions(-1000, 1000, max_denominator=10**6)
STEPS = FRACTIONS.filter(bool)


@given(FRACTIONS, STEPS, st.integers(1, 60), st.fractions(0, 1).filter(lambda rest: rest < 1))
def test_a_range_holds_start_plus_k_steps_exactly(start, step, length, rest):
    stop = start + (length - 1 + rest) * step
    points = parse_points(f"{start}:{stop}:{step}")
    assert list(points.numbers()) == [start + k * step for k in range(length)]


@given(FRACTIONS, FRACTIONS, st.integers(2, 60))
def test_n_points_are_evenly_spaced_with_both_ends(start, stop, count):
    points = list(parse_points(f"{start}:{stop}:/{count}").numbers())
    assert points == [start + (stop - start) * Fraction(k, count - 1) for k in range(count)]
    assert (points[0], points[-1]) == (start, stop)


RANGES = {
    "-3:3:0.5": [Fraction(k, 2) for k in range(-6, 7)],
    "0:1:0.1": [Fraction(k, 10) for k in range(11)],
    "0:1:0.3": [Fraction(k, 10) for k in (0, 3, 6, 9)],
    "1:-1:-1": [1, 0, -1],
    "2:2:1": [2],
    "2:2:-1": [2],
    "1/3:1:1/3": [Fraction(1, 3), Fraction(2, 3), 1],
    "-1e-3:0x1p0:1001e-3": [Fraction(-1, 1000), 1],
    "\N{MINUS SIGN}1:-0:1": [-1, 0],
    "0:1:/3": [0, Fraction(1, 2), 1],
    "1:0:/2": [1, 0],
    "5:5:/3": [5, 5, 5],
}


@pytest.mark.parametrize(("word", "numbers"), RANGES.items())
def test_a_range_includes_its_stop_when_the_steps_land_on_it(word, numbers):
    assert list(parse_points(word).numbers()) == numbers


NO_RANGES = {
    "START:STOP:STEP": ["0:1", "0:1:1:1", ":"],
    "is not a number": ["::", "0::1"],
    "'a' is not a number": ["a:1:1"],
    "is 0": ["0:1:0", "0:1:-0"],
    "turn its sign": ["0:1:-1", "1:0:1"],
    "must be finite": ["0:inf:1", "nan:1:1", "0:1:inf"],
    "2 or more": ["0:1:/0", "0:1:/1", "0:1:/-3", "0:1:/2.5", "0:1:/", "0:1:/²", "0:1:/" + "9" * 20],
    "1,000,000,001 points": ["0:1000000000:1", "0:1:/1000000001"],
    "at most": ["0:1:1e-999"],
}


@pytest.mark.parametrize(
    ("word", "why"), [(word, why) for why, words in NO_RANGES.items() for word in words]
)
def test_a_range_that_cannot_be_meant_says_why(word, why):
    with pytest.raises(UsageError, match=re.escape(why)):
        parse_points(word)


@pytest.mark.parametrize("word", ["1:1000000000:1", "0:1:/1000000000"])
def test_a_billion_points_are_taken_and_not_made(word):
    points = parse_points(word)
    assert isinstance(points, Range)
    assert points.length == MOST_POINTS == 10**9
    assert next(points.numbers()) == points.start


DECIMALS = {
    "0.1587": "0.1587", "-.1590": "-0.1590", "−1_000.": "-1000", "+5e-3": "0.005",
    "1.50E+3": "1.50E+3", "-0.00": "-0.00", " 1e-123456789012 ": "1E-123456789012", "INF": "inf",
    "-inf": "-inf", "NaN": "nan",
}  # fmt: skip


@pytest.mark.parametrize(("word", "text"), DECIMALS.items())
def test_a_decimal_keeps_the_places_it_was_typed_with(word, text):
    assert str(parse_decimal(word)) == text


@pytest.mark.parametrize(
    "word", ["", "1/3", "0x1p+1", "≈1", "1 2", "--1", "+-1", "1e", "1e1000000000000000000", "٣"]
)
def test_what_is_no_decimal_is_refused(word):
    with pytest.raises(UsageError, match=f"'{re.escape(word)}'"):
        parse_decimal(word)
