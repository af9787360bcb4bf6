"""Every step of a chart of errors in ULP is right, in its place, and so are its marks."""

import math
import re
from copy import copy
from fractions import Fraction
from functools import cache
from io import BytesIO
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from gelu_cli.errors import UsageError
from gelu_cli.old.answers.plot.sweeps import LEAST_ULP, plot_sweep
from gelu_cli.old.arithmetic.format_arrays import every_number, ordinals
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.guests.calling import SEPARATE, Calling
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.report.plots import file_of
from gelu_cli.old.report.plots.geometry import between
from gelu_cli.old.report.plots.look import LIGHT, USUAL
from gelu_cli.old.report.plots.terminal import SIGNS, render
from gelu_cli.old.sweeping.checking import check_results
from gelu_cli.old.sweeping.gating import Gating
from gelu_cli.old.sweeping.implementations import routine_implementation
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.regions import CELLS, cell_numbers, cell_starts, regions
from gelu_cli.old.sweeping.routines import find_routine
from gelu_cli.old.sweeping.sweep import sweep
from gelu_cli.old.sweeping.truth import Question, truth_at
from tests.old.sweeping.slow_judge import true_value, ulp
from tests.truth.mpmath import M, exact

SAMPLE = Inputs(every=False, samples=100)


def routine(name, dtype):
    return routine_implementation(find_routine(name), "value", FORMATS[dtype], None)


def question(dtype):
    return Question(find_form("exact"), "value", FORMATS[dtype])


@cache
def verdict_of(name, dtype, inputs):
    return sweep(routine(name, dtype), question(dtype), inputs)


def swept(name, dtype, inputs=None):
    return copy(verdict_of(name, dtype, inputs or Inputs()))


@pytest.mark.parametrize("dtype", FORMATS)
def test_cells_divide_each_region_evenly(dtype):
    number_format = FORMATS[dtype]
    starts = cell_starts(number_format)
    half = regions(number_format)[: len(regions(number_format)) // 2]
    assert [region.low for region in half] == starts[:-1:CELLS].tolist()
    assert starts[-1] == number_format.largest
    places = ordinals(number_format, starts)[: CELLS * len(half)].reshape(-1, CELLS)
    assert (np.ptp(np.diff(places, axis=1), axis=1) <= 1).all()
    held = np.flatnonzero(np.diff(starts) > 0)
    assert cell_numbers(number_format, starts[held]).tolist() == held.tolist()
    assert (cell_numbers(number_format, -starts[:-1]) >= CELLS * len(half)).all()


@pytest.mark.parametrize(
    ("name", "dtype"), [("erf_sum", "float8_e4m3fn"), ("sigmoid", "float8_e5m2")]
)
def test_peaks_are_the_largest_exact_errors_of_their_cells(name, dtype):
    verdict = swept(name, dtype)
    x = every_number(FORMATS[dtype])
    got = routine(name, dtype)(x.astype(np.float32)).astype(np.float64)
    want = {}
    cells = cell_numbers(FORMATS[dtype], x).tolist()
    for cell, point, result in zip(cells, x.tolist(), got.tolist(), strict=True):
        error = math.inf
        if math.isfinite(result):
            y = true_value("exact", "value", point)
            error = float(abs(Fraction(result) - y) / ulp(dtype, y))
        want[cell] = max(error, want.get(cell, 0.0))
    assert verdict.total.peaks == pytest.approx(want, rel=1e-12, abs=1e-12)


def steps_of(curve):
    """Return the lower ends, the upper ends and the heights of the steps of a curve."""
    heights, again = curve.y[::2], curve.y[1::2]
    np.testing.assert_array_equal(heights, again)
    return curve.x[::2], curve.x[1::2], heights


@pytest.mark.parametrize("result", [math.nan, math.inf])
@pytest.mark.parametrize(
    ("fails", "steps"),
    [(lambda x: x < -2, lambda low, high: high < -2),
     (lambda x: x == -3, lambda low, high: low < -3 <= high)],
    ids=["below -2", "at -3"],
)  # fmt: skip
def test_what_fails_stands_at_the_top_of_a_picture_of_all_inputs(result, fails, steps):
    asked = question("float8_e5m2")
    x = every_number(asked.dtype)
    got = np.where(fails(x), result, truth_at(asked, x).want)
    (curve,) = plot_sweep([check_results("kernel", asked, x, got, exhaustive=True)]).traces
    low, high, heights = steps_of(curve)
    assert low.min() == -asked.dtype.largest
    # A step of a negative cell goes from the next cell's number, which is not in it, to its own.
    failing = [bool(steps(*ends)) for ends in zip(low, high, strict=True)]
    assert np.isinf(heights).tolist() == failing
    assert (heights[~np.array(failing)] <= 0.5).all()


def test_where_nothing_was_measured_the_line_has_a_gap():
    """A sixteenth of a binade is a step; an ulp of the truth is 2⁻¹⁰ at −1, and 2⁻⁸ at 1."""
    x, got = np.array([-1.0, 1.0, 2.0]), np.array([-0.125, 0.875, math.nan])
    verdict = check_results("k", question("bfloat16"), x, got, exhaustive=False)
    (curve,) = plot_sweep([verdict]).traces
    low, high, heights = steps_of(curve)
    held = ~np.isnan(heights)
    ends = [*zip(low[held].tolist(), high[held].tolist(), strict=True)]
    assert ends == [(-1.0625, -1), (1, 1.0625), (2, 2.125)]
    errors = [(M.mpf(-0.125) - exact(M.mpf(-1))) * 2**10, (M.mpf(0.875) - exact(M.mpf(1))) * 2**8]
    assert heights[held].tolist() == pytest.approx([*map(float, errors), math.inf], rel=1e-12)
    assert (curve.x.min(), curve.x.max()) == (-1.0625, 2.125)


@pytest.mark.parametrize("x", [1.0, math.inf])
def test_results_of_which_none_is_finite_are_a_picture_as_well(x):
    x, got = np.array([x]), np.array([math.nan])
    verdict = check_results("k", question("bfloat16"), x, got, exhaustive=False)
    assert "k" in render(plot_sweep([verdict]))


def test_runs_of_float32s_have_the_peaks_of_single_ones():
    low, high = 0.9990234375, 1.03125  # both sides of an edge, whole runs and parts of one
    verdict = swept("erfc", "float32", Inputs(low, high))
    ends = np.array([low, high], np.float32).view(np.uint32)
    x = np.arange(ends[0], ends[1] + 1, dtype=np.uint32).view(np.float32)
    got = routine("erfc", "float32")(x).astype(float)
    single = check_results("erfc", verdict.question, x.astype(float), got, exhaustive=True)
    assert len(single.total.peaks) > 1
    # The polynomial of a run is within 2⁻²² of an ulp of the truth.
    assert verdict.total.peaks == pytest.approx(single.total.peaks, abs=2.0**-22)


def test_the_largest_peak_is_the_worst_error_and_is_marked():
    verdict = swept("erf_sum", "bfloat16")
    plot = plot_sweep([verdict])
    (curve,) = plot.traces
    assert curve.y.max() == pytest.approx(float(verdict.worst[0].ulp), rel=1e-12)
    assert [mark.x for mark in plot.marks] == [error.x for error in verdict.worst[:3]]
    assert plot.marks[0].label == "255.195 ULP at x = −4.34375"
    low, high, heights = steps_of(curve)
    (there,) = heights[(low < plot.marks[0].x) & (plot.marks[0].x <= high)]
    assert there == pytest.approx(plot.marks[0].y, rel=1e-12)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_every_input_is_under_the_step_of_its_cell(dtype):
    verdict = swept("erf_sum", dtype)
    low, high, heights = steps_of(plot_sweep([verdict]).traces[0])
    x = every_number(FORMATS[dtype])
    for cell, point in zip(cell_numbers(FORMATS[dtype], x).tolist(), x.tolist(), strict=True):
        if cell in verdict.total.peaks:
            assert verdict.total.peaks[cell] in heights[(low <= point) & (point <= high)]


@pytest.mark.parametrize("dtype", FORMATS)
def test_both_signs_and_all_binades_have_a_place_of_their_own(dtype):
    number_format = FORMATS[dtype]
    scale = plot_sweep([swept("erfc", dtype, Inputs(1.0, 1.0))]).x.scale
    assert (np.diff(scale.positions(np.unique(cell_starts(number_format)))) > 0).all()
    sizes = np.array([number_format.number(1), *(2.0**n for n in range(number_format.emin, 5)),
                      number_format.largest])  # fmt: skip
    places = scale.positions(np.concatenate([-sizes[::-1], [0.0], sizes]))
    assert (np.diff(places) >= 0).all()
    assert places == pytest.approx(-places[::-1], rel=1e-15)


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
    plot = plot_sweep([swept("exp_ratio", "bfloat16", Inputs(10.0, 11.0))])
    assert plot.marks[0].label == "NaN at x = 10.125"
    assert math.isinf(plot.marks[0].y)
    assert "NaN at x = 10.125" in render(plot)


@pytest.mark.parametrize("width", [80, 100, 200])
def test_the_least_normal_number_is_labelled_on_both_sides_of_0(width):
    for dtype, inputs in {"bfloat16": None, "float32": SAMPLE}.items():
        text = render(plot_sweep([swept("erfc", dtype, inputs)]), width)
        assert re.search(r"−2⁻¹²⁶ +0 +2⁻¹²⁶", text), dtype
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
    plot = plot_sweep([swept("erfc", "float8_e5m2")])
    lowest = plot.y.scale.ticks(-2.1, 3.0, 9)[0]
    assert lowest == (-2, "≤ 10⁻²")
    assert "≤ 10⁻² ┤" in render(plot)
    assert plot.y.scale.positions(np.array([0.0]))[0] == math.log10(LEAST_ULP)
    assert LEAST_ULP == 0.01  # as docs/plots.md says


def test_several_routines_have_a_curve_and_a_mark_each_and_from_four_on_a_frame():
    names = ["erf_sum", "erfc", "tanh_sum", "logistic"]
    verdicts = [swept(name, "float8_e4m3fn") for name in names]
    for several in (3, 4):
        plot = plot_sweep(verdicts[:several])
        assert plot.apart == (several == 4)
        assert [curve.name for curve in plot.traces] == names[:several]
        assert [mark.label.split(":")[0] for mark in plot.marks] == names[:several]
        assert [mark.trace for mark in plot.marks] == [*range(several)]


def test_curves_that_are_the_same_are_drawn_once_and_said_to_be_the_same():
    one, twin, other = (swept(name, "float8_e5m2") for name in ("erf_sum", "erf_sum", "erfc"))
    twin.name = "twin"
    plot = plot_sweep([one, other, twin])
    assert [curve.name for curve in plot.traces] == ["erf_sum, twin: the same", "erfc"]
    assert [mark.label.split(":")[0] for mark in plot.marks] == ["erf_sum, twin", "erfc"]
    (alone,) = plot_sweep([one, twin]).traces
    assert alone.name == "erf_sum, twin: the same"


@cache
def of_pairs(ups=(0.5, 3.0, 40.0, -0.5)):
    e4m3 = FORMATS["float8_e4m3fn"]

    def wrong(gate, up):
        y = np.maximum(gate.astype(np.float32), 0) * up.astype(np.float32)
        y = np.where((gate == 2) & (up == 3), 6.5, np.where((gate == -8) & (up == 0.5), np.nan, y))
        return y.astype(gate.dtype)

    kernel = implementation_of("wrong", wrong, Calling(e4m3, e4m3, second=SEPARATE))
    asked = Question(find_form("relu"), "value", e4m3, gating=Gating())
    return sweep(kernel, asked, Inputs(-16.0, 16.0, ups=ups))


def test_pairs_are_a_map_of_both_exponents():
    """All is right but for 6.5 at 2·3, of which an ulp is ½, and a NaN at −8 and ½."""
    plot = plot_sweep([of_pairs()])
    (drawn,) = plot.traces
    positive = [0.0, *(2.0**n for n in range(-6, 6))]
    assert drawn.x.tolist() == [*(-x for x in positive[:0:-1]), *positive]
    assert drawn.y.tolist() == [-1, 0.5, 2, 32, 64]
    (one,), (failed,) = (np.argwhere(drawn.shades == shade).tolist() for shade in (1, 7))
    assert (drawn.y[one[0]], drawn.x[one[1]]) == (2, 2)
    assert (drawn.y[failed[0]], drawn.x[failed[1] + 1]) == (0.5, -8)
    assert np.count_nonzero(drawn.shades > 0) == 2
    assert drawn.shades[-1, -1] == -1  # 32·20 is beyond 448: NaN, as it should be
    assert [mark[:2] for mark in plot.marks[:2]] == [(-12, 0.75), (3, 3)]
    assert plot.marks[0].label == "NaN at gate = −8, up = 0.5"
    with pytest.raises(UsageError, match="for curves, not for a map"):
        between(plot, 0, 1)


@pytest.mark.parametrize("size", [(80, 24), (40, 60), (200, 60)])
def test_a_map_is_legible_in_a_terminal(size):
    plot = plot_sweep([of_pairs(), of_pairs((0.5,))])
    text = render(plot, *size)
    assert max(map(len, text.splitlines())) <= size[0]
    assert "!!!" in text or size[0] == 40
    assert all(f"{sign} {name}" in text for sign, name in zip(SIGNS, plot.shades, strict=True))
    assert render(plot, *size, ascii_only=True).isascii()


def test_a_map_in_a_file_has_each_cell_in_its_shade():
    plot = plot_sweep([of_pairs()])
    drawn = ElementTree.fromstring(file_of(plot, "svg", USUAL))
    found = {each.get("class") for each in drawn.findall(".//{*}path")}
    assert found == {f"shade s{shade}" for shade in range(len(SIGNS))}
    frame = next(each for each in drawn.findall("{*}svg") if each.find("{*}rect") is not None)
    width, height = (float(frame.get(name)) for name in ("width", "height"))
    (way,) = (each.get("d") for each in frame.findall("{*}path") if each.get("class")[-1] == "7")
    left, bottom, right, top = map(float, re.findall(r"[\d.]+", way)[:4])
    assert (left, right) == pytest.approx((width / 24, width / 12), abs=0.06)
    assert (top, bottom) == pytest.approx((height / 2, height * 3 / 4), abs=0.06)
    drawn = Image.open(BytesIO(file_of(plot, "png", USUAL))).convert("RGB")
    colours = {f"#{bytes(rgb).hex()}" for _, rgb in drawn.getcolors(drawn.width * drawn.height)}
    assert {LIGHT.shades[shade] for shade in (0, 1, 7)} <= colours


def test_an_error_beyond_float64_is_drawn():
    class Huge:
        name, asked, environments, notes = "huge", {}, {}, ()

        def __call__(self, x):
            return np.full_like(x, 1e308)

    assert "huge" in render(plot_sweep([sweep(Huge(), question("float64"), SAMPLE)]))


def test_the_title_says_what_was_looked_at():
    assert plot_sweep([swept("erfc", "float8_e5m2")]).title.endswith("float8_e5m2, every input")
    sampled = swept("erfc", "float32", SAMPLE)
    assert plot_sweep([sampled]).title.endswith("a sample")
    sampled.complete = False
    assert plot_sweep([sampled]).title.endswith("part of the inputs")
