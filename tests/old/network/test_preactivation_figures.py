"""What is measured of pre-activations: against sums in long doubles, fractions and mpmath."""

import math
import tracemalloc
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from gelu_cli.errors import UsageError
from gelu_cli.old.formulas import find_form
from gelu_cli.old.network.preactivations import Block, Moments, measured
from gelu_cli.old.reading.arrays import read_preactivations
from tests.old.asked import set_to
from tests.old.network.network import HIDDEN, trained_preactivations
from tests.truth.arb import values_and_gradients
from tests.truth.mpmath import FORMS, M, ratio

EXAMPLE = Path(__file__).parents[2] / "data/preactivations.npy"

EXACT = find_form("exact")
DIGITS = 6e-12
"""Rounding to 12 digits changes a number by up to 5e-12 of it."""


def blocks_of(h, rows=None, name="'h.npy'"):
    """The blocks of an array (…, units), or (n,): so many rows each, or numbers that repeat."""
    array = h.reshape(-1, h.shape[-1]) if h.ndim > 1 else h.reshape(-1, 1)
    sizes = iter(())
    first = 0
    while first < len(array):
        size = next(sizes, None) or next(sizes := iter(rows or [len(array)]))
        yield Block(array[first : first + size], first, h.shape, name)
        first += size


def change_by(form, h, target="exact", rows=None, largest=10):
    return measured(
        blocks_of(h, rows), [find_form(form)], find_form(target), largest=largest
    ).changes[0]


def skewed(shape, seed=1):
    """Numbers that are skewed to the left, and not the same in every unit."""
    draws = np.random.default_rng(seed)
    h = 1 - draws.gamma(2.0, 0.8, shape)
    return h * draws.uniform(0.3, 1.5, shape[-1]) + draws.normal(0, 0.5, shape[-1])


def long_sums(form, target, h):
    """Per unit, in long doubles: Σd², Σf², Σg², Σgf, Σ(d − m)², Σ(g′ − f′)², Σf′²."""
    g, g1 = (np.array(x).reshape(h.shape) for x in values_and_gradients(form, h.ravel()))
    f, f1 = (np.array(x).reshape(h.shape) for x in values_and_gradients(target, h.ravel()))
    g, g1, f, f1 = (np.asarray(x, np.longdouble) for x in (g, g1, f, f1))
    d, rows = g - f, tuple(range(h.ndim - 1))
    centred = d - d.mean(axis=rows)
    products = (d * d, f * f, g * g, g * f, centred**2, (g1 - f1) ** 2, f1**2)
    return [x.sum(axis=rows) for x in products]


# The sample as a whole


@pytest.mark.parametrize("shape", [(500, 1), (150, 7), (4, 10, 17)])
@pytest.mark.parametrize("rows", [None, [1], [5, 1, 90, 33]])
@pytest.mark.parametrize(
    ("form", "target"), [("sigmoid", "exact"), ("relu", "exact"), ("tanh", "silu")]
)
def test_a_change_is_that_of_sums_in_long_doubles(shape, rows, form, target):
    h = skewed(shape)
    d2, f2, g2, gf, centred, slope2, target2 = map(np.sum, long_sums(form, target, h))
    found = change_by(form, h, target, rows)
    assert found.relative_rms == pytest.approx(float(np.sqrt(d2 / f2)), rel=DIGITS, abs=1e-12)
    assert found.relative_rms_centred == pytest.approx(
        float(np.sqrt(centred / f2)), rel=DIGITS, abs=1e-12
    )
    assert found.gain == pytest.approx(float(np.sqrt(g2 / f2)), rel=DIGITS)
    angle = float(1 - gf / np.sqrt(f2 * g2))
    assert found.one_minus_cosine == pytest.approx(angle, rel=DIGITS, abs=DIGITS * angle**0.5)
    assert found.gradient_relative_rms == pytest.approx(
        float(np.sqrt(slope2 / target2)), rel=DIGITS, abs=1e-12
    )


@pytest.mark.parametrize("form", ["tanh", "igelu", "erf_as"])
def test_a_small_change_is_right_to_its_last_digit(form):
    """One of erf_as is 1e-7 of the target: what float64 leaves of it is what is returned."""
    h = skewed((60, 2), seed=4)
    x = [ratio(each) for each in h.ravel().tolist()]
    f, g = ([FORMS[name](each) for each in x] for name in ("exact", form))
    f2, g2, gf = (M.fdot(*pair) for pair in ((f, f), (g, g), (f, g)))
    relative = M.sqrt(M.fsum((v - u) ** 2 for u, v in zip(f, g, strict=True)) / f2)
    found = change_by(form, h)
    assert abs(found.relative_rms - relative) <= 1e-12
    assert found.relative_rms == round(found.relative_rms, 12)
    angle = 1 - gf / M.sqrt(f2 * g2)
    assert abs(found.one_minus_cosine - angle) <= DIGITS * M.sqrt(angle)
    assert found.one_minus_cosine > 0


def test_the_same_form_and_one_that_differs_by_rounding_alone_change_nothing():
    h = skewed((400, 3))
    silu = set_to("sigmoid", beta=1)
    for form, target in ((EXACT, EXACT), (silu, find_form("silu"))):
        [found] = measured(blocks_of(h), [form], target).changes
        assert found[:5] == (0.0, 0.0, 1.0, 0.0, 0.0)
        assert math.isnan(found.top_share)
        assert all(unit.relative_rms == 0 and math.isnan(unit.share) for unit in found.units)


def test_a_form_that_is_a_multiple_has_the_same_direction():
    half, h = set_to("elu", alpha="1/2"), -np.arange(1.0, 9)
    [found] = measured(blocks_of(h), [half], find_form("elu")).changes
    assert found.relative_rms == found.gain == 0.5
    assert found.one_minus_cosine == 0


def test_beside_a_target_that_is_0_a_change_is_infinite():
    h = -np.arange(1.0, 9)
    found = change_by("exact", h, target="relu")
    assert found[:5] == (math.inf, math.inf, math.inf, 1.0, math.inf)
    found = change_by("relu", h)
    assert found[:5] == (1.0, found.relative_rms_centred, 0.0, 1.0, 1.0)


@pytest.mark.parametrize("mean", [-1.0, -0.3, 0.5])
def test_a_skew_to_the_left_raises_the_change_and_one_to_the_right_lowers_it(mean):
    """Numbers of the same mean and deviation, a normal sample between two mirrored ones."""
    quantiles = (np.arange(4000) + 0.5) / 4000
    right = stats.gamma.ppf(quantiles, 2.0)
    samples = [-right, stats.norm.ppf(quantiles), right]
    left, normal, right = (
        change_by("tanh", mean + (x - x.mean()) / x.std()).relative_rms for x in samples
    )
    assert right < normal < left


# Moments


@pytest.mark.parametrize("rows", [None, [1], [7, 300]])
def test_moments_are_those_of_scipy_in_long_doubles(rows):
    h = skewed((800, 5), seed=3)
    x = h.ravel().astype(np.longdouble)
    found = measured(blocks_of(h, rows), [], EXACT).moments
    due = Moments(
        4000,
        float(x.mean()),
        float(x.std()),
        float(stats.skew(x)),
        float(stats.kurtosis(x, fisher=False)),
        np.count_nonzero(h < 0) / 4000,
    )
    assert found == pytest.approx(due, rel=DIGITS)
    assert found.kurtosis > 3
    assert found.skewness < 0


@pytest.mark.parametrize("order", ["as drawn", "ascending", "outlier first"])
@pytest.mark.parametrize("mean", [0, 2**30, 10**12])
def test_a_large_mean_costs_a_small_deviation_no_digits(mean, order):
    x = np.random.default_rng(5).normal(mean, 1.0, 2000)
    if order == "ascending":
        x.sort()
    elif order == "outlier first":
        x[0] += 1000
    exact = [Fraction(each) for each in x.tolist()]
    m = sum(exact) / len(exact)
    second, third, fourth = (
        M.mpf(each.numerator) / each.denominator
        for each in (sum((y - m) ** k for y in exact) / len(exact) for k in (2, 3, 4))
    )
    found = measured(blocks_of(x, [16, 100]), [], EXACT).moments
    assert found.mean == pytest.approx(float(m), rel=6e-15, abs=1e-11 * found.deviation)
    assert found.deviation == pytest.approx(float(M.sqrt(second)), rel=DIGITS)
    assert found.skewness == pytest.approx(float(third / second**1.5), rel=DIGITS, abs=1e-12)
    assert found.kurtosis == pytest.approx(float(fourth / second**2), rel=DIGITS)


@pytest.mark.parametrize("number", [0.1, 0.0, -1e8 / 3])
def test_constant_numbers_have_a_mean_and_no_shape(number):
    found = measured(blocks_of(np.full((70, 3), number), [9]), [], EXACT).moments
    assert found[:3] == pytest.approx((210, number, 0.0), rel=6e-15)
    assert found.deviation == 0
    assert math.isnan(found.skewness)
    assert math.isnan(found.kurtosis)


# Units


def test_units_are_told_apart():
    h = skewed((400, 6), seed=2)
    h[:, 4] -= 2
    d2, f2, *_ = (x.astype(float) for x in long_sums("sigmoid", "exact", h))
    found = change_by("sigmoid", h, rows=[31], largest=3)
    relative = np.sqrt(d2 / f2)
    assert [unit.unit for unit in found.units] == np.argsort(-relative)[:3].tolist()
    assert found.units[0].unit == 4
    for unit in found.units:
        i = unit.unit
        due = (i, h[:, i].mean(), h[:, i].std(), np.mean(h[:, i] < 0), relative[i], d2[i] / sum(d2))
        assert unit == pytest.approx(due, rel=DIGITS)
    assert found.top_share == pytest.approx(max(d2) / sum(d2), rel=DIGITS)


@pytest.mark.parametrize(("units", "top"), [(1, 1), (99, 1), (199, 1), (200, 2), (350, 3)])
def test_the_top_share_is_that_of_a_hundredth_of_the_units(units, top):
    h = skewed((20, units), seed=6)
    d2 = np.sort(long_sums("sigmoid", "exact", h)[0])
    found = change_by("sigmoid", h)
    assert found.top_share == pytest.approx(float(sum(d2[-top:]) / sum(d2)), rel=DIGITS)
    assert len(found.units) == min(units, 10)


def test_a_dead_unit_is_infinitely_changed_and_carries_little():
    h = skewed((50, 4)) + 2
    h[:, 2] = -np.abs(h[:, 2]) - 0.1
    first = change_by("exact", h, target="relu").units[0]
    assert (first.unit, first.relative_rms, first.negative_share) == (2, math.inf, 1.0)
    assert 0 < first.share < 1


# What is no pre-activation


@pytest.mark.parametrize(
    ("shape", "index", "place"),
    [
        ((40,), (13,), "h[13]"),
        ((-1,), (13,), "h[13]"),
        ((40, 8), (12, 5), "h[12, 5]"),
        ((4, 10, 8), (3, 1, 0), "h[3, 1, 0]"),
        ((), (), "h"),
    ],
)
@pytest.mark.parametrize("number", [math.nan, -math.inf, 1e200])
def test_a_number_that_cannot_be_is_named(shape, index, place, number):
    h = np.zeros([40 if length < 0 else length for length in shape])
    h[index] = number
    rows = h.reshape(-1, shape[-1] if len(shape) > 1 else 1)
    blocks = [Block(rows[at : at + 7], at, shape, "'h.npy'") for at in range(0, len(rows), 7)]
    due = "within ±2^200" if math.isfinite(number) else "finite"
    with pytest.raises(UsageError) as caught:
        measured(blocks, [EXACT], EXACT)
    assert str(caught.value) == f"'h.npy': {place} is {number!r}; pre-activations must be {due}"


def test_numbers_that_are_too_small_are_refused_and_zeros_are_not():
    with pytest.raises(UsageError, match="no pre-activations"):
        measured([], [EXACT], EXACT)
    with pytest.raises(UsageError, match=r"all pre-activations are within 1e-70 of 0"):
        measured(blocks_of(np.array([0.0, 1e-70])), [], EXACT)
    found = measured(blocks_of(np.array([-2.0, -0.0, 0.0, 1e-70])), [], EXACT).moments
    assert found.negative_share == 0.25
    assert change_by("tanh", np.zeros((3, 2)))[:2] == (0.0, 0.0)


def test_memory_does_not_grow_with_the_rows():
    def peak(count):
        draws = np.random.default_rng(0)
        blocks = (
            Block(draws.standard_normal((50, 40)), 50 * i, (50 * count, 40), "h")
            for i in range(count)
        )
        tracemalloc.start()
        measured(blocks, [find_form("tanh")], EXACT)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(1)
    assert peak(64) < peak(16) + 200_000  # the numbers alone are 768,000 bytes more


# A network's


def test_the_example_of_the_docs_is_that_of_a_trained_network():
    """Training on another machine may end a little elsewhere."""
    h = np.load(EXAMPLE).astype(float)
    assert h == pytest.approx(trained_preactivations(250), abs=1e-3)
    found = measured(read_preactivations(str(EXAMPLE)), [], EXACT)
    assert (found.units, found.moments.n) == (HIDDEN, h.size)
    assert found.moments == measured(blocks_of(h), [], EXACT).moments
    assert found.moments.skewness == pytest.approx(float(stats.skew(h.ravel())), rel=1e-9)
