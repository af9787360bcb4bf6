"""Where the numbers of marks stand in a picture: beside what they mark, and over nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gelu_cli.report.plots import Plot, Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gelu_cli.report.plots import Floats

DIGIT, HIGH = 7.0, 11.0
"""How wide a digit of a number is, and how high, in points of a file or pixels of a page."""

RING = 4.0
"""The radius of the ring around what is marked, in the same unit."""

FAR = (12.0, 18.0, 26.0, 36.0, 48.0)
AROUND = (90, 45, 135, 0, 180, -45, -135, -90, 65, 115, 20, 160, -20, -160, -65, -115, -10, -170)
"""A number stands so far from its ring, in one of these directions; the first that is free."""

LEADER = FAR[0] + 1
"""From this distance on, a line leads from the ring to the number."""

FINE = 2.0
"""Curves are known at points so near each other."""


class Size(NamedTuple):
    """How wide and high the frame of a picture is, in points or pixels."""

    width: float
    height: float


class Place(NamedTuple):
    """Where a mark stands, in positions of the scales, and how far its number is from there.

    Numbers are `right` and `up` of the mark, in points or pixels, each by its middle.
    """

    x: float
    y: float
    right: float
    up: float

    @property
    def led(self) -> bool:
        """Whether the number is so far away that a line has to lead to it."""
        return math.hypot(self.right, self.up) > LEADER


def marks_of(plot: Plot, window: Window) -> Floats:
    """Return where the marks of a plot stand, in positions of the scales, a row each."""
    across = plot.x.scale.positions(np.array([mark.x for mark in plot.marks]))
    up = window.heights(plot, np.array([mark.y for mark in plot.marks]))
    return np.stack([across, up], axis=1)


def places_of_marks(plot: Plot, window: Window, sizes: Sequence[Size]) -> list[Place]:
    """Return where the marks stand, and their numbers so that they are free at all these sizes.

    A number is over no curve, no ring, no other number, and inside the frame, if that can be.
    """
    marks = marks_of(plot, window)
    frames = [_Frame(plot, window, size, marks) for size in sizes]
    offsets = [
        (far * math.cos(math.radians(angle)), far * math.sin(math.radians(angle)))
        for far in FAR for angle in AROUND
    ]  # fmt: skip
    places = []
    for number, (x, y) in enumerate(marks.tolist()):
        half = np.array([DIGIT * len(str(plot.first + number)), HIGH]) / 2
        costs = [sum(frame.cost(number, offset, half) for frame in frames) for offset in offsets]
        offset = offsets[int(np.argmin(costs))]
        for frame in frames:
            frame.take(number, offset, half)
        places.append(Place(x, y, *offset))
    return places


class _Frame:
    """A picture of one size, and what is taken in it."""

    def __init__(self, plot: Plot, window: Window, size: Size, marks: Floats) -> None:
        self._size = np.array(size)
        self._low = np.array([window.left, window.bottom])
        self._span = np.array([window.right, window.top]) - self._low
        lines = [
            self._points(plot.x.scale.positions(trace.x), window.heights(plot, trace.y))
            for trace in plot.traces
        ]
        self._curves = np.concatenate([np.empty((0, 2)), *map(_finely, lines)])
        self._rings = self._points(*marks.T)
        self._numbers: list[tuple[Floats, Floats]] = []

    def cost(self, number: int, offset: tuple[float, float], half: Floats) -> float:
        """Return how much a number there would cover, 0 if nothing."""
        middle = self._rings[number] + offset
        covered = int(_inside(self._curves, middle, half + 1).sum())
        rings = int(_inside(self._rings, middle, half + RING).sum())
        numbers = sum(
            bool((np.abs(there - middle) < half + size + 1).all()) for there, size in self._numbers
        )
        led = self._rings[number] + np.linspace(0, 1, 9)[:, None] * offset
        crossed = sum(bool(_inside(led, there, size).any()) for there, size in self._numbers)
        outside = bool(((middle < half) | (middle > self._size - half)).any())
        return covered + 10 * rings + 100 * (numbers + crossed) + 1000 * outside

    def take(self, number: int, offset: tuple[float, float], half: Floats) -> None:
        """Keep a place for a number."""
        self._numbers.append((self._rings[number] + offset, half))

    def _points(self, x: Floats, y: Floats) -> Floats:
        points: Floats = (np.stack([x, y], axis=1) - self._low) / self._span * self._size
        return points


def _inside(points: Floats, middle: Floats, half: Floats) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = np.all(np.abs(points - middle) < half, axis=1)
    return inside


def _finely(line: Floats) -> Floats:
    """Return points along a line, about `FINE` apart, none where it is broken."""
    steps = np.diff(line, axis=0)
    long = np.ceil(np.abs(steps).max(axis=1, initial=0) / FINE)
    there = np.isfinite(long)
    count = np.maximum(1, long[there]).astype(int)
    start, step = (np.repeat(part[there], count, axis=0) for part in (line[:-1], steps))
    first = np.repeat(np.cumsum(count) - count, count)
    share = (np.arange(count.sum()) - first) / np.repeat(count, count)
    ends = line[np.isfinite(line).all(axis=1)]
    return np.concatenate([start + share[:, None] * step, ends])
