"""Curves on the real axis: a quantity f, an error f − g, or f/g − 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise, takewhile
from typing import Any, NamedTuple, TypeAlias, TypeVar

from flint import acb, arb, arb_series, fmpq

from gelu_cli.errors import UsageError, unknown
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import as_fraction, to_fraction
from gelu_cli.numbers.far import Far, nearest_ray, ray_variable, rest_on_ray
from gelu_cli.numbers.ray_series import RaySeries
from gelu_cli.numbers.rays import FARTHEST, PRECISION, on_rays
from gelu_cli.numbers.rounding import less, sign, working
from gelu_cli.numbers.series import Smooth

End: TypeAlias = "fmpq | float"
"""An end of a stretch as x·|x|, which is a fraction for all cuts; or an infinity."""

A = TypeVar("A")

COMPARED = ("value", "gradient", "curvature", "gate")
"""Quantities that have errors."""


@dataclass(frozen=True)
class Curve:
    """f on one piece of a form; with a target g, f − g; as a `ratio`, f/g − 1.

    If f and g are 0 at 0, their ratio near 0 is that of f/xᵐ and g/xᵐ, by their power series.
    """

    form: Smooth
    target: Smooth | None = None
    ratio: bool = False

    @cached_property
    def line(self) -> tuple[fmpq, fmpq]:
        """The exact part, k₀ and k₁, that is not in `expand`."""
        if self.ratio:
            return fmpq(0), fmpq(0)
        (k0, k1), target = self.form.line, self.target
        return (k0, k1) if target is None else (k0 - target.line[0], k1 - target.line[1])

    @property
    def has_rest(self) -> bool:
        """True if the curve is more than a straight line."""
        return (
            self.ratio or self.form.has_rest or (self.target is not None and self.target.has_rest)
        )

    @cached_property
    def vanishes(self) -> bool:
        """True if the curve is known to be 0 everywhere."""
        if self.target is None:
            return is_zero(self.form)
        if self.form.form.function == self.target.form.function and self.form.i == self.target.i:
            return True
        polynomials = [polynomial_values(each) for each in (self.form, self.target)]
        return None not in polynomials and polynomials[0] == polynomials[1]

    def expand(self, x: arb, length: int) -> arb_series:
        """Return `length` terms of the power series at x + h, without the line."""
        if self.target is None:
            return self.form.expand(x, length)
        if not self.ratio:
            return self.form.expand(x, length) - self.target.expand(x, length)
        # On a ball that holds 0, or is wide for its distance from 0, both parts may be small.
        wide = x.contains(0) or x.rad() * 64 > abs(x.mid())
        order = self.order if wide else 0
        ball = x.union(arb(0)) if order else x
        u, v = (each.expand(ball, length + order) for each in (self.form, self.target))
        variable = arb_series([ball, 1], prec=length + order)
        (k0, k1), (l0, l1) = self.form.line, self.target.line
        below = v + variable * l1 + l0 if l0 or l1 else v
        close = (k0, k1) == (l0, l1) and bool(k0 or k1)  # u/v − 1 would cancel
        above = u - v if close else u + variable * k1 + k0 if k0 or k1 else u
        if order:
            above, below = (shifted(each, order, length) for each in (above, below))
        return above / below - (0 if close else 1)

    @cached_property
    def order(self) -> int:
        """Order of the zero that both parts have at 0; 0 if no end is at 0."""
        assert self.target is not None
        if not any(self.target.meets_zero(right) for right in (False, True)):
            return 0
        order = zeros_at_zero(self.target)
        return order if order and zeros_at_zero(self.form) >= order else 0

    def taylor(self, x: arb, n: int) -> list[arb]:
        """Return the Taylor coefficients 0 to n at x, a point or a ball."""
        k0, k1 = self.line
        y = self.expand(x, n + 1)
        if k0 or k1:
            y = y + arb_series([x, 1], prec=n + 1) * k1 + k0
        return [y[k] for k in range(n + 1)]

    def meets_zero(self, right: bool) -> bool:
        """Return True if the piece ends at 0 on that side of it."""
        return self.form.meets_zero(right)

    def far(self, right: bool) -> Far | None:
        """Return None: arrays take `at_points` for large |x|."""
        return None

    def image(self) -> None:
        """Return None: mirror images are not used."""

    def on_ray(self, right: bool, start: int) -> RaySeries:
        """Return the curve, and its slope, on a ray |x| ≥ 2ᵏ, k = `start`."""
        with working(PRECISION):
            rest = rest_of_ray(self.form, right, start)
            if self.target is not None:
                rest = rest - rest_of_ray(self.target, right, start)
            if not self.ratio:
                k0, k1 = self.line
                return rest + (ray_variable(start, right) * k1 + k0)
            assert self.target is not None
            below = total_on_ray(self.target, right, start)
            if self.form.line == self.target.line and any(self.form.line):
                return rest / below
            return total_on_ray(self.form, right, start) / below - 1

    def at(self, z: acb) -> acb:
        """Return the curve at a complex ball; NaN if it is not analytic there."""
        k0, k1 = self.line  # exact, also of a difference: the rests are much smaller at large |z|
        y = complex_rest(self.form, z)
        y = y if self.target is None else y - complex_rest(self.target, z)
        return y + z * k1 + k0


def rest_of_ray(curve: Smooth, right: bool, start: int) -> RaySeries:
    """Return the rest of a quantity, and its slope, on a ray."""
    return rest_on_ray(curve.form, curve.quantity, right, start)


def total_on_ray(curve: Smooth, right: bool, start: int) -> RaySeries:
    """Return a quantity, and its slope, on a ray."""
    k0, k1 = curve.line
    return rest_of_ray(curve, right, start) + (ray_variable(start, right) * k1 + k0)


def complex_rest(curve: Smooth, z: acb) -> acb:
    """Return the rest of a quantity at a complex ball; NaN if it has no bound."""
    try:
        return acb(curve.form.evaluate(curve.i, curve.quantity, z)[2])
    except (ValueError, ZeroDivisionError):
        return acb(arb.nan())


def shifted(series: arb_series, order: int, length: int) -> arb_series:
    """Return the series of f/xᵐ on a ball that holds 0, a zero of order m.

    The k-th coefficient of f/xᵐ is in the (k + m)-th coefficient of f.
    """
    return arb_series([series[k + order] for k in range(length)], prec=length)


def zeros_at_zero(curve: Smooth) -> int:
    """Return the order of the zero of a quantity at 0, at most 4."""
    series = curve.expand(arb(0), 5) + arb_series([0, 1], prec=5) * curve.line[1] + curve.line[0]
    return next((k for k in range(5) if not series[k].is_zero()), 4)


def polynomial_values(curve: Smooth) -> tuple[Any, ...] | None:
    """Return a polynomial's values at 0 … 40, which identify it, else None."""
    if not curve.form.is_polynomial(curve.i):
        return None
    return tuple(curve.form.fraction(curve.i, curve.quantity, fmpq(k)) for k in range(41))


def is_zero(curve: Smooth) -> bool:
    """Return True if a quantity is 0 everywhere."""
    if curve.line[0] or curve.line[1]:
        return False
    values = polynomial_values(curve)
    return not curve.has_rest if values is None else not any(values)


@dataclass(frozen=True)
class Comparison:
    """A form, its target, and the quantity in which they are compared."""

    form: Form
    target: Form
    quantity: str

    @property
    def divided(self) -> str:
        """The quantity that a relative error divides by.

        For values of gated forms it is the gate, as x cancels.
        """
        gated = self.form.has_gate and self.target.has_gate
        return "gate" if gated and self.quantity == "value" else self.quantity

    def difference(self, i: int, j: int) -> Curve:
        """Return form − target on their pieces i and j."""
        return Curve(Smooth(self.form, i, self.quantity), Smooth(self.target, j, self.quantity))

    def ratio(self, i: int, j: int) -> Curve:
        """Return (form − target)/target on their pieces i and j."""
        name = self.divided
        return Curve(Smooth(self.form, i, name), Smooth(self.target, j, name), True)


def compare(form: Form, target: Form, quantity: str) -> Comparison:
    """Check that the quantity of two forms can be compared.

    Raises
    ------
    UsageError
        If the quantity has no error, a gate is missing, or both forms are the same function.
    """
    if quantity not in COMPARED:
        raise unknown("quantity", quantity, COMPARED, where=" of an error")
    form.require([quantity])
    target.require([quantity])
    if form.function == target.function:
        itself = "itself" if form.label == target.label else f"'{target.label}', the same function,"
        raise UsageError(
            f"the error of '{form.label}' against {itself} is 0 by definition; "
            "name another form or another target"
        )
    return Comparison(form, target, quantity)


class Stretch(NamedTuple):
    """An interval on which a curve is smooth; an end is x·|x|, or ±∞."""

    curve: Curve
    low: End
    high: End

    def ends(self) -> tuple[End, End]:
        """Return both ends."""
        return self.low, self.high


def square_of(x: Fraction | float | fmpq) -> End:
    """Return x·|x|."""
    if isinstance(x, float) and math.isinf(x):
        return x
    q = to_fraction(x)
    return q * abs(q)


def position(square: fmpq) -> arb:
    """Return the x with x·|x| = square, to the working precision."""
    root = arb(abs(square)).sqrt()
    return -root if square < 0 else root


def exact_root(square: fmpq) -> fmpq | None:
    """Return the x with x·|x| = square if it is a fraction."""
    root = fmpq(abs(square).p.isqrt(), abs(square).q.isqrt()) * sign(square)
    return root if root * abs(root) == square else None


def stretches(
    forms: Sequence[Form], low: Any, high: Any, curve_of: Callable[..., Curve]
) -> list[Stretch]:
    """Divide a range into smooth stretches, at 0 and the cuts of all forms."""
    a, b = square_of(low), square_of(high)
    if not less(a, b):
        raise UsageError(
            f"the range {float_of(low):g}:{float_of(high):g} is empty; write A:B with A < B"
        )
    squares = sorted({cut.square for form in forms for cut in form.cuts})
    places = [a, *(s for s in squares if less(a, s) and less(s, b)), b]
    found = []
    for left, right in pairwise(places):
        index = [sum(not less(left, cut.square) for cut in form.cuts) for form in forms]
        found.append(Stretch(curve_of(*index), left, right))
    return found


def float_of(x: Any) -> float:
    """Return a number as a float."""
    try:
        return float(as_fraction(x)) if isinstance(x, fmpq) else float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def on_line(form: Form, quantity: str) -> list[Stretch]:
    """Return a quantity of a form on the stretches of the whole axis."""
    return stretches([form], -math.inf, math.inf, lambda i: Curve(Smooth(form, i, quantity)))


def first_ray(curve: Curve) -> int:
    """Return the least k with 2ᵏ beyond all cuts of both forms."""
    parts = [each for each in (curve.form, curve.target) if each is not None]
    return max(nearest_ray(each.form, right) for each in parts for right in (False, True))


def on_ray_within(
    stretch: Stretch, right: bool, question: Callable[[Curve, bool, int], A]
) -> tuple[arb, A] | None:
    """Answer a question on the first ray in a stretch that decides it.

    Return where the ray begins, ∓2ᵏ, and the answer; None if the end of the stretch comes first.
    """
    end = stretch.ends()[right]
    starts: Iterable[int] = range(first_ray(stretch.curve), FARTHEST)
    if not isinstance(end, float):
        far = end if right else -end
        starts = takewhile(lambda k: fmpq(4) ** k < far, starts)
    found = on_rays(starts, partial(question, stretch.curve, right))
    return found and (arb((1 if right else -1, found[0])), found[1])
