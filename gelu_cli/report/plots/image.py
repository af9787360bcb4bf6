"""A plot as a file, PNG, SVG or PDF, by matplotlib: the same bytes whenever it is drawn."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

from gelu_cli.errors import UsageError, escape
from gelu_cli.report.plots import (
    Plot,
    legible,
    panels_of,
    window_of,
    with_texts,
)
from gelu_cli.report.plots.drawing import (
    LETTERS_PER_INCH,
    draw_curves,
    draw_marks,
    draw_numbers,
    draw_small_ticks,
    label_ticks,
)
from gelu_cli.report.plots.themes import LIGHT, Theme
from gelu_cli.report.text import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE_SHARE = 0.7
"""A title, or a name in the legend, is at most this share of the width on one line."""
MOST_COLUMNS = 5
"""So many names stand side by side in the legend, at most."""

SETTINGS: Any = {
    "svg.hashsalt": "gelu",  # names inside an SVG are random without one
    "svg.fonttype": "none",  # its text stays text
    "pdf.fonttype": 42,
    "font.size": 9,
    "axes.titlesize": 10,
    "lines.linewidth": 1.4,
}
NO_DATE = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


class Look(NamedTuple):
    """What a picture in a file looks like: its colours, its size, and the dots of a PNG."""

    theme: Theme = LIGHT
    inches: tuple[float, float] | None = None
    """Its width and height; None is `INCHES`, and higher where the legend needs it."""

    dots_per_inch: int = 150


USUAL = Look()
INCHES = (7.0, 4.6)
LEAST_AXES = 1.6
"""In inches, the height of axes with their labels and the title, so that something is seen."""

USUAL_AXES = 3.4
PANEL_AXES = 2.0
PANELS_ACROSS = 2
BESIDE_Y = 0.9
"""In inches, what is above and below the axes but for the legend: title, ticks and label."""


def render(plot: Plot, kind: str, look: Look = USUAL) -> bytes:
    """Return a plot as a file of a kind, one of `PICTURES`."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # of caches and fonts say nothing
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of signs that its font lacks
        matplotlib.rcdefaults()  # whatever the user has set
        matplotlib.rcParams.update(SETTINGS | _colours(look.theme))
        letters = int((look.inches or INCHES)[0] * LETTERS_PER_INCH)
        figure = figure_of(prepared(plot, kind, letters), look)
        out = BytesIO()
        figure.savefig(out, format=kind, metadata=NO_DATE[kind])
    return out.getvalue()


def prepared(plot: Plot, kind: str, letters: int) -> Plot:
    """Return a plot as matplotlib is to have it; what is written across it is in lines."""
    plot = with_texts(legible(plot), partial(_drawn, kind=kind))
    lines = with_texts(plot, partial(_in_lines, letters=int(letters * LINE_SHARE)))
    return lines._replace(y=plot.y, traces=plot.traces if plot.apart else lines.traces)


def figure_of(plot: Plot, look: Look) -> Figure:
    """Return a plot as a figure of matplotlib."""
    panels, window = panels_of(plot), window_of(plot)
    across = min(len(panels), PANELS_ACROSS)
    down = -(-len(panels) // across)
    figure = Figure(figsize=look.inches or INCHES, dpi=look.dots_per_inch, layout="constrained")
    grid = figure.subplots(down, across, squeeze=False).flatten().tolist()
    drawn = list(zip(grid, panels, strict=False))
    for axes, panel in drawn:
        draw_curves(panel, window, axes, look.theme)
        draw_marks(panel, window, axes, look.theme)
        if plot.apart:  # named in the title of its panel, not in the legend
            axes.lines[0].set_label("_")
    legend = _legend(figure)
    figure.set_size_inches(_size(look, legend, down))
    along = int((figure.get_figheight() - legend - BESIDE_Y) * LETTERS_PER_INCH)
    plot = plot._replace(y=plot.y._replace(label=_in_lines(plot.y.label, along)))
    for axes, panel in drawn:
        label_ticks(axes, panel, window)
    if plot.apart:
        _share(figure, grid, plot, across)
    else:
        grid[0].set_ylabel(plot.y.label)
        draw_small_ticks(grid[0], plot, window)
    figure.draw_without_rendering()  # how large the axes are, what follows needs to know
    for axes, panel in drawn:
        label_ticks(axes, panel, window)
        draw_numbers(panel, window, axes, look.theme)
    return figure


def _legend(figure: Figure) -> float:
    """Put the legend below a figure, in as many columns as have room; return its height."""
    if not any(axes.get_legend_handles_labels()[1] for axes in figure.axes):
        return 0.0
    for columns in range(MOST_COLUMNS, 0, -1):
        legend = figure.legend(loc="outside lower center", ncols=columns, frameon=False)
        extent = legend.get_window_extent()
        if columns == 1 or extent.width <= figure.bbox.width:
            break
        legend.remove()
    return extent.height / figure.dpi


def _share(figure: Figure, grid: Sequence[Axes], plot: Plot, across: int) -> None:
    """Write once what is the same of all panels: title, labels of axes, ticks, levels."""
    figure.suptitle(plot.title, fontsize=SETTINGS["axes.titlesize"])
    figure.supylabel(plot.y.label, fontsize=SETTINGS["font.size"])
    along = int(figure.get_figwidth() / across * LINE_SHARE * LETTERS_PER_INCH)
    for place, axes in enumerate(grid):
        if place >= len(plot.traces):
            axes.remove()
            continue
        name = _in_lines(axes.get_title(), along)
        axes.set_title(name, fontsize=SETTINGS["font.size"])
        below, right = place + across >= len(plot.traces), place % across == across - 1
        axes.set_xlabel(plot.x.label if below else "")
        axes.tick_params(labelbottom=below, labelleft=place % across == 0)
        for text in axes.texts:
            text.set_visible(right or place == len(plot.traces) - 1)


def _drawn(text: str, kind: str) -> str:
    """Return a text with a meaning for no sign, and with none that the font lacks."""
    if kind != "svg":  # whose text is drawn in the fonts of whoever looks at it
        font = get_font(findfont(FontProperties()))
        known = (sign if font.get_char_index(ord(sign)) else escape(sign) for sign in text)
        text = "".join(known)
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text  # with _ it is not in the legend


def _in_lines(text: str, letters: int) -> str:
    return "\n".join(wrapped(text, max(1, letters)))


def _colours(theme: Theme) -> dict[str, str]:
    """Return what matplotlib calls the colours of a theme."""
    ink = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    paper = ("figure.facecolor", "savefig.facecolor", "axes.facecolor")
    return dict.fromkeys(ink, theme.ink) | dict.fromkeys(paper, theme.paper)


def _size(look: Look, legend: float, down: int) -> tuple[float, float]:
    """Return the size of a picture; raises `UsageError` where one has no room for the legend."""
    if look.inches is None:
        return INCHES[0], max(INCHES[1], USUAL_AXES + legend, down * PANEL_AXES + legend)
    width, height = look.inches
    least = LEAST_AXES * down + legend
    if height < least:
        raise UsageError(
            f"--size {width:g}x{height:g} has no room for the legend; make the picture "
            f"{least:.1f} inches high, or wider"
        )
    return look.inches
