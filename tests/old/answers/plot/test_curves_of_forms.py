"""Every point of a plot is right: values, and errors with their sign."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.answers.plot.forms import POINTS, plot_errors, plot_forms, points_of
from gelu_cli.old.calculus.comparison import compare
from gelu_cli.old.formulas import all_forms, find_form
from gelu_cli.old.report.plots.terminal import render
from tests.truth.arb import values_and_gradients
from tests.truth.mpmath import FORMS, M

SOME = slice(3, None, 37)


# Forms


@pytest.mark.parametrize("name", all_forms())
def test_values_and_gradients_of_every_form_are_those_of_arb(name):
    value, gradient = plot_forms([find_form(name)], ["value", "gradient"], -4, 4).traces
    shown = "GELU" if name == "exact" else name
    assert (value.name, gradient.name) == (shown, f"{shown}′")
    for place, curve in enumerate((value, gradient)):
        there = np.isfinite(curve.y)
        x, y = curve.x[there][SOME], curve.y[there][SOME]
        assert y.tolist() == values_and_gradients(name, x)[place].tolist()


@pytest.mark.parametrize(
    ("name", "quantity", "jumps"),
    [
        ("relu", "value", []),
        ("relu", "gradient", [0.0]),
        ("relu", "gate", [0.0]),
        ("exact", "curvature", []),
        ("elu", "gradient", []),
        ("elu", "curvature", [0.0]),
    ],
)
def test_a_jump_is_a_gap_and_a_corner_is_none(name, quantity, jumps):
    (curve,) = plot_forms([find_form(name)], [quantity], -4, 4).traces
    gaps = np.flatnonzero(np.isnan(curve.y))
    assert curve.x[gaps].tolist() == jumps
    for gap in gaps:  # the curve goes on to the jump from either side
        assert curve.x[gap - 1] < curve.x[gap] < curve.x[gap + 1]
        assert curve.x[gap + 1] - curve.x[gap - 1] < 1e-300


def test_errors_have_a_gap_where_one_of_both_jumps():
    for pair in (("relu", "exact"), ("exact", "relu")):
        (curve,) = plot_errors([pair_of(*pair, "gradient")], "absolute", -4, 4).traces
        (gap,) = np.flatnonzero(np.isnan(curve.y))
        assert abs(curve.y[gap + 1] - curve.y[gap - 1]) == 1


@pytest.mark.parametrize(("low", "high"), [(-4, 4), (Fraction(1, 3), Fraction(2, 3)), (0, 1e-300)])
def test_points_are_evenly_spaced_from_one_end_to_the_other(low, high):
    x = points_of(low, high)
    assert (len(x), x[0], x[-1]) == (POINTS, float(low), float(high))
    assert np.diff(x) == pytest.approx(float(high - low) / (POINTS - 1), rel=1e-9)


@pytest.mark.parametrize(
    ("low", "high"),
    [(1, 1), (2, 1), (-math.inf, 1), (0, math.inf), (Fraction(10**20), Fraction(10**20 + 1))],
)
def test_a_range_without_a_picture_is_refused(low, high):
    with pytest.raises(UsageError, match=r"finite|empty"):
        points_of(low, high)


def test_a_gate_is_drawn_where_there_is_one():
    (curve,) = plot_forms([find_form("exact")], ["gate"], -4, 4).traces
    assert curve.y[POINTS // 2] == 0.5
    with pytest.raises(UsageError, match="no gate"):
        plot_forms([find_form("elu")], ["gate"], -4, 4)


# Errors of forms


def pair_of(form, target="exact", quantity="value"):
    return compare(find_form(form), find_form(target), quantity)


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "relu", "igelu", "elu"])
@pytest.mark.parametrize("kind", ["absolute", "relative"])
def test_errors_are_mpmaths_with_their_sign(name, kind):
    (curve,) = plot_errors([pair_of(name)], kind, -10, 5).traces
    for x, y in zip(curve.x[SOME].tolist(), curve.y[SOME].tolist(), strict=True):
        f, g = FORMS[name](M.mpf(x)), FORMS["exact"](M.mpf(x))
        assert y == float(f - g if kind == "absolute" else (f - g) / g)


def least_of(plot):
    """The size from which on the scale is logarithmic, which the label says: ±10⁻⁶."""
    said = re.search("±10([⁻⁰¹²³⁴-⁹]+)$", plot.y.label)[1]
    return 10.0 ** int("".join("0123456789-"["⁰¹²³⁴⁵⁶⁷⁸⁹⁻".index(sign)] for sign in said))


def test_errors_of_one_sign_are_drawn_to_the_smallest_one():
    plot = plot_errors([pair_of("relu")], "absolute", -5, -1)
    sizes = np.abs(plot.traces[0].y)
    least = least_of(plot)
    assert least <= sizes.min() < 10 * least
    assert sizes.max() > 1000 * sizes.min()


def test_errors_of_both_signs_are_drawn_three_decades_down_from_the_best_forms_largest():
    pair = [pair_of("tanh"), pair_of("sigmoid")]
    plot = plot_errors(pair, "absolute", -5, 5)
    best = min(np.abs(curve.y).max() for curve in plot.traces)
    least = least_of(plot)
    assert least * 100 < best <= least * 1000


def test_where_a_ratio_is_not_there_is_a_gap_in_the_picture():
    plot = plot_errors([pair_of("softplus")], "relative", -4, 4)
    assert math.isnan(plot.traces[0].y[POINTS // 2])
    assert "softplus" in render(plot)


@pytest.mark.parametrize(
    ("form", "quantity", "low", "high", "zero"),
    [
        ("tanh", "gradient", -1, -0.5, -0.7517915246935645),
        ("sigmoid", "gradient", -4, 4, -0.7517915246935645),
        ("softplus", "value", -1, 1.501, 0.0),
        ("sigmoid", "curvature", -3.001, 0, -math.sqrt(2)),
    ],
)
def test_the_line_is_broken_where_the_target_goes_through_0(form, quantity, low, high, zero):
    comparison = pair_of(form, quantity=quantity)
    (curve,) = plot_errors([comparison], "relative", low, high).traces
    (gap,) = np.flatnonzero(np.isnan(curve.y))
    assert curve.x[gap - 1] < zero < curve.x[gap + 1]
    assert (np.diff(curve.x) > 0).all()
    (whole,) = plot_errors([comparison], "absolute", low, high).traces
    assert np.isfinite(whole.y).all()


def test_the_axis_says_which_error_it_is():
    pair = pair_of("tanh", "silu")
    labels = [plot_errors([pair], kind, 1, 2).y.label for kind in ("absolute", "relative")]
    kinds = ["tanh − silu", "(tanh − silu)/silu"]
    assert [label.partition(",")[0] for label in labels] == kinds
    beyond = re.compile(r", logarithmic beyond ±10⁻?[⁰¹²³⁴-⁹]+$")
    assert all(beyond.search(label) for label in labels)


def test_where_the_error_goes_through_0_with_the_target_there_is_no_gap():
    (curve,) = plot_errors([pair_of("tanh")], "relative", -1, 1.501).traces
    assert np.isfinite(curve.y).all()


def test_an_error_that_is_0_all_over_is_drawn_as_well():
    assert "relu" in render(plot_errors([pair_of("relu", "hard")], "absolute", 20, 30))


# Titles and labels


def test_titles_say_what_is_drawn():
    exact, silu, tanh = map(find_form, ("exact", "silu", "tanh"))
    for forms, quantities, title in [
        ([exact], ["value", "gradient"], "GELU and its gradient"),
        ([exact, silu], ["value", "gradient"], "GELU and silu, and their gradients"),
        ([exact, silu], ["gate"], "Gates of GELU and silu"),
        (
            [exact, silu],
            ["value", "gradient", "curvature"],
            "GELU and silu, their gradients and curvatures",
        ),
        ([exact, silu, tanh, exact, silu], ["value"], "5 forms"),
    ]:
        assert plot_forms(forms, quantities, -1, 1).title == title


def test_titles_and_labels_of_errors_say_of_what_they_are():
    pair = find_form("tanh"), find_form("exact")
    plot = plot_errors([compare(*pair, "value")], "absolute", -1, 1)
    assert plot.title == "Error of tanh against GELU"
    assert plot.y.label.startswith("tanh − GELU, logarithmic beyond ±")
    plot = plot_errors([compare(*pair, "gradient")], "relative", -1, 1)
    assert plot.title == "Relative error of the gradient of tanh against that of GELU"
    assert plot.y.label.startswith("(tanh′ − GELU′)/GELU′, ")
