"""Curves as text: Braille dots, two by four in each character."""

from __future__ import annotations

import math
from itertools import pairwise
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

import numpy as np

from gelu_cli.output.pictures import Axis, Picture

NARROWEST, WIDEST, ROWS = 40, 80, 16
LETTERS = "ox+*#%@&"
TINY = 1e-307
BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
DOTS = np.array([" ", *map(chr, range(0x2801, 0x2900))])


def draw(picture: Picture) -> str:
    """Draw curves as wide as the terminal, from 40 to 80 columns."""
    width = min(max(get_terminal_size().columns, NARROWEST), WIDEST)
    curves, levels = picture.finite_curves(), picture.levels
    x_scale = Scale(picture.x_axis, picture.x)
    y_scale = Scale(picture.y_axis, np.concatenate([[*levels.values()], *curves.values()]))
    marks = {_row(share) // 4: label for share, label in y_scale.ticks(ROWS // 2)}
    gutter = max(map(len, marks.values())) + 1
    columns = width - gutter - 1
    dots, letters = np.zeros((4 * ROWS, 2 * columns), bool), np.full((ROWS, columns), "")
    for level in levels.values():
        dots[_row(y_scale.shares(level)), ::3] = True
    for number, y in enumerate(curves.values()):
        _add(dots, letters, x_scale.shares(picture.x), y_scale.shares(y), number)
    cells = dots.reshape(ROWS, 4, columns, 2).swapaxes(1, 2)
    signs = np.where(letters == "", DOTS[(cells * BITS).sum((2, 3))], letters)
    lines = [fill(picture.title, width), fill(picture.y_axis.label, width)]
    for row, line in enumerate(signs.tolist()):
        label = marks.get(row, "")
        lines.append(f"{label:>{gutter - 1}} {'┤' if label else '│'}{''.join(line)}")
    lines += [" " * gutter + line for line in _below(x_scale, columns)]
    names = [f"{LETTERS[number % 8]} {label}" for number, label in enumerate(curves)]
    names += [f"⠄⠄ {label}" for label in levels]
    lines += [picture.x_axis.label.center(width), fill("   ".join(names), width)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


class Scale:
    """The part of an axis that holds numbers, NaN and infinities apart."""

    def __init__(self, axis: Axis, numbers: np.ndarray) -> None:
        finite = numbers[np.isfinite(numbers)].tolist() or [0.0]
        low, high = min(finite), max(finite)
        self.axis = axis
        self.ends = low, high if high - low > TINY else low + (abs(low) or 1.0)

    def shares(self, numbers: Any) -> Any:
        """Convert numbers to shares of the part."""
        low, high = self.axis.scaled(self.ends)
        return (self.axis.scaled(numbers) - low) / (high - low)

    def ticks(self, count: int) -> list[tuple[float, str]]:
        """List shares and labels of about `count` round numbers."""
        low, high = self.axis.scaled(self.ends)
        axis = self.axis if high - low > 2 else Axis()  # within a decade they are evenly spaced
        low, high = axis.scaled(self.ends).tolist()
        rough = 0.99 * (high - low) / count
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough)
        step = math.ceil(rough) if axis.linear else step
        places = [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]
        return [(self.shares(number), f"{number:.7g}") for number in axis.numbers(places)]


def _row(height: float) -> int:
    """Find the row of dots, counted from the top, of a share of the height."""
    return round((1 - height) * (4 * ROWS - 1))


def _add(dots: np.ndarray, letters: np.ndarray, x: np.ndarray, y: np.ndarray, number: int) -> None:
    """Join points by lines, with a letter in every 12th column; NaN is a gap."""
    columns = letters.shape[1]
    edges = np.linspace(0, 1, 2 * columns + 1)
    points = np.union1d(edges, x)
    heights = np.interp(points, x, y)
    for column, (left, right) in enumerate(pairwise(edges)):
        inside = heights[(left <= points) & (points <= right) & np.isfinite(heights)]
        if len(inside):
            dots[_row(inside.max()) : _row(inside.min()) + 1, column] = True
    for column in range(3 * number % 12, columns, 12):
        height = np.interp((column + 0.5) / columns, x, y)
        if np.isfinite(height):
            letters[_row(height) // 4, column] = LETTERS[number % 8]


def _below(scale: Scale, columns: int) -> tuple[str, str]:
    """Make the x axis and the labels of its ticks."""
    edge, labels = "└", ""
    for share, label in scale.ticks(columns // 8):
        column = 1 + round(share * (columns - 1))
        edge = edge.ljust(column, "─") + "┬"
        start = min(column - len(label) // 2, columns + 1 - len(label))
        labels = labels.ljust(start) + label
    return edge.ljust(columns + 1, "─"), labels
