"""Hints on the form of a kernel, from one call at few inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np

from gelu_cli.accuracy import nearest
from gelu_cli.accuracy.question import OF_FORM, Question
from gelu_cli.accuracy.selection import Inputs
from gelu_cli.accuracy.verdict import Verdict
from gelu_cli.formulas import Form
from gelu_cli.kernels import Kernel, call, workers
from gelu_cli.numbers.arrays import round_array
from gelu_cli.numbers.cells import Floats

SMALL_ERROR = 3
"""Largest error in ULP at which a kernel cannot compute another form."""

CLEARLY = 3
"""Ratio of the sums of errors from which on results belong to another form."""

SURE = 0.9
"""A kernel rounds F(gate) if it agrees with that at this share of the pairs where it matters."""

SECONDS = (0.7, -1.3, 2.9)


def with_nearest_form(question: Question, inputs: Inputs, kernel: Kernel) -> Question:
    """Replace the form of a question by the one nearest to a kernel's results."""
    x, up = nearest.points_of(question.dtype, inputs.low, inputs.high), nearest.second_of(question)
    got = _called(kernel, inputs, x, np.full_like(x, up)) if len(x) else x
    return question._replace(form=nearest.nearest_form(question.at(up), x, got))


def with_hints(verdict: Verdict, inputs: Inputs, kernel: Kernel) -> Verdict:
    """Add a note if a kernel seems to compute another form, or to round twice."""
    largest = verdict.largest()
    is_off = largest and largest.ulp and largest.ulp > SMALL_ERROR
    if not (verdict.complete and (verdict.question.glu or is_off)):
        return verdict
    found = hints(verdict.question, partial(_called, kernel, inputs), inputs.low, inputs.high)
    return replace(verdict, notes=[*verdict.notes, *found])


@np.errstate(all="ignore")  # results may overflow
def hints(question: Question, results: Any, low: float = -inf, high: float = inf) -> list[str]:
    """Name the nearest form, or the format that F(gate) is rounded to.

    Errors are approximate here: only sums over many inputs are compared. `results` returns results
    at inputs and second inputs; it is called once.
    """
    x = nearest.points_of(question.dtype, low, high)
    if len(x) < nearest.ENOUGH:
        return []
    of_products = question.glu and question.quantity not in OF_FORM
    seconds = round_array(np.array(SECONDS if of_products else ()), question.dtype)
    ups = np.append(nearest.second_of(question), seconds)
    got = results(np.tile(x, len(ups)), np.repeat(ups, len(x)))
    form, other = question.form, _other_form(question.at(float(ups[0])), x, got[: len(x)])
    if other:
        far = f"results are much nearer to {other.label} than to {form.label}"
        return [f"{far}; add --form {other.label}"]
    return _rounded_twice(question, x, seconds, got[len(x) :])


def _other_form(question: Question, x: Floats, got: Floats) -> Form | None:
    """Find another form that the results are clearly nearer to."""
    form = nearest.nearest_form(question, x, got)
    known = np.isfinite(got)
    values, expected = (
        nearest.values_of(question, x[known], each) for each in (form, question.form)
    )
    near, far = nearest.errors_apart(question, got[known], values, expected)
    fits = 64 * np.sum(np.abs(got[known] - values)) < np.sum(np.abs(values))
    clear = len(near) >= nearest.ENOUGH and CLEARLY * np.sum(near) < np.sum(far)
    return form if fits and clear else None


def _rounded_twice(question: Question, x: Floats, ups: Floats, got: Floats) -> list[str]:
    """Report that F(gate) is rounded before the product."""
    glu, result = question.glu, question.result
    if not glu or glu.intermediate:
        return []
    values, (factors, _) = nearest.values_of(question, x), question.factors(ups)
    once, twice = (
        round_array(np.outer(factors, each).ravel(), result)
        for each in (values, round_array(values, result))
    )
    tells = np.isfinite(got) & np.isfinite(once) & (once != twice)
    if not np.count_nonzero((got == twice) & tells) > SURE * np.count_nonzero(tells):
        return []
    remedy = f"; --intermediate {result.name} accepts that" * (question.quantity == "value")
    return [f"the form is rounded to {result.name} before the product{remedy}"]


def _called(kernel: Kernel, inputs: Inputs, x: Floats, up: Floats) -> Floats:
    """Call a kernel once, in a worker if it needs one."""
    columns = [each.astype(kernel.formats[0].dtype) for each in (x, up)]
    units = [columns if inputs.ups else columns[:1]]
    ((_, got),) = workers.run(partial(_results, kernel), units, isolated=kernel.isolated)
    found: Floats = got
    return found


def _results(kernel: Kernel, arrays: Sequence[Floats]) -> Floats:
    return np.asarray(call(kernel, *arrays), np.float64)
