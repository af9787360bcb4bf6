"""Formats, bit for bit against fractions and ml_dtypes."""

import ml_dtypes
import numpy as np
import pytest
from flint import fmpq

from gelu_cli.errors import UsageError
from gelu_cli.numbers import FORMATS, find_format
from gelu_cli.numbers.arrays import (
    bits_of,
    numbers_of,
    ordinal_distances,
    pattern_range,
    round_array,
    ulps,
)
from tests.truth import exact

NARROW = ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
RANGES = [(0.1, 0.3), (-2.0, 1.0), (1e-45, 1e39), (5.0, 5.0), (-0.3, -0.1), (-2.0, -0.0)]


@pytest.mark.parametrize("name", NARROW)
def test_numbers_patterns_and_ordinals_are_those_of_fractions(name):
    form = FORMATS[name]
    numbers = form.finite_numbers()
    assert numbers == [*map(form.number, (*range(form.top), *map(form.bits, numbers[form.top :])))]
    for y in numbers[:: len(numbers) // 199 or 1]:
        assert form.hexadecimal(y) == exact.bits(name, y)
        assert form.ordinal(y) == exact.ordinal(name, y)
    array = np.array(numbers)
    np.testing.assert_array_equal(numbers_of(form, bits_of(form, array)), array)
    steps = ordinal_distances(form, array[1:-1], array[2:])[: form.top - 2]
    assert steps.min() == steps.max() == 1
    units = [form.ulp(fmpq(*y.as_integer_ratio())) for y in numbers[:300]]
    assert ulps(form, array[:300]).tolist() == [float(u.p) / float(u.q) for u in units]


def test_sizes_are_those_of_ml_dtypes():
    for name, form in FORMATS.items():
        info = ml_dtypes.finfo(form.dtype)
        assert form.largest == float(info.max), name
        assert 2.0**form.least_exponent == float(info.smallest_subnormal), name
        assert form.precision == info.nmant + 1


def test_ulps_are_constant_below_the_least_normal_number_and_double_at_powers_of_two():
    half = FORMATS["float16"]
    assert half.ulp(fmpq(0)) == half.ulp(fmpq(1, 2**14)) == fmpq(1, 2**24)
    assert half.ulp(fmpq(2)) == 2 * half.ulp(fmpq(2) - fmpq(1, 10**30))


def test_arrays_are_rounded_once():
    rng = np.random.default_rng(1)
    y = np.concatenate([rng.normal(size=3000), 10.0 ** rng.uniform(-12, 12, 3000)])
    y = np.concatenate([y, np.array([1 + 2**-8 + 2**-40, 65520.0, 1e300, -464.5, np.inf, -0.0])])
    for name in NARROW:
        want = [FORMATS[name].from_float(each) for each in y.tolist()]
        np.testing.assert_array_equal(round_array(y, FORMATS[name]), want, err_msg=name)
        assert want[:50] == [exact.rounded(name, each) for each in y[:50].tolist()]
    assert FORMATS["bfloat16"].from_float(1 + 2**-8 + 2**-40) == 1.0078125  # ml_dtypes: 1.0


def test_the_fewest_digits_read_back():
    for y in (1 / 1024, 0.1015625, 3.0):
        assert FORMATS["bfloat16"].from_float(float(FORMATS["bfloat16"].shortest(y))) == y
    largest = FORMATS["float64"].largest
    assert FORMATS["float64"].shortest(largest, 2) == repr(largest)


def test_formats_are_found_by_their_other_names():
    assert find_format("half").name == "float16"
    assert find_format("fp8_e4m3").name == "float8_e4m3fn"
    with pytest.raises(UsageError, match="did you mean 'float32'"):
        find_format("float3")


def test_distances_are_differences_of_ordinals_of_one_sign_and_of_both():
    form = FORMATS["float8_e4m3fn"]
    numbers = np.array(form.finite_numbers())
    for one in (numbers, numbers[~np.signbit(numbers)]):
        for y in one.tolist():
            want = [abs(form.ordinal(each) - form.ordinal(y)) for each in one.tolist()]
            assert ordinal_distances(form, np.full_like(one, y), one).tolist() == want


def test_ranges_of_patterns_hold_the_numbers_between_their_ends():
    form = FORMATS["bfloat16"]
    for low, high in RANGES:
        inside = [y for y in form.finite_numbers() if low <= y <= high]
        ranges = [pattern_range(form, s, low, high) for s in (1, -1)]
        assert sum(end - first for first, end in ranges) == len(inside), (low, high)
