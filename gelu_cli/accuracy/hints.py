"""Hints: results of another form, quantity or order of inputs.

Errors here are approximate, and only medians of many are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import NamedTuple

import numpy as np

from gelu_cli.accuracy.nearest import APART, ENOUGH, UPS, differ, points_of, wrong_bits
from gelu_cli.accuracy.question import OF_FORM, Question
from gelu_cli.formulas import Form, all_forms, all_functions
from gelu_cli.formulas.doubles import float64
from gelu_cli.numbers.arrays import evaluate_array, round_array
from gelu_cli.numbers.cells import Floats, Mask
from gelu_cli.numbers.patterns import ulps

CLEARLY = 3
"""Results are nearer to another function if the sum of their errors is so many times smaller."""

SURE = 0.9
"""The share of the pairs that tell two roundings apart which says what a kernel does."""

SECONDS = (0.7, -1.3, 2.9)

REMEDIES = {
    "value": "remove --quantity gradient, or name the function that computes the gradient",
    "gradient": "add --quantity gradient; a function of torch or jax that returns gradients takes "
    "(upstream, x) → dx and --backward",
    "curvature": "if a gradient was differentiated again, wrap it as (upstream, x) → dx and add "
    "--backward",
    "gate": "multiply them by x",
    "gate_gradient": "multiply the function by x",
}

Results = Callable[[Floats, float], Floats]


class Function(NamedTuple):
    """A quantity of a form, or of another function."""

    form: Form
    quantity: str


def hints(
    question: Question,
    results: Results,
    low: float = -inf,
    high: float = inf,
    *,
    up_first: bool = False,
) -> list[str]:
    """Say what the results of a kernel are instead, a sentence each.

    Parameters
    ----------
    question
        What they should be.
    results
        Returns results at inputs, all with one second input.
    low, high
        The range of inputs.
    up_first
        True if the kernel is called with its up first.
    """
    x = points_of(question.dtype, low, high)
    if len(x) < ENOUGH:
        return []
    up = next((up for up in UPS if question.at(up).times), 1.0)
    got = results(x, up)
    with np.errstate(all="ignore"):  # of kernels that overflow
        if nearer := _nearer(question.at(up), x, got):
            return [nearer]
        if question.glu and question.quantity not in OF_FORM:
            return [*_of_pairs(question, x, results, up_first)]
    return []


def _nearer(question: Question, x: Floats, got: Floats) -> str:
    """Say that results are much nearer to another function, if they are."""
    functions = _functions(question)
    factor = float(question.times.p) / float(question.times.q)
    at = question.limited(x)
    values = [factor * _values(each, at) for each in functions]
    known = np.isfinite(got) & np.isfinite(values).all(axis=0)
    got, values = got[known], [each[known] for each in values]
    if len(got) < ENOUGH:
        return ""
    lost = [wrong_bits(question.result, got, each) for each in values]
    best = int(np.argmin(lost))
    expected, other = values[0], values[best]
    apart = differ(question.result, expected, other)
    near, far = (float(np.sum(np.abs(got - each)[apart])) for each in (other, expected))
    if np.count_nonzero(apart) < ENOUGH or CLEARLY * near >= far or not _fits(got, other):
        return ""
    errors = [np.median((np.abs(got - each) / ulps(question.result, each))[apart])
              for each in (other, expected)]  # fmt: skip
    count = int(np.count_nonzero(apart))
    return _sentence(question, functions[best], count, *map(float, errors))


def _values(of: Function, x: Floats) -> Floats:
    """Return values of a function; second derivatives have no plain formulas."""
    find = evaluate_array if of.quantity in ("curvature", "gate_gradient") else float64
    return find(of.form, of.quantity, x)


def _fits(got: Floats, other: Floats) -> bool:
    """Return True if the errors add up to less than 1/64 of the function."""
    return float(np.sum(np.abs(got - other))) * 64 < float(np.sum(np.abs(other)))


def _functions(question: Question) -> list[Function]:
    """List the functions that results may be, the expected one first."""
    form, expected = question.form, question.of_form
    quantities = ["value", "gradient", "curvature"] + ["gate", "gate_gradient"] * form.has_gate
    if question.glu:
        quantities = [expected]
    others = (*all_forms().values(), *all_functions().values())
    return [
        *(Function(form, each) for each in sorted(quantities, key=lambda each: each != expected)),
        *(Function(each, expected) for each in others if each.label != form.label),
    ]


def _sentence(question: Question, found: Function, count: int, near: float, far: float) -> str:
    expected = question.form.label
    medians = f"{near:.3g} ULP in the median of {count} inputs, against {far:.3g}"
    if found.quantity == question.of_form:
        name = found.form.label
        what = f"{name}, which is no GELU," if name in all_functions() else name
        said = f"the results are much nearer to {what} ({medians}) than to {expected}"
        return f"{said}; add --form {name}"
    name, remedy = found.quantity.replace("_", " "), REMEDIES[found.quantity]
    return (
        f"the results are much nearer to the {name} of {expected} ({medians}) than to its "
        f"{question.quantity}; {remedy}"
    )


def _of_pairs(question: Question, x: Floats, results: Results, up_first: bool) -> Iterator[str]:
    """Say in which order a kernel takes its inputs, or if it rounds F(gate)."""
    ups = round_array(np.array(SECONDS), question.dtype).tolist()
    got = np.concatenate([results(x, up) for up in ups])
    wanted = _expected(question, x, ups)
    swapped = np.concatenate([
        round_array(float64(question.form, question.of_form, np.array([up])) * x, question.result)
        for up in ups
    ])  # fmt: skip
    tells = np.isfinite(got) & np.isfinite(wanted) & (np.abs(wanted - swapped) > 0)
    near, far = (_median_error(question, got, each, tells) for each in (swapped, wanted))
    if near <= 1 and far >= APART and not (question.glu and question.glu.gate_limit):
        if question.quantity == "gradient":
            yield "results are F′(upstream)·x: it takes x first; wrap it as (dy, x) → f(x, dy)"
        elif up_first:
            yield "results are F(up)·gate: it takes the gate first; remove --up-first"
        else:
            yield "results are F(up)·gate: it takes the up first; add --up-first"
    elif question.glu and not question.glu.intermediate:
        yield from _rounding(question, x, ups, got)


def _rounding(question: Question, x: Floats, ups: list[float], got: Floats) -> Iterator[str]:
    """Say whether the product is rounded once, or F(gate) before it."""
    glu = question.glu
    assert glu is not None
    twice = question._replace(glu=glu._replace(intermediate=question.result))
    one, two = _expected(question, x, ups), _expected(twice, x, ups)
    tells = np.isfinite(got) & np.isfinite(one) & np.isfinite(two) & (one != two)
    count = int(np.count_nonzero(tells))
    once, both = (int(np.count_nonzero(got[tells] == each[tells])) for each in (one, two))
    name = question.result.name
    if both > SURE * count:
        if question.quantity == "gradient":
            yield (
                f"F′(x) is rounded to {name} before the product: {both:,} of {count:,} pairs that "
                "tell agree"
            )
        else:
            yield (
                f"F(gate) is rounded to {name} before the product: {both:,} of {count:,} pairs "
                f"that tell agree; --intermediate {name} judges by that"
            )
    elif once > SURE * count:
        yield f"the product is rounded once: {once:,} of {count:,} pairs that tell agree"


def _expected(question: Question, x: Floats, ups: list[float]) -> Floats:
    """Return the expected results at each x with each up, from float64s."""
    first = float64(question.form, question.of_form, question.limited(x))
    if question.glu and question.glu.intermediate:
        first = round_array(first, question.glu.intermediate)
    factors = question.factors(np.array(ups))[0]
    return np.concatenate([round_array(first * factor, question.result) for factor in factors])


def _median_error(question: Question, got: Floats, wanted: Floats, some: Mask) -> float:
    if not some.any():
        return inf
    return float(np.median((np.abs(got - wanted) / ulps(question.result, wanted))[some]))
