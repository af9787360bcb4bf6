"""Intervals of a parameter: what several have in common, and how one is said in decimals."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, log10
from typing import NamedTuple

from gelu_cli.forms import Form
from gelu_cli.identification.figures import Figures

SPARE_DIGITS = 3
"""The ends have so many digits more than the width of the interval."""


class End(NamedTuple):
    """An end of an interval: it lies between two numbers, or where the search ends."""

    outer: Fraction
    inner: Fraction
    open: bool = False
    """Whether the search ends here, not the interval."""


class Segment(NamedTuple):
    """The parameters that explain one figure, where the form is monotone."""

    place: int
    low: End
    high: End


def most_covered(segments: Sequence[Segment]) -> tuple[End, End, int]:
    """Return the interval that lies in the segments of the most figures, and of how many."""
    events = sorted(
        [(each.low.inner, 0, each.low) for each in segments]
        + [(each.high.inner, 1, each.high) for each in segments],
        key=lambda event: event[:2],
    )
    best, depth, low, high = 0, 0, segments[0].low, segments[0].high
    for i, (_, closes, end) in enumerate(events):
        depth += -1 if closes else 1
        if depth > best:
            best, low = depth, end
            high = next(each for _, closing, each in events[i:] if closing)
    return low, high, best


def conflict(name: str, form: Form, figures: Figures, segments: Sequence[Segment]) -> str:
    """Return two figures whose parameters lie farthest apart, in words."""
    above = max(segments, key=lambda each: each.low.inner)
    below = min(segments, key=lambda each: each.high.inner)
    if above.place == below.place or above.low.inner <= below.high.inner:
        return ""
    said = [
        f"{in_words(name, each.low, each.high)[0]} at x = {figures.texts(each.place)[0]}"
        for each in (above, below)
    ]
    return f"no {name} of {form.name} gives all figures: {' but '.join(said)}"


def in_words(name: str, low: End, high: End) -> tuple[str, Decimal]:
    """Return an interval in decimals, rounded outward, and the shortest decimal in it."""
    width = max(high.outer - low.outer, Fraction(1, 10**130))
    places = max(SPARE_DIGITS - 1 - floor(log10(width)), 0)
    scale = Fraction(10) ** places
    bottom, top = (
        Decimal(f"{whole}e-{places}")  # exactly, whatever the context
        for whole in (floor(low.outer * scale), ceil(high.outer * scale))
    )
    decimal = simplest(*sorted((low.inner, high.inner)))
    if high.open:
        return f"{name} >= {bottom}", decimal
    if low.open:
        return f"{name} <= {top}", decimal
    return f"{name} in [{bottom}, {top}]", decimal


def simplest(low: Fraction, high: Fraction) -> Decimal:
    """Return the decimal of the fewest places in an interval, the one nearest to its middle.

    >>> simplest(Fraction("1.77258"), Fraction("1.77338"))
    Decimal('1.773')
    """
    middle, places = (low + high) / 2, 0
    while ceil(low * 10**places) > floor(high * 10**places):
        places += 1
    scale = 10**places
    whole = min(max(round(middle * scale), ceil(low * scale)), floor(high * scale))
    return Decimal(f"{whole}e-{places}")
