"""What is said of the errors over many points is true of the errors of each, by mpmath."""

import errno
import itertools
import math
import tracemalloc
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

from gelu_cli.errors import ComputationError, UsageError
from gelu_cli.old.calculus import sums_and_percentiles
from gelu_cli.old.calculus.point_summary import summarise_points
from gelu_cli.old.calculus.sums_and_percentiles import (
    MOST,
    ROOT_BITS,
    OrderStatistics,
    exact_sums,
    square_root,
)
from gelu_cli.old.values.points import FewPoints, ManyPoints
from tests.old.asked import comparison
from tests.old.every import every
from tests.truth.mpmath import FORMS, M

EDGES = [-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0]
RANDOM = np.random.default_rng(7)


def summary(*parts, form="tanh", target="exact", jobs=1):
    blocks = [ManyPoints(np.array(part, dtype=np.float64)) for part in parts]
    span, [errors] = summarise_points(blocks, [comparison(form, target)], EDGES, jobs)
    return span, errors


@every("name", ["tanh", "sigmoid", "relu"])
def test_every_figure_is_that_of_mpmaths_errors(name):
    points = RANDOM.normal(0, 2, 101).tolist()
    with M.workdps(60):
        exact, form = ([FORMS[each](M.mpf(x)) for x in points] for each in ("exact", name))
        sizes = [abs(u - v) for u, v in zip(form, exact, strict=True)]
        ratios = [size / abs(v) for size, v in zip(sizes, exact, strict=True)]
        mean, rms = M.fsum(sizes) / 101, M.sqrt(M.fsum(d * d for d in sizes) / 101)
    span, errors = summary(points, form=name)
    assert span[:3] == (101, min(points), max(points))
    assert errors.maxima.absolute[:2] == (float(max(sizes)), points[sizes.index(max(sizes))])
    assert errors.maxima.relative[:2] == (float(max(ratios)), points[ratios.index(max(ratios))])
    assert float(errors.mean) == pytest.approx(float(mean), rel=3e-16, abs=0)
    assert float(errors.rms) == pytest.approx(float(rms), rel=3e-16, abs=0)
    assert list(errors.percentiles) == [float(y) for y in np.percentile(
        [float(size) for size in sizes], [50, 99], method="inverted_cdf")]  # fmt: skip
    for low, high, count in errors.sizes:
        assert count == sum(low < size <= high for size in sizes)
    assert sum(size.n for size in errors.sizes) == 101


def test_regions_part_the_points_and_have_their_maxima():
    points = [*RANDOM.normal(0, 2, 300), 0.0, -0.0, 1.0, -2.0]
    span, errors = summary(points)
    regions = errors.regions
    assert (regions[0].low, regions[-1].high) == (span.low, span.high)
    assert all(one.high == other.low for one, other in itertools.pairwise(regions))
    assert sum(region.maxima.n for region in regions) == len(points)
    for low, high, maxima in regions:
        inside = [x for x in points if low <= x < high or x == high == span.high]
        _, alone = summary(inside)
        assert maxima.n == len(inside)
        for got, want in zip(maxima[1:], alone.maxima[1:], strict=True):
            assert got[:2] == want[:2]
            assert points[got.place] == got.x


@every(
    ("points", "ends", "counts"),
    [
        ([1.0], [1, 1], [1]),
        ([0.5, 1.0], [0.5, 1], [2]),
        ([-1.0, 0.0], [-1, 0], [2]),
        ([-0.5, 3.0], [-0.5, 0, 1, 2, 3], [1, 0, 0, 1]),
        ([-0.5, 2.0], [-0.5, 0, 1, 2], [1, 0, 1]),
        ([100.0, 4.0], [4, 100], [2]),
    ],
)
def test_the_largest_point_is_in_the_last_region(points, ends, counts):
    _, errors = summary(points)
    assert [errors.regions[0].low, *(region.high for region in errors.regions)] == ends
    assert [region.maxima.n if region.maxima else 0 for region in errors.regions] == counts


def test_nothing_depends_on_blocks_threads_or_how_points_are_held():
    points = RANDOM.normal(0, 3, 3000)
    whole = summary(points)
    assert summary(*np.array_split(points, 7), jobs=3) == whole
    few = [FewPoints(part.tolist()) for part in np.array_split(points, 11)]
    span, [errors] = summarise_points(few, [comparison("tanh")], EDGES)
    assert (span, errors) == whole
    _, again = summary(points[::-1])
    assert (again.mean, again.rms, again.percentiles) == (
        whole[1].mean, whole[1].rms, whole[1].percentiles)  # fmt: skip


def test_of_equal_maxima_the_first_point_counts():
    _, errors = summary([0.5, -3.0], [3.0, -3.0, 3.0])
    assert errors.maxima.absolute[1:] == (-3.0, 1)
    _, errors = summary([0.5, 3.0], [3.0, -3.0, 3.0])
    assert errors.maxima.absolute[1:] == (3.0, 1)


def test_points_that_are_not_finite_are_counted_and_left_out():
    span, errors = summary([math.nan, 3.0], [math.inf, -math.inf, 1.0, math.nan, math.nan])
    assert (span.n, span.nan, span.infinite) == (2, 3, 2)
    _, alone = summary([3.0, 1.0])
    assert errors.mean == alone.mean
    assert errors.maxima.absolute == (alone.maxima.absolute.value, 3.0, 1)
    for points in ([], [math.nan, math.inf]):
        with pytest.raises(UsageError, match="none of the points is finite"):
            summary(points)


def test_the_relative_error_of_0_at_0_is_none_and_that_of_another_number_is_infinite():
    _, errors = summary([-5.0, -4.0], form="hard", target="relu")
    assert errors.maxima.relative.value == errors.mean == 0
    assert list(errors.sizes) == [(0.0, 1e-20, 2)]
    _, errors = summary([1.0, 0.0], form="softplus")
    assert errors.maxima.relative[:2] == (math.inf, 0.0)


def test_errors_that_are_fractions_have_their_averages():
    """The gate of `hard` is 1/2 + 1.702·x/6 near 0, that of ReLU 0 or 1."""
    points = [0.25, 0.5, -1.0, 0.0]
    sizes = [Fraction(1, 2) - abs(Fraction(x)) * Fraction("1.702") / 6 for x in points]
    pair = comparison("hard", "relu", "gate")
    _, [errors] = summarise_points([FewPoints(points)], [pair], EDGES)
    assert float(errors.mean) == pytest.approx(float(sum(sizes) / 4), rel=3e-16, abs=0)
    squares = sum(size**2 for size in sizes) / 4
    assert float(errors.rms) == pytest.approx(math.sqrt(squares), rel=3e-16, abs=0)


def test_no_more_is_held_for_many_points_than_for_few(monkeypatch):
    """Beyond IN_MEMORY the errors are in a file: 30 blocks more have a million bytes of them."""
    monkeypatch.setattr(sums_and_percentiles, "IN_MEMORY", 1 << 14)
    x = np.linspace(-3, 3, 4096)

    def peak(blocks):
        tracemalloc.start()
        points = (ManyPoints(x + k / 1000) for k in range(blocks))
        summarise_points(points, [comparison("relu", "hard")], EDGES)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(40) < peak(10) + 300_000


# Percentiles

PERCENTS = [0, 1, 50, 99, 100]


def percentiles(*parts):
    with OrderStatistics() as numbers:
        for part in parts:
            numbers.add(np.array(part, dtype=np.float64))
        return numbers.percentiles(PERCENTS)


def by_sorting(numbers):
    ordered = sorted(numbers)
    return [ordered[max(0, math.ceil(len(ordered) * p / 100) - 1)] for p in PERCENTS]


@every(
    "numbers",
    [
        [0.25],
        [3.0, 1.0, 2.0, 4.0],
        [0.0, 5e-324, 2.0**-1022, 1e308, math.inf] * 3,
        [1.0, 1.0, math.nextafter(1.0, 2.0), math.nextafter(1.0, 0.0)],
        [0.5] * 200,
        RANDOM.lognormal(0, 5, 5000).tolist(),
    ],
)
def test_a_percentile_is_the_least_number_that_so_many_do_not_exceed(numbers):
    assert percentiles(numbers) == by_sorting(numbers)
    assert percentiles(*np.array_split(numbers[::-1], 3)) == by_sorting(numbers)


def test_it_is_numpys_order_statistic_of_more_than_memory_holds():
    numbers = RANDOM.exponential(size=(10, sums_and_percentiles.IN_MEMORY // 64))
    want = [np.percentile(numbers, p, method="inverted_cdf") for p in PERCENTS]
    assert numbers.nbytes > sums_and_percentiles.IN_MEMORY
    assert percentiles(*numbers) == want


def test_a_full_disk_is_an_error_of_the_computation():
    full = OSError(errno.ENOSPC, "No space left on device")
    with (
        OrderStatistics() as numbers,
        mock.patch.object(numbers._file, "write", side_effect=full),
        pytest.raises(ComputationError, match="No space left on device; TMPDIR names"),
    ):
        numbers.add(np.ones(2))


# Exact sums

LARGEST = math.nextafter(math.inf, 0)
ALL_BITS = math.nextafter(2.0, 0)


@every(
    "numbers",
    [
        [],
        [0.0],
        [5e-324, 0.0, LARGEST, 1.0],
        [2.0**-1030, 2.0**-1022, 0.1],
        RANDOM.lognormal(0, 40, 1000).tolist(),
        np.abs(RANDOM.normal(size=1000)).tolist(),
    ],
)
def test_the_sums_are_exact(numbers):
    fractions = [*map(Fraction, numbers)]
    want = sum(fractions), sum(y * y for y in fractions)
    assert exact_sums(np.array(numbers, dtype=np.float64)) == want


def test_so_many_numbers_of_all_bits_do_not_overflow():
    y = Fraction(ALL_BITS)
    assert exact_sums(np.full(MOST, ALL_BITS)) == (MOST * y, MOST * y * y)


@every("y", [Fraction(2), Fraction(1, 3), Fraction(10) ** 600, Fraction(1, 10**600)])
def test_the_square_root_has_its_bits(y):
    root = square_root(y)
    assert root**2 <= y < (root * (1 + Fraction(2, 2**ROOT_BITS))) ** 2


def test_a_number_is_the_root_of_its_square():
    for y in (0.1, 5e-324, LARGEST, 0.0):
        assert square_root(Fraction(y) ** 2) == Fraction(y)
    assert square_root(math.inf) == math.inf
