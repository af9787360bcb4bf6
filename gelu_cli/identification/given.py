"""The values to be explained: printed decimals, or results in a format."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq

from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import Format
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.patterns import ulps


@dataclass(frozen=True, eq=False)
class Given:
    """Values of a quantity at each x, a Decimal, Fraction or float.

    A printed decimal means all numbers that round to it, half a unit of its last decimal either
    way. With `result` they are numbers of that format.
    """

    name: str
    quantity: str
    x: Sequence[Any]
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

    def ends(self, place: int) -> tuple[fmpq, fmpq]:
        """Return the ends of the numbers that a value means."""
        y = to_fraction(self.y[place])
        if self.result is None:
            return y - self.unit(place) / 2, y + self.unit(place) / 2
        away = self.result.ulp(y) / 2
        towards = self.result.ulp(abs(y) - away / 2) / 2  # below a power of 2 it is half as far
        return (y - towards, y + away) if y >= 0 else (y - away, y + towards)

    def part(self, places: Sequence[int]) -> Given:
        """Return some of the values."""
        return replace(self, x=[self.x[i] for i in places], y=[self.y[i] for i in places])


def places_of(y: Decimal) -> int:
    """Return the number of decimals of a printed number.

    >>> places_of(Decimal("1.9546")), places_of(Decimal("2E+1"))
    (4, -1)
    """
    return -int(y.as_tuple().exponent)


def text_of(number: Any, result: Format | None) -> str:
    """Return a number as typed, or in the fewest digits of its format.

    >>> from gelu_cli.numbers import FORMATS
    >>> text_of(0.841344773769378662109375, FORMATS["float32"])
    '0.8413448'
    """
    if result is None or not math.isfinite(number):
        return str(number)
    return result.shortest(float(number)).replace("e-0", "e-").replace("e+0", "e+")
