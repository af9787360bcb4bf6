"""Intervals of a form's parameter that explain values, with certified ends.

Branch and bound: for all parameters in a box the form is f(middle) + ∂f/∂p·(box − middle), one
ball, which is within the bounds of a value, beyond them, or neither. If ∂f/∂p has a sign in a box,
the ends in it are where f meets the bounds, enclosed by the interval Newton method.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, log10
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_series, fmpq

from gelu_cli.errors import UsageError
from gelu_cli.formulas import ORDERS, Form
from gelu_cli.formulas.doubles import float64
from gelu_cli.formulas.pieces import as_fraction
from gelu_cli.identification.given import Given
from gelu_cli.numbers.points import ball
from gelu_cli.numbers.rounding import exact_ball, sign, working

LARGEST = fmpq(100)
"""Parameters are looked for from minus this to this, positive ones from its inverse."""

BITS = 128
NARROW, LEAST = fmpq(1, 1 << 70), fmpq(1, 1 << 20)
"""An end is enclosed this closely, relative to itself, or to the other if it is nearer to 0."""

NARROW_AT_CUTS = fmpq(1, 1 << 40)
"""So is a parameter with which a cut of the form is at x."""

MOST_VALUES = 24
"""Of more values, half as many that bound the parameter most closely, and as many others."""

NEWTON_STEPS = 200
SPARE_DIGITS = 3
"""Digits of an end in words from the first digit of the interval's width on."""


class End(NamedTuple):
    """An end of an interval, between two numbers; `open` if the search ends there."""

    outer: fmpq
    inner: fmpq
    open: bool = False


class Segment(NamedTuple):
    """An interval of parameters that explain the value with an index."""

    place: int
    low: End
    high: End


class Family:
    """A quantity of a form at x, as a function of its first parameter."""

    def __init__(self, form: Form, quantity: str, x: fmpq) -> None:
        self.form, self.quantity, self.x = form, quantity, x
        self.name = form.parameters[0].name
        self.known: dict[fmpq, arb] = {}

    def member(self, p: fmpq) -> Form:
        """Return the form with a parameter."""
        return self.form.with_settings(self.form.name, {self.name: p})

    def at(self, p: fmpq) -> arb:
        """Return a ball around the quantity."""
        if p not in self.known:
            self.known[p] = ball(self.member(p), self.quantity, self.x)
        return self.known[p]

    def piece(self, p: fmpq) -> int:
        """Return the index of the piece at x, which depends on the parameter if cuts do."""
        cuts = self.form.cuts_at(**{**self.form.fractions, self.name: p})
        return sum(bool(cut.square < self.x * abs(self.x)) for cut in cuts)

    def slope(self, i: int, low: fmpq, high: fmpq) -> arb:
        """Return a ball around ∂f/∂p on a piece for all parameters from low to high."""
        if self.form.pieces[i].polynomial is not None:  # it is linear in the parameter
            return (self.at(high) - self.at(low)) / arb(high - low)
        try:
            return self.slope_of_tail(i, arb(low).union(arb(high)))
        except (ValueError, ZeroDivisionError):  # it divides by what may be 0
            return arb.nan()

    def slope_of_tail(self, i: int, p: arb) -> arb:
        """Return ∂f/∂p of a piece with a tail."""
        x, gated, offset = arb(self.x), self.form.pieces[i].gated, self.form.pieces[i].offset
        along_p = self.tail(i, [x], [p, 1])
        total = along_p[1]
        if callable(offset):
            series: Any = offset(**{self.name: arb_series([p, 1], prec=2)})
            total += series[1]
        if not ORDERS[self.quantity]:
            return x * total if gated else total
        # ∂²t/∂x∂p, as t(x + h, p + h) has the coefficient t_xx/2 + t_xp + t_pp/2 of h².
        mixed = self.tail(i, [x, 1], [p, 1])[2] - self.tail(i, [x, 1], [p])[2] - along_p[2]
        return total + x * mixed if gated else mixed

    def tail(self, i: int, x: Sequence[arb | int], p: Sequence[arb | int]) -> Any:
        """Return three terms of the tail of a piece on a line in x and the parameter."""
        parameters = {**self.form.balls(), self.name: arb_series(list(p), prec=3)}
        return arb_series([0], prec=3) + self.form.tail(i, arb_series(list(x), prec=3), parameters)

    def segments(self, low: fmpq, high: fmpq) -> list[tuple[End, End]]:
        """Return the intervals of parameters with values from low to high."""
        start, stop = self.domain()
        bounds, boxes, found = (arb(low), arb(high)), [(start, stop)], list[tuple[End, End]]()
        narrow = min(NARROW, (high - low) / max(abs(low), abs(high)) / (1 << 20))
        while boxes:
            a, b = boxes.pop()
            middle, i = (a + b) / 2, self.piece(a)
            least = narrow
            if i == self.piece(b):
                slope = self.slope(i, a, b)
                if sign(slope):
                    found += self.monotone(i, sign(slope), bounds, a, b, narrow)
                    continue
                y = self.at(middle) + slope * (arb(a).union(arb(b)) - arb(middle))
                if y < bounds[0] or y > bounds[1]:
                    continue
                if y >= bounds[0] and y <= bounds[1]:
                    found.append((End(a, a), End(b, b)))
                    continue
            else:
                least = NARROW_AT_CUTS
            if b - a > least * max(abs(a), abs(b), LEAST):
                boxes += [(middle, b), (a, middle)]
            elif not all(self.at(p) < bounds[0] or self.at(p) > bounds[1] for p in (a, b)):
                found.append((End(a, a), End(b, b)))
        return list(joined(found, start, stop))

    def domain(self) -> tuple[fmpq, fmpq]:
        """Return the ends of the parameters that are looked at."""
        if self.form.parameters[0].sign > 0:
            return 1 / LARGEST, LARGEST
        try:
            self.member(-LARGEST)
        except UsageError:  # a negative one makes no sense
            return fmpq(0), LARGEST
        return -LARGEST, LARGEST

    def monotone(
        self, i: int, way: int, bounds: tuple[arb, arb], a: fmpq, b: fmpq, narrow: fmpq
    ) -> Iterator[tuple[End, End]]:
        """Yield the interval in a box in which the form rises (way 1), or falls (−1)."""
        first, last = bounds if way > 0 else bounds[::-1]
        at_a, at_b = ((self.at(p) - y) * way for p, y in ((a, first), (b, last)))
        if (self.at(b) - first) * way < 0 or (self.at(a) - last) * way > 0:
            return
        low, high = End(a, a), End(b, b)
        if at_a < 0:
            outer, inner = self.crossing(i, way, first, a, b, narrow)
            low = End(outer, inner)
        if at_b > 0:
            inner, outer = self.crossing(i, way, last, a, b, narrow)
            high = End(outer, inner)
        yield low, high

    def crossing(
        self, i: int, way: int, y: arb, a: fmpq, b: fmpq, narrow: fmpq
    ) -> tuple[fmpq, fmpq]:
        """Return two numbers between which the form is y."""
        for _ in range(NEWTON_STEPS):
            if b - a <= narrow * max(abs(a), abs(b), LEAST):
                break
            m = exact_ball(arb((a + b) / 2))
            beyond, slope = self.at(m) - y, self.slope(i, a, b)
            newton = arb(m) - beyond / slope if sign(slope) else arb.nan()
            low = max(a, exact_ball(newton.lower())) if newton.is_finite() else a
            high = min(b, exact_ball(newton.upper())) if newton.is_finite() else b
            if not low < high or 2 * (high - low) > b - a:  # cut in two
                side = sign(beyond) * way
                if not side:
                    break
                low, high = (m, b) if side < 0 else (a, m)
            a, b = low, high
        return a, b


def joined(found: Sequence[tuple[End, End]], start: fmpq, stop: fmpq) -> Iterator[tuple[End, End]]:
    """Yield runs of intervals that touch; ends of the search are open."""
    runs: list[tuple[End, End]] = []
    for low, high in sorted(found, key=lambda each: as_fraction(each[0].inner)):
        if runs and runs[-1][1].outer >= low.outer:
            runs[-1] = runs[-1][0], high
        else:
            runs.append((low, high))
    for low, high in runs:
        yield (low._replace(open=bool(low.outer == start)),
               high._replace(open=bool(high.outer == stop)))  # fmt: skip


class Estimate(NamedTuple):
    """The parameters that explain the most values.

    `form` has the simplest of them; `words` is the interval, empty if it explains no more than half
    of the values; `conflict` names two values that no parameter explains together.
    """

    form: Form
    words: str
    low: fmpq
    high: fmpq
    all: bool
    conflict: str

    @property
    def family(self) -> Form:
        """The form with the published parameter."""
        return replace(self.form, chosen={}, typed="")

    def holds(self, form: Form) -> bool:
        """Return True if a form is this one with a parameter in the interval."""
        name = self.form.parameters[0].name
        same = form.name == self.form.name and set(form.chosen) <= {name}
        return same and as_fraction(self.low) <= form.settings[name] <= as_fraction(self.high)


def estimate(form: Form, given: Given, slack: int = 1) -> Estimate | None:
    """Find the values of a form's first parameter that explain the most values.

    None if no value bounds them. A value means numbers up to `slack` half units away.

    >>> from gelu_cli.formulas import find_form
    >>> given = Given("", "value", [Decimal(1), Decimal(2)], [Decimal("0.8548"), Decimal("1.9439")])
    >>> estimate(find_form("sigmoid"), given).words
    'beta in [1.772352, 1.773117]'
    """
    name = form.parameters[0].name
    bounds = given.bounds(slack)
    places = telling(form, given, [*bounds]) if len(bounds) > MOST_VALUES else [*bounds]
    segments: list[Segment] = []
    with working(BITS + longest(given)):
        for place in places:
            family = Family(form, given.quantity, given.points[place])
            segments += [Segment(place, *ends) for ends in family.segments(*bounds[place])]
    bounding = [each for each in segments if not (each.low.open and each.high.open)]
    if not bounding:
        return None
    low, high, covered = most_covered(segments)
    decimal = simplest(low, high)
    return Estimate(
        form.with_settings(f"{form.name}:{name}={decimal}", {name: Fraction(decimal)}),
        in_words(name, low, high) if 2 * covered > len(places) else "",
        low.outer,
        high.outer,
        covered == len(places),
        "" if covered == len(places) else conflict(form, given, bounding),
    )


def longest(given: Given) -> int:
    """Return the bits of the longest printed value."""
    return 4 * max(len(str(y)) for y in given.y) if given.result is None else 0


def telling(form: Form, given: Given, places: list[int]) -> list[int]:
    """Return the places of values that bound the parameter most closely, and of some others."""
    parameter, at = form.parameters[0], given.at[places]
    step = abs(parameter.default) / 64
    less, more = (
        float64(form.with_settings("", {parameter.name: p}), given.quantity, at)
        for p in (parameter.default - step, parameter.default + step)
    )
    with np.errstate(all="ignore"):
        tells = np.nan_to_num(np.abs(more - less) / given.units[places], nan=0.0, posinf=0.0)
    order = np.argsort(-tells, kind="stable")
    best, rest = order[: MOST_VALUES // 2], order[MOST_VALUES // 2 :]
    spread = rest[np.linspace(0, len(rest) - 1, MOST_VALUES // 2).astype(int)]
    return [places[i] for i in sorted({*best.tolist(), *spread.tolist()})]


def conflict(form: Form, given: Given, segments: Sequence[Segment]) -> str:
    """Return two values whose parameters lie farthest apart, in words."""
    above = max(segments, key=lambda each: as_fraction(each.low.inner))
    below = min(segments, key=lambda each: as_fraction(each.high.inner))
    if above.low.inner <= below.high.inner:
        return ""
    name = form.parameters[0].name
    said = [f"{in_words(name, low, high)} at x = {given.texts(place)[0]}"
            for place, low, high in (above, below)]  # fmt: skip
    return f"no {name} of {form.name} gives all values: {' but '.join(said)}"


def most_covered(segments: Sequence[Segment]) -> tuple[End, End, int]:
    """Return the interval that lies in segments of the most values, and their number."""

    def around(low: End) -> list[Segment]:
        return [each for each in segments if each.low.inner <= low.inner <= each.high.inner]

    low = max((each.low for each in reversed(segments)),
              key=lambda end: (len(around(end)), -as_fraction(end.inner)))  # fmt: skip
    high = min((each.high for each in around(low)), key=lambda end: as_fraction(end.inner))
    return low, high, len(around(low))


def in_words(name: str, low: End, high: End) -> str:
    """Return an interval in decimals, rounded outward."""
    width = max(as_fraction(high.outer - low.outer), Fraction(1, 10**130))
    places = max(SPARE_DIGITS - 1 - floor(log10(width)), 0)
    ends = floor(as_fraction(low.outer) * 10**places), ceil(as_fraction(high.outer) * 10**places)
    bottom, top = (Decimal(f"{each}e-{places}") for each in ends)  # exactly, in any context
    if high.open:
        return f"{name} >= {bottom}"
    return f"{name} <= {top}" if low.open else f"{name} in [{bottom}, {top}]"


def simplest(low: End, high: End) -> Decimal:
    """Return the decimal of the fewest places in an interval, the one nearest to its middle.

    >>> simplest(End(fmpq(17), fmpq(171, 100)), End(fmpq(2), fmpq(187, 100)))
    Decimal('1.8')
    """
    first, last = sorted(as_fraction(each.inner) for each in (low, high))
    places = 0
    while ceil(first * 10**places) > floor(last * 10**places):
        places += 1
    scale = 10**places
    whole = min(max(round((first + last) / 2 * scale), ceil(first * scale)), floor(last * scale))
    return Decimal(f"{whole}e-{places}")
