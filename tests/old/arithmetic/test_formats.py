"""Rounding and bit patterns, against numpy and ml_dtypes."""

import math
from fractions import Fraction
from itertools import pairwise

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import to_bits, to_floats
from gelu_cli.old.arithmetic.formats import FLOAT64, FORMATS, find_format
from tests.old.every import every
from tests.truth.mpmath import bits, identical, mpf, nearest

SMALL = ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
every_format = every("name", FORMATS)
every_small_format = every("name", SMALL)
FLOATS = st.floats() | st.floats(-600, 600) | st.floats(-1e-4, 1e-4)
FINITE = st.floats(allow_nan=False, allow_infinity=False) | st.floats(-2, 2)


def patterns(name):
    """Every bit pattern of a small format, as numpy sees it."""
    width = np.dtype(name).itemsize
    return np.arange(1 << 8 * width, dtype=f"u{width}").view(name)


@pytest.fixture(scope="module")
def every_number():
    return {name: [FORMATS[name].number(n) for n in range(len(patterns(name)))] for name in SMALL}


@every_small_format
def test_every_pattern_is_the_number_that_numpy_reads(name, every_number):
    with np.errstate(invalid="ignore"):  # signalling NaNs
        want = patterns(name).astype(np.float64)
    np.testing.assert_array_equal(np.array(every_number[name]), want)
    numbers = ~np.isnan(want)
    assert (np.signbit(every_number[name]) == np.signbit(want))[numbers].all()


@every_small_format
def test_every_number_has_the_pattern_it_came_from(name, every_number):
    number_format = FORMATS[name]
    got = [number_format.bits(x) for x in every_number[name]]
    for pattern, (x, back) in enumerate(zip(every_number[name], got, strict=True)):
        assert back == pattern or (math.isnan(x) and math.isnan(number_format.number(back)))


@every_small_format
def test_finite_numbers_are_all_of_them_in_the_order_of_the_patterns(name):
    with np.errstate(invalid="ignore"):
        want = patterns(name).astype(np.float64)
    got = list(FORMATS[name].finite_numbers())
    np.testing.assert_array_equal(got, want[np.isfinite(want)])


def test_numpys_facts_are_the_formats():
    for name, entry in FORMATS.items():
        info = ml_dtypes.finfo(name)
        assert (entry.width, entry.precision, entry.emin) == (
            info.bits, info.nmant + 1, round(math.log2(info.smallest_normal)),
        )  # fmt: skip


@given(st.integers(0, 2**32 - 1))
def test_float32_patterns_are_numpys(pattern):
    number = np.array(pattern, np.uint32).view(np.float32)
    got = FORMATS["float32"].number(pattern)
    with np.errstate(invalid="ignore"):
        assert identical(got, number)
    assert math.isnan(got) or FORMATS["float32"].bits(got) == pattern


@given(st.floats(allow_nan=False))
def test_float64_patterns_are_numpys(x):
    pattern = int(bits(np.array(x)))
    assert FLOAT64.bits(x) == pattern
    assert identical(FLOAT64.number(pattern), x)
    assert FLOAT64.hexadecimal(x) == f"0x{pattern:016x}"


@every("name", ["float64", "float32", "float16"])
@given(x=FLOATS)
def test_a_float64_rounds_as_numpy_rounds_it(name, x):
    with np.errstate(over="ignore", under="ignore"):
        assert identical(FORMATS[name].from_float(x), np.array(x).astype(name))


@every("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
@given(x=st.floats(width=32) | st.floats(-600, 600, width=32) | st.floats(-0.125, 0.125, width=32))
def test_a_float32_rounds_as_ml_dtypes_rounds_it(name, x):
    with np.errstate(over="ignore", under="ignore"):
        assert identical(FORMATS[name].from_float(x), np.float32(x).astype(name))


@every_small_format
def test_half_way_goes_to_the_even_pattern_and_a_hair_to_its_side(name, every_number):
    """The hair is lost by who rounds to float32 first, as ml_dtypes does."""
    finite = sorted({x for x in every_number[name] if math.isfinite(x) and x >= 0})
    for low, high in list(pairwise(finite))[:: len(finite) // 100]:
        tie = (low + high) / 2
        even = low if FORMATS[name].bits(low) % 2 == 0 else high
        rounded = [
            FORMATS[name].from_float(y)
            for y in (math.nextafter(tie, 0), tie, math.nextafter(tie, math.inf), -tie)
        ]
        assert rounded == [low, even, high, -even]  # fmt: skip


@every_format
def test_beyond_the_largest_by_half_a_unit_is_infinity_or_nan(name):
    number_format = FORMATS[name]
    largest = float(ml_dtypes.finfo(name).max)
    unit = Fraction(largest) - Fraction(
        float(np.nextafter(np.array(largest).astype(name), np.array(0).astype(name)))
    )
    tie, beyond = Fraction(largest) + unit / 2, math.inf if number_format.infinite else math.nan
    just_under = tie - unit / 10**9
    assert number_format.exactly(just_under) == largest
    assert number_format.exactly(-just_under) == -largest
    at_tie = largest if name == "float8_e4m3fn" else beyond  # 448 has an even pattern
    assert identical(number_format.exactly(tie), at_tie)
    assert identical(number_format.exactly(tie + unit / 10**9), beyond)
    assert identical(abs(number_format.exactly(-2 * tie)), beyond)  # fmt: skip


@every_format
@given(value=st.fractions() | st.fractions(-4, 4) | st.fractions(-1, 1).map(lambda q: q / 2**130))
def test_a_fraction_rounds_to_the_nearest_number(name, value):
    if abs(value) <= float(ml_dtypes.finfo(name).max):
        assert identical(FORMATS[name].exactly(value), nearest(value, name))


@every_format
@given(m=st.integers(0, 2**52 - 1))
def test_a_fraction_a_hair_beside_a_tie_goes_to_its_side(name, m):
    """n/d = tie ± 1/(d·2**j), where tie = odd/2**j lies half way between two numbers."""
    p, emin = FORMATS[name].precision, FORMATS[name].emin
    odd, j = 2**p + 2 * (m % 2 ** (p - 1)) + 1, p + min(-emin, 60)
    for hair in (1, -1):
        d = pow(-hair * odd, -1, 2**j)
        value = Fraction(odd * d + hair, 2**j * d)
        side = Fraction(odd + hair, 2**j)
        assert FORMATS[name].exactly(value) == nearest(value, name) == side


@every_format
@given(ends=st.tuples(FINITE, FINITE))
def test_an_interval_settles_when_its_ends_round_alike(name, ends):
    low, high = map(Fraction, sorted(ends))
    first, second = FORMATS[name].exactly(low), FORMATS[name].exactly(high)
    if low and high:
        alike = identical(first, second) and (low < 0) == (high < 0)  # NaN has no sign
        want = first if alike else None
        got = FORMATS[name].settle(mpf(low), mpf(high))
        assert got is want or identical(got, want)


@every(
    ("low", "high", "want"),
    [
        (0, 0, 0.0),
        (Fraction(-1, 2**1200), 0, -0.0),
        (0, Fraction(1, 2**1200), 0.0),
        (Fraction(-1, 2**1200), Fraction(1, 2**1200), None),
        (Fraction(1, 2**1075), Fraction(1, 2**1075), 0.0),
        (Fraction(3, 2**1075), Fraction(3, 2**1075), 1e-323),
        (2**1024, 2**2000, math.inf),
    ],
    ids=["zero", "to −0", "from +0", "about zero", "tie with zero", "tie above", "overflow"],
)
def test_an_interval_about_zero_settles_with_the_sign_of_what_it_holds(low, high, want):
    got = FLOAT64.settle(mpf(Fraction(low)), mpf(Fraction(high)))
    assert got is want or identical(got, want)


@every(("name", "x"), [("float16", 0.1), ("bfloat16", 1e39), ("float32", 1e-50),
                                         ("float8_e4m3fn", math.inf)])  # fmt: skip
def test_a_float_that_the_format_lacks_has_no_pattern(name, x):
    with pytest.raises(ValueError, match=f"is not a {name}"):
        FORMATS[name].bits(x)


@every_small_format
def test_the_pattern_of_nan_is_numpys_quiet_one(name):
    quiet = np.array(np.nan).astype(name)
    assert FORMATS[name].bits(math.nan) == int(bits(quiet))


def test_an_unknown_format_is_a_usage_error_with_the_nearest_name():
    assert find_format("float16") is FORMATS["float16"]
    with pytest.raises(UsageError, match="did you mean 'bfloat16'"):
        find_format("bfloat61")


def test_no_two_formats_share_a_name():
    names = [name for entry in FORMATS.values() for name in (entry.name, *entry.aliases)]
    assert len(set(names)) == len(names)
    assert [find_format(name).name for name in names] == [
        entry.name for entry in FORMATS.values() for _ in (entry.name, *entry.aliases)
    ]


# Arrays of bits and back


@every_small_format
def test_every_pattern_of_an_array_is_what_it_is_there_and_back(name):
    number_format = FORMATS[name]
    every = bits(patterns(name))
    floats = to_floats(number_format, every)
    with np.errstate(invalid="ignore"):
        theirs = patterns(name).astype(np.float32)
    np.testing.assert_array_equal(floats, theirs)
    nan = np.isnan(floats)
    assert (np.signbit(floats) == np.signbit(theirs))[~nan].all()
    back = to_bits(number_format, floats)
    assert (back == every)[~nan].all()
    assert np.isnan(to_floats(number_format, back[nan])).all()


@every(("name", "unsigned"), [("float32", "u4"), ("float64", "u8")])
def test_wide_numbers_keep_their_bits(name, unsigned):
    every = np.random.default_rng(0).integers(0, 1 << 63, 1000).astype(unsigned)
    assert (to_bits(FORMATS[name], to_floats(FORMATS[name], every)) == every).all()
