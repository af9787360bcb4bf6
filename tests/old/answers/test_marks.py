"""Marks in pictures of forms stand where `locate` and `error` say, at the numbers they print."""

import math
import re

import pytest

from gelu_cli.old.answers.plot.forms import marks_of_errors, marks_of_forms
from gelu_cli.old.calculus.comparison import compare
from gelu_cli.old.formulas import find_form
from tests.old.cli.runner import assert_all_refused, gelu
from tests.truth.mpmath import M, decimal_of, exact, gradient, tanh

EXACT, TANH, SILU = map(find_form, ("exact", "tanh", "silu"))


def test_the_minimum_and_the_inflection_points_are_marked_on_the_curve():
    minimum = M.findroot(gradient, -0.75)
    marks = marks_of_forms([EXACT], ["value", "gradient"], ["all"], -4, 4)
    places = [minimum, -M.sqrt(2), M.sqrt(2)]
    rounded = [tuple(float(decimal_of(each, 6)) for each in (x, exact(x))) for x in places]
    assert [(mark.x, mark.y) for mark in marks] == rounded
    assert marks[0].label == "minimum −0.169971 at x = −0.751792"
    (inside,) = marks_of_forms([EXACT], ["value"], ["inflection"], -4, 0)
    assert inside.label == "inflection −0.111227 at x = −1.41421"


def test_on_a_gradient_a_mark_has_the_gradient():
    (mark, other) = marks_of_forms([EXACT, SILU], ["gradient"], ["minimum"], -4, 4)
    assert (mark.y, mark.label) == (0, "GELU′ = 0 at the minimum, x = −0.751792")
    assert other.label == "silu′ = 0 at the minimum, x = −1.27846"


@pytest.mark.parametrize(("kind", "metric"), [("absolute", "abs"), ("relative", "rel")])
def test_suprema_are_those_of_gelu_error_with_the_sign_of_the_curve(kind, metric):
    rows = gelu("error", "--form", "tanh", "--range", "-3:3", "--digits", "6").rows
    row = next(row for row in rows if row["metric"] == f"max_{metric}_error")
    (mark,) = marks_of_errors([compare(TANH, EXACT, "value")], kind, ["supremum"], -3, 3)
    said = mark.label.replace("−", "-").replace("·10⁻⁶", "e-06")
    assert said == f"tanh: largest error {row['value']} at x = {row['x']}"
    x = M.mpf(mark.x)  # so near the supremum that six digits do not tell
    error = tanh(x) - exact(x)
    error = error if kind == "absolute" else error / exact(x)
    assert mark.y == float(decimal_of(error, 6))


def test_a_supremum_that_is_only_approached_has_no_mark():
    relu = compare(find_form("relu"), EXACT, "value")
    for mark in marks_of_errors([relu], "relative", ["all"], -math.inf, 0):
        assert math.isfinite(mark.x)


def test_nothing_is_marked_unless_asked_for():
    assert marks_of_forms([EXACT], ["gate"], [], -4, 4) == []
    assert "minimum" not in gelu("plot").out


def test_the_picture_shows_the_marks_and_their_numbers():
    out = gelu("plot", "--mark", "minimum,inflection", "--quantity", "value").out
    assert re.search(r"^ 1 minimum .0\.169971 at x = .0\.751792$", out, re.M)
    assert len(re.findall(r"^ [123] ", out, re.M)) == 3


REFUSED = [
    ("--mark supremum", "--mark supremum", "add --error absolute or relative"),
    ("--error absolute --mark minimum", "--mark minimum", "leave --error out"),
    ("--quantity gate --mark all", "--quantity value, gradient, curvature"),
    ("--mark minimun", "did you mean 'minimum'"),
    ("record.json --mark all", "--mark"),
]


def test_marks_that_a_picture_cannot_have_are_refused():
    assert_all_refused("plot", cases=REFUSED)
