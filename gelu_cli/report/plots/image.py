"""A plot as a file, PNG, SVG or PDF, by matplotlib: the same bytes whenever it is drawn."""

from __future__ import annotations

import logging
import warnings
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

from gelu_cli.report.plots import (
    Plot,
    Window,
    legible,
    markers_of,
    places_of_marks,
    window_of,
    with_texts,
    without_overlap,
)
from gelu_cli.report.text import cells, escape, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INCHES = (7.0, 4.6)
DOTS_PER_INCH = 150
X_TICKS, Y_TICKS = 9, 8
LETTERS_ACROSS = 90
"""So many letters of a tick's label fit below the picture, side by side."""
LETTERS = 64
"""So many letters of a title, or of a name in the legend, stand on one line."""

STYLES = [
    ("#0072b2", "-", "o"), ("#d55e00", "--", "s"), ("#009e73", "-.", "^"), ("#cc79a7", ":", "D"),
    ("#000000", (0, (5, 1, 1, 1, 1, 1)), "v"), ("#56b4e9", (0, (8, 2)), "x"),
    ("#e69f00", (0, (1, 1)), "P"), ("#666666", (0, (3, 3)), "*"),
]  # fmt: skip
"""Okabe and Ito's colours, which the colour-blind tell apart; lines and markers say the same."""

LEVEL_DASHES = ((0, (2, 2)), (0, (6, 2)), (0, (1, 3)))

LINE = 11
"""Points from one number to the next below it."""

SETTINGS: Any = {
    "svg.hashsalt": "gelu",  # names inside an SVG are random without one
    "svg.fonttype": "none",  # its text stays text
    "pdf.fonttype": 42,
    "font.size": 9,
    "axes.titlesize": 10,
    "lines.linewidth": 1.4,
}
NO_DATE = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def render(plot: Plot, kind: str) -> bytes:
    """Return a plot as a file of a kind, one of `PICTURES`."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # of caches and fonts say nothing
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of signs that its font lacks
        matplotlib.rcdefaults()  # whatever the user has set
        matplotlib.rcParams.update(SETTINGS)
        plot = with_texts(legible(plot), partial(_drawn, kind=kind))
        figure = Figure(figsize=INCHES, dpi=DOTS_PER_INCH, layout="constrained")
        _draw(plot, window_of(plot), figure.add_subplot())
        figure.legend(loc="outside lower center", ncols=_legend_columns(plot), frameon=False)
        out = BytesIO()
        figure.savefig(out, format=kind, metadata=NO_DATE[kind])
    return out.getvalue()


def _drawn(text: str, kind: str) -> str:
    """Return a text as matplotlib is to have it: in lines, and with a meaning for no sign."""
    if kind != "svg":  # whose text is drawn in the fonts of whoever looks at it
        font = get_font(findfont(FontProperties()))
        known = (sign if font.get_char_index(ord(sign)) else escape(sign) for sign in text)
        text = "".join(known)
    lines = "\n".join(wrapped(text, LETTERS)).replace("$", r"\$")
    return f" {lines}" if lines.startswith("_") else lines  # with _ it is not in the legend


def style(number: int) -> tuple[str, Any, str]:
    """Return the colour, the line and the marker of a trace; no two of the first 64 are alike."""
    again, place = divmod(number, len(STYLES))
    colour, line, _ = STYLES[place]
    _, _, marker = STYLES[(place + again) % len(STYLES)]
    return colour, line, marker


def _draw(plot: Plot, window: Window, axes: Axes) -> None:
    for number, trace in enumerate(plot.traces):
        colour, line, marker = style(number)
        marked = markers_of(plot, number)
        axes.plot(
            plot.x.scale.positions(trace.x), window.heights(plot, trace.y), label=trace.name,
            color=colour, linestyle=line, marker=marker, markersize=4,
            markevery=marked,
        )  # fmt: skip
    heights = plot.y.scale.positions(np.array([level.y for level in plot.levels])).tolist()
    for number, (level, height) in enumerate(zip(plot.levels, heights, strict=True)):
        # Of two that are near each other one is above its line, the other below.
        above = "center" if len(heights) == 1 else "bottom" if height == max(heights) else "top"
        dashes = LEVEL_DASHES[number % len(LEVEL_DASHES)]
        axes.axhline(height, color="#666666", linewidth=0.8, linestyle=dashes)
        axes.annotate(
            level.label, (1, height), xycoords=axes.get_yaxis_transform(), xytext=(4, 0),
            textcoords="offset points", va=above, annotation_clip=False,
        )  # fmt: skip
    _mark(axes, plot, window)
    axes.set(
        title=plot.title, xlabel=plot.x.label, ylabel=plot.y.label,
        xlim=(window.left, window.right), ylim=(window.bottom, window.top),
    )  # fmt: skip
    _label(axes, plot, window)
    axes.grid(color="#dddddd", linewidth=0.5)


def _mark(axes: Axes, plot: Plot, window: Window) -> None:
    """Draw a ring at each mark, and its number beside it, below those of marks that are near."""
    for number, (mark, place) in enumerate(
        zip(plot.marks, places_of_marks(plot, window), strict=True), 1
    ):
        x, y = place.x, place.y
        axes.plot(
            x, y, color="black", marker=f"${number}$", markersize=6, linestyle="none",
            label=mark.label, markevery=[],
        )  # fmt: skip
        axes.plot(x, y, color="black", marker="o", markersize=6, fillstyle="none", clip_on=False)
        right = place.at_the_right
        axes.annotate(
            str(number), (x, y), xytext=(-6 if right else 6, 5 - LINE * place.below),
            textcoords="offset points", ha="right" if right else "left", weight="bold",
            va="top" if place.at_the_top else "center",
        )  # fmt: skip


def _label(axes: Axes, plot: Plot, window: Window) -> None:
    ticks = plot.x.scale.ticks(window.left, window.right, X_TICKS)
    shown = without_overlap(ticks, window, LETTERS_ACROSS)
    axes.set_xticks([tick.position for tick in shown], [tick.label for tick in shown])
    ticks = plot.y.scale.ticks(window.bottom, window.top, Y_TICKS)
    axes.set_yticks([tick.position for tick in ticks], [tick.label for tick in ticks])


def _legend_columns(plot: Plot) -> int:
    names = [trace.name for trace in plot.traces] + [mark.label for mark in plot.marks]
    return max(1, min(5, int(LETTERS_ACROSS / (max(map(cells, names), default=1) + 6))))
