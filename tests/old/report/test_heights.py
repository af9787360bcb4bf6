"""A picture from one y to another: where curves end, what is left out, which ticks there are."""

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.report.plots import Axis, Level, Mark, Plot, Trace, svg
from gelu_cli.old.report.plots.geometry import between, window_of
from gelu_cli.old.report.plots.look import USUAL
from gelu_cli.old.report.plots.scales import linear, logarithmic, symmetric
from tests.old.cli.runner import assert_all_refused, gelu

X = np.linspace(-4, 4, 401)
LINEAR = Axis("x", linear())


def of(y, scale=None):
    return Plot("", LINEAR, Axis("y", scale or linear()), [Trace("curve", X, y)])


def test_the_window_has_the_heights_without_a_margin_and_all_of_x():
    assert window_of(between(of(X**2), 10, 30)) == (-4, 4, 10, 30)
    assert window_of(between(of(np.sin(X)), -0.5, 0.25)) == (-4, 4, -0.5, 0.25)


@pytest.mark.parametrize("scale", [linear(), symmetric(1e-3)], ids=["linear", "symmetric"])
def test_a_curve_goes_on_to_the_edge_and_comes_back_there(scale):
    (trace,) = between(of(np.sin(X), scale), -0.5, 0.75).traces
    there = np.isfinite(trace.y)
    assert (trace.y[there].min(), trace.y[there].max()) == (-0.5, 0.75)
    assert trace.x.tolist() == X.tolist()
    for edge in (-0.5, 0.75):
        at = trace.x[trace.y == edge]
        want = [x for k in (-1, 0, 1) for x in (np.arcsin(edge), np.pi - np.arcsin(edge))
                for x in (x + 2 * np.pi * k,) if abs(x) < 4]  # fmt: skip
        assert sorted(at) == pytest.approx(sorted(want), abs=0.02)  # the step of the points
    assert not there[(trace.x > 1) & (trace.x < 2)].any()


def test_a_curve_that_goes_from_below_to_above_in_one_step_is_drawn():
    (trace,) = between(of(np.sign(X)), -0.5, 0.5).traces
    assert sorted(trace.y[np.isfinite(trace.y)].tolist()) == [-0.5, 0.0, 0.5]


def test_nothing_changes_within_the_heights():
    (trace,) = between(of(np.sin(X)), -2, 2).traces
    assert trace.x.tolist() == X.tolist()
    assert trace.y.tolist() == np.sin(X).tolist()


def test_marks_and_levels_beyond_are_left_out_and_what_is_infinite_stays():
    y = np.where(X > 3, np.inf, X)
    plot = of(y)._replace(
        marks=[Mark(0, 0.5, "in"), Mark(1, 3.0, "out"), Mark(3.5, np.inf, "infinite")],
        levels=[Level(0.5, "in"), Level(2.0, "out")],
    )
    part = between(plot, 0, 1)
    assert [mark.label for mark in part.marks] == ["in", "infinite"]
    assert [level.label for level in part.levels] == ["in"]
    (trace,) = part.traces
    assert np.isinf(trace.y[trace.x > 3]).all()
    assert np.isnan(trace.y[(trace.x > 1.03) & (trace.x < 3)]).all()


def test_a_file_has_minor_ticks_where_every_power_of_ten_has_a_label():
    for low, count in ((-3, 24), (-20, 0)):
        plot = of(10.0 ** np.linspace(low, 0, 401), logarithmic(10.0**low))
        lines = [each for each in svg.picture(plot, USUAL).iter("line") if each.get("x1") == "-3"]
        assert len(lines) == count


def test_what_is_all_below_a_logarithmic_axis_is_refused():
    with pytest.raises(UsageError, match="no part of the axis"):
        between(of(X**2, logarithmic(0.01)), -1, 0.005)


def test_the_option_is_for_pictures_of_forms_and_of_sweeps():
    rows = gelu("plot", "--y-range", "-0.2:0.2").out.splitlines()
    assert [row.split(" ┤")[0].strip() for row in rows if " ┤" in row][:1] == ["0.2"]
    sweep = ["sweep", "erf_sum", "--dtype", "float8_e4m3fn", "--view", "plot"]
    assert gelu(*sweep).out.count("ULP at x") == 3
    assert "ULP at x" not in gelu(*sweep, "--y-range", "1/10:2").out  # the worst are far above


def test_what_is_no_range_of_y_is_refused_in_one_line():
    must = "must be A:B, two finite numbers with A below B"
    words = ("1", "1:1", "2:1", "-inf:1", "0:inf", "1:2:3")
    cases = [(f"plot --y-range {word}", f"--y-range '{word}' {must}") for word in words]
    cases += [
        ("plot --y-range 0:x", "--y-range"),
        ("plot --y-range 100:200", "--y-range 100:200 has no part of any curve"),
        ("sweep erfc --dtype e5m2 --y-range 0:1", "--y-range is for pictures"),
        ("sweep erfc --dtype e5m2 --view plot --y-range=-2:-1", "no part of"),
    ]
    assert_all_refused(cases=cases)
