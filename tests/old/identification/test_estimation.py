"""Intervals of parameters: they hold the secret one, and end where mpmath says."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.identification.candidates import FORM, Candidate
from gelu_cli.old.identification.estimation import estimated
from gelu_cli.old.identification.explanations import explained
from gelu_cli.old.identification.figures import Figures
from gelu_cli.old.identification.telling import elsewhere
from tests.old.every import every
from tests.truth.mpmath import fraction, truth

FAMILIES = {
    "sigmoid": ("beta", 500, 2500), "tanh": ("c", 20, 80), "elu": ("alpha", 200, 3000),
    "noisy_relu": ("sigma", 700, 2000),
}  # fmt: skip


def rounded(value, places):
    """Return the decimal of so many places that is nearest to an mpmath number or a Fraction."""
    value = value if isinstance(value, Fraction) else fraction(value)
    return Decimal(round(value * 10**places)).scaleb(-places)


def printed_by(function, points, places, quantity="value"):
    """Return figures as a library would print them, from mpmath's truth."""
    x = [Decimal(each) for each in points]
    return Figures("", quantity, x, [rounded(function(each), places) for each in x])


def printed(name, points, places, quantity="value", **parameters):
    """Return the figures of a form."""
    return printed_by(lambda x: truth(name, quantity, x, **parameters), points, places, quantity)


def interval(words):
    """Return the ends of an interval in words."""
    return map(Decimal, re.fullmatch(r"\w+ in \[(\S+), (\S+)\](?: to 8 ULP)?", words).groups())


def explains(name, parameter, value, figures):
    """Return whether a parameter explains all figures, by mpmath."""
    for x, y in zip(figures.x, figures.y, strict=True):
        got = truth(name, figures.quantity, x, **{parameter: str(value)})
        if abs(got - Fraction(y)) > Fraction(10) ** y.as_tuple().exponent / 2:
            return False
    return True


@settings(max_examples=6, deadline=None)
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
    least, most = interval(found.words)
    assert found.all
    assert least <= secret <= most
    place = Decimal(1).scaleb(least.as_tuple().exponent)
    assert explains(name, parameter, least + place, figures)
    assert explains(name, parameter, most - place, figures)
    assert not explains(name, parameter, least - place, figures)
    assert not explains(name, parameter, most + place, figures)


@every(
    ("secret", "quantity", "points", "places"),
    [
        ("1.773", "value", ["-1", "1", "2"], 4),
        ("1.702", "value", ["-1", "1", "2"], 4),
        ("2", "value", ["-1", "1", "2"], 4),
        ("1.9", "gradient", ["-1", "0.5", "1"], 5),
    ],
)
def test_the_shortest_decimal_of_the_interval_is_taken(secret, quantity, points, places):
    found = estimated(
        find_form("sigmoid"), printed("sigmoid", points, places, quantity, beta=secret)
    )
    assert found.form.label == f"sigmoid:beta={secret}"


@every(("secret", "label"), [("1.702", "sigmoid"), ("1.65", "sigmoid:beta=1.65")])
def test_a_parameter_explains_the_figures_published_or_not(secret, label):
    figures = printed("sigmoid", ["-1", "1", "2"], 4, beta=secret)
    best = explained(figures).explanations[0]
    assert (best.candidate.label, best.verdict) == (label, "explains all")
    least, most = interval(best.candidate.parameter)
    assert least <= Decimal(secret) <= most


def test_figures_that_no_parameter_gives_are_named():
    figures = Figures("", "value", [Decimal(1), Decimal(2)], [Decimal("0.8548"), Decimal("1.9357")])
    found = estimated(find_form("sigmoid"), figures)
    assert not found.words
    assert found.conflict.startswith("no beta of sigmoid gives all figures: beta in [1.772")
    assert "at x = 1 but beta in [1.70" in found.conflict
    assert found.conflict.endswith("at x = 2")


def test_a_bound_on_one_side_is_said_as_one():
    figures = Figures("", "value", [Decimal(10)], [Decimal("10.000")])
    assert estimated(find_form("sigmoid"), figures).words.startswith("beta >= 0.9")


def test_figures_that_a_parameter_does_not_touch_tell_nothing_of_it():
    figures = Figures("", "value", [Decimal(2)], [Decimal("2.0")])
    assert estimated(find_form("elu"), figures) is None


def test_a_kernel_with_rounding_errors_shows_its_parameter_to_a_few_ulp():
    slope, single = np.float32(1.65), FORMATS["float32"]
    x = np.linspace(-6, 6, 61, dtype=np.float32)
    y = x / (1 + np.exp(-slope * x))
    figures = Figures("", "value", x.astype(float), y.astype(float), (single, single))
    best = explained(figures).explanations[0]
    least, most = interval(best.candidate.parameter)
    assert least <= Decimal(float(slope)) <= most
    # 8 ULP are at most 8·2⁻²³·y to either side, and where x = −6, ln y changes by 6·dβ.
    assert most - least < 2 * 8 * 2**-23 / 6
    assert best.candidate.parameter.endswith(" to 8 ULP")


def test_results_that_are_no_numbers_tell_nothing_of_a_parameter():
    half, x = FORMATS["float16"], np.linspace(-2, 2, 65)
    figures = Figures("", "value", x, np.full(65, np.nan), (half, half))
    assert estimated(find_form("sigmoid"), figures) is None
    assert not explained(figures).explanations[0].agree


@every("name", FORMATS)
def test_the_numbers_that_round_to_a_result_end_half_way_to_its_neighbours(name):
    """At the largest number, beyond which there is none, as far away as on the other side."""
    result = FORMATS[name]
    largest = result.largest
    numbers = [0.0, 1.0, -1.0, 1.5, -(2.0**result.emin), largest, -largest]
    one = np.ones(len(numbers))
    figures = Figures("", "value", one, np.array(numbers), (result, result))
    found = figures.bounds().values()
    for y, (_, low, high) in zip(numbers, found, strict=True):
        bits = result.bits(abs(y))
        size = Fraction(abs(y))
        inner = Fraction(result.number(bits - 1)) if bits else -Fraction(result.number(1))
        outer = 2 * size - inner if abs(y) == largest else Fraction(result.number(bits + 1))
        ends = sorted([(size + inner) / 2, (size + outer) / 2])
        assert [low, high] == (ends if y >= 0 else [-end for end in ends[::-1]]), y


def test_an_input_is_found_where_float64s_differ_by_more_units_than_there_are_numbers():
    """At x = −1 ReLU is 0, beside which a unit is the least number."""
    double = FORMATS["float64"]
    figures = Figures("", "value", np.ones(1), np.ones(1), (double, double))
    pair = [Candidate(find_form(name), "value", name, FORM) for name in ("elu", "relu")]
    told = elsewhere(pair, figures)
    assert (told.where, told.values[1]) == ("x = -1", "0")
