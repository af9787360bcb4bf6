"""Suprema of errors: proved by Arb on the whole range, and reached at the x that is printed."""

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import pytest
from flint import arb, ctx

from gelu_cli.answers.error import at_points, regions, summary
from gelu_cli.arithmetic.decimals import Decimals
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.calculus.comparison import compare, summarise
from gelu_cli.errors import UsageError
from gelu_cli.forms import all_forms, find_form
from gelu_cli.report import read
from gelu_cli.values.points import FewPoints
from tests.truth import arb as balls
from tests.truth.mpmath import FORMS, ORDER, M, decimal_of, fraction, nearest, ratio, truth

TEN = Fraction(-10), Fraction(10)
WHOLE = -math.inf, math.inf
SLACK = arb(10) ** -9
OTHERS = [name for name in all_forms() if name != "exact"]


def comparison(name, target="exact", quantity="value"):
    return compare(find_form(name), find_form(target), quantity)


class Peak(NamedTuple):
    """What a supremum is, and where."""

    value: object
    x: object


def largest(name, target="exact", quantity="value", ends=TEN, rounding=FLOAT64):
    return Peak(*comparison(name, target, quantity).largest_difference(*ends, rounding)[:2])


def largest_ratio(name, target="exact", quantity="value", ends=TEN, rounding=FLOAT64):
    return Peak(*comparison(name, target, quantity).largest_ratio(*ends, rounding)[:2])


def rows(report):
    return read(report)[0]


def ball_of(number):
    return balls.number(Fraction(number))


def proved(terms, name, target, bound, low=-10.0, high=10.0):
    return all(
        balls.proves_bound(terms(pair), left, right, bound)
        for left, right, pair in balls.stretches([name, target], low, high)
    )


@pytest.mark.parametrize("quantity", ["value", "gradient", "curvature"])
@pytest.mark.parametrize(
    ("name", "target"),
    [*((name, "exact") for name in OTHERS), ("tanh", "tanh_taylor"), ("sigmoid", "igelu"),
     ("silu", "relu"), ("exact", "elu"), ("exact", "hard")],
)  # fmt: skip
def test_arb_proves_that_the_error_is_nowhere_larger_and_is_that_large(name, target, quantity):
    """Below is no supremum, above is one: the number between is right to nine digits."""
    value = ball_of(largest(name, target, quantity).value)

    def terms(pair):
        return balls.difference(pair, quantity)

    assert proved(terms, name, target, value * (1 + SLACK))
    assert not proved(terms, name, target, value * (1 - SLACK))


@pytest.mark.parametrize("name", ["tanh", "tanh_taylor", "sigmoid", "sigmoid_taylor", "silu",
                                  "mish", "erf_as"])  # fmt: skip
def test_arb_proves_the_relative_error_too(name):
    value = ball_of(largest_ratio(name, ends=(Fraction(-8), Fraction(-1, 100))).value)

    def terms(pair):
        return balls.relative(pair, "value")

    assert proved(terms, name, "exact", value * (1 + SLACK), -8.0, -0.01)
    assert not proved(terms, name, "exact", value * (1 - SLACK), -8.0, -0.01)


@pytest.mark.parametrize("quantity", ["value", "gradient", "curvature"])
@pytest.mark.parametrize("name", ["tanh", "sigmoid", "silu", "mish", "tanh_taylor"])
def test_the_printed_place_attains_it(name, quantity):
    """An error of 1e-30 in x costs 1e-60 of the height at a critical point."""
    value, x = largest(name, quantity=quantity, rounding=Decimals(30))
    with ctx.workprec(400):
        there = abs(
            balls.at(name, quantity, Fraction(x)) - balls.at("exact", quantity, Fraction(x))
        )
        assert abs(there - ball_of(value)) < ball_of(value) * arb(10) ** -29


@pytest.mark.parametrize(
    ("name", "quantity", "near"),
    [("tanh", "value", "2.7"), ("sigmoid", "value", "2.3"), ("tanh", "gradient", "2.02"),
     ("sigmoid", "gradient", "1.42")],
)  # fmt: skip
def test_thirty_digits_are_those_of_mpmaths_root(name, quantity, near):
    order = ORDER[quantity]

    def d(t):
        return M.diff(lambda y: FORMS[name](y) - FORMS["exact"](y), t, order)

    with M.workdps(60):
        near = ratio(near)
        x = M.findroot(
            lambda t: M.diff(lambda y: FORMS[name](y) - FORMS["exact"](y), t, order + 1),
            (near * ratio("0.99"), near * ratio("1.01")), solver="anderson", verify=False,
            tol=1e-100,
        )  # fmt: skip
        want = decimal_of(abs(d(x)), 30), decimal_of(x, 30)
    assert largest(name, quantity=quantity, rounding=Decimals(30)) == want
    assert largest(name, quantity=quantity) == tuple(float(y) for y in want)


def test_the_headline():
    value, x = largest("tanh")
    assert f"{value:.7e} {x:.5f}" == "4.7323552e-04 2.69894"


@pytest.mark.parametrize("name", ["relu", "igelu", "elu"])
def test_with_a_kinked_target_the_places_change_and_the_size_does_not(name):
    for quantity in ("value", "gradient"):
        assert largest("exact", name, quantity) == largest(name, "exact", quantity)


@pytest.mark.parametrize(
    ("name", "target", "quantity", "value", "x"),
    [
        ("relu", "exact", "gradient", 0.5, 0.0),  # one-sided limits at the kink count
        ("noisy_relu", "relu", "value", 1 / math.sqrt(2 * math.pi), 0.0),
        ("elu", "relu", "value", -math.expm1(-10), -10.0),
        ("softplus", "relu", "value", math.log(2), 0.0),
    ],
)
def test_known_suprema_at_kinks_and_ends(name, target, quantity, value, x):
    assert largest(name, target, quantity) == (pytest.approx(value, rel=1e-15), x)


@pytest.mark.parametrize("ends", [(-1, Fraction(1, 2)), (Fraction(5, 2), 3), (-20, -4), (3, 4)])
def test_of_a_part_of_the_line_it_is_at_a_critical_point_inside_or_an_end(ends):
    low, high = map(Fraction, ends)
    value, x = largest("tanh", ends=(low, high))
    assert low <= x <= high
    inside = low < Fraction(largest("tanh").x) < high

    def distance(t):
        return abs(truth("tanh", "value", t) - truth("exact", "value", t))

    samples = [low + (high - low) * k / 40 for k in range(41)]
    assert max(distance(t) for t in samples if t) <= Fraction(value) * (1 + Fraction(1, 10**15))
    assert value == largest("tanh").value if inside else value < largest("tanh").value


@pytest.mark.parametrize(
    ("name", "target", "quantity", "ends", "want"),
    [
        ("softplus", "exact", "value", TEN, (math.inf, 0)),  # a zero where two pieces meet
        ("tanh", "exact", "curvature", TEN, (math.inf, math.sqrt(2))),  # of two as near, the right
        ("hard", "relu", "value", (Fraction(-10), Fraction(-4)), (0, -4)),  # both are 0
        ("hard", "relu", "value", (Fraction(-10), Fraction(-3)), (0, -3)),
    ],
)  # fmt: skip
def test_where_the_target_is_0(name, target, quantity, ends, want):
    assert largest_ratio(name, target, quantity, ends) == want


def test_where_both_are_0_the_ratio_is_that_of_the_slopes():
    """(α − 1)(eˣ − 1)/(eˣ − 1): 1 for α = 2, also at 0; neither has a gate."""
    double = find_form("elu").with_settings("elu:alpha=2", {"alpha": Fraction(2)})
    pair = compare(double, find_form("elu"), "value")
    assert pair.largest_ratio(*TEN, FLOAT64) == (1, 0, True)
    assert pair.largest_ratio(Fraction(-1), Fraction(0), FLOAT64).value == 1


# An infinite range


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "igelu", "erf_as", "relu", "mish"])
@pytest.mark.parametrize("quantity", ["value", "gradient", "curvature"])
def test_on_the_whole_line_the_absolute_error_is_that_of_the_range(name, quantity):
    assert largest(name, quantity=quantity, ends=WHOLE) == largest(name, quantity=quantity)


def test_at_minus_infinity_the_relative_errors_are_limits():
    assert largest_ratio("tanh", ends=WHOLE) == (1, -math.inf)
    assert largest_ratio("sigmoid", ends=WHOLE) == (math.inf, -math.inf)
    assert largest_ratio("relu", ends=WHOLE).value == 1
    # erfc z ~ e^(−z²)/(z√π), the approximation ~ a₁t·e^(−z²), t ~ 1/(pz)
    limit = ratio("0.254829592") / ratio("0.3275911") * M.sqrt(M.pi) - 1
    assert largest_ratio("erf_as", ends=WHOLE) == (nearest(fraction(limit)), -math.inf)


def test_an_unbounded_difference_is_infinite():
    assert largest("elu", "relu", ends=WHOLE) == (1, -math.inf)
    sigmoid = find_form("sigmoid").with_settings("sigmoid:beta=-1", {"beta": Fraction(-1)})
    backwards = compare(sigmoid, find_form("exact"), "value")
    assert backwards.largest_difference(*WHOLE, FLOAT64).value == math.inf


@pytest.mark.parametrize("name", ["tanh", "sigmoid"])
def test_where_the_gradient_of_gelu_is_0_the_ratio_has_no_bound_and_a_note_says_so(name):
    minimum = -0.7517915246935645
    assert largest_ratio(name, quantity="gradient") == (math.inf, minimum)
    report = summary([comparison(name, quantity="gradient")])
    assert rows(report)[1][2:] == ("max_rel_error", math.inf, minimum)
    (note,) = read(summary([comparison(name, quantity="gradient")]))[1].notes
    assert "no bound" in note
    assert "-0.751792" in note


# Points


def at(name, x, target="exact", quantity="value", digits=None):
    pair = [comparison(name, target, quantity)]
    [row] = rows(at_points([FewPoints([x])], pair, digits=digits))
    return row[3:]


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("quantity", ["value", "gradient", "curvature"])
@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(-5, 2), Fraction(7)])
def test_at_a_point_every_number_is_rounded_once(name, quantity, x):
    want, got = truth("exact", quantity, x), truth(name, quantity, x)
    numbers = [want, got, abs(got - want), abs(got - want) / abs(want)]
    if name in {"relu", "elu", "hard", "igelu"} and x > 3 and quantity == "curvature":
        numbers[1] = Fraction(0)  # where differences of mpmath leave a trace
        numbers[2:] = abs(want), Fraction(1)
    assert at(name, x, quantity=quantity) == tuple(map(nearest, numbers))
    rounded = tuple(Decimals(30).exactly(y) for y in numbers)
    assert at(name, x, quantity=quantity, digits=30) == rounded


@pytest.mark.parametrize("digits", [None, 30])
@pytest.mark.parametrize(
    ("name", "x", "want"),
    [
        ("tanh", 0.0, (0, 0, 0, 0)),
        ("tanh", -0.0, (0, 0, 0, 0)),
        ("sigmoid", 0.0, (0, 0, 0, 0)),
        ("tanh", math.inf, (math.inf, math.inf, 0, 0)),
        ("tanh", -math.inf, (0, 0, 0, 1)),
        ("sigmoid", -math.inf, (0, 0, 0, math.inf)),
        ("softplus", 0.0, (0, math.log(2), math.log(2), math.inf)),
    ],
)
def test_at_zeros_and_infinities_there_are_limits(name, x, want, digits):
    assert list(map(float, at(name, x, digits=digits))) == list(map(float, want))


def test_nan_gives_nan():
    assert all(map(math.isnan, at("tanh", math.nan)))


def test_where_both_are_0_the_ratio_of_two_zeros_is_nan():
    assert math.isnan(at("hard", Fraction(-5), target="relu")[3])


# Reports


def test_the_summary_has_the_rows_and_columns_of_the_contract():
    pair = [comparison("tanh"), comparison("sigmoid")]
    report = summary(pair)
    assert [column.name for column in report.columns] == [
        "form", "quantity", "metric", "value", "x"]  # fmt: skip
    got = rows(report)
    metrics = ["max_abs_error", "max_rel_error", "mean_abs_error", "rms_error"]
    assert [row[:3] for row in got] == [
        (name, "value", metric) for name in ("tanh", "sigmoid") for metric in metrics
    ]
    for block, each in ((got[:4], pair[0]), (got[4:], pair[1])):
        one = summarise(each, *TEN, Fraction(1), FLOAT64)
        assert [row[3] for row in block] == [one[0], one[2], one[4], one[5]]
        assert [row[4] for row in block] == [one[1], one[3], None, None]


@pytest.mark.parametrize("name", ["tanh", "igelu", "relu"])
@pytest.mark.parametrize("ends", [TEN, (Fraction(-3, 2), Fraction(5)), (Fraction(-1), Fraction(2))])
def test_regions_cover_the_range_and_their_maxima_are_the_summarys(name, ends):
    each = comparison(name)
    got = rows(regions([each], *ends))
    assert (got[0][2], got[-1][3]) == tuple(map(float, ends))
    assert all(one[3] == other[2] for one, other in itertools.pairwise(got))
    whole = summarise(each, *ends, Fraction(1), FLOAT64)
    assert max(row[4] for row in got) == whole.max_abs_error
    assert max(row[6] for row in got) == whole.max_rel_error
    for low, high, _, x, _, rel_x in (row[2:] for row in got):
        assert low < high
        assert low <= x <= high
        assert low <= rel_x <= high


def test_the_regions_of_the_whole_line_end_in_infinities():
    got = rows(regions([comparison("tanh")], *WHOLE))
    assert (got[0][2], got[-1][3]) == WHOLE
    assert got[0][6] == 1


def test_the_range_is_from_minus_10_to_10_unless_another_is_named():
    got = rows(regions([comparison("relu", "silu")]))
    assert [row[2] for row in got] == [-10, -8, -4, -2, -1, 0, 1, 2, 4, 8]
    assert got[-1][3] == 10
    assert rows(summary([comparison("relu", "elu")])) == rows(
        summary([comparison("relu", "elu")], *TEN)
    )


def test_digits_make_decimals():
    got = rows(summary([comparison("tanh")], digits=12))
    assert all(isinstance(row[3], Decimal) for row in got)
    assert rows(regions([comparison("tanh")], digits=12))[0][4].adjusted() == -15


@pytest.mark.parametrize(
    ("low", "high", "sigma", "message"),
    [
        (1, 1, 1, "the range 1:1 is empty"),
        (2, 1, 1, "the range 2:1 is empty"),
        (math.inf, math.inf, 1, "the range inf:inf is empty"),
        (-1, 1, 0, "sigma must be positive, not 0"),
        (-1, 1, -2, "sigma must be positive, not -2"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(low, high, sigma, message):
    with pytest.raises(UsageError, match=message):
        summary([comparison("tanh")], low, high, Fraction(sigma))


def test_a_form_is_no_target_of_its_own_and_a_gate_is_no_quantity_to_compare():
    with pytest.raises(UsageError, match="0 by definition"):
        comparison("tanh", "tanh")
    with pytest.raises(UsageError, match="unknown quantity 'gate'"):
        comparison("tanh", quantity="gate")


def test_where_the_form_is_0_as_well_a_zero_of_the_target_is_no_pole():
    """ReLU′ is 0 left of 0, so its error relative to GELU′ is 1 there, also near GELU′'s zero."""
    pair = compare(find_form("relu"), find_form("exact"), "gradient")
    found = pair.largest_ratio(Fraction(-10), Fraction(-1, 2), FLOAT64)
    assert found.value == 1.0


def test_a_limit_at_infinity_is_not_lost_to_rounding():
    steep = find_form("tanh").with_settings("tanh:c=1000", {"c": Fraction(1000)})
    found = compare(steep, find_form("exact"), "value").largest_ratio(-math.inf, math.inf, FLOAT64)
    assert found == (1.0, -math.inf, True)


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "silu"])
@pytest.mark.parametrize("quantity", ["gradient", "curvature"])
def test_the_largest_ratio_of_derivatives_is_that_of_a_fine_grid(name, quantity):
    order, ends = ORDER[quantity], (Fraction(0), Fraction(1))
    with M.workdps(30):
        points = [M.mpf(n) / 256 for n in range(257)]
        ratios = [
            abs(M.diff(FORMS[name], x, order) / M.diff(FORMS["exact"], x, order) - 1)
            for x in points
        ]
    found = largest_ratio(name, quantity=quantity, ends=ends)
    assert float(max(ratios)) == pytest.approx(found.value, rel=1e-4)
    assert float(points[ratios.index(max(ratios))]) == pytest.approx(found.x, abs=1 / 128)
