"""The error of a form at many points: Ziv's strategy on whole arrays, as for the forms themselves.

Both forms are evaluated on anchored numbers, so that far to the right, where each is x less next
to nothing, their difference keeps all its digits. What these do not settle is computed at single
points: next to 0, where most of the difference cancels as well, and at 0, kinks, ±∞ and NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic.anchored import Anchored
from gelu_cli.arithmetic.extended.number import Extended
from gelu_cli.arithmetic.formats import FLOAT64
from gelu_cli.arithmetic.rounding import Array, Mask, settle
from gelu_cli.calculus.comparison import Comparison
from gelu_cli.calculus.point_errors import PointErrors, errors_at
from gelu_cli.forms import ORDERS, Form
from gelu_cli.values.evaluate_arrays import beside_anchors, one_by_one, smooth_parts

Places: TypeAlias = NDArray[np.intp]
STAND_INS = -20_000
"""An exponential below 2**−47274 is taken for that, with factors: right in sums, not in ratios."""

Rounded: TypeAlias = tuple[Array, Mask]
"""Numbers, and where they are certain."""


def errors_of_array(comparison: Comparison, x: Array) -> list[Array]:
    """Return the four numbers of `errors_at` for float64s x, each correctly rounded to float64.

    >>> from gelu_cli.calculus.comparison import compare
    >>> from gelu_cli.forms import find_form
    >>> tanh = compare(find_form("tanh"), find_form("exact"), "value")
    >>> errors_of_array(tanh, np.array([20.0, 30.0]))[2]
    array([5.50724824e-088, 1.47201418e-196])
    """
    results, settled = attempt(comparison, x)
    if not settled.all():
        one_by_one(x, ~settled, results, partial(errors_at, comparison, rounding=FLOAT64))
    return results


def attempt(comparison: Comparison, x: Array) -> tuple[list[Array], Mask]:
    """Return the four numbers by anchored arrays, and the points where all of them are settled."""
    results = [np.empty_like(x) for _ in PointErrors._fields]
    settled = np.zeros(x.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for piece, of_target, where in _smooth_parts(comparison, x):
            u, ug = _values(comparison, comparison.form, piece, x[where])
            v, vg = _values(comparison, comparison.target, of_target, x[where])
            rounded = [settle(FLOAT64, y.folded()) for y in (v, u, u - v)]
            rounded.append(_ratio(ug, vg, difference=rounded[-1]))
            sure: Mask | bool = True
            for result, (values, one_sure) in zip(results, rounded, strict=True):
                result[where] = values
                sure = sure & one_sure
            settled[where] = sure
    return results, settled


def _smooth_parts(comparison: Comparison, x: Array) -> Iterator[tuple[int, int, Places]]:
    """Yield the points inside a piece of the form and one of the target, and which pieces."""
    places = np.arange(len(x))
    for piece, where in smooth_parts(comparison.form, x):
        for of_target, there in smooth_parts(comparison.target, x[where]):
            yield piece, of_target, places[where][there]


def _values(comparison: Comparison, form: Form, piece: int, x: Array) -> tuple[Anchored, Anchored]:
    """Return what is compared of a form, and what is divided."""
    values = beside_anchors(form, piece, x, ORDERS[comparison.quantity])
    return getattr(values, comparison.quantity), getattr(values, comparison.divided)


def _ratio(u: Anchored, v: Anchored, difference: Rounded) -> Rounded:
    """Return (u − v)/v; over an exact 0 it is infinite, or NaN if the difference is 0."""
    ratio, sure = settle(FLOAT64, ((u - v) / v).folded())
    form, target = u.folded(), v.folded()
    sure = sure & ~(_is_far_below(form) & _is_far_below(target))
    zero = (target.high == 0) & (target.error == 0)
    over_zero = np.where(difference[0] == 0, np.nan, np.inf)
    return np.where(zero, over_zero, ratio), np.where(zero, difference[1], sure)


def _is_far_below(y: Extended) -> Mask:
    """Return which numbers are so small that they may stand for all that are smaller still."""
    exponent = np.frexp(y.high)[1] + (0 if y.scale is None else y.scale)
    return np.asarray(exponent < STAND_INS)
