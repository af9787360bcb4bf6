"""A block with random weights: near the expectations, with standard errors that are true."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from gelu_cli.old.formulas import find_form
from gelu_cli.old.network import random_block
from gelu_cli.old.network.change import change_of
from gelu_cli.old.network.gated import Ups
from gelu_cli.old.network.random_block import Sampled, sampled_change
from tests.old.calculus.expectations import sample
from tests.truth.arb import kinks, values_and_gradients

EXACT = find_form("exact")
FORMS = ["tanh", "sigmoid", "relu"]


@cache
def expected(form, target, mean, sigma):
    """√(E(g − f)²/E f²), and the same of the gradients, by a rule of Gauss's in Arb's values."""
    x, weights = sample(mean, sigma, [*kinks(form), *kinks(target)])
    f, g = (values_and_gradients(name, x) for name in (target, form))
    return tuple(
        math.sqrt(np.dot(weights, (v - u) ** 2) / np.dot(weights, u**2))
        for u, v in zip(f, g, strict=True)
    )


def deviations(found, due):
    """How many standard errors an estimate is off, forward and backward."""
    return [
        (found.relative_rms - due[0]) / found.standard_error,
        (found.gradient_relative_rms - due[1]) / found.gradient_standard_error,
    ]


@pytest.mark.parametrize("shape", [(24, 96), (40, 30)])
@pytest.mark.parametrize(("mean", "sigma"), [(0.0, 1.0), (-0.8, 0.5), (-2.0, 1.0), (0.7, 3.0)])
def test_the_expectations_are_within_four_standard_errors(mean, sigma, shape):
    found = sampled_change([find_form(name) for name in FORMS], EXACT, mean, sigma, shape, 4000, 1)
    for name, each in zip(FORMS, found, strict=True):
        due = expected(name, "exact", mean, sigma)
        assert np.abs(deviations(each, due)).max() <= 4, name


@pytest.mark.parametrize("ups", [Ups(), Ups(0.5, 1.0)])
def test_a_gated_block_has_its_own_gradient(ups):
    silu, normal = find_form("silu"), (Fraction(-1, 4), Fraction(3, 2))
    [found] = sampled_change([silu], EXACT, *map(float, normal), (24, 96), 4000, 1, ups)
    due = change_of(silu, EXACT, *normal, ups=ups)
    assert np.abs(deviations(found, (due.relative_rms, due.gradient_relative_rms))).max() <= 4
    plain = change_of(silu, EXACT, *normal).gradient_relative_rms
    assert abs(found.gradient_relative_rms - plain) > 4 * found.gradient_standard_error


@pytest.mark.parametrize("samples", [200, 4000])
def test_the_standard_errors_are_those_of_many_seeds(samples):
    """The spread of 40 blocks, each in units of its own error, is about 1, and their mean about 0.

    With 4000 inputs weights are drawn anew every 125 of them; with 200, every 6. The spread of 40
    numbers has a standard error of 1/√80 itself.
    """
    sigmoid, due = find_form("sigmoid"), expected("sigmoid", "exact", -1.0, 1.0)
    found = np.array(
        [
            deviations(sampled_change([sigmoid], EXACT, -1.0, 1.0, (4, 16), samples, seed)[0], due)
            for seed in range(40)
        ]
    )
    spread = np.sqrt(np.mean(found**2, axis=0))
    assert np.all(np.abs(spread - 1) < 5 / math.sqrt(80)), spread
    assert np.all(np.abs(np.mean(found, axis=0)) < 5 / math.sqrt(40))


@pytest.mark.parametrize("ups", [None, Ups(2.0, 0.5)])
def test_a_block_is_what_it_is_said_to_be(ups):
    """The same draws, and the products in full."""
    forms, shape, samples = [find_form("relu"), find_form("sigmoid")], (5, 12), 77
    squares = []
    for i, seed in enumerate(np.random.SeedSequence(9).spawn(32)):
        draws = np.random.default_rng(seed)
        inputs = samples * (i + 1) // 32 - samples * i // 32
        x = draws.standard_normal((inputs, 5))
        x = x / np.sqrt(np.mean(x**2, axis=1))[:, None]
        upstream = draws.standard_normal((inputs, 5))
        w1, w2 = draws.standard_normal((5, 12)).T, draws.standard_normal((12, 5)).T / math.sqrt(12)
        h = 0.3 + 2.0 * x @ w1.T / math.sqrt(5)
        (f, f1), *others = (
            [y.reshape(h.shape) for y in values_and_gradients(name, h.ravel())]
            for name in ("exact", "relu", "sigmoid")
        )
        parts = [(f, f1), *((g - f, g1 - f1) for g, g1 in others)]
        back, c, slope = upstream @ w2, 1, 0
        if ups:
            u = 2.0 * x @ draws.standard_normal((5, 12)) / math.sqrt(5)
            c, slope = np.minimum(2, np.maximum(-2, u)) + 0.5, np.abs(u) < 2
        squares.append(
            [
                [
                    np.sum((y * c @ w2.T) ** 2),
                    np.sum((y1 * c * back) ** 2 + (y * slope * back) ** 2),
                ]
                for y, y1 in parts
            ]
        )
    squares = np.array(squares)
    total = squares.sum(axis=0)
    found = sampled_change(forms, EXACT, 0.3, 2.0, shape, samples, 9, ups)
    for i, each in enumerate(found, 1):
        due = np.sqrt(total[i] / total[0])
        left_out = np.sqrt((total - squares)[:, i] / (total - squares)[:, 0])
        errors = np.sqrt(31 * np.var(left_out, axis=0))
        assert each[::2] == pytest.approx(due, rel=1e-9)
        assert each[1::2] == tuple(float(f"{error:.4g}") for error in errors)


def test_the_same_form_is_0_with_an_error_of_0():
    assert sampled_change([EXACT], EXACT, 0.0, 1.0, (4, 8), 50, 0) == [Sampled(0.0, 0.0, 0.0, 0.0)]


def test_beside_a_target_that_is_0_everywhere_a_change_is_infinite():
    [found] = sampled_change([EXACT], find_form("relu"), -9.0, 0.5, (4, 8), 50, 0)
    assert found[::2] == (math.inf, math.inf)
    assert all(map(math.isnan, found[1::2]))


def test_the_draws_are_the_seeds_and_every_forms():
    both = sampled_change([find_form("relu"), find_form("tanh")], EXACT, 0.0, 1.0, (6, 9), 99, 5)
    assert sampled_change([find_form("tanh")], EXACT, 0.0, 1.0, (6, 9), 99, 5) == both[1:]
    assert sampled_change([find_form("tanh")], EXACT, 0.0, 1.0, (6, 9), 99, 6) != both[1:]


@pytest.mark.parametrize("samples", [2, 3, 31])
@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1)])
def test_few_inputs_and_narrow_layers_have_finite_errors(samples, shape):
    [found] = sampled_change([find_form("sigmoid")], EXACT, 0.0, 1.0, shape, samples, 0)
    assert np.isfinite(found).all()


def test_a_wide_layer_is_used_in_parts(monkeypatch):
    """As many as fit: the parts are drawn one after the other, and add up to one block."""
    found = sampled_change([find_form("relu")], EXACT, 0.0, 1.0, (6, 50), 640, 0)
    monkeypatch.setattr(random_block, "AT_ONCE", 260)  # 10 units, as each block has 20 inputs
    [parts] = sampled_change([find_form("relu")], EXACT, 0.0, 1.0, (6, 50), 640, 0)
    assert np.abs(deviations(parts, expected("relu", "exact", 0, 1))).max() <= 4
    assert parts != found[0]
