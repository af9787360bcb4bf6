"""Scales of axes: linear, logarithmic, logarithmic on both sides of 0, and piecewise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gelu_cli.report.plots import Scale, Tick
from gelu_cli.report.plots.labels import decade, number

if TYPE_CHECKING:
    from gelu_cli.report.plots import Floats

STEPS = (1, 2, 5, 10)
WITHIN_A_DECADE = np.log10(np.arange(2, 10)).tolist()
"""Where twice to nine times a power of 10 stand above it, in decades."""

WHOLE_DIGITS = 6
"""Most digits before the point of a number that is written without an exponent."""


class Linear(Scale):
    """Numbers stand where they are; ticks are 1, 2 or 5 times a power of 10 apart.

    >>> [tick.label for tick in Linear().ticks(-1.0, 1.0, 5)]
    ['−1', '−0.5', '0', '0.5', '1']
    >>> [tick.label for tick in Linear().ticks(0.0, 1000.0, 5)]
    ['0', '200', '400', '600', '800', '1000']
    """

    def positions(self, values: Floats) -> Floats:
        """Return the numbers themselves."""
        return values

    def ticks(self, low: float, high: float, count: int) -> list[Tick]:
        """Return multiples of one step."""
        rough = (high - low) / max(count, 1)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(multiple * power for multiple in STEPS if multiple * power >= 0.99 * rough)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        digits = max(1, math.ceil(math.log10(max(abs(low), abs(high)) / step)) + 1)
        if max(abs(low), abs(high)) < 10**WHOLE_DIGITS:
            digits = max(digits, WHOLE_DIGITS)
        places = (min(max(n * step, low), high) for n in range(first, last + 1))
        return [Tick(place, number(f"{place:.{digits}g}")) for place in dict.fromkeys(places)]


class Logarithmic(Scale):
    """Decades are equally long; what is below `least`, a power of 10, stands at its place.

    >>> [tick.label for tick in Logarithmic(0.01).ticks(-2.0, 3.0, 6)]
    ['≤ 10⁻²', '10⁻¹', '1', '10', '10²', '10³']
    """

    def __init__(self, least: float) -> None:
        self.least = least

    def positions(self, values: Floats) -> Floats:
        """Return the decimal logarithms."""
        return np.log10(np.maximum(values, self.least))

    def ticks(self, low: float, high: float, count: int) -> list[Tick]:
        """Return powers of 10, the lowest of them for all that is below it, too."""
        step = max(1, math.ceil((high - low) / max(count, 1)))
        first, last = math.ceil(low / step), math.floor(high / step)
        least = round(math.log10(self.least))
        powers = [n * step for n in range(first, last + 1) if n * step > least + step / 2]
        below = [Tick(least, f"≤ {decade(least)}")] if low <= least else []
        return below + [Tick(n, decade(n)) for n in powers]

    def minor(self, low: float, high: float) -> list[float]:
        """Return where twice to nine times the powers of 10 stand."""
        first = max(math.floor(low), round(math.log10(self.least)))
        places = (n + part for n in range(first, math.ceil(high)) for part in WITHIN_A_DECADE)
        return [place for place in places if low <= place <= high]


class Symmetric(Scale):
    """Logarithmic on both sides of 0: a decade is 1, and ±`least`, a power of 10, stands at ±1.

    >>> scale = Symmetric(1e-3)
    >>> scale.positions(np.array([-1.0, 0.0, 5e-4, 1e-3, 1e-2])).tolist()
    [-4.0, 0.0, 0.5, 1.0, 2.0]
    >>> [tick.label for tick in scale.ticks(-2.0, 2.0, 5)]
    ['0', '−10⁻³', '10⁻³', '−10⁻²', '10⁻²']
    """

    def __init__(self, least: float) -> None:
        self.least = least

    def positions(self, values: Floats) -> Floats:
        """Return 1 + log₁₀ of the size in units of `least`, below that the size itself."""
        with np.errstate(over="ignore"):  # beyond float64: infinite, at the edge of the picture
            size = np.abs(values) / self.least
        far = 1 + np.log10(np.maximum(size, 1.0))
        return np.copysign(np.where(size < 1, size, far), values) + 0.0

    def ticks(self, low: float, high: float, count: int) -> list[Tick]:
        """Return 0, and powers of 10 with either sign."""
        step = max(1, math.ceil((high - low) / max(count, 1)))
        places = sorted(range(math.ceil(low), math.floor(high) + 1), key=abs)
        return [Tick(n, self._label(n)) for n in places if n == 0 or abs(n) % step == 1 % step]

    def minor(self, low: float, high: float) -> list[float]:
        """Return where twice to nine times the powers of 10 stand, with either sign."""
        farthest = math.ceil(max(-low, high))
        sizes = [n + part for n in range(1, farthest) for part in WITHIN_A_DECADE]
        return [place for size in sizes for place in (-size, size) if low <= place <= high]

    def _label(self, place: int) -> str:
        least = round(math.log10(self.least))
        return decade(least + abs(place) - 1, sign=place) if place else "0"


class Piecewise(Scale):
    """Linear between given numbers at given positions, with given ticks.

    >>> Piecewise([0.0, 1.0, 1000.0], [0.0, 1.0, 2.0], []).positions(np.array([0.5, 500.5]))
    array([0.5, 1.5])
    """

    def __init__(
        self, values: Sequence[float], positions: Sequence[float], ticks: Sequence[Tick]
    ) -> None:
        self._values = values
        self._positions = positions
        self._ticks = ticks

    def positions(self, values: Floats) -> Floats:
        """Return what lies between the positions as the numbers lie between those given."""
        return np.interp(values, self._values, self._positions)

    def ticks(self, low: float, high: float, count: int) -> list[Tick]:
        """Return the ticks in the window, in the order given; whoever draws leaves some out."""
        return [tick for tick in self._ticks if low <= tick.position <= high]
