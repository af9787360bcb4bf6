"""Curves drawn apart: a frame for each, all with the same axes, in files, in text and in pages."""

import re

import matplotlib
import numpy as np
import pytest

from gelu_cli.report.documents import find_document_renderer
from gelu_cli.report.plots import Axis, Level, Mark, Plot, Trace, image, terminal
from gelu_cli.report.plots.scales import Linear
from tests.report.browser import Browser
from tests.report.documents import DOCUMENT
from tests.report.test_page_in_a_browser import LABELS

X = np.linspace(-4, 4, 401)
NAMES = ["one", "two", "three", "four", "five"]
APART = Plot(
    "Five curves", Axis("across", Linear()), Axis("up", Linear()),
    [Trace(name, X, X * (1 + n)) for n, name in enumerate(NAMES)],
    [Mark(0.0, 0.0, f"the zero of {name}", trace=n) for n, name in enumerate(NAMES)],
    [Level(0.5, "half")], apart=True,
)  # fmt: skip


def drawn(plot):
    with matplotlib.rc_context(image.SETTINGS):
        figure = image.figure_of(plot, image.USUAL)
        figure.draw_without_rendering()
    return figure


def test_in_a_file_each_curve_has_a_frame_with_the_same_axes():
    figure = drawn(APART)
    assert [axes.get_title() for axes in figure.axes] == NAMES
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes}) == 1
    for number, axes in enumerate(figure.axes):
        assert np.allclose(axes.lines[0].get_ydata(), X * (1 + number))
        numbers = [text.get_text() for text in axes.texts if text.get_weight() == "bold"]
        assert numbers == [str(number + 1)]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [mark.label for mark in APART.marks]
    assert "Five curves" in [text.get_text() for text in figure.texts]


def test_in_a_file_nothing_of_the_panels_lies_over_another():
    figure = drawn(APART)
    (legend,) = figure.legends
    boxes = [axes.get_tightbbox() for axes in figure.axes] + [legend.get_window_extent()]
    for place, box in enumerate(boxes):
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
        assert not any(box.overlaps(other) for other in boxes[:place])


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


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


@pytest.mark.parametrize(("width", "columns"), [(360, 1), (1200, 2)])
def test_in_a_page_they_stand_side_by_side_where_there_is_room(browser, tmp_path, width, columns):
    page = tmp_path / "page.html"
    document = DOCUMENT._replace(plots=[APART])
    page.write_text("".join(find_document_renderer("html").render(document)), encoding="ascii")
    browser.open(page, width)
    assert (
        browser.value("[...document.querySelectorAll('.panel')].map(p => p.textContent)") == NAMES
    )
    lefts = browser.value(
        "[...document.querySelectorAll('svg.plot')].map(p => p.getBoundingClientRect().left)"
    )
    assert len(lefts) == len(NAMES)
    assert len(set(lefts)) == columns
    assert browser.value("document.documentElement.scrollWidth") <= width
    boxes = browser.value(LABELS)
    for place, (left, right, top, bottom) in enumerate(boxes):
        for other in boxes[:place]:
            assert right <= other[0] or other[1] <= left or bottom <= other[2] or other[3] <= top
