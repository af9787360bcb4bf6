"""Which inputs a sweep takes: patterns in order, regions, samples with their edges, ranges."""

import math
from collections import Counter
from itertools import pairwise, product

import ml_dtypes
import numpy as np
import pytest

from gelu_cli.old.arithmetic.format_arrays import every_number, numbers, pattern_range
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.sweeping.inputs import sample
from gelu_cli.old.sweeping.regions import region_numbers, regions
from tests.old.every import every
from tests.truth.slow_judge import patterns

SMALL = ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
every_dtype = every("dtype", FORMATS)
sampled = every("dtype", ["float32", "float64"])


def same(got, want):
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


@every("dtype", SMALL)
def test_every_number_comes_in_the_order_of_the_patterns(dtype):
    same(every_number(FORMATS[dtype]), np.concatenate(patterns(dtype)))


@every_dtype
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_patterns_stand_for_what_the_libraries_say(dtype):
    width = FORMATS[dtype].width
    generator = np.random.default_rng(3)
    count = min(2**width, 30000)
    bits = generator.integers(0, 2**width, count, dtype=np.uint64)
    want = bits.astype(f"u{width // 8}").view(dtype).astype(np.float64)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(numbers(FORMATS[dtype], bits.view(np.int64)), want)


def test_the_regions_end_where_gelus_change():
    lows = [region.low for region in regions(FORMATS["bfloat16"])]
    half = [0.0, 2.0**-126, 2.0**-12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0]
    assert lows == half * 2


@every_dtype
def test_the_regions_are_a_partition_of_the_line(dtype):
    found = regions(FORMATS[dtype])
    for sign in (1, -1):
        half = [region for region in found if region.sign == sign]
        assert (half[0].low, half[-1].high) == (0, math.inf)
        assert all(a.high == b.low for a, b in pairwise(half))
    x = np.array([0.0, -0.0, 1.0, -1.0, 0.25, -3.0, 2.0, float(ml_dtypes.finfo(dtype).max)])
    for point, number in zip(x, region_numbers(FORMATS[dtype], x), strict=True):
        assert 0 <= number < len(found)
        region = found[number]
        assert region.sign == math.copysign(1, point)
        assert region.low <= abs(point) < region.high


@sampled
def test_a_sample_is_the_same_for_a_seed_only(dtype):
    first, again, other = (sample(FORMATS[dtype], 20_000, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert len(np.setdiff1d(first, other)) > 5000


@sampled
def test_a_sample_has_so_many_numbers_and_none_twice(dtype):
    x = sample(FORMATS[dtype], 30_001, 0)
    assert 29_900 < len(x) <= 30_001  # a number drawn twice counts once
    assert len(np.unique(x.view(np.int64))) == len(x)


@sampled
@every("count", [1, 20_000])
def test_a_sample_has_the_edges_however_small_it_is(dtype, count):
    x = sample(FORMATS[dtype], count, 0)
    known = ml_dtypes.finfo(dtype)
    powers = np.ldexp(np.array(1, dtype), np.arange(known.minexp, known.maxexp)).astype(dtype)
    largest, zero = np.array(known.max, dtype), np.array(0, dtype)
    edges = np.concatenate(
        [powers, np.nextafter(powers, largest), np.nextafter(powers, zero),
         [0, known.max, known.smallest_subnormal]]
    ).astype(dtype)  # fmt: skip
    patterns = set(x.view(np.int64).tolist())
    assert set(edges.astype(float).view(np.int64).tolist()) <= patterns
    assert set((-edges).astype(float).view(np.int64).tolist()) <= patterns


@sampled
def test_a_sample_comes_in_the_order_of_the_patterns(dtype):
    x = sample(FORMATS[dtype], 10_000, 0)
    bits = x.astype(dtype).view(f"u{np.dtype(dtype).itemsize}")
    assert (bits[1:] > bits[:-1]).all()
    np.testing.assert_array_equal(x.astype(dtype).astype(float), x)


@sampled
def test_every_binade_of_either_half_has_its_share(dtype):
    """Half of a sample lies where forms change; powers of 2 and their neighbours are added."""
    x = sample(FORMATS[dtype], 100_000, 0)
    edges = 3 * 2 * int(ml_dtypes.finfo(dtype).maxexp - ml_dtypes.finfo(dtype).minexp)
    x = x[np.abs(x) > 2.0 * ml_dtypes.finfo(dtype).tiny]
    where_forms_change = (x >= -16) & (x <= 8) & (np.abs(x) >= 1 / 16)
    assert abs(2 * np.sum(where_forms_change) - len(x)) <= edges
    for part in (x[where_forms_change], x[~where_forms_change & (np.abs(x) != 16)]):
        binades = Counter(zip(np.signbit(part), np.frexp(part)[1].tolist(), strict=True))
        counts = [count for count in binades.values() if count > 3]  # single powers of 2
        assert max(counts) - min(counts) <= 8


def test_a_sample_leaves_no_large_gap():
    x = np.sort(sample(FORMATS["float32"], 100_000, 0).astype(np.float32))
    bits = x[(x > 1) & (x < 8)].view(np.int32)
    assert np.diff(bits).max() <= 2 * 15 * 2**23 / 49_000


@every("ends", [(-20.0, -15.9999), (1.0, 8.00001)])
def test_what_one_half_has_no_room_for_goes_to_the_other(ends):
    x = sample(FORMATS["float32"], 1000, 0, *ends)
    every = [8.0 if ends[0] > 0 else -16.0]
    while every[-1] < ends[1]:
        every.append(float(np.nextafter(np.float32(every[-1]), np.float32(99))))
    assert set(every[1:-1]) <= set(x.tolist())  # the smaller part is taken whole
    assert 5 < len(every) < 150
    assert 990 <= len(x) <= 1000


@sampled
@every("ends", [(1.0, 1.001), (-8.0, -4.0), (-1e-3, 2.0), (0.0, 5.0), (-5.0, 0.0)])
def test_all_of_a_sample_is_drawn_from_the_range(dtype, ends):
    low, high = ends
    x = sample(FORMATS[dtype], 20_000, 0, low, high)
    assert len(x) > (8000 if (low, high) == (1.0, 1.001) and dtype == "float32" else 19_000)
    assert ((low <= x) & (x <= high)).all()
    assert np.any(x < 0) == (low < 0)
    assert np.any(x > 0) == (high > 0)


def test_a_range_without_a_number_gives_none():
    assert len(sample(FORMATS["float32"], 100, 0, 1 + 2.0**-30, 1 + 2.0**-25)) == 0


RANGES = [
    (-math.inf, math.inf), (0.0, 5.0), (-0.0, 5.0), (-5.0, 0.0), (-5.0, -0.0), (1.0, 2.0),
    (-2.0, -1.0), (0.0, 0.0), (0.3, 0.7), (-0.7, 0.3), (1e300, 1e301), (-1e-300, 1e-300),
    (1e-310, 1e-309), (3.0, 3.0), (0.3, 0.3),
]  # fmt: skip


@every_dtype
def test_the_patterns_of_a_range_are_those_of_the_numbers_in_it(dtype):
    number_format = FORMATS[dtype]
    top = number_format.bits(number_format.largest) + 1
    for (low, high), sign in product(RANGES, (1, -1)):
        first, end = pattern_range(number_format, sign, low, high)
        assert 0 <= first <= end <= top
        for pattern in filter(range(top).__contains__, (first - 1, first, end - 1, end)):
            inside = low <= sign * number_format.number(pattern) <= high
            assert inside == (first <= pattern < end), (low, high, sign)
        if first == end:
            middle = sorted((abs(low), abs(high)))[0]
            near = number_format.from_float(min(middle, number_format.largest))
            assert not low <= sign * near <= high, (low, high, sign)


@every_dtype
def test_a_range_may_end_at_the_largest_number(dtype):
    largest = FORMATS[dtype].largest
    top = FORMATS[dtype].bits(largest)
    assert pattern_range(FORMATS[dtype], 1, largest, math.inf) == (top, top + 1)
    assert pattern_range(FORMATS[dtype], -1, -largest, -largest) == (top, top + 1)
