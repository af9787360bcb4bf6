"""Nothing in a picture covers what is written: in files, in text and in pages, also in panels."""

import math
import re
from itertools import combinations

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from gelu_cli.old.report.plots import Axis, Level, Mark, Plot, Trace, image, svg, terminal
from gelu_cli.old.report.plots.look import USUAL
from gelu_cli.old.report.plots.scales import linear, logarithmic, symmetric
from gelu_cli.old.report.plots.terminal import Raster
from tests.old.report.browser import LABELS
from tests.old.report.documents import DOCUMENT, overlap

X = np.linspace(-10, 10, 401)
AXIS = Axis("x", linear())
ULP = Axis("ULP", logarithmic(0.01))
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
        [Mark(4.1 + n / 5, math.inf, f"failure {n}") for n in range(3)],
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
        figure = image.figure_of(plot, USUAL._replace(inches=inches))
        FigureCanvasAgg(figure).draw()
    texts = [text for text in figure.findobj(Text) if text.get_text()]
    return figure, [(text, box_of(text.get_window_extent())) for text in texts]


def frames_of(plot, figure):
    """Return where the frames of the curves are, in pixels from below, and the marks in each."""
    scale, height = figure.dpi / 72, figure.bbox.height
    for each in svg.picture(plot, USUAL):
        if each.get("width") and each.tag == "svg":
            x, y, wide, high = (scale * float(each.get(n)) for n in ("x", "y", "width", "height"))
            numbers = [text.text for text in each.iter("text") if text.get("class") == "mark"]
            yield (x, x + wide, height - y - high, height - y), numbers


def box_of(extent):
    return extent.x0, extent.x1, extent.y0, extent.y1


def within(box, frame):
    return frame[0] <= box[0] < box[1] <= frame[1] and frame[2] <= box[2] < box[3] <= frame[3]


# The numbers of marks


@pytest.fixture(params=MARKED)
def plot(request):
    return MARKED[request.param]


def test_in_a_file_a_number_is_in_the_frame_and_on_no_number(plot):
    figure, texts = drawn(plot)
    ((frame, numbers),) = frames_of(plot, figure)
    assert numbers == [str(n + 1) for n in range(len(plot.marks))]
    bold = [(text.get_text(), box) for text, box in texts if text.get_weight() == "bold"]
    assert [text for text, _ in bold] == numbers * 2  # those of the legend come first
    boxes = [box for _, box in bold[len(numbers) :]]
    assert not any(overlap(*pair) for pair in combinations(boxes, 2))
    assert all(within(box, frame) for box in boxes)


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


@pytest.mark.parametrize("width", [360, 1200])
def test_in_a_page_a_number_is_on_no_number(opened, plot, width):
    browser = opened(DOCUMENT._replace(plots=[plot]), width)
    boxes = browser.value(BOXES)
    assert len(boxes) == len(plot.marks)
    low = [(left, right, top + 3, bottom - 3) for left, right, top, bottom in boxes]  # of digits
    assert not [pair for pair in combinations(low, 2) if overlap(*pair)]
    assert all(0 <= left < right <= width for left, right, *_ in boxes)


# Curves drawn apart: a frame for each, all with the same axes

NAMES = ["one", "two", "three", "four", "five"]
APART = Plot(
    "Five curves", AXIS, Axis("up", linear()),
    [Trace(name, X, X * (1 + n)) for n, name in enumerate(NAMES)],
    [Mark(0.0, 0.0, f"the zero of {name}", trace=n) for n, name in enumerate(NAMES)],
    [Level(0.5, "half")], apart=True,
)  # fmt: skip


def test_in_a_file_each_curve_has_a_frame_with_the_same_axes():
    figure, texts = drawn(APART)
    frames = list(frames_of(APART, figure))
    assert [numbers for _, numbers in frames] == [[str(n + 1)] for n in range(len(NAMES))]
    boxes = [box for box, _ in frames]
    assert len({(round(x1 - x0), round(y1 - y0)) for x0, x1, y0, y1 in boxes}) == 1
    assert all(within(box, box_of(figure.bbox)) for box in boxes)
    assert not any(overlap(*pair) for pair in combinations(boxes, 2))
    for (x0, x1, _, y1), name in zip(boxes, NAMES, strict=True):
        (title,) = (box for text, box in texts if text.get_text() == name)
        assert x0 < title[0] < title[1] < x1
        assert y1 - 1 < title[2] < y1 + 40
    said = [text.get_text() for text, _ in texts]
    assert {"Five curves", *(mark.label for mark in APART.marks)} <= {*said}


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
LABELLED = Axis("form − GELU, logarithmic beyond ±10⁻⁶, which goes on", symmetric(1e-6))


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
    said = "".join(text.get_text() for text, _ in texts)
    assert all(trace.name in said for trace in plot.traces)
    for text, box in texts:
        assert within(box, (0, figure.bbox.width, 0, figure.bbox.height)), text
    for (one, box), (other, at) in combinations(texts, 2):
        assert not overlap(box, at), (one, other)


def test_one_long_name_leaves_the_others_side_by_side():
    _, texts = drawn(WRITTEN["long"])
    assert len({round(left) for text, (left, *_) in texts if text.get_text() in LONG[1:]}) > 1
