"""The estimate that anyone can follow: near the exact value, and the same for the same seed."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.old.answers.variance import variance
from gelu_cli.old.calculus.moments import gaussian_moments
from gelu_cli.old.calculus.monte_carlo import BATCH, normal_points, sampled_second_moment
from gelu_cli.old.formulas import all_forms, find_form
from gelu_cli.old.report import read
from gelu_cli.old.values.points import BULK
from tests.truth.arb import values_and_gradients

every_form = pytest.mark.parametrize("name", all_forms())


@pytest.mark.parametrize("name", ["exact", "igelu", "elu", "noisy_relu"])
@pytest.mark.parametrize(("mean", "sigma"), [(0, 1), (-1, Fraction(1, 2)), (3, 1000)])
def test_the_exact_value_is_within_four_standard_errors(name, mean, sigma):
    form = find_form(name)
    exact = gaussian_moments(form, Fraction(mean), Fraction(sigma)).gradient_second_moment
    estimate, error = sampled_second_moment(form, float(mean), float(sigma), 100_000, seed=5)
    assert abs(estimate - exact) <= 4 * error


@every_form
def test_it_is_the_average_of_the_squared_gradients_at_numpys_draws(name):
    x = np.random.default_rng(3).normal(0.5, 2.0, 500)
    squares = values_and_gradients(name, x)[1] ** 2
    estimate, error = sampled_second_moment(find_form(name), 0.5, 2.0, 500, seed=3)
    assert estimate == pytest.approx(np.mean(squares), rel=1e-12)
    assert error == pytest.approx(np.std(squares, ddof=1) / math.sqrt(500), rel=1e-9)


def test_the_same_seed_gives_the_same_numbers_and_another_others():
    form = find_form("exact")
    one, same, other = (sampled_second_moment(form, 0.0, 1.0, 1000, seed) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_more_samples_than_a_batch_are_drawn_as_one_sequence():
    samples = BATCH + 1000
    x = np.random.default_rng(0).normal(0.0, 1.0, samples)
    estimate, error = sampled_second_moment(find_form("relu"), 0.0, 1.0, samples, 0)
    assert estimate == np.mean(x > 0)
    assert error == pytest.approx(np.std(x > 0, ddof=1) / math.sqrt(samples), rel=1e-12)


@every_form
def test_far_out_the_slopes_are_0_and_1(name):
    slopes = np.random.default_rng(1).normal(0.0, 1e30, 1000) > 0
    estimate, error = sampled_second_moment(find_form(name), 0.0, 1e30, 1000, seed=1)
    assert estimate == np.mean(slopes)
    assert error == pytest.approx(np.std(slopes, ddof=1) / math.sqrt(1000), rel=1e-12)


def test_the_report_puts_it_beside_the_exact_value():
    report = variance([find_form("exact")], samples=1000, seed=7)
    assert [column.name for column in report.columns[-3:-1]] == [
        "sampled_second_moment", "standard_error"]  # fmt: skip
    [row], ending = read(report)
    assert row[-3:-1] == sampled_second_moment(find_form("exact"), 0.0, 1.0, 1000, 7)
    assert ending.facts["samples"] == "1,000 for each form, seed 7"


@pytest.mark.parametrize("mean", [-2.0, -0.7, 0.3, 1.9])
def test_squares_that_hardly_differ_have_a_spread_of_0_not_less(mean):
    """Their variance is a difference of two sums, each rounded, and may come out below 0."""
    estimate, error = sampled_second_moment(find_form("exact"), mean, 1e-30, 100, seed=1)
    gradient = values_and_gradients("exact", [mean])[1][0]
    assert estimate == pytest.approx(gradient**2, rel=1e-14)
    assert 0 <= error <= 1e-8


def test_the_blocks_of_random_points_are_one_draw_of_numpys():
    count = 2 * BULK + 100
    blocks = [block.numbers() for block in normal_points(1.5, 2.0, count, seed=9)]
    assert [*map(len, blocks)] == [BULK, BULK, 100]
    want = np.random.Generator(np.random.PCG64(9)).normal(1.5, 2.0, count)
    assert [x for block in blocks for x in block] == want.tolist()
