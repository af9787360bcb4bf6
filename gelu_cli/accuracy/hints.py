"""Hints on another form, another quantity or swapped inputs of a kernel.

Errors are approximate here: only medians and sums over many inputs are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isinf

import numpy as np

from gelu_cli.accuracy.nearest import (
    ENOUGH,
    Results,
    differ,
    nearest_form,
    points_of,
    second_of,
    values_of,
    wrong_bits,
)
from gelu_cli.accuracy.question import OF_FORM, Question
from gelu_cli.formulas import all_functions
from gelu_cli.numbers.arrays import round_array
from gelu_cli.numbers.cells import Floats
from gelu_cli.numbers.patterns import ulps

CLEARLY = 3
"""Ratio of the sums of errors from which on results belong to another function."""

SURE = 0.9
"""A kernel rounds F(gate) if it agrees with that at this share of the pairs where it matters."""

SECONDS = (0.7, -1.3, 2.9)

REMEDIES = {
    "value": "remove --quantity gradient, or name the function that computes the gradient",
    "gradient": "add --quantity gradient; a function of torch or jax that returns gradients takes "
    "(upstream, x) → dx and --backward",
}


def hints(
    question: Question,
    results: Results,
    low: float = -inf,
    high: float = inf,
    *,
    up_first: bool = False,
) -> list[str]:
    """Name the function that a kernel seems to compute, if another.

    Parameters
    ----------
    question
        The expected results.
    results
        A function that returns results at inputs and second inputs; it is called once.
    low, high
        The range of inputs.
    up_first
        True if the kernel is called with its up first.
    """
    x = points_of(question.dtype, low, high)
    if len(x) < ENOUGH:
        return []
    ups = [second_of(question)]
    if of_pairs := bool(question.glu) and question.quantity not in OF_FORM:
        ups += round_array(np.array(SECONDS), question.dtype).tolist()
    got = results(np.tile(x, len(ups)), np.repeat(ups, len(x)))
    with np.errstate(all="ignore"):  # results may overflow
        nearer = _nearer(question.at(ups[0]), x, got[: len(x)])
        if nearer or not of_pairs:
            return nearer
        return [*_of_pairs(question, x, ups[1:], got[len(x) :], up_first)]


def _nearer(question: Question, x: Floats, got: Floats) -> list[str]:
    """Name a form or quantity that the results are much nearer to, if any."""
    others = [question._replace(form=nearest_form(question, x, got))]
    if not question.glu:
        (other,) = {*REMEDIES} - {question.quantity}
        others.append(question._replace(quantity=other))
    values = np.array([values_of(each, x) for each in (question, *others)])
    known = np.isfinite(got) & np.isfinite(values).all(axis=0)
    got, expected, candidates = got[known], values[0][known], values[1:, known]
    if len(got) < ENOUGH:
        return []
    best = int(np.argmin([wrong_bits(question.result, got, each) for each in candidates]))
    other, found = candidates[best], others[best]
    apart = differ(question.result, expected, other)
    count, off = int(np.count_nonzero(apart)), np.abs(got - other)
    far = float(np.sum(np.abs(got - expected)[apart]))
    fits = 64 * float(np.sum(off)) < float(np.sum(np.abs(other)))
    if count < ENOUGH or CLEARLY * float(np.sum(off[apart])) >= far or not fits:
        return []
    near, far = (
        float(np.median((np.abs(got - each) / ulps(question.result, each))[apart]))
        for each in (other, expected)
    )
    medians = f"({near:.3g} ULP in the median of {count} inputs, against {far:.3g})"
    name, label = found.form.label, question.form.label
    if found.quantity != question.quantity:
        what = f"the {found.quantity} of {label} {medians} than to its {question.quantity}"
        return [f"the results are much nearer to {what}; {REMEDIES[found.quantity]}"]
    what = f"{name}, which is no GELU," if name in all_functions() else name
    return [f"the results are much nearer to {what} {medians} than to {label}; add --form {name}"]


def _of_pairs(
    question: Question, x: Floats, ups: list[float], got: Floats, up_first: bool
) -> Iterator[str]:
    """Report a kernel that swaps its inputs, or that rounds F(gate)."""
    glu, result, gradient = question.glu, question.result, question.quantity == "gradient"
    assert glu
    one = _expected(question, x, ups)
    twice = _expected(question._replace(glu=glu._replace(intermediate=result)), x, ups)
    points = np.array(ups)
    swapped = round_array(np.outer(values_of(question, points), x).ravel(), result)
    known = np.isfinite(got) & np.isfinite(one) & np.isfinite(swapped)
    far, near = (wrong_bits(result, got[known], each[known]) for each in (one, swapped))
    if near + 1 < far and near < 1 and isinf(glu.gate_limit):
        if gradient:
            yield "results are F′(upstream)·x: it takes x first; wrap it as (dy, x) → f(x, dy)"
        elif up_first:
            yield "results are F(up)·gate: it takes the gate first; remove --up-first"
        else:
            yield "results are F(up)·gate: it takes the up first; add --up-first"
    elif not glu.intermediate:
        tells = known & (one != twice)
        count, agree = np.count_nonzero(tells), np.count_nonzero((got == twice) & tells)
        if agree > SURE * count:
            what = f"{'F′(x)' if gradient else 'F(gate)'} is rounded to {result.name}"
            remedy = "" if gradient else f"; --intermediate {result.name} judges by that"
            yield (
                f"{what} before the product: {agree:,} of {count:,} pairs that tell agree{remedy}"
            )


def _expected(question: Question, x: Floats, ups: list[float]) -> Floats:
    """Return the expected results at each x with each up, from float64s."""
    first = values_of(question, x)
    if question.glu and question.glu.intermediate:
        first = round_array(first, question.glu.intermediate)
    factors = question.factors(np.array(ups))[0]
    return round_array(np.outer(factors, first).ravel(), question.result)
