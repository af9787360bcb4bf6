"""Boxes of parameters: all members of a family whose parameters lie between two values each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np

from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.calculus.fitting.families import Family

SPREAD = 16
"""The box goes from a so-manieth of the best constants to so many times them."""

NARROW = 4
"""Tangents are used for boxes whose sizes are below one in so many of the values."""


class Box(NamedTuple):
    """All members whose parameters lie between two values each."""

    low: tuple[Fraction, ...]
    high: tuple[Fraction, ...]

    def part(self, i: int, low: Fraction, high: Fraction) -> Box:
        """Return the box with other ends in one parameter."""
        return Box(
            (*self.low[:i], low, *self.low[i + 1 :]), (*self.high[:i], high, *self.high[i + 1 :])
        )

    @property
    def corners(self) -> list[tuple[Fraction, ...]]:
        """The members at its corners."""
        return list(product(*zip(self.low, self.high, strict=True)))

    @property
    def middle(self) -> Array:
        """The member in the middle, about."""
        middle: Array = (np.array(self.low, float) + np.array(self.high, float)) / 2
        return middle

    @property
    def is_narrow(self) -> bool:
        """Whether tangents may tell more than ends."""
        return all(NARROW * abs(high - low) <= abs(high) for low, high in zip(*self, strict=True))


Cut: TypeAlias = Callable[[Fraction, Fraction], Sequence[tuple[Fraction, Fraction]]]
"""(low, high) → two parts that cover what is between them, or nothing where it cannot be cut."""


def halves(low: Fraction, high: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Cut in the middle, or in that of the logarithms where the ends are of different sizes.

    >>> halves(Fraction(1), Fraction(64))
    [(Fraction(1, 1), Fraction(8, 1)), (Fraction(8, 1), Fraction(64, 1))]
    """
    middle = (low + high) / 2
    if low * high > 0 and not Fraction(1, 4) <= low / high <= 4:
        size = Fraction(float(abs(low)) ** 0.5 * float(abs(high)) ** 0.5)
        middle = size if low > 0 else -size
    elif low < 0 < high:
        middle = Fraction(0)
    return [(low, middle), (middle, high)]


def wide_box(family: Family, values: Sequence[Fraction]) -> Box:
    """Return the box of parameters up to `SPREAD` times as large, of either sign if it is free."""
    signs = {parameter.name: parameter.sign for parameter in family.form.parameters}
    ends = []
    for name, value in zip(family.free, values, strict=True):
        far = SPREAD * value
        near = value / SPREAD if signs[name] else -far
        ends.append((min(near, far), max(near, far)))
    low, high = zip(*ends, strict=True)
    return Box(low, high)


def in_words(family: Family, box: Box) -> str:
    """Return the ends of a box.

    >>> from gelu_cli.forms import find_form
    >>> family = Family(find_form("sigmoid"), ("beta",), find_form("exact"), "value")
    >>> in_words(family, Box((Fraction(1, 4),), (Fraction(4),)))
    'beta from 0.25 to 4'
    """
    ends = zip(family.free, box.low, box.high, strict=True)
    return ", ".join(f"{name} from {float(low):.3g} to {float(high):.3g}"
                     for name, low, high in ends)  # fmt: skip
