"""What results are nearest to: the form and the quantity that they should be, or others.

A sample of the results is compared with every form, with the other quantities of the form that is
due, and with functions that are mistaken for it. The nearest is the one against which results lose
the fewest bits in the mean; within `ALIKE` bits of that, the first. It is much nearer than what is
due if the two are `APART` ULP or more apart at `ENOUGH` inputs or more, over these inputs

    CLEARLY · Σ|result − nearest| < Σ|result − due|,

and over all inputs Σ|result − nearest| < (NEAR + 2⁻ᵖ) · Σ|nearest|, where results have p bits. By
the triangle inequality, results are then off what is due by CLEARLY/(CLEARLY + 1) of the distance
of the two, 3 ULP or more in the mean: a kernel that stays within 3 ULP is never told so, whatever
the format. The sums are of absolute errors, so that a tail in which a poor kernel cancels does not
decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array, Floats, Mask, nearest, ulps
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.formulas import Form, all_forms, all_functions
from gelu_cli.old.sweeping.at import called_at
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.sweeping.observers import Sight
from gelu_cli.old.sweeping.truth import Question, truth_at
from gelu_cli.old.sweeping.verdict import Verdict
from gelu_cli.old.values.evaluate_arrays import approximately

ALIKE, APART, CLEARLY, ENOUGH, NEAR = 0.1, 4, 3, 8, 1 / 64

UPS = (1.0, 2.0, 0.0)
"""Of these second inputs one is taken that results are a multiple of another than 0."""

POINTS = 512
WITHIN = 5.0
"""A sample has POINTS points in ±WITHIN: beyond that, forms are next to 0 or to x."""

REMEDIES: Mapping[str, str] = {
    "value": "remove --quantity gradient, or name the function that computes the gradient",
    "gradient": "add --quantity gradient; a function of torch or jax that returns gradients takes "
    "(upstream, x) → dx and --backward",
    "curvature": "where a gradient was differentiated again, wrap it as (upstream, x) → dx and add "
    "--backward",
    "gate": "multiply them by x",
    "gate_gradient": "multiply the function by x",
}
"""What to do where results are this quantity of the form instead of the one that is due."""


class Sample(NamedTuple):
    """Some inputs of a kernel, and its results there: float64s."""

    x: Array
    got: Array


NO_SAMPLE = Sample(np.zeros(0), np.zeros(0))


class Function(NamedTuple):
    """A quantity of a form, or of another function."""

    form: Form
    quantity: str


LEAST = 2.0**-12
"""The least length of a part: within it, forms hardly change."""


class Samples(NamedTuple):
    """Sees the first result in each of many equal parts of a range.

    Results farther than `WITHIN` from 0 are left out: forms hardly differ there.
    """

    low: float = -inf
    high: float = inf

    def see(self, sight: Sight) -> Mapping[int, Sample]:
        """Return the samples of some inputs."""
        return {place: self.sample(sight.x, got) for place, got in sight.got.items()}

    @np.errstate(invalid="ignore")  # a signalling NaN is a NaN
    def sample(self, x: Floats, got: Floats) -> Sample:
        """Return the sample of results at inputs in the order of their bits."""
        if not len(x) or min(abs(x[0]), abs(x[-1])) > WITHIN:  # as most float32s
            return NO_SAMPLE
        places = np.zeros(1, np.int64)
        if (x[0] < 0) != (x[-1] < 0) or self._parts(x[0]) != self._parts(x[-1]):
            parts = self._parts(x)
            places = np.append(places, np.flatnonzero(parts[1:] != parts[:-1]) + 1)
        places = places[np.abs(x[places]) <= WITHIN]
        return Sample(x[places].astype(np.float64), got[places].astype(np.float64))

    @np.errstate(over="ignore")  # far from 0
    def _parts(self, x: Floats) -> Floats:
        """Return the number of the part that each input is in."""
        low, high = max(self.low, -WITHIN), min(self.high, WITHIN)
        parts: Floats = np.floor((x - low) / max((high - low) / POINTS, LEAST))
        return parts

    def add(
        self, first: Mapping[int, Sample], second: Mapping[int, Sample]
    ) -> Mapping[int, Sample]:
        """Return the samples of the inputs of both."""
        return {place: self.joined(sample, second[place]) for place, sample in first.items()}

    def joined(self, first: Sample, second: Sample) -> Sample:
        """Return two samples as one; the inputs of the second follow those of the first."""
        if not (len(first.x) and len(second.x)):
            return first if len(first.x) else second
        x, got = second
        if self._parts(first.x[-1]) == self._parts(x[0]):
            x, got = x[1:], got[1:]
        return Sample(np.append(first.x, x), np.append(first.got, got))

    def finish(self, verdicts: Sequence[Verdict], seen: Mapping[int, Sample]) -> None:
        """Add a note to each verdict whose results are much nearer to another function."""
        for place, verdict in enumerate(verdicts):
            verdict.notes += notes_on(verdict.question, seen[place])


def points_of(number_format: Format, low: float = -inf, high: float = inf) -> Array:
    """Return numbers of a format from low to high at which forms differ, in ascending order.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> points_of(FORMATS["bfloat16"], 3.97, 4).tolist()
    [3.96875, 3.984375, 4.0]
    """
    low, high = max(low, -WITHIN), min(high, WITHIN)
    spread = np.linspace(low, high, POINTS if low <= high else 0)
    return np.unique(nearest(number_format, spread)[0])


def nearest_form(question: Question, sample: Sample) -> Form:
    """Return the form that results are nearest to, or the first form if its errors are smaller.

    The errors of the two are added up over inputs where they are far apart.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> question = Question(find_form("exact"), "value", FORMATS["float16"])
    >>> nearest_form(question, Sample(np.array([-1.0, 1.0]), np.array([0.0, 1.0]))).name
    'relu'
    """
    more = all_functions().values() if question.gating else ()
    forms: list[Form] = [*all_forms().values(), *more]
    functions = [Function(form, question.factor) for form in forms]
    _, got, values = _against(question, functions, sample)
    best = _nearest(question.result, got, values)
    apart = _apart(question.result, values[0], values[best])
    exact, other = (np.sum(np.abs(got - values[i])[apart]) for i in (0, best))
    return forms[best if other < exact else 0]


def with_nearest_forms(
    kernels: Sequence[Kernel], low: float = -inf, high: float = inf
) -> list[Kernel]:
    """Return kernels, with the nearest form in those that ask for it.

    These are called at some inputs from low to high. If there are none at which forms differ, they
    keep their form.
    """
    return [
        kernel._replace(question=question._replace(form=_form_of(kernel, x)))
        if (question := kernel.question).auto and len(x := points_of(question.dtype, low, high))
        else kernel
        for kernel in kernels
    ]


def second_that_tells(question: Question) -> float:
    """Return a second input with which results of kernels of two tell their form."""
    return next((up for up in UPS if question.at(up).times), 1.0)


def _form_of(kernel: Kernel, x: Array) -> Form:
    up = second_that_tells(kernel.question)
    question = kernel.question.at(up)
    inputs = np.stack([x, np.full_like(x, up)]) if question.gating else x
    got = called_at(kernel, inputs).results[question.quantity]
    return nearest_form(question, Sample(x, got.astype(np.float64)))


def notes_on(question: Question, sample: Sample) -> list[str]:
    """Return a sentence if results are much nearer to something else than to what is due.

    >>> from gelu_cli.old.arithmetic.formats import FORMATS
    >>> from gelu_cli.old.formulas import find_form
    >>> half, x = FORMATS["float16"], np.linspace(-8, 8, 512)
    >>> question = Question(find_form("exact"), "value", half)
    >>> notes_on(question, Sample(x, nearest(half, np.tanh(x))[0]))[0][:61]
    'the results are much nearer to tanh_fn, which is no GELU, (0.'
    """
    functions = _functions(question)
    got, (y,) = _against(question, functions[:1], sample)[1:]
    if not np.any(np.abs(got - y) > (APART - 1) * ulps(question.result, y)):
        return []
    x, got, values = _against(question, functions, sample)
    best = _nearest(question.result, got, values)
    y, other = values[0], values[best]
    apart = _apart(question.result, y, other)
    near, far = np.abs(got - other), np.abs(got - y)
    if (
        np.count_nonzero(apart) < ENOUGH
        or CLEARLY * np.sum(near[apart]) >= np.sum(far[apart])
        or np.sum(near) >= (NEAR + 2.0**-question.result.precision) * np.sum(np.abs(other))
    ):
        return []
    return [_sentence(question, functions[best], Sample(x[apart], got[apart]))]


def _functions(question: Question) -> list[Function]:
    """Return the functions that results may be, first the one that is due."""
    form, due = question.form, question.factor
    quantities = ["value", "gradient", "curvature"] + ["gate", "gate_gradient"] * form.has_gate
    if question.gating:  # of pairs there are more ways to go wrong than remedies name
        quantities = [due]
    known = (*all_forms().values(), *all_functions().values())
    others = [each for each in known if each.function != form.function]
    return [
        *(Function(form, each) for each in sorted(quantities, key=lambda each: each != due)),
        *(Function(each, due) for each in others),
    ]


def _against(
    question: Question, functions: Sequence[Function], sample: Sample
) -> tuple[Array, Array, list[Array]]:
    """Return inputs, results and approximate values of functions, where all are finite."""
    x, got = sample
    values = [
        approximately(question._replace(form=form).multiple, quantity, x)
        for form, quantity in functions
    ]
    known = np.isfinite(got) & np.all(np.isfinite(values), axis=0)
    return x[known], got[known], [each[known] for each in values]


def _nearest(result: Format, got: Array, values: Sequence[Array]) -> int:
    """Return the index of the values that results are nearest to."""
    lost = []  # bits, in the mean
    for value in values:
        due = nearest(result, value)[0]
        with np.errstate(all="ignore"):
            off = np.abs(got - due) / ulps(result, due)
        bits = np.sum(np.fmin(np.log2(1 + off), result.precision))
        lost.append(float(bits) / max(1, len(got)))
    return next(i for i, each in enumerate(lost) if each <= min(lost) + ALIKE)


def _apart(result: Format, one: Array, other: Array) -> Mask:
    """Return where two functions are `APART` ULP or more apart."""
    unit = np.maximum(ulps(result, one), ulps(result, other))
    return np.abs(one - other) >= APART * unit


def _sentence(question: Question, found: Function, told: Sample) -> str:
    """Say what results are nearest to and what to do; `told` has the inputs where it differs."""
    due = question.form.label
    near, far = (
        float(np.median(truth_at(each, told.x).ulp_errors(told.got)[0]))
        for each in (question._replace(form=found.form, quantity=found.quantity), question)
    )
    medians = f"{near:.3g} ULP in the median of {len(told.x)} inputs, against {far:.3g}"
    if found.quantity == question.factor:
        name = found.form.label
        what = f"{name}, which is no GELU," if name in all_functions() else name
        return f"the results are much nearer to {what} ({medians}) than to {due}: add --form {name}"
    name, remedy = found.quantity.replace("_", " "), REMEDIES[found.quantity]
    return (
        f"the results are much nearer to the {name} of {due} ({medians}) than to its "
        f"{question.quantity}: {remedy}"
    )
