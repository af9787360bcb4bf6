"""Nothing in a picture covers what is written: in files, in text and in pages, also in panels."""

import math
import re
from itertools import combinations, pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from gelu_cli.report.plots import Axis, Level, Mark, Plot, Trace, image, terminal
from gelu_cli.report.plots.raster import Raster
from gelu_cli.report.plots.scales import Linear, Logarithmic, Symmetric
from tests.report.browser import LABELS
from tests.report.documents import DOCUMENT, overlap

X = np.linspace(-10, 10, 401)
AXIS = Axis("x", Linear())
ULP = Axis("ULP", Logarithmic(0.01))
PEAK = 2000 * np.exp(-((X + 6) ** 2))
NEIGHBOURS = [Mark(-6 + shift, 2000.0 - 300 * abs(shift), f"near {shift}")
              for shift in (0, 0.2, -0.2, 0.4)]  # fmt: skip
MARKED = {
    "a peak": Plot(
        "Peak", AXIS, ULP, [Trace(f"k{n}", X, PEAK / (1 + n) + 0.5) for n in range(4)],
        NEIGHBOURS, [Level(0.5, "half")],
    ),
    "failures": Plot(
        "Failures", AXIS, ULP, [Trace("k", X, np.where(X > 4, np.inf, 0.5))],
        [Mark(4.1 + n / 20, math.inf, f"failure {n}") for n in range(3)],
    ),
    "corners": Plot(
        "Corners", AXIS, AXIS, [Trace("k", X, X)],
        [Mark(x, y, f"corner {x} {y}") for x in (-10, 10) for y in (-10, 10)],
    ),
    "many": Plot(
        "Many", AXIS, AXIS, [Trace("k", X, np.sin(X))],
        [Mark(x, math.sin(x), f"at {x}") for x in range(-10, 11, 2)],
    ),
}  # fmt: skip


def drawn(plot, inches=None):
    """Return the figure of a plot, and all that is written in it with its box."""
    with matplotlib.rc_context(image.SETTINGS):
        letters = int((inches or image.INCHES)[0] * image.LETTERS_PER_INCH)
        look = image.USUAL._replace(inches=inches)
        figure = image.figure_of(image.prepared(plot, "png", letters), look)
        FigureCanvasAgg(figure).draw()
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    # Of a text that points at something without its leader.
    return figure, [(text, box_of(Text.get_window_extent(text))) for text in texts]


def box_of(extent):
    return extent.x0, extent.x1, extent.y0, extent.y1


def within(box, frame):
    return frame[0] <= box[0] < box[1] <= frame[1] and frame[2] <= box[2] < box[3] <= frame[3]


# The numbers of marks


@pytest.fixture(params=MARKED)
def plot(request):
    return MARKED[request.param]


def test_in_a_file_a_number_is_in_the_frame_and_on_no_curve(plot):
    figure, texts = drawn(plot)
    (axes,) = figure.axes
    numbers = {text.get_text(): box for text, box in texts
               if text in axes.texts and text.get_weight() == "bold"}  # fmt: skip
    assert list(numbers) == [str(n + 1) for n in range(len(plot.marks))]
    assert not any(overlap(*pair) for pair in combinations(numbers.values(), 2))
    frame = box_of(axes.get_window_extent())
    for left, right, bottom, top in numbers.values():
        assert within((left, right, bottom, top), frame)
        for line in axes.lines[: len(plot.traces)]:
            points = axes.transData.transform(line.get_xydata())
            way = np.concatenate([np.linspace(*pair, 50) for pair in pairwise(points)])
            inside = (way > (left, bottom)).all(axis=1) & (way < (right, top)).all(axis=1)
            assert not inside.any()


def test_in_text_a_number_covers_no_dot_and_touches_no_number():
    raster = Raster(30, 12)
    raster.line(np.array([0.0, 0.5, 1.0]), np.array([0.1, 1.0, 0.1]))
    before = "\n".join(raster.lines(colour=False))
    for number in range(8, 13):
        raster.number(number, 0.5, 1.0)
    after = "\n".join(raster.lines(colour=False))
    for one, other in zip(before, after, strict=True):
        assert one == other or (one == " " and other.isdigit())
    assert sorted(map(int, re.findall(r"\d+", after))) == [8, 9, 10, 11, 12]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_in_text_every_number_is_there(plot, width):
    frame = "\n".join(re.findall(r"[│┤](.*)│\n", terminal.render(plot, width)))
    found = sorted(map(int, re.findall(r"\d+", frame)))
    assert found == [*range(1, len(plot.marks) + 1)]


BOXES = """
[...document.querySelectorAll('.plot text.mark')].map(each => each.getBoundingClientRect())
  .map(box => [box.left, box.right, box.top, box.bottom])
"""
COVERED = """
[...document.querySelectorAll('.plot text.mark')].filter(number => {
  const box = number.getBoundingClientRect();
  return [...document.querySelectorAll('.plot path.trace')].some(path => {
    const onto = path.getScreenCTM(), length = path.getTotalLength();
    for (let at = 0; at <= length; at += length / 4000) {
      const point = path.getPointAtLength(at).matrixTransform(onto);
      if (box.left < point.x && point.x < box.right && box.top + 3 < point.y &&
          point.y < box.bottom - 3) return true;
    }
  });
}).map(number => number.textContent)
"""


@pytest.mark.parametrize("width", [360, 1200])
def test_in_a_page_a_number_is_on_no_curve_and_no_number(opened, plot, width):
    browser = opened(DOCUMENT._replace(plots=[plot]), width)
    boxes = browser.value(BOXES)
    assert len(boxes) == len(plot.marks)
    low = [(left, right, top + 3, bottom - 3) for left, right, top, bottom in boxes]  # of digits
    assert not any(overlap(*pair) for pair in combinations(low, 2))
    assert all(0 <= left < right <= width for left, right, *_ in boxes)
    assert browser.value(COVERED) == []


# Curves drawn apart: a frame for each, all with the same axes

NAMES = ["one", "two", "three", "four", "five"]
APART = Plot(
    "Five curves", AXIS, Axis("up", Linear()),
    [Trace(name, X, X * (1 + n)) for n, name in enumerate(NAMES)],
    [Mark(0.0, 0.0, f"the zero of {name}", trace=n) for n, name in enumerate(NAMES)],
    [Level(0.5, "half")], apart=True,
)  # fmt: skip


def test_in_a_file_each_curve_has_a_frame_with_the_same_axes():
    figure, texts = drawn(APART)
    assert [axes.get_title() for axes in figure.axes] == NAMES
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes}) == 1
    for number, axes in enumerate(figure.axes):
        assert axes.lines[0].get_ydata().tolist() == (X * (1 + number)).tolist()
        numbers = [text.get_text() for text in axes.texts if text.get_weight() == "bold"]
        assert numbers == [str(number + 1)]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [mark.label for mark in APART.marks]
    assert "Five curves" in [text.get_text() for text, _ in texts]
    frames = [each.get_tightbbox() for each in figure.axes] + [legend.get_window_extent()]
    boxes = [*map(box_of, frames)]
    assert all(within(box, box_of(figure.bbox)) for box in boxes)
    assert not any(overlap(*pair) for pair in combinations(boxes, 2))


@pytest.mark.parametrize("width", [40, 80, 200])
def test_in_text_they_are_below_one_another(width):
    lines = terminal.render(APART, width).splitlines()
    assert max(map(len, lines)) == width
    tops = [place for place, line in enumerate(lines) if "┌" in line]
    assert [lines[top - 1].strip() for top in tops] == NAMES
    frames = [re.findall(r"^( *\S+ )┤", "\n".join(lines[top:]), re.M)[:3] for top in tops]
    assert len({tuple(labels) for labels in frames}) == 1
    for number, top in enumerate(tops, 1):
        frame = re.findall(r"[│┤](.*)│", "\n".join(lines[top + 1 : top + 7]))
        assert re.findall(r"\d", "".join(frame)) == [str(number)]


LEFTS = "[...document.querySelectorAll('svg.plot')].map(p => p.getBoundingClientRect().left)"


@pytest.mark.parametrize(("width", "columns"), [(360, 1), (1200, 2)])
def test_in_a_page_they_stand_side_by_side_where_there_is_room(opened, width, columns):
    browser = opened(DOCUMENT._replace(plots=[APART]), width)
    panels = "[...document.querySelectorAll('.panel')].map(p => p.textContent)"
    assert browser.value(panels) == NAMES
    lefts = browser.value(LEFTS)
    assert (len(lefts), len(set(lefts))) == (len(NAMES), columns)
    assert browser.value("document.documentElement.scrollWidth") <= width
    assert not any(overlap(*pair) for pair in combinations(browser.value(LABELS), 2))


# All that is written in a file

SHORT = [f"form{n}{prime}" for n in range(12) for prime in ("", "′", "″")]
LONG = ["tt_metal_table_refitted_with_a_name_that_goes_on:beta=1.702", *SHORT[:9]]
SHOUTED = [f"KERNEL_WITH_MAXIMUM_WIDTH_{n}" for n in range(7)]
LABELLED = Axis("form − GELU, logarithmic beyond ±10⁻⁶, which goes on", Symmetric(1e-6))


def of(names, y=AXIS, **rest):
    traces = [Trace(name, X[::5], (n + 1) * X[::5] ** 3) for n, name in enumerate(names)]
    return Plot("Error of the tanh and sigmoid forms of GELU", AXIS, y, traces, **rest)


WRITTEN = {
    "short": of(SHORT),
    "long": of(LONG),
    "shouted": of(SHOUTED, LABELLED),
    "two lines": of([LONG[0] * 2, *SHORT[:5]], LABELLED),
    "marks": of(SHORT[:4], LABELLED, marks=[Mark(n, n, f"a mark at x = {n}") for n in range(4)]),
    "apart": of(LONG[:3] + SHOUTED[:2], LABELLED, apart=True),
    "levels": of(SHORT[:1], ULP, levels=[Level(0.5, "½ ULP"), Level(1, "--max-ulp 1")]),
}
SIZES = {"usual": None, "small": (4.0, 6.5), "wide": (12.0, 5.0), "high": (3.0, 14.0)}


@pytest.mark.parametrize("inches", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("plot", WRITTEN.values(), ids=WRITTEN)
def test_texts_are_within_the_picture_and_apart(plot, inches):
    figure, texts = drawn(plot, inches)
    said = {text.get_text().replace("\n", "") for text, _ in texts}
    assert {trace.name for trace in plot.traces} <= said
    for text, box in texts:
        assert within(box, (0, figure.bbox.width, 0, figure.bbox.height)), text
    for (one, box), (other, at) in combinations(texts, 2):
        assert not overlap(box, at), (one, other)


def test_one_long_name_leaves_the_others_side_by_side():
    _, texts = drawn(WRITTEN["long"])
    assert len({round(left) for text, (left, *_) in texts if text.get_text() in LONG}) > 1
