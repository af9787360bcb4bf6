"""Curves on the real axis: a quantity f, or its errors f − g and f/g − 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from flint import arb, arb_series, fmpq

from gelu_cli.errors import UsageError, unknown
from gelu_cli.formulas import Form
from gelu_cli.formulas.form import derivatives
from gelu_cli.formulas.pieces import as_fraction, to_fraction
from gelu_cli.numbers.rays import PRECISION, Far, Ray, first_ray, ray_variable, rest_on_ray
from gelu_cli.numbers.rounding import less, sign, working
from gelu_cli.numbers.series import Smooth

End: TypeAlias = "fmpq | float"
"""An end x of a stretch: ±∞, or x·|x|, which is a fraction even if x is a square root."""

COMPARED = ("value", "gradient", "curvature", "gate")
"""Quantities in which a form can be compared with a target."""


@dataclass(frozen=True)
class Curve:
    """f on one piece of a form; with a target g, f − g; as a `ratio`, f/g − 1.

    If f and g are 0 at 0, f/g near 0 is the quotient of the series of f/xᵐ and g/xᵐ (see `order`).
    """

    form: Smooth
    target: Smooth | None = None
    ratio: bool = False

    @property
    def parts(self) -> list[Smooth]:
        """f, and g if there is a target."""
        return [self.form] if self.target is None else [self.form, self.target]

    @cached_property
    def line(self) -> tuple[fmpq, fmpq]:
        """k₀ and k₁ of the exact part k₀ + k₁x, which `expand` leaves out."""
        if self.ratio:
            return fmpq(0), fmpq(0)
        (k0, k1), target = self.form.line, self.target
        return (k0, k1) if target is None else (k0 - target.line[0], k1 - target.line[1])

    @property
    def has_rest(self) -> bool:
        """True if the curve is more than a straight line."""
        return self.ratio or any(each.has_rest for each in self.parts)

    @cached_property
    def vanishes(self) -> bool:
        """True if the curve is known to be 0 everywhere."""
        if not self.has_rest and not any(self.line):
            return True
        if self.target is None:
            return False
        if self.form.form.function == self.target.form.function and self.form.i == self.target.i:
            return True
        polynomials = [polynomial_values(each) for each in self.parts]
        return None not in polynomials and polynomials[0] == polynomials[1]

    @property
    def first_ray(self) -> int:
        """A k ≥ 3 with 2ᵏ beyond all cuts (where pieces meet) of both forms."""
        return first_ray(*(each.form for each in self.parts))

    @cached_property
    def alike(self) -> bool:
        """True if f and g have the same `line` ≠ 0: then f/g − 1 would cancel."""
        assert self.target is not None
        return self.form.line == self.target.line and any(self.form.line)

    def expand(self, x: arb, length: int) -> Any:
        """Return `length` terms of the series in h at x + h, without the line."""
        # If the ball x contains 0, or is wide relative to |x|, f and g may both be near 0.
        wide = x.contains(0) or x.rad() * 64 > abs(x.mid())
        order = self.order if self.ratio and wide else 0
        ball = x.union(arb(0)) if order else x
        rests = [each.expand(ball, length + order) for each in self.parts]
        if not self.ratio:
            return difference(rests)
        pair = self.fraction(rests, arb_series([ball, 1], prec=length + order))
        if order:
            # Around 0 the ball of coefficient k + m of f contains coefficient k of f/xᵐ.
            pair = [arb_series([y[k + order] for k in range(length)], prec=length) for y in pair]
        return pair[0] / pair[1] - (0 if self.alike else 1)

    def fraction(self, rests: Sequence[Any], x: Any) -> list[Any]:
        """Return numerator and denominator of f/g; of f/g − 1 if `alike`."""
        below = with_line(rests[1], self.parts[1].line, x)
        above = difference(rests) if self.alike else with_line(rests[0], self.form.line, x)
        return [above, below]

    @cached_property
    def order(self) -> int:
        """Order m of the zero of g at 0; 0 if f's is lower, or no piece ends at 0."""
        assert self.target is not None
        if not any(self.target.meets_zero(right) for right in (False, True)):
            return 0
        order = zeros_at_zero(self.target)
        return order if order and zeros_at_zero(self.form) >= order else 0

    def taylor(self, x: arb, n: int) -> list[arb]:
        """Return the Taylor coefficients 0 to n at x, a point or a ball."""
        y = with_line(self.expand(x, n + 1), self.line, arb_series([x, 1], prec=n + 1))
        return [y[k] for k in range(n + 1)]

    def meets_zero(self, right: bool) -> bool:
        """Return True if the piece is on the right (left) of 0 and ends at 0."""
        return self.form.meets_zero(right)

    def far(self, right: bool) -> Far | None:
        """Return None: the asymptote, and the sign of the rest, are unknown."""
        return None

    def image(self) -> None:
        """Return None: mirror images are not used."""

    def on_ray(self, right: bool, start: int) -> Ray:
        """Return the curve for |x| ≥ 2^start."""
        with working(PRECISION):
            x = ray_variable(start, right)
            rests = [rest_on_ray(each.form, each.quantity, right, start) for each in self.parts]
            if not self.ratio:
                return x.of(with_line(difference(rests), self.line, x))
            above, below = self.fraction(rests, x)
            return x.of(above / below - (0 if self.alike else 1))

    def at(self, x: Any) -> Any:
        """Return the curve at a real or complex ball.

        The result is not finite, or an error is raised, if the curve may not be analytic there.
        """
        rests = [each.form.evaluate(each.i, each.quantity, x)[2] for each in self.parts]
        return with_line(difference(rests), self.line, x)

    def value_and_slope(self, x: Any) -> list[Any]:
        """Return f and f′ at a real or complex ball; see `at` on failures."""
        form, i, _ = self.form
        tail = derivatives(form.tail_series(i, x, 2), 1)
        splits = (form.split(i, quantity, x, tail) for quantity in ("value", "gradient"))
        return [with_line(rest, line, x) for *line, rest in splits]


def difference(rests: Sequence[Any]) -> Any:
    """Return the first number, minus the second number if there are two."""
    return rests[0] - rests[1] if len(rests) == 2 else rests[0]


def with_line(rest: Any, line: Sequence[fmpq], x: Any) -> Any:
    """Return k₀ + k₁·x + rest for numbers of any type; k₀ and k₁ are exact."""
    k0, k1 = line
    return rest + x * k1 + k0 if k0 or k1 else rest


def zeros_at_zero(curve: Smooth) -> int:
    """Return the order of the zero of a quantity at 0, at most 4."""
    series = with_line(curve.expand(arb(0), 5), curve.line, arb_series([0, 1], prec=5))
    return next((k for k in range(5) if not series[k].is_zero()), 4)


def polynomial_values(curve: Smooth) -> tuple[Any, ...] | None:
    """Identify a polynomial by its values at 0 … 40; None for other curves."""
    if not curve.form.is_polynomial(curve.i):
        return None
    return tuple(curve.form.fraction(curve.i, curve.quantity, fmpq(k)) for k in range(41))


def is_zero(curve: Smooth) -> bool:
    """Return True if a quantity is 0 everywhere."""
    return not curve.has_rest and not any(curve.line)


@dataclass(frozen=True)
class Comparison:
    """A form, its target, and the quantity in which they are compared."""

    form: Form
    target: Form
    quantity: str

    @property
    def divided(self) -> str:
        """The quantity whose ratio gives the relative error.

        For values of two forms with gates: the gate, as the factor x cancels.
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
    """Return the comparison of two forms in a quantity.

    Raises UsageError if the quantity has no error, a gate is missing, or the functions are equal.
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
    """An interval on which a curve is smooth; ends x are stored as x·|x|."""

    curve: Curve
    low: End
    high: End

    def ends(self) -> tuple[End, End]:
        """Return both ends."""
        return self.low, self.high


def square_of(x: Fraction | float | fmpq) -> End:
    """Return x·|x|; keep ±∞."""
    if isinstance(x, float) and math.isinf(x):
        return x
    q = to_fraction(x)
    return q * abs(q)


def position(square: End) -> arb:
    """Return the x with x·|x| = square, to the working precision."""
    return arb(square) if isinstance(square, float) else arb(abs(square)).sqrt() * sign(square)


def exact_root(square: fmpq) -> fmpq | None:
    """Return the x with x·|x| = square if x is a fraction, else None."""
    root = fmpq(abs(square).p.isqrt(), abs(square).q.isqrt()) * sign(square)
    return root if root * abs(root) == square else None


def stretches(
    forms: Sequence[Form], low: Any, high: Any, curve_of: Callable[..., Curve]
) -> list[Stretch]:
    """Divide a range into stretches, at 0 and at the ends of forms' pieces."""
    a, b = square_of(low), square_of(high)
    if not less(a, b):
        raise UsageError(
            f"the range {float_of(low):g}:{float_of(high):g} is empty; write A:B with A < B"
        )
    squares = sorted({cut.square for form in forms for cut in form.cuts})
    ends = [a, *(s for s in squares if less(a, s) and less(s, b)), b]
    found = []
    for left, right in pairwise(ends):
        index = [sum(not less(left, cut.square) for cut in form.cuts) for form in forms]
        found.append(Stretch(curve_of(*index), left, right))
    return found


def float_of(x: Any) -> float:
    """Convert a number to a float; ±∞ if it is too large."""
    try:
        return float(as_fraction(x)) if isinstance(x, fmpq) else float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def on_line(form: Form, quantity: str) -> list[Stretch]:
    """Return a quantity of a form on the stretches of the whole axis."""
    return stretches([form], -math.inf, math.inf, lambda i: Curve(Smooth(form, i, quantity)))
