"""A plot between two heights: what is above and below is cut away."""

from __future__ import annotations

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.report.plots import Plot, Relabelled, Scale, Tick, Trace
from gelu_cli.report.plots.scales import Linear


def between(plot: Plot, low: float, high: float) -> Plot:
    """Return the part of a plot from one y to another; raises `UsageError` where there is none.

    Lines end where they leave the picture; marks and levels beyond it are left out. What is
    infinite stays along the edge.

    >>> from gelu_cli.report.plots import Axis
    >>> axis, x = Axis("x", Linear()), np.array([0.0, 1.0, 2.0])
    >>> (trace,) = between(Plot("", axis, axis, [Trace("", x, 10 * x)]), 0, 15).traces
    >>> trace.x.tolist(), trace.y.tolist()
    ([0.0, 1.0, 1.5, 2.0], [0.0, 10.0, 15.0, nan])
    """
    scale = plot.y.scale
    bottom, top = scale.positions(np.array([low, high])).tolist()
    if not bottom < top:
        raise UsageError(f"--y-range {low:g}:{high:g} is no part of the axis of this picture")
    traces = [_cut(trace, scale, low, high) for trace in plot.traces]
    if all(np.isnan(trace.y).all() for trace in traces):
        raise UsageError(f"--y-range {low:g}:{high:g} has no part of any curve")

    def ticks(shown: list[Tick], count: int) -> list[Tick]:
        if len(shown) > 1:
            return shown
        numbers = Linear().ticks(low, high, count)  # so few heights may have no power of 10
        places = scale.positions(np.array([tick.position for tick in numbers])).tolist()
        return [Tick(place, tick.label) for place, tick in zip(places, numbers, strict=True)]

    return plot._replace(
        y=plot.y._replace(scale=Relabelled(scale, ticks)),
        traces=traces,
        points=[_held(trace, low, high) for trace in plot.points],
        marks=[mark for mark in plot.marks if np.isinf(mark.y) or low <= mark.y <= high],
        levels=[level for level in plot.levels if low <= level.y <= high],
        heights=(low, high),
    )


def _cut(trace: Trace, scale: Scale, low: float, high: float) -> Trace:
    """Return a trace with a point where it goes through an edge, and none beyond."""
    x, y = trace.x, trace.y
    for edge in (low, high):
        (place,) = scale.positions(np.array([edge]))
        up = scale.positions(y) - place
        side = np.where(np.isfinite(up), np.sign(up), 0)
        at = np.flatnonzero(side[:-1] * side[1:] < 0)
        share = up[at] / (up[at] - up[at + 1])
        x = np.insert(x, at + 1, x[at] + share * (x[at + 1] - x[at]))
        y = np.insert(y, at + 1, edge)
    beyond = np.isfinite(y) & ((y < low) | (y > high))
    return Trace(trace.name, x, np.where(beyond, np.nan, y))


def _held(trace: Trace, low: float, high: float) -> Trace:
    """Return the points that are not beyond the edges."""
    inside = (low <= trace.y) & (trace.y <= high)
    return Trace(trace.name, trace.x[inside], trace.y[inside])
