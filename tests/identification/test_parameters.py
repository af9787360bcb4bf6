"""Intervals of parameters: they hold the secret one, and end where mpmath says."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.formulas import find_form
from gelu_cli.formulas.doubles import float64
from gelu_cli.identification.candidates import Given
from gelu_cli.identification.explanations import estimated
from gelu_cli.identification.parameters import estimate
from tests.truth.mpmath import FORMS, M, ratio, to_places

FAMILIES = {
    "tanh": ("c", 30, 60),
    "sigmoid": ("beta", 1400, 2100),
    "hard": ("slope", 1200, 2400),
    "elu": ("alpha", 400, 1600),
    "noisy_relu": ("sigma", 500, 1500),
}
"""A parameter of a form and a range of it, in thousandths."""

POINTS = ["-3", "-2", "-1.5", "-0.5", "0.5", "1", "2"]


def function_of(name, **parameters):
    return lambda x: FORMS[name](x, **parameters)


def printed_by(function, points, places, quantity="value"):
    values = [to_places(function(ratio(x)), places) for x in points]
    return Given("", quantity, [Decimal(x) for x in points], values)


def ends_of(words):
    return [Decimal(end) for end in re.fullmatch(r"\w+ in \[(\S+), (\S+)\]", words).groups()]


@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(list(FAMILIES)),
    share=st.integers(0, 1000),
    places=st.integers(4, 9),
    points=st.lists(st.sampled_from(POINTS), min_size=1, max_size=3, unique=True),
)
def test_the_interval_holds_the_secret_parameter_and_is_tight(name, share, places, points):
    """Two last places within an end all values are as printed; one beyond it one is not."""
    parameter, low, high = FAMILIES[name]
    secret = Decimal(low + (high - low) * share // 1000) / 1000
    points = ["-1", *points]
    values = printed_by(function_of(name, **{parameter: str(secret)}), points, places)
    found = estimate(find_form(name), parameter, values)
    assert found.all
    least, most = ends_of(found.words)
    assert least <= secret <= most
    step = Decimal(1).scaleb(least.as_tuple().exponent)

    def explains(p):
        again = printed_by(function_of(name, **{parameter: str(p)}), points, places)
        return list(again.y) == list(values.y)

    assert [*map(explains, (least + 2 * step, most - 2 * step))] == [True, True]
    assert [*map(explains, (least - step, most + step))] == [False, False]
    assert explains(found.form.settings[parameter])


def test_values_are_monotone_in_the_parameters_that_are_estimated():
    """So those at the ends of an interval bound all between; gradients have no intervals."""
    for form, name in estimated():
        default = form.settings[name]
        shares = np.linspace(0.05, 4, 80)
        members = [form.with_settings("", {name: default * Fraction(s)}) for s in shares]
        for x in (-5.0, -1.7, -0.3, 0.2, 1.1, 4.0):
            steps = np.diff([float64(each, "value", np.array([x]))[0] for each in members])
            assert (steps >= -1e-14).all() or (steps <= 1e-14).all(), (form.name, x)
        gradients = Given("", "gradient", [Decimal(1)], [Decimal("1.0830")])
        assert estimate(form, name, gradients) is None


def test_the_shortest_decimal_of_the_interval_is_taken():
    for secret in ("1.773", "1.702", "2"):
        values = printed_by(function_of("sigmoid", beta=secret), ["-1", "1", "2"], 4)
        found = estimate(find_form("sigmoid"), "beta", values)
        assert found.form.label == f"sigmoid:beta={secret}"


def test_the_most_values_decide_if_no_parameter_explains_all():
    values = printed_by(function_of("sigmoid", beta="1.65"), ["-1", "1", "2"], 4)
    odd = Given("", "value", [*values.x, Decimal("0.5")], [*values.y, Decimal("0.4")])
    found = estimate(find_form("sigmoid"), "beta", odd)
    least, most = ends_of(found.words)
    assert not found.all
    assert least <= Decimal("1.65") <= most
    two = Given("", "value", [Decimal(1), Decimal(2)], [Decimal("0.8548"), Decimal("1.9357")])
    assert estimate(find_form("sigmoid"), "beta", two) is None  # each has an interval of its own


def test_a_bound_on_one_side_is_said_as_one():
    at_ten = Given("", "value", [Decimal(10)], [Decimal("10.000")])
    words = estimate(find_form("sigmoid"), "beta", at_ten).words
    end = Fraction(words.removeprefix("beta >= "))
    beyond = [
        function_of("sigmoid", beta=end + step)(M.mpf(10)) >= ratio("9.9995")
        for step in (0, Fraction(1, 10))
    ]
    assert beyond == [False, True]


def test_values_that_a_parameter_does_not_touch_bound_nothing():
    cases = [
        ("elu", "alpha", "2", "2.0"),
        ("sigmoid", "beta", "0", "0"),
        ("elu", "alpha", "0.05", "0.1"),
    ]
    for form, name, x, y in cases:
        values = Given("", "value", [Decimal(x)], [Decimal(y)])
        assert estimate(find_form(form), name, values) is None, form


def test_a_limit_at_an_end_of_an_interval_does_not_keep_the_search():
    """E max(0, ¼ + ε) tends to ¼ as sigma → 0, where the numbers that round to 0.2 end."""
    x, y = ("0.25", "1", "-1", "2"), ("0.2", "1.0", "0.0", "2.0")
    values = Given("", "value", [*map(Decimal, x)], [*map(Decimal, y)])
    words = estimate(find_form("noisy_relu"), "sigma", values).words
    sigma = Fraction(words.removeprefix("sigma <= "))
    less, more = (function_of("noisy_relu", sigma=s)(M.mpf(1)) for s in (sigma * 99 / 100, sigma))
    assert less < ratio("1.05") < more


def test_long_values_have_short_intervals():
    """Eighty decimals of the tanh form leave 79 digits of √(2/π)."""
    values = printed_by(function_of("tanh"), ["1", "-0.5"], 80)
    least, most = ends_of(estimate(find_form("tanh"), "a", values).words)
    assert least <= Decimal(M.nstr(M.sqrt(2 / M.pi), 99)) <= most
    assert most - least < Decimal("1e-79")
