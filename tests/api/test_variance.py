"""Moments for Gaussian inputs: closed forms, Gauss's rule, what is refused."""

import numpy as np
import pytest

from gelu_cli import variance
from tests.runner import gelu
from tests.truth import arb
from tests.truth.gaussian import of_relu, of_taylor
from tests.truth.mpmath import M, decimal_of, fraction, nearest, ratio

MOMENTS = [
    "gradient_second_moment",
    "gradient_mean",
    "gradient_variance",
    "mean",
    "second_moment",
    "variance",
    "gain_variance",
    "gain_second_moment",
    "gain_gradient",
]
COLUMNS = ["form", *MOMENTS, "closed_form", "negative_probability"]
FORMS = ["exact", "tanh", "sigmoid", "relu", "elu", "silu", "softplus"]

third, pi, root = M.mpf(1) / 3, M.pi, M.sqrt
# E XΦ(X) = s²/√(2π(1 + s²)); E Φ(X)² = 1/4 + asin(s²/(1 + s²))/2π (Sheppard, 1899)
slope, square = third + 2 / (3 * root(3) * pi), third + 1 / (2 * root(3) * pi)
spread = square - 1 / (4 * pi)
OF_GELU = [
    slope,
    M.mpf(1) / 2,
    slope - M.mpf(1) / 4,
    1 / (2 * root(pi)),
    square,
    spread,
    1 / root(spread),
    1 / root(square),
    1 / root(slope),
]
CLOSED = {
    **{("exact", 0, 1, name): y for name, y in zip(MOMENTS, OF_GELU, strict=True)},
    ("exact", 0, "5/3", "mean"): ratio("25/9") / root(2 * pi * (1 + ratio("25/9"))),
    ("exact", "1/2", 1, "negative_probability"): M.ncdf(-M.mpf(1) / 2),
    ("relu", "1/3", "0.1", "gradient_mean"): M.ncdf(M.mpf(10) / 3),
    ("relu", 0, "1e-6", "second_moment"): M.mpf("5e-13"),
    ("relu", 0, 1, "momentum_variance"): M.mpf(1) / 38,
    ("elu", 0, 1, "gradient_second_moment"): M.mpf(1) / 2 + M.exp(2) * M.ncdf(-2),
    ("noisy_relu:sigma=2", 0, 2, "gradient_second_moment"): third,
}


def test_the_columns_and_the_default_forms():
    rows = gelu("variance").rows
    assert list(rows[0]) == COLUMNS
    assert [row["form"] for row in rows] == FORMS
    (row,) = gelu("variance", "--form", "relu", "--momentum", 0.9).rows
    assert list(row) == [*COLUMNS, "momentum_variance"]


def test_forty_digits_and_float64s_are_those_of_closed_forms():
    for (form, mean, sigma, column), want in CLOSED.items():
        options = {"momentum": "0.9"} if column == "momentum_variance" else {}
        found = variance(form, mean, sigma, digits=40, **options)
        assert getattr(found, column) == decimal_of(want, 40), (form, column)
    for form, mean in {"erf": "mean", "normal_pdf": "gradient_mean"}.items():
        assert getattr(variance(form, digits=20), mean) == getattr(variance(form), mean) == 0
    (row,) = gelu("variance", "--form", "exact").rows
    for column in ("gradient_second_moment", "mean", "second_moment"):
        assert float(row[column]) == nearest(fraction(CLOSED["exact", 0, 1, column])), column


def test_gausss_rule_finds_the_same_averages():
    x, weights = np.polynomial.hermite_e.hermegauss(180)
    weights = weights / weights.sum()
    for name in ("tanh", "sigmoid", "silu", "softplus", "mish"):
        assert not arb.kinks(name)
        points = (0.5 + 2 * x).tolist()
        f, g = (
            np.array([float(arb.at(name, of, each)) for each in points])
            for of in ("value", "gradient")
        )
        found = variance(name, mean=0.5, sigma=2)
        want = {
            "mean": weights @ f,
            "second_moment": weights @ f**2,
            "gradient_mean": weights @ g,
            "gradient_second_moment": weights @ g**2,
            "gradient_variance": weights @ g**2 - (weights @ g) ** 2,
            "variance": weights @ f**2 - (weights @ f) ** 2,
        }
        for column, value in want.items():
            assert getattr(found, column) == pytest.approx(value, rel=1e-6), (name, column)


def test_a_narrow_distribution_sees_taylors_series_and_a_wide_one_relu():
    for name in ("exact", "sigmoid"):
        narrow = variance(name, mean=1, sigma="1e-6")
        wide = variance(name, mean=0, sigma=10**6)
        for column, near, far in zip(
            MOMENTS, of_taylor(name, 1, "1e-6"), of_relu(0, 10**6), strict=True
        ):
            assert getattr(narrow, column) == pytest.approx(float(near), rel=1e-5), column
            assert getattr(wide, column) == pytest.approx(float(far), rel=1e-5), column
    for mean, sigma in ((-(10**30), 10**30), (10**30, 1)):
        found = variance("sigmoid", mean, sigma)
        for column, far in zip(MOMENTS, of_relu(mean, sigma), strict=True):
            assert getattr(found, column) == pytest.approx(float(far), rel=1e-12), column


def test_a_closed_form_is_printed_where_one_is_known():
    known = {
        ("exact", 0, 1): "1/3 + 2/(3√3·π)",
        ("relu", 0, 3): "1/2",
        ("relu", "1/3", "0.1"): None,
        ("elu", 0, 1): "1/2 + e^2·Φ(−2)",
        ("exact", 1, 1): None,
        ("tanh", 0, 1): None,
    }
    for (form, mean, sigma), text in known.items():
        assert variance(form, mean, sigma).closed_form == text
        (row,) = gelu("variance", "--form", form, "--mean", mean, "--sigma", sigma).rows
        assert row["closed_form"] == (text or "")
