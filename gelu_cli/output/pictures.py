"""Pictures: plain data, drawn by matplotlib in a file or by Braille dots on a terminal."""

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
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

COLOURS = (
    "#0072b2", "#c74e00", "#008560", "#b0578c", "#1b1d22", "#2b86b8", "#a87000", "#666666",
)  # fmt: skip
"""Near those of Okabe and Ito (2008), darkened to a contrast of 3 on white."""

LINES = ("-", "--", "-.", ":")
SHADES = {0.5: "≤ ½ ULP", 1: "≤ 1", 2: "≤ 2", 4: "≤ 4", 16: "≤ 16", 256: "≤ 256"}
"""Upper ends of a map's classes; above them are `more` and, for infinity, `failed`."""

CLASSES = (*SHADES.values(), "more", "failed")
SHADE_COLOURS = (
    "#ebeff4", "#faea9e", "#fbd26a", "#fdb44e", "#fb9038", "#f26b40", "#e2504c", "#9d8ad6",
)  # fmt: skip
SIZE = (7.0, 4.6)
DOTS_PER_INCH = 150
SETTINGS: dict[str, Any] = {"svg.hashsalt": "gelu", "svg.fonttype": "none", "pdf.fonttype": 42}
UNDATED = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
LETTERS = 70
"""Letters that fit side by side."""


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
    """List the ticks whose labels fit side by side in a width of `letters`, the first first.

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
        """Return the curves with infinities at the edge: ten times the largest finite size."""
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
        matplotlib = _matplotlib()
        with matplotlib.rc_context(SETTINGS):
            figure: Figure = matplotlib.figure.Figure(figsize=SIZE, layout="constrained")
            frames = figure.subplots(1, len(self.maps) or 1, sharey=True, squeeze=False)[0]
            figure.suptitle(fill(self.title, 70), fontsize="large")
            for frame, (label, matrix) in zip(frames, self.maps.items(), strict=False):
                self._draw_map(frame, label, matrix)
            if not self.maps:
                self._draw_curves(frames[0])
            for frame in frames:
                self._label(frame)
            frames[0].set_ylabel(fill(self.y_axis.label, 45))
            handles, labels = frames[0].get_legend_handles_labels()
            columns = max(1, LETTERS // (max(map(len, labels), default=0) + 8))
            figure.legend(handles, labels, loc="outside lower center", frameon=False,
                          ncols=min(columns, len(labels)))  # fmt: skip
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
        kind = Path(path).suffix.lower()[1:]
        figure = self.figure()
        with _matplotlib().rc_context(SETTINGS), opened(path, binary=True) as out:
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
        for axis, scale in (("x", self.x_axis), ("y", self.y_axis)):
            if scale.linear is not None:
                getattr(axes, f"set_{axis}scale")("symlog", linthresh=scale.linear, linscale=0.5)
        if self.y_axis.linear is not None and all(
            (y[y == y] >= 0).all() for y in self.curves.values()
        ):
            axes.set_ylim(bottom=0)
        axes.set_xlim(self.x[0], self.x[-1])
        axes.axhline(0, color="0.7", lw=0.8, zorder=0)
        axes.grid(color="0.92")
        axes.set_axisbelow(True)

    def _draw_map(self, axes: Axes, label: str, matrix: np.ndarray) -> None:
        from matplotlib.colors import ListedColormap

        shades = np.ma.masked_less(classes(matrix), 0)
        axes.pcolormesh(shades, cmap=ListedColormap(SHADE_COLOURS), vmin=-0.5, vmax=7.5)
        axes.set_title(fill(label, 70 // len(self.maps)), fontsize="medium")
        for shade in np.unique(shades.compressed()):
            axes.fill([], [], color=SHADE_COLOURS[shade], label=CLASSES[shade])

    def _label(self, axes: Axes) -> None:
        axes.set_xlabel(fill(self.x_axis.label, 70))
        for axis, scale, letters in (
            (axes.xaxis, self.x_axis, LETTERS // (len(self.maps) or 1)),
            (axes.yaxis, self.y_axis, 0),
        ):
            if scale.ticks is not None:
                low, high = axis.get_view_interval()
                ticks = with_room(scale.ticks, low, high, letters) if letters else scale.ticks
                axis.set_ticks([place for place, _ in ticks], [label for _, label in ticks])


def classes(matrix: np.ndarray) -> np.ndarray:
    """Compute the places in CLASSES of the errors of a map; -1 for NaN.

    >>> classes(np.array([0.5, 0.75, 300.0, np.inf, np.nan])).tolist()
    [0, 1, 6, 7, -1]
    """
    found = np.searchsorted([*SHADES], matrix) + np.isposinf(matrix)
    return np.where(np.isnan(matrix), -1, found)


def _matplotlib() -> Any:
    """Import matplotlib; raises UsageError if it is missing."""
    try:
        import matplotlib
        import matplotlib.figure
    except ImportError:
        raise UsageError(
            'pictures in files need matplotlib; pip install "gelu-cli[plot]"'
        ) from None
    return matplotlib


def show(picture: Picture, path: str | None) -> None:
    """Write a picture to a file, or draw it on stdout and in text files by Braille dots."""
    from gelu_cli.output.canvas import draw

    if path is not None and Path(path).suffix.lower()[1:] in UNDATED:
        picture.save(path)
        return
    with opened(path) as out:
        draw(picture, out)
