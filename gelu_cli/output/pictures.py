"""Pictures as plain data, and their drawing by matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import cycle
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

COLOURS = ("#0072b2", "#c74e00", "#008560", "#b0578c", "#1b1d22", "#2b86b8", "#a87000", "#666666")
"""Near those of Okabe and Ito (2008), darkened to a contrast of 3 on white."""

LINES = ("-", "--", "-.", ":")
ULPS = (0, 0.5, 1, 2, 4, 16, 256, 65536)
"""Errors at which the colours of a map change."""

LARGEST = 1e250
WIDTH, HEIGHT, DOTS_PER_INCH, LETTERS = 7.0, 4.6, 150, 70
UNDATED = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


@dataclass(frozen=True)
class Axis:
    """The label and the scale of an axis.

    Attributes
    ----------
    label
        What the axis shows, with its unit.
    linear
        If set, a power of 10: the axis is linear within ±linear and logarithmic beyond.
    """

    label: str = ""
    linear: float | None = None

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

    def numbers(self, positions: ArrayLike) -> np.ndarray:
        """Compute the numbers at positions, the inverse of `scaled`.

        >>> Axis(linear=1e-3).numbers([-4.0, 0.0, 0.5, 2.0]).tolist()
        [-1.0, 0.0, 0.0005, 0.01]
        """
        places = np.asarray(positions, float)
        if self.linear is None:
            return places
        size = np.abs(places)
        far = 10 ** (np.maximum(size, 1) - 1)
        return np.asarray(np.sign(places) * np.where(size < 1, size, far) * self.linear)


@dataclass(frozen=True)
class Picture:
    """Curves over x, or a map over two inputs for each kernel.

    NaN is a gap. Infinities, and sizes above 1e250, are drawn beyond all other numbers.

    Attributes
    ----------
    title
        One sentence; it is wrapped.
    x
        Increasing numbers, one for each value of a curve; the same number twice makes a step. Of
        maps the edges of the columns.
    curves
        Values by the label of the legend. Of maps matrices of ULP errors, the first row lowest.
    x_axis, y_axis
        Labels and scales.
    levels
        Horizontal lines by label, such as a bound.
    y
        Edges of the rows of maps; None for curves.

    Examples
    --------
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
        """Put infinities of the curves at ten times the largest finite size."""
        every = np.concatenate([[*self.levels.values(), 0.0], *self.curves.values()])
        edge = 10 * min(np.abs(every[np.isfinite(every)]).max(), LARGEST / 10) or 1.0
        return {label: np.clip(y, -edge, edge) for label, y in self.curves.items()}

    def figure(self) -> Figure:
        """Draw the picture by matplotlib.

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
            shown = np.minimum(errors, LARGEST)  # matplotlib leaves infinity out
            mesh = axes.pcolormesh(self.x, self.y, shown, norm=norm, cmap="YlOrRd")
            axes.set_title(fill(label, LETTERS), fontsize="medium")
        figure.colorbar(mesh, ax=frames, label="largest error in ULP", format="%g")

    def _scale(self, axes: Axes) -> None:
        axes.set(xlabel=self.x_axis.label, ylabel=self.y_axis.label)
        if self.x_axis.linear:
            axes.set_xscale("symlog", linthresh=self.x_axis.linear)
        if self.y_axis.linear:
            axes.set_yscale("symlog", linthresh=self.y_axis.linear)
