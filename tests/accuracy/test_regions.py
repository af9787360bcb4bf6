"""Regions of inputs and their cells."""

import numpy as np
import pytest

from gelu_cli.accuracy.regions import cells_of, regions_of
from gelu_cli.numbers import FORMATS
from tests.truth import exact


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "float16", "bfloat16"])
def test_cells_of_a_region_differ_by_at_most_one_number(name):
    sizes = np.abs(np.array(exact.all_numbers(name), np.float64))
    for region in regions_of(FORMATS[name]):
        inside = np.unique(sizes[(region.low <= sizes) & (sizes < region.high)])
        cells = np.searchsorted(cells_of(FORMATS[name], region), inside, side="right")
        counts = np.bincount(cells - 1)
        assert counts.sum() == len(inside)
        assert counts.max() - counts.min() <= 1
