"""The form that results of a kernel are nearest to.

Forms are compared at inputs whose results are neither 0 nor near the line that all forms approach:
x, or 1 for gradients. The nearest form is the one with the fewest wrong bits in the mean.
"""

from __future__ import annotations

from math import inf

import numpy as np

from gelu_cli.accuracy.question import Question
from gelu_cli.formulas import Form, all_forms, all_functions
from gelu_cli.formulas.doubles import float64
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import round_array
from gelu_cli.numbers.cells import Floats, Mask
from gelu_cli.numbers.patterns import ulps

WITHIN, POINTS = 5.0, 512
"""Points are spread over ±WITHIN: beyond it all forms are near 0 or near x."""

ENOUGH = 8
"""Least number of inputs that distinguish forms: kernels of relu have a few by mistake."""

ALIKE = 0.1
"""If the mean wrong bits of forms differ by less, the first form is taken."""

APART = 4
"""Distance in ULP from which on two forms differ at an input."""


def points_of(dtype: Format, low: float = -inf, high: float = inf) -> Floats:
    """Return ascending numbers of a range at which forms differ.

    >>> from gelu_cli.numbers import find_format
    >>> points_of(find_format("bfloat16"), 3.97, 4).tolist()
    [3.96875, 3.984375, 4.0]
    """
    low, high = max(low, -WITHIN), min(high, WITHIN)
    spread = np.linspace(low, high, POINTS if low <= high else 0)
    points: Floats = np.unique(round_array(spread, dtype))
    return points


def second_of(question: Question) -> float:
    """Choose a second input with which results are not 0."""
    return next((up for up in (1.0, 2.0, 0.0) if question.at(up).times), 1.0)


def values_of(question: Question, x: Floats, form: Form | None = None) -> Floats:
    """Return the values of a question, or of another form, in float64."""
    times = float(question.times.p) / float(question.times.q)
    values: Floats = times * float64(form or question.form, question.of_form, question.limited(x))
    return values


@np.errstate(all="ignore")  # of NaN and infinities among results
def nearest_form(question: Question, x: Floats, got: Floats) -> Form:
    """Find the form that results are nearest to; without any it stays.

    `exact` is preferred if the sum of its errors is smaller at the inputs where the two differ:
    in a tail where a poor kernel cancels many bits are wrong, but the errors are small.

    >>> from gelu_cli.formulas import find_form
    >>> from gelu_cli.numbers import find_format
    >>> half = find_format("float16")
    >>> question = Question(find_form("exact"), "value", half, half)
    >>> nearest_form(question, np.array([-1.0, 1.0]), np.array([0.0, 1.0])).name
    'relu'
    """
    if not len(x):
        return question.form
    functions = all_functions().values() if question.glu else ()
    forms: list[Form] = [*all_forms().values(), *functions]
    values = np.array([values_of(question, x, form) for form in forms])
    line = question.limited(x) if question.of_form == "value" else np.ones_like(x)
    line = np.abs(line * float(question.times.p) / float(question.times.q))
    known = np.isfinite(got) & np.isfinite(values).all(axis=0)
    tells = known & (got != 0) & (np.abs(np.abs(got) - line) > ulps(question.result, line))
    some = tells if np.count_nonzero(tells) >= ENOUGH else known
    got, values = got[some], values[:, some]
    wrong = [_wrong_bits(question.result, got, each) for each in values]
    best = next(i for i, bits in enumerate(wrong) if bits <= min(wrong) + ALIKE)
    near, far = errors_apart(question, got, values[best], values[0])
    return forms[best if near.sum() < far.sum() else 0]


def errors_apart(question: Question, got: Floats, *values: Floats) -> tuple[Floats, Floats]:
    """Return the errors of results as two functions, where these are APART."""
    unit = np.maximum(*(ulps(question.result, each) for each in values))
    one, other = values
    apart: Mask = np.abs(one - other) >= APART * unit
    return np.abs(got - one)[apart], np.abs(got - other)[apart]


def _wrong_bits(result: Format, got: Floats, value: Floats) -> float:
    """Return the mean number of wrong bits, at most the precision each."""
    want = round_array(value, result)
    off = np.abs(got - want) / ulps(result, want)
    return float(np.mean(np.fmin(np.log2(1 + off), result.precision))) if len(got) else 0.0
