"""Pictures as text: Braille dots, two by four in each character."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO, TypeAlias

import numpy as np
from rich.columns import Columns
from rich.text import Text

from gelu_cli.output.pictures import CLASSES, Axis, Picture, classes, with_room
from gelu_cli.output.terminal import console_for

STYLES = (*(f"color({n})" for n in (33, 166, 28, 134, 161, 30, 94, 99)), "")
"""Of curves and classes, each with a contrast of 3 on black and on white; the last is plain."""

LETTERS, SIGNS = "ox+*#%@&", ".:-=+*#!"
MOST_COLUMNS, COLUMNS_OF_FILES, MOST_LINES, LEAST_ROWS = 160, 80, 30, 6
BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
DOTS = np.array([" ", *map(chr, range(0x2801, 0x2900))])
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
Ticks: TypeAlias = Sequence[tuple[float, str]]


def draw(picture: Picture, out: TextIO) -> None:
    """Draw a picture as wide as the terminal, or of at most 80 columns."""
    console = console_for(out)
    width = min(console.width, MOST_COLUMNS if console.is_terminal else COLUMNS_OF_FILES)
    with console.capture() as capture:
        for part in _parts(picture, width, min(console.height - 1, MOST_LINES)):
            console.print(part, width=width)
    out.writelines(line.rstrip() + "\n" for line in capture.get().splitlines())


def _parts(picture: Picture, width: int, height: int) -> Iterator[Text | Columns]:
    """Yield title, frames, labels and legend, about `height` lines in all."""
    x_axis, y_axis, legend = picture.x_axis, picture.y_axis, _legend(picture)
    texts = (picture.title, x_axis.label, y_axis.label, "   ".join(map(str, legend)))
    around = sum(math.ceil(len(text) / width) for text in texts)
    panels: Mapping[str, np.ndarray | None] = {**picture.maps} if picture.maps else {"": None}
    rows = max(LEAST_ROWS, (height - around) // len(panels) - 3)
    left, right, low, high = _window(picture)
    ticks = _ticks(y_axis, low, high, rows // 2)
    gutter = 1 + max((len(label) for _, label in ticks), default=0)
    columns = width - gutter - 2
    yield from (Text(picture.title), Text(y_axis.label))
    for label, matrix in panels.items():
        canvas = Canvas(columns, rows)
        if matrix is None:
            _draw_curves(canvas, picture, low, high)
        else:
            yield Text(" " * gutter + label)
            canvas.shade(classes(matrix))
        yield Text(f"{'┌':>{gutter + 1}}{'─' * columns}┐")
        marks = {canvas.dot((place - low) / (high - low)) // 4: mark for place, mark in ticks[::-1]}
        for row, text in enumerate(canvas.lines()):
            mark = marks.get(row, "")
            yield Text(f"{mark:>{gutter - 1}} {'┤' if mark else '│'}") + text + Text("│")
        yield from _below(_ticks(x_axis, left, right, columns // 8), left, right, columns, gutter)
    yield Text(x_axis.label.center(width))
    yield Columns(legend, padding=(0, 2))


class Canvas:
    """A grid of characters; positions are shares of its width and height."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.dots = np.zeros((4 * rows, 2 * columns), bool)
        self.inks = np.full((rows, columns), -1)
        self.signs = np.full((rows, columns), "")

    def dot(self, y: float) -> int:
        """Find the row of dots, from above, that a height falls in."""
        return round((1 - y) * (len(self.dots) - 1))

    def curve(self, x: np.ndarray, y: np.ndarray, ink: int) -> None:
        """Join points by lines; NaN is a gap."""
        fine = np.interp(np.linspace(0, 1, 8 * self.columns + 1), x, y)
        for column in range(2 * self.columns):
            some = fine[4 * column : 4 * column + 5]
            if len(some := some[np.isfinite(some)]):
                top, bottom = self.dot(some.max()), self.dot(some.min())
                self.dots[top : bottom + 1, column] = True
                self.inks[top // 4 : bottom // 4 + 1, column // 2] = ink

    def letters(self, letter: str, x: np.ndarray, y: np.ndarray, ink: int, first: int) -> None:
        """Put a letter on a curve, every 12 characters from `first` on."""
        for column in range(first, self.columns, 12):
            height = float(np.interp((column + 0.5) / self.columns, x, y))
            if math.isfinite(height):
                place = self.dot(height) // 4, column
                self.signs[place], self.inks[place] = letter, ink

    def shade(self, matrix: np.ndarray) -> None:
        """Fill the canvas with classes of a map; the worst cell wins."""
        for axis, (count, cells) in enumerate(zip(self.signs.shape, matrix.shape, strict=True)):
            matrix = np.maximum.reduceat(matrix, np.arange(count) * cells // count, axis)
        self.inks = matrix[::-1]
        self.signs = np.array([*SIGNS, ""])[self.inks]

    def lines(self) -> Iterator[Text]:
        """Yield the rows, from above."""
        cells = self.dots.reshape(len(self.signs), 4, self.columns, 2).swapaxes(1, 2)
        signs = np.where(self.signs == "", DOTS[(cells * BITS).sum((2, 3))], self.signs)
        for row, styles in zip(signs.tolist(), np.array(STYLES)[self.inks].tolist(), strict=True):
            yield Text.assemble(*zip(row, styles, strict=True))


def _draw_curves(canvas: Canvas, picture: Picture, low: float, high: float) -> None:
    for place, level in enumerate([*picture.levels.values(), 0.0]):
        height = (float(picture.y_axis.scaled(level)) - low) / (high - low)
        if 0 < height < 1:
            canvas.dots[canvas.dot(height), :: 3 - place % 2] = True
    x = picture.x_axis.scaled(picture.x)
    x = (x - x[0]) / (x[-1] - x[0])
    x = np.repeat(x, 2)[1:-1] if picture.steps else x
    for place, values in enumerate((drawn := picture.drawn()).values()):
        y = (picture.y_axis.scaled(values) - low) / (high - low)
        y = np.repeat(y, 2) if picture.steps else y
        canvas.curve(x, y, place % 8)
        if len(drawn) > 1:
            first = int(12 * (place + 0.5) / len(drawn))
            canvas.letters(LETTERS[place % 8], x, y, place % 8, first)


def _window(picture: Picture) -> tuple[float, float, float, float]:
    """Find the ends of both axes, as positions: left, right, low, high."""
    if picture.maps:
        rows, columns = next(iter(picture.maps.values())).shape
        return 0.0, columns, 0.0, rows
    left, right = picture.x_axis.scaled(picture.x[[0, -1]]).tolist()
    every = np.concatenate([[*picture.levels.values()], *picture.drawn().values()])
    positions = picture.y_axis.scaled(every[np.isfinite(every)]).tolist() or [0.0]
    low, high = min(positions), max(positions)
    margin = (high - low) / 20 or abs(low) / 2 or 1.0
    return left, right, 0.0 if picture.y_axis.linear and low >= 0 else low - margin, high + margin


def _ticks(axis: Axis, low: float, high: float, count: int) -> Ticks:
    """List positions and labels of about `count` ticks in a span."""
    if axis.ticks is not None:
        named = axis.ticks
    elif axis.linear is None:
        rough = (high - low) / max(count, 1)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(n * power for n in (1, 2, 5, 10) if n * power >= 0.99 * rough)
        numbers = (n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1))
        named = [(number, f"{number:.12g}".replace("-", "−")) for number in numbers]
    else:
        stride, least = math.ceil((high - low) / max(count, 1)), math.log10(axis.linear) - 1
        decades = (n for n in range(math.ceil(low), math.floor(high) + 1)
                   if not n or abs(n) % stride == 1 % stride)  # fmt: skip
        named = [(n, _power(n, round(least + abs(n)))) for n in sorted(decades, key=abs)]
    return [(place, label) for place, label in named if low <= place <= high]


def _power(sign: int, exponent: int) -> str:
    power = {0: "1", 1: "10"}.get(exponent, f"10{str(exponent).translate(RAISED)}")
    return "−" * (sign < 0) + power if sign else "0"


def _below(ticks: Ticks, low: float, high: float, columns: int, gutter: int) -> Iterator[Text]:
    """Yield the lower edge of a frame and the labels under it."""
    edge, labels = ["─"] * columns, [" "] * (gutter + columns + 2)
    for position, label in with_room(ticks, low, high, columns):
        column = min(int((position - low) / (high - low) * columns), columns - 1)
        start = min(max(0, gutter + 1 + column - len(label) // 2), len(labels) - len(label))
        edge[column], labels[start : start + len(label)] = "┬", label
    yield Text(f"{'└':>{gutter + 1}}{''.join(edge)}┘")
    yield Text("".join(labels))


def _legend(picture: Picture) -> list[Text]:
    """List the names of curves, levels and shades."""
    signs = LETTERS if len(picture.curves) > 1 else "⠤" * 8
    curves = [Text(f"⠤{signs[place % 8]}⠤ {label}", STYLES[place % 8])
              for place, label in enumerate(picture.curves)]  # fmt: skip
    levels = [
        Text(f"⠄{' ' * (1 - place % 2)}⠄ {label}") for place, label in enumerate(picture.levels)
    ]
    shades = zip(SIGNS, CLASSES, STYLES, strict=False) if picture.maps else ()
    return [*curves, *levels, *(Text(f"{sign} {name}", style) for sign, name, style in shades)]
