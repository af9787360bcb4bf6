"""Two forms side by side: their difference, absolute or relative, as a curve on each stretch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from gelu_cli.arithmetic import Arithmetic, Real
from gelu_cli.arithmetic.interval import Interval
from gelu_cli.arithmetic.mpf import ZERO
from gelu_cli.calculus.crossings import (
    FIRST_PRECISION,
    Bracket,
    crossings,
    curve_of,
    enclosed,
    sign_at,
    vanishes,
    zero,
)
from gelu_cli.calculus.roots import enclose_root
from gelu_cli.calculus.stretches import Curve, Place, Stretch, stretches
from gelu_cli.calculus.suprema import Extreme, supremum
from gelu_cli.forms import Form
from gelu_cli.values.evaluate import Rounding, nearest

End: TypeAlias = Fraction | float


class Comparison(NamedTuple):
    """A form, what it is judged against, and in which quantity."""

    form: Form
    target: Form
    quantity: str

    def stretches(self, low: End, high: End) -> list[Stretch]:
        """Return the stretches of a range; its ends may be infinite."""
        forms = self.form, self.target
        return stretches(Place.of(low, forms), Place.of(high, forms), forms)

    def pair(self, stretch: Stretch, quantity: str | None = None) -> tuple[Curve, Curve]:
        """Return the form and the target as curves, in the quantity compared or another."""
        name = quantity or self.quantity
        return curve_of(self.form, stretch, name), curve_of(self.target, stretch, name)

    def difference(self, stretch: Stretch) -> Curve:
        """Return form − target as a curve."""
        form, target = self.pair(stretch)
        return lambda a, x: form(a, x) - target(a, x)

    def ratio(self, stretch: Stretch) -> Curve:
        """Return (form − target)/target as a curve.

        The values of gated forms are compared by their gates: x cancels. Where other values are
        both 0, the ratio is that of the slopes, its limit.
        """
        gated = self.form.has_gate and self.target.has_gate
        form, target = self.pair(stretch, "gate" if gated and self.quantity == "value" else None)
        slopes = self.pair(stretch, "gradient") if self.quantity == "value" else (form, target)

        def curve(a: Arithmetic, x: Real) -> Real:
            u, v = form(a, x), target(a, x)
            if _is_zero(u) and _is_zero(v):
                u, v = (slope(a, x) for slope in slopes)
            return (u - v) / v

        return curve

    def crossings(self, stretch: Stretch) -> list[Bracket]:
        """Return brackets around the points in a stretch where form and target cross."""
        return list(crossings(*self.pair(stretch), stretch))

    def largest_difference(self, low: End, high: End, rounding: Rounding) -> Extreme:
        """Return the supremum of |form − target| over a range, and where it is."""
        parts = self.stretches(low, high)
        return supremum([(part, self.difference(part)) for part in parts], rounding)

    def largest_ratio(self, low: End, high: End, rounding: Rounding) -> Extreme:
        """Return the supremum of |form − target|/|target| over a range, and where it is.

        It is infinite at a zero of the target that is none of the form.
        """
        parts = self.stretches(low, high)
        poles = [pole for part in parts for pole in self._poles(part, rounding)]
        if poles:
            return min(poles, key=lambda pole: (abs(pole.x), -pole.x))
        curves = [
            (part, self.ratio(part)) for part in parts if not vanishes(self.pair(part)[1], part)
        ]
        if curves:
            return supremum(curves, rounding)
        nearest_to_0 = Fraction(min(max(low, 0), high))
        return Extreme(rounding.exactly(Fraction(0)), rounding.exactly(nearest_to_0))

    def _poles(self, stretch: Stretch, rounding: Rounding) -> Iterator[Extreme]:
        """Yield where on a stretch the target is 0 and the form is not."""
        form, target = self.pair(stretch)
        if vanishes(form, stretch):
            return
        if vanishes(target, stretch):
            yield Extreme(math.inf, min(map(float, stretch), key=abs))
            return
        for end in stretch:
            if sign_at(target, end) == 0 != sign_at(form, end):
                yield Extreme(math.inf, float(end))
        if self.quantity == "value" and self.target.has_gate:
            return  # x·G(x) has no zero but at 0, which is an end
        for low, high in crossings(target, zero, stretch):
            x = enclose_root(enclosed(target), low, high, rounding.precision + FIRST_PRECISION)
            if x is not None:
                yield Extreme(math.inf, nearest(x, rounding))


def _is_zero(y: Real) -> bool:
    return bool(y.low == y.high == ZERO if isinstance(y, Interval) else y == 0)
