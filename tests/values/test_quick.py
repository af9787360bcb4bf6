"""Forms on arrays by numpy: near the correctly rounded numbers, at a kink on the form's side."""

import numpy as np
import pytest

from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.forms import all_forms, find_form
from gelu_cli.values.evaluate import evaluate
from gelu_cli.values.evaluate_arrays import evaluate_array
from gelu_cli.values.quick import quick_values

every_form = pytest.mark.parametrize("name", all_forms())


def root_mean_square(x):
    return np.sqrt(np.mean(x * x))


@every_form
@pytest.mark.parametrize(("low", "high"), [(-6, 6), (-20, -6), (6, 30), (-0.01, 0.01)])
def test_they_are_within_1e_12_of_the_norm(name, low, high):
    form = find_form(name)
    x = np.random.default_rng(3).uniform(low, high, 300)
    found = quick_values(form, x)
    value, gradient = evaluate_array(form, ["value", "gradient"], x, FLOAT64)
    assert root_mean_square(found.value - value) <= 1e-12 * root_mean_square(value)
    assert root_mean_square(found.gradient - gradient) <= 1e-12 * root_mean_square(gradient)


@every_form
def test_at_kinks_and_beside_them_they_are_those_of_the_form(name):
    form = find_form(name)
    kinks = [kink.square for kink in form.kinks]
    roots = [np.copysign(np.sqrt(abs(float(square))), float(square)) for square in kinks]
    x = np.array([0.0, *roots, *np.nextafter(roots, -9), *np.nextafter(roots, 9)])
    found = quick_values(form, x)
    for at, value, gradient in zip(x.tolist(), found.value, found.gradient, strict=True):
        due = evaluate(form, ["value", "gradient"], at, FLOAT64)
        assert [value, gradient] == pytest.approx(due, rel=1e-14, abs=1e-15)


def test_an_array_of_any_shape_is_taken():
    x = np.linspace(-3, 3, 24).reshape(2, 3, 4)
    for name in ("exact", "relu"):
        flat = quick_values(find_form(name), x.ravel())
        found = quick_values(find_form(name), x)
        assert np.array_equal(found.value.ravel(), flat.value)
        assert np.array_equal(found.gradient.ravel(), flat.gradient)
