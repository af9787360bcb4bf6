"""A plot as text: a frame with labelled axes, lines told apart by letters on them, a legend.

The letters of one trace stand apart from those of the others, so that traces that coincide are
all seen, in black and white, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from gelu_cli.old.report import Floats
from gelu_cli.old.report.plots import Axis, Plot, Tick, Trace
from gelu_cli.old.report.plots.geometry import (
    Window,
    mirrored,
    panels_of,
    prepared,
    window_of,
    zeros_of,
)
from gelu_cli.old.report.plots.scales import MINUS, RAISED
from gelu_cli.old.report.text import cells, changed, shortened, wrapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

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

BLANK = 0x2800
ACROSS, DOWN = 2, 4
BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
"""The bits of a braille character, where its dots stand."""

ASIDE = 4
"""Most characters between a number and its place."""

PLAIN_DOTS = ("'", "-", "-", ".")
LOWERED = {raised: chr(sign) for sign, raised in RAISED.items()}
ASCII = str.maketrans({MINUS: "-", "≤": "<=", "′": "'", "·": "*", "½": "0.5", "±": "+-"})
"""What signs of a picture's labels are in ASCII."""


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


# A grid of characters to draw on: braille dots, two across and four down each, and letters


class Raster:
    """Curves laid over one another; the last one to touch a character gives it its colour."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self._bits = np.zeros((rows, columns), np.int64)
        self._letters = [[""] * columns for _ in range(rows)]
        self._colours = np.full((rows, columns), None, object)

    def line(self, x: Floats, y: Floats, colour: int | None = None) -> None:
        """Draw lines between shares of the width and the height, broken at NaNs."""
        dots, points = self._no_dots(), self._places(x, y)
        there = np.isfinite(points[0] + points[1])
        for i in np.flatnonzero(there[:-1] & there[1:]):
            start, way = points[:, i, None], points[:, i + 1, None] - points[:, i, None]
            steps = max(1, np.abs(way).max())
            down, across = start + np.rint(way / steps * np.arange(steps + 1))
            dots[down.astype(int), across.astype(int)] = True
        self._lay(dots, colour)

    def dots(self, x: Floats, y: Floats) -> None:
        """Draw single dots at shares of the width and the height."""
        dots = self._no_dots()
        dots[*self._places(x, y).astype(int)] = True
        self._lay(dots, None)

    def letter(self, letter: str, x: float, y: float, colour: int | None = None) -> None:
        """Put a letter at shares of the width and the height, in the place of dots."""
        row, column = self.row(y), min(int(x * self.columns), self.columns - 1)
        self._letters[row][column] = letter
        self._colours[row, column] = colour

    def number(self, number: int, x: float, y: float) -> None:
        """Put a number where nothing is, as near as can be to shares of the width and the height.

        It stands right above or below its place rather than at a side, and apart from others.
        """
        text = str(number)
        home, column = self.row(y), min(int(x * self.columns), self.columns - 1)
        places = [
            (row, first)
            for row in range(self.rows)
            for first in range(max(0, column - ASIDE), column + ASIDE + 1)
            if first + len(text) <= self.columns
            and abs(row - home) <= ASIDE
            and self._free(row, first, len(text))
        ]
        nearest = [(home, min(column, self.columns - len(text)))]
        row, first = min(
            places or nearest,
            key=lambda place: (abs(place[0] - home) + 2 * abs(place[1] - column), place),
        )
        self._letters[row][first : first + len(text)] = text
        self._colours[row, first : first + len(text)] = None

    def _free(self, row: int, first: int, length: int) -> bool:
        """Return whether a number there covers nothing, and touches no letter beside it."""
        beside = self._letters[row][max(0, first - 1) : first + length + 1]
        return not (self._bits[row, first : first + length].any() or any(beside))

    def row(self, y: float) -> int:
        """Return the line, counted from the top, that a share of the height falls in."""
        return self.rows - 1 - round(y * (DOWN * self.rows - 1)) // DOWN

    def lines(self, colour: bool) -> Iterator[str]:
        """Yield the lines of text, from the top."""
        for bits, letters, colours in zip(
            self._bits.tolist(), self._letters, self._colours.tolist(), strict=True
        ):
            cells = [
                letter or (chr(BLANK + dots) if dots else " ")
                for dots, letter in zip(bits, letters, strict=True)
            ]
            pairs = groupby(zip(colours, cells, strict=True), key=lambda pair: pair[0])
            parts = ((ink, "".join(cell for _, cell in group)) for ink, group in pairs)
            yield "".join(painted(text, ink if colour else None) for ink, text in parts)

    def _places(self, x: Floats, y: Floats) -> Floats:
        """Return how far down and across the dots stand at shares of the width and the height."""
        last = DOWN * self.rows - 1
        return np.stack([last - np.rint(y * last), np.rint(x * (ACROSS * self.columns - 1))])

    def _no_dots(self) -> NDArray[np.bool_]:
        return np.zeros((DOWN * self.rows, ACROSS * self.columns), bool)

    def _lay(self, dots: NDArray[np.bool_], colour: int | None) -> None:
        by_character = dots.reshape(self.rows, DOWN, self.columns, ACROSS)
        bits = np.einsum("rdca,da->rc", by_character, BITS)
        self._bits |= bits
        self._colours[bits > 0] = colour


def painted(text: str, colour: int | None) -> str:
    """Return text in a colour of the 256-colour palette; blanks need none."""
    if colour is None or text.isspace():
        return text
    return f"\033[38;5;{colour}m{text}\033[39m"


def as_ascii(text: str) -> str:
    """Return a picture with every dot, line and corner as the nearest ASCII character.

    >>> as_ascii("┤⠉⠒⣀⡇│")
    "+'-.:|"
    """
    return text.translate(_PLAIN)


def _plain_dots(bits: int) -> str:
    rows = [row for row, dots in enumerate(BITS.sum(axis=1).tolist()) if bits & dots]
    if len(rows) > 2:
        return ":"
    return PLAIN_DOTS[round(sum(rows) / len(rows))] if rows else " "


_PLAIN = {BLANK + bits: _plain_dots(bits) for bits in range(256)} | str.maketrans(
    "─│┌┐└┘┬┤┈", "-|++++++."
)


def in_ascii(plot: Plot) -> Plot:
    """Return a plot whose texts, those of its ticks among them, are `plain`."""

    def plainly(axis: Axis) -> Axis:
        def ticks(low: float, high: float, count: int) -> list[Tick]:
            shown = axis.scale.ticks(low, high, count)
            return [tick._replace(label=plain(tick.label)) for tick in shown]

        return axis._replace(scale=axis.scale._replace(ticks=ticks))

    plot = changed(plot, plain)
    return plot._replace(x=plainly(plot.x), y=plainly(plot.y))


def plain(label: str) -> str:
    """Return a label in ASCII; what it has no way to write is left.

    >>> plain("−2⁻¹²⁶"), plain("≤ 10⁻²")
    ('-2^-126', '<= 10^-2')
    """
    label = re.sub("[⁻⁰¹²³⁴-⁹]+", lambda raised: "^" + raised[0].translate(LOWERED), label)
    return label.translate(ASCII)
