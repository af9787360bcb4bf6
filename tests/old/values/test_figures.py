"""Printed figures, judged against mpmath and by hand; a value is computed once for each x."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gelu_cli.old.arithmetic.decimals import Decimals
from gelu_cli.old.formulas import find_form
from gelu_cli.old.values.figures import Figure, correct
from tests.old.every import every
from tests.truth.mpmath import nearest, to_places, truth

NAMES = ["exact", "tanh", "sigmoid", "silu", "mish", "softplus", "erf_as", "noisy_relu"]
PLACES = st.integers(0, 25)
POINTS = st.decimals(-8, 8, places=3)


def verdict(x, published, name="exact", quantity="value"):
    x, published = (
        text if isinstance(text, (Decimal, Fraction, float)) else Decimal(text)
        for text in (x, published)
    )
    return correct(Figure(2, x, name, find_form(name), quantity, published))


@given(POINTS, PLACES, st.sampled_from(NAMES), st.sampled_from(["value", "gradient"]))
def test_the_true_value_rounded_is_right_and_its_neighbours_are_wrong(x, places, name, quantity):
    value = truth(name, quantity, Fraction(x) or Fraction(1, 3))
    published = to_places(value, places)
    assert verdict(x or Fraction(1, 3), published, name, quantity).right
    for step in (-1, 1):
        neighbour = published + step * Decimal(1).scaleb(-places)
        off_by = abs(value - Fraction(neighbour)) * 10**places
        if len(published.as_tuple().digits) < 15 and abs(off_by - Fraction(1, 2)) > Fraction(1, 50):
            assert verdict(x or Fraction(1, 3), neighbour, name, quantity) == (
                None,
                published,
                to_places(off_by, 3),
            )


@every(
    ("x", "published", "name", "quantity", "right"),
    [
        ("1", "0.8413", "exact", "value", True),
        ("1", "0.84134", "exact", "value", True),
        ("1", "0.8414", "exact", "value", False),
        ("1", "0.84135", "exact", "value", False),
        ("-1", "0.0833", "exact", "gradient", False),  # the sign is a part of it
        ("-1", "-0.0833", "exact", "gradient", True),
        ("1", "0.84130", "exact", "value", False),  # zeros at the end are digits
        ("1", "1", "exact", "value", True),
        ("1", "0", "exact", "value", False),
        ("100", "1E+2", "exact", "value", True),
        ("140", "1E+2", "relu", "value", True),
        ("160", "1E+2", "relu", "value", False),
        ("-6", "-6E-9", "exact", "value", True),
        ("-6", "-5.9E-9", "exact", "value", True),
        ("-6", "-6.0E-9", "exact", "value", False),
        ("-6", "0.0000", "exact", "value", True),
        ("-6", "-0.0000", "exact", "value", True),
        ("-1000", "0.00", "exact", "value", True),
        ("0", "0.500", "exact", "gradient", True),
        ("-0.0", "0.000", "exact", "value", True),
    ],
)
def test_figures_worked_by_hand(x, published, name, quantity, right):
    assert verdict(x, published, name, quantity).right is right


@every(("published", "right"), [("0.12", 1), ("0.13", 1), ("0.11", 0), ("0.14", 0)])
def test_of_a_value_half_way_both_neighbours_are_right(published, right):
    assert verdict("0.125", published, "relu").right is bool(right)
    assert verdict("0.125", published, "relu").off_by == Decimal("0.5" if right else "1.5")


def test_a_hair_beyond_half_way_only_one_is_right():
    half = "0.1234567890123456785"
    below, above = "0.123456789012345678", "0.123456789012345679"
    assert [verdict(half, figure, "relu").right for figure in (below, above)] == [True, True]
    for last, right in (("4999999", [True, False]), ("5000001", [False, True])):
        x = half[:-1] + last
        assert [verdict(x, figure, "relu").right for figure in (below, above)] == right


@every("name", ["exact", "tanh", "mish", "softplus"])
@every("x", [0.1, 1 / 3, -2.7, 5.3, -30.1, -37.9, 1e-300])
@every("quantity", ["value", "gradient", "curvature"])
def test_a_float64_is_right_in_its_shortest_digits_and_in_all_seventeen(name, x, quantity):
    value = nearest(truth(name, quantity, Fraction(x)))
    for text in (repr(value), f"{value:.16e}"):
        assert verdict(repr(x), text, name, quantity).right


def test_more_digits_than_a_float64_has_are_judged_as_they_are():
    value = 0.8413447460685429  # GELU(1) = 0.841344746068542948…
    assert verdict("1", "0.8413447460685429").right
    assert verdict("1", f"{value:.17g}").right
    assert verdict("1", "0.84134474606854295").right
    assert not verdict("1", "0.84134474606854294").right
    assert not verdict("1", f"{value:.18e}").right  # what numpy.savetxt writes
    assert verdict("1", "0.841344746068542949").right


def test_an_x_of_as_many_digits_as_the_figure_may_be_rounded():
    value = truth("exact", "value", Fraction(-10, 3))
    x = to_places(Fraction(-10, 3), 29)
    published = Decimals(30).exactly(value)
    assert verdict(x, published).right
    assert not verdict(x, published * 2).right
    assert not verdict(x, Decimals(40).exactly(value)).right
    assert verdict(Fraction(-10, 3), Decimals(40).exactly(value)).right


@every("x", ["100", "1000", "1e9", "1e300"])
@every("name", ["exact", "tanh", "softplus", "mish"])
def test_far_out_a_distance_that_nobody_sees_is_none(x, name):
    published = f"{float(x)!r}"
    assert verdict(x, published, name)[1:] == (Decimal(published), 0)
    assert verdict(x, published, name).right


@every(
    ("x", "published", "right", "off_by"),
    [
        (math.inf, math.inf, True, 0),
        (math.inf, -math.inf, False, math.inf),
        (math.inf, Decimal("3.0"), False, math.inf),
        (-math.inf, Decimal("0.0"), True, 0),
        (-math.inf, Decimal("-0.1"), False, 1.0),
        (math.nan, math.nan, True, 0),
        (math.nan, Decimal("0.1"), False, math.nan),
        (Decimal(1), math.nan, False, math.inf),
        (Decimal(1), math.inf, False, math.inf),
        (Decimal("1e400"), math.inf, False, math.inf),
    ],
)
def test_infinities_and_nan(x, published, right, off_by):
    got = verdict(x, published)
    assert (got.right, float(got.off_by)) == (right, pytest.approx(off_by, abs=0, nan_ok=True))


def test_a_tie_at_minus_0_is_a_tie():
    assert verdict("-0", "0", quantity="gradient").right
    assert verdict("-0", "1", quantity="gradient").right
    assert not verdict("-0", "2", quantity="gradient").right


def test_a_figure_of_17_digits_is_held_to_x_as_typed_or_to_its_float64():
    """Only longer ones may be those of a longer x that was cut to what is printed."""
    places, tried = 16, 0
    for k in range(60):
        x = (2 + k * Decimal("0.0123456789012345678")).quantize(Decimal(1).scaleb(-places))
        drifted = truth("exact", "value", Fraction(x) + Fraction(4, 10 ** (places + 1)))
        published = to_places(drifted, places)
        at_float64 = truth("exact", "value", Fraction(float(x)))
        value = nearest(at_float64)
        honest = {to_places(truth("exact", "value", Fraction(x)), places),
                 to_places(at_float64, places), Decimal(repr(value)),
                  Decimal(f"{value:.{places}f}")}  # fmt: skip
        if published not in honest:
            tried += 1
            assert not verdict(x, published).right
    assert tried > 5
