"""What is drawn: a `Plot`, a record of traces and axes that a renderer turns into a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.old.report import Floats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gelu_cli.old.report.plots.look import Look

PICTURES = ("png", "svg", "pdf")
TEXT = "text"
SUFFIXES = {".txt": TEXT} | {f".{kind}": kind for kind in PICTURES}
"""The formats of files with pictures; their names are the suffixes, too."""


class Tick(NamedTuple):
    """A labelled place on an axis: the place is a position of its scale."""

    position: float
    label: str


class Scale(NamedTuple):
    """How numbers become positions on an axis, and which of them have labels."""

    positions: Callable[[Floats], Floats]
    """Where numbers stand, NaN where they stand nowhere."""

    ticks: Callable[[float, float, int], list[Tick]]
    """About so many ticks between two positions, the most telling first."""

    minor: Callable[[float, float], list[float]] = lambda low, high: []
    """Where ticks without labels stand between two positions."""


class Axis(NamedTuple):
    """What an axis shows, its unit in the label."""

    label: str
    scale: Scale


class Trace(NamedTuple):
    """Points joined by a line: broken where y is NaN, along the edge where it is infinite.

    Or a map: cells between the x and the y, row by row, of these `Plot.shades`, −1 of none.
    """

    name: str
    x: Floats
    y: Floats
    shades: NDArray[np.int64] | None = None


class Mark(NamedTuple):
    """A point to look at, and what to know about it."""

    x: float
    y: float
    label: str
    trace: int | None = None
    """The place of the trace that it is on, if it is on one."""


class Level(NamedTuple):
    """A horizontal line all across the picture, to compare traces with."""

    y: float
    label: str


class Plot(NamedTuple):
    """One picture: title, axes, traces, and what stands out."""

    title: str
    x: Axis
    y: Axis
    traces: Sequence[Trace]
    marks: Sequence[Mark] = ()
    levels: Sequence[Level] = ()
    points: Sequence[Trace] = ()
    """Over the traces: points that no line joins."""

    through_zero: bool = False
    """Whether thin lines are at x = 0 and y = 0, where these are within the picture."""

    heights: tuple[float, float] | None = None
    """From which y to which it is drawn, if that is not where the traces are."""

    apart: bool = False
    """Whether each trace has a frame of its own; all of them have the same axes."""

    first: int = 1
    """The number of the first mark."""

    shades: Sequence[str] = ()
    """What the shades of maps mean, the mildest first."""


def file_of(plot: Plot, kind: str, look: Look) -> bytes:
    """Return a plot as a file of a kind, one of `PICTURES`."""
    if kind == "svg":
        from gelu_cli.old.report.plots.svg import render as render_svg

        return render_svg(plot, look)
    from gelu_cli.old.report.plots.image import render

    return render(plot, kind, look)
