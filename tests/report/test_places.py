"""Numbers of marks cover nothing and are covered by nothing: in files, in text and in pages."""

import math
import re
from itertools import combinations, pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from gelu_cli.report.documents import find_document_renderer
from gelu_cli.report.plots import Axis, Level, Mark, Plot, Trace, image, terminal
from gelu_cli.report.plots.raster import Raster
from gelu_cli.report.plots.scales import Linear, Logarithmic
from tests.report.browser import Browser
from tests.report.documents import DOCUMENT

X = np.linspace(-10, 10, 401)
AXIS = Axis("x", Linear())
PEAK = 2000 * np.exp(-((X + 6) ** 2))
NEIGHBOURS = [Mark(-6 + shift, 2000.0 - 300 * abs(shift), f"near {shift}")
              for shift in (0, 0.2, -0.2, 0.4)]  # fmt: skip
PLOTS = {
    "a peak": Plot(
        "Peak", AXIS, Axis("ULP", Logarithmic(0.01)),
        [Trace(f"k{n}", X, PEAK / (1 + n) + 0.5) for n in range(4)], NEIGHBOURS,
        [Level(0.5, "half")],
    ),
    "failures": Plot(
        "Failures", AXIS, Axis("ULP", Logarithmic(0.01)),
        [Trace("k", X, np.where(X > 4, np.inf, 0.5))],
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


@pytest.fixture(params=PLOTS)
def plot(request):
    return PLOTS[request.param]


def overlap(a, b):
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def test_in_a_file(plot):
    with matplotlib.rc_context(image.SETTINGS):
        figure = image.figure_of(plot, image.USUAL)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
    (axes,) = figure.axes
    numbers = [text for text in axes.texts if text.get_weight() == "bold"]
    assert [text.get_text() for text in numbers] == [str(n + 1) for n in range(len(plot.marks))]
    extents = [Text.get_window_extent(text) for text in numbers]  # without its leader
    boxes = [(box.x0, box.x1, box.y0, box.y1) for box in extents]
    assert not any(overlap(*pair) for pair in combinations(boxes, 2))
    frame = axes.get_window_extent()
    for left, right, bottom, top in boxes:
        assert frame.x0 <= left < right <= frame.x1
        assert frame.y0 <= bottom < top <= frame.y1
        for line in axes.lines[: len(plot.traces)]:
            points = axes.transData.transform(line.get_xydata())
            way = np.concatenate([np.linspace(*pair, 50) for pair in pairwise(points)])
            inside = (way > (left, bottom)).all(axis=1) & (way < (right, top)).all(axis=1)
            assert not inside.any()


def test_in_text_a_number_covers_no_dot_and_touches_no_number():
    raster = Raster(30, 12)
    raster.line(np.array([0.0, 0.5, 1.0]), np.array([0.1, 1.0, 0.1]))
    before = [*raster.lines(colour=False)]
    for number in range(8, 13):
        raster.number(number, 0.5, 1.0)
    after = [*raster.lines(colour=False)]
    for old, new in zip(before, after, strict=True):
        assert len(old) == len(new)
        for one, other in zip(old, new, strict=True):
            assert one == other or (one == " " and other.isdigit())
    assert sorted(map(int, re.findall(r"\d+", "".join(after)))) == [8, 9, 10, 11, 12]


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


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


@pytest.mark.parametrize("width", [360, 1200])
def test_in_a_page(browser, tmp_path, plot, width):
    document = DOCUMENT._replace(plots=[plot])
    page = tmp_path / "page.html"
    page.write_text("".join(find_document_renderer("html").render(document)), encoding="ascii")
    browser.open(page, width)
    boxes = browser.value(BOXES)
    assert len(boxes) == len(plot.marks)
    low = [(left, right, top + 3, bottom - 3) for left, right, top, bottom in boxes]  # of digits
    assert not any(overlap(*pair) for pair in combinations(low, 2))
    assert all(0 <= left < right <= width for left, right, *_ in boxes)
    assert browser.value(COVERED) == []
