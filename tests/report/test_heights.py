"""A picture from one y to another: where curves end, what is left out, which ticks there are."""

from xml.etree import ElementTree

import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.report.plots import Axis, Level, Mark, Plot, Trace, image, window_of
from gelu_cli.report.plots.heights import between
from gelu_cli.report.plots.scales import Linear, Logarithmic, Symmetric
from tests.cli.runner import assert_all_refused, gelu

X = np.linspace(-4, 4, 401)
LINEAR = Axis("x", Linear())


def of(y, scale=None):
    return Plot("", LINEAR, Axis("y", scale or Linear()), [Trace("curve", X, y)])


def test_the_window_has_the_heights_without_a_margin_and_all_of_x():
    assert window_of(between(of(X**2), 10, 30)) == (-4, 4, 10, 30)
    assert window_of(between(of(np.sin(X)), -0.5, 0.25)) == (-4, 4, -0.5, 0.25)


@pytest.mark.parametrize("scale", [Linear(), Symmetric(1e-3)], ids=["linear", "symmetric"])
def test_a_curve_ends_at_the_edge_and_goes_on_where_it_comes_back(scale):
    (trace,) = between(of(np.sin(X), scale), -0.5, 0.75).traces
    there = np.isfinite(trace.y)
    assert (trace.y[there].min(), trace.y[there].max()) == (-0.5, 0.75)
    for edge in (-0.5, 0.75):
        at = trace.x[trace.y == edge]
        want = [x for k in (-1, 0, 1) for x in (np.arcsin(edge), np.pi - np.arcsin(edge))
                for x in (x + 2 * np.pi * k,) if abs(x) < 4]  # fmt: skip
        assert sorted(at) == pytest.approx(sorted(want), abs=1e-3)
    assert (np.diff(trace.x) > 0).all()
    assert not there[(trace.x > 1) & (trace.x < 2)].any()


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
    assert np.isnan(trace.y[(trace.x > 1) & (trace.x <= 3)]).all()


@pytest.mark.parametrize("scale", [Logarithmic(1e-6), Symmetric(1e-6)], ids=["log", "symmetric"])
def test_between_two_powers_of_ten_there_are_ticks_where_the_scale_has_them(scale):
    part = between(of(X**2, scale), 2e-4, 7e-4)
    window = window_of(part)
    ticks = part.y.scale.ticks(window.bottom, window.top, 6)
    assert len(ticks) > 3
    labels = np.array([float(tick.label) for tick in ticks])
    assert scale.positions(labels) == pytest.approx([tick.position for tick in ticks])
    assert all(window.bottom <= tick.position <= window.top for tick in ticks)


@pytest.mark.parametrize("scale", [Logarithmic(1e-3), Symmetric(1e-3)], ids=["log", "symmetric"])
def test_minor_ticks_are_at_twice_to_nine_times_the_powers_of_ten(scale):
    sizes = np.array([m * 10.0**n for n in (-3, -2, -1) for m in range(2, 10)])
    want = [*-sizes, *sizes] if isinstance(scale, Symmetric) else sizes
    low, high = scale.positions(np.array([-1.0, 1.0]))
    assert sorted(scale.minor(low, high)) == pytest.approx(sorted(scale.positions(np.array(want))))
    assert all(0.25 <= place <= 0.75 for place in Logarithmic(1e-3).minor(0.25, 0.75))


def test_a_file_has_minor_ticks_where_every_power_of_ten_has_a_label():
    def minor(low):
        plot = of(10.0 ** np.linspace(low, 0, 401), Logarithmic(10.0**low))
        figure = image.figure_of(plot, image.USUAL)
        return len(figure.axes[0].get_yticks(minor=True))

    assert (minor(-3), minor(-20)) == (24, 0)


def test_what_is_all_below_a_logarithmic_axis_is_refused():
    with pytest.raises(UsageError, match="no part of the axis"):
        between(of(X**2, Logarithmic(0.01)), -1, 0.005)


def test_a_file_draws_no_line_beyond_its_axes():
    part = between(of(100 * np.sin(X)), -1, 1)
    (line,) = image.figure_of(part, image.USUAL).axes[0].lines
    y = line.get_ydata()
    assert np.nanmax(abs(y)) == 1
    assert np.isfinite(y).sum() > 6
    assert ElementTree.fromstring(image.render(part, "svg")) is not None


def test_the_option_is_for_pictures_of_forms_and_of_sweeps():
    rows = gelu("plot", "--y-range", "-0.2:0.2").out.splitlines()
    assert [row.split(" ┤")[0].strip() for row in rows if " ┤" in row][:1] == ["0.2"]
    sweep = ["sweep", "--routine", "erf_sum", "--dtype", "bfloat16", "--view", "plot"]
    out = gelu(*sweep, "--y-range", "1/10:2").out
    assert "ULP at x" not in out  # the worst are far above
    assert gelu(*sweep).out.count("ULP at x") == 3


def test_what_is_no_range_of_y_is_refused_in_one_line():
    cases = [
        (f"--y-range {word}", f"--y-range '{word}' must be A:B, two finite numbers with A below B")
        for word in ("1", "1:1", "2:1", "-inf:1", "0:inf", "1:2:3")
    ]
    assert_all_refused("plot", cases=[*cases, ("--y-range 0:x", "--y-range")])
    assert_all_refused(
        cases=[
            ("plot --y-range 100:200", "--y-range 100:200 has no part of any curve"),
            ("sweep --routine erfc --dtype bfloat16 --y-range 0:1", "--y-range is for pictures"),
            ("sweep --routine erfc --dtype bfloat16 --view plot --y-range=-2:-1", "no part of"),
        ]
    )
