"""Intervals of a form's parameter that explain the most values.

They are found by branch and bound. The value of a form at x is monotone in each parameter that is
estimated. So for all parameters in a box it lies between those at the ends: between the bounds of
the printed value, beyond them, or neither; then the box is halved. Gradients are not monotone, and
have no intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
from flint import arb, fmpq

from gelu_cli.errors import UsageError
from gelu_cli.formulas import Form
from gelu_cli.formulas.doubles import float64
from gelu_cli.formulas.pieces import as_fraction, to_fraction
from gelu_cli.identification.given import Given, spread
from gelu_cli.numbers.points import enclose
from gelu_cli.numbers.rounding import working

LARGEST = fmpq(100)
"""Parameters are looked for from minus this to this, positive ones from its inverse."""

CLOSELY = fmpq(1, 1 << 18)
"""An end is too far out by this share of the interval at most, or so."""

MOST = 24
"""Of more values, half as many that bound the parameter most closely, and as many others."""

FEW_ULP, BITS = 8, 128
DIGITS = 3
"""Digits of an end in words from the first digit of the interval's width on."""


class Interval(NamedTuple):
    """Parameters that explain most values; `form` has the simplest of them.

    `all` is True if they explain all values.
    """

    form: Form
    name: str
    low: Fraction
    high: Fraction
    words: str
    all: bool

    def holds(self, form: Form) -> bool:
        """Return True if a form is this one with a parameter in the interval."""
        same = form.name == self.form.name and set(form.chosen) <= {self.name}
        return same and self.low <= form.settings[self.name] <= self.high


class Box(NamedTuple):
    """Parameters from low to high that explain `sure` to `possible` values."""

    low: fmpq
    high: fmpq
    sure: int
    possible: int


def estimate(form: Form, given: Given, *, loosely: bool = True) -> Interval | None:
    """Find the interval of the first parameter that explains the most values.

    None if that is not most of them, or no value bounds the parameter. A kernel is often off by a
    few ULP from the form that it computes: so many are allowed if results are taken `loosely`.

    >>> from gelu_cli.formulas import find_form
    >>> given = Given("", "value", [Decimal(1), Decimal(2)], [Decimal("0.8548"), Decimal("1.9439")])
    >>> estimate(find_form("sigmoid"), given).words
    'beta in [1.772352, 1.773117]'
    """
    if given.quantity != "value":
        return None
    found = interval(form, given, 1)
    if found is None and given.result is not None and loosely:
        wider = interval(form, given, 2 * FEW_ULP)
        return wider and wider._replace(words=f"{wider.words} to {FEW_ULP} ULP")
    return found


def interval(form: Form, given: Given, slack: int) -> Interval | None:
    """Return the interval for numbers up to `slack` half units away."""
    name, places = form.parameters[0].name, bounding(form, given)
    if not places:
        return None
    points = [to_fraction(given.x[i]) for i in places]
    with working(BITS + 4 * max(len(str(given.y[i])) for i in places)):
        found = explain_most(form, name, points, [given.ends(i, slack) for i in places])
    first, last = domain(form, name)
    if found is None or (found.low, found.high) == (first, last):
        return None
    low, high = as_fraction(found.low), as_fraction(found.high)
    decimal = simplest(low, high)
    member = form.with_settings(f"{form.name}:{name}={decimal}", {name: Fraction(decimal)})
    words = in_words(name, low, high, as_fraction(first), as_fraction(last))
    return Interval(member, name, low, high, words, found.sure == len(places))


def bounding(form: Form, given: Given) -> list[int]:
    """Return the indices of up to MOST values that bound a parameter."""
    has_effect = (given.at != 0) | (not form.has_gate)
    places = np.flatnonzero(np.isfinite(given.at) & np.isfinite(given.about) & has_effect)
    if len(places) > MOST:
        places = spread(places, 16 * MOST)  # neighbours bound it alike
        parameter = form.parameters[0]
        less, more = (
            float64(
                form.with_settings("", {parameter.name: parameter.default * share}),
                "value",
                given.at[places],
            )
            for share in (fmpq(63, 64), fmpq(65, 64))
        )
        order = places[np.argsort(-np.abs(more - less) / given.units[places], kind="stable")]
        places = np.unique([*order[: MOST // 2], *spread(order[MOST // 2 :], MOST // 2)])
    return [int(place) for place in places]


def explain_most(
    form: Form, name: str, points: Sequence[fmpq], bounds: Sequence[tuple[fmpq, fmpq]]
) -> Box | None:
    """Find the parameters that explain the most values, if more than half.

    The ends of the interval are rounded outward.
    """

    @lru_cache(64)
    def member(p: fmpq) -> Form:  # the same object for many x
        return form.with_settings(name, {name: p})

    def at(i: int, p: fmpq) -> arb:
        """Return a ball around the value, exactly 0 or 1 at a bound."""
        low, width = bounds[i][0], bounds[i][1] - bounds[i][0]
        exact, rest = enclose(member(p), "value", points[i])
        y = arb((exact - low) / width)
        return y if rest is None else y + rest / arb(width)

    share = min([fmpq(1), *((high - low) / max(abs(low), abs(high)) for low, high in bounds)])
    left, found = [(*domain(form, name), 0, [*range(len(points))])], list[Box]()
    while left:
        a, b, sure, in_doubt = left.pop()
        values, in_doubt = [(i, at(i, a).union(at(i, b))) for i in in_doubt], []
        for i, y in values:
            if y >= 0 and y <= 1:
                sure += 1
            elif not (y < 0 or y > 1):
                in_doubt.append(i)
        box, middle = Box(a, b, sure, sure + len(in_doubt)), (a + b) / 2
        if 2 * box.possible <= len(points):
            continue
        if in_doubt and b - a > share * CLOSELY * max(abs(a), abs(b), CLOSELY):
            left += [(middle, b, sure, in_doubt), (a, middle, sure, in_doubt)]
        else:
            found.append(box)  # in ascending order
    return joined(found, len(points))


def joined(boxes: Sequence[Box], count: int) -> Box | None:
    """Join the first box that explains the most values to its neighbours."""
    most = max((box.sure for box in boxes), default=0)
    if 2 * most <= count:
        return None
    good = [box for box in boxes if box.possible >= most]
    first = last = next(i for i, box in enumerate(good) if box.sure == most)
    while first and good[first - 1].high == good[first].low:
        first -= 1
    while good[last + 1 :] and good[last].high == good[last + 1].low:
        last += 1
    return Box(good[first].low, good[last].high, most, most)


def domain(form: Form, name: str) -> tuple[fmpq, fmpq]:
    """Return the ends of the parameters that are looked at."""
    for low in (-LARGEST, fmpq(0)):
        try:
            form.with_settings(name, {name: low})
        except UsageError:  # one of this sign makes no sense
            continue
        return low, LARGEST
    return 1 / LARGEST, LARGEST


def in_words(name: str, low: Fraction, high: Fraction, first: Fraction, last: Fraction) -> str:
    """Return an interval in decimals, rounded outward.

    An end that is `first` or `last`, an end of the search, is no bound and is left out.
    """
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
    places = 0
    while ceil(low * 10**places) > floor(high * 10**places):
        places += 1
    scale = 10**places
    whole = min(max(round((low + high) / 2 * scale), ceil(low * scale)), floor(high * scale))
    return Decimal(f"{whole}e-{places}")
