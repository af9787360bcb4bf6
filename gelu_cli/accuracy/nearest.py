"""Find the form nearest to a kernel's results; hint at a wrong --form.

Most forms tend to 0 or to x (gradients to 1). So forms are compared at inputs whose results are not
0 and not within 1 ULP of x (or 1). The nearest form has about the fewest wrong bits. A hint costs
one call of the kernel with at most 2,048 inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np

from gelu_cli.accuracy.question import OF_FORM, Question
from gelu_cli.accuracy.selection import Inputs
from gelu_cli.accuracy.verdict import Verdict
from gelu_cli.formulas import Form, all_forms, all_functions
from gelu_cli.formulas.doubles import float64
from gelu_cli.kernels import Kernel, call, workers
from gelu_cli.numbers import Format
from gelu_cli.numbers.arrays import round_array, ulps
from gelu_cli.numbers.cells import Floats, Mask

SMALL_ERROR = 3
"""Hints are sought for GLUs, and if an error exceeds this many ULP."""

CLEARLY = 3
"""A form is reported if its sum of |errors| is below 1/CLEARLY of the sum for --form."""

SURE = 0.9
"""Rounding of F(gate) is reported if it explains a share > SURE of the results that it changes."""

SECONDS = (0.7, -1.3, 2.9)  # ups for which the rounding of F(gate) often changes the result

WITHIN, POINTS = 5.0, 512
"""POINTS numbers are spread over ±WITHIN: farther out most forms are near 0 or near x."""

ENOUGH = 8
"""Fewer inputs do not decide between forms: in a relu, a few results may be errors."""

ALIKE = 0.1
"""The nearest form is the first whose mean number of wrong bits is ≤ the least mean + ALIKE."""

APART = 4
"""Two forms differ at an input if their values are at least APART ULP apart."""


def with_nearest_form(question: Question, inputs: Inputs, kernel: Kernel) -> Question:
    """Replace a question's form by the form nearest to a kernel's results."""
    x, up = points_of(question.dtype, inputs.low, inputs.high), second_of(question)
    got = _called(kernel, inputs, x, np.full_like(x, up)) if len(x) else x
    return question._replace(form=nearest_form(question.at(up), x, got))


def with_hints(verdict: Verdict, inputs: Inputs, kernel: Kernel) -> Verdict:
    """Add a note if a kernel seems to compute another form, or rounds twice."""
    largest = verdict.largest()
    is_off = largest and largest.ulp and largest.ulp > SMALL_ERROR
    if not (verdict.complete and (verdict.question.glu or is_off)):
        return verdict
    found = hints(verdict.question, partial(_called, kernel, inputs), inputs.low, inputs.high)
    return replace(verdict, notes=[*verdict.notes, *found])


@np.errstate(all="ignore")  # results may overflow
def hints(question: Question, results: Any, low: float = -inf, high: float = inf) -> list[str]:
    """Return a note on a clearly nearer form, or on a rounding of F(gate).

    `results`, a function of two arrays (inputs and second inputs), is called at most once. Expected
    values in float64 suffice: only sums and counts over many inputs are compared.
    """
    x = points_of(question.dtype, low, high)
    if len(x) < ENOUGH:
        return []
    is_product = question.glu and question.quantity not in OF_FORM
    seconds = round_array(np.array(SECONDS if is_product else ()), question.dtype)
    ups = np.append(second_of(question), seconds)
    got = results(np.tile(x, len(ups)), np.repeat(ups, len(x)))
    form, other = question.form, _other_form(question.at(float(ups[0])), x, got[: len(x)])
    if other:
        far = f"results are much nearer to {other.label} than to {form.label}"
        return [f"{far}; add --form {other.label}"]
    return _rounded_twice(question, x, seconds, got[len(x) :])


def _other_form(question: Question, x: Floats, got: Floats) -> Form | None:
    """Return the nearest form if it fits and is clearly nearer, else None."""
    form = nearest_form(question, x, got)
    known = np.isfinite(got)
    values, expected = (values_of(question, x[known], each) for each in (form, question.form))
    near, far = errors_apart(question, got[known], values, expected)
    fits = 64 * np.sum(np.abs(got[known] - values)) < np.sum(np.abs(values))
    clear = len(near) >= ENOUGH and CLEARLY * np.sum(near) < np.sum(far)
    return form if fits and clear else None


def _rounded_twice(question: Question, x: Floats, ups: Floats, got: Floats) -> list[str]:
    """Return a note if results agree with F(gate) rounded before the product."""
    glu, result = question.glu, question.result
    if not glu or glu.intermediate:
        return []
    values, (factors, _) = values_of(question, x), question.factors(ups)
    once, twice = (
        round_array(np.outer(factors, each).ravel(), result)
        for each in (values, round_array(values, result))
    )
    differ = np.isfinite(got) & np.isfinite(once) & (once != twice)
    if not np.count_nonzero((got == twice) & differ) > SURE * np.count_nonzero(differ):
        return []
    remedy = f"; --intermediate {result.name} accepts that" * (question.quantity == "value")
    return [f"the form is rounded to {result.name} before the product{remedy}"]


def _called(kernel: Kernel, inputs: Inputs, x: Floats, up: Floats) -> Floats:
    """Call a kernel once, in a worker if it is isolated."""
    columns = [each.astype(kernel.formats[0].dtype) for each in (x, up)]
    units = [columns if inputs.ups else columns[:1]]
    ((_, got),) = workers.run(partial(_results, kernel), units, isolated=kernel.isolated)
    found: Floats = got
    return found


def _results(kernel: Kernel, arrays: Sequence[Floats]) -> Floats:
    return np.asarray(call(kernel, *arrays), np.float64)


def points_of(dtype: Format, low: float = -inf, high: float = inf) -> Floats:
    """Return up to POINTS ascending numbers of a range that is cut to ±WITHIN."""
    low, high = max(low, -WITHIN), min(high, WITHIN)
    spread = np.linspace(low, high, POINTS if low <= high else 0)
    points: Floats = np.unique(round_array(spread, dtype))
    return points


def second_of(question: Question) -> float:
    """Choose a second input that does not multiply the form by 0; else 1."""
    return next((up for up in (1.0, 2.0, 0.0) if question.at(up).times), 1.0)


def values_of(question: Question, x: Floats, form: Form | None = None) -> Floats:
    """Return expected values in float64, by `form` or by the question's form."""
    times = float(question.times.p) / float(question.times.q)
    values: Floats = times * float64(form or question.form, question.of_form, question.limited(x))
    return values


@np.errstate(all="ignore")  # results may be NaN and infinite
def nearest_form(question: Question, x: Floats, got: Floats) -> Form:
    """Find the form nearest to results; the question's form if there are none.

    The fewest wrong bits decide. But small errors in a tail that cancels make many bits wrong. So
    the form must also have, where it and `exact` differ, a smaller sum of |errors| than `exact`;
    else the answer is `exact`.
    """
    if not len(x):
        return question.form
    functions = all_functions().values() if question.glu else ()
    forms: list[Form] = [*all_forms().values(), *functions]
    values = np.array([values_of(question, x, form) for form in forms])
    line = question.limited(x) if question.of_form == "value" else np.ones_like(x)
    line = np.abs(line * float(question.times.p) / float(question.times.q))
    known = np.isfinite(got) & np.isfinite(values).all(axis=0)
    curved = known & (got != 0) & (np.abs(np.abs(got) - line) > ulps(question.result, line))
    chosen = curved if np.count_nonzero(curved) >= ENOUGH else known
    got, values = got[chosen], values[:, chosen]
    wrong = [_wrong_bits(question.result, got, each) for each in values]
    best = next(i for i, bits in enumerate(wrong) if bits <= min(wrong) + ALIKE)
    near, far = errors_apart(question, got, values[best], values[0])
    return forms[best if near.sum() < far.sum() else 0]


def errors_apart(question: Question, got: Floats, *values: Floats) -> tuple[Floats, Floats]:
    """Return |got − form| for two forms, at inputs at which the forms differ."""
    unit = np.maximum(*(ulps(question.result, each) for each in values))
    one, other = values
    apart: Mask = np.abs(one - other) >= APART * unit
    return np.abs(got - one)[apart], np.abs(got - other)[apart]


def _wrong_bits(result: Format, got: Floats, value: Floats) -> float:
    """Return the mean number of wrong bits, each at most `result.precision`."""
    want = round_array(value, result)
    off = np.abs(got - want) / ulps(result, want)
    return float(np.mean(np.fmin(np.log2(1 + off), result.precision))) if len(got) else 0.0
