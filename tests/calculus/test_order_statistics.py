"""Percentiles are numbers of the data, those that sorting it finds."""

import errno
import math
from unittest import mock

import numpy as np
import pytest

from gelu_cli.calculus import order_statistics
from gelu_cli.calculus.order_statistics import OrderStatistics
from gelu_cli.errors import ComputationError

PERCENTS = [0, 1, 50, 99, 100]
RANDOM = np.random.default_rng(5)


def percentiles(*parts):
    with OrderStatistics() as numbers:
        for part in parts:
            numbers.add(np.array(part, dtype=np.float64))
        return numbers.percentiles(PERCENTS)


def by_sorting(numbers):
    ordered = sorted(numbers)
    return [ordered[max(0, math.ceil(len(ordered) * p / 100) - 1)] for p in PERCENTS]


@pytest.mark.parametrize(
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
    numbers = RANDOM.exponential(size=(10, order_statistics.IN_MEMORY // 64))
    want = [np.percentile(numbers, p, method="inverted_cdf") for p in PERCENTS]
    assert numbers.nbytes > order_statistics.IN_MEMORY
    assert percentiles(*numbers) == want


def test_a_full_disk_is_an_error_of_the_computation():
    full = OSError(errno.ENOSPC, "No space left on device")
    with (
        OrderStatistics() as numbers,
        mock.patch.object(numbers._file, "write", side_effect=full),
        pytest.raises(ComputationError, match="No space left on device; TMPDIR names"),
    ):
        numbers.add(np.ones(2))
