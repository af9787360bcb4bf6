"""A plot inside a page: SVG in the page's own colours, whose letters are as large at any width.

Places are shares of the width and the height; only the lines between them are stretched. Labels of
ticks that have no room on a phone are for wider pages, and names stand below the picture as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

import numpy as np

from gelu_cli.report.elements import element
from gelu_cli.report.plots import (
    Plot,
    Trace,
    Window,
    legible,
    markers_of,
    panels_of,
    window_of,
    without_overlap,
)
from gelu_cli.report.plots.places import Size, places_of_marks

if TYPE_CHECKING:
    from gelu_cli.report.plots import Floats

X_TICKS, Y_TICKS = 9, 7
NARROW, WIDE = 36, 100
"""How many letters of labels fit side by side, on a phone and on a screen."""

UNITS = 1000
"""The side of the square in which the lines are drawn, and which is stretched."""

DASHES = ("none", "8 4", "8 3 2 3", "2 3", "8 3 2 3 2 3", "12 4", "1 2", "4 4")
LEVEL_DASHES = ("2 2", "6 2", "1 3")
MARKERS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "M-3.5-3.5h7v7h-7z", "M0-4.5L4.5 3.5h-9z",
    "M0-5L5 0L0 5L-5 0z", "M0 4.5L4.5-3.5h-9z", "M-4-4L4 4M-4 4L4-4", "M-4.5 0h9M0-4.5v9",
    "M-4.5 0h9M-2.5-4L2.5 4M2.5-4L-2.5 4",
)  # fmt: skip
"""Eight looks of a trace, beside the page's eight colours; the last three markers are open."""

SIZES = (Size(240.0, 256.0), Size(320.0, 256.0), Size(720.0, 320.0), Size(1000.0, 320.0))
"""So large is the frame on phones and on screens, in pixels; numbers have room in each."""

BELOW_MIDDLE = 4.0
"""So far below the middle of a digit is its foot."""


def figure(plot: Plot, name: str) -> Element:
    """Return a plot as a figure of HTML, in which `name` begins every id."""
    plot = legible(plot)
    return element(
        "figure",
        element("figcaption", plot.title),
        element("p", plot.y.label, class_="y-label"),
        *_pictures(plot, name),
        element("p", plot.x.label, class_="x-label"),
        *_legend(plot),
    )


def _pictures(plot: Plot, name: str) -> Iterator[Element]:
    """Yield the picture, or a grid of one for each trace, all with the same axes."""
    window = window_of(plot)
    if not plot.apart:
        yield _picture(plot, window, name)
        return
    yield element("div", *(
        element("div", element("p", panel.title, class_="panel"),
                _picture(panel, window, f"{name}-{number}", NARROW))
        for number, panel in enumerate(panels_of(plot))
    ), class_="panels")  # fmt: skip


def _picture(plot: Plot, window: Window, name: str, letters: int = WIDE) -> Element:
    lines = element(
        "svg", *_lines(plot, window),
        viewBox=f"0 0 {UNITS} {UNITS}", preserveAspectRatio="none",
    )  # fmt: skip
    return element(
        "svg",
        element("title", plot.title, id=f"{name}-title"),
        element("desc", _description(plot), id=f"{name}-description"),
        *_ticks(plot, window, letters),
        lines,
        *_markers(plot, window),
        *_marks(plot, window),
        role="img", class_="plot", aria_labelledby=f"{name}-title {name}-description",
    )  # fmt: skip


def _description(plot: Plot) -> str:
    """Say in words what the picture shows."""
    said = [f"Across: {plot.x.label}. Up: {plot.y.label}."]
    for what, names in (
        ("Curves", [trace.name for trace in plot.traces]),
        ("Marked", [mark.label for mark in plot.marks]),
        ("Level", [level.label for level in plot.levels if level.label]),
    ):
        if names:
            said.append(f"{what}: {'; '.join(names)}.")
    return " ".join(said)


def _across(window: Window, position: float) -> str:
    return f"{100 * (position - window.left) / (window.right - window.left):.2f}%"


def _up(window: Window, position: float) -> str:
    return f"{100 * (window.top - position) / (window.top - window.bottom):.2f}%"


def _ticks(plot: Plot, window: Window, letters: int) -> Iterator[Element]:
    ticks = plot.x.scale.ticks(window.left, window.right, X_TICKS)
    shown = without_overlap(ticks, window, letters)
    narrow = without_overlap(shown, window, NARROW)
    for tick in shown:
        x, wide = _across(window, tick.position), "" if tick in narrow else " wide"
        yield element("line", class_=f"grid{wide}", x1=x, x2=x, y1="0", y2="100%")
        yield element("text", tick.label, class_=f"x{wide}", x=x, y="100%", dy="1.3em")
    for tick in plot.y.scale.ticks(window.bottom, window.top, Y_TICKS):
        y = _up(window, tick.position)
        yield element("line", class_="grid", x1="0", x2="100%", y1=y, y2=y)
        yield element("text", tick.label, class_="y", x="0", y=y, dx="-6", dy="0.35em")


def _lines(plot: Plot, window: Window) -> Iterator[Element]:
    for number, level in enumerate(plot.levels):
        (height,) = plot.y.scale.positions(np.array([level.y])).tolist()
        y = f"{UNITS * (window.top - height) / (window.top - window.bottom):.1f}"
        yield element("path", **_level(number), d=f"M0 {y}H{UNITS}")
    for number, trace in enumerate(plot.traces):
        yield element("path", **_look(number), d=_way(*_places(plot, window, trace)))


def _places(plot: Plot, window: Window, trace: Trace) -> tuple[Floats, Floats]:
    """Return the points of a trace as shares of the width and, from the top, of the height."""
    x = plot.x.scale.positions(trace.x)
    y = window.heights(plot, trace.y)
    return (
        (x - window.left) / (window.right - window.left),
        (window.top - y) / (window.top - window.bottom),
    )


def _way(x: Floats, y: Floats) -> str:
    """Return the line through some points, broken where one is missing."""
    way, pen, place = [], "M", ""
    for across, down in zip((UNITS * x).tolist(), (UNITS * y).tolist(), strict=True):
        if not math.isfinite(across + down):
            pen = "M"
        elif pen == "M" or place != f"{across:.1f} {down:.1f}":
            place = f"{across:.1f} {down:.1f}"
            way.append(pen + place)
            pen = "L"
    return "".join(way)


def _look(number: int) -> dict[str, str]:
    colour = number % len(DASHES)
    return {"class_": f"trace c{colour}", "stroke_dasharray": DASHES[colour]}


def _level(number: int) -> dict[str, str]:
    return {"class_": "level", "stroke_dasharray": LEVEL_DASHES[number % len(LEVEL_DASHES)]}


def _marker(number: int, **place: str) -> Element:
    """Return the marker of a trace at a place; no two of the first 64 traces are alike."""
    again, colour = divmod(number, len(DASHES))
    shape = MARKERS[(colour + again) % len(MARKERS)]
    return element("svg", element("path", class_=f"marker c{colour}", d=shape), **place)


def _markers(plot: Plot, window: Window) -> Iterator[Element]:
    for number, trace in enumerate(plot.traces):
        marked = markers_of(plot, number)
        x, y = _places(plot, window, trace)
        for across, down in zip(x[marked].tolist(), y[marked].tolist(), strict=True):
            if math.isfinite(across + down):
                yield _marker(number, x=f"{100 * across:.2f}%", y=f"{100 * down:.2f}%")


def _marks(plot: Plot, window: Window) -> Iterator[Element]:
    for number, place in enumerate(places_of_marks(plot, window, SIZES), plot.first):
        x, y = _across(window, place.x), _up(window, place.y)
        yield element("circle", class_="mark", cx=x, cy=y, r="5")
        if place.led:
            way = f"M0 0L{place.right:.1f} {-place.up:.1f}"
            yield element("svg", element("path", class_="leader", d=way), x=x, y=y)
        yield element(
            "text", str(number), class_="mark", x=x, y=y,
            dx=f"{place.right:.1f}", dy=f"{BELOW_MIDDLE - place.up:.1f}",
        )  # fmt: skip


def _legend(plot: Plot) -> Iterator[Element]:
    """Yield lists of what each line and each number in the picture means."""

    def marker(number: int) -> list[Element]:
        return [_marker(number, x="16", y="7")] if len(plot.traces) > 1 else []

    names = [
        element("li", _sample(element("path", **_look(number), d="M0 7H32"),
                              *marker(number)), trace.name)
        for number, trace in enumerate(plot.traces) if not plot.apart
    ] + [
        element("li", _sample(element("path", **_level(number), d="M0 7H32")), level.label)
        for number, level in enumerate(plot.levels) if level.label
    ]  # fmt: skip
    yield element("ul", *names, class_="legend")
    if plot.marks:
        marks = [element("li", mark.label) for mark in plot.marks]
        yield element("ol", *marks, class_="legend")


def _sample(*drawn: Element) -> Element:
    return element("svg", *drawn, class_="sample", aria_hidden="true")
