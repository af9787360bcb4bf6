"""Measured figures in pictures: where they stand, and which columns are drawn."""

import math
from xml.etree import ElementTree

import mpmath as mp
import numpy as np
import pytest

from gelu_cli.old.answers.plot.forms import (
    Series,
    errors_of_series,
    plot_errors,
    plot_forms,
    with_series,
)
from gelu_cli.old.calculus.comparison import compare
from gelu_cli.old.formulas import find_form
from gelu_cli.old.reading.figures import read_series
from gelu_cli.old.report.plots.geometry import between, window_of
from tests.old.cli.runner import assert_refused, gelu, run_gelu

TABLE = "x,measured,name,empty\n-3,-0.0040,a,\n-1,NA,b,\npi/2,1.48,c,\n7,7,d,\n"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_every_column_of_numbers_is_a_series_and_others_are_named(path):
    said = []
    (series,) = read_series(str(path), said.append)
    assert series.name == "measured, m.csv"
    assert series.x.tolist() == [-3, math.pi / 2, 7]
    assert series.y.tolist() == [-0.004, 1.48, 7]
    assert len(said) == 1
    assert "'name'" in said[0]


def test_points_stand_over_the_curves_within_the_range(path):
    plot = plot_forms([find_form("exact")], ["value"], -4, 4)
    high = Series("high", np.array([0.0, 5.0]), np.array([50.0, 1.0]))
    found = with_series(plot, [*read_series(str(path), print), high])
    assert [trace.x.tolist() for trace in found.points] == [[-3, math.pi / 2], [0]]
    assert window_of(found).top > 50 > window_of(plot).top


def test_points_beyond_the_heights_asked_for_are_left_out(path):
    plot = with_series(
        plot_forms([find_form("exact")], ["value"], -4, 4), read_series(str(path), print)
    )
    assert [trace.y.tolist() for trace in between(plot, -1, 1).points] == [[-0.004]]


@pytest.mark.parametrize("kind", ["absolute", "relative"])
def test_in_a_picture_of_errors_points_are_errors(path, kind):
    comparison = compare(find_form("tanh"), find_form("silu"), "value")
    series = errors_of_series(read_series(str(path), print), comparison, kind)
    plot = with_series(plot_errors([comparison], kind, -4, 4), series)
    (trace,) = plot.points
    for x, y, figure in zip(trace.x.tolist(), trace.y.tolist(), (-0.004, 1.48), strict=True):
        silu = mp.mpf(x) / (1 + mp.exp(-mp.mpf(x)))
        error = figure - silu if kind == "absolute" else (figure - silu) / silu
        assert y == pytest.approx(float(error), rel=1e-12)


def test_a_file_and_text_show_the_points_and_what_they_are(path, tmp_path):
    answer = run_gelu("plot", "--points", path, "--range", "-3:pi/2", "-o", tmp_path / "a.svg")
    assert (answer.code, answer.out) == (0, "")
    left, beyond = answer.err.splitlines()
    assert "'name'" in left
    assert beyond == "gelu: note: 1 of 3 figures are beyond --range, and not drawn"
    words = {"".join(each.itertext()) for each in ElementTree.parse(tmp_path / "a.svg").iter()}
    assert "measured, m.csv" in words
    text = gelu("plot", "--points", "-", "--quantity", "value", "-q", stdin=TABLE.encode()).out
    assert text.splitlines()[-1].endswith("x measured, stdin")
    assert text.count("x") == 2 + 2 + 1  # the points, the labels f(x) and x, the legend


def test_a_table_that_cannot_be_drawn_is_refused(tmp_path):
    for text, *said in (
        ("y,z\n1,2\n", "no column 'x'"),
        ("x,name\n1,a\n", "has no column of numbers beside x"),
        ("x,y\noops,1\n", "line 2 of", "column 'x'"),
        ("x,y\n1e400,0\n", "line 2 of", "column 'x'", "beyond float64"),
    ):
        (tmp_path / "a.csv").write_text(text, encoding="utf-8")
        assert_refused(run_gelu("plot", "--points", tmp_path / "a.csv"), *said)
    assert_refused(run_gelu("plot", "a.csv"), "write --points a.csv")
    assert_refused(run_gelu("plot", "--points", "missing.csv"), "cannot read 'missing.csv'")
