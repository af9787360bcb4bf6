"""The error of one result, by exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import copysign, inf, isfinite, isinf, isnan
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.accuracy.question import UP_GRADIENT, Question
from gelu_cli.accuracy.tally import ROW, Rows
from gelu_cli.formulas.pieces import as_fraction, to_fraction
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.formats import power_of_two


class Result(NamedTuple):
    """A result against the exact value.

    Attributes
    ----------
    x, up
        The inputs; `up` is 1 for kernels of one input.
    got, want
        The result, and the correctly rounded one.
    exact
        The exact value, to 60 digits or more; None at ±∞ and NaN.
    ulp, ordinal, absolute, relative
        |got − y|/ulp(y), the steps from `got` to `want` along the numbers of the format, |got − y|
        and |got − y|/|y|; None if `got` or `want` is no number.
    """

    x: float
    up: float
    got: float
    want: float
    exact: Fraction | None = None
    ulp: Fraction | None = None
    ordinal: int | None = None
    absolute: Fraction | None = None
    relative: Fraction | None = None


def result_at(question: Question, x: float, up: float, got: float, ftz: bool = False) -> Result:
    """Return a result at any inputs against the exact value.

    With `ftz` a 0 that flushed inputs give, or a flushed result, has the error of `want`.
    """
    if not (isfinite(x) and isfinite(up)):
        limit = question.limit(x, up)
        return Result(x, up, got, question.result.from_float(limit) if isinf(limit) else limit)
    one = question.at(up)
    want = one.want(x)
    if one.inner and not isfinite(one.inner.want(x)):
        return Result(x, up, got, want)
    exact = as_fraction(one.value(x))
    if not (isfinite(got) and isfinite(want)):
        return Result(x, up, got, want, exact)
    result, counted = question.result, got
    normal = power_of_two(result.emin)
    if (
        ftz
        and not got
        and (question.flushed(x, up) or one.side(x, normal) < 0 < one.side(x, -normal))
    ):
        counted = want
    size, ulp, y = map(as_fraction, one.distance(x, counted))
    ordinal = abs(result.ordinal(counted) - result.ordinal(want))
    return Result(x, up, got, want, exact, ulp, ordinal, size, size / abs(y) if y else size)


def wrong_special(question: Question, columns: Sequence[Floats], got: Any) -> Rows:
    """Return the wrong results at inputs of which at least one is not finite.

    A number is right if it is at most one unit from the correctly rounded one; the largest number
    is right for a value beyond it.
    """
    x, up = (*columns, np.ones(len(got)))[:2]
    rows = zip(x.tolist(), up.tolist(), got.astype(np.float64).tolist(), strict=True)
    return np.array([(inf, *row) for row in rows if not _is_right(question, *row)], ROW)


def _is_right(question: Question, x: float, up: float, got: float) -> bool:
    if question.quantity == UP_GRADIENT and isnan(up):  # kernels may do without it
        return True
    want, result = question.limit(x, up), question.result
    if isnan(want) or isnan(got):
        return isnan(got) and not (isfinite(want) or (isinf(want) and result.infinite))
    if isinf(want):
        finite = isfinite(up) and isfinite(min(x, question.unlimited))
        saturated = got == copysign(result.largest, want)
        return got == want or (saturated and (finite or not result.infinite))
    unit = result.ulp(to_fraction(want))
    return isfinite(got) and bool(abs(to_fraction(got) - to_fraction(want)) <= unit)
