"""Where everything stands, the same for text, pages and files: windows, panels, ticks, numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.errors import UsageError, printable
from gelu_cli.old.report import Floats
from gelu_cli.old.report.plots import Mark, Plot, Tick, Trace
from gelu_cli.old.report.plots.scales import RAISED, linear
from gelu_cli.old.report.text import changed, shortened

LONGEST = 240
"""Most characters of a name that are drawn; a longer one lacks its middle."""

ONE_MARK = 1 / 200
"""Marks that are so near each other, as a share of the width and of the height, are one."""

MARGIN = 0.05
"""What stays free above and below the traces, as a share of the height."""

FOR_NUMBERS = 0.12
"""What stays free above them where marks have numbers."""

MARKERS = 9
"""Approximate number of markers on a trace."""

RAISED_WIDTH = 0.65
"""In letters, the width of a raised digit."""


class Window(NamedTuple):
    """The part of the plane that is drawn, in positions of the two scales."""

    left: float
    right: float
    bottom: float
    top: float

    def shares(self, plot: Plot, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return points as shares of the width, and of the height, which ends at its edges."""
        heights = np.clip(plot.y.scale.positions(y), self.bottom, self.top)
        return (
            (plot.x.scale.positions(x) - self.left) / (self.right - self.left),
            (heights - self.bottom) / (self.top - self.bottom),
        )


def window_of(plot: Plot) -> Window:
    """Return the window that holds all traces, marks and levels, with a margin above and below.

    That of a plot between given heights ends there.

    >>> from gelu_cli.old.report.plots import Axis
    >>> axis, x = Axis("x", linear()), np.array([0.0, 1.0, 2.0])
    >>> window_of(Plot("", axis, axis, [Trace("", x, 100 * x)]))
    Window(left=0.0, right=2.0, bottom=-10.0, top=210.0)
    """
    heights = [*(mark.y for mark in plot.marks), *(level.y for level in plot.levels)]
    drawn = [*plot.traces, *plot.points]
    x = [*(trace.x for trace in drawn), np.array([mark.x for mark in plot.marks])]
    y = [*(trace.y for trace in drawn), np.array(heights)]
    left, right = _ends(plot.x.scale.positions(np.concatenate(x)))
    if plot.heights:
        return Window(left, right, *plot.y.scale.positions(np.array(plot.heights)).tolist())
    bottom, top = _ends(plot.y.scale.positions(np.concatenate(y)))
    margin = MARGIN * (top - bottom)
    above = FOR_NUMBERS * (top - bottom) if plot.marks else margin
    return Window(left, right, bottom - margin, top + above)


def prepared(plot: Plot) -> Plot:
    """Return a plot whose texts are seen, each on one line, and whose marks on one spot are one.

    >>> from gelu_cli.old.report.plots import Axis
    >>> axis, x = Axis("x", linear()), np.array([0.0, 1.0])
    >>> marks = [Mark(0.5, 0.5, "a"), Mark(0.5001, 0.5, "b"), Mark(1.0, 1.0, "c")]
    >>> [mark.label for mark in prepared(Plot("", axis, axis, [Trace("", x, x)], marks)).marks]
    ['a; b', 'c']
    """
    plot = changed(plot, lambda text: shortened(printable(text), LONGEST))
    x, y = np.array([mark.x for mark in plot.marks]), np.array([mark.y for mark in plot.marks])
    places = np.column_stack(window_of(plot).shares(plot, x, y))
    spots: list[tuple[Floats, list[Mark]]] = []
    for mark, place in zip(plot.marks, places, strict=True):
        for at, marks in spots:
            in_frame = not plot.apart or mark.trace == marks[0].trace
            if in_frame and (abs(at - place) < ONE_MARK).all():
                marks.append(mark)
                break
        else:
            spots.append((place, [mark]))
    joined = [(marks[0], "; ".join(mark.label for mark in marks)) for _, marks in spots]
    return plot._replace(marks=[mark._replace(label=label) for mark, label in joined])


def _ends(positions: Floats) -> tuple[float, float]:
    finite = positions[np.isfinite(positions)]
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    if low == high:
        around = abs(low) / 2 or 1.0
        return low - around, high + around
    return low, high


def between(plot: Plot, low: float, high: float) -> Plot:
    """Return the part of a plot from one y to another; raises `UsageError` where there is none.

    A line goes on to the edge of the picture, at the first of its points beyond it. Marks, points
    and levels beyond it are left out, and what is infinite stays along the edge.

    >>> from gelu_cli.old.report.plots import Axis
    >>> axis, x = Axis("x", linear()), np.array([0.0, 1.0, 2.0, 3.0])
    >>> (trace,) = between(Plot("", axis, axis, [Trace("", x, 10 * x)]), 0, 15).traces
    >>> trace.y.tolist()
    [0.0, 10.0, 15.0, nan]
    """
    if plot.shades:
        raise UsageError("--y-range is for curves, not for a map")
    scale = plot.y.scale
    bottom, top = scale.positions(np.array([low, high])).tolist()
    if not bottom < top:
        raise UsageError(f"--y-range {low:g}:{high:g} is no part of the axis of this picture")

    def clipped(trace: Trace) -> Trace:
        y = trace.y
        side = np.where(np.isfinite(y), (y > high) * 1 - (y < low), 0)
        before, after = np.append(side[:1], side[:-1]), np.append(side[1:], side[-1:])
        first_beyond = (side != before) | (side != after)
        edge = np.where(first_beyond, np.clip(y, low, high), np.nan)
        return trace._replace(y=np.where(side == 0, y, edge))

    def held(trace: Trace) -> Trace:
        inside = (low <= trace.y) & (trace.y <= high)
        return Trace(trace.name, trace.x[inside], trace.y[inside])

    def ticks(left: float, right: float, count: int) -> list[Tick]:
        shown = scale.ticks(left, right, count)
        if len(shown) > 1:
            return shown
        numbers = linear().ticks(low, high, count)  # so few heights may have no power of 10
        places = scale.positions(np.array([tick.position for tick in numbers])).tolist()
        return [Tick(place, tick.label) for place, tick in zip(places, numbers, strict=True)]

    traces = [*map(clipped, plot.traces)]
    if all(np.isnan(trace.y).all() for trace in traces):
        raise UsageError(f"--y-range {low:g}:{high:g} has no part of any curve")
    return plot._replace(
        y=plot.y._replace(scale=scale._replace(ticks=ticks)),
        traces=traces,
        points=[*map(held, plot.points)],
        marks=[mark for mark in plot.marks if np.isinf(mark.y) or low <= mark.y <= high],
        levels=[level for level in plot.levels if low <= level.y <= high],
        heights=(low, high),
    )


def panels_of(plot: Plot) -> list[Plot]:
    """Return the plot of each frame: one, or one for each trace, whose title is its name."""
    if not plot.apart:
        return [plot]
    panels, first = [], plot.first
    for number, trace in enumerate(plot.traces):
        marks = [mark for mark in plot.marks if mark.trace == number]
        x, y = plot.x._replace(label=""), plot.y._replace(label="")
        panels.append(Plot(trace.name, x, y, [trace], marks, plot.levels, first=first))
        first += len(marks)
    return panels


def zeros_of(plot: Plot, window: Window) -> tuple[float | None, float | None]:
    """Return where the lines at x = 0 and y = 0 are, None for one that the picture has not."""
    if not plot.through_zero:
        return None, None
    (x,), (y,) = (axis.scale.positions(np.zeros(1)).tolist() for axis in (plot.x, plot.y))
    inside = window.left < x < window.right, window.bottom < y < window.top
    return x if inside[0] else None, y if inside[1] else None


def markers_of(plot: Plot, number: int) -> slice:
    """Return which points of a trace have markers: apart from those of the other traces.

    A single trace has none: they would look like what was measured.
    """
    if len(plot.traces) == 1:
        return slice(0)
    every = max(1, len(plot.traces[number].x) // MARKERS)
    return slice(every * number // len(plot.traces), None, every)


def without_overlap(ticks: Sequence[Tick], window: Window, letters: float) -> list[Tick]:
    """Return the ticks whose labels have room side by side, of so many letters; the first first.

    Of two on either side of 0 both have a label, or neither.
    """
    letter = (window.right - window.left) / letters
    taken: list[tuple[float, float]] = []
    shown: list[Tick] = []
    for pair in mirrored(ticks):
        places = list(taken)
        for tick in pair:
            half = (letters_of(tick.label) + 1) / 2 * letter
            low, high = tick.position - half, tick.position + half
            if all(high <= left or right <= low for left, right in places):
                places.append((low, high))
        if len(places) == len(taken) + len(pair):
            taken = places
            shown += pair
    return shown


def letters_of(label: str) -> float:
    """Return how wide a label is, in letters."""
    raised = sum(ord(sign) in RAISED.values() for sign in label)
    return len(label) - (1 - RAISED_WIDTH) * raised


def mirrored(ticks: Sequence[Tick]) -> Iterator[list[Tick]]:
    """Yield the ticks in their order, each with the one on the other side of 0 if there is any.

    >>> [[tick.label for tick in pair] for pair in mirrored([Tick(n, str(n)) for n in (0, 2, -2)])]
    [['0'], ['2', '-2']]
    """
    at = {tick.position: tick for tick in ticks}
    while at:
        tick = at.pop(next(iter(at)))
        yield [tick, *filter(None, [at.pop(-tick.position, None)])]
