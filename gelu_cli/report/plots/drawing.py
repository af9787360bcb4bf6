"""What is drawn within the axes of a picture in a file: curves, levels, marks, ticks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gelu_cli.report.plots import Plot, Window, markers_of, without_overlap, zeros_of
from gelu_cli.report.plots.places import RING, Size, marks_of, places_of_marks
from gelu_cli.report.plots.themes import LIGHT, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

X_TICKS, Y_TICKS = 9, 8
LETTERS_PER_INCH, LINES_PER_INCH = 90 / 7, 72 / 12
"""So many letters of a label fit side by side, and so many labels one above the other."""

STYLES = [
    ("-", "o"), ("--", "s"), ("-.", "^"), (":", "D"), ((0, (5, 1, 1, 1, 1, 1)), "v"),
    ((0, (8, 2)), "x"), ((0, (1, 1)), "P"), ((0, (3, 3)), "*"),
]  # fmt: skip
"""Lines and markers: they say what colours say."""

LEVEL_DASHES = ((0, (2, 2)), (0, (6, 2)), (0, (1, 3)))

POINTS_PER_INCH = 72


def style(number: int, theme: Theme = LIGHT) -> tuple[str, Any, str]:
    """Return the colour, the line and the marker of a trace; no two of the first 64 are alike."""
    again, place = divmod(number, len(STYLES))
    line, _ = STYLES[place]
    _, marker = STYLES[(place + again) % len(STYLES)]
    return theme.curves[place], line, marker


def draw_curves(plot: Plot, window: Window, axes: Axes, theme: Theme) -> None:
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
    x_zero, y_zero = zeros_of(plot, window)
    if x_zero is not None:
        axes.axvline(x_zero, color=theme.soft, linewidth=0.8, zorder=1)
    if y_zero is not None:
        axes.axhline(y_zero, color=theme.soft, linewidth=0.8, zorder=1)
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


def draw_marks(plot: Plot, window: Window, axes: Axes, theme: Theme) -> None:
    """Draw a ring at each mark, and its number in the legend."""
    for number, (mark, (x, y)) in enumerate(
        zip(plot.marks, marks_of(plot, window).tolist(), strict=True), plot.first
    ):
        axes.plot(
            x, y, color=theme.ink, marker=f"${number}$", markersize=6, linestyle="none",
            label=mark.label, markevery=[],
        )  # fmt: skip
        axes.plot(x, y, color=theme.ink, marker="o", markersize=6, fillstyle="none", clip_on=False)


def draw_numbers(plot: Plot, window: Window, axes: Axes, theme: Theme) -> None:
    """Put the number of each mark where there is room."""
    frame = axes.get_window_extent()
    scale = POINTS_PER_INCH / axes.figure.dpi
    size = Size(frame.width * scale, frame.height * scale)
    leader = {
        "arrowstyle": "-",
        "linewidth": 0.6,
        "shrinkA": 1,
        "shrinkB": RING,
        "color": theme.ink,
    }
    for number, place in enumerate(places_of_marks(plot, window, [size]), plot.first):
        axes.annotate(
            str(number), (place.x, place.y), xytext=(place.right, place.up), weight="bold",
            textcoords="offset points", ha="center", va="center",
            arrowprops=leader if place.led else None,
        )  # fmt: skip


def label_ticks(axes: Axes, plot: Plot, window: Window) -> None:
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


def draw_small_ticks(axes: Axes, plot: Plot, window: Window) -> None:
    """Put small ticks between those of y, where none of these is left out."""
    if window.top - window.bottom <= Y_TICKS:
        axes.set_yticks(plot.y.scale.minor(window.bottom, window.top), minor=True)
