"""Pictures as plain data, drawn by matplotlib or by Braille dots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.output.destination import opened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import XAxis, YAxis
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

COLOURS = (
    "#0072b2", "#c74e00", "#008560", "#b0578c", "#1b1d22", "#2b86b8", "#a87000", "#666666",
)  # fmt: skip
"""Near those of Okabe and Ito (2008), darkened to a contrast of 3 on white."""

LINES = ("-", "--", "-.", ":")
CLASSES = ("≤ ½ ULP", "≤ 1", "≤ 2", "≤ 4", "≤ 16", "≤ 256", "more", "failed")
UPPER_ENDS = (0.5, 1, 2, 4, 16, 256)
CLASS_COLOURS = (
    "#ebeff4", "#faea9e", "#fbd26a", "#fdb44e", "#fb9038", "#f26b40", "#e2504c", "#9d8ad6",
)  # fmt: skip
"""Of the cells of a map; ink on each has a contrast of 4."""

SIZE, DOTS_PER_INCH = (7.0, 4.6), 150
LETTERS = 70
"""Letters that fit side by side."""

UNDATED = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


@dataclass(frozen=True)
class Axis:
    """The label and the scale of an axis.

    Attributes
    ----------
    label
        What the axis shows, with its unit.
    linear
        If set, the axis is symmetric logarithmic: linear within ±linear, logarithmic beyond. For
        sizes such as ULP errors, which are never negative, it is a logarithmic axis with a 0.
    ticks
        Positions and their labels, the most important first; those without room are left out.
        None lets the scale choose. With them positions can mean anything: ordinals, binades.
    """

    label: str = ""
    linear: float | None = None
    ticks: Sequence[tuple[float, str]] | None = None

    def scaled(self, values: ArrayLike) -> np.ndarray:
        """Compute positions on the axis; beyond ±linear a decade is 1.

        >>> Axis(linear=1e-3).scaled([-1.0, 0.0, 5e-4, 1e-2]).tolist()
        [-4.0, 0.0, 0.5, 2.0]
        """
        numbers = np.asarray(values, float)
        if self.linear is None:
            return numbers
        size = np.abs(numbers) / self.linear
        far = 1 + np.log10(np.maximum(size, 1))
        return np.asarray(np.sign(numbers) * np.where(size < 1, size, far))


def with_room(
    ticks: Sequence[tuple[float, str]], low: float, high: float, letters: int
) -> list[tuple[float, str]]:
    """List the ticks whose labels fit into `letters`, the first first.

    >>> with_room([(0, "0"), (1, "one"), (10, "ten"), (11, "x")], 0, 10, 20)
    [(0, '0'), (10, 'ten')]
    """
    shown: list[tuple[float, str]] = []
    letter = (high - low) / letters
    for position, label in ticks:
        apart = (abs(position - other) / letter - (len(label) + len(word)) / 2 - 1
                 for other, word in shown)  # fmt: skip
        if low <= position <= high and all(room >= 0 for room in apart):
            shown.append((position, label))
    return shown


@dataclass(frozen=True)
class Picture:
    """Curves or steps over x, or maps over two inputs.

    NaN is a gap; an infinite y is drawn at the edge, beyond all finite ones.

    Attributes
    ----------
    title
        One sentence; it is wrapped.
    x
        Increasing positions: one for each value of a curve, or with `steps` the edges of the
        steps, one more than values. Of maps it is unused.
    curves
        Values by the label of the legend, each as long as x (with `steps` one shorter).
    x_axis, y_axis
        Labels and scales.
    steps
        True if each value holds from one x to the next, such as the largest error of a binade.
    levels
        Horizontal lines by label, such as a bound.
    maps
        For pairs of inputs, instead of curves: matrices of ULP errors by label, drawn side by
        side. Row i, column j is the cell from (j, i) to (j + 1, i + 1); the first row is the
        lowest. NaN is a cell without inputs, infinity one with wrong NaNs or infinities. Ticks of
        the axes are positions of cells, 0.5 the middle of the first.

    Examples
    --------
    The largest error in each binade, as a staircase over ordinals:

    >>> steps = Picture(
    ...     "Largest errors",
    ...     np.array([0.0, 1.0, 2.0]),
    ...     {"tanh": np.array([0.5, 3.0])},
    ...     Axis("x", ticks=[(0, "1"), (1, "2"), (2, "4")]),
    ...     Axis("error in ULP", linear=0.01),
    ...     steps=True,
    ...     levels={"½ ULP": 0.5},
    ... )

    The same of pairs, with two gates (columns) and three ups (rows):

    >>> pairs = Picture(
    ...     "Largest errors",
    ...     maps={"silu": np.array([[0.5, 1.0], [2.0, np.nan], [np.inf, 0.5]])},
    ...     x_axis=Axis("gate", ticks=[(0.5, "1"), (1.5, "2")]),
    ...     y_axis=Axis("up", ticks=[(0.5, "1"), (1.5, "2"), (2.5, "4")]),
    ... )
    """

    title: str
    x: np.ndarray = field(default_factory=lambda: np.array([0.0, 1.0]))
    curves: Mapping[str, np.ndarray] = field(default_factory=dict)
    x_axis: Axis = Axis("x")
    y_axis: Axis = Axis()
    steps: bool = False
    levels: Mapping[str, float] = field(default_factory=dict)
    maps: Mapping[str, np.ndarray] = field(default_factory=dict)

    def drawn(self) -> dict[str, np.ndarray]:
        """Put infinities of the curves at ten times the largest finite size."""
        every = np.concatenate([[*self.levels.values(), 0.0], *self.curves.values()])
        sizes = np.abs(every[np.isfinite(every)])
        edge = min(10 * sizes.max() or 1.0, np.finfo(float).max)
        return {label: np.clip(y, -edge, edge) for label, y in self.curves.items()}

    def figure(self) -> Figure:
        """Draw it by matplotlib.

        Raises
        ------
        UsageError
            If matplotlib is not installed.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise UsageError(
                'pictures are drawn by matplotlib; pip install "gelu-cli[plot]"'
            ) from None
        figure = Figure(figsize=SIZE, layout="constrained")
        figure.suptitle(fill(self.title, LETTERS), fontsize="large")
        frames = figure.subplots(1, len(self.maps) or 1, sharey=True, squeeze=False)[0]
        for axes, (label, matrix) in zip(frames, self.maps.items(), strict=False):
            self._draw_map(axes, label, matrix)
        if not self.maps:
            self._draw_curves(frames[0])
        for axes in frames:
            axes.set_xlabel(fill(self.x_axis.label, LETTERS))
            _label(axes.xaxis, self.x_axis, LETTERS // len(frames))
        frames[0].set_ylabel(fill(self.y_axis.label, 50))
        _label(frames[0].yaxis, self.y_axis, 10 * LETTERS)
        handles, labels = frames[0].get_legend_handles_labels()
        columns = max(1, 90 // (8 + max(map(len, labels))))
        figure.legend(handles, labels, loc="outside lower center", frameon=False, ncols=columns)
        return figure

    def save(self, path: str) -> None:
        """Write a file, .png, .svg or .pdf: the same bytes each time.

        Raises
        ------
        UsageError
            If matplotlib is not installed.
        OutputError
            If the file cannot be written.
        """
        kind, figure = Path(path).suffix.lower()[1:], self.figure()
        from matplotlib import rc_context

        settings: Any = {"svg.hashsalt": "gelu", "svg.fonttype": "none"}
        with rc_context(settings), opened(path, binary=True) as out:
            figure.savefig(out, format=kind, dpi=DOTS_PER_INCH, metadata=UNDATED[kind])

    def _draw_curves(self, axes: Axes) -> None:
        for place, (label, y) in enumerate(self.drawn().items()):
            style: Any = {"color": COLOURS[place % 8], "ls": LINES[place % 4], "label": label}
            if self.steps:
                axes.stairs(y, self.x, baseline=None, lw=1.4, **style)
            else:
                axes.plot(self.x, y, lw=1.6, **style)
        for place, (label, level) in enumerate(self.levels.items()):
            axes.axhline(level, color="0.35", lw=0.9, ls=LINES[3 - place % 3], label=label)
        if self.x_axis.linear:
            axes.set_xscale("symlog", linthresh=self.x_axis.linear)
        if self.y_axis.linear:
            axes.set_yscale("symlog", linthresh=self.y_axis.linear, linscale=0.5)
        if self.y_axis.linear and not any((y < 0).any() for y in self.curves.values()):
            axes.set_ylim(bottom=0)
        axes.set_xlim(self.x[0], self.x[-1])
        axes.grid(color="0.92")
        axes.set_axisbelow(True)

    def _draw_map(self, axes: Axes, label: str, matrix: np.ndarray) -> None:
        from matplotlib.colors import ListedColormap

        cells = np.ma.masked_less(classes(matrix), 0)
        axes.pcolormesh(cells, cmap=ListedColormap(CLASS_COLOURS), vmin=-0.5, vmax=7.5)
        axes.set_title(fill(label, LETTERS // len(self.maps)), fontsize="medium")
        for place in range(len(CLASSES)):
            axes.fill([], [], color=CLASS_COLOURS[place], label=CLASSES[place])


def _label(axis: XAxis | YAxis, scale: Axis, letters: int) -> None:
    if scale.ticks is not None:
        ticks = with_room(scale.ticks, *axis.get_view_interval(), letters)
        axis.set_ticks([place for place, _ in ticks], [label for _, label in ticks])


def classes(matrix: np.ndarray) -> np.ndarray:
    """Compute the places in CLASSES of the errors of a map; -1 for NaN.

    >>> classes(np.array([0.5, 0.75, 300.0, np.inf, np.nan])).tolist()
    [0, 1, 6, 7, -1]
    """
    found = np.searchsorted(UPPER_ENDS, matrix) + np.isposinf(matrix)
    return np.where(np.isnan(matrix), -1, found)


def show(picture: Picture, path: str | None) -> None:
    """Write a picture to a file, or draw it as text."""
    from gelu_cli.output.canvas import draw

    if path is not None and Path(path).suffix.lower()[1:] in UNDATED:
        picture.save(path)
        return
    with opened(path) as out:
        draw(picture, out)
