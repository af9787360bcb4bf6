"""Minima and inflection points against mpmath's roots; the probability of negative values."""

from fractions import Fraction

from gelu_cli.calculus.landmarks import landmarks, negative_probability
from gelu_cli.formulas import find_form, typed_form
from tests.truth.mpmath import M

SMOOTH = ["exact", "tanh", "sigmoid", "silu", "mish", "tanh_taylor", "sigmoid_taylor"]
MONOTONE = ["relu", "leaky_relu", "softplus", "noisy_relu", "squareplus", "elu"]
COUNTS = {**dict.fromkeys(SMOOTH, (1, 2)), **dict.fromkeys(MONOTONE, (0, 0))}
"""Minima and inflection points of each; forms with cuts inside are left out."""


def test_every_form_has_its_landmarks_and_no_others():
    for name, (minima, inflections) in COUNTS.items():
        kinds = [each.point for each in landmarks(find_form(name))]
        assert kinds == ["minimum"] * minima + ["inflection"] * inflections, name


def test_a_kink_is_a_landmark_with_what_holds_there():
    (low,) = landmarks(find_form("hard"))  # the curvature is 0, positive, and 0 again
    assert (low.point, low.gradient) == ("minimum", 0)
    assert low.x == float(Fraction(-3, 2) / Fraction("1.702"))
    assert landmarks(find_form("tanh_fn")) == [("inflection", 0.0, 0.0, 1.0, 0.0, 0.0)]
    (corner,) = landmarks(typed_form("leaky_relu:slope=-1"))
    assert corner == ("minimum", 0.0, 0.0, -1.0, 0.0, 1.0)


def test_the_probability_of_negative_values():
    closed = {"exact": 0.5, "relu": 0.0, "elu": 0.5, "softplus": 0.0, "squareplus": 0.0}
    for name, want in closed.items():
        assert negative_probability(find_form(name), 0, 1) == want, name
    # P(X < 0) of N(1, 4); of hard GELU less P(X < −3/1.702).
    assert negative_probability(find_form("exact"), 1, 2) == float(M.ncdf(M.mpf(-1) / 2))
    end = -3 / M.mpf("1.702")
    want = float(M.ncdf(M.mpf(-1) / 2) - M.ncdf((end - 1) / 2))
    assert negative_probability(find_form("hard"), 1, 2) == want
    assert negative_probability(find_form("exact"), -50, 1) == 1.0
    assert negative_probability(find_form("exact"), 1, Fraction(1, 10**6)) == 0.0
