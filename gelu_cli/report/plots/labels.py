"""Labels of ticks: powers as they are set in print, and how ASCII has to write them."""

from __future__ import annotations

import re

from gelu_cli.report.plots import Axis, Plot, Relabelled, Tick, with_texts

MINUS = "−"
HIGH = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LOW = {high: chr(low) for low, high in HIGH.items()}
ASCII = str.maketrans({MINUS: "-", "≤": "<=", "′": "'", "·": "*", "½": "0.5", "±": "+-"})
"""What signs of a picture's labels are in ASCII."""


def power(base: int, exponent: int, sign: int = 1) -> str:
    """Return a power with a raised exponent and a true minus.

    >>> power(2, -126), power(10, 3, sign=-1)
    ('2⁻¹²⁶', '−10³')
    """
    return f"{MINUS if sign < 0 else ''}{base}{str(exponent).translate(HIGH)}"


def decade(exponent: int, sign: int = 1) -> str:
    """Return ±10 to a power; 1 and 10 are written so in any notation.

    >>> decade(-3), decade(0), decade(1), decade(2, sign=-1)
    ('10⁻³', '1', '10', '−10²')
    """
    if exponent in (0, 1):
        return f"{MINUS if sign < 0 else ''}{10**exponent}"
    return power(10, exponent, sign)


def number(text: str) -> str:
    """Return a number as Python writes it, set as in print.

    >>> number("-0.5"), number("2e+06"), number("-1e-07")
    ('−0.5', '2·10⁶', '−10⁻⁷')
    """
    mantissa, e, exponent = text.partition("e")
    if not e:
        return text.replace("-", MINUS)
    scaled = power(10, int(exponent), -1 if mantissa.startswith("-") else 1)
    size = mantissa.removeprefix("-")
    return scaled if size == "1" else scaled.replace("10", f"{size}·10", 1)


def plain(label: str) -> str:
    """Return a label in ASCII; what it has no way to write is left.

    >>> plain("−2⁻¹²⁶"), plain("≤ 10⁻²")
    ('-2^-126', '<= 10^-2')
    """
    label = re.sub("[⁻⁰¹²³⁴-⁹]+", lambda raised: "^" + raised[0].translate(LOW), label)
    return label.translate(ASCII)


def in_ascii(plot: Plot) -> Plot:
    """Return a plot whose texts, those of its ticks among them, are `plain`."""

    def plainly(axis: Axis) -> Axis:
        return axis._replace(scale=Relabelled(axis.scale, _plain_ticks))

    plot = with_texts(plot, plain)
    return plot._replace(x=plainly(plot.x), y=plainly(plot.y))


def _plain_ticks(ticks: list[Tick], count: int) -> list[Tick]:
    return [tick._replace(label=plain(tick.label)) for tick in ticks]
