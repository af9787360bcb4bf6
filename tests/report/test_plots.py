"""Plots as text and as files: scales, frames, letters, colours; every width, ASCII, same bytes."""

import math
import re
import subprocess
import sys
import unicodedata
from functools import cache
from io import BytesIO
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from PIL import Image

from gelu_cli.report.plots import (
    PICTURES,
    Axis,
    Level,
    Mark,
    Plot,
    Tick,
    Trace,
    drawing,
    image,
    terminal,
    window_of,
)
from gelu_cli.report.plots.raster import BLANK, Raster, as_ascii
from gelu_cli.report.plots.scales import Linear, Logarithmic, Piecewise, Symmetric

X = np.linspace(-4, 4, 401)
LINEAR = Axis("the x axis", Linear())
RISING = Plot("A title", LINEAR, Axis("the y axis", Linear()), [Trace("rising", X, X)])
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
    """The number that a label says: −0.5, 10⁻³, 2·10⁶."""
    found = re.fullmatch(r"(−?)(?:([\d.]+)·)?10([⁻⁰¹²³⁴-⁹]+)", label)
    if not found:
        assert "-" not in label
        return float(label.replace("−", "-"))
    sign, mantissa, exponent = found.groups()
    return float(f"{'-' if sign else ''}{mantissa or 1}e{exponent.translate(RAISED)}")


@pytest.mark.parametrize(
    ("low", "high"), [(-4, 4), (0, 1e-300), (1e300, 2e300), (-1e-5, 3e5), (1, 1.0001), (-7, -2)]
)
@pytest.mark.parametrize("count", [2, 5, 9, 20])
def test_linear_ticks_are_round_numbers_evenly_spaced_and_labelled_as_what_they_are(
    low, high, count
):
    ticks = Linear().ticks(low, high, count)
    places = np.array([tick.position for tick in ticks])
    assert 1 <= len(ticks) <= count + 2
    assert np.diff(places, 2) == pytest.approx(0, abs=1e-6 * (high - low))
    assert low - 1e-6 * (high - low) <= places[0]
    assert places[-1] <= high + 1e-6 * (high - low)
    assert len({tick.label for tick in ticks}) == len(ticks)
    for tick in ticks:
        assert read(tick.label) == pytest.approx(tick.position, rel=1e-9, abs=1e-9 * (high - low))


@pytest.mark.parametrize("scale", [Logarithmic(1e-3), Symmetric(1e-3)], ids=["log", "symmetric"])
@pytest.mark.parametrize("count", [2, 5, 12])
def test_ticks_of_logarithmic_scales_stand_where_the_scale_puts_their_labels(scale, count):
    low, high = scale.positions(np.array([1e-3, 1e6]))
    ticks = scale.ticks(low, high, count)
    labels = np.array([read(tick.label.removeprefix("≤ ")) for tick in ticks])
    assert scale.positions(labels) == pytest.approx([tick.position for tick in ticks])
    assert 2 <= len(ticks) <= count + 3


def test_the_symmetric_scale_is_odd_rising_and_continuous():
    values = np.concatenate([-np.logspace(3, -9, 200), [0.0], np.logspace(-9, 3, 200)])
    places = Symmetric(1e-4).positions(values)
    assert (np.diff(places) > 0).all()
    assert places == pytest.approx(-places[::-1])
    assert np.diff(Symmetric(1e-4).positions(np.array([0.9999e-4, 1.0001e-4])))[0] < 1e-3


def test_a_logarithm_of_nothing_stands_at_the_least_and_nan_nowhere():
    places = Logarithmic(0.01).positions(np.array([0.0, 0.001, 0.01, 100.0, math.nan]))
    assert places[:4].tolist() == [-2, -2, -2, 2]
    assert math.isnan(places[4])


def test_what_is_too_large_for_the_symmetric_scale_stands_at_infinity_without_a_warning():
    assert Symmetric(1e-300).positions(np.array([-1e300, 1e300])).tolist() == [-np.inf, np.inf]


def test_the_window_holds_what_is_finite():
    window = window_of(WAVES)
    assert (window.left, window.right) == (-4, 4)
    assert window.bottom < -1
    assert 1.2 < window.top < 1.25  # with room for the numbers of marks
    nothing = RISING._replace(traces=[Trace("nothing", X, np.full(401, math.nan))])
    assert window_of(nothing)[2:] == pytest.approx((-0.05, 1.05))
    constant = RISING._replace(traces=[Trace("constant", X, np.full(401, 3.0))])
    assert window_of(constant).bottom < 3 < window_of(constant).top


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


def test_labels_of_the_y_axis_stand_beside_their_heights():
    lines = terminal.render(RISING, 80, 40).splitlines()
    for value in (-4, -2, 0, 2, 4):
        (line,) = [line for line in lines if re.match(rf" *{value} ┤", line.replace("−", "-"))]
        row = line[line.index("┤") + 1 : -1]
        column = np.mean([i + 0.5 for i, char in enumerate(row) if char != " "])
        assert column / len(row) == pytest.approx((value + 4) / 8, abs=0.03)


def test_curves_that_coincide_are_all_seen_by_their_letters():
    twins = RISING._replace(traces=[Trace(name, X, np.sin(X)) for name in ("a", "b", "c")])
    rows = "".join(frame(terminal.render(twins)))
    assert min(rows.count(letter) for letter in "ox+") >= 4


def test_a_line_is_broken_where_there_is_no_number():
    broken = RISING._replace(traces=[Trace("", X, np.where(abs(X) < 2, math.nan, 0.0))])
    (row,) = [line for line in frame(terminal.render(broken)) if line.strip()]
    middle = row[len(row) // 4 + 1 : -len(row) // 4 - 1]
    assert middle.strip() == ""
    assert row.strip(" ") == row


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


def luminance(colour):
    """Relative luminance, as WCAG has it, of a colour of the cube of xterm's 256."""
    steps = (0, 95, 135, 175, 215, 255)
    rgb = [steps[(colour - 16) // 36], steps[(colour - 16) // 6 % 6], steps[(colour - 16) % 6]]
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
             for c in (v / 255 for v in rgb)]  # fmt: skip
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@pytest.mark.parametrize("colour", terminal.COLOURS)
def test_colours_are_readable_on_black_and_on_white(colour):
    assert (luminance(colour) + 0.05) / 0.05 >= 3
    assert 1.05 / (luminance(colour) + 0.05) >= 3


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


@cache
def waves(kind):
    return image.render(WAVES, kind)


@pytest.mark.parametrize("kind", PICTURES)
def test_a_file_is_what_its_suffix_says(kind):
    magic = {"png": b"\x89PNG\r\n", "svg": b"<?xml", "pdf": b"%PDF-1."}[kind]
    assert waves(kind).startswith(magic)


SCRIPT = """
import sys, numpy as np
from gelu_cli.report.plots import PICTURES, Axis, Trace, Plot, image
from gelu_cli.report.plots.scales import Linear
x = np.linspace(-4, 4, 401)
plot = Plot("t", Axis("x", Linear()), Axis("y", Linear()), [Trace("c", x, x)])
files = {kind: image.render(plot, kind) for kind in PICTURES}
"""


def test_processes_agree_on_every_byte_whatever_the_user_has_set(tmp_path):
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nsvg.fonttype: path\n")
    here = {}
    exec(SCRIPT, here)
    other = subprocess.run(
        [sys.executable, "-c", SCRIPT + "print(files, 'matplotlib.pyplot' in sys.modules)"],
        cwd=tmp_path, capture_output=True, check=True,
    )  # fmt: skip
    assert other.stdout.decode() == f"{here['files']} False\n"
    assert other.stderr == b""


def test_an_svg_holds_its_labels_as_text():
    root = ElementTree.fromstring(waves("svg"))
    texts = ["".join(element.itertext()).strip() for element in root.iter()
             if element.tag.endswith("}text")]  # fmt: skip
    assert set(LABELS) <= set(texts)
    assert {"−4", "0", "4"} <= set(texts)
    assert b"<dc:date>" not in waves("svg")


def test_a_png_is_a_picture_without_much_ink():
    image = np.asarray(Image.open(BytesIO(waves("png"))).convert("L"))
    assert image.shape == (690, 1050)
    assert 0.7 < np.mean(image > 250) < 0.99


def test_curves_differ_in_black_and_white():
    styles = drawing.STYLES
    assert len({str(line) for line, _ in styles}) == len({marker for _, marker in styles})
    assert len({marker for _, marker in styles}) == len(styles)


def test_ticks_of_the_least_range_lie_in_it():
    low, high = 1.0, math.nextafter(1.0, 2.0)
    assert {tick.position for tick in Linear().ticks(low, high, 9)} <= {low, high}


def test_no_two_of_many_curves_are_drawn_alike():
    assert len({str(drawing.style(number)[1:]) for number in range(40)}) == 40
    many = RISING._replace(traces=[Trace(f"c{n}", X, X + n) for n in range(40)])
    letters = re.findall(r"(\S)⠤ c\d+\b", terminal.render(many))
    assert len(letters) == len(set(letters)) == 40
    assert b"c39" in image.render(many, "svg")


@pytest.mark.parametrize("kind", ["text", "svg"])
def test_what_is_infinite_stands_at_the_top_and_what_is_nan_nowhere(kind):
    y = np.where(X < 0, np.inf, np.where(X < 2, np.nan, X))
    plot = RISING._replace(traces=[Trace("c", X, y)])
    if kind == "svg":
        assert b"c" in image.render(plot, "svg")
        return
    frame = re.findall(r"[┤│](.*)│\n", terminal.render(plot))
    middle, end = len(frame[0]) // 2, 5 * len(frame[0]) // 8
    assert " " not in frame[0][: middle - 1]
    assert not "".join(line[: middle - 1] for line in frame[1:]).strip()
    assert not "".join(line[middle + 1 : end] for line in frame).strip()


@pytest.mark.parametrize("kind", ["text", "svg"])
def test_nothing_but_failures_is_a_picture_as_well(kind):
    for y in (np.full_like(X, np.inf), np.array([])):
        plot = RISING._replace(traces=[Trace("c", X[: len(y)], y)], marks=[])
        if kind == "svg":
            assert image.render(plot, "svg")
        else:
            assert terminal.render(plot).count("┤") > 1


def test_drawing_leaves_matplotlibs_settings_alone():
    before = dict(matplotlib.rcParams)
    image.render(RISING, "svg")
    assert dict(matplotlib.rcParams) == before


def test_labels_below_a_picture_do_not_run_into_one_another():
    scale = Piecewise([0, 1], [0, 1], [Tick(n / 40, f"label {n}") for n in range(41)])
    crowded = RISING._replace(x=Axis("x", scale), traces=[Trace("", X / 8 + 0.5, X)])
    line = next(line for line in terminal.render(crowded).splitlines() if "label" in line)
    assert re.fullmatch(r"( *label \d+(?= |$))+", line)
    assert terminal.render(crowded).count("┬") == line.count("label")
