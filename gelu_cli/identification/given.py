"""The values to be explained: printed decimals, or results in a format."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from gelu_cli.errors import UsageError
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import Format
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.patterns import ulps

MOST = 1 << 16
"""The most values that are looked at; of more, as many are taken, evenly spread."""

Typed: TypeAlias = Any
"""A Decimal, Fraction or float."""


@dataclass(frozen=True, eq=False)
class Given:
    """Values of a quantity at each x.

    A printed decimal means all numbers that round to it, half a unit of its last decimal either
    way. With `result` they are numbers of that format.
    """

    name: str
    quantity: str
    x: Sequence[Typed]
    y: Sequence[Any]
    result: Format | None = None

    @cached_property
    def points(self) -> list[float | fmpq]:
        """The points: exact, or floats that are not finite."""
        return [to_fraction(x) if math.isfinite(x) else float(x) for x in self.x]

    @cached_property
    def at(self) -> Floats:
        """The points as float64s."""
        return np.array([float(x) for x in self.x])

    @cached_property
    def about(self) -> Floats:
        """The values as float64s."""
        return np.array([float(y) for y in self.y])

    @cached_property
    def units(self) -> Floats:
        """The units of the last decimals, or ULP, as float64s."""
        if self.result is not None:
            return ulps(self.result, self.about)
        return np.array([10.0 ** -places_of(y) for y in self.y])

    def unit(self, place: int) -> fmpq:
        """Return the unit of the last decimal of a value."""
        power: fmpq = fmpq(10) ** -places_of(self.y[place])
        return power

    def ends(self, place: int, slack: int = 1) -> tuple[fmpq, fmpq]:
        """Return the ends of the numbers that a value means, times `slack`."""
        y = to_fraction(self.y[place])
        if self.result is None:
            away = towards = self.unit(place) / 2
        else:  # towards 0 the next number is half as far if y is a power of 2
            away = self.result.ulp(y) / 2
            towards = self.result.ulp(abs(y) - away / 2) / 2
        below, above = (towards, away) if y >= 0 else (away, towards)
        more = (slack - 1) * (below + above) / 2
        return y - below - more, y + above + more

    def texts(self, place: int) -> tuple[str, str]:
        """Return a point and the value there as text."""
        return text_of(self.x[place], self.result), text_of(self.y[place], self.result)

    def part(self, places: Sequence[int]) -> Given:
        """Return some of the values."""
        return replace(self, x=[self.x[i] for i in places], y=[self.y[i] for i in places])

    def spread(self, count: int) -> Given:
        """Return at most `count` of the values, evenly spread."""
        if len(self.y) <= count:
            return self
        return self.part(spread(np.arange(len(self.y)), count).tolist())

    def check(self) -> None:
        """Raise UsageError if two printed values contradict each other."""
        seen: dict[Any, int] = {}
        for place, point in enumerate(self.points if self.result is None else ()):
            other = seen.setdefault(point, place)
            apart = abs(to_fraction(self.y[place]) - to_fraction(self.y[other]))
            if apart and 2 * apart >= self.unit(place) + self.unit(other):
                raise UsageError(
                    f"two values at x = {self.texts(place)[0]} contradict each other, "
                    f"{self.y[other]} and {self.y[place]}; remove one"
                )


def spread(places: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return at most `count` members of an array, evenly spread."""
    chosen = np.linspace(0, len(places) - 1, min(count, len(places))).astype(int)
    return np.asarray(places[chosen])


def places_of(y: Decimal) -> int:
    """Return the number of decimals of a printed number.

    >>> places_of(Decimal("1.9546")), places_of(Decimal("2E+1"))
    (4, -1)
    """
    return -int(y.as_tuple().exponent)


def text_of(number: Typed, result: Format | None) -> str:
    """Return a number as typed, or in the fewest digits of its format.

    >>> from gelu_cli.numbers import FORMATS
    >>> text_of(0.841344773769378662109375, FORMATS["float32"])
    '0.8413448'
    """
    if result is None or not math.isfinite(number):
        return str(number)
    return result.shortest(float(number)).replace("e-0", "e-").replace("e+0", "e+")
