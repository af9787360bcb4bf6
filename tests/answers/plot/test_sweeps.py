"""Every step of a chart of errors in ULP is right, in its place, and so are its marks."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.answers.plot.sweeps import (
    LEAST_ULP,
    plot_sweep,
)
from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.arithmetic.patterns import every_number
from gelu_cli.arithmetic.ulp import ordinals
from gelu_cli.forms import find_form
from gelu_cli.kernels.checking import check_results
from gelu_cli.kernels.implementations import routine_implementation
from gelu_cli.kernels.inputs import Inputs
from gelu_cli.kernels.regions import CELLS, cell_numbers, cell_starts, regions
from gelu_cli.kernels.routines import find_routine
from gelu_cli.kernels.sweep import sweep
from gelu_cli.kernels.truth import Question, truth_at
from gelu_cli.report.plots.terminal import render
from tests.kernels.slow_judge import true_value, ulp


def swept(name, dtype, inputs=None, target="exact"):
    number_format = FORMATS[dtype]
    implementation = routine_implementation(find_routine(name), "value", number_format, None)
    question = Question(find_form(target), "value", number_format)
    return sweep(implementation, question, inputs or Inputs())


@pytest.mark.parametrize("dtype", FORMATS)
def test_cells_divide_each_region_evenly(dtype):
    number_format = FORMATS[dtype]
    starts = cell_starts(number_format)
    half = regions(number_format)[: len(regions(number_format)) // 2]
    assert [region.low for region in half] == starts[:-1:CELLS].tolist()
    assert starts[-1] == number_format.largest
    places = ordinals(number_format, starts)[: CELLS * len(half)].reshape(-1, CELLS)
    assert (np.ptp(np.diff(places, axis=1), axis=1) <= 1).all()
    assert cell_numbers(number_format, starts[:-1])[np.diff(starts) > 0].tolist() == (
        np.flatnonzero(np.diff(starts) > 0).tolist()
    )
    assert (cell_numbers(number_format, -starts[:-1]) >= CELLS * len(half)).all()


@pytest.mark.parametrize(
    ("name", "dtype"), [("erf_sum", "float8_e4m3fn"), ("sigmoid", "float8_e5m2")]
)
def test_peaks_are_the_largest_exact_errors_of_their_cells(name, dtype):
    verdict = swept(name, dtype)
    number_format = FORMATS[dtype]
    x = every_number(number_format)
    implementation = routine_implementation(find_routine(name), "value", number_format, None)
    got = implementation(x.astype(np.float32)).astype(np.float64)
    want = {}
    for cell, point, result in zip(
        cell_numbers(number_format, x).tolist(), x.tolist(), got.tolist(), strict=True
    ):
        error = math.inf
        if math.isfinite(result):
            y = true_value("exact", "value", point)
            error = float(abs(Fraction(result) - y) / ulp(dtype, y))
        want[cell] = max(error, want.get(cell, 0.0))
    assert verdict.total.peaks == pytest.approx(want, rel=1e-12, abs=1e-12)


def failing(result, at):
    """A kernel of float16s that is right but for one result wherever `at` holds."""
    question = Question(find_form("exact"), "value", FORMATS["float16"])
    x = every_number(FORMATS["float16"])
    got = truth_at(question, x).want.copy()
    got[at(x)] = result
    return check_results("kernel", question, x, got, exhaustive=True)


@pytest.mark.parametrize("result", [math.nan, math.inf])
def test_what_fails_stands_at_the_top_of_a_picture_of_all_inputs(result):
    (curve,) = plot_sweep([failing(result, lambda x: x < -2)]).traces
    assert curve.x.min() == -FORMATS["float16"].largest
    assert np.isinf(curve.y[curve.x < -2]).all()
    assert (curve.y[curve.x > -1.9] <= 0.5).all()
    (curve,) = plot_sweep([failing(result, lambda x: x == -3)]).traces
    cell = (curve.x[::2] <= -3) & (curve.x[1::2] >= -3)
    assert np.isinf(curve.y[::2][cell]).any()
    assert np.isinf(curve.y).sum() == 2


def test_where_nothing_was_measured_the_line_has_a_gap():
    question = Question(find_form("exact"), "value", FORMATS["bfloat16"])
    x, got = np.array([-1.0, 1.0, 2.0]), np.array([-0.125, 0.875, math.nan])
    (curve,) = plot_sweep([check_results("k", question, x, got, exhaustive=False)]).traces
    assert (curve.x.min(), curve.x.max()) == pytest.approx((-1, 2), rel=0.07)
    inside = (abs(curve.x) < 0.9) | ((curve.x > 1.1) & (curve.x < 1.9))
    assert np.isnan(curve.y[inside]).all()
    assert np.isinf(curve.y[curve.x > 2]).all()


@pytest.mark.parametrize("x", [1.0, math.inf])
def test_results_of_which_none_is_finite_are_a_picture_as_well(x):
    question = Question(find_form("exact"), "value", FORMATS["bfloat16"])
    verdict = check_results("k", question, np.array([x]), np.array([math.nan]), exhaustive=False)
    assert "k" in render(plot_sweep([verdict]))


def test_runs_of_float32s_have_the_peaks_of_single_ones():
    low, high = 0.9990234375, 1.03125  # both sides of an edge, whole runs and parts of one
    verdict = swept("erfc", "float32", Inputs(low, high))
    ends = np.array([low, high], np.float32).view(np.uint32)
    x = np.arange(ends[0], ends[1] + 1, dtype=np.uint32).view(np.float32)
    implementation = routine_implementation(find_routine("erfc"), "value", FORMATS["float32"], None)
    single = check_results(
        "erfc", verdict.question, x.astype(float), implementation(x).astype(float), exhaustive=True
    )
    assert len(single.total.peaks) > 1
    assert verdict.total.peaks == pytest.approx(single.total.peaks, rel=1e-6)


def test_the_largest_peak_is_the_worst_error_and_is_marked():
    verdict = swept("erf_sum", "bfloat16")
    plot = plot_sweep([verdict])
    (curve,) = plot.traces
    assert curve.y.max() == pytest.approx(float(verdict.worst[0].ulp), rel=1e-12)
    assert [mark.x for mark in plot.marks] == [error.x for error in verdict.worst[:3]]
    assert plot.marks[0].label == "255.195 ULP at x = −4.34375"
    nearest = curve.x[np.argmin(abs(curve.x - plot.marks[0].x))]
    assert curve.y[curve.x == nearest].max() == pytest.approx(plot.marks[0].y, rel=0.1)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2", "bfloat16"])
def test_every_input_is_under_the_step_of_its_cell(dtype):
    verdict = swept("erf_sum", dtype)
    (curve,) = plot_sweep([verdict]).traces
    lows, highs, steps = curve.x[::2], curve.x[1::2], curve.y[::2]
    assert (steps == curve.y[1::2]).all()
    x = every_number(FORMATS[dtype])
    for cell, size in zip(cell_numbers(FORMATS[dtype], x).tolist(), np.abs(x), strict=True):
        if cell in verdict.total.peaks:
            point = size if cell < len(cell_starts(FORMATS[dtype])) - 1 else -size
            peaks = steps[(lows <= point) & (point <= highs)]
            assert verdict.total.peaks[cell] in peaks.tolist()


@pytest.mark.parametrize("dtype", FORMATS)
def test_both_signs_and_all_binades_have_a_place_of_their_own(dtype):
    number_format = FORMATS[dtype]
    scale = plot_sweep([swept("erfc", dtype, Inputs(every=number_format.width < 32, samples=9000))])
    starts = np.unique(cell_starts(number_format))
    assert (np.diff(scale.x.scale.positions(starts)) > 0).all()
    sizes = np.array([number_format.number(1), *(2.0**n for n in range(number_format.emin, 5)),
                      number_format.largest])  # fmt: skip
    places = scale.x.scale.positions(np.concatenate([-sizes[::-1], [0.0], sizes]))
    assert (np.diff(places) >= 0).all()
    assert places == pytest.approx(-places[::-1])


def test_x_stands_in_its_region():
    plot = plot_sweep([swept("erfc", "bfloat16")])
    edges = np.array([region.low for region in regions(FORMATS["bfloat16"])[:10]])
    assert plot.x.scale.positions(edges).tolist() == list(range(10))
    labels = {tick.position: tick.label for tick in plot.x.scale.ticks(-10, 10, 9)}
    assert (labels[0], labels[9], labels[-9], labels[2]) == ("0", "16", "−16", "2⁻¹²")
    assert (labels[1], labels[-1]) == ("2⁻¹²⁶", "−2⁻¹²⁶")
    assert "−0" not in labels.values()
    assert set(labels) == set(range(-9, 10))
    few = [tick.label for tick in plot.x.scale.ticks(-10, 10, 2)]
    assert few[:5] == ["0", "2⁻¹²⁶", "−2⁻¹²⁶", "1", "−1"]


def test_results_that_are_no_numbers_are_marked_at_the_top():
    plot = plot_sweep([swept("exp_ratio", "bfloat16")])
    assert plot.marks[0].label == "NaN at x = 10.125"
    assert math.isinf(plot.marks[0].y)
    assert "NaN at x = 10.125" in render(plot)


@pytest.mark.parametrize("width", [80, 100, 200])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_the_least_normal_number_is_labelled_on_both_sides_of_0(dtype, width):
    every = dtype == "bfloat16"
    text = render(plot_sweep([swept("erfc", dtype, Inputs(every=every, samples=9000))]), width)
    assert re.search(r"−2⁻¹²⁶ +0 +2⁻¹²⁶", text)
    plain = render(plot_sweep([swept("erfc", "float16")]), width, ascii_only=True)
    assert plain.isascii()
    assert re.search(r"-2\^-14 +0 +2\^-14" if width > 80 else " 0 ", plain)


@pytest.mark.parametrize(
    ("bound", "levels"),
    [
        (None, [(0.5, "½ ULP")]),
        (Fraction(5, 2), [(0.5, "½ ULP"), (2.5, "bound: 2.5 ULP")]),
        (Fraction(1, 2), [(0.5, "½ ULP, the bound")]),
    ],
)
def test_half_an_ulp_and_the_bound_are_levels(bound, levels):
    plot = plot_sweep([swept("erfc", "float8_e5m2")], bound)
    assert [(level.y, level.label) for level in plot.levels] == levels
    for _, label in levels:
        assert f"┈ {label}" in render(plot)


def test_what_lies_below_the_axis_is_said_to_be_below():
    plot = plot_sweep([swept("erfc", "float16")])
    lowest = plot.y.scale.ticks(-2.1, 3.0, 9)[0]
    assert lowest == (-2, "≤ 10⁻²")
    assert "≤ 10⁻² ┤" in render(plot)
    assert plot.y.scale.positions(np.array([0.0]))[0] == math.log10(LEAST_ULP)
    assert LEAST_ULP == 0.01  # as docs/plots.md says


def test_several_routines_have_a_curve_and_a_mark_each():
    plot = plot_sweep([swept(name, "float16") for name in ("erf_sum", "erfc", "tanh_sum")])
    assert [curve.name for curve in plot.traces] == ["erf_sum", "erfc", "tanh_sum"]
    assert [mark.label.split(":")[0] for mark in plot.marks] == ["erf_sum", "erfc", "tanh_sum"]


def test_from_four_on_kernels_have_frames_of_their_own():
    names = ["erf_sum", "erfc", "tanh_sum", "logistic"]
    verdicts = [swept(name, "bfloat16") for name in names]
    assert not plot_sweep(verdicts[:3]).apart
    plot = plot_sweep(verdicts)
    assert plot.apart
    assert [names[mark.trace] for mark in plot.marks] == names
    assert all(mark.label.startswith(names[mark.trace]) for mark in plot.marks)


def test_curves_that_are_the_same_are_drawn_once_and_said_to_be_the_same():
    twin, other = swept("erf_sum", "float8_e5m2"), swept("erfc", "float8_e5m2")
    twin.name = "twin"
    plot = plot_sweep([swept("erf_sum", "float8_e5m2"), other, twin])
    assert [curve.name for curve in plot.traces] == ["erf_sum, twin: the same", "erfc"]
    assert [mark.label.split(":")[0] for mark in plot.marks] == ["erf_sum, twin", "erfc"]
    (alone,) = plot_sweep([swept("erf_sum", "float8_e5m2"), twin]).traces
    assert alone.name == "erf_sum, twin: the same"


def test_an_error_beyond_float64_is_drawn():
    class Huge:
        name, asked, environments, notes = "huge", {}, {}, ()

        def __call__(self, x):
            return np.full_like(x, 1e308)

    question = Question(find_form("exact"), "value", FORMATS["float64"])
    verdict = sweep(Huge(), question, Inputs(every=False, samples=5000))
    assert "huge" in render(plot_sweep([verdict]))


def test_the_title_says_what_was_looked_at():
    assert plot_sweep([swept("erfc", "bfloat16")]).title.endswith("bfloat16, every input")
    sampled = swept("erfc", "float32", Inputs(every=False, samples=5000))
    assert plot_sweep([sampled]).title.endswith("a sample")
    sampled.complete = False
    assert plot_sweep([sampled]).title.endswith("part of the inputs")
