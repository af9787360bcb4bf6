"""The error of a form at points.

Both numbers, their difference, and its ratio to the target.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from flint import arb, fmpq

from gelu_cli.calculus.curves import Comparison, Curve, rest_of_ray, total_on_ray
from gelu_cli.errors import ComputationError
from gelu_cli.formulas import Form
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.arrays import BLOCK, evaluate_array, evaluate_curves
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.far import nearest_ray
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.points import (
    DOUBLINGS,
    GUARD,
    LARGE_BINADE,
    SMALLEST,
    Point,
    Split,
    binade_of,
    enclose,
    evaluate,
)
from gelu_cli.numbers.rays import FARTHEST, PRECISION, Ray, Undecided
from gelu_cli.numbers.rounding import (
    Rounded,
    Target,
    round_ball,
    round_fraction,
    round_sum,
    sign,
    working,
)
from gelu_cli.numbers.series import Smooth

FEW_POINTS = 300
"""Fewer points are quicker one by one, 100 µs each, than cells that are made for them."""


class PointErrors(NamedTuple):
    """Target and form at a point, form − target, and its ratio to target.

    Where the target is 0 the ratio is infinite, or NaN if the form is 0 as well.
    """

    target: Rounded
    approx: Rounded
    difference: Rounded
    ratio: Rounded


def errors_at(comparison: Comparison, x: Point, to: Target = FLOAT64) -> PointErrors:
    """Return the errors at x, each number correctly rounded.

    >>> from gelu_cli.calculus.curves import compare
    >>> from gelu_cli.formulas import find_form
    >>> errors_at(compare(find_form("sigmoid"), find_form("exact"), "value"), -1.0)[2:]
    (0.004451019864278347, -0.028054664147468426)
    """
    form, target, quantity = comparison.form, comparison.target, comparison.quantity
    (approx,), (aim,) = (evaluate(each, [quantity], x, to) for each in (form, target))
    if isinstance(x, float) and not math.isfinite(x):
        if math.isnan(x):
            return PointErrors(x, x, x, x)
        found = Beyond(comparison, x > 0)
        return PointErrors(aim, approx, found.difference(to), found.ratio(to))
    q = to_fraction(x)

    def difference(u: Split, v: Split) -> Rounded | None:
        exact = u[0] - v[0]
        rest = [(way, y) for way, y in ((1, u[1]), (-1, v[1])) if y is not None]
        if not rest:
            return round_sum(to, exact, None)
        return round_sum(to, exact, sum((y * way for way, y in rest), arb(0)))

    def ratio(u: Split, v: Split) -> Rounded | None:
        if v[1] is None and not v[0]:
            return (math.nan if u[1] is None and not u[0] else math.inf) if certain(u) else None
        if u[1] is None and v[1] is None:
            return round_sum(to, (u[0] - v[0]) / v[0], None)
        a, b = whole(u), whole(v)
        if not sign(b):
            return None
        if abs(a) < abs(b) / 4:
            return round_sum(to, fmpq(-1), a / b)
        above = arb(u[0] - v[0]) + (u[1] or 0) - (v[1] or 0)
        return round_ball(to, above / b)

    return PointErrors(
        aim,
        approx,
        refine_pair(comparison, quantity, q, to, difference, Beyond.difference),
        refine_pair(comparison, comparison.divided, q, to, ratio, Beyond.ratio),
    )


def certain(y: Split) -> bool:
    """Return True if it is known whether a number is 0."""
    return y[1] is None or bool(sign(whole(y)))


def whole(y: Split) -> arb:
    """Return a number as one ball."""
    return arb(y[0]) if y[1] is None else y[1] + arb(y[0])


def refine_pair(
    comparison: Comparison,
    quantity: str,
    x: fmpq,
    to: Target,
    decide: Callable[[Split, Split], Rounded | None],
    beyond: Callable[[Beyond, Target, fmpq], Rounded],
) -> Rounded:
    """Return decide(form, target) at x by more and more bits.

    Far out what holds on a ray.
    """
    bits = to.bits_needed + GUARD + 3 * binade_of(x)
    forms = comparison.form, comparison.target
    for doubling in range(DOUBLINGS):
        with working(bits << doubling):
            pair = [enclose(form, [quantity], x)[quantity] for form in forms]
            if binade_of(x) > 1 and all(y is not None and abs(y) == SMALLEST for _, y in pair):
                return beyond(Beyond(comparison, bool(x > 0)), to, x)
            if doubling:
                pair = [exact_or(form, quantity, x, y) for form, y in zip(forms, pair, strict=True)]
            found = decide(pair[0], pair[1])
        if found is not None:
            return found
    if any(y is not None for _, y in pair):
        with working(bits << DOUBLINGS):
            if abs(whole(pair[0]) - whole(pair[1])) < arb((1, -(bits << (DOUBLINGS - 3)))):
                return to.zero(False)  # as at 0, where both are the same multiple of √(2/π)
    raise ComputationError(
        f"the error of '{comparison.form.label}' at x = {float(x.p) / float(x.q):g} is too near to "
        "the middle between two numbers to be rounded; take other --digits"
    )


def exact_or(form: Form, quantity: str, x: fmpq, y: Split) -> Split:
    """Return a quantity as a fraction if it is known to be one."""
    exact = form.fraction(form.piece_at(x)[0], quantity, x) if y[1] is not None else None
    return y if exact is None else (exact, None)


class Beyond(NamedTuple):
    """Errors far out, where rests are negligible, and their limits at ±∞."""

    comparison: Comparison
    right: bool

    def parts(self, quantity: str) -> tuple[Smooth, Smooth]:
        """Return both forms on the outer piece."""
        forms = self.comparison.form, self.comparison.target
        one, two = (Smooth(form, form.outer(self.right), quantity) for form in forms)
        return one, two

    def ray(self, ray_of: Callable[[int], Ray]) -> Ray:
        """Return a number on the first ray on which its sign is known."""
        forms = self.comparison.form, self.comparison.target
        with working(PRECISION):
            for k in range(max(nearest_ray(form, self.right) for form in forms), FARTHEST):
                try:
                    ray = ray_of(k)
                    ray.sign()
                    return ray
                except Undecided:
                    continue
        raise ComputationError("the limit of an error cannot be told; take other parameters")

    def difference(self, to: Target, x: fmpq | None = None) -> Rounded:
        """Return form − target at x, or its limit."""
        u, v = self.parts(self.comparison.quantity)
        (k0, k1) = Curve(u, v).line
        rest = self.ray(lambda k: rest_of_ray(u, self.right, k) - rest_of_ray(v, self.right, k))
        if k1 and x is None:
            return math.inf if (k1 > 0) == self.right else -math.inf
        exact = k0 if x is None else k0 + k1 * x
        way = rest.sign()
        if not exact:
            return to.zero(way < 0)
        if x is None:
            return round_sum(to, exact, None)  # type: ignore[return-value]
        with working(to.bits_needed + 2 * GUARD):
            found = round_sum(to, exact, SMALLEST * way if way else None)
        assert found is not None
        return found

    def ratio(self, to: Target, x: fmpq | None = None) -> Rounded:
        """Return (form − target)/target at x, or its limit."""
        u, v = self.parts(self.comparison.divided)
        (k0, k1), (l0, l1) = u.line, v.line
        if x is not None and (k0 + k1 * x) and (l0 + l1 * x) and u.line != v.line:
            return round_fraction(to, (k0 + k1 * x) / (l0 + l1 * x) - 1)
        below = self.ray(lambda k: total_on_ray(v, self.right, k))
        if below.is_zero:
            total = (
                any(u.line)
                if x is None
                else not self.ray(lambda k: total_on_ray(u, self.right, k)).is_zero
            )
            return math.inf if total else math.nan
        if u.line == v.line and any(u.line):
            rest = self.ray(lambda k: rest_of_ray(u, self.right, k) - rest_of_ray(v, self.right, k))
            return to.zero(rest.sign() * below.sign() < 0)
        start = LARGE_BINADE + to.bits_needed if x is None else binade_of(x) - 2
        with working(2 * start + PRECISION):
            quotient = total_on_ray(u, self.right, start) / total_on_ray(v, self.right, start)
            way = quotient.sign()
            if quotient.grows():
                return way * math.inf
            limit, rest = quotient.limit()
            if not limit:
                found = round_sum(to, fmpq(-1), None if x is None else SMALLEST * way)
            else:
                found = round_ball(to, (arb(limit) if x is None else quotient.size()) - 1)
        if found is None:
            raise ComputationError("the limit of an error cannot be told to so many digits")
        return found


def errors_of_array(comparison: Comparison, x: Floats) -> list[Floats]:
    """Return the numbers of `errors_at` for float64s, correctly rounded.

    >>> from gelu_cli.calculus.curves import compare
    >>> from gelu_cli.formulas import find_form
    >>> tanh = compare(find_form("tanh"), find_form("exact"), "value")
    >>> errors_of_array(tanh, np.array([20.0, 30.0]))[2]
    array([5.50724824e-088, 1.47201418e-196])
    """
    if len(x) > BLOCK:
        blocks = (errors_of_array(comparison, z) for z in np.array_split(x, -(-len(x) // BLOCK)))
        return [np.concatenate(each) for each in zip(*blocks, strict=True)]
    forms, known = [comparison.form, comparison.target], dict[float, PointErrors]()

    def at(each: float, name: str) -> Any:
        key = math.copysign(math.inf, each) if math.isinf(each) else each
        if key not in known or key == 0:
            known[key] = errors_at(comparison, each)
        return getattr(known[key], name)

    values = [evaluate_array(form, comparison.quantity, x) for form in reversed(forms)]
    curves = {"difference": comparison.difference, "ratio": comparison.ratio}
    return values + [
        evaluate_curves(forms, curve_of, x, FLOAT64, partial(at, name=name), FEW_POINTS)
        for name, curve_of in curves.items()
    ]
