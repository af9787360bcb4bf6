"""Intervals of parameters: they hold the secret one, and end where mpmath says."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.forms import find_form
from gelu_cli.identification.estimation import estimated
from gelu_cli.identification.explanations import explained
from gelu_cli.identification.figures import Printed, Results
from tests.identification.printing import printed
from tests.truth.mpmath import truth

FAMILIES = {
    "sigmoid": ("beta", 500, 2500), "tanh": ("c", 20, 80), "elu": ("alpha", 200, 3000),
    "noisy_relu": ("sigma", 700, 2000),
}  # fmt: skip


def interval(words):
    """Return name, ends and width of the last place of an interval in words."""
    name, low, high = re.fullmatch(r"(\w+) in \[(\S+), (\S+)\]", words).groups()
    return name, Decimal(low), Decimal(high)


def explains(name, parameter, value, figures):
    """Return whether a parameter explains all figures, by mpmath."""
    for x, y in zip(figures.x, figures.y, strict=True):
        got = truth(name, figures.quantity, x, **{parameter: str(value)})
        if abs(got - Fraction(y)) > Fraction(10) ** y.as_tuple().exponent / 2:
            return False
    return True


@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(list(FAMILIES)),
    share=st.integers(0, 1000),
    places=st.integers(4, 9),
    points=st.lists(
        st.sampled_from(["-3", "-2", "-1.5", "-1", "-0.5", "1", "2"]), min_size=2, max_size=4,
        unique=True,
    ),
)  # fmt: skip
def test_the_interval_holds_the_secret_parameter_and_is_tight(name, share, places, points):
    parameter, low, high = FAMILIES[name]
    secret = Decimal(low + (high - low) * share // 1000) / 1000
    figures = printed(name, ["-1", *points] if "-1" not in points else points, places,
                      **{parameter: str(secret)})  # fmt: skip
    found = estimated(find_form(name), figures)
    _, least, most = interval(found.words)
    assert found.all
    assert least <= secret <= most
    place = Decimal(1).scaleb(least.as_tuple().exponent)
    assert explains(name, parameter, least + place, figures)
    assert explains(name, parameter, most - place, figures)
    assert not explains(name, parameter, least - place, figures)
    assert not explains(name, parameter, most + place, figures)


@pytest.mark.parametrize("secret", ["1.773", "1.702"])
def test_the_slope_that_a_library_used_and_the_one_it_uses_now_come_out(secret):
    figures = printed("sigmoid", ["-1", "1", "2"], 4, beta=secret)
    best = explained(figures).explanations[0]
    _, low, high = interval(best.candidate.parameter)
    assert best.candidate.form.settings["beta"] == Fraction(secret)
    assert low <= Decimal(secret) <= high
    assert high - low < Decimal("0.002")
    assert best.candidate.label == ("sigmoid" if secret == "1.702" else "sigmoid:beta=1.773")


def test_a_parameter_nobody_has_published_is_found_by_its_shortest_decimal():
    figures = printed("sigmoid", ["-1", "1", "2"], 4, beta="1.65")
    best = explained(figures).explanations[0]
    assert (best.candidate.label, best.verdict) == ("sigmoid:beta=1.65", "explains all")


def test_gradients_tell_a_parameter_too():
    figures = printed("sigmoid", ["-1", "0.5", "1"], 5, quantity="gradient", beta="1.9")
    best = explained(figures).explanations[0]
    assert best.candidate.label == "sigmoid:beta=1.9"


def test_figures_that_no_parameter_gives_are_named():
    figures = Printed("", "value", [Decimal(1), Decimal(2)], [Decimal("0.8548"), Decimal("1.9357")])
    found = estimated(find_form("sigmoid"), figures)
    assert not found.words
    assert found.conflict.startswith("no beta of sigmoid gives all figures: beta in [1.772")
    assert "at x = 1 but beta in [1.70" in found.conflict
    assert found.conflict.endswith("at x = 2")


def test_a_bound_on_one_side_is_said_as_one():
    figures = Printed("", "value", [Decimal(10)], [Decimal("10.000")])
    assert estimated(find_form("sigmoid"), figures).words.startswith("beta >= 0.9")


def test_figures_that_a_parameter_does_not_touch_tell_nothing_of_it():
    figures = Printed("", "value", [Decimal(2)], [Decimal("2.0")])
    assert estimated(find_form("elu"), figures) is None


def test_a_kernel_with_rounding_errors_shows_its_parameter_to_a_few_ulp():
    x = np.linspace(-6, 6, 301, dtype=np.float32)
    y = x / (1 + np.exp(np.float32(-1.65) * x))
    single = FORMATS["float32"]
    figures = Results("", "value", x.astype(float), y.astype(float), single, single)
    best = explained(figures).explanations[0]
    slope = float(best.candidate.form.settings["beta"])  # 1.65 as a float32 is 1.64999998
    assert abs(slope - float(np.float32(1.65))) < 1e-8
    assert best.candidate.parameter.endswith("to 8 ULP")
