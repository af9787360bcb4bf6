"""Figures that are to be explained: decimals in print, or results in a format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.format_arrays import Array, ulps
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.sweeping.gating import Gating
from gelu_cli.old.values.figures import places_of

Exact: TypeAlias = float | Fraction

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

    up: Any = None
    """The second inputs, as x has them, where there are two: x is the gate of a GLU."""

    limits: Sequence[float | None] = (7.0, 7.0)
    """From where on x and up may be clamped; GPT-OSS clamps both at 7."""

    gating: Gating = Gating()  # noqa: RUF009 (it does not change)
    swapped: bool = False
    """Whether x is the up."""

    @property
    def result(self) -> Format | None:
        """The format of results; None for figures in print."""
        return self.formats and self.formats[1]

    @cached_property
    def points(self) -> list[tuple[Exact, Exact]]:
        """The points, −0 as a float, each with its second input; that is 1 where there is none."""
        up = [1.0] * len(self.x) if self.up is None else self.up
        return [(_point(x), _point(u)) for x, u in zip(self.x, up, strict=True)]

    @cached_property
    def at(self) -> Array:
        """The points as float64s."""
        return np.array([float(x) for x, _ in self.points])

    @cached_property
    def up_at(self) -> Array:
        """The second inputs as float64s."""
        return np.array([float(up) for _, up in self.points])

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
        finite = np.isfinite(self.at * self.up_at) & np.isfinite(self.about)
        for place in np.flatnonzero(finite).tolist():
            (x, up), y = self.points[place], Fraction(self.y[place])
            times = self.gating.factor(up, self.quantity)
            if not times or (self.gating.limit is not None and x > self.gating.limit):
                continue
            if self.result is None:
                below = above = unit(self.y[place]) / 2
            else:
                away = self.result.ulp(y) / 2
                # Towards 0 the next number is half as far if y is a power of 2.
                towards = self.result.ulp(abs(y) - away / 2) / 2
                below, above = (towards, away) if y >= 0 else (away, towards)
            more = (slack - 1) * (below + above) / 2
            ends = (y - below - more) / times, (y + above + more) / times
            found[place] = Bounds(Fraction(x), *sorted(ends))
        return found

    def texts(self, place: int) -> tuple[str, str]:
        """Return a point, X or X,U, and the figure there as text."""
        point = [each[place] for each in (self.x, self.up) if each is not None]
        kinds = self.formats or (None, None)
        texts = [_text(each, kinds[0]) for each in point[:: -1 if self.swapped else 1]]
        return ",".join(texts), _text(self.y[place], kinds[1])

    def part(self, places: Sequence[int]) -> Figures:
        """Return some of the figures."""
        up = None if self.up is None else [self.up[i] for i in places]
        return replace(self, x=[self.x[i] for i in places], up=up, y=[self.y[i] for i in places])

    @property
    def settings(self) -> list[str]:
        """What a result of two inputs is, if not F(x)·up, in the words of options."""
        asked = self.gating.asked.items()
        said = [f"{name}={value!r}".removesuffix(".0") for name, value in asked]
        return ["F(up)·gate"] * self.swapped + said

    def ways(self) -> list[Figures]:
        """Return pairs with each offset, order of the inputs and clamp, the plain ways first."""
        swapped = replace(self, x=self.up, up=self.x, limits=self.limits[::-1], swapped=True)
        ways = [
            replace(each, gating=Gating(gate, up, offset))
            for each in (self, swapped)
            for gate, up in product(*({None: 0, limit: 0} for limit in each.limits))
            for offset in (0.0, 1.0)
        ]
        return sorted(ways, key=lambda each: len(each.settings))

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
        seen: dict[tuple[Exact, Exact], Decimal] = {}
        for place, (point, y) in enumerate(zip(self.points, self.y, strict=True)):
            other = seen.setdefault(point, y)
            apart = abs(Fraction(y) - Fraction(other))
            if apart and apart >= (unit(y) + unit(other)) / 2:
                raise UsageError(
                    f"two figures at {located(self.texts(place)[0])} contradict each other, "
                    f"{other} and {y}: leave one of them out"
                )


def in_text(number_format: Format, value: float) -> str:
    """Return a number of a format in the fewest digits that tell it from the others.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> in_text(FORMATS["float32"], 0.841344773769378662109375)
    '0.8413448'
    """
    text = number_format.shortest(value) if np.isfinite(value) else repr(value)
    return text.replace("e-0", "e-").replace("e+0", "e+")


def _text(number: Decimal | Exact, number_format: Format | None) -> str:
    return in_text(number_format, float(number)) if number_format else str(number)


def _point(x: Decimal | Exact) -> Exact:
    exact = isinstance(x, Fraction) or (isinstance(x, Decimal) and x)
    return Fraction(x) if exact else float(x)


def located(point: str) -> str:
    """Return where a figure is, X or X,U, in words."""
    return f"x = {point.replace(',', ', up = ')}"


def unit(y: Decimal) -> Fraction:
    """Return the unit of the last place that is printed.

    >>> unit(Decimal("1.9546"))
    Fraction(1, 10000)
    """
    return Fraction(10) ** -places_of(y)
