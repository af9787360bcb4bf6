"""Figures that are to be explained: decimals in print, or results in a format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array, nearest, numbers, ulps
from gelu_cli.arithmetic.formats import Format
from gelu_cli.errors import UsageError
from gelu_cli.values.figures import places_of

MOST = 1 << 16
"""Of more figures than these, as many are looked at, spread evenly over all."""

STEP, END = 2.0**-6, 16.0
"""Inputs for a kernel: the multiples of STEP up to ±END, beyond which forms hardly differ."""

AT_RANDOM = 2048
"""Further inputs, from −END/2 to END/2, whose significands are long: there roundings differ."""


class Bounds(NamedTuple):
    """What a value at x lies between, both ends included, if a figure is that value, rounded."""

    x: Fraction
    low: Fraction
    high: Fraction

    def widened(self, times: int) -> Bounds:
        """Return bounds around the same middle, `times` as far apart."""
        more = (times - 1) * (self.high - self.low) / 2
        return Bounds(self.x, self.low - more, self.high + more)


class Printed(NamedTuple):
    """Figures in print: each stands for all numbers that round to it, half a unit either way."""

    name: str
    quantity: str
    x: Sequence[Decimal | float | Fraction]
    y: Sequence[Decimal]

    @property
    def points(self) -> list[float | Fraction]:
        """The points, −0 as a float."""
        return [(Fraction(x) if x else float(x)) if isinstance(x, Decimal) else x for x in self.x]

    def bounds(self) -> Iterator[tuple[int, Bounds]]:
        """Yield the bounds of the figures at finite points, with their places."""
        for place, (x, y) in enumerate(zip(self.points, self.y, strict=True)):
            if isinstance(x, Fraction) or np.isfinite(x):
                half = unit(y) / 2
                yield place, Bounds(Fraction(x), Fraction(y) - half, Fraction(y) + half)

    @property
    def result(self) -> None:
        """The format of results: none."""

    def texts(self, place: int) -> tuple[str, str]:
        """Return a point and the figure there as text."""
        return str(self.x[place]), str(self.y[place])

    def part(self, places: Sequence[int]) -> Printed:
        """Return some of the figures."""
        return self._replace(x=[self.x[i] for i in places], y=[self.y[i] for i in places])


class Results(NamedTuple):
    """Results in a format, at numbers of a format."""

    name: str
    quantity: str
    x: Array
    y: Array
    dtype: Format
    result: Format

    @property
    def points(self) -> list[float]:
        """The points."""
        return [float(x) for x in self.x]

    def bounds(self) -> Iterator[tuple[int, Bounds]]:
        """Yield the bounds of the finite results at finite points, with their places."""
        finite = np.isfinite(self.x) & np.isfinite(self.y)
        for place in np.flatnonzero(finite).tolist():
            x, y = Fraction(float(self.x[place])), Fraction(float(self.y[place]))
            away = self.result.ulp(y) / 2
            # Towards 0 the next number is half as far if y is a power of 2.
            towards = self.result.ulp(abs(y) - away / 2) / 2
            low, high = (towards, away) if y >= 0 else (away, towards)
            yield place, Bounds(x, y - low, y + high)

    def texts(self, place: int) -> tuple[str, str]:
        """Return a point and the result there as text."""
        x, y = float(self.x[place]), float(self.y[place])
        return in_text(self.dtype, x), in_text(self.result, y)

    def part(self, places: Sequence[int]) -> Results:
        """Return some of the results."""
        return self._replace(x=self.x[places], y=self.y[places])


Figures: TypeAlias = Printed | Results


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


class Rough(NamedTuple):
    """Figures as float64s, and their units: of the last place printed, or ULP."""

    x: Array
    y: Array
    units: Array

    def count_near(self, values: Array, spare: Array | float = 0.0) -> int:
        """Return how many values are within ¾ of a unit of y, and a little more."""
        with np.errstate(invalid="ignore"):
            off = np.abs(values - self.y)
        return int(np.count_nonzero(off <= 0.75 * self.units + 2.0**-40 * np.abs(self.y) + spare))


def roughly(figures: Figures) -> Rough:
    """Return figures as float64s."""
    if isinstance(figures, Results):
        return Rough(figures.x, figures.y, ulps(figures.result, figures.y))
    columns = figures.points, figures.y, map(unit, figures.y)
    return Rough(*(np.array([float(each) for each in column]) for column in columns))


def limited(figures: Figures) -> tuple[Figures, str]:
    """Return the figures that are looked at, and a note if they are not all."""
    count = len(figures.y)
    if count <= MOST:
        return figures, ""
    places = np.linspace(0, count - 1, MOST).astype(int).tolist()
    return figures.part(places), f"{MOST:,} of {count:,} figures are looked at, evenly spread"


def between_the_ends(figures: Figures, most: int) -> Figures:
    """Return `most` figures or fewer, spread over those at which a parameter counts."""
    if len(figures.y) <= most:
        return figures
    size = np.abs(np.array([float(x) for x in figures.x]))
    places = np.flatnonzero((size >= 1 / 16) & (size <= 6))
    if not len(places):
        places = np.arange(len(size))
    spread = np.linspace(0, len(places) - 1, min(most, len(places))).astype(int)
    return figures.part(places[spread].tolist())


def check(figures: Figures) -> None:
    """Raise `UsageError` where there are no figures, or two that contradict each other."""
    if not len(figures.y):
        raise UsageError("no figures; give pairs like 2=1.9546, or a file")
    if isinstance(figures, Results):
        return
    seen: dict[float | Fraction, int] = {}
    for place, (x, y) in enumerate(zip(figures.points, figures.y, strict=True)):
        other = figures.y[seen.setdefault(x, place)]
        apart = abs(Fraction(y) - Fraction(other))
        if apart and apart >= (unit(y) + unit(other)) / 2:
            raise UsageError(
                f"two figures at x = {figures.x[place]} contradict each other, {other} and {y}: "
                "leave one of them out"
            )


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
