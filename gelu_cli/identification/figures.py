"""Figures that are to be explained: decimals in print, or results in a format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array, nearest, numbers, ulps
from gelu_cli.arithmetic.formats import Format
from gelu_cli.errors import UsageError
from gelu_cli.values.figures import places_of

MOST = 1 << 16
"""The most figures that are looked at; of more, as many are taken, spread evenly."""

STEP, END = 2.0**-6, 16.0
"""Inputs for a kernel: the multiples of STEP up to ±END, beyond which forms hardly differ."""

AT_RANDOM = 2048
"""Further inputs, from −END/2 to END/2, whose significands are long: there roundings differ."""


class Bounds(NamedTuple):
    """What a value at x lies between, both ends included, if a figure is that value, rounded."""

    x: Fraction
    low: Fraction
    high: Fraction


@dataclass(frozen=True, eq=False)
class Figures:
    """Figures of a quantity at each x: decimals in print, or results in a format.

    A decimal stands for all numbers that round to it, half a unit of its last place either way.
    """

    name: str
    quantity: str
    x: Sequence[Decimal | float | Fraction] | Array
    y: Sequence[Decimal] | Array
    formats: tuple[Format, Format] | None = None
    """The formats of x and of results; None for figures in print."""

    @property
    def result(self) -> Format | None:
        """The format of results; None for figures in print."""
        return self.formats and self.formats[1]

    @cached_property
    def points(self) -> list[float | Fraction]:
        """The points, −0 as a float."""
        exact = (Fraction(x) if isinstance(x, Decimal) and x else x for x in self.x)
        return [x if isinstance(x, Fraction) else float(x) for x in exact]

    @cached_property
    def at(self) -> Array:
        """The points as float64s."""
        return np.array([float(x) for x in self.points])

    @cached_property
    def about(self) -> Array:
        """The figures as float64s."""
        return np.array([float(y) for y in self.y])

    @cached_property
    def units(self) -> Array:
        """The units of figures as float64s: of the last place printed, or ULP."""
        if self.result is not None:
            return ulps(self.result, self.about)
        return np.array([float(unit(y)) for y in self.y])

    def bounds(self, slack: int = 1) -> dict[int, Bounds]:
        """Return the bounds of finite figures at finite points, `slack` times as far apart."""
        found = {}
        for place in np.flatnonzero(np.isfinite(self.at) & np.isfinite(self.about)).tolist():
            y = Fraction(self.y[place])
            if self.result is None:
                below = above = unit(self.y[place]) / 2
            else:
                away = self.result.ulp(y) / 2
                # Towards 0 the next number is half as far if y is a power of 2.
                towards = self.result.ulp(abs(y) - away / 2) / 2
                below, above = (towards, away) if y >= 0 else (away, towards)
            more = (slack - 1) * (below + above) / 2
            found[place] = Bounds(Fraction(self.points[place]), y - below - more, y + above + more)
        return found

    def texts(self, place: int) -> tuple[str, str]:
        """Return a point and the figure there as text."""
        x, y = self.x[place], self.y[place]
        if self.formats is None:
            return str(x), str(y)
        return in_text(self.formats[0], float(x)), in_text(self.formats[1], float(y))

    def part(self, places: Sequence[int]) -> Figures:
        """Return some of the figures."""
        return replace(self, x=[self.x[i] for i in places], y=[self.y[i] for i in places])

    def count_near(self, values: Array, spare: Array | float = 0.0) -> int:
        """Return how many values are within ¾ of a unit of the figure, and a little more."""
        with np.errstate(invalid="ignore"):
            off = np.abs(values - self.about)
        most = 0.75 * self.units + 2.0**-40 * np.abs(self.about) + spare
        return int(np.count_nonzero(off <= most))

    def limited(self) -> tuple[Figures, str]:
        """Return the figures that are looked at, and a note if they are not all."""
        count = len(self.y)
        if count <= MOST:
            return self, ""
        places = np.linspace(0, count - 1, MOST).astype(int).tolist()
        return self.part(places), f"{MOST:,} of {count:,} figures are looked at, evenly spread"

    def check(self) -> None:
        """Raise `UsageError` where there are no figures, or two in print that contradict."""
        if not len(self.y):
            raise UsageError("no figures; give pairs like 2=1.9546, or a file")
        if self.result is not None:
            return
        seen: dict[float | Fraction, Decimal] = {}
        for place, (x, y) in enumerate(zip(self.points, self.y, strict=True)):
            other = seen.setdefault(x, y)
            apart = abs(Fraction(y) - Fraction(other))
            if apart and apart >= (unit(y) + unit(other)) / 2:
                raise UsageError(
                    f"two figures at x = {self.x[place]} contradict each other, {other} and {y}: "
                    "leave one of them out"
                )


def in_text(number_format: Format, value: float) -> str:
    """Return a number of a format in the fewest digits that tell it from the others.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> in_text(FORMATS["float32"], 0.841344773769378662109375)
    '0.8413448'
    """
    text = number_format.shortest(value) if np.isfinite(value) else repr(value)
    return text.replace("e-0", "e-").replace("e+0", "e+")


def unit(y: Decimal) -> Fraction:
    """Return the unit of the last place that is printed.

    >>> unit(Decimal("1.9546"))
    Fraction(1, 10000)
    """
    return Fraction(10) ** -places_of(y)


def well_chosen(number_format: Format) -> Array:
    """Return the inputs at which a kernel is called to see which form it computes.

    They are every number of a 16- or 8-bit format but NaN, or a few thousand of a larger one.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> len(well_chosen(FORMATS["bfloat16"])), len(well_chosen(FORMATS["float32"]))
    (65282, 4097)
    """
    if number_format.width <= 16:
        every = numbers(number_format, np.arange(1 << number_format.width))
        return every[~np.isnan(every)]
    even = np.arange(-END, END + STEP, STEP)
    drawn = np.random.default_rng(0).uniform(-END / 2, END / 2, AT_RANDOM)
    return np.concatenate([even, nearest(number_format, drawn)[0]])
