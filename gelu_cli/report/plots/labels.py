"""Labels of ticks: powers as they are set in print, and how ASCII has to write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.report.plots import Plot, Scale, Tick, with_texts

if TYPE_CHECKING:
    from gelu_cli.report.plots import Floats

MINUS = "−"
HIGH = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LOW = {high: chr(low) for low, high in HIGH.items()}
ASCII = str.maketrans({MINUS: "-", "≤": "<=", "′": "'", "·": "*", "½": "0.5"})
"""What signs of a picture's labels are in ASCII."""


def power(base: int, exponent: int, sign: int = 1) -> str:
    """Return a power with a raised exponent and a true minus.

    >>> power(2, -126), power(10, 3, sign=-1)
    ('2⁻¹²⁶', '−10³')
    """
    return f"{MINUS if sign < 0 else ''}{base}{str(exponent).translate(HIGH)}"


def plain(label: str) -> str:
    """Return a label in ASCII; what it has no way to write is left.

    >>> plain("−2⁻¹²⁶"), plain("≤ 10⁻²")
    ('-2^-126', '<= 10^-2')
    """
    label = re.sub("[⁻⁰¹²³⁴-⁹]+", lambda raised: "^" + raised[0].translate(LOW), label)
    return label.translate(ASCII)


def in_ascii(plot: Plot) -> Plot:
    """Return a plot whose texts, those of its ticks among them, are `plain`."""
    plot = with_texts(plot, plain)
    return plot._replace(
        x=plot.x._replace(scale=_Plain(plot.x.scale)), y=plot.y._replace(scale=_Plain(plot.y.scale))
    )


class _Plain(NamedTuple):
    """A scale whose ticks have plain labels."""

    scale: Scale

    def positions(self, values: Floats) -> Floats:
        return self.scale.positions(values)

    def ticks(self, low: float, high: float, count: int) -> list[Tick]:
        ticks = self.scale.ticks(low, high, count)
        return [tick._replace(label=plain(tick.label)) for tick in ticks]
