"""Results at ±∞ and NaN, which are measured apart."""

from __future__ import annotations

from math import copysign, isfinite, isinf, isnan

import numpy as np

from gelu_cli.accuracy.question import UP_GRADIENT, Question
from gelu_cli.accuracy.tally import ROW, Rows
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.cells import Floats


def wrong_special(question: Question, x: Floats, ups: Floats, got: Floats) -> Rows:
    """Return the wrong results at inputs of which at least one is not finite.

    A number is right if it is less than one unit from the exact one; the largest number is right
    for a value beyond it.
    """
    rows = [
        (np.inf, *row)
        for row in zip(x.tolist(), ups.tolist(), got.tolist(), strict=True)
        if not _is_right(question, *row)
    ]
    return np.array(rows, ROW)


def _is_right(question: Question, x: float, up: float, got: float) -> bool:
    if question.quantity == UP_GRADIENT and isnan(up):  # kernels may do without it
        return True
    want, result = question.limit(x, up), question.result
    finite = isfinite(up) and isfinite(min(x, question.unlimited))
    saturated = got == copysign(result.largest, want)
    if isnan(want) or isnan(got):
        return isnan(got) and not (isfinite(want) or (isinf(want) and result.infinite))
    if isinf(want):
        return got == want or (saturated and (finite or not result.infinite))
    if not isfinite(got):
        return False
    if finite:
        return bool(question.at(up).distance(x, got)[1] < 1)
    return bool(abs(to_fraction(got) - to_fraction(want)) < result.ulp(to_fraction(want)))
