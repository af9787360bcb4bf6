"""Errors at points and their sums, against mpmath and fractions."""

import math
from fractions import Fraction

import numpy as np

from gelu_cli.calculus.curves import compare
from gelu_cli.calculus.point_errors import errors_at, errors_of_array, exact_sums, root
from gelu_cli.formulas import find_form
from gelu_cli.numbers import FLOAT64, Decimals
from tests.truth.mpmath import decimal_of, identical, nearest, truth


def pair(form, target="exact", quantity="value"):
    """Return a comparison by names."""
    return compare(find_form(form), find_form(target), quantity)


def test_errors_are_differences_of_real_numbers():
    for form, target, quantity in (
        ("tanh", "exact", "value"),
        ("sigmoid", "silu", "gradient"),
        ("squareplus", "softplus", "value"),
    ):
        for x in (-6.5, -0.1, 1e-3, 2.5, 7.0):
            u, v = (truth(name, quantity, Fraction(x)) for name in (form, target))
            found = errors_at(pair(form, target, quantity), x)
            want = (v, u, u - v, (u - v) / v)
            assert found == tuple(map(nearest, want)), (form, x)
            twenty = errors_at(pair(form, target, quantity), Fraction(x), Decimals(20))
            assert twenty.difference == decimal_of(u - v, 20)


def test_what_forms_have_in_common_cancels():
    # x·(Φ̃(x) − Φ(x)) at 40 is −40·σ(−68.08), as Φ(−40) is less than 10⁻³⁵⁰.
    found = errors_at(pair("sigmoid"), 40.0).difference
    assert found == nearest(truth("sigmoid", "value", Fraction(-40)))
    # At 0 the curvature of both is √(2/π).
    assert errors_at(pair("tanh", quantity="curvature"), 0.0)[2:] == (0.0, 0.0)


def test_there_are_no_errors_at_infinities():
    for x in (-math.inf, math.inf, math.nan):
        *values, difference, ratio = errors_at(pair("relu", quantity="gradient"), x)
        assert all(map(identical, values, [x if x != x else float(x > 0)] * 2)) or x < 0
        assert math.isnan(difference)
        assert math.isnan(ratio)


def test_a_target_of_zero_makes_the_ratio_infinite_or_nothing():
    at_zero = errors_at(pair("softplus", "relu"), 0.0)
    assert at_zero.ratio == math.inf
    assert math.isnan(errors_at(pair("hard", "relu"), -5.0).ratio)


def test_arrays_are_points():
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.normal(size=9600) * 2, [0.0, -0.0, math.inf, -math.inf, math.nan]])
    for names in (("tanh", "exact", "value"), ("erf_as", "silu", "gradient")):
        columns = errors_of_array(pair(*names), x)
        for n in [*range(0, 9600, 640), *range(9600, 9605)]:
            want = errors_at(pair(*names), float(x[n]))
            assert all(identical(c[n], w) for c, w in zip(columns, want, strict=True)), (names, n)


def test_sums_do_not_round():
    rng = np.random.default_rng(2)
    y = np.abs(rng.normal(size=2000)) * 10.0 ** rng.integers(-200, 100, 2000)
    exact = [Fraction(each) for each in y.tolist()]
    assert exact_sums(y) == (sum(exact), sum(each**2 for each in exact))
    assert exact_sums(np.array([1.0, math.inf])) == (math.inf, math.inf)
    assert root(Fraction(9, 4), FLOAT64) == 1.5
    assert root(Fraction(2), FLOAT64) == math.sqrt(2)
