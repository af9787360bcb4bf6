"""Plots as text and as files: scales, frames, letters; every width, ASCII, the same bytes."""

import math
import os
import re
import subprocess
import sys
import unicodedata
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from gelu_cli.old.report.plots import (
    Axis,
    Level,
    Mark,
    Plot,
    Tick,
    Trace,
    file_of,
    svg,
    terminal,
)
from gelu_cli.old.report.plots.geometry import between, markers_of, window_of
from gelu_cli.old.report.plots.look import USUAL
from gelu_cli.old.report.plots.scales import linear, logarithmic, piecewise, symmetric
from gelu_cli.old.report.plots.terminal import BLANK, Raster, as_ascii

X = np.linspace(-4, 4, 401)
LINEAR = Axis("the x axis", linear())
RISING = Plot("A title", LINEAR, Axis("the y axis", linear()), [Trace("rising", X, X)])
WAVES = RISING._replace(
    traces=[Trace(f"wave {n}", X, np.sin(X + n)) for n in range(5)],
    marks=[Mark(1.0, 0.5, "first mark"), Mark(-2.0, math.inf, "second mark")],
    levels=[Level(0.25, "a level"), Level(0.0, "")],
)
LABELS = ["A title", "the x axis", "the y axis", "wave 0", "wave 4", "first mark", "second mark",
          "a level"]  # fmt: skip


def frame(text):
    """The lines between the upper and the lower edge, without the frame."""
    return re.findall(r"[│┤](.*)│\n", text)


# Scales

RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(label):
    """The number that a label says, exactly: −0.5, 10⁻³, 2·10⁶."""
    found = re.fullmatch(r"(−?)(?:([\d.]+)·)?10([⁻⁰¹²³⁴-⁹]+)", label)
    if not found:
        assert "-" not in label
        return Fraction(label.replace("−", "-"))
    sign, mantissa, exponent = found.groups()
    return Fraction(f"{'-' if sign else ''}{mantissa or 1}e{exponent.translate(RAISED)}")


ENDS = [(-4, 4), (0, 1e-300), (1e300, 2e300), (-1e-5, 3e5), (1, 1.0001), (-7, -2),
        (1.0, math.nextafter(1.0, 2.0))]  # fmt: skip


@pytest.mark.parametrize(("low", "high"), ENDS)
@pytest.mark.parametrize("count", [2, 5, 9, 20])
def test_linear_ticks_are_round_numbers_evenly_spaced_and_stand_where_they_say(low, high, count):
    ticks = linear().ticks(low, high, count)
    said = [read(tick.label) for tick in ticks]
    assert 1 <= len(ticks) <= count + 2
    assert len({other - one for one, other in pairwise(said)}) <= 1
    assert said == sorted(set(said))
    ulp = math.ulp(max(abs(low), abs(high)))  # of a float, which a multiple of 0.1 is not
    for tick, number in zip(ticks, said, strict=True):
        assert low <= tick.position <= high
        assert abs(Fraction(tick.position) - number) <= ulp


LOGARITHMIC = pytest.mark.parametrize("scale", [logarithmic, symmetric])


@LOGARITHMIC
@pytest.mark.parametrize("count", [2, 5, 12])
def test_ticks_of_logarithmic_scales_stand_where_the_scale_puts_their_labels(scale, count):
    scale = scale(1e-3)
    low, high = scale.positions(np.array([1e-3, 1e6]))
    ticks = scale.ticks(low, high, count)
    labels = np.array([float(read(tick.label.removeprefix("≤ "))) for tick in ticks])
    assert scale.positions(labels) == pytest.approx([tick.position for tick in ticks], rel=1e-14)
    assert 2 <= len(ticks) <= count + 3


@LOGARITHMIC
def test_between_two_powers_of_ten_there_are_ticks_where_the_scale_has_them(scale):
    part = between(RISING._replace(y=Axis("y", scale(1e-6)), traces=[Trace("c", X, X**2)]),
                   2e-4, 7e-4)  # fmt: skip
    window = window_of(part)
    ticks = part.y.scale.ticks(window.bottom, window.top, 6)
    assert len(ticks) > 3
    places = scale(1e-6).positions(np.array([float(tick.label) for tick in ticks]))
    assert places == pytest.approx([tick.position for tick in ticks], rel=1e-14)
    assert all(window.bottom <= tick.position <= window.top for tick in ticks)


@LOGARITHMIC
def test_minor_ticks_are_at_twice_to_nine_times_the_powers_of_ten(scale):
    sizes = np.array([m * 10.0**n for n in (-3, -2, -1) for m in range(2, 10)])
    want = [*-sizes, *sizes] if scale is symmetric else sizes
    scale = scale(1e-3)
    low, high = scale.positions(np.array([-1.0, 1.0]))
    places = sorted(scale.positions(np.array(want)))
    assert sorted(scale.minor(low, high)) == pytest.approx(places, rel=1e-14)
    assert all(0.25 <= place <= 0.75 for place in logarithmic(1e-3).minor(0.25, 0.75))


def test_the_symmetric_scale_is_linear_within_the_least_and_counts_decades_beyond():
    values = np.array([0.0, 1e-9, 5e-5, 1e-4, 1e-3, 0.1, 1e3])
    want = [0, 1e-5, 0.5, 1, 2, 4, 8]
    assert symmetric(1e-4).positions(values) == pytest.approx(want, rel=1e-14)
    assert symmetric(1e-4).positions(-values) == pytest.approx([-y for y in want], rel=1e-14)
    assert symmetric(1e-300).positions(np.array([-1e300, 1e300])).tolist() == [-np.inf, np.inf]


def test_a_logarithm_of_nothing_stands_at_the_least_and_nan_nowhere():
    places = logarithmic(0.01).positions(np.array([0.0, 0.001, 0.01, 100.0, math.nan]))
    assert places[:4].tolist() == [-2, -2, -2, 2]
    assert math.isnan(places[4])


def test_the_window_holds_what_is_finite():
    """A twentieth of the height is free below, and above; there more where marks have numbers."""
    low, high = (edge([trace.y for trace in WAVES.traces]) for edge in (np.min, np.max))
    bottom, top = low - 0.05 * (high - low), high + 0.12 * (high - low)
    assert window_of(WAVES) == pytest.approx((-4, 4, bottom, top), rel=1e-14)
    nothing = RISING._replace(traces=[Trace("nothing", X, np.full(401, math.nan))])
    assert window_of(nothing)[2:] == (-0.05, 1.05)
    constant = RISING._replace(traces=[Trace("constant", X, np.full(401, 3.0))])
    assert window_of(constant)[2:] == (1.35, 4.65)


# Text


@pytest.mark.parametrize("plot", [RISING, WAVES], ids=["rising", "waves"])
@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("height", [20, 24, 40])
def test_a_text_fills_its_width_and_never_more(plot, width, height):
    text = terminal.render(plot, width, height)
    lines = text.splitlines()
    assert max(map(len, lines)) == width
    assert text.endswith("\n")
    assert not any(line != line.rstrip() for line in lines)
    assert {len(line) for line in frame(text)} == {len(frame(text)[0])}
    assert len(lines) == height or len(frame(text)) == terminal.LEAST_ROWS


@pytest.mark.parametrize("width", [40, 80, 200])
def test_title_axes_and_legend_are_there(width):
    text = " ".join(terminal.render(WAVES, width).split())
    for label in LABELS:
        assert label in text


def test_a_rising_line_rises():
    rows = frame(terminal.render(RISING))
    ends = [line.rstrip() for line in rows if line.strip()]
    assert [len(line) for line in ends] == sorted((len(line) for line in ends), reverse=True)
    assert len(ends[0]) == len(rows[0])
    assert ends[-1][0] != " "


def test_labels_of_the_y_axis_stand_in_the_rows_of_their_heights():
    """The dots of y = x in such a row are around x, by a share of the width at most."""
    text = terminal.render(RISING, 80, 40)
    share = 1 / len(frame(text))  # of the height, what a row is
    for value in (-4, -2, 0, 2, 4):
        (row,) = re.findall(rf"^ *{value} ┤(.*)│$", text.replace("−", "-"), re.M)
        drawn = [i + 0.5 for i, char in enumerate(row) if char != " "]
        assert abs(np.mean(drawn) / len(row) - (value + 4) / 8) <= share


def test_curves_that_coincide_are_all_seen_by_their_letters():
    twins = RISING._replace(traces=[Trace(name, X, np.sin(X)) for name in ("a", "b", "c")])
    rows = "".join(frame(terminal.render(twins)))
    assert min(rows.count(letter) for letter in "ox+") >= 4


def test_marks_have_their_numbers_on_the_picture_an_infinite_one_at_the_top():
    rows = frame(terminal.render(WAVES))
    assert "2" in rows[0]
    assert "1" in "".join(rows)


def test_colours_do_nothing_but_colour():
    coloured = terminal.render(WAVES, colour=True)
    assert re.sub(r"\x1b\[(?:38;5;\d+|39)m", "", coloured) == terminal.render(WAVES)
    assert "\x1b" not in terminal.render(WAVES)
    for colour in terminal.COLOURS[:5]:
        assert f"\x1b[38;5;{colour}m" in coloured


@pytest.mark.parametrize("width", [20, 80])
def test_ascii_has_the_same_shape(width):
    text = terminal.render(WAVES, width)
    plain = terminal.render(WAVES, width, ascii_only=True)
    assert plain.isascii()
    assert [len(line) for line in plain.splitlines()] == [len(line) for line in text.splitlines()]
    for ours, theirs in zip(text, plain, strict=True):
        assert (ours == " ") == (theirs == " ")


def test_every_dot_has_an_ascii_character_that_is_as_high():
    plain = as_ascii("".join(map(chr, range(BLANK, BLANK + 256))))
    assert plain.isascii()
    assert (plain[0], plain[0x09], plain[0xC0], plain[0xFF]) == (" ", "'", ".", ":")


def test_dots_stand_where_they_should():
    raster = Raster(3, 2)
    raster.line(np.array([0.0, 0.0]), np.array([0.0, 1.0]))
    raster.letter("o", 1.0, 0.0)
    assert list(raster.lines(colour=False)) == ["⡇  ", "⡇ o"]


@pytest.mark.parametrize(("right", "up"), [(1, 1), (1, 0.4), (0.3, 1), (0.8, 0), (0, 0)])
def test_a_line_has_the_dot_nearest_to_it_in_each_step_of_its_longer_side(right, up):
    raster = Raster(20, 10)
    raster.line(np.array([0.0, right]), np.array([0.0, up]))
    dots = [(column, 39 - row) for row, line in enumerate(braille_dots(raster)) for column in line]
    across, rise = round(39 * right), round(39 * up)
    assert len(dots) == max(across, rise) + 1
    for column, height in dots:  # the distance, times the length of the longer side
        assert abs(column * rise - height * across) <= max(across, rise) / 2


def braille_dots(raster):
    """The columns of the dots in each of four rows a character, by the names in Unicode."""
    for line in raster.lines(colour=False):
        names = [unicodedata.name(char).partition("DOTS-")[2] for char in line]
        for pair in ("14", "25", "36", "78"):
            yield [2 * c + k for c, name in enumerate(names) for k in (0, 1) if pair[k] in name]


# Files


SCRIPT = """
import sys
from tests.old.report.test_plots import FILES, RISING, USUAL, file_of
print([file_of(RISING, kind, USUAL) for kind in FILES], "matplotlib.pyplot" in sys.modules)
"""
FILES = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF-1."}


def test_processes_agree_on_every_byte_whatever_the_user_has_set(tmp_path):
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\n")
    here = [file_of(RISING, kind, USUAL) for kind in FILES]
    other = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )  # fmt: skip
    assert (other.stdout, other.stderr) == (f"{here} False\n", "")
    for content, beginning in zip(here, FILES.values(), strict=True):
        assert content.startswith(beginning)


def test_an_svg_holds_its_labels_as_text():
    svg = file_of(WAVES, "svg", USUAL)
    root = ElementTree.fromstring(svg)
    texts = ["".join(element.itertext()).strip() for element in root.iter()
             if element.tag.endswith("}text")]  # fmt: skip
    assert set(LABELS) <= set(texts)
    assert {"−4", "0", "4"} <= set(texts)


@pytest.mark.parametrize("inches", [None, (2.0, 9.0), (3.0, 14.0), (12.0, 7.0)])
def test_all_that_is_in_an_svg_is_within_it(inches):
    """Frames have a width and a height, and every line of text begins inside the picture."""
    long = WAVES._replace(title="a title of words " * 8, apart=True)
    for plot in (RISING, WAVES, long):
        root = ElementTree.fromstring(file_of(plot, "svg", USUAL._replace(inches=inches)))
        width, height = map(float, root.get("viewBox").split()[2:])
        frames = [each for each in root.findall("{*}svg") if each.get("width")]
        assert len(frames) == (len(plot.traces) if plot.apart else 1)
        for frame in frames:
            x, y, wide, high = (float(frame.get(name)) for name in ("x", "y", "width", "height"))
            assert 0 < x < x + wide < width
            assert 0 < y < y + high < height
            assert min(wide, high) > 10
        for text in root.findall("{*}text[@x]"):
            assert 0 < float(text.get("x")) < width
            assert 0 < float(text.get("y")) < height


def test_no_two_of_many_curves_are_drawn_alike():
    many = RISING._replace(traces=[Trace(f"c{n}", X, X + n) for n in range(40)])
    letters = re.findall(r"(\S)⠤ c\d+\b", terminal.render(many))
    assert len(letters) == len(set(letters)) == 40
    legend = svg.figure(many, "plot").findall(".//svg[@class='sample']")
    assert len({tuple(str(each.attrib) for each in sample.iter()) for sample in legend}) == 40


def test_what_is_infinite_stands_at_the_top_and_what_is_nan_nowhere():
    y = np.where(X < 0, np.inf, np.where(X < 2, np.nan, X))
    rows = frame(terminal.render(RISING._replace(traces=[Trace("c", X, y)])))
    middle, end = len(rows[0]) // 2, 5 * len(rows[0]) // 8
    assert " " not in rows[0][: middle - 1]
    assert not "".join(line[: middle - 1] for line in rows[1:]).strip()
    assert not "".join(line[middle + 1 : end] for line in rows).strip()


def test_nothing_but_failures_is_a_picture_as_well():
    for y in (np.full_like(X, np.inf), np.array([])):
        plot = RISING._replace(traces=[Trace("c", X[: len(y)], y)], marks=[])
        assert terminal.render(plot).count("┤") > 1
        assert file_of(plot, "svg", USUAL)


def test_markers_tell_curves_apart_and_a_single_curve_has_none():
    two = RISING._replace(traces=RISING.traces * 2)
    first, second = (set(range(len(X))[markers_of(two, number)]) for number in (0, 1))
    assert min(len(first), len(second)) > 5
    assert not first & second
    assert not range(len(X))[markers_of(RISING, 0)]


def test_labels_below_a_picture_do_not_run_into_one_another():
    scale = piecewise([0, 1], [0, 1], [Tick(n / 40, f"label {n}") for n in range(41)])
    crowded = RISING._replace(x=Axis("x", scale), traces=[Trace("", X / 8 + 0.5, X)])
    line = next(line for line in terminal.render(crowded).splitlines() if "label" in line)
    assert re.fullmatch(r"( *label \d+(?= |$))+", line)
    assert terminal.render(crowded).count("┬") == line.count("label")
