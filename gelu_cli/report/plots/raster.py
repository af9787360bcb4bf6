"""A grid of characters to draw on: braille dots, two across and four down each, and letters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from plotille import Canvas

if TYPE_CHECKING:
    from gelu_cli.report.plots import Floats

BLANK = 0x2800
ACROSS, DOWN = 2, 4
ROWS_OF_DOTS = (0x09, 0x12, 0x24, 0xC0)
"""The bits of a braille character, from its top to its bottom."""

PLAIN_DOTS = ("'", "-", "-", ".")


class Raster:
    """Curves laid over one another; the last one to touch a character gives it its colour."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self._dots = np.zeros((rows, columns), np.int64)
        self._letters = [[""] * columns for _ in range(rows)]
        self._colours: list[list[int | None]] = [[None] * columns for _ in range(rows)]

    def line(self, x: Floats, y: Floats, colour: int | None = None) -> None:
        """Draw lines between shares of the width and the height, broken at NaNs."""
        canvas = Canvas(self.columns, self.rows, 0, 0, ACROSS * self.columns, DOWN * self.rows)
        across = (x * (ACROSS * self.columns - 1)).tolist()
        down = (y * (DOWN * self.rows - 1)).tolist()
        for i in np.flatnonzero(np.isfinite(x[1:] + y[1:] + x[:-1] + y[:-1])).tolist():
            canvas.line(across[i], down[i], across[i + 1], down[i + 1])
        self._lay(canvas, colour)

    def dots(self, x: Floats, y: Floats) -> None:
        """Draw single dots at shares of the width and the height."""
        canvas = Canvas(self.columns, self.rows, 0, 0, ACROSS * self.columns, DOWN * self.rows)
        for one_x, one_y in zip(x.tolist(), y.tolist(), strict=True):
            canvas.point(one_x * (ACROSS * self.columns - 1), one_y * (DOWN * self.rows - 1))
        self._lay(canvas, None)

    def letter(self, letter: str, x: float, y: float, colour: int | None = None) -> None:
        """Put a letter at shares of the width and the height, in the place of dots."""
        row, column = self.row(y), min(int(x * self.columns), self.columns - 1)
        self._letters[row][column] = letter
        self._colours[row][column] = colour

    def row(self, y: float) -> int:
        """Return the line, counted from the top, that a share of the height falls in."""
        return self.rows - 1 - round(y * (DOWN * self.rows - 1)) // DOWN

    def lines(self, colour: bool) -> Iterator[str]:
        """Yield the lines of text, from the top."""
        for bits, letters, colours in zip(
            self._dots.tolist(), self._letters, self._colours, strict=True
        ):
            cells = [
                letter or (chr(BLANK + dots) if dots else " ")
                for dots, letter in zip(bits, letters, strict=True)
            ]
            pairs = groupby(zip(colours, cells, strict=True), key=lambda pair: pair[0])
            parts = ((ink, "".join(cell for _, cell in group)) for ink, group in pairs)
            yield "".join(painted(text, ink if colour else None) for ink, text in parts)

    def _lay(self, canvas: Canvas, colour: int | None) -> None:
        for row, line in enumerate(canvas.plot(linesep="\n").split("\n")):
            for column, character in enumerate(line):
                if ord(character) != BLANK:
                    self._dots[row, column] |= ord(character) - BLANK
                    self._colours[row][column] = colour


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
    rows = [row for row, dots in enumerate(ROWS_OF_DOTS) if bits & dots]
    if len(rows) > 2:
        return ":"
    return PLAIN_DOTS[round(sum(rows) / len(rows))] if rows else " "


_PLAIN = {BLANK + bits: _plain_dots(bits) for bits in range(256)} | str.maketrans(
    "─│┌┐└┘┬┤┈", "-|++++++."
)
