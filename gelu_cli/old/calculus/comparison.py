"""Two forms side by side, as real numbers: suprema of their difference, and averages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from gelu_cli.errors import UsageError, unknown
from gelu_cli.old.arithmetic import Arithmetic, Curve, Real, Result, Rounding
from gelu_cli.old.arithmetic.dual import DualArithmetic, slope_of
from gelu_cli.old.arithmetic.interval import Interval
from gelu_cli.old.arithmetic.mpf import ZERO
from gelu_cli.old.calculus.coverings import sign_changes
from gelu_cli.old.calculus.integrals import Averages, Normal, averaged, check_sigma, squared
from gelu_cli.old.calculus.roots import rounded_root, sign_at
from gelu_cli.old.calculus.stretches import (
    Place,
    Stretch,
    check_range,
    curve_of,
    stretches,
    vanishes,
)
from gelu_cli.old.calculus.suprema import Extreme, Hill, supremum
from gelu_cli.old.formulas import Form

End: TypeAlias = Fraction | float


class Comparison(NamedTuple):
    """A form, what it is judged against, and in which quantity."""

    form: Form
    target: Form
    quantity: str

    @property
    def divided(self) -> str:
        """The quantity whose ratio is that of the errors: of gated forms the gate, as x cancels."""
        gated = self.form.has_gate and self.target.has_gate
        return "gate" if gated and self.quantity == "value" else self.quantity

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

    def differences(
        self, low: End = -math.inf, high: End = math.inf
    ) -> list[tuple[Stretch, Curve]]:
        """Return form − target on the stretches of a range, the whole line by default."""
        return [(stretch, self.difference(stretch)) for stretch in self.stretches(low, high)]

    def ratio(self, stretch: Stretch) -> Curve:
        """Return (form − target)/target as a curve.

        Where values of forms without gates are both 0, it is the ratio of the slopes, its limit.
        """
        form, target = self.pair(stretch, self.divided)
        slopes = self.pair(stretch, "gradient") if self.quantity == "value" else (form, target)

        def curve(a: Arithmetic, x: Real) -> Real:
            u, v = form(a, x), target(a, x)
            if all(y.low == y.high == ZERO if isinstance(y, Interval) else y == 0 for y in (u, v)):
                u, v = (slope(a, x) for slope in slopes)
            return u / v - 1

        return curve

    def rising(self, stretch: Stretch) -> Curve:
        """Return u′v − uv′, which has the sign of the derivative of the ratio u/v."""
        form, target = self.pair(stretch, self.divided)

        def curve(a: Arithmetic, x: Real) -> Real:
            dual = DualArithmetic(a)
            u, v = (dual.number(each(dual, dual.variable(x))) for each in (form, target))
            return u.derivative * v.value - u.value * v.derivative

        return curve

    def largest_difference(self, low: End, high: End, rounding: Rounding) -> Extreme:
        """Return the supremum of |form − target| over a range, and where it is."""
        parts = self.differences(low, high)
        return supremum([Hill(part, curve, slope_of(curve)) for part, curve in parts], rounding)

    def largest_ratio(self, low: End, high: End, rounding: Rounding) -> Extreme:
        """Return the supremum of |form − target|/|target| over a range, and where it is.

        It is infinite at a zero of the target that is none of the form.
        """
        parts = self.stretches(low, high)
        poles = [pole for part in parts for pole in self._poles(part, rounding)]
        if poles:
            return min(poles, key=lambda pole: (abs(pole.x), -pole.x))
        hills = [
            Hill(part, self.ratio(part), self.rising(part))
            for part in parts
            if not vanishes(self.pair(part)[1])
        ]
        if hills:
            return supremum(hills, rounding)
        nearest_to_0 = Fraction(min(max(low, 0), high))
        return Extreme(rounding.exactly(Fraction(0)), rounding.exactly(nearest_to_0))

    def _poles(self, stretch: Stretch, rounding: Rounding) -> Iterator[Extreme]:
        """Yield where on a stretch the target is 0 and the form is not."""
        form, target = self.pair(stretch)
        if vanishes(form):
            return
        if vanishes(target):
            yield Extreme(math.inf, min(map(float, stretch), key=abs), bounded=False)
            return
        for end in stretch:
            if sign_at(target, end) == 0 != sign_at(form, end):
                yield Extreme(math.inf, float(end), bounded=False)
        if self.quantity == "value" and self.target.has_gate:
            return  # x·G(x) has no zero but at 0, which is an end
        for bracket in sign_changes(target, stretch)[1]:
            x = rounded_root(target, bracket, rounding)
            if x is not None:
                yield Extreme(math.inf, x, bounded=False)


QUANTITIES = ("value", "gradient", "curvature", "gate")
"""What is compared."""


def compare(form: Form, target: Form, quantity: str) -> Comparison:
    """Return the comparison of a form with a target; raises `UsageError` if it makes no sense."""
    if quantity not in QUANTITIES:
        raise unknown("quantity", quantity, QUANTITIES, where=" of an error")
    if quantity == "gate":
        form.require_gate()
        target.require_gate()
    if form.function == target.function:
        itself = "itself" if form.label == target.label else f"'{target.label}', the same function,"
        raise UsageError(
            f"the error of '{form.label}' against {itself} is 0 by definition; "
            "name another form or another target"
        )
    return Comparison(form, target, quantity)


class ErrorSummary(NamedTuple):
    """The suprema of the error of a form, where they are, and its averages for X ~ N(μ, σ²)."""

    max_abs_error: Result
    max_abs_error_x: Result
    max_rel_error: Result
    max_rel_error_x: Result
    mean_abs_error: Result
    rms_error: Result
    max_rel_error_is_bounded: bool = True
    """False where the relative error has no bound; one beyond float64 is infinite, yet bounded."""


def summarise(
    comparison: Comparison,
    low: End,
    high: End,
    sigma: Fraction,
    rounding: Rounding,
    mean: Fraction = Fraction(0),
) -> ErrorSummary:
    """Return the suprema of an error over [low, high] and its averages for X ~ N(mean, sigma²).

    The absolute error is d = |form − target|, the relative one d/|target|; the averages, over
    the whole line, are E d and √(E d²). Each number is correctly rounded. A ratio without a bound
    is infinite, at the place that makes it so. Raises `UsageError` for an empty range or a sigma
    that is not positive.

    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.arithmetic.formats import FLOAT64
    >>> tanh = compare(find_form("tanh"), find_form("exact"), "value")
    >>> summarise(tanh, -10, 10, Fraction(1), FLOAT64)[:2]
    (0.00047323552068728487, 2.69894138637727)
    """
    check_range(low, high)
    check_sigma(sigma)
    absolute = comparison.largest_difference(low, high, rounding)
    relative = comparison.largest_ratio(low, high, rounding)
    mean_abs, rms = average_errors(comparison, sigma, rounding, mean)
    return ErrorSummary(
        absolute.value, absolute.x, relative.value, relative.x, mean_abs, rms, relative.bounded
    )


def average_errors(
    comparison: Comparison, sigma: Fraction, rounding: Rounding, mean: Fraction = Fraction(0)
) -> list[Result]:
    """Return E|d| and √(E d²) for d = form − target and X ~ N(mean, sigma²), correctly rounded.

    >>> from gelu_cli.old.formulas import find_form
    >>> from gelu_cli.old.arithmetic.formats import FLOAT64
    >>> noise = Comparison(find_form("noisy_relu"), find_form("relu"), "gradient")
    >>> average_errors(noise, Fraction(1), FLOAT64)  # 1/4 and 1/√12
    [0.25, 0.28867513459481287]
    """
    parts = comparison.differences()
    squares = [(stretch, squared(curve)) for stretch, curve in parts]

    def statistics(averages: Averages) -> Sequence[Real]:
        return abs(averages.of(parts, signs=parts).folded), averages.a.sqrt(averages.of(squares))

    return averaged(statistics, Normal(mean, sigma), rounding)
