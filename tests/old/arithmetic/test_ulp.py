"""The two distances from the truth, against cases worked by hand and lists of all numbers."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.format_arrays import (
    least_exponent,
    ordinal,
    ordinal_distances,
    ordinals,
    ulp_error,
    ulps,
)
from gelu_cli.old.arithmetic.formats import FORMATS
from tests.old.every import every
from tests.truth.mpmath import bits
from tests.truth.slow_judge import all_numbers

SMALL = ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
BINARY32 = FORMATS["float32"]
PART = Fraction(1, 10**30)


@every(
    ("y", "exponent"),
    [
        (1, -23), (-1, -23), (Fraction(3, 2), -23), (2 - PART, -23), (2, -22), (1 - PART, -24),
        (-1 + PART, -24), (-1 - PART, -23), (Fraction(1, 3), -25), (2**127, 104), (2**300, 277),
        (Fraction(1, 2**126), -149), (Fraction(1, 2**126) - PART**2, -149), (PART**9, -149),
        (0, -149), (-PART**9, -149), (Fraction(1, 2**125), -148),
    ],
)  # fmt: skip
def test_the_unit_is_that_of_the_binade_and_below_the_normals_of_the_subnormals(y, exponent):
    assert BINARY32.ulp(Fraction(y)) == Fraction(2) ** exponent


UP = 1 + 2.0**-23
DOWN = 1 - 2.0**-24
LEAST = 2.0**-149


@every(
    ("got", "y", "error"),
    [
        (1.0, 1, 0),
        (UP, 1, 1),
        (DOWN, 1, Fraction(1, 2)),  # from a power of two towards 0 the numbers are twice as close
        (UP, 1 + Fraction(1, 2**24), Fraction(1, 2)),
        (1.0, 1 - Fraction(1, 2**25), Fraction(1, 2)),
        (1.0, 1 - Fraction(1, 2**24), 1),  # y is below 1, and so is its unit
        (UP, 1 - Fraction(1, 2**24), 3),
        (-UP, -1, 1),
        (-1.0, 1, 2**24),
        (1.0, -1, 2**24),
        (LEAST, 0, 1),
        (-LEAST, 0, 1),
        (0.0, 0, 0),
        (-0.0, 0, 0),
        (0.0, Fraction(LEAST), 1),
        (-0.0, Fraction(LEAST), 1),
        (LEAST, -Fraction(LEAST), 2),
        (3 * LEAST, Fraction(LEAST) / 4, Fraction(11, 4)),
        (0.0, Fraction(1, 2**126), 2**23),  # flushed: 2^(p − 1), and up to 2^p for larger ones
        (0.0, 1, 2**23),
        (0.0, 2 - Fraction(1, 2**22), 2**24 - 2),
        (1.0, Fraction(LEAST), 2**149 - 1),
        (BINARY32.largest, 2**128, Fraction(1, 2)),  # what would be the next number
        (BINARY32.largest, 2**130, 2**23 - Fraction(2**104) * (2**24 - 1) / 2**107),
    ],
)
def test_the_error_in_ulp_by_hand(got, y, error):
    assert ulp_error(BINARY32, got, Fraction(y)) == error
    assert ulp_error(BINARY32, -got, -Fraction(y)) == error


@every("dtype", SMALL)
def test_a_number_has_its_place_in_the_list_of_all(dtype):
    every = all_numbers(dtype)
    zero = every.index(0.0)
    places = [i - zero for i in range(len(every))]
    number_format = FORMATS[dtype]
    assert ordinals(number_format, np.array(every)).tolist() == places
    assert ordinals(number_format, np.array(every, np.float32)).tolist() == places
    some = range(0, len(every), 1 + len(every) // 5000)
    assert [ordinal(number_format, every[i]) for i in some] == [places[i] for i in some]


@every("dtype", FORMATS)
@every("native", [True, False])
def test_both_zeros_are_one_place_and_infinity_is_the_one_after_the_largest(dtype, native):
    number_format = FORMATS[dtype]
    x = [0.0, -0.0, number_format.largest, math.inf, -math.inf, -number_format.largest]
    if native and dtype not in ("float64", "float32", "float16"):
        x = np.array(x, np.float32)
    elif native:
        x = np.array(x, dtype)
    zero, minus_zero, most, above, below, least = ordinals(number_format, np.array(x)).tolist()
    assert zero == minus_zero == 0
    assert (above, below) == (most + 1, least - 1)
    assert most == -least == number_format.bits(number_format.largest)


@every(("dtype", "width"), [("float64", 64), ("float32", 32)])
@given(data=st.data())
@example(data=None)
def test_places_are_bit_patterns_with_a_sign(dtype, width, data):
    finite = st.floats(allow_nan=False, width=width)
    edges = [0.0, -0.0, 1.0, -1.0, float(ml_dtypes.finfo(dtype).tiny), -2.0]
    x = np.array(data.draw(st.lists(finite, min_size=1)) if data else edges, dtype)
    want = [(-1) ** (v < 0) * int(b) for v, b in zip(x, bits(np.abs(x)), strict=True)]
    number_format = FORMATS[dtype]
    assert ordinals(number_format, x).tolist() == want
    assert ordinals(number_format, x.astype(np.float64)).tolist() == want
    assert [ordinal(number_format, float(v)) for v in x] == want


@every("name", FORMATS)
def test_units_of_an_array_are_those_of_its_numbers(name):
    y = np.array([0.0, -0.0, 1.0, -1.0, 1.5, 2.0 - 2.0**-52, 0.1, 2.0**-130, 2.0**-1070, -1e30])
    want = [float(FORMATS[name].ulp(Fraction(x))) for x in y.tolist()]
    assert ulps(FORMATS[name], y).tolist() == want
    assert want[0] == 2.0 ** least_exponent(FORMATS[name])


@every("dtype", ["float16", "float32", "float64"])
@every("signs", [(1, 1), (-1, -1), (1, -1)])
def test_steps_between_numbers_held_natively_are_those_of_their_places(dtype, signs):
    number_format = FORMATS[dtype]
    sizes = [0.0, number_format.number(1), 2.0**number_format.emin, 1.0, number_format.largest]
    pairs = [(signs[0] * one, signs[1] * other) for one in sizes for other in sizes]
    one, other = (np.array(side, dtype) for side in zip(*pairs, strict=True))
    want = [abs(ordinal(number_format, a) - ordinal(number_format, b)) for a, b in pairs]
    assert ordinal_distances(number_format, one, other).tolist() == want
