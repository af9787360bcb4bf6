"""A plot as text: a frame with labelled axes, lines told apart by letters on them, a legend.

The letters of one trace stand apart from those of the others, so that traces that coincide are
all seen, in black and white, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gelu_cli.report.plots import Plot, Trace
from gelu_cli.report.plots.geometry import (
    Window,
    mirrored,
    panels_of,
    prepared,
    window_of,
    zeros_of,
)
from gelu_cli.report.plots.raster import Raster, as_ascii, in_ascii, painted
from gelu_cli.report.text import cells, shortened, wrapped

LETTERS = "ox+*#%@&" + "abcdefghijklmnpqrstuvwyz" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
COLOURS = (33, 166, 28, 134, 161, 30, 94, 99)
"""Of the 256-colour palette: each has a contrast of 3 and more on black and on white."""

SIGNS = ".:-=+*#!"
SIGN_COLOURS = (102, 33, 30, 28, 94, 166, 161, 134)
"""Of the shades of a map."""

WIDTH, HEIGHT = 80, 24
LEAST_COLUMNS, LEAST_ROWS, LEAST_PANEL_ROWS = 10, 8, 6
FRAME = 3
"""Lines of the frame, and of the labels below it or the name above it."""

LETTER_GAP = 12
LINE = "⠤"
"""A piece of a line in the legend, around the letter that stands on it."""

LEVEL_GAPS = (2, 1, 4)
"""Of the first level every second character is drawn, of the next each, then every fourth."""

ZERO_GAP = 2
"""So dense are the dots at y = 0; at x = 0 there is one in each line."""

LEVEL_CELLS = 5
"""Characters of a level's line in the legend."""

GAP = "   "


def render(
    plot: Plot,
    width: int = WIDTH,
    height: int = HEIGHT,
    colour: bool = False,
    ascii_only: bool = False,
) -> str:
    """Return a plot as text with `width` columns and about `height` lines."""
    plot = prepared(plot)
    if ascii_only:
        plot = in_ascii(plot)
    title, y_label, x_label = (
        wrapped(text, width) for text in (plot.title, plot.y.label, plot.x.label)
    )
    legend = list(_legend(plot, width, colour))
    around = len(title) + len(y_label) + len(x_label) + len(legend) + 1
    panels, window = panels_of(plot), window_of(plot)
    least = LEAST_PANEL_ROWS if plot.apart else LEAST_ROWS
    rows = max(least, (height - around) // len(panels) - FRAME + 1)
    labels = _labels_by_row(plot, window, rows)
    gutter = max(map(len, labels.values()), default=0) + 1
    columns = max(LEAST_COLUMNS, width - gutter - 2)
    edge, below = _under_the_frame(plot, window, columns, gutter)
    lines = [*title, *(_indented(line, gutter, width) for line in y_label)]
    for panel in panels:
        if plot.apart:
            lines.append(_indented(shortened(panel.title, columns), gutter + 1, width))
        raster = Raster(columns, rows)
        _draw(panel, window, raster)
        lines.append(f"{' ' * gutter}┌{'─' * columns}┐")
        for row, text in enumerate(raster.lines(colour)):
            label = labels.get(row, "")
            lines.append(f"{label:>{gutter - 1}} {'┤' if label else '│'}{text}│")
        lines.append(f"{' ' * gutter}└{edge}┘")
    lines.append(below)
    lines += [_indented(line, (width + gutter - cells(line)) // 2, width) for line in x_label]
    lines += legend
    text = "".join(f"{line.rstrip()}\n" for line in lines)
    return as_ascii(text) if ascii_only else text


def _indented(line: str, indent: int, width: int) -> str:
    return " " * min(indent, width - cells(line)) + line


def _draw(plot: Plot, window: Window, raster: Raster) -> None:
    columns = raster.columns

    def level(share: float, gap: int) -> None:
        along = (np.arange(0, columns, gap) + 0.5) / columns
        raster.dots(along, np.full(len(along), share))

    x_zero, y_zero = zeros_of(plot, window)
    if x_zero is not None:
        down = (np.arange(raster.rows) + 0.5) / raster.rows
        share = (x_zero - window.left) / (window.right - window.left)
        raster.dots(np.full(len(down), share), down)
    if y_zero is not None:
        level((y_zero - window.bottom) / (window.top - window.bottom), ZERO_GAP)
    for number, each in enumerate(plot.levels):
        _, (share,) = window.shares(plot, np.zeros(1), np.array([each.y]))
        level(share, LEVEL_GAPS[number % len(LEVEL_GAPS)])
    _lay_maps(plot.traces, raster)
    lines = [window.shares(plot, each.x, each.y) for each in plot.traces if each.shades is None]
    for number, line in enumerate(lines):
        raster.line(*line, COLOURS[number % len(COLOURS)])
    letters = []
    for number, (x, y) in enumerate(lines):
        if not len(x) or len(lines) == 1:  # letters would look like what was measured
            continue
        first = LETTER_GAP * (number + 0.5) / len(lines)
        places = (np.arange(first, columns, LETTER_GAP) // 1 + 0.5) / columns
        letters.append((number, places, np.interp(places, x, y, left=np.nan, right=np.nan)))
    for number, points in enumerate(plot.points, len(plot.traces)):
        letters.append((number, *window.shares(plot, points.x, points.y)))
    for number, across, up in letters:
        for place, height in zip(across.tolist(), up.tolist(), strict=True):
            if np.isfinite(height):
                letter, colour = LETTERS[number % len(LETTERS)], COLOURS[number % len(COLOURS)]
                raster.letter(letter, place, height, colour)
    x, y = np.array([mark.x for mark in plot.marks]), np.array([mark.y for mark in plot.marks])
    across, up = window.shares(plot, x, y)
    for number, place in enumerate(zip(across.tolist(), up.tolist(), strict=True), plot.first):
        raster.number(number, *place)


def _lay_maps(traces: Sequence[Trace], raster: Raster) -> None:
    """Lay signs over cells of a map: of those that share a character that of the worst."""
    for grid in (trace.shades for trace in traces if trace.shades is not None):
        down, across = (np.arange(count) * cells // count
                        for count, cells in zip((raster.rows, raster.columns), grid.shape,
                                                strict=True))  # fmt: skip
        worst = np.maximum.reduceat(np.maximum.reduceat(grid, down), across, axis=1)
        for (row, column), shade in np.ndenumerate(worst):
            if shade >= 0:
                place = (column + 0.5) / raster.columns, (row + 0.5) / raster.rows
                raster.letter(SIGNS[shade], *place, SIGN_COLOURS[shade])


def _labels_by_row(plot: Plot, window: Window, rows: int) -> dict[int, str]:
    ticks = plot.y.scale.ticks(window.bottom, window.top, max(2, rows // 2))
    height = window.top - window.bottom
    raster = Raster(1, rows)
    labels: dict[int, str] = {}
    for tick in ticks:
        labels.setdefault(raster.row((tick.position - window.bottom) / height), tick.label)
    return labels


def _under_the_frame(plot: Plot, window: Window, columns: int, gutter: int) -> tuple[str, str]:
    """Return the lower edge and the labels below it; a label without room is left out."""
    edge, below = ["─"] * columns, [" "] * (gutter + columns + 2)
    for pair in mirrored(plot.x.scale.ticks(window.left, window.right, max(2, columns // 8))):
        tried, marked = list(below), []
        for tick in pair:
            share = (tick.position - window.left) / (window.right - window.left)
            column = min(int(share * columns), columns - 1)
            start = gutter + 1 + column - len(tick.label) // 2
            start = max(0, min(start, len(below) - len(tick.label)))
            around = tried[max(0, start - 1) : start + len(tick.label) + 1]
            if not "".join(around).strip():
                marked.append(column)
                tried[start : start + len(tick.label)] = tick.label
        if len(marked) == len(pair):
            below = tried
            for column in marked:
                edge[column] = "┬"
    return "".join(edge), "".join(below)


def _legend(plot: Plot, width: int, colour: bool) -> Iterator[str]:
    """Yield lines with what each letter, number and dotted line means."""
    entries: list[tuple[str, int | None]] = []
    for number, trace in enumerate([*plot.traces, *plot.points]):
        letter, ink = LETTERS[number % len(LETTERS)], COLOURS[number % len(COLOURS)]
        if number >= len(plot.traces):
            entries.append((f"{letter} {trace.name}", ink))
        elif not plot.apart:
            on_line = LINE if len(plot.traces) == 1 else letter
            entries.append((f"{LINE}{on_line}{LINE} {trace.name}", ink))
    entries += [(f"{SIGNS[n]} {name}", SIGN_COLOURS[n]) for n, name in enumerate(plot.shades)]
    for number, level in enumerate(plot.levels):
        if level.label:
            every = "┈".ljust(LEVEL_GAPS[number % len(LEVEL_GAPS)])
            dots = (every * LEVEL_CELLS)[:LEVEL_CELLS].rstrip()
            entries.append((f"{dots} {level.label}", None))
    line, used = "", 0
    for text, own in entries:  # side by side where they have room
        for part in wrapped(text, width - 1):
            if used and used + len(GAP) + cells(part) > width:
                yield line
                line, used = "", 0
            before = GAP if used else " "
            line += before + painted(part, own if colour else None)
            used += len(before) + cells(part)
    if line:
        yield line
    for number, mark in enumerate(plot.marks, 1):
        yield from wrapped(f" {number} {mark.label}", width, indent="   ")
