"""Intervals of a form's parameter that explain the most values."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
from flint import fmpq

from gelu_cli.formulas import Form
from gelu_cli.formulas.doubles import float64
from gelu_cli.formulas.pieces import as_fraction, to_fraction
from gelu_cli.identification.given import Given, spread
from gelu_cli.identification.intervals import Family, domain, explain_most
from gelu_cli.numbers.rounding import working

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


def estimate(form: Form, given: Given, *, loosely: bool = True) -> Interval | None:
    """Find the interval of the first parameter that explains the most values.

    None if that is not most of them, or no value bounds the parameter. A kernel is often off by a
    few ULP from the form that it computes: so many are allowed if results are taken `loosely`.

    >>> from gelu_cli.formulas import find_form
    >>> given = Given("", "value", [Decimal(1), Decimal(2)], [Decimal("0.8548"), Decimal("1.9439")])
    >>> estimate(find_form("sigmoid"), given).words
    'beta in [1.772352, 1.773117]'
    """
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
    digits = max(len(str(given.y[place])) for place in places)
    with working(BITS + 4 * digits):
        families = [
            Family(form, name, given.quantity, to_fraction(given.x[i]), *given.ends(i, slack))
            for i in places
        ]
        found = explain_most(families)
    if found is None or (found.low, found.high) == domain(form, name):
        return None
    low, high = as_fraction(found.low), as_fraction(found.high)
    decimal = simplest(low, high)
    member = form.with_settings(f"{form.name}:{name}={decimal}", {name: Fraction(decimal)})
    words = in_words(name, low, high, *map(as_fraction, domain(form, name)))
    return Interval(member, name, low, high, words, found.sure == len(places))


def bounding(form: Form, given: Given) -> list[int]:
    """Return the indices of up to MOST values that bound a parameter."""
    has_effect = (given.at != 0) | (not form.has_gate)
    places = np.flatnonzero(np.isfinite(given.at) & np.isfinite(given.about) & has_effect)
    if len(places) > MOST:
        places = spread(places, 16 * MOST)  # neighbours bound it alike
        parameter = form.parameters[0]
        nearby = (form.with_settings("", {parameter.name: parameter.default * share})
                  for share in (fmpq(63, 64), fmpq(65, 64)))  # fmt: skip
        less, more = (float64(each, given.quantity, given.at[places]) for each in nearby)
        order = places[np.argsort(-np.abs(more - less) / given.units[places], kind="stable")]
        places = np.unique([*order[: MOST // 2], *spread(order[MOST // 2 :], MOST // 2)])
    return [int(place) for place in places]


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
