"""Which way the truth goes from input to input, also where no float64 shows it.

Far out a form comes nearer to its limit by ever less than a float64 holds; the sign of its
derivative is known all the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gelu_cli.arithmetic import PointArithmetic, Real
from gelu_cli.arithmetic.anchored import ANCHORED, anchored
from gelu_cli.arithmetic.dual import DualArithmetic
from gelu_cli.arithmetic.exact import Exact
from gelu_cli.arithmetic.format_arrays import Array, Floats
from gelu_cli.forms import ORDERS
from gelu_cli.kernels.truth import Question
from gelu_cli.values.evaluate import SIGNS, evaluate_at
from gelu_cli.values.evaluate_arrays import smooth_parts


def slopes(question: Question, x: Array) -> NDArray[np.int64]:
    """Return the signs of the derivative of what results should be, at finite float64s."""
    form, quantity = question.multiple, question.quantity
    a = DualArithmetic(ANCHORED)
    signs = np.zeros(x.shape, np.int64)
    settled = np.zeros(x.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for piece, where in smooth_parts(form, x):
            point = a.variable(anchored(x[where]))
            y = getattr(form.on_piece(piece, a, point, ORDERS[quantity]), quantity)
            slope = y.derivative.folded()
            signs[where] = np.sign(slope.high)
            zero = (slope.high == 0) & (slope.error == 0)
            settled[where] = (np.abs(slope.high) > slope.error) | zero
    for i in np.flatnonzero(~settled).tolist():
        signs[i] = _slope(question, float(x[i]))
    return signs


def _slope(question: Question, x: float) -> int:
    form, quantity = question.multiple, question.quantity

    def compute(a: PointArithmetic, x: Real, point: Exact) -> Mapping[str, Real]:
        dual = DualArithmetic(a)
        values = form.evaluate(dual, dual.variable(x), point, ORDERS[quantity])
        return {"slope": getattr(values, quantity).derivative}

    (slope,) = evaluate_at(x, ["slope"], compute, form.limit_exponent, SIGNS)
    return int(slope)


def trends(
    question: Question, x: Array, got: Floats, y: Array, doubt: Array | float = 0.0
) -> Array:
    """Return which way the truth goes from each input to the next: 1, −1, or 0 if it is constant.

    Values y that differ by no more than `doubt` do not tell. There the derivative half way does,
    if there is a step of the results to be judged. NaN stands where two inputs are the same.
    """
    rise = np.diff(y)
    trends = np.sign(rise)
    unsure = np.flatnonzero((np.abs(rise) <= doubt) & (got[1:] != got[:-1]))
    if len(unsure):
        left, right = x[unsure], x[unsure + 1]
        middle = left + (right - left) / 2
        trends[unsure] = slopes(question, middle) * np.sign(right - left)
        trends[unsure[left == right]] = np.nan
    return trends
