"""Whole arrays round as single numbers do, and what is called settled is."""

import math
from dataclasses import replace
from fractions import Fraction

import ml_dtypes
import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.extended.number import Extended
from gelu_cli.old.arithmetic.format_arrays import Units, nearest, settle, settle_units
from gelu_cli.old.arithmetic.formats import FORMATS
from tests.old.arithmetic.extended.numbers import rest_of
from tests.old.every import every
from tests.truth.mpmath import identical

every_format = every("name", FORMATS)
SMALL = ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
assert ml_dtypes  # registers its names with numpy


def unit(number_format, exponent):
    return Fraction(2) ** (max(exponent, number_format.emin) - number_format.precision + 1)


def is_tie(number_format, value):
    halves = 2 * Fraction(value) / unit(number_format, math.frexp(value)[1] - 1)
    return halves.denominator == 1 and halves.numerator % 2 == 1


@st.composite
def near_the_numbers_of(draw, number_format):
    """Floats at and next to numbers of a format, half way between, at powers of two and its ends.

    As (mantissa, exponent), since a scaled number may be beyond float64.
    """
    p, emin = number_format.precision, number_format.emin
    top = math.frexp(number_format.largest)[1]
    exponent = draw(st.integers(emin - p - 3, emin + 2) | st.integers(emin, top + 2)
                    | st.integers(top - 2, top + 1) | st.integers(-3, 3))  # fmt: skip
    bits = max(1, min(p, exponent - emin + p))
    whole = 2 ** (bits - 1)
    digits = draw(st.integers(whole, 2 * whole - 1) | st.sampled_from([whole, 2 * whole - 1]))
    quarters = draw(st.sampled_from([0, 0, 1, 2, 2, 2, 3]))
    mantissa = math.ldexp(4 * digits + quarters, -(bits + 2)) if bits < 51 else digits / 2**bits
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        mantissa = math.nextafter(mantissa, draw(st.sampled_from([0, 2])))
    return draw(st.sampled_from([1, -1])) * mantissa, exponent + 1


@every_format
@given(data=st.data())
def test_an_array_rounds_as_its_numbers_do(name, data):
    near = near_the_numbers_of(FORMATS[name]).map(lambda pair: float(np.ldexp(*pair)))
    with np.errstate(over="ignore"):
        x = data.draw(st.lists(near | st.floats(), max_size=6))
    rounded, ties = nearest(FORMATS[name], np.array(x, dtype=float))
    for value, got, tie in zip(x, rounded.tolist(), ties.tolist(), strict=True):
        assert identical(got, FORMATS[name].from_float(value))
        assert not (tie and not math.isfinite(value))
        if math.isfinite(value) and abs(got) <= FORMATS[name].largest and value:
            assert tie == is_tie(FORMATS[name], value)


def random_floats(n, exponents, width=64):
    """Floats of evenly spread exponents, some of whose last bits are zeros, so that ties occur."""
    generator = np.random.default_rng(17)
    kind, bits = (np.float64, 52) if width == 64 else (np.float32, 23)
    mantissa = generator.integers(2**bits, 2 ** (bits + 1), n)
    drop = generator.integers(0, bits + 1, n)
    mantissa = mantissa >> drop << drop
    found = np.ldexp(mantissa.astype(float), generator.integers(*exponents, n) - bits)
    return (found * generator.choice([-1, 1], n)).astype(kind)


@every(
    ("name", "width"),
    [("float32", 64), ("float16", 64), *((name, 32) for name in SMALL)],
)
def test_a_hundred_thousand_floats_round_as_those_of_ml_dtypes(name, width):
    """Which rounds float64s to 16 and 8 bits of its own kinds by way of float32."""
    x = random_floats(100_000, (-160, 140) if width == 64 else (-126, 127), width)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        want = x.astype(name).astype(float)
    got, _ = nearest(FORMATS[name], x.astype(float))
    np.testing.assert_array_equal(got, want)
    numbers = ~np.isnan(want)
    assert (np.signbit(got) == np.signbit(want))[numbers].all()


def column(high, low, error, exponent, with_scale):
    """Return one number (high + low ± error)·2**exponent, its exponent in its scale or not."""
    if with_scale:
        scale = np.array([exponent])
        return Extended(*(np.array([part]) for part in (high, low, error)), scale)
    return Extended(*(np.array([math.ldexp(p, exponent)]) for p in (high, low, error)))


def exact_parts(y):
    """Return the number and its bound as fractions."""
    scale = 0 if y.scale is None else int(y.scale[0])
    power = Fraction(2) ** scale
    high, low, error = (Fraction(float(part[0])) * power for part in (y.high, y.low, y.error))
    return high + low, error


def rounds_to(number_format, y, widened=1):
    """Return the one thing that all numbers within the bound round to, or None."""
    number, error = exact_parts(y)
    if number == error == 0:
        return 0.0
    low, high = number - widened * error, number + widened * error
    first, second = number_format.exactly(low), number_format.exactly(high)
    return first if low * high > 0 and identical(first, second) else None


@st.composite
def doubtful(draw, number_format):
    """Numbers with a bound that may or may not reach to where the rounding changes."""
    high, exponent = draw(near_the_numbers_of(number_format))
    if draw(st.integers(0, 20)) == 0:
        high = 0.0
    low = draw(rest_of(high)) if high else 0.0
    low *= draw(st.sampled_from([1, 1, 2.0**-20, 2.0**-52]))
    error = draw(st.floats(0, 1)) * draw(
        st.sampled_from([0, 2.0**-110, 2.0**-100, 2.0**-80, 2.0**-54, 2.0**-30, 2.0**-6])
    )
    if draw(st.booleans()):  # up to a half or a quarter unit of float64 or of the format
        reach = math.ldexp(1, -draw(st.sampled_from([53, 54, 55, number_format.precision + 1,
                                                     number_format.precision + 2])))  # fmt: skip
        error = abs(reach - abs(low)) * (1 + draw(st.integers(-4, 4)) * 2.0**-52)
    with_scale = draw(st.booleans())
    if not with_scale:
        assume(exponent > -900 and exponent < 1020)
    return column(high, low, error, exponent, with_scale)


@every_format
@given(data=st.data())
def test_what_is_settled_is_right_for_every_number_within_the_bound(name, data):
    y = data.draw(doubtful(FORMATS[name]))
    (got,), (settled,) = settle(FORMATS[name], y)
    if settled:
        want = rounds_to(FORMATS[name], y)
        assert want is not None
        assert identical(got, want) or got == want == exact_parts(y)[0] == 0


def unlimited(number_format):
    """Return the format with larger exponents: beyond its largest number too there are ties."""
    if number_format.name == "float64":
        return number_format
    return replace(number_format, width=number_format.width + 2, infinite=True)


@every_format
@given(data=st.data())
def test_what_is_not_settled_lies_near_a_tie_or_zero(name, data):
    y = data.draw(doubtful(FORMATS[name]))
    number, error = exact_parts(y)
    _, (settled,) = settle(FORMATS[name], y)
    if number and not settled:
        reach = Fraction(201, 100) * error + abs(number) / 2**100
        low, high = (unlimited(FORMATS[name]).exactly(number + side * reach) for side in (-1, 1))
        assert low < high or math.isinf(low) or abs(number) <= reach


def settled_at(name, number, error=0):
    """Settle one Fraction of at most 106 bits."""
    number = Fraction(number)
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    exponent += abs(number) >= Fraction(2) ** exponent
    mantissa = number / Fraction(2) ** exponent
    high = float(mantissa)
    low = float(mantissa - Fraction(high))
    assert Fraction(high) + Fraction(low) == mantissa
    error = float(Fraction(error) / Fraction(2) ** exponent)
    (got,), (settled,) = settle(FORMATS[name], column(high, low, error, exponent, True))
    return float(got), bool(settled)


HAIR = Fraction(1, 2**40)


@every_format
@every("sign", [1, -1])
def test_beside_a_tie_the_low_part_decides(name, sign):
    number_format = FORMATS[name]
    one = unit(number_format, 0)
    for ulps in (2, 3):
        tie = 1 + ulps * one + one / 2
        for hair, want in ((HAIR * one, tie + one / 2), (-HAIR * one, tie - one / 2)):
            number = sign * (tie + hair)
            assert settled_at(name, number) == (sign * want, True)
            assert settled_at(name, number, abs(hair) / 2) == (sign * want, True)
            assert not settled_at(name, number, abs(hair) * 2)[1]
        assert not settled_at(name, sign * tie, HAIR * one)[1]


@every("name", ["float32", "float16", "bfloat16", "float8_e4m3fn"])
@every("sign", [1, -1])
def test_a_wide_bound_just_above_a_power_of_two_reaches_below_it(name, sign):
    """1 + ε ± 0.3 units reaches below 1 − ¼ unit, where numbers round to the next one down.

    The least normal number has neighbours equally far on both sides.
    """
    for exponent in (0, FORMATS[name].emin + 1, FORMATS[name].emin):
        one = unit(FORMATS[name], exponent)
        power = Fraction(2) ** exponent
        number = sign * (power + one * Fraction(1, 1024))
        wide = settled_at(name, number, one * Fraction(3, 10))
        assert wide[1] == (exponent == FORMATS[name].emin)
        assert settled_at(name, number, one * Fraction(2, 10)) == (sign * power, True)


@every("name", [name for name in FORMATS if name != "float64"])
@every("sign", [1, -1])
def test_an_exact_tie_is_settled_on_the_even_number(name, sign):
    one = unit(FORMATS[name], 0)
    for ulps, even in ((2, 2), (3, 4)):
        tie = 1 + (ulps + Fraction(1, 2)) * one
        assert settled_at(name, sign * tie) == (sign * (1 + even * one), True)


def test_beside_a_tie_a_large_low_part_may_reach_the_next_one():
    """2.5 + 0.8 ± 0.75 units may be 2.6 or 4."""
    parts = (np.array([part]) for part in (2.5, 0.8, 0.75))
    y = Units(*parts, np.array([0], np.int32), np.array([False]), np.array([True]))
    assert not settle_units(FORMATS["float32"], y)[1].any()


def test_a_bound_that_ends_just_beyond_a_tie_is_no_bound_that_ends_before_it():
    """1 + low + error is beyond 1 + 2⁻⁵³ by 2⁻¹⁰⁸, and in float64 low + error is 2⁻⁵³."""
    low, error = 2.0**-53 - 2.0**-106, 2.0**-106 * (1 + 2.0**-19)
    for y in (column(1.0, low, error, 0, False), column(1.0, low, error, 0, True)):
        assert rounds_to(FORMATS["float64"], y) is None
        assert not settle(FORMATS["float64"], y)[1].any()


@every_format
@every("exponent", [-40, -1500, -4000, -6000, -60000])
def test_a_number_whose_sign_is_not_known_is_never_settled(name, exponent):
    doubt = Extended(np.array([0.5]), np.array([0.0]), np.array([0.75]), np.array([exponent]))
    assert not settle(FORMATS[name], doubt)[1].any()
    clear = Extended(np.array([-0.5]), np.array([0.0]), np.array([0.25]), np.array([exponent]))
    (got,), (settled,) = settle(FORMATS[name], clear)
    assert settled == (exponent < -1000 or name in {"float16", "float8_e4m3fn", "float8_e5m2"})
    assert not settled or identical(got, -0.0)


@every_format
@every("sign", [1, -1])
def test_the_largest_number_and_beyond(name, sign):
    number_format = FORMATS[name]
    largest = Fraction(number_format.largest)
    one = unit(number_format, math.frexp(number_format.largest)[1] - 1)
    over = math.inf if number_format.infinite else math.nan
    for number, want in (
        (largest, largest), (largest + one / 4, largest), (largest + one / 2 - HAIR * one, largest),
        (largest + one / 2 + HAIR * one, over), (largest + one, over), (2 * largest, over),
        (largest * 2**2000, over), (largest * 2**20000, over),
    ):  # fmt: skip
        got, settled = settled_at(name, sign * number, one * HAIR / 2)
        assert settled
        assert identical(got, sign * float(want))
    assert not settled_at(name, sign * (largest + one / 2), HAIR * one)[1]


@every_format
def test_what_is_no_number_is_not_settled_and_an_exact_zero_is(name):
    zeros = Extended(np.zeros(2), np.zeros(2), np.array([0.0, 1e-300]))
    assert settle(FORMATS[name], zeros)[1].tolist() == [True, False]
    high = np.array([math.nan, math.inf, -math.inf, 1.0, 1.0, 1.0])
    low = np.array([0.0, math.nan, math.nan, math.nan, 0.0, 0.0])
    error = np.array([0.0, 0.0, math.nan, 0.0, math.inf, math.nan])
    with np.errstate(invalid="ignore"):
        for scale in (None, np.zeros(6, np.int64)):
            assert not settle(FORMATS[name], Extended(high, low, error, scale))[1].any()
