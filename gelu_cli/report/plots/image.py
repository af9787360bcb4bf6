"""A plot as a file, PNG, SVG or PDF, by matplotlib: the same bytes whenever it is drawn."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

from gelu_cli.errors import UsageError, escape
from gelu_cli.report.plots import (
    Plot,
    Window,
    legible,
    markers_of,
    panels_of,
    window_of,
    with_texts,
    without_overlap,
    zeros_of,
)
from gelu_cli.report.plots.places import RING, Size, marks_of, places_of_marks
from gelu_cli.report.plots.themes import LIGHT, Theme
from gelu_cli.report.text import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

X_TICKS, Y_TICKS = 9, 8
LETTERS_PER_INCH, LINES_PER_INCH = 90 / 7, 72 / 12
"""How many letters of a label fit side by side, and how many labels one above the other."""

STYLES = [
    ("-", "o"), ("--", "s"), ("-.", "^"), (":", "D"), ((0, (5, 1, 1, 1, 1, 1)), "v"),
    ((0, (8, 2)), "x"), ((0, (1, 1)), "P"), ((0, (3, 3)), "*"),
]  # fmt: skip
"""Lines and markers: they say what colours say."""

LEVEL_DASHES = ((0, (2, 2)), (0, (6, 2)), (0, (1, 3)))

POINTS_PER_INCH = 72

LINE_SHARE = 0.7
"""A title, or a name in the legend, is at most this share of the width on one line."""
MOST_COLUMNS = 5
"""Most names side by side in the legend."""

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
        _draw_curves(panel, window, axes, look.theme)
        _draw_marks(panel, window, axes, look.theme)
        if plot.apart:  # named in the title of its panel, not in the legend
            axes.lines[0].set_label("_")
    legend = _legend(figure)
    figure.set_size_inches(_size(look, legend, down))
    along = int((figure.get_figheight() - legend - BESIDE_Y) * LETTERS_PER_INCH)
    plot = plot._replace(y=plot.y._replace(label=_in_lines(plot.y.label, along)))
    for axes, panel in drawn:
        _label_ticks(axes, panel, window)
    if plot.apart:
        _share(figure, grid, plot, across)
    else:
        grid[0].set_ylabel(plot.y.label)
        _draw_small_ticks(grid[0], plot, window)
    figure.draw_without_rendering()  # how large the axes are, what follows needs to know
    for axes, panel in drawn:
        _label_ticks(axes, panel, window)
        _draw_numbers(panel, window, axes, look.theme)
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


# Within the axes: curves, levels, marks, ticks


def style(number: int, theme: Theme = LIGHT) -> tuple[str, Any, str]:
    """Return the colour, the line and the marker of a trace; no two of the first 64 are alike."""
    again, place = divmod(number, len(STYLES))
    line, _ = STYLES[place]
    _, marker = STYLES[(place + again) % len(STYLES)]
    return theme.curves[place], line, marker


def _draw_curves(plot: Plot, window: Window, axes: Axes, theme: Theme) -> None:
    """Draw the title and the lines: of traces, of zero and of levels."""
    for number, trace in enumerate(plot.traces):
        colour, line, marker = style(number, theme)
        marked = markers_of(plot, number)
        if len(plot.traces) == 1:
            marker = "none"
        axes.plot(
            plot.x.scale.positions(trace.x), window.heights(plot, trace.y), label=trace.name,
            color=colour, linestyle=line, marker=marker, markersize=4,
            markevery=marked,
        )  # fmt: skip
    for number, trace in enumerate(plot.points, len(plot.traces)):
        colour, _, marker = style(number, theme)
        axes.plot(
            plot.x.scale.positions(trace.x), window.heights(plot, trace.y), label=trace.name,
            color=colour, linestyle="none", marker=marker, markersize=5, fillstyle="none",
        )  # fmt: skip
    for draw, zero in zip((axes.axvline, axes.axhline), zeros_of(plot, window), strict=True):
        if zero is not None:
            draw(zero, color=theme.soft, linewidth=0.8, zorder=1)
    heights = plot.y.scale.positions(np.array([level.y for level in plot.levels])).tolist()
    for number, (level, height) in enumerate(zip(plot.levels, heights, strict=True)):
        # Of two that are near each other one is above its line, the other below.
        above = "center" if len(heights) == 1 else "bottom" if height == max(heights) else "top"
        dashes = LEVEL_DASHES[number % len(LEVEL_DASHES)]
        axes.axhline(height, color=theme.soft, linewidth=0.8, linestyle=dashes)
        axes.annotate(
            level.label, (1, height), xycoords=axes.get_yaxis_transform(), xytext=(4, 0),
            textcoords="offset points", va=above, annotation_clip=False,
        )  # fmt: skip
    axes.set(
        title=plot.title, xlabel=plot.x.label,
        xlim=(window.left, window.right), ylim=(window.bottom, window.top),
    )  # fmt: skip
    axes.grid(color=theme.grid, linewidth=0.5)


def _draw_marks(plot: Plot, window: Window, axes: Axes, theme: Theme) -> None:
    """Draw a ring at each mark, and its number in the legend."""
    for number, (mark, (x, y)) in enumerate(
        zip(plot.marks, marks_of(plot, window).tolist(), strict=True), plot.first
    ):
        axes.plot(
            x, y, color=theme.ink, marker=f"${number}$", markersize=6, linestyle="none",
            label=mark.label, markevery=[],
        )  # fmt: skip
        axes.plot(x, y, color=theme.ink, marker="o", markersize=6, fillstyle="none", clip_on=False)


def _draw_numbers(plot: Plot, window: Window, axes: Axes, theme: Theme) -> None:
    """Put the number of each mark where there is room."""
    frame = axes.get_window_extent()
    scale = POINTS_PER_INCH / axes.figure.dpi
    size = Size(frame.width * scale, frame.height * scale)
    leader = {
        "arrowstyle": "-", "linewidth": 0.6, "shrinkA": 1, "shrinkB": RING, "color": theme.ink
    }  # fmt: skip
    for number, place in enumerate(places_of_marks(plot, window, [size]), plot.first):
        axes.annotate(
            str(number), (place.x, place.y), xytext=(place.right, place.up), weight="bold",
            textcoords="offset points", ha="center", va="center",
            arrowprops=leader if place.led else None,
        )  # fmt: skip


def _label_ticks(axes: Axes, plot: Plot, window: Window) -> None:
    """Put ticks at axes as large as they are now, those whose labels have room."""
    extent, dpi = axes.get_window_extent(), axes.figure.dpi
    letters = max(1.0, extent.width / dpi * LETTERS_PER_INCH)
    lines = max(1.0, extent.height / dpi * LINES_PER_INCH)
    ticks = plot.x.scale.ticks(window.left, window.right, X_TICKS)
    shown = without_overlap(ticks, window, letters)
    axes.set_xticks([tick.position for tick in shown], [tick.label for tick in shown])
    line = (window.top - window.bottom) / lines
    shown = []
    for tick in plot.y.scale.ticks(window.bottom, window.top, Y_TICKS):
        if all(abs(tick.position - other.position) >= line for other in shown):
            shown.append(tick)
    axes.set_yticks([tick.position for tick in shown], [tick.label for tick in shown])


def _draw_small_ticks(axes: Axes, plot: Plot, window: Window) -> None:
    """Put small ticks between those of y, where none of these is left out."""
    if window.top - window.bottom <= Y_TICKS:
        axes.set_yticks(plot.y.scale.minor(window.bottom, window.top), minor=True)
