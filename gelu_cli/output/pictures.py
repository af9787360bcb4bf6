"""Pictures (curves or maps) as data, drawn by matplotlib or in Braille."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import cycle, pairwise
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.output.streams import opened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike


COLOURS = ("#0072b2", "#c74e00", "#008560", "#b0578c", "#1b1d22", "#2b86b8", "#a87000", "#666666")
"""Colours of Okabe and Ito (2008), darkened to a contrast of at least 3 on white."""

LINES = ("-", "--", "-.", ":")
ULPS = (0, 0.5, 1, 2, 4, 16, 256, 65536)
"""Errors in ULP at which the colours of a map change."""

LARGEST = 1e250
WIDTH, HEIGHT, DOTS_PER_INCH, LETTERS = 7.0, 4.6, 150, 70
UNDATED = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}

NARROWEST, WIDEST, ROWS = 40, 80, 16
MARKS = "ox+*#%@&"
TINY = 1e-307
BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])  # dots: 4 rows, 2 columns
DOTS = np.array([" ", *map(chr, range(0x2801, 0x2900))])


@dataclass(frozen=True)
class Axis:
    """The label, with a unit, and the scale of an axis.

    If `linear` is None, the scale is linear; else `linear` is a power of 10, and the scale is
    linear within ±`linear` and logarithmic beyond.
    """

    label: str = ""
    linear: float | None = None

    def scaled(self, values: ArrayLike) -> np.ndarray:
        """Compute positions on the axis: `linear` is at 1, a decade adds 1."""
        numbers = np.asarray(values, float)
        if self.linear is None:
            return numbers
        size = np.abs(numbers) / self.linear
        far = 1 + np.log10(np.maximum(size, 1))
        return np.asarray(np.sign(numbers) * np.where(size < 1, size, far))

    def numbers(self, positions: ArrayLike) -> np.ndarray:
        """Compute the numbers at positions, the inverse of `scaled`."""
        places = np.asarray(positions, float)
        if self.linear is None:
            return places
        size = np.abs(places)
        far = 10 ** (np.maximum(size, 1) - 1)
        return np.asarray(np.sign(places) * np.where(size < 1, size, far) * self.linear)


@dataclass(frozen=True)
class Picture:
    """Curves over x, or a map over two inputs for each kernel.

    NaN is a gap in a curve. Infinities, and |values| above 1e250, are drawn beyond other values.

    `title` is one sentence, `levels` has horizontal lines by label, such as a bound. For curves `x`
    is ascending, and an x that occurs twice makes a step; `curves` has the values of each curve by
    its label; `y` is None. For maps `x` and `y` are the edges of the columns and rows, and `curves`
    has a matrix of errors in ULP by label, the lowest row first.

    >>> x = np.array([0.0, 1.0])
    >>> Picture("A line", x, {"y = 2x": 2 * x}).figure().axes[0].lines[0].get_label()
    'y = 2x'
    """

    title: str
    x: np.ndarray
    curves: Mapping[str, np.ndarray]
    x_axis: Axis = Axis("x")
    y_axis: Axis = Axis()
    levels: Mapping[str, float] = field(default_factory=dict)
    y: np.ndarray | None = None

    def finite_curves(self) -> dict[str, np.ndarray]:
        """Clip the curves at ten times the largest finite |value|, at most 1e250."""
        every = np.concatenate([[*self.levels.values(), 0.0], *self.curves.values()])
        edge = 10 * min(np.abs(every[np.isfinite(every)]).max(), LARGEST / 10) or 1.0
        return {label: np.clip(y, -edge, edge) for label, y in self.curves.items()}

    def figure(self) -> Figure:
        """Draw the picture by matplotlib; raise UsageError without matplotlib."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise UsageError(
                'pictures are drawn by matplotlib; pip install "gelu-cli[plot]"'
            ) from None
        maps = 0 if self.y is None else len(self.curves)
        figure = Figure(figsize=(WIDTH, HEIGHT * max(maps, 1)), layout="constrained")
        figure.suptitle(fill(self.title, LETTERS), fontsize="large")
        if maps:
            self._draw_maps(figure)
        else:
            self._draw_curves(figure)
        return figure

    def save(self, path: str) -> None:
        """Write a file, .png, .svg or .pdf: the same bytes each time.

        Raises UsageError without matplotlib, OutputError if the file cannot be written.
        """
        kind, figure = Path(path).suffix.lower()[1:], self.figure()
        from matplotlib import rc_context

        settings: Any = {"svg.hashsalt": "gelu", "svg.fonttype": "none"}
        with rc_context(settings), opened(path, binary=True) as out:
            figure.savefig(out, format=kind, dpi=DOTS_PER_INCH, metadata=UNDATED[kind])

    def _draw_curves(self, figure: Figure) -> None:
        axes, curves = figure.subplots(), self.finite_curves()
        self._scale(axes)
        for (label, y), colour, line in zip(curves.items(), cycle(COLOURS), cycle(LINES)):
            axes.plot(self.x, y, color=colour, ls=line, label=label)
        for label, level in self.levels.items():
            axes.axhline(level, color="0.35", lw=0.9, ls=":", label=label)
        axes.set_xlim(self.x[0], self.x[-1])
        axes.grid(color="0.92")
        columns = max(1, 90 // (8 + max(map(len, [*curves, *self.levels]))))
        figure.legend(loc="outside lower center", frameon=False, ncols=columns)

    def _draw_maps(self, figure: Figure) -> None:
        from matplotlib.colors import BoundaryNorm

        frames = figure.subplots(len(self.curves), squeeze=False)[:, 0]
        norm = BoundaryNorm(ULPS, 256, extend="max")
        for axes, (label, errors) in zip(frames, self.curves.items(), strict=True):
            self._scale(axes)
            shown = np.minimum(errors, LARGEST)  # matplotlib does not draw ∞
            mesh = axes.pcolormesh(self.x, self.y, shown, norm=norm, cmap="YlOrRd")
            axes.set_title(fill(label, LETTERS), fontsize="medium")
        figure.colorbar(mesh, ax=frames, label="largest error in ULP", format="%g")

    def _scale(self, axes: Axes) -> None:
        axes.set(xlabel=self.x_axis.label, ylabel=self.y_axis.label)
        if self.x_axis.linear:
            axes.set_xscale("symlog", linthresh=self.x_axis.linear)
        if self.y_axis.linear:
            axes.set_yscale("symlog", linthresh=self.y_axis.linear)


def draw(picture: Picture) -> str:
    """Draw curves as text, as wide as the terminal, from 40 to 80 columns."""
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
    names = [f"{MARKS[number % 8]} {label}" for number, label in enumerate(curves)]
    names += [f"⠄⠄ {label}" for label in levels]
    lines += [picture.x_axis.label.center(width), fill("   ".join(names), width)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


class Scale:
    """The interval of an axis that holds all finite numbers."""

    def __init__(self, axis: Axis, numbers: np.ndarray) -> None:
        finite = numbers[np.isfinite(numbers)].tolist() or [0.0]
        low, high = min(finite), max(finite)
        self.axis = axis
        self.ends = low, high if high - low > TINY else low + (abs(low) or 1.0)

    def shares(self, numbers: Any) -> Any:
        """Convert numbers to fractions of the interval."""
        low, high = self.axis.scaled(self.ends)
        return (self.axis.scaled(numbers) - low) / (high - low)

    def ticks(self, count: int) -> list[tuple[float, str]]:
        """List about `count` round numbers: fraction of the interval, label."""
        low, high = self.axis.scaled(self.ends)
        axis = self.axis if high - low > 2 else Axis()  # few decades: linear steps
        low, high = axis.scaled(self.ends).tolist()
        rough = 0.99 * (high - low) / count
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(n * power for n in (1, 2, 5, 10) if n * power >= rough)
        step = math.ceil(rough) if axis.linear else step
        places = [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]
        return [(self.shares(number), f"{number:.7g}") for number in axis.numbers(places)]


def _row(height: float) -> int:
    """Find the row of dots, from the top, for a fraction of the height."""
    return round((1 - height) * (4 * ROWS - 1))


def _add(dots: np.ndarray, letters: np.ndarray, x: np.ndarray, y: np.ndarray, number: int) -> None:
    """Draw lines between points, with a mark in every 12th column."""
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
            letters[_row(height) // 4, column] = MARKS[number % 8]


def _below(scale: Scale, columns: int) -> tuple[str, str]:
    """Make the x axis and the labels of its ticks."""
    edge, labels = "└", ""
    for share, label in scale.ticks(max(4, columns // 8)):
        column = 1 + round(share * (columns - 1))
        edge = edge.ljust(column, "─") + "┬"
        start = min(column - len(label) // 2, columns + 1 - len(label))
        labels = labels.ljust(start) + label
    return edge.ljust(columns + 1, "─"), labels
