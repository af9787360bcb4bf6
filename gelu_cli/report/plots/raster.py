"""A grid of characters to draw on: braille dots, two across and four down each, and letters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from gelu_cli.report import Floats
from gelu_cli.report.plots import Axis, Plot, Tick
from gelu_cli.report.plots.scales import MINUS, RAISED
from gelu_cli.report.text import changed

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
