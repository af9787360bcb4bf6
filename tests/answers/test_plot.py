"""Every point of a plot is right: values, errors with their sign, errors in ULP by place."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.answers.plot import (
    LEAST_ULP,
    POINTS,
    plot_errors,
    plot_forms,
    plot_sweep,
    points_of,
)
from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.arithmetic.patterns import every_number
from gelu_cli.arithmetic.ulp import ordinals
from gelu_cli.calculus.comparison import compare
from gelu_cli.errors import UsageError
from gelu_cli.forms import all_forms, find_form
from gelu_cli.kernels.checking import check_results
from gelu_cli.kernels.implementations import routine_implementation
from gelu_cli.kernels.inputs import Inputs
from gelu_cli.kernels.regions import CELLS, cell_numbers, cell_starts, regions
from gelu_cli.kernels.routines import find_routine
from gelu_cli.kernels.sweep import sweep
from gelu_cli.kernels.truth import Question, truth_at
from gelu_cli.report.plots.scales import Symmetric
from gelu_cli.report.plots.terminal import render
from tests.kernels.slow_judge import true_value, ulp
from tests.truth.arb import values_and_gradients
from tests.truth.mpmath import FORMS, M

SOME = slice(3, None, 37)


def swept(name, dtype, inputs=None, target="exact"):
    number_format = FORMATS[dtype]
    implementation = routine_implementation(find_routine(name), "value", number_format, None)
    question = Question(find_form(target), "value", number_format)
    return sweep(implementation, question, inputs or Inputs())


# Forms


@pytest.mark.parametrize("name", all_forms())
def test_every_form_and_its_gradient_can_be_drawn(name):
    value, gradient = plot_forms([find_form(name)], ["value", "gradient"], -4, 4).traces
    assert (value.name, gradient.name) == (name, f"{name}′")
    values, gradients = values_and_gradients(name, value.x[SOME])
    assert value.y[SOME] == pytest.approx(values, rel=1e-12, abs=1e-15)
    assert gradient.y[SOME] == pytest.approx(gradients, rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("name", FORMS)
def test_values_are_mpmaths_to_the_last_digit(name):
    (curve,) = plot_forms([find_form(name)], ["value"], -6, 3).traces
    for x, y in zip(curve.x[SOME].tolist(), curve.y[SOME].tolist(), strict=True):
        assert y == float(FORMS[name](M.mpf(x)))


@pytest.mark.parametrize(("low", "high"), [(-4, 4), (Fraction(1, 3), Fraction(2, 3)), (0, 1e-300)])
def test_points_are_evenly_spaced_from_one_end_to_the_other(low, high):
    x = points_of(low, high)
    assert (len(x), x[0], x[-1]) == (POINTS, float(low), float(high))
    assert np.diff(x) == pytest.approx(float(high - low) / (POINTS - 1), rel=1e-9)


@pytest.mark.parametrize(
    ("low", "high"),
    [(1, 1), (2, 1), (-math.inf, 1), (0, math.inf), (Fraction(10**20), Fraction(10**20 + 1))],
)
def test_a_range_without_a_picture_is_refused(low, high):
    with pytest.raises(UsageError, match=r"finite|empty"):
        points_of(low, high)


def test_a_gate_is_drawn_where_there_is_one():
    (curve,) = plot_forms([find_form("exact")], ["gate"], -4, 4).traces
    assert curve.y[POINTS // 2] == 0.5
    with pytest.raises(UsageError, match="no gate"):
        plot_forms([find_form("elu")], ["gate"], -4, 4)


# Errors of forms


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "relu", "igelu", "elu"])
@pytest.mark.parametrize("kind", ["absolute", "relative"])
def test_errors_are_mpmaths_with_their_sign(name, kind):
    comparison = compare(find_form(name), find_form("exact"), "value")
    (curve,) = plot_errors([comparison], kind, -10, 5).traces
    for x, y in zip(curve.x[SOME].tolist(), curve.y[SOME].tolist(), strict=True):
        f, g = FORMS[name](M.mpf(x)), FORMS["exact"](M.mpf(x))
        assert y == float(f - g if kind == "absolute" else (f - g) / g)


def test_errors_of_one_sign_are_drawn_to_the_smallest_one():
    plot = plot_errors(
        [compare(find_form("relu"), find_form("exact"), "value")], "absolute", -5, -1
    )
    sizes = np.abs(plot.traces[0].y)
    assert isinstance(plot.y.scale, Symmetric)
    assert plot.y.scale.least <= sizes.min() < 10 * plot.y.scale.least
    assert sizes.max() > 1000 * sizes.min()


def test_errors_of_both_signs_are_drawn_three_decades_down_from_the_best_forms_largest():
    pair = [compare(find_form(name), find_form("exact"), "value") for name in ("tanh", "sigmoid")]
    plot = plot_errors(pair, "absolute", -5, 5)
    best = min(np.abs(curve.y).max() for curve in plot.traces)
    assert isinstance(plot.y.scale, Symmetric)
    assert plot.y.scale.least * 100 < best <= plot.y.scale.least * 1000


def test_the_error_of_the_gradient_changes_its_sign_too():
    comparison = compare(find_form("tanh"), find_form("exact"), "gradient")
    (curve,) = plot_errors([comparison], "absolute", -4, 4).traces
    assert curve.y.min() < 0 < curve.y.max()


def test_where_a_ratio_is_not_there_is_a_gap_in_the_picture():
    comparison = compare(find_form("softplus"), find_form("exact"), "value")
    plot = plot_errors([comparison], "relative", -4, 4)
    assert math.isnan(plot.traces[0].y[POINTS // 2])
    assert "softplus" in render(plot)


@pytest.mark.parametrize(
    ("form", "quantity", "low", "high", "zero"),
    [
        ("tanh", "gradient", -1, -0.5, -0.7517915246935645),
        ("sigmoid", "gradient", -4, 4, -0.7517915246935645),
        ("softplus", "value", -1, 1.501, 0.0),
        ("sigmoid", "curvature", -3.001, 0, -math.sqrt(2)),
    ],
)
def test_the_line_is_broken_where_the_target_goes_through_0(form, quantity, low, high, zero):
    comparison = compare(find_form(form), find_form("exact"), quantity)
    (curve,) = plot_errors([comparison], "relative", low, high).traces
    (gap,) = np.flatnonzero(np.isnan(curve.y))
    assert curve.x[gap - 1] < zero < curve.x[gap + 1]
    assert (np.diff(curve.x) > 0).all()
    (whole,) = plot_errors([comparison], "absolute", low, high).traces
    assert np.isfinite(whole.y).all()


def test_the_axis_says_which_error_it_is():
    comparison = compare(find_form("tanh"), find_form("silu"), "value")
    labels = [plot_errors([comparison], kind, 1, 2).y.label for kind in ("absolute", "relative")]
    assert labels == ["form - silu", "(form - silu)/silu"]


def test_where_the_error_goes_through_0_with_the_target_there_is_no_gap():
    comparison = compare(find_form("tanh"), find_form("exact"), "value")
    (curve,) = plot_errors([comparison], "relative", -1, 1.501).traces
    assert np.isfinite(curve.y).all()


def test_an_error_that_is_0_all_over_is_drawn_as_well():
    comparison = compare(find_form("relu"), find_form("hard"), "value")
    assert "relu" in render(plot_errors([comparison], "absolute", 20, 30))


# Sweeps


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
    assert plot.marks[0].label == "255.195 ULP at x = -4.34375"
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
    assert (labels[0], labels[9], labels[-9], labels[2]) == ("0", "16", "-16", "2^-12")
    assert "-0" not in labels.values()
    assert set(labels) == set(range(-9, 10))
    few = [tick.label for tick in plot.x.scale.ticks(-10, 10, 2)]
    assert few[:3] == ["0", "1", "-1"]


def test_results_that_are_no_numbers_are_marked_at_the_top():
    plot = plot_sweep([swept("exp_ratio", "bfloat16")])
    assert plot.marks[0].label == "NaN at x = 10.125"
    assert math.isinf(plot.marks[0].y)
    assert "NaN at x = 10.125" in render(plot)


def test_half_an_ulp_is_drawn_and_no_error_stands_at_the_bottom():
    plot = plot_sweep([swept("erfc", "float16")])
    assert [(level.y, level.label) for level in plot.levels] == [(0.5, "0.5 ULP")]
    assert plot.y.scale.positions(np.array([0.0]))[0] == math.log10(LEAST_ULP)
    assert LEAST_ULP == 0.01  # as docs/plots.md says


def test_several_routines_have_a_curve_and_a_mark_each():
    plot = plot_sweep([swept(name, "float16") for name in ("erf_sum", "erfc", "tanh_sum")])
    assert [curve.name for curve in plot.traces] == ["erf_sum", "erfc", "tanh_sum"]
    assert [mark.label.split(":")[0] for mark in plot.marks] == ["erf_sum", "erfc", "tanh_sum"]


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
