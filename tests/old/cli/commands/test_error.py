"""`gelu error`, as a user runs it."""

import json
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tests.old.cli.runner import Terminal, assert_all_refused, assert_refused, gelu, run_gelu
from tests.truth.mpmath import FORMS, M, decimal_of

SUMMARY = ["form", "quantity", "metric", "value", "x"]
POINTS = ["form", "quantity", "x", "target", "approx", "abs_error", "rel_error"]
REGIONS = ["form", "quantity", "low", "high", "max_abs_error", "max_abs_x", "max_rel_error",
           "max_rel_x"]  # fmt: skip


def test_the_defaults_are_tanh_and_sigmoid_in_four_metrics():
    answer = gelu("error", "--range", "2.6:2.8")
    assert answer.columns == SUMMARY
    assert [row["form"] for row in answer.rows] == ["tanh"] * 4 + ["sigmoid"] * 4
    first, *_, last = answer.rows
    assert first == {"form": "tanh", "quantity": "value", "metric": "max_abs_error",
                     "value": "0.00047323552068728487", "x": "2.69894138637727"}  # fmt: skip
    assert (last["metric"], last["x"]) == ("rms_error", "")


def test_thirty_digits_of_the_supremum_and_its_place_are_mpmaths():
    row = gelu("error", "--form", "tanh", "--range", "2.6:2.8", "--digits", 30).rows[0]
    with M.workdps(70):

        def d(t):
            return FORMS["tanh"](t) - FORMS["exact"](t)

        x = M.findroot(lambda t: M.diff(d, t), (2.6, 2.8), solver="anderson", tol=1e-90,
                       verify=False)  # fmt: skip
        assert row["x"] == M.nstr(x, 30)
        assert row["value"] == M.nstr(abs(d(x)), 30)
    assert len(row["x"].replace(".", "")) == 30


@pytest.mark.parametrize(
    ("words", "columns"),
    [
        (["--view", "summary"], SUMMARY), (["--view", "regions"], REGIONS),
        (["1", "--view", "points"], POINTS), (["1"], POINTS),
    ],
)  # fmt: skip
def test_each_view_has_its_columns(words, columns):
    narrow = [] if columns is POINTS else ["--range", "1:2"]
    words = ["--form", "relu", "--target", "softplus", *words, *narrow]
    assert gelu("error", *words).columns == columns


def titles(*words):
    shown = run_gelu("error", "--form", "relu", *words, stdout=Terminal).out
    return [line for line in shown.splitlines() if "Error of the value" in line]


def test_on_a_terminal_points_are_all_that_is_shown():
    """The other tables would ignore them."""
    (alone,) = titles("1")
    assert "Error of the value against exact at points" in alone


def test_without_points_the_answer_is_one_screen_that_names_the_other_view(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run_gelu("error", stdout=Terminal).out.splitlines()
    assert len(lines) <= 30
    assert "--view regions" in lines[-1]
    assert "by region" in titles("--range", "1:2", "--view", "regions")[0]


def test_points_take_numbers_of_every_kind():
    answer = gelu("error", "-0.5", "0", "-0.0", "inf", "-inf", "nan", "1/3", "--form", "tanh",
                  "--digits", "30")  # fmt: skip
    rows = {row["x"]: row for row in answer.rows}
    assert rows["-inf"]["rel_error"].startswith("1.0000")
    assert (rows["inf"]["target"], rows["inf"]["abs_error"]) == ("inf", "0")
    assert {rows["NaN"][name] for name in POINTS[3:]} == {"NaN"}
    assert rows["0"]["rel_error"] == rows["-0.0"]["rel_error"] == "0"
    third = rows["0." + "3" * 30]
    with M.workdps(60):
        f, g = FORMS["tanh"](M.mpf(1) / 3), FORMS["exact"](M.mpf(1) / 3)
        want = [g, f, abs(f - g), abs(f - g) / g]
        assert [Decimal(third[name]) for name in POINTS[3:]] == [decimal_of(y, 30) for y in want]


def test_points_come_from_stdin_too():
    assert gelu("error", "-", "--form", "tanh", stdin=b"1 2\n3").floats("x") == [1, 2, 3]


def test_an_infinite_range_is_a_range_and_says_where_there_is_no_bound():
    answer = run_gelu("error", "--form", "tanh,sigmoid", "--range", "-inf:0")
    assert answer.code == 0
    values = {(row["form"], row["metric"]): (row["value"], row["x"]) for row in answer.rows}
    assert values["tanh", "max_rel_error"] == ("1.0", "-inf")
    assert values["sigmoid", "max_rel_error"] == ("inf", "-inf")
    (line,) = answer.err.splitlines()
    assert line.startswith("gelu: note: the relative error of sigmoid has no bound")
    quiet = gelu("error", "--form", "sigmoid", "--range", "-inf:0", "--quiet")
    assert quiet.rows == answer.rows[4:]


def test_the_gradients_ratio_has_no_bound_at_the_minimum():
    words = ["error", "--form", "tanh", "--quantity", "gradient", "--range", "-0.8:-0.7"]
    answer = run_gelu(*words)
    assert answer.code == 0
    assert answer.rows[1]["value"] == "inf"
    assert float(answer.rows[1]["x"]) == pytest.approx(-0.75179, abs=1e-5)
    assert "-0.751792" in answer.err
    assert json.loads(run_gelu(*words, "--format", "json").out)[1]["value"] is None


@pytest.mark.parametrize("target", ["igelu", "sigmoid:beta=2"])
def test_the_target_may_be_any_form(target):
    answer = run_gelu("error", "--form", "exact", "--target", target, "--range", "-2:1")
    assert answer.code == 0
    assert [row["form"] for row in answer.rows] == ["exact"] * 4
    assert all(math.isfinite(y) for y in (answer.floats("value")[i] for i in (0, 2, 3)))


@pytest.mark.parametrize("option", ["--sigma=1/2", "--mean=3"])
def test_sigma_and_mean_are_those_of_the_averages_alone(option):
    words = ["error", "--form", "relu", "--target", "softplus", "--range", "-1:1"]
    usual, moved = gelu(*words).rows, gelu(*words, option).rows
    assert moved[:2] == usual[:2]
    less, more = (moved, usual) if "mean" in option else (usual, moved)
    assert float(less[2]["value"]) < float(more[2]["value"])


# Over points


OVER_POINTS = {
    "summary": SUMMARY,
    "regions": [*REGIONS[:4], "n", *REGIONS[4:]],
    "histogram": ["form", "quantity", "low", "high", "count"],
}


@pytest.mark.parametrize(("view", "columns"), OVER_POINTS.items())
def test_every_view_over_points_has_its_columns(view, columns):
    assert gelu("error", "-2", "0.5", "--form", "relu", "--view", view).columns == columns


def test_what_is_said_over_points_is_what_the_points_say():
    text = "\n".join(f"{k / 7 - 20}" for k in range(280)).encode()
    rows = gelu("error", "-", "--form", "tanh", stdin=text).rows
    answer = gelu("error", "-", "--form", "tanh", "--view", "summary", stdin=text)
    values = {row["metric"]: (float(row["value"]), row["x"]) for row in answer.rows}
    errors = [float(row["abs_error"]) for row in rows]
    assert values["n"][0] == len(rows) == 280
    assert values["max_abs_error"] == (max(errors), rows[errors.index(max(errors))]["x"])
    mean = float(sum(map(Fraction, errors)) / 280)
    assert values["mean_abs_error"][0] == float(f"{mean:.15g}")
    assert values["p50_abs_error"][0] == sorted(errors)[139]
    assert values["p99_abs_error"][0] == sorted(errors)[277]
    assert values["max_rel_error"][0] == max(float(row["rel_error"]) for row in rows)


def test_a_file_of_an_array_is_summed_up_whatever_the_threads(tmp_path):
    x = np.random.default_rng(1).normal(size=(300, 250)).astype(np.float32)
    np.save(tmp_path / "h.npy", x)
    words = ["error", "--input", str(tmp_path / "h.npy"), "--form", "relu", "--view"]
    for view in OVER_POINTS:
        one, three = (gelu(*words, view, "--jobs", jobs) for jobs in (1, 3))
        assert one.out == three.out
    assert gelu(*words, "summary").rows[0]["value"] == "75000"


def test_random_points_are_the_same_every_time():
    words = ["error", "--form", "relu", "--target", "softplus", "--samples", "70", "--mean", "1"]
    one = gelu(*words, "--seed", "0", "--jobs", "1")
    assert one.columns == [*SUMMARY, "true_value"]
    assert gelu(*words).out == one.out
    assert gelu(*words, "--seed", "1").out != one.out
    first = gelu(*words, "--view", "points", "--jobs", "2").rows[0]["x"]
    assert float(first) == np.random.default_rng(0).normal(1, 1)


def test_a_terminal_lists_few_points_and_sums_up_many():
    assert len(titles("0:1:/40")) == 1
    of_all, by_region, by_size = titles("0:1:/41")
    assert "at 41 points" in of_all
    assert "at 41 points by region" in by_region
    assert "at 41 points by size" in by_size


def test_what_is_not_finite_is_left_out_with_a_note():
    answer = run_gelu("error", "nan", "1", "inf", "--form", "relu", "--view", "summary")
    assert answer.code == 0
    assert answer.rows[0]["value"] == "1"
    assert answer.err == ("gelu: note: left out: 2 points that are not finite: 1 NaN, 1 infinite\n")
    assert "NaN" not in answer.out


def test_nothing_to_sum_up_is_refused_in_one_line():
    assert_refused(run_gelu("error", "-", "--view", "summary", stdin=b""), "holds no numbers")
    assert_refused(run_gelu("error", "-", "--view", "regions", stdin=b"nan inf\n"), "is finite")


REFUSED = [
    ("--range 1:1", "empty"),
    ("--range inf:inf", "empty"),
    ("--range 3", "'3' must be A:B"),
    ("--sigma 0", "sigma must be positive"),
    ("--sigma inf", "--sigma must be finite"),
    ("--quantity gait", "--quantity: unknown quantity 'gait'"),
    ("--quantity gate --form elu", "'elu' has no gate"),
    ("1 --view summary --sigma 2", "--sigma is for averages without points"),
    ("1 --view regions --range 0:1", "--range is for suprema without points"),
    ("--input a.csv --mean 1", "--mean is for averages without points"),
    ("1 --sigma 2", "--sigma is for averages without points; leave the points out"),
    ("1 --range 0:1", "--range is for suprema without points; leave the points out"),
    ("--view regions --sigma 2", "--sigma is for --view summary, not for regions"),
    ("1 --samples 5", "X is for points of your own; leave --samples out"),
    ("--seed 1", "--seed is for --samples N"),
    ("--samples 0", "--samples"),
    ("--samples 5 --sigma 0", "sigma must be positive"),
    ("--samples 5 --view regions --range 0:1", "suprema without points; leave --samples out"),
    ("--view regions --mean 2", "--mean is for --view summary, not for regions"),
    ("--view histogram", "--view histogram needs points"),
    ("--jobs 2", "--jobs is for points"),
    ("1 --view histogram --digits 5", "--digits is for the other views"),
    ("1 --view summary --digits 18", "--digits above 17 is for --view points"),
    ("1 --digits 18 --jobs 2", "--jobs is for numbers of up to 17 digits"),
    ("--form exact", "0 by definition"),
    ("--form tanh --target gelu_new", "0 by definition"),
    ("--view points", "--view points needs points"),
]


def test_what_cannot_be_meant_is_refused_in_one_line():
    assert_all_refused("error", cases=REFUSED)


def test_a_column_without_a_file_is_not_ignored():
    assert_refused(run_gelu("error", "--column", "x"), "--column")
