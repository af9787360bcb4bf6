"""The error of a result in ULP by the rule of JAX's page on the accuracy of its functions.

It is the error in ULP, but overflow and flushing to zero have a distance: infinity is one unit
beyond the largest number; under flush-to-zero subnormal numbers count as 0, and 0 is one unit from
the least normal number.

Source: docs/accuracy.md of jax-ml/jax, reviewed in September 2026.
"""

from __future__ import annotations

from fractions import Fraction
from math import copysign, inf, isfinite, isnan

from gelu_cli.kernels.truth import Question
from gelu_cli.kernels.verdict import exact_error


def error_by_jax(question: Question, x: float, got: float, ftz: bool) -> Fraction | float:
    """Return the error of a result, infinite where it has no distance.

    With `ftz`, subnormal results may be flushed to 0, and a subnormal x may be taken for 0.

    >>> from gelu_cli.arithmetic.formats import FORMATS
    >>> from gelu_cli.forms import find_form
    >>> relu = Question(find_form("relu"), "value", FORMATS["float32"], FORMATS["float16"])
    >>> error_by_jax(relu, 65504.0, inf, False), error_by_jax(relu, 2.0**-14, 0.0, True)
    (Fraction(1, 1), Fraction(1, 1))
    """
    error = _error_at(question, x, got, ftz)
    if ftz and 0 < abs(x) < 2.0**question.dtype.emin:
        error = min(error, _error_at(question, copysign(0.0, x), got, ftz))
    return error


def _error_at(question: Question, x: float, got: float, ftz: bool) -> Fraction | float:
    want = question.want(x)
    if not (isfinite(got) or isfinite(want)):
        return Fraction(0) if got == want or (isnan(got) and isnan(want)) else inf
    if isnan(got) or not (isfinite(x) or isfinite(question.limit(x))):
        return inf
    y = question.exactly(x)
    if isfinite(got) and isfinite(want):
        return _distance(question, x, got, y, ftz)
    result = question.result
    largest = Fraction(result.largest)
    unit = result.ulp(largest)
    end = largest + unit  # the place of infinity
    if copysign(1.0, got) * y < 0 or abs(y) < unit * 2 ** (result.precision - 1):
        return inf
    ours = abs(Fraction(got)) if isfinite(got) else end
    return abs(ours - min(abs(y), end)) / unit


def _distance(question: Question, x: float, got: float, y: Fraction, ftz: bool) -> Fraction:
    """Return the distance of a finite result from a true value that rounds to a finite one."""
    least = Fraction(2) ** question.result.emin
    small = abs(got) < least, question.is_subnormal(x, y)
    if ftz and all(small):
        return Fraction(0)
    if ftz and (any(small) or got * y < 0):
        gap = least - question.result.ulp(Fraction(0))
        ours, theirs = (max(Fraction(0), abs(each) - gap) for each in (Fraction(got), y))
        apart = ours + theirs if got * y < 0 else abs(ours - theirs)
        return apart / question.unit(x, y)
    return exact_error(question, x, got).ulp
