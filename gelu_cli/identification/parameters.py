"""Intervals of a form's parameter that explain the most values.

A parameter explains a given value y at x if the form's value at x rounds to y. The search is branch
and bound on boxes; a box is an interval of the parameter. The form's value at x is monotone in each
parameter that is estimated, so in a box it lies between its values at the two ends. If both round
to y, the whole box explains y; if both are too low or both too high, no parameter in the box does;
else the box is halved. Gradients are not monotone, so no parameter is estimated from gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import count
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
from flint import arb, fmpq

from gelu_cli.formulas import Form
from gelu_cli.formulas.doubles import float64
from gelu_cli.formulas.pieces import as_fraction, to_fraction
from gelu_cli.identification.candidates import Given
from gelu_cli.numbers.points import enclose
from gelu_cli.numbers.rounding import working

LARGEST = fmpq(100)
"""The search covers [0, LARGEST], or [1/LARGEST, LARGEST] if the parameter must not be 0."""

CLOSELY = fmpq(1, 1 << 18)
"""A box is halved if wider than CLOSELY·|parameter|·w, w the least relative width of the intervals
of numbers that round to a given value."""

FLAT = 2.0**-40
"""Nor is a box halved if values in doubt are within FLAT of an end of their interval."""

MOST, BITS = 24, 128
"""Largest number of values that are used, the most sensitive ones. Least precision in bits."""

DIGITS = 3
"""Ends are printed to this many significant digits of the interval's width."""


class Interval(NamedTuple):
    """An interval of a parameter; `form` has the simplest decimal inside.

    Parameters in the interval explain more than half of the values; if `all`, all values.
    """

    form: Form
    low: Fraction
    high: Fraction
    words: str
    all: bool

    def holds(self, form: Form) -> bool:
        """Return True if `form` is this form with a parameter in the interval."""
        (name,) = self.form.chosen
        same = form.name == self.form.name and {*form.chosen} <= {name}
        return same and self.low <= form.settings[name] <= self.high


class Box(NamedTuple):
    """Parameters from low to high; each explains `sure` to `possible` values."""

    low: fmpq
    high: fmpq
    sure: int
    possible: int


def estimate(form: Form, name: str, given: Given) -> Interval | None:
    """Find the interval of a parameter that explains the most values.

    None for gradients, and if the interval explains at most half of the values or is `domain`.
    """
    places = bounding(form, name, given) if given.quantity == "value" else []
    if not places:
        return None
    ends, limits = [given.ends(i) for i in places], domain(form, name)
    with working(BITS + 4 * max(len(str(given.y[i])) for i in places)):
        found = explain_most(form, name, [to_fraction(given.x[i]) for i in places], ends)
    if found is None or (found.low, found.high) == limits:
        return None
    low, high = as_fraction(found.low), as_fraction(found.high)
    decimal = simplest(low, high)
    member = form.with_settings(f"{form.name}:{name}={decimal}", {name: Fraction(decimal)})
    words = in_words(name, low, high, *map(as_fraction, limits))
    return Interval(member, low, high, words, found.sure == len(places))


def bounding(form: Form, name: str, given: Given) -> list[int]:
    """Choose at most MOST finite values, those most sensitive to `name`."""
    places = np.flatnonzero(np.isfinite(given.at) & np.isfinite(given.about))
    if len(places) > MOST:
        value = form.settings[name]
        near = (form.with_settings("", {name: value * n / 64}) for n in (63, 65))
        less, more = (float64(each, "value", given.at[places]) for each in near)
        effect = np.abs(more - less) / given.units[places]
        places = places[np.argsort(-effect, kind="stable")[:MOST]]
    return [int(place) for place in places]


def explain_most(
    form: Form, name: str, points: Sequence[fmpq], bounds: Sequence[tuple[fmpq, fmpq]]
) -> Box | None:
    """Find the parameters that explain the most values, if more than half.

    `bounds` are the intervals of numbers that round to the values. The result has ends of boxes.
    """

    @lru_cache(64)
    def member(p: fmpq) -> Form:  # the same object for many x
        return form.with_settings(name, {name: p})

    def at(i: int, p: fmpq) -> arb:
        """Enclose value i for parameter p, scaled so that its bounds are 0 and 1."""
        low, width = bounds[i][0], bounds[i][1] - bounds[i][0]
        exact, rest = enclose(member(p), "value", points[i])
        y = arb((exact - low) / width)
        return y if rest is None else y + rest / arb(width)

    share = min([fmpq(1), *((high - low) / max(abs(low), abs(high)) for low, high in bounds)])
    left, found = [(*domain(form, name), 0, [*range(len(points))])], list[Box]()
    while left:
        a, b, sure, in_doubt = left.pop()
        values, in_doubt, wide = [(i, at(i, a).union(at(i, b))) for i in in_doubt], [], False
        for i, y in values:
            if y >= 0 and y <= 1:
                sure += 1
            elif not (y < 0 or y > 1):
                in_doubt.append(i)
                wide |= bool(y.rad() > FLAT)
        box, middle = Box(a, b, sure, sure + len(in_doubt)), (a + b) / 2
        if 2 * box.possible <= len(points):
            continue
        if wide and b - a > share * CLOSELY * max(abs(a), abs(b), CLOSELY):
            left += [(middle, b, sure, in_doubt), (a, middle, sure, in_doubt)]
        else:
            found.append(box)  # in ascending order
    return joined(found, len(points))


def joined(boxes: Sequence[Box], number: int) -> Box | None:
    """Extend the box of most `sure` values by neighbours that may match it."""
    most = max((box.sure for box in boxes), default=0)
    if 2 * most <= number:
        return None
    low, high, *_ = next(box for box in boxes if box.sure == most)
    good = [box for box in boxes if box.possible >= most]
    for box in reversed(good):
        low = box.low if box.high == low else low
    for box in good:
        high = box.high if box.low == high else high
    return Box(low, high, most, most)


def domain(form: Form, name: str) -> tuple[fmpq, fmpq]:
    """Return the ends of the range in which a parameter is searched."""
    signs = {each.name: each.sign for each in form.parameters}
    return (1 / LARGEST if signs[name] else fmpq(0)), LARGEST


def in_words(name: str, low: Fraction, high: Fraction, first: Fraction, last: Fraction) -> str:
    """Write an interval in decimals, rounded outward; omit an end of `domain`."""
    places = max(DIGITS - 1 - floor(log10(high - low)), 0)
    wholes = floor(low * 10**places), ceil(high * 10**places)
    bottom, top = (Decimal(f"{each}e-{places}") for each in wholes)  # exactly, in any context
    if high == last:
        return f"{name} >= {bottom}"
    return f"{name} <= {top}" if low == first else f"{name} in [{bottom}, {top}]"


def simplest(low: Fraction, high: Fraction) -> Decimal:
    """Return the shortest decimal in an interval, nearest to its middle.

    >>> simplest(Fraction("1.712"), Fraction("1.87"))
    Decimal('1.8')
    """
    middle = (low + high) / 2
    places = next(n for n in count() if low <= round(middle, n) <= high)
    return Decimal(f"{round(middle * 10**places)}e-{places}")
