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

from gelu_cli.calculus.curves import Comparison, Curve, first_ray, is_zero
from gelu_cli.errors import ComputationError
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.arrays import BLOCK, evaluate_array, evaluate_curves
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.points import (
    Point,
    Split,
    bits_at,
    enclose,
    evaluate,
)
from gelu_cli.numbers.rays import on_first_ray
from gelu_cli.numbers.rounding import (
    DOUBLINGS,
    Rounded,
    Target,
    round_ball,
    round_sum,
    sign,
    working,
)

NOTHING: Split = fmpq(0), None
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
        return PointErrors(aim, approx, *limits(comparison, x > 0, to))
    q = to_fraction(x)

    def difference(u: Split, v: Split) -> Rounded | None:
        return round_sum(to, u[0] - v[0], rest_of(u) - rest_of(v))

    def ratio(u: Split, v: Split) -> Rounded | None:
        a, b = rest_of(u) + arb(u[0]), rest_of(v) + arb(v[0])
        if v == NOTHING:
            return math.inf if sign(a) else math.nan if u == NOTHING else None
        if u[1] is None and v[1] is None:
            return round_sum(to, (u[0] - v[0]) / v[0], None)
        if not sign(b):
            return None
        if abs(a) < abs(b) / 4:
            return round_sum(to, fmpq(-1), a / b)
        return round_ball(to, (arb(u[0] - v[0]) + rest_of(u) - rest_of(v)) / b)

    return PointErrors(
        aim,
        approx,
        refine_pair(comparison, quantity, q, to, difference),
        refine_pair(comparison, comparison.divided, q, to, ratio),
    )


def rest_of(y: Split) -> arb:
    """Return the ball that is added to an exact part."""
    return arb(0) if y[1] is None else y[1]


def refine_pair(
    comparison: Comparison,
    quantity: str,
    x: fmpq,
    to: Target,
    decide: Callable[[Split, Split], Rounded | None],
) -> Rounded:
    """Return decide(form, target) at x by more and more bits."""
    bits = bits_at(x, to.bits_needed)
    forms = comparison.form, comparison.target
    for doubling in range(DOUBLINGS):
        with working(bits << doubling):
            pair = [enclose(form, quantity, x, thorough=doubling > 0) for form in forms]
            found = decide(pair[0], pair[1])
        if found is not None:
            return found
    if any(y is not None for _, y in pair):
        with working(bits << DOUBLINGS):
            u, v = pair
            apart = arb(u[0] - v[0]) + rest_of(u) - rest_of(v)
            if abs(apart) < arb((1, -(bits << (DOUBLINGS - 3)))):
                return to.zero(False)  # as at 0, where both are the same multiple of √(2/π)
    raise ComputationError(
        f"the error of '{comparison.form.label}' at x = {float(x.p) / float(x.q):g} is too near to "
        "the middle between two numbers to be rounded; take other --digits"
    )


def limits(comparison: Comparison, right: bool, to: Target) -> tuple[Rounded, Rounded]:
    """Return the limits of form − target and of its ratio to the target."""
    i, j = (form.outer(right) for form in (comparison.form, comparison.target))
    difference, ratio = comparison.difference(i, j), comparison.ratio(i, j)
    found = limit(difference, right, to)
    assert ratio.target is not None
    if is_zero(ratio.target):
        return found, math.nan if is_zero(ratio.form) else math.inf
    return found, limit(ratio, right, to)


def limit(curve: Curve, right: bool, to: Target) -> Rounded:
    """Return the limit of a curve at ±∞, a zero with the sign of its approach."""

    def on_ray(k: int) -> tuple[Any, int]:
        ray = curve.on_ray(right, k)[0]
        if ray.grows():
            return ray.sign() * math.inf, 0
        found, rest = ray.limit()
        return found, 0 if found else rest.sign()

    found, way = on_first_ray(first_ray(curve), on_ray)
    if isinstance(found, float):
        return found
    if not found:
        return to.zero(way < 0)
    rounded = round_ball(to, arb(found))
    if rounded is None:
        raise ComputationError("the limit of an error cannot be told to so many digits")
    return rounded


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
