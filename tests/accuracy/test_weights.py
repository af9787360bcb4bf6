"""Probabilities of inputs among draws, against Φ of fractions; cells of inputs."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from gelu_cli.accuracy.regions import cells_of, regions_of
from gelu_cli.accuracy.runs import FLOAT32
from gelu_cli.accuracy.selection import Normal, probability, weights_of
from gelu_cli.accuracy.stretches import STEEP, chunk_weights
from gelu_cli.numbers import FORMATS
from gelu_cli.numbers.arrays import numbers_of
from tests.truth import exact

NORMALS = [Normal(), Normal(1.5, 0.25), Normal(-3.0, 100.0), Normal(2.0, 2.0**-30)]
SMALL = ["float8_e4m3fn", "float8_e5m2"]


def assert_close(found, want, digits=1e-11):
    assert len(found) == len(want)
    off = [
        (i, a, float(b))
        for i, (a, b) in enumerate(zip(found, want, strict=True))
        if abs(Fraction(a) - b) > digits * b + Fraction(1, 10**300)
    ]
    assert off[:5] == []


@pytest.mark.parametrize("dtype", SMALL)
def test_each_number_of_a_small_format_has_the_probability_of_its_cell(dtype):
    x = exact.all_numbers(dtype)
    for normal in NORMALS:
        found = weights_of(FORMATS[dtype], np.array(x), normal)
        assert_close(found, exact.weights(dtype, tuple(x), *normal))
        assert math.fsum(found) == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("dtype", FORMATS)
def test_samples_share_draws_by_exact_midpoints(dtype):
    of, generator = FORMATS[dtype], np.random.default_rng(5)
    for normal in NORMALS:
        drawn = generator.normal(*normal, 40).astype(of.dtype).astype(np.float64)
        near = [of.number(of.bits(abs(float(drawn[0]))) + i) for i in range(6)]  # neighbours
        whole = sorted({*drawn.tolist(), *near, 0.0, -of.largest, of.largest, 1e-3 * of.largest})
        whole = np.array(whole).astype(of.dtype).astype(np.float64).tolist()
        x = [
            *sorted(x for x in {*whole} if x >= 0),
            *sorted((x for x in {*whole} if x < 0), key=abs),
        ]
        assert_close(weights_of(of, np.array(x), normal), exact.weights(dtype, tuple(x), *normal))


def test_chunks_of_float32s_have_the_weights_of_their_numbers():
    for x, normal in ((1025.0, Normal(1024.9, 0.1)), (0.75, Normal(0, 1)), (-3.0, Normal(0, 1e-3))):
        first = FLOAT32.bits(x)
        numbers = numbers_of(FLOAT32, np.arange(first, first + 4096))
        found = chunk_weights(first, 4096, normal)
        found = np.repeat(found, 4096 // max(1, len(found))) if len(found) else np.zeros(4096)
        assert found == pytest.approx(weights_of(FLOAT32, numbers, normal), rel=STEEP, abs=1e-300)


def test_probabilities_of_intervals():
    ends = [-math.inf, -40.0, -3.0, -1e-9, 0.0, 1e-300, 2.5, 37.0, math.inf]
    for low, high in [*pairwise(ends), (-3.0, 2.5), (-1.7e308, 1.7e308)]:
        want = exact.probability(low, high, 0, 1)
        assert probability(low, high) == pytest.approx(float(want), rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("dtype", [*SMALL, "float16"])
def test_cells_of_a_region_differ_by_at_most_one_number(dtype):
    sizes = np.unique(np.abs(exact.all_numbers(dtype)))
    for region in regions_of(FORMATS[dtype]):
        inside = sizes[(region.low <= sizes) & (sizes < region.high)]
        cells = np.searchsorted(cells_of(FORMATS[dtype], region), inside, side="right")
        assert np.ptp(np.bincount(cells - 1)) <= 1
