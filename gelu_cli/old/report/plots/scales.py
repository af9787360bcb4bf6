"""Scales of axes: linear, logarithmic, logarithmic on both sides of 0, and piecewise."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gelu_cli.old.report import Floats
from gelu_cli.old.report.plots import Scale, Tick

STEPS = (1, 2, 5, 10)
WITHIN_A_DECADE = np.log10(np.arange(2, 10)).tolist()
"""Where twice to nine times a power of 10 stand above it, in decades."""

WHOLE_DIGITS = 6
"""Most digits before the point of a number that is written without an exponent."""

MINUS = "−"
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def linear() -> Scale:
    """Return a scale on which numbers stand where they are; ticks are multiples of one step.

    >>> [tick.label for tick in linear().ticks(-1.0, 1.0, 5)]
    ['−1', '−0.5', '0', '0.5', '1']
    >>> [tick.label for tick in linear().ticks(0.0, 1000.0, 5)]
    ['0', '200', '400', '600', '800', '1000']
    """

    def ticks(low: float, high: float, count: int) -> list[Tick]:
        rough = (high - low) / max(count, 1)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(multiple * power for multiple in STEPS if multiple * power >= 0.99 * rough)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        digits = max(1, math.ceil(math.log10(max(abs(low), abs(high)) / step)) + 1)
        if max(abs(low), abs(high)) < 10**WHOLE_DIGITS:
            digits = max(digits, WHOLE_DIGITS)
        places = (min(max(n * step, low), high) for n in range(first, last + 1))
        return [Tick(place, number(f"{place:.{digits}g}")) for place in dict.fromkeys(places)]

    return Scale(lambda values: values, ticks)


def logarithmic(least: float) -> Scale:
    """Return a scale of equally long decades; what is below `least`, a power of 10, stands there.

    >>> [tick.label for tick in logarithmic(0.01).ticks(-2.0, 3.0, 6)]
    ['≤ 10⁻²', '10⁻¹', '1', '10', '10²', '10³']
    """
    lowest = round(math.log10(least))

    def positions(values: Floats) -> Floats:
        return np.log10(np.maximum(values, least))

    def ticks(low: float, high: float, count: int) -> list[Tick]:
        step = max(1, math.ceil((high - low) / max(count, 1)))
        first, last = math.ceil(low / step), math.floor(high / step)
        powers = [n * step for n in range(first, last + 1) if n * step > lowest + step / 2]
        below = [Tick(lowest, f"≤ {decade(lowest)}")] if low <= lowest else []
        return below + [Tick(n, decade(n)) for n in powers]

    def minor(low: float, high: float) -> list[float]:
        decades = range(max(math.floor(low), lowest), math.ceil(high))
        places = (n + part for n in decades for part in WITHIN_A_DECADE)
        return [place for place in places if low <= place <= high]

    return Scale(positions, ticks, minor)


def symmetric(least: float) -> Scale:
    """Return a scale that is logarithmic on both sides of 0, in decades from ±1 at ±`least` on.

    `least` is a power of 10. Beyond it a number stands at 1 + log₁₀ of its size in units of
    `least`, and below that at this size itself.

    >>> scale = symmetric(1e-3)
    >>> scale.positions(np.array([-1.0, 0.0, 5e-4, 1e-3, 1e-2])).tolist()
    [-4.0, 0.0, 0.5, 1.0, 2.0]
    >>> [tick.label for tick in scale.ticks(-2.0, 2.0, 5)]
    ['0', '−10⁻³', '10⁻³', '−10⁻²', '10⁻²']
    """
    lowest = round(math.log10(least))

    def positions(values: Floats) -> Floats:
        with np.errstate(over="ignore"):  # beyond float64: infinite, at the edge of the picture
            size = np.abs(values) / least
        far = 1 + np.log10(np.maximum(size, 1.0))
        return np.copysign(np.where(size < 1, size, far), values) + 0.0

    def ticks(low: float, high: float, count: int) -> list[Tick]:
        step = max(1, math.ceil((high - low) / max(count, 1)))
        places = sorted(range(math.ceil(low), math.floor(high) + 1), key=abs)
        return [
            Tick(n, decade(lowest + abs(n) - 1, sign=n) if n else "0")
            for n in places if n == 0 or abs(n) % step == 1 % step
        ]  # fmt: skip

    def minor(low: float, high: float) -> list[float]:
        farthest = math.ceil(max(-low, high))
        sizes = [n + part for n in range(1, farthest) for part in WITHIN_A_DECADE]
        return [place for size in sizes for place in (-size, size) if low <= place <= high]

    return Scale(positions, ticks, minor)


def piecewise(values: Sequence[float], places: Sequence[float], telling: Sequence[Tick]) -> Scale:
    """Return a scale that is linear between numbers at given places, with ticks in a given order.

    >>> piecewise([0.0, 1.0, 1000.0], [0.0, 1.0, 2.0], []).positions(np.array([0.5, 500.5]))
    array([0.5, 1.5])
    """

    def ticks(low: float, high: float, count: int) -> list[Tick]:
        return [tick for tick in telling if low <= tick.position <= high]

    return Scale(lambda numbers: np.interp(numbers, values, places), ticks)


def power(base: int, exponent: int, sign: int = 1) -> str:
    """Return a power with a raised exponent and a true minus.

    >>> power(2, -126), power(10, 3, sign=-1)
    ('2⁻¹²⁶', '−10³')
    """
    return f"{MINUS if sign < 0 else ''}{base}{str(exponent).translate(RAISED)}"


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
