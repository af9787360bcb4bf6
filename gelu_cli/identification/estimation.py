"""The values of a form's parameter that explain figures, as an interval with certified ends.

At a given x a value is monotone in the first parameter of every form here. So the values of it that
explain one figure are an interval, and those that explain all of them are what the intervals have
in common. An end is where the form is exactly half a unit from a figure: certified signs enclose
it. Gradients are monotone in the parameter between their extrema only, which a grid finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.arrays import ARRAYS
from gelu_cli.arithmetic.format_arrays import Array
from gelu_cli.arithmetic.interval import Interval, IntervalArithmetic, interval_arithmetic
from gelu_cli.forms import ORDERS, Form
from gelu_cli.identification.figures import Bounds, Figures, between_the_ends
from gelu_cli.identification.intervals import End, Segment, conflict, in_words, most_covered

LARGEST = Fraction(100)
"""Parameters are looked for from minus this to this, positive ones from its inverse."""

MOST_BOUNDS = 256
"""Bounds are computed of so many figures at most."""

HALVINGS = 80
"""The search in float64s, which says whether a certified one is worth while, halves so often."""

BESIDE = 1e-7
"""How far a parameter by float64s may be off, relative to it."""

MOST_FIGURES = 24
"""So many figures are looked at: those that bound the parameter most closely, and others."""

PRECISIONS = (80, 200, 600)
"""In bits: a sign that the last does not tell is taken for 0."""

NARROW = Fraction(1, 2**70)
"""An end is enclosed this closely, relative to its size; more closely for very long figures."""

SHARE = Fraction(1, 2**20)
"""An end is enclosed as closely as this share of the width that a figure leaves."""

LEAST = Fraction(1, 2**20)
"""Ends that are nearer to 0 are enclosed as closely as this one."""

GRID = 4096
"""Extrema of a gradient in the parameter are looked for between so many points."""


class Estimate(NamedTuple):
    """The parameters that explain the most figures, and the simplest of them."""

    form: Form
    """With the simplest parameter."""

    words: str
    """The interval, in words; empty if it explains no more than half of the figures."""

    low: Fraction
    high: Fraction
    all: bool
    """Whether the interval explains all figures."""

    conflict: str = ""
    """In words, two figures that no parameter explains together."""

    def holds(self, form: Form) -> bool:
        """Return whether a form is this one with a parameter in the interval."""
        name = self.form.parameters[0].name
        same = form.name == self.form.name and set(form.chosen) <= {name}
        return same and self.low <= form.settings[name] <= self.high

    @property
    def holds_default(self) -> bool:
        """Whether the default is in the interval."""
        return self.low <= self.form.parameters[0].default <= self.high


def estimated(form: Form, figures: Figures, slack: int = 1) -> Estimate | None:
    """Return the values of a form's first parameter that explain the most figures.

    None if no figure bounds them.

    With a slack a figure stands for numbers that are so many times as far away.

    >>> from decimal import Decimal
    >>> from gelu_cli.forms import find_form
    >>> from gelu_cli.identification.figures import Printed
    >>> x, y = [Decimal(1), Decimal(2)], [Decimal("0.8548"), Decimal("1.9439")]
    >>> estimated(find_form("sigmoid"), Printed("", "value", x, y)).words
    'beta in [1.772352, 1.773117]'
    """
    many = len(figures.y) > MOST_FIGURES
    if many and figures.quantity == "gradient":
        return None
    figures = between_the_ends(figures, MOST_BOUNDS)
    all_bounds = {place: each.widened(slack) for place, each in figures.bounds()}
    family = Family(form, figures.quantity)
    places = family.places_of(all_bounds)
    if many and not family.may_explain_most([all_bounds[place] for place in places]):
        return None
    segments = [each for i in places for each in family.segments(i, all_bounds[i])]
    bounding = [each for each in segments if not (each.low.open and each.high.open)]
    if not bounding:
        return None
    low, high, covered = most_covered(segments)
    words, simplest = in_words(family.name, low, high)
    label = f"{form.name}:{family.name}={simplest}"
    chosen = form.with_settings(label, {family.name: Fraction(simplest)})
    whole = covered == len(places)
    return Estimate(
        chosen,
        words if 2 * covered > len(places) else "",
        low.outer,
        high.outer,
        whole,
        "" if whole else conflict(family.name, form, figures, bounding),
    )


class Family:
    """A form with its first parameter free, and the others at their defaults."""

    def __init__(self, form: Form, quantity: str) -> None:
        parameter = form.parameters[0]
        self._form, self._quantity = form, quantity
        self.name, self._default = parameter.name, parameter.default
        self._ends = (1 / LARGEST if parameter.sign > 0 else -LARGEST), LARGEST

    def places_of(self, bounds: dict[int, Bounds]) -> list[int]:
        """Return the figures that are looked at: all, or of many those that seem to tell most."""
        places = list(bounds)
        if len(places) <= MOST_FIGURES:
            return places
        x = np.array([float(bounds[place].x) for place in places])
        step = float(abs(self._default)) / 64
        low, high = (
            self._floats(x, np.full(x.shape, float(self._default) + side * step))
            for side in (-1, 1)
        )
        widths = np.array([float(each.high - each.low) for each in bounds.values()])
        with np.errstate(all="ignore"):
            tells = np.nan_to_num(np.abs(high - low) / widths, nan=0.0, posinf=0.0)
        order = np.argsort(-tells, kind="stable")
        best, rest = order[: MOST_FIGURES // 2], order[MOST_FIGURES // 2 :]
        spread = rest[np.linspace(0, len(rest) - 1, MOST_FIGURES // 2).astype(int)]
        return [places[i] for i in sorted({*best.tolist(), *spread.tolist()})]

    def may_explain_most(self, bounds: Sequence[Bounds]) -> bool:
        """Return whether, as far as float64s tell, a parameter explains most of some values."""
        x = np.array([float(each.x) for each in bounds])
        low, high = (
            self._solved(x, np.array([float(getattr(each, name)) for each in bounds]))
            for name in ("low", "high")
        )
        low, high = np.minimum(low, high), np.maximum(low, high)
        least, most = low - BESIDE * np.abs(low), high + BESIDE * np.abs(high)
        covered = (least[:, None] <= least) & (least <= most[:, None])
        return bool(2 * np.max(np.count_nonzero(covered, axis=0)) > len(bounds))

    def _solved(self, x: Array, y: Array) -> Array:
        """Return about the parameters with which the form at each x is y, by halving."""
        start, stop = (np.full(x.shape, float(end)) for end in self._ends)
        rises = self._floats(x, stop) >= self._floats(x, start)
        for _ in range(HALVINGS):
            middle = (start + stop) / 2
            below = (self._floats(x, middle) < y) == rises
            start, stop = np.where(below, middle, start), np.where(below, stop, middle)
        return start

    def segments(self, place: int, bounds: Bounds) -> Iterator[Segment]:
        """Yield the intervals of parameters that explain a figure."""
        for start, stop in self._stretches(bounds):
            rises = self._rises(bounds.x, start, stop)
            low, high = (bounds.low, bounds.high) if rises else (bounds.high, bounds.low)
            # Of a function that rises: above its low end it is over `low`.
            way, size = 1 if rises else -1, max(abs(low), abs(high))
            narrow = min(NARROW, SHARE * abs(high - low) / size)
            first = self._end(bounds.x, low, start, stop, way, narrow)
            last = self._end(bounds.x, high, start, stop, way, narrow, last=True)
            if first is not None and last is not None:
                yield Segment(place, first, last)

    def _stretches(self, bounds: Bounds) -> list[tuple[Fraction, Fraction]]:
        """Return the monotone stretches in which, as far as float64s tell, the bounds are met."""
        found = self._monotone(bounds.x)
        if self._quantity == "value":
            return found
        ends = np.array(found, dtype=float)
        x = np.full(len(ends), float(bounds.x))
        first, last = (self._floats(x, ends[:, i]) for i in (0, 1))
        near = BESIDE * (1 + np.abs(first) + np.abs(last))
        meets = (np.minimum(first, last) <= float(bounds.high) + near) & (
            np.maximum(first, last) >= float(bounds.low) - near
        )
        return [each for each, met in zip(found, meets.tolist(), strict=True) if met]

    def _monotone(self, x: Fraction) -> list[tuple[Fraction, Fraction]]:
        """Return stretches of parameters in which the form at x goes one way."""
        if self._quantity == "value":
            return [self._ends]
        start, stop = map(float, self._ends)
        grid = np.unique(np.concatenate([
            np.linspace(start, stop, GRID), np.linspace(max(start, -4), 4, GRID),
        ]))  # fmt: skip
        y = self._floats(np.full(grid.shape, float(x)), grid)
        turns = np.flatnonzero(np.diff(np.sign(np.diff(y)))) + 1
        cuts = [self._ends[0], *map(Fraction, grid[turns].tolist()), self._ends[1]]
        return [pair for pair in pairwise(cuts) if pair[0] < pair[1]]

    def _end(
        self,
        x: Fraction,
        bound: Fraction,
        start: Fraction,
        stop: Fraction,
        way: int,
        narrow: Fraction,
        last: bool = False,
    ) -> End | None:
        """Return where the form passes a bound: the first parameter behind it, or the last before.

        None if it is nowhere on the right side of it.
        """
        at_start, at_stop = (way * self._sign(x, p, bound) for p in (start, stop))
        if not last and at_start >= 0:
            return End(start, start, True)
        if last and at_stop <= 0:
            return End(stop, stop, True)
        if (at_stop < 0) if not last else (at_start > 0):
            return None
        below, above = start, stop
        while above - below > narrow * max(abs(below), abs(above), LEAST):
            middle = _rounded((below + above) / 2, above - below)
            side = way * self._sign(x, middle, bound)
            if side == 0:
                return End(middle, middle)
            if side < 0:
                below = middle
            else:
                above = middle
        return End(above, below) if last else End(below, above)

    def _at(
        self, x: Fraction, parameter: Fraction, precision: int
    ) -> tuple[IntervalArithmetic, Interval]:
        a = interval_arithmetic(precision)
        form = self._form._replace(chosen={self.name: parameter})
        values = form.evaluate(a, a.rational(x), x, ORDERS[self._quantity])
        return a, getattr(values, self._quantity)

    def _sign(self, x: Fraction, parameter: Fraction, bound: Fraction) -> int:
        """Return the sign of the form at x less a bound, certified."""
        for precision in PRECISIONS:
            a, y = self._at(x, parameter, precision)
            sign: int = (y - a.rational(bound)).sign
            if sign:
                return sign
        return 0

    def _rises(self, x: Fraction, start: Fraction, stop: Fraction) -> bool:
        """Return whether the form at x is larger at the second parameter; so if they are equal."""
        for precision in PRECISIONS:
            first, last = (self._at(x, parameter, precision)[1] for parameter in (start, stop))
            sign: int = (last - first).sign
            if sign:
                return sign > 0
        return True

    def _floats(self, x: Array, parameters: Array) -> Array:
        """Return about what the form is at each x with each parameter."""
        found = np.empty(x.shape)
        order, settings = ORDERS[self._quantity], self._form.settings_in(ARRAYS)
        with np.errstate(all="ignore"):
            pieces = self._pieces(x, parameters)
            for piece in set(pieces.tolist()):
                where = pieces == piece
                settings[self.name] = parameters[where]
                made = self._form.pieces[piece](ARRAYS, x[where], order, **settings)
                found[where] = getattr(made, self._quantity)
        return found

    def _pieces(self, x: Array, parameters: Array) -> NDArray[np.int64]:
        """Return which piece holds at each x with each parameter, which may move the kinks."""
        pieces = np.zeros(x.shape, dtype=np.int64)
        for kink in self._form.kinks_at(**{**self._form.settings, self.name: parameters}):
            square = np.asarray(kink.square, dtype=float)
            place = np.copysign(np.sqrt(np.abs(square)), square)
            pieces += place <= x if kink.takes == "right" else place < x
        return pieces


def _rounded(value: Fraction, width: Fraction) -> Fraction:
    """Return a short number near a value, well within a width."""
    power = max(0, ceil(-_log2(width))) + 8
    return Fraction(round(value * 2**power), 2**power)


def _log2(value: Fraction) -> int:
    return value.numerator.bit_length() - value.denominator.bit_length()
