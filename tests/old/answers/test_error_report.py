"""The reports about errors: rows, columns, notes, and what is refused."""

import itertools
import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.answers.error import at_points, regions, summary
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import summarise
from gelu_cli.old.report import read
from gelu_cli.old.values.points import FewPoints, ManyPoints
from tests.old.asked import comparison
from tests.truth.mpmath import M, decimal_of, exact, gradient, nearest, truth

TEN = Fraction(-10), Fraction(10)
WHOLE = -math.inf, math.inf


def rows(report):
    return read(report)[0]


# Summaries


def test_the_summary_has_the_rows_and_columns_of_the_contract():
    pair = [comparison("silu"), comparison("relu")]
    report = summary(pair)
    assert [column.name for column in report.columns] == [
        "form", "quantity", "metric", "value", "x"]  # fmt: skip
    got = rows(report)
    metrics = ["max_abs_error", "max_rel_error", "mean_abs_error", "rms_error"]
    assert [row[:3] for row in got] == [
        (name, "value", metric) for name in ("silu", "relu") for metric in metrics
    ]
    # ReLU is farthest from GELU as far from 0 as the minimum is, on either side.
    minimum = M.findroot(gradient, -0.75)

    def mean(f):
        return M.quad(lambda x: f(x * M.ncdf(-x)) * M.npdf(x), [0, 4, 14]) * 2

    with M.workdps(30):
        want = [-exact(minimum), 1, mean(abs), M.sqrt(mean(lambda error: error**2))]
    assert [row[3] for row in got[4:]] == list(map(float, want))
    assert (abs(got[4][4]), *[row[4] for row in got[6:]]) == (-float(minimum), None, None)


def test_in_words_a_relative_error_has_a_bound_or_none():
    """That of ReLU is 1 wherever x < 0; that of sigmoid grows with −x."""
    _, ending = read(summary([comparison("relu"), comparison("sigmoid")], *WHOLE))
    assert re.search("its largest relative error is 1, next to x = 0", ending.facts["relu"])
    assert ending.facts["sigmoid"].endswith("its relative error has no bound as x → −∞")


def test_where_the_gradient_of_gelu_is_0_a_note_says_that_the_ratio_has_no_bound():
    got, ending = read(summary([comparison("softplus", quantity="gradient")]))
    assert got[1][2:] == ("max_rel_error", math.inf, -0.7517915246935645)
    (note,) = ending.notes
    assert "no bound" in note
    assert "-0.751792" in note


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


def test_digits_make_decimals():
    got = rows(summary([comparison("silu")], digits=12))
    assert all(isinstance(row[3], Decimal) for row in got)
    [row] = rows(regions([comparison("tanh")], Fraction(-10), Fraction(-8), digits=12))
    assert row[4].adjusted() == -15


# Regions


ENDS = {"relu": TEN, "igelu": (Fraction(-3, 2), Fraction(5)), "tanh": (Fraction(-1), Fraction(2))}


@pytest.mark.parametrize(
    ("name", "ends"),
    [pytest.param(name, ends, marks=[] if ENDS[name] == ends else pytest.mark.slow)
     for name in ENDS for ends in ENDS.values()],
)  # fmt: skip
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


@pytest.mark.parametrize(
    ("name", "ratio"),
    [("sigmoid", math.inf), pytest.param("tanh", 1, marks=pytest.mark.slow)],
)
def test_the_regions_of_the_whole_line_end_in_infinities(name, ratio):
    got = rows(regions([comparison(name)], *WHOLE))
    assert (got[0][2], got[-1][3]) == WHOLE
    assert got[0][6] == ratio


def test_the_range_is_from_minus_10_to_10_unless_another_is_named():
    got = rows(regions([comparison("relu", "silu")]))
    assert [row[2] for row in got] == [-10, -8, -4, -2, -1, 0, 1, 2, 4, 8]
    assert got[-1][3] == 10
    assert rows(summary([comparison("relu", "elu")])) == rows(
        summary([comparison("relu", "elu")], *TEN)
    )


# Points


@pytest.mark.parametrize("digits", [17, 30])
@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(-5, 2)])
@pytest.mark.parametrize("quantity", ["value", "gradient", "curvature"])
def test_a_point_has_a_row_of_both_numbers_and_the_sizes_of_the_errors(quantity, x, digits):
    [row] = rows(at_points([FewPoints([x])], [comparison("sigmoid", quantity=quantity)],
                           digits=digits))  # fmt: skip
    target, approx = (truth(name, quantity, x) for name in ("exact", "sigmoid"))
    error = abs(approx - target)
    want = [x, target, approx, error, abs(error / target)]
    assert row[:2] == ("sigmoid", quantity)
    assert row[3:] == tuple(decimal_of(each, digits) for each in want[1:])
    floats = rows(at_points([FewPoints([x])], [comparison("sigmoid", quantity=quantity)]))
    assert floats == [("sigmoid", quantity, *map(nearest, want))]


@pytest.mark.parametrize("digits", [None, 30])
@pytest.mark.parametrize(
    ("name", "x", "want"),
    [
        ("tanh", 0.0, (0, 0, 0, 0)),
        ("tanh", math.inf, (math.inf, math.inf, 0, 0)),
        ("tanh", -math.inf, (0, 0, 0, 1)),
        ("sigmoid", -math.inf, (0, 0, 0, math.inf)),
        ("sigmoid", -0.0, (0, 0, 0, 0)),
        ("softplus", 0.0, (0, math.log(2), math.log(2), math.inf)),
    ],
)
def test_at_zeros_and_infinities_there_are_limits(name, x, want, digits):
    [row] = rows(at_points([FewPoints([x])], [comparison(name)], digits=digits))
    assert list(map(float, row[3:])) == list(map(float, want))


def test_nan_has_a_row_of_nans():
    [row] = rows(at_points([FewPoints([math.nan])], [comparison("tanh")]))
    assert all(map(math.isnan, row[2:]))


def test_many_points_have_the_rows_of_few_form_by_form():
    numbers = [-40.0, -3.0, -0.0, 0.1, 2.5, 33.0, math.inf, math.nan]
    pair = [comparison("tanh"), comparison("relu", quantity="value")]
    for digits in (None, 9):
        few = rows(at_points([FewPoints(numbers)], pair, digits=digits))
        many = rows(at_points([ManyPoints(np.array(numbers))], pair, digits=digits))
        assert repr(many) == repr(few)
        assert [row[0] for row in many] == ["tanh", "relu"] * len(numbers)


@pytest.mark.parametrize(
    ("make", "digits", "limit"),
    [(lambda x: FewPoints(x.tolist()), None, "FEW_AT_ONCE"), (ManyPoints, 6, "MANY_AT_ONCE"),
     (ManyPoints, None, "BULK")],
)  # fmt: skip
def test_rows_come_some_points_at_a_time_before_the_next_are_read(monkeypatch, make, digits, limit):
    monkeypatch.setattr(f"gelu_cli.old.answers.error.{limit}", 64)

    def blocks():
        yield make(np.arange(65) / 16)
        raise AssertionError("read too early")

    stream = iter(at_points(blocks(), [comparison("hard", "relu")], digits=digits).stream)
    assert [len(next(stream)), len(next(stream))] == [64, 1]
