"""The error of one result, by exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import copysign, inf, isfinite, isinf, isnan
from typing import NamedTuple

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

    With `ftz` what a machine makes of flushed inputs is right too, and 0 for a subnormal value.
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
    found = _errors(one, x, got)
    if ftz:
        normal = power_of_two(question.result.emin)
        if got == 0 and one.side(x, normal) < 0 < one.side(x, -normal):
            found = Fraction(0), 0, Fraction(0), Fraction(0)
        least = 2.0**question.dtype.emin
        xs, ups = ({each, copysign(0.0, each) if abs(each) < least else each} for each in (x, up))
        others = [(a, b) for a in xs for b in (ups if question.glu else {up})]
        found = min(found, *(_errors(question.at(b), a, got) for a, b in others))
    return Result(x, up, got, want, exact, *found)


def _errors(question: Question, x: float, got: float) -> tuple[Fraction, int, Fraction, Fraction]:
    """Return the ULP, ordinal, absolute and relative error."""
    ordinal, want = question.result.ordinal, question.want(x)
    size, ulp, y = map(as_fraction, question.distance(x, got))
    return ulp, abs(ordinal(got) - ordinal(want)), size, size / abs(y) if y else size


def wrong_special(question: Question, x: Floats, ups: Floats, got: Floats) -> Rows:
    """Return the wrong results at inputs of which at least one is not finite.

    A number is right if it is less than one unit from the exact one; the largest number is right
    for a value beyond it.
    """
    inputs = zip(x.tolist(), ups.tolist(), got.tolist(), strict=True)
    return np.array([(inf, *each) for each in inputs if not _is_right(question, *each)], ROW)


def _is_right(question: Question, x: float, up: float, got: float) -> bool:
    if question.quantity == UP_GRADIENT and isnan(up):  # kernels may do without it
        return True
    want, result = question.limit(x, up), question.result
    finite = isfinite(up) and isfinite(min(x, question.unlimited))
    if isnan(want) or isnan(got):
        return isnan(got) and not (isfinite(want) or (isinf(want) and result.infinite))
    if isinf(want):
        saturated = got == copysign(result.largest, want)
        return got == want or (saturated and (finite or not result.infinite))
    if not isfinite(got):
        return False
    if finite:
        return bool(question.at(up).distance(x, got)[1] < 1)
    return bool(abs(to_fraction(got) - to_fraction(want)) < result.ulp(to_fraction(want)))
