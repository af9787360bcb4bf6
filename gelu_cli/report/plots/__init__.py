"""What is drawn: a `Plot`, a record of traces and axes that a renderer turns into a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from gelu_cli.errors import printable
from gelu_cli.report.text import shortened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

PICTURES = ("png", "svg", "pdf")
TEXT = "text"
SUFFIXES = {".txt": TEXT} | {f".{kind}": kind for kind in PICTURES}
"""The formats of files that matplotlib draws; their names are the suffixes, too."""

MARGIN = 0.05
"""What stays free above and below the traces, as a share of the height."""

FOR_NUMBERS = 0.12
"""What stays free above them where marks have numbers."""


class Tick(NamedTuple):
    """A labelled place on an axis: the place is a position of its scale."""

    position: float
    label: str


class Scale(Protocol):
    """How numbers become positions on an axis, and which of them have labels."""

    def positions(self, values: Floats) -> Floats:
        """Return where numbers stand, NaN where they stand nowhere."""

    def ticks(self, low: float, high: float, count: int) -> list[Tick]:
        """Return about so many ticks between two positions, the most telling first."""

    def minor(self, low: float, high: float) -> list[float]:
        """Return where ticks without labels stand between two positions: nowhere by default."""
        return []


class Relabelled(NamedTuple):
    """A scale with other ticks: `change` makes them of those there are and the count wanted."""

    scale: Scale
    change: Callable[[list[Tick], int], list[Tick]]

    def positions(self, values: Floats) -> Floats:
        """Return where the scale has numbers."""
        return self.scale.positions(values)

    def ticks(self, low: float, high: float, count: int) -> list[Tick]:
        """Return the ticks of the scale, changed."""
        return self.change(self.scale.ticks(low, high, count), count)

    def minor(self, low: float, high: float) -> list[float]:
        """Return where the scale has ticks without labels."""
        return self.scale.minor(low, high)


class Axis(NamedTuple):
    """What an axis shows, its unit in the label."""

    label: str
    scale: Scale


class Trace(NamedTuple):
    """Points joined by a line: broken where y is NaN, along the edge where it is infinite."""

    name: str
    x: Floats
    y: Floats


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


class Window(NamedTuple):
    """The part of the plane that is drawn, in positions of the two scales."""

    left: float
    right: float
    bottom: float
    top: float

    def heights(self, plot: Plot, y: Floats) -> Floats:
        """Return the positions of some y, those beyond the window at its edge."""
        import numpy as np

        inside: Floats = np.clip(plot.y.scale.positions(y), self.bottom, self.top)
        return inside

    def shares(self, plot: Plot, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return points as shares of the width, and of the height from the bottom."""
        return (
            (plot.x.scale.positions(x) - self.left) / (self.right - self.left),
            (self.heights(plot, y) - self.bottom) / (self.top - self.bottom),
        )


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


RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
RAISED_WIDTH = 0.65
"""In letters, the width of a raised digit."""


def letters_of(label: str) -> float:
    """Return how wide a label is, in letters."""
    raised = sum(sign in RAISED for sign in label)
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


MARKERS = 9
"""Approximate number of markers on a trace."""


def markers_of(plot: Plot, number: int) -> slice:
    """Return which points of a trace have markers: apart from those of the other traces.

    A single trace has none: they would look like what was measured.
    """
    if len(plot.traces) == 1:
        return slice(0)
    every = max(1, len(plot.traces[number].x) // MARKERS)
    return slice(every * number // len(plot.traces), None, every)


LONGEST = 240
"""Most characters of a name that are drawn; a longer one lacks its middle."""


def legible(plot: Plot) -> Plot:
    """Return a plot whose texts are each one line of signs that are seen, and not too long."""
    return with_texts(plot, lambda text: shortened(printable(text), LONGEST))


def with_texts(plot: Plot, change: Callable[[str], str]) -> Plot:
    """Return a plot in which every text but the labels of ticks is changed."""
    return plot._replace(
        title=change(plot.title),
        x=plot.x._replace(label=change(plot.x.label)),
        y=plot.y._replace(label=change(plot.y.label)),
        traces=[trace._replace(name=change(trace.name)) for trace in plot.traces],
        points=[trace._replace(name=change(trace.name)) for trace in plot.points],
        marks=[mark._replace(label=change(mark.label)) for mark in plot.marks],
        levels=[level._replace(label=change(level.label)) for level in plot.levels],
    )


def zeros_of(plot: Plot, window: Window) -> tuple[float | None, float | None]:
    """Return where the lines at x = 0 and y = 0 are, None for one that the picture has not."""
    import numpy as np

    if not plot.through_zero:
        return None, None
    (x,), (y,) = (axis.scale.positions(np.zeros(1)).tolist() for axis in (plot.x, plot.y))
    inside = window.left < x < window.right, window.bottom < y < window.top
    return x if inside[0] else None, y if inside[1] else None


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


def window_of(plot: Plot) -> Window:
    """Return the window that holds all traces, marks and levels, with a margin above and below.

    That of a plot between given heights ends there.

    >>> import numpy as np
    >>> from gelu_cli.report.plots.scales import Linear
    >>> axis, x = Axis("x", Linear()), np.array([0.0, 1.0, 2.0])
    >>> window_of(Plot("", axis, axis, [Trace("", x, 100 * x)]))
    Window(left=0.0, right=2.0, bottom=-10.0, top=210.0)
    """
    import numpy as np

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


def _ends(positions: Floats) -> tuple[float, float]:
    import numpy as np

    finite = positions[np.isfinite(positions)]
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    if low == high:
        around = abs(low) / 2 or 1.0
        return low - around, high + around
    return low, high
