"""The error of one result, from as many digits of the truth as it takes.

JAX's page on the accuracy of its functions has a rule of its own: overflow and flushing to zero
have a distance. Infinity is one unit beyond the largest number; under flush-to-zero subnormal
numbers count as 0, and 0 is one unit from the least normal number.

Source: docs/accuracy.md of jax-ml/jax, reviewed in September 2026.
"""

from __future__ import annotations

from fractions import Fraction
from math import copysign, inf, isfinite, isnan
from typing import NamedTuple

from gelu_cli.old.arithmetic.format_arrays import ordinal
from gelu_cli.old.sweeping.truth import EXACT_DIGITS, MOST_DIGITS, Question


class ExactError(NamedTuple):
    """The error of the result `got` at one input x."""

    x: float
    got: float
    want: float
    """The correctly rounded result."""

    exact: Fraction
    """The true value y, to at least 60 digits."""

    ulp: Fraction
    """|got − y|/ulp(y)."""

    ordinal: int
    """The steps along the numbers of the format of results from `got` to `want`."""

    up: float = 1.0
    """The second input, of a kernel that has two."""


class JudgedResult(NamedTuple):
    """A result beside the truth: an `ExactError`, or None where there is no such number."""

    x: float
    got: float
    want: float
    exact: Fraction | None
    """None at NaN and the infinities."""

    ulp: Fraction | None
    """None where the result is NaN or infinite, or should be, as is `ordinal`."""

    ordinal: int | None
    up: float = 1.0
    """The second input, of a kernel that has two."""


def exact_error(question: Question, x: float, got: float) -> ExactError:
    """Return the error of a finite result, from as many digits of the truth as it takes.

    The error in ULP has 20 digits, unless it is below 1e-400.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> relu = Question(find_form("relu"), "value", FORMATS["bfloat16"])
    >>> error = exact_error(relu, 1.0, 1.015625)
    >>> error.want, error.ulp, error.ordinal
    (1.0, Fraction(2, 1), 2)
    """
    want = question.want(x)
    digits = EXACT_DIGITS
    while True:
        exact = question.exactly(x, digits)
        error = abs(Fraction(got) - exact) / question.unit(x, exact, digits)
        # A unit is over 10⁻¹⁶ of the value.
        if error * 10 ** (digits - 36) >= 1 or digits > MOST_DIGITS:
            break
        digits *= 2
    steps = abs(ordinal(question.result, got) - ordinal(question.result, want))
    return ExactError(x, got, want, exact, error, steps)


def error_of(question: Question, x: float, got: float, ftz: bool) -> ExactError:
    """Return the error of a finite result; with `ftz` what flushed subnormals give is right too."""
    error = exact_error(question, x, got)
    if not ftz:
        return error
    if got == 0 and question.is_subnormal(x, error.exact):
        return error._replace(want=0.0, ulp=Fraction(0), ordinal=0)
    if 0 < abs(x) < 2.0**question.dtype.emin:
        flushed = exact_error(question, copysign(0.0, x), got)
        flushed = flushed._replace(x=x, exact=error.exact)
        return min(error, flushed, key=lambda error: error.ulp)
    return error


def judged_result(
    question: Question,
    x: float,
    got: float,
    error: ExactError | None = None,
    up: float = 1.0,
) -> JudgedResult:
    """Return a result beside the truth, with its error if it has one."""
    if error:  # whose `want` may be flushed
        want = question.at(up).want(x)
        return JudgedResult(x, got, want, error.exact, error.ulp, error.ordinal, up)
    if not (isfinite(x) and isfinite(up)):
        limit = question.limit_of_pair(x, up) if question.gating else question.limit(x)
        want = question.result.from_float(limit)
        return JudgedResult(x, got, want, None, None, None, up)
    asked = question.at(up)
    return JudgedResult(x, got, asked.want(x), asked.exactly(x), None, None, up)


def error_by_jax(question: Question, x: float, got: float, ftz: bool) -> Fraction | float:
    """Return the error of a result, infinite where it has no distance.

    With `ftz`, subnormal results may be flushed to 0, and a subnormal x may be taken for 0.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
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
