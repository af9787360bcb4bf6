"""All that is written in a picture is within it and covers nothing else that is written."""

from itertools import combinations

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from gelu_cli.report.plots import Axis, Level, Mark, Plot, Trace, image
from gelu_cli.report.plots.scales import Linear, Logarithmic, Symmetric
from gelu_cli.report.plots.themes import LIGHT

X = np.linspace(-4, 4, 81)
LINEAR = Axis("x", Linear())
SHORT = [f"form{n}{prime}" for n in range(12) for prime in ("", "′", "″")]
LONG = ["tt_metal_table_refitted_with_a_name_that_goes_on:beta=1.702", *SHORT[:9]]
SHOUTED = [f"KERNEL_WITH_MAXIMUM_WIDTH_{n}" for n in range(7)]


def of(names, y=LINEAR, **rest):
    return Plot(
        "Error of the tanh and sigmoid forms of GELU", LINEAR, y,
        [Trace(name, X, (n + 1) * X**3) for n, name in enumerate(names)], **rest,
    )  # fmt: skip


LABELLED = Axis("form − GELU, logarithmic beyond ±10⁻⁶, which goes on", Symmetric(1e-6))
PLOTS = {
    "short": of(SHORT),
    "long": of(LONG),
    "shouted": of(SHOUTED, LABELLED),
    "two lines": of([LONG[0] * 2, *SHORT[:5]], LABELLED),
    "marks": of(SHORT[:4], LABELLED, marks=[Mark(n, n, f"a mark at x = {n}") for n in range(4)]),
    "apart": of(LONG[:3] + SHOUTED[:2], LABELLED, apart=True),
    "levels": of(SHORT[:1], Axis("ULP", Logarithmic(0.01)),
                 levels=[Level(0.5, "½ ULP"), Level(1, "--max-ulp 1")]),
}  # fmt: skip
SIZES = {"usual": None, "small": (4.0, 6.5), "wide": (12.0, 5.0), "high": (3.0, 14.0)}


def drawn(plot, inches):
    """Return the figure of a plot, and all that is written in it with its box."""
    look = image.Look(LIGHT, inches)
    with matplotlib.rc_context(image.SETTINGS):
        letters = int((inches or image.INCHES)[0] * image.LETTERS_PER_INCH)
        figure = image.figure_of(image.prepared(plot, "png", letters), look)
        FigureCanvasAgg(figure).draw()
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    return figure, [(text.get_text(), Text.get_window_extent(text)) for text in texts]


@pytest.mark.parametrize("inches", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("plot", PLOTS.values(), ids=PLOTS)
def test_texts_are_within_the_picture_and_apart(plot, inches):
    figure, texts = drawn(plot, inches)
    width, height = figure.bbox.size
    assert {trace.name for trace in plot.traces} <= {said.replace("\n", "") for said, _ in texts}
    for said, box in texts:
        assert 0 <= box.x0 < box.x1 <= width, said
        assert 0 <= box.y0 < box.y1 <= height, said
    for (one, box), (other, at) in combinations(texts, 2):
        apart = box.x1 <= at.x0 or at.x1 <= box.x0 or box.y1 <= at.y0 or at.y1 <= box.y0
        assert apart, (one, other)


def test_one_long_name_leaves_the_others_side_by_side():
    _, texts = drawn(PLOTS["long"], None)
    at = {said: box for said, box in texts if said in LONG}
    assert len({round(box.x0) for box in at.values()}) > 1
