"""The error of a form at many points: Ziv's strategy on whole arrays, as for the forms themselves.

Both forms are evaluated on extended numbers first: these are fast, and at most points enough of
the difference is left. What they do not settle is tried on anchored numbers, so that far to the
right, where each form is x less next to nothing, the difference keeps all its digits. What is left
is computed at single points: next to 0, where most of the difference cancels as well, and at 0,
kinks, ±∞ and NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import and_
from typing import Any, TypeAlias

import numpy as np

from gelu_cli.old.arithmetic.anchored import Anchored
from gelu_cli.old.arithmetic.extended.functions import EXTENDED
from gelu_cli.old.arithmetic.extended.number import Extended, extended
from gelu_cli.old.arithmetic.format_arrays import Array, Mask, settle
from gelu_cli.old.arithmetic.formats import FLOAT64
from gelu_cli.old.calculus.comparison import Comparison
from gelu_cli.old.calculus.point_errors import PointErrors, errors_at
from gelu_cli.old.formulas import ORDERS, Form
from gelu_cli.old.formulas.form import Values
from gelu_cli.old.values.evaluate_arrays import beside_anchors, one_by_one, smooth_parts

STAND_INS = -20_000
"""An exponential below 2**−47274 is taken for that, with factors: right in sums, not in ratios."""

Number: TypeAlias = Any
"""Extended numbers, or anchored ones."""

Evaluation: TypeAlias = Callable[[Form, int, Array, int], Values]
"""What a form is at points inside one of its pieces, with derivatives of up to some order."""

Rounded: TypeAlias = tuple[Array, Mask]
"""Numbers, and where they are certain."""


def errors_of_array(comparison: Comparison, x: Array) -> list[Array]:
    """Return the four numbers of `errors_at` for float64s x, each correctly rounded to float64.

    >>> from gelu_cli.old.calculus.comparison import compare
    >>> from gelu_cli.old.formulas import find_form
    >>> tanh = compare(find_form("tanh"), find_form("exact"), "value")
    >>> errors_of_array(tanh, np.array([20.0, 30.0]))[2]
    array([5.50724824e-088, 1.47201418e-196])
    """
    results, settled = attempt(comparison, x, on_extended)
    left = np.flatnonzero(~settled)
    if len(left):
        found, sure = attempt(comparison, x[left], beside_anchors)
        if not sure.all():
            at = partial(errors_at, comparison, rounding=FLOAT64)
            one_by_one(x[left], ~sure, found, at)
        for result, column in zip(results, found, strict=True):
            result[left] = column
    return results


def on_extended(form: Form, piece: int, x: Array, order: int) -> Values:
    """Return extended values of a form at points inside one of its pieces, none of them 0."""
    return form.on_piece(piece, EXTENDED, extended(x), order)


def attempt(comparison: Comparison, x: Array, evaluate: Evaluation) -> tuple[list[Array], Mask]:
    """Return the four numbers by one kind of array, and the points where all are settled."""
    quantities = comparison.quantity, comparison.divided
    order, places = ORDERS[comparison.quantity], np.arange(len(x))
    results = [np.empty_like(x) for _ in PointErrors._fields]
    settled = np.zeros(x.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for piece, inside in smooth_parts(comparison.form, x):
            for of_target, there in smooth_parts(comparison.target, x[inside]):
                where = places[inside][there]
                form = evaluate(comparison.form, piece, x[where], order)
                target = evaluate(comparison.target, of_target, x[where], order)
                u, ug = (getattr(form, name) for name in quantities)
                v, vg = (getattr(target, name) for name in quantities)
                rounded = [settle(FLOAT64, _folded(y)) for y in (v, u, u - v)]
                rounded.append(_ratio(ug, vg, difference=rounded[-1]))
                for result, (values, _) in zip(results, rounded, strict=True):
                    result[where] = values
                settled[where] = reduce(and_, (sure for _, sure in rounded))
    return results, settled


def _ratio(u: Number, v: Number, difference: Rounded) -> Rounded:
    """Return (u − v)/v; over an exact 0 it is infinite, or NaN if the difference is 0."""
    ratio, sure = settle(FLOAT64, _folded((u - v) / v))
    form, target = _folded(u), _folded(v)
    # Numbers so small that they may stand for all that are smaller still tell no ratio.
    exponents = (np.frexp(y.high)[1] + (0 if y.scale is None else y.scale) for y in (form, target))
    sure = sure & (np.maximum(*exponents) >= STAND_INS)
    zero = (target.high == 0) & (target.error == 0)
    over_zero = np.where(difference[0] == 0, np.nan, np.inf)
    return np.where(zero, over_zero, ratio), np.where(zero, difference[1], sure)


def _folded(y: Number) -> Extended:
    return y.folded if isinstance(y, Anchored) else y
