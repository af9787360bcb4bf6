"""A plot as SVG: inside a page, in its own colours, and as a file.

Places are shares of the width and the height of a frame. Inside a page this frame has any width,
and only the lines are stretched with it; labels of ticks that have no room on a phone are for wider
pages, and names stand below the picture as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, tostring

import numpy as np

from gelu_cli.old.report import Floats
from gelu_cli.old.report.elements import element
from gelu_cli.old.report.plots import Plot, Trace
from gelu_cli.old.report.plots.geometry import (
    Window,
    letters_of,
    markers_of,
    panels_of,
    prepared,
    window_of,
    without_overlap,
    zeros_of,
)
from gelu_cli.old.report.plots.look import INCHES, POINTS_PER_INCH, USUAL, Look, Theme
from gelu_cli.old.report.text import cells, wrapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

X_TICKS, Y_TICKS = 9, 7
NARROW, WIDE = 36, 100
"""How many letters of labels fit side by side, on a phone and on a screen."""

SQUARE = (1000.0, 1000.0)
"""The size of the frame in whose units the lines of a page are drawn, and which is stretched."""

PHONE = (240.0, 192.0)
"""The least size of a frame in a page, in pixels; the numbers of marks have room in it."""

DASHES = ("none", "8 4", "8 3 2 3", "2 3", "8 3 2 3 2 3", "12 4", "1 2", "4 4")
LEVEL_DASHES = ("2 2", "6 2", "1 3")
MARKERS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "M-3.5-3.5h7v7h-7z", "M0-4.5L4.5 3.5h-9z",
    "M0-5L5 0L0 5L-5 0z", "M0 4.5L4.5-3.5h-9z", "M-4-4L4 4M-4 4L4-4", "M-4.5 0h9M0-4.5v9",
    "M-4.5 0h9M-2.5-4L2.5 4M2.5-4L-2.5 4",
)  # fmt: skip
"""Eight looks of a trace, beside eight colours; the last three markers are open."""

BELOW_MIDDLE = 4.0
"""So far below the middle of a digit is its foot."""

DIGIT, HIGH = 8.5, 11.0
"""How wide a digit of a mark's number is, and how high, in points of a file or pixels of a page."""

OFFSETS = (12.0, -12.0, 24.0, -24.0, 36.0, -36.0, 48.0, -48.0)
"""A number stands so far above its mark, in the first of these places that is free."""


def figure(plot: Plot, name: str) -> Element:
    """Return a plot as a figure of HTML, in which `name` begins every id."""
    plot = prepared(plot)
    window = window_of(plot)
    if plot.apart:
        panels = [
            element("div", element("p", panel.title, class_="panel"),
                    _described(panel, window, f"{name}-{number}", NARROW))
            for number, panel in enumerate(panels_of(plot))
        ]  # fmt: skip
        drawn = element("div", *panels, class_="panels")
    else:
        drawn = _described(plot, window, name, WIDE)
    names = [
        element("li", element("svg", *sample, class_="sample", aria_hidden="true"), label)
        for sample, label in _legend(plot)
    ]
    marks = [element("li", mark.label) for mark in plot.marks]
    return element(
        "figure",
        element("figcaption", plot.title),
        element("p", plot.y.label, class_="y-label"),
        drawn,
        element("p", plot.x.label, class_="x-label"),
        element("ul", *names, class_="legend"),
        *([element("ol", *marks, class_="legend")] if marks else []),
    )


def _described(plot: Plot, window: Window, name: str, letters: float) -> Element:
    """Return a picture of a page with its title, and in words what it shows."""
    said = [f"Across: {plot.x.label}. Up: {plot.y.label}."]
    for what, names in (
        ("Map" if plot.shades else "Curves", [trace.name for trace in plot.traces]),
        ("Marked", [mark.label for mark in plot.marks]),
        ("Level", [level.label for level in plot.levels if level.label]),
    ):
        if names:
            said.append(f"{what}: {'; '.join(names)}.")
    lines = element("svg", *_lines(plot, window, SQUARE),
                    viewBox="0 0 1000 1000", preserveAspectRatio="none")  # fmt: skip
    return element(
        "svg",
        element("title", plot.title, id=f"{name}-title"),
        element("desc", " ".join(said), id=f"{name}-description"),
        *_ticks(plot, window, letters, PHONE[1] / LINE),
        lines,
        *_markers(plot, window),
        *_marks(plot, window, PHONE),
        role="img", class_="plot", aria_labelledby=f"{name}-title {name}-description",
    )  # fmt: skip


# Inside a frame


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"


def _across(window: Window, position: float) -> str:
    return _percent((position - window.left) / (window.right - window.left))


def _down(window: Window, position: float) -> str:
    return _percent((window.top - position) / (window.top - window.bottom))


def _ticks(
    plot: Plot, window: Window, letters: float, lines: float = math.inf
) -> Iterator[Element]:
    """Yield lines and labels of ticks; so many letters have room across, and so many lines up."""
    ticks = plot.x.scale.ticks(window.left, window.right, X_TICKS)
    shown = without_overlap(ticks, window, letters)
    narrow = without_overlap(shown, window, NARROW)
    for tick in shown:
        x, wide = _across(window, tick.position), "" if tick in narrow else " wide"
        yield element("line", class_=f"grid{wide}", x1=x, x2=x, y1="0", y2="100%")
        yield element("text", tick.label, class_=f"x{wide}", x=x, y="100%", dy="1.3em")
    heights: list[float] = []
    for tick in plot.y.scale.ticks(window.bottom, window.top, Y_TICKS):
        if any(abs(tick.position - y) * lines < window.top - window.bottom for y in heights):
            continue
        heights.append(tick.position)
        y = _down(window, tick.position)
        yield element("line", class_="grid", x1="0", x2="100%", y1=y, y2=y)
        yield element("text", tick.label, class_="y", x="0", y=y, dx="-6", dy="0.35em")


def _lines(plot: Plot, window: Window, size: tuple[float, float]) -> Iterator[Element]:
    """Yield the lines of zero, of levels and of traces in a frame of that size."""
    width, height = size
    x_zero, y_zero = zeros_of(plot, window)
    if x_zero is not None:
        x = width * (x_zero - window.left) / (window.right - window.left)
        yield element("path", class_="level", d=f"M{x:.1f} 0V{height:g}")
    places = [] if y_zero is None else [({"class_": "level"}, y_zero)]
    levels = plot.y.scale.positions(np.array([level.y for level in plot.levels])).tolist()
    places += [(_level(number), level) for number, level in enumerate(levels)]
    for look, place in places:
        y = f"{height * (window.top - place) / (window.top - window.bottom):.1f}"
        yield element("path", **look, d=f"M0 {y}H{width:g}")
    for number, trace in enumerate(plot.traces):
        x_places, y_places = _places(plot, window, trace)
        ends = width * x_places, height * y_places
        if trace.shades is None:
            yield element("path", **_look(number), d=_way(*ends))
            continue
        for shade in np.unique(trace.shades[trace.shades >= 0]).tolist():
            cells = _cells(trace.shades == shade, *ends)
            yield element("path", class_=f"shade s{shade}", d=cells)


def _cells(there: NDArray[np.bool_], x: Floats, y: Floats) -> str:
    """Return the cells of a map that are there, between x and y; those side by side are one."""
    edges = np.diff(there, axis=1, prepend=False, append=False)
    return "".join(
        f"M{x[left]:.1f} {y[row]:.1f}H{x[right]:.1f}V{y[row + 1]:.1f}H{x[left]:.1f}z"
        for row, left, _, right in np.argwhere(edges).reshape(-1, 4).tolist()
    )


def _places(plot: Plot, window: Window, trace: Trace) -> tuple[Floats, Floats]:
    """Return the points of a trace as shares of the width and, from the top, of the height."""
    x, y = window.shares(plot, trace.x, trace.y)
    return x, 1 - y


def _way(x: Floats, y: Floats) -> str:
    """Return the line through some points, broken where one is missing."""
    way, pen, place = [], "M", ""
    for across, down in zip(x.tolist(), y.tolist(), strict=True):
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
    for number, trace in enumerate([*plot.traces, *plot.points]):
        marked = markers_of(plot, number) if number < len(plot.traces) else slice(None)
        x, y = _places(plot, window, trace)
        for across, down in zip(x[marked].tolist(), y[marked].tolist(), strict=True):
            if math.isfinite(across + down):
                yield _marker(number, x=_percent(across), y=_percent(down))


def _marks(plot: Plot, window: Window, size: tuple[float, float]) -> Iterator[Element]:
    """Yield marks, and their numbers: apart, and within a frame of that size."""
    width, height = size
    x, y = np.array([mark.x for mark in plot.marks]), np.array([mark.y for mark in plot.marks])
    across, up = window.shares(plot, x, y)
    taken: list[tuple[float, float, float]] = []
    places = zip(across.tolist(), up.tolist(), strict=True)
    for number, (share, high) in enumerate(places, plot.first):
        half = DIGIT * len(str(number)) / 2
        middle = min(max(share * width, half), width - half)
        free = (
            offset for offset in OFFSETS
            if HIGH / 2 <= high * height + offset <= height - HIGH / 2
            and all(abs(middle - x) >= half + size or abs(high * height + offset - y) >= HIGH
                    for x, y, size in taken)
        )  # fmt: skip
        above = next(free, OFFSETS[0])
        taken.append((middle, high * height + above, half))
        place = _percent(share), _percent(1 - high)
        yield element("circle", class_="mark", cx=place[0], cy=place[1], r="5")
        beside = {"dx": f"{middle - share * width:.1f}", "dy": f"{BELOW_MIDDLE - above:.1f}"}
        yield element("text", str(number), class_="mark", x=place[0], y=place[1], **beside)


def _legend(plot: Plot) -> Iterator[tuple[list[Element], str]]:
    """Yield what each line in the picture looks like, and its name."""
    for number, trace in enumerate(plot.traces if not plot.apart else ()):
        marker = [_marker(number, x="16", y="7")] if len(plot.traces) > 1 else []
        yield [element("path", **_look(number), d="M0 7H32"), *marker], trace.name
    for number, points in enumerate(plot.points, len(plot.traces)):
        yield [_marker(number, x="16", y="7")], points.name
    for number, name in enumerate(plot.shades):
        yield [element("path", class_=f"shade s{number}", d="M9 1h14v12h-14z")], name
    for number, level in enumerate(plot.levels):
        if level.label:
            yield [element("path", **_level(number), d="M0 7H32")], level.label


# As a file

EM = 9.0
"""The size of letters, in points."""

LETTER = 5.6
"""The width of such a letter, in points; the font is that of whoever looks at it."""

LINE_SHARE = 0.7
"""A title, or a name in the legend, is at most this share of the width on one line."""

PANELS_ACROSS = 2

CAPITAL = 6.3
"""The width of a capital, as a name may have them alone."""

LINE = 13.0
"""From one line of letters to the next, in points."""

SAMPLE = 40.0
"""The width of a line in the legend, and of what is beside it."""

EDGE, TICK_LABELS = 10.0, 18.0
"""What is left free around a picture, and for the labels below a frame, in points."""


def render(plot: Plot, look: Look = USUAL) -> bytes:
    """Return a plot as a file; raises `UsageError` where its legend has no room in the size."""
    drawn = picture(plot, look)
    style = "".join(
        f"{selector} {{ {' '.join(f'{name}: {value};' for name, value in rule.items())} }}\n"
        for selector, rule in rules(look.theme).items()
        if plot.shades or not selector.startswith(".s")
    )
    drawn.insert(0, element("style", f"\n{style}"))
    source: bytes = tostring(drawn, encoding="us-ascii", xml_declaration=True)
    return source


def picture(plot: Plot, look: Look) -> Element:
    """Return a plot as a picture without its style; raises `UsageError` as `render` does."""
    plot = prepared(plot)
    panels = panels_of(plot)
    window, inches = window_of(plot), look.inches or INCHES
    width = inches[0] * POINTS_PER_INCH
    letters = width / LETTER * LINE_SHARE
    beside_samples = (width - SAMPLE - 3 * EDGE) / CAPITAL
    legend, legend_height = _legend_below(plot, width, min(letters, beside_samples))
    across = min(len(panels), PANELS_ACROSS)
    down = -(-len(panels) // across)
    title = _in_lines(plot.title, letters)
    x_label = _in_lines(plot.x.label, letters)
    names = [_in_lines(panel.title, letters / across) for panel in panels]
    lines = len(title) - 1 + len(x_label) - 1  # the first of each is in what axes usually have
    if plot.apart:
        lines += down * (max(map(len, names)) - 1)
    needed = legend_height + LINE * max(lines, 0)
    height = look.size(needed / POINTS_PER_INCH, down)[1] * POINTS_PER_INCH

    top = EDGE + LINE * len(title)
    bottom = height - EDGE - legend_height - LINE * len(x_label)
    y_label = _in_lines(plot.y.label, (bottom - top) / LETTER)
    ticks = plot.y.scale.ticks(window.bottom, window.top, Y_TICKS)
    beside = LETTER * max((letters_of(tick.label) for tick in ticks), default=0.0) + EDGE
    left = EDGE + LINE * len(y_label)

    drawn = [
        *_text(title, width / 2, EDGE + LINE / 2),
        *_text(x_label, width / 2, bottom + LINE / 2),
        *_text(y_label, EDGE, (top + bottom) / 2, turned=True),
        element("g", *legend, transform=f"translate(0 {height - EDGE / 2 - legend_height:.1f})"),
    ]
    wide, high = (width - EDGE - left) / across, (bottom - top) / down
    for number, panel in enumerate(panels):
        x, y = left + wide * (number % across) + beside, top + high * (number // across)
        name = names[number] if plot.apart else []
        below = y + LINE * len(name)
        size = (
            max(wide - beside - EDGE / 2, LETTER),
            max(high - TICK_LABELS - LINE * len(name), LINE),
        )
        drawn += _text(name, x + size[0] / 2, y + LINE / 2)
        drawn.append(_frame(panel, window, (x, below), size))
    return element(
        "svg",
        element("rect", class_="paper", width="100%", height="100%"),
        *drawn,
        xmlns="http://www.w3.org/2000/svg",
        width=f"{width:g}pt", height=f"{height:g}pt", viewBox=f"0 0 {width:g} {height:g}",
    )  # fmt: skip


def _frame(
    plot: Plot, window: Window, place: tuple[float, float], size: tuple[float, float]
) -> Element:
    """Return a frame and all that is in it, as pages have it, with small ticks beside it."""
    small = []
    if window.top - window.bottom <= Y_TICKS:  # no power of 10 is left out
        for position in plot.y.scale.minor(window.bottom, window.top):
            y = _down(window, position)
            small.append(element("line", class_="level", x1="-3", x2="0", y1=y, y2=y))
    return element(
        "svg",
        *_ticks(plot, window, size[0] / LETTER, size[1] / LINE),
        *small,
        *_lines(plot, window, size),
        element("rect", class_="frame", width="100%", height="100%"),
        *_markers(plot, window),
        *_marks(plot, window, size),
        x=f"{place[0]:.1f}", y=f"{place[1]:.1f}", width=f"{size[0]:.1f}", height=f"{size[1]:.1f}",
    )  # fmt: skip


def _legend_below(plot: Plot, width: float, letters: float) -> tuple[list[Element], float]:
    """Return the legend, its entries side by side as far as they have room, and its height."""
    entries = list(_legend(plot))
    for number, mark in enumerate(plot.marks, plot.first):
        entries.append(([element("text", str(number), class_="mark", x="16", y="9.7")], mark.label))
    drawn, x, y, high = [], 2 * EDGE, 0.0, 0.0
    for sample, label in entries:
        name = _in_lines(label, letters) or [""]
        room = SAMPLE + LETTER * (max(map(cells, name)) + 2)
        if x > 2 * EDGE and x + room > width:
            x, y, high = 2 * EDGE, y + high, 0.0
        line = element("svg", *sample, x=f"{x:.1f}", y=f"{y:.1f}")
        drawn += [line, *_text(name, x + SAMPLE, y + LINE / 2, class_="name")]
        x, high = x + room, max(high, LINE * len(name))
    return drawn, y + high


def _in_lines(text: str, letters: float) -> list[str]:
    return wrapped(text, max(1, int(letters)))


def _text(
    lines: Sequence[str], x: float, y: float, *, turned: bool = False, class_: str = "middle"
) -> list[Element]:
    """Return lines of text from a place downwards, or turned around it and from there inwards."""
    if turned:
        place = {"transform": f"translate({x:.1f} {y:.1f}) rotate(-90)"}
        return [element("text", line, class_=class_, y=f"{LINE * number:g}", dy="0.35em", **place)
                for number, line in enumerate(lines)]  # fmt: skip
    return [
        element("text", line, class_=class_, x=f"{x:.1f}", y=f"{y + LINE * number:.1f}",
                dy="0.35em")
        for number, line in enumerate(lines)
    ]  # fmt: skip


def rules(theme: Theme) -> dict[str, dict[str, str]]:
    """Return the style of a file in the colours of a theme: properties by their selectors."""
    curves = {f".c{place}": {"stroke": each} for place, each in enumerate(theme.curves)}
    curves |= {f".s{n}": {"fill": each, "stroke": each} for n, each in enumerate(theme.shades)}
    return {
        "svg svg": {"overflow": "visible"},
        "text": {
            "fill": theme.ink, "font": f'{EM:g}px "DejaVu Sans", sans-serif',
            "text-anchor": "middle",
        },
        ".y": {"text-anchor": "end"},
        ".name": {"text-anchor": "start"},
        ".mark": {"font-weight": "bold"},
        ".paper": {"fill": theme.paper},
        ".frame, circle": {"fill": "none", "stroke": theme.ink},
        ".grid": {"stroke": theme.grid, "stroke-width": "0.5"},
        ".level": {"stroke": theme.soft, "stroke-width": "0.8"},
        "path": {"fill": "none"},
        ".trace": {"stroke-width": "1.4"},
        ".shade": {"stroke-width": "0.3"},
        ".marker": {"fill": theme.paper, "stroke-width": "1.2"},
        **curves,
    }  # fmt: skip
