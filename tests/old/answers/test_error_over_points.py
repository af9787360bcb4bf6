"""The reports about errors over many points: rows, columns, words, and what is expected."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.old.answers.error import EDGES, OverPoints, expected_of
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import compare, summarise
from gelu_cli.old.calculus.monte_carlo import normal_points
from gelu_cli.old.calculus.point_summary import summarise_points
from gelu_cli.old.formulas import find_form
from gelu_cli.old.report import read
from gelu_cli.old.values.points import FewPoints, points_of
from tests.truth.mpmath import M, decimal_of

PAIR = [compare(find_form(name), find_form("exact"), "value") for name in ("relu", "silu")]
METRICS = ["n", "max_abs_error", "mean_abs_error", "rms_error", "p50_abs_error", "p99_abs_error",
           "max_rel_error"]  # fmt: skip
POINTS = FewPoints([-1.5, 0.5, 3.0, math.nan])


def over(points=POINTS, comparisons=PAIR, **more):
    found = summarise_points([points], comparisons, [*map(float, EDGES)])
    return OverPoints(comparisons, found, "here", **more)


def test_the_summary_has_the_layout_of_the_one_without_points():
    report = over().summary()
    assert [column.name for column in report.columns] == [
        "form", "quantity", "metric", "value", "x"]  # fmt: skip
    rows, ending = read(report)
    assert [tuple(row[:3]) for row in rows] == [
        (name, "value", metric) for name in ("relu", "silu") for metric in METRICS
    ]
    assert [row[4] is None for row in rows[:7]] == [True, False, True, True, True, True, False]
    assert report.title == "Error of the value against exact at 3 points"
    assert ending.facts["points"] == "3 from here, -1.5 to 3"
    assert ending.notes == ["left out: 1 point that is not finite: 1 NaN"]


def test_regions_say_how_many_points_they_have():
    rows, _ = read(over().regions())
    assert [tuple(row[2:5]) for row in rows[:5]] == [
        (-1.5, -1.0, 1), (-1.0, 0.0, 0), (0.0, 1.0, 1), (1.0, 2.0, 0), (2.0, 3.0, 1)]  # fmt: skip
    assert list(rows[1][5:]) == [None] * 4
    assert rows[0][6] == rows[0][8] == -1.5


def test_the_histogram_counts_every_error():
    rows, _ = read(over().histogram())
    assert sum(row[4] for row in rows if row[0] == "relu") == 3
    assert all(row[2] < row[3] for row in rows)


def test_digits_round_figures_and_long_points():
    third = 1 / 3
    rows, _ = read(over(points_of([third, 0.25]), PAIR[:1], digits=6).summary())
    value, x = rows[1][3:]
    assert (x, len(value.as_tuple().digits)) == (Decimal("0.333333"), 6)
    with M.workdps(30):
        mean = sum(M.mpf(x) * M.ncdf(-M.mpf(x)) for x in (third, 0.25)) / 2
    assert rows[2][3] == decimal_of(mean, 6)
    rows, _ = read(over(points_of([0.25, 0.125]), PAIR[:1], digits=6).summary())
    assert rows[1][4] == 0.25


def test_random_points_stand_beside_what_holds_for_all():
    expected = expected_of(PAIR[:1], Fraction(2), Fraction(1))
    found = summarise_points(normal_points(1.0, 2.0, 100_000, 3), PAIR[:1], [0.0])
    rows, _ = read(OverPoints(PAIR[:1], found, "here", expected).summary())
    true = summarise(PAIR[0], -math.inf, math.inf, Fraction(2), FLOAT64, Fraction(1))
    values = {row[2]: (row[3], row[5]) for row in rows}
    assert values["max_abs_error"][1] == true.max_abs_error
    assert values["n"] == (100_000, None)
    mean, true_mean = values["mean_abs_error"]
    assert true_mean == true.mean_abs_error
    deviation = np.sqrt(float(found.errors[0].rms) ** 2 - mean**2)
    assert abs(mean - true_mean) < 4 * deviation / math.sqrt(100_000)
    assert values["max_abs_error"][0] <= values["max_abs_error"][1]


@pytest.mark.parametrize("points", [FewPoints([0.0, 0.0]), FewPoints([-0.0])])
def test_no_error_is_said_to_be_none(points):
    _, ending = read(over(points, PAIR[:1]).summary())
    assert ending.facts["relu"] == "equal to exact at every point"
