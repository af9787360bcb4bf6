"""Errors of a form at points: form − target, and (form − target)/target."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from flint import arb, fmpq

from gelu_cli.calculus.curves import Comparison
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.arrays import BLOCK, evaluate_array, evaluate_curves
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.formats import FLOAT64
from gelu_cli.numbers.points import Point, Split, bits_at, enclose, evaluate, is_finite
from gelu_cli.numbers.rounding import (
    DOUBLINGS,
    Rounded,
    Target,
    refine,
    round_ball,
    round_by_doubling,
    round_fraction,
    round_sum,
    sign,
)

NOTHING: Split = fmpq(0), None
FEW_POINTS = 300
"""For at most FEW_POINTS points, Ziv's loop (100 µs a point) is faster than making Taylor cells."""


class PointErrors(NamedTuple):
    """Target and form at a point, form − target, and (form − target)/target.

    If both forms have gates, the ratio of values is computed from the gates. Division by 0 gives ∞,
    or NaN for 0/0. At x = ±∞ target and form are limits, and the errors are NaN.
    """

    target: Rounded
    approx: Rounded
    difference: Rounded
    ratio: Rounded


def errors_at(comparison: Comparison, x: Point, to: Target = FLOAT64) -> PointErrors:
    """Return the errors at x, each number correctly rounded."""
    forms, quantity = (comparison.target, comparison.form), comparison.quantity
    aim, approx = (evaluate(form, [quantity], x, to)[0] for form in forms)
    if not is_finite(x):
        return PointErrors(aim, approx, math.nan, math.nan)
    difference = _by_doubling(comparison, quantity, x, to, _difference)
    ratio = _by_doubling(comparison, comparison.divided, x, to, _ratio)
    return PointErrors(aim, approx, difference, ratio)


Rounding = Callable[[Target, Split, Split], Rounded | None]


def _by_doubling(
    comparison: Comparison, quantity: str, x: Point, to: Target, rounded: Rounding
) -> Rounded:
    """Round an error by Ziv's loop; `rounded` gets form and target as `Split`."""
    q, forms = to_fraction(x), (comparison.form, comparison.target)
    first = bits_at(q, to.bits_needed)

    def attempt(bits: int) -> Rounded | None:
        u, v = (enclose(form, quantity, q, thorough=bits > first) for form in forms)
        found = rounded(to, u, v)
        if found is None and bits == first << (DOUBLINGS - 1):
            apart = arb(u[0] - v[0]) + _rest(u) - _rest(v)
            if abs(apart) < arb((1, -(bits >> 3))):
                return to.zero(False)  # e.g. at 0 form and target are the same multiple of √(2/π)
        return found

    found: Rounded = refine(first, attempt, f"the error of '{comparison.form.label}'")
    return found


def _rest(y: Split) -> arb:
    return arb(0) if y[1] is None else y[1]


def _difference(to: Target, u: Split, v: Split) -> Rounded | None:
    return round_sum(to, u[0] - v[0], _rest(u) - _rest(v))


def _ratio(to: Target, u: Split, v: Split) -> Rounded | None:
    """Round (u − v)/v."""
    a, b = _rest(u) + arb(u[0]), _rest(v) + arb(v[0])
    if v == NOTHING:
        return math.inf if sign(a) else math.nan if u == v else None
    if u[1] is None and v[1] is None:
        return round_fraction(to, (u[0] - v[0]) / v[0])
    if not sign(b):
        return None
    if abs(a) < abs(b) / 4:
        return round_sum(to, fmpq(-1), a / b)
    return round_ball(to, (arb(u[0] - v[0]) + _rest(u) - _rest(v)) / b)


def errors_of_array(comparison: Comparison, x: Floats) -> list[Floats]:
    """Return the four numbers of `errors_at` as arrays over float64s."""
    if len(x) <= FEW_POINTS:
        rows = [errors_at(comparison, each) for each in x.tolist()]
        return list(np.array(rows, float).reshape(-1, 4).T)
    if len(x) > BLOCK:
        blocks = (errors_of_array(comparison, z) for z in np.array_split(x, -(-len(x) // BLOCK)))
        return [np.concatenate(each) for each in zip(*blocks, strict=True)]
    forms = [comparison.target, comparison.form]
    values = [evaluate_array(form, comparison.quantity, x) for form in forms]
    curves = {"difference": comparison.difference, "ratio": comparison.ratio}

    def at(name: str, each: float) -> Rounded:
        found: Rounded = getattr(errors_at(comparison, each), name)
        return found

    return values + [
        evaluate_curves(forms[::-1], curve_of, x, FLOAT64, partial(at, name))
        for name, curve_of in curves.items()
    ]


def exact_sums(numbers: Floats) -> tuple[Fraction | float, Fraction | float]:
    """Return Σy and Σy² of float64s y exactly; both ∞ if a y is not finite.

    >>> exact_sums(np.array([2.0, 0.5]))
    (Fraction(5, 2), Fraction(17, 4))
    """
    if not np.isfinite(numbers).all():
        return math.inf, math.inf
    shares, exponents = np.frexp(numbers)
    integers = np.ldexp(shares, 53).astype(np.int64).astype(object)  # Python ints: no overflow
    total = squares = Fraction(0)
    for exponent in np.unique(exponents).tolist():
        some, unit = integers[exponents == exponent], Fraction(2) ** (exponent - 53)
        total, squares = total + int(some.sum()) * unit, squares + int(some @ some) * unit**2
    return total, squares


def root(square: Fraction | float, to: Target) -> Rounded:
    """Return the square root of a mean square, correctly rounded."""
    if isinstance(square, float):
        return math.sqrt(square)
    fraction = to_fraction(square)  # a root that is a tie is dyadic: Arb computes it exactly
    return round_by_doubling(to, lambda bits: arb(fraction).sqrt(), "a root mean square")
