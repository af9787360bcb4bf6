"""The values of a form's parameter that explain figures, as an interval with certified ends.

At a given x a value is monotone in the first parameter of every form here. So the values of it that
explain one figure are an interval, and those that explain all of them are what the intervals have
in common. An end is where the form is exactly half a unit from a figure: certified signs enclose
it. Gradients are monotone in the parameter between their extrema only, which a grid finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gelu_cli.old.arithmetic.arrays import ARRAYS
from gelu_cli.old.arithmetic.exact import exponent_of
from gelu_cli.old.arithmetic.format_arrays import Array
from gelu_cli.old.arithmetic.interval import Interval, IntervalArithmetic
from gelu_cli.old.formulas import ORDERS, Form
from gelu_cli.old.identification.figures import Bounds, Figures

LARGEST = Fraction(100)
"""Parameters are looked for from minus this to this, positive ones from its inverse."""

MOST_BOUNDS, FIRST_X, LAST_X = 256, 1 / 16, 6
"""The most figures whose bounds are computed; of more, those with FIRST_X ≤ |x| ≤ LAST_X."""

MOST_FIGURES = 24
"""Of more figures, half as many that bound the parameter most closely, and as many others."""

HALVINGS = 80
"""Steps of the search in float64s, which says whether a certified one is worth while."""

BESIDE = 1e-7
"""How far a parameter by float64s may be off, relative to it."""

PRECISIONS = (80, 200, 600)
"""In bits: a sign that the last does not tell is taken for 0."""

NARROW = Fraction(1, 2**70)
"""An end is enclosed this closely, relative to its size; more closely for very long figures."""

SHARE = Fraction(1, 2**20)
"""An end is enclosed as closely as this share of the width that a figure leaves."""

LEAST = Fraction(1, 2**20)
"""Ends that are nearer to 0 are enclosed as closely as this one."""

GRID = 4096
"""Points between which extrema of a gradient in the parameter are looked for."""

SPARE_DIGITS = 3
"""Digits of an end in words beyond the first that the width of the interval has."""


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

    @property
    def family(self) -> Form:
        """The form with the published parameter."""
        return self.form._replace(chosen={}, typed="")

    def holds(self, form: Form) -> bool:
        """Return whether a form is this one with a parameter in the interval."""
        name = self.form.parameters[0].name
        same = form.name == self.form.name and set(form.chosen) <= {name}
        return same and self.low <= form.settings[name] <= self.high


def estimated(form: Form, figures: Figures, slack: int = 1) -> Estimate | None:
    """Return the values of a form's first parameter that explain the most figures.

    None if no figure bounds them. A figure stands for numbers up to `slack` half units away.

    >>> from gelu_cli.old.formulas import find_form
    >>> x, y = [Decimal(1), Decimal(2)], [Decimal("0.8548"), Decimal("1.9439")]
    >>> estimated(find_form("sigmoid"), Figures("", "value", x, y)).words
    'beta in [1.772352, 1.773117]'
    """
    many = len(figures.y) > MOST_FIGURES
    if many and figures.quantity == "gradient":
        return None
    if len(figures.y) > MOST_BOUNDS:
        size = np.abs(figures.at)
        places = np.flatnonzero((size >= FIRST_X) & (size <= LAST_X))
        places = places if len(places) else np.arange(len(size))
        spread = np.linspace(0, len(places) - 1, min(MOST_BOUNDS, len(places))).astype(int)
        figures = figures.part(places[spread].tolist())
    family, bounds = Family(form, figures.quantity), figures.bounds(slack)
    if many and bounds:
        bounds = family.closest(bounds)
    segments = [each for place in bounds for each in family.segments(place, bounds[place])]
    bounding = [each for each in segments if not (each.low.open and each.high.open)]
    if not bounding:
        return None
    low, high, covered = _most_covered(segments)
    words, simplest = _in_words(family.name, low, high)
    label, whole = f"{form.name}:{family.name}={simplest}", covered == len(bounds)
    return Estimate(
        form.with_settings(label, {family.name: Fraction(simplest)}),
        words if 2 * covered > len(bounds) else "",
        low.outer,
        high.outer,
        whole,
        "" if whole else _conflict(family.name, form, figures, bounding),
    )


class Family:
    """A form with its first parameter free, and the others at their defaults."""

    def __init__(self, form: Form, quantity: str) -> None:
        parameter = form.parameters[0]
        self._form, self._quantity = form, quantity
        self.name, self._default = parameter.name, float(parameter.default)
        self._ends = (1 / LARGEST if parameter.sign > 0 else -LARGEST), LARGEST

    def closest(self, bounds: Mapping[int, Bounds]) -> dict[int, Bounds]:
        """Return of many figures those that seem to tell most, and some others.

        It is none where, as far as float64s tell, no parameter explains most of them.
        """
        places = [*bounds]
        x, low, high = (np.array(each, dtype=float) for each in zip(*bounds.values(), strict=True))
        if len(places) > MOST_FIGURES:
            step = abs(self._default) / 64
            sides = self._default - step, self._default + step
            less, more = (self._floats(x, np.full(x.shape, each)) for each in sides)
            widths = np.array([float(each.high - each.low) for each in bounds.values()])
            with np.errstate(all="ignore"):
                tells = np.nan_to_num(np.abs(more - less) / widths, nan=0.0, posinf=0.0)
            order = np.argsort(-tells, kind="stable")
            best, rest = order[: MOST_FIGURES // 2], order[MOST_FIGURES // 2 :]
            spread = rest[np.linspace(0, len(rest) - 1, MOST_FIGURES // 2).astype(int)]
            chosen = sorted({*best.tolist(), *spread.tolist()})
            places = [places[i] for i in chosen]
            x, low, high = x[chosen], low[chosen], high[chosen]
        ends = [self._solved(x, y) for y in (low, high)]
        low, high = np.minimum(*ends), np.maximum(*ends)
        least, most = low - BESIDE * np.abs(low), high + BESIDE * np.abs(high)
        covered = np.count_nonzero((least[:, None] <= least) & (least <= most[:, None]), axis=0)
        return {place: bounds[place] for place in places if 2 * np.max(covered) > len(places)}

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
        x, low, high = bounds
        narrow = min(NARROW, SHARE * (high - low) / max(abs(low), abs(high)))

        def at(a: IntervalArithmetic, parameter: Fraction) -> Interval:
            form = self._form._replace(chosen={self.name: parameter})
            values = form.evaluate(a, a.rational(x), x, ORDERS[self._quantity])
            y: Interval = getattr(values, self._quantity)
            return y

        def side(parameter: Fraction, bound: Fraction) -> int:
            return _sign(lambda a: at(a, parameter) - a.rational(bound))

        def rises(start: Fraction, stop: Fraction) -> bool:
            return _sign(lambda a: at(a, stop) - at(a, start)) >= 0

        within = (lambda p: side(p, low)), (lambda p: -side(p, high))  # −1 outside the bounds
        for start, stop in self._stretches(bounds):
            at_start, at_stop = within if rises(start, stop) else within[::-1]
            first = _end(at_start, start, stop, narrow)
            last = _end(at_stop, stop, start, narrow)
            if first is not None and last is not None:
                yield Segment(place, first, last)

    def _stretches(self, bounds: Bounds) -> list[tuple[Fraction, Fraction]]:
        """Return stretches of parameters in which the form goes one way and may meet the bounds.

        Those of a gradient are as float64s tell.
        """
        start, stop = self._ends
        if self._quantity == "value":
            return [self._ends]
        whole = np.linspace(float(start), float(stop), GRID)
        grid = np.unique([whole, np.linspace(max(float(start), -4), 4, GRID)])
        y = self._floats(np.full(grid.shape, float(bounds.x)), grid)
        turns = np.flatnonzero(np.diff(np.sign(np.diff(y)))) + 1
        cuts = sorted({start, *map(Fraction, grid[turns].tolist()), stop})
        y = self._floats(np.full(len(cuts), float(bounds.x)), np.array(cuts, dtype=float))
        near = BESIDE * (1 + np.abs(y[:-1]) + np.abs(y[1:]))
        low, high = np.minimum(y[:-1], y[1:]) - near, np.maximum(y[:-1], y[1:]) + near
        meets = (low <= float(bounds.high)) & (high >= float(bounds.low))
        return [each for each, met in zip(pairwise(cuts), meets.tolist(), strict=True) if met]

    def _floats(self, x: Array, parameters: Array) -> Array:
        """Return about what the form is at each x with each parameter, which may move the kinks."""
        form, order = self._form, ORDERS[self._quantity]
        pieces: NDArray[np.int64] = np.zeros(x.shape, dtype=np.int64)
        found, settings = np.empty(x.shape), form.settings_in(ARRAYS)
        with np.errstate(all="ignore"):
            for kink in form.kinks_at(**{**form.settings, self.name: parameters}):
                square = np.asarray(kink.square, dtype=float)
                place = np.copysign(np.sqrt(np.abs(square)), square)
                pieces += place <= x if kink.takes == "right" else place < x
            for piece in set(pieces.tolist()):
                where = pieces == piece
                settings[self.name] = parameters[where]
                made = form.pieces[piece](ARRAYS, x[where], order, **settings)
                found[where] = getattr(made, self._quantity)
        return found


def _sign(difference: Callable[[IntervalArithmetic], Interval]) -> int:
    """Return the certified sign of a number."""
    signs = (difference(IntervalArithmetic(precision)).sign for precision in PRECISIONS)
    return next(filter(None, signs), 0)


def _end(
    side: Callable[[Fraction], int], outer: Fraction, inner: Fraction, narrow: Fraction
) -> End | None:
    """Return where a sign, −1 outside, turns; None if it is −1 all the way to `inner`."""
    if side(outer) >= 0:
        return End(outer, outer, True)
    if side(inner) < 0:
        return None
    while abs(inner - outer) > narrow * max(abs(outer), abs(inner), LEAST):
        power = 2 ** (max(0, -exponent_of(abs(inner - outer))) + 8)
        middle = Fraction(round((outer + inner) / 2 * power), power)  # a short number near it
        sign = side(middle)
        if sign == 0:
            return End(middle, middle)
        outer, inner = (middle, inner) if sign < 0 else (outer, middle)
    return End(outer, inner)


def _most_covered(segments: Sequence[Segment]) -> tuple[End, End, int]:
    """Return the interval that lies in the segments of the most figures, and of how many."""

    def around(low: End) -> list[Segment]:
        return [each for each in segments if each.low.inner <= low.inner <= each.high.inner]

    lows = [each.low for each in reversed(segments)]
    low = max(lows, key=lambda end: (len(around(end)), -end.inner))
    high = min((each.high for each in around(low)), key=lambda end: end.inner)
    return low, high, len(around(low))


def _conflict(name: str, form: Form, figures: Figures, segments: Sequence[Segment]) -> str:
    """Return two figures whose parameters lie farthest apart, in words."""
    above = max(segments, key=lambda each: each.low.inner)
    below = min(segments, key=lambda each: each.high.inner)
    if above.place == below.place or above.low.inner <= below.high.inner:
        return ""
    said = [
        f"{_in_words(name, each.low, each.high)[0]} at x = {figures.texts(each.place)[0]}"
        for each in (above, below)
    ]
    return f"no {name} of {form.name} gives all figures: {' but '.join(said)}"


def _in_words(name: str, low: End, high: End) -> tuple[str, Decimal]:
    """Return an interval in decimals, rounded outward, and the shortest decimal in it."""
    width = max(high.outer - low.outer, Fraction(1, 10**130))
    places = max(SPARE_DIGITS - 1 - floor(log10(width)), 0)
    scale = Fraction(10) ** places
    wholes = floor(low.outer * scale), ceil(high.outer * scale)
    bottom, top = (Decimal(f"{each}e-{places}") for each in wholes)  # exactly, in any context
    decimal = _simplest(*sorted((low.inner, high.inner)))
    if high.open:
        return f"{name} >= {bottom}", decimal
    if low.open:
        return f"{name} <= {top}", decimal
    return f"{name} in [{bottom}, {top}]", decimal


def _simplest(low: Fraction, high: Fraction) -> Decimal:
    """Return the decimal of the fewest places in an interval, the one nearest to its middle."""
    middle, places = (low + high) / 2, 0
    while ceil(low * 10**places) > floor(high * 10**places):
        places += 1
    scale = 10**places
    whole = min(max(round(middle * scale), ceil(low * scale)), floor(high * scale))
    return Decimal(f"{whole}e-{places}")
