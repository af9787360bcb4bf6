"""How a user's function behaves in a sweep, told beside its errors.

Two things make every figure mean something else: that the function is not the quantity that is
judged, but a gradient, say; and that its results change from call to call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.memory import held
from gelu_cli.arithmetic.rounding import Floats, nearest
from gelu_cli.kernels.functions.batches import Batches
from gelu_cli.kernels.functions.surroundings import bits_differ
from gelu_cli.kernels.inputs import Inputs
from gelu_cli.kernels.truth import Question
from gelu_cli.values.evaluate_arrays import evaluate_array

TELLING = np.array([-2.5, -1.5, -1.0, -0.75, -0.5, 0.5, 0.75, 1.5, 2.5])
"""Numbers of every format, where value, gradient, gate and curvature differ."""

NEAR = 0.15
"""So near, in proportion, are results in 3 bits to what they are."""

CLEARLY = 4
"""So many times as far as what they are is what they are not."""

SOME = np.linspace(-8, 8, 1024)
"""Numbers at which few results are 0, x or x/2, which never change."""


class Call(NamedTuple):
    """The inputs of a call, and its results."""

    x: Floats
    got: Floats


class Conduct(NamedTuple):
    """What there is to say of a user's function, a sentence each or nothing."""

    other_quantity: str
    changes: str


class Witness:
    """Calls a user's function again after a sweep, with inputs that it had.

    `calls` are some of the sweep: the first, and the one with 1 among its inputs.
    """

    def __init__(
        self, own: Batches, question: Question, inputs: Inputs, calls: Sequence[Call]
    ) -> None:
        self.own = own
        self.question = question
        self.inputs = inputs
        self.calls = calls

    @np.errstate(all="ignore")  # a signalling NaN is a NaN
    def conduct(self) -> Conduct:
        """Return what there is to say of the function."""
        return Conduct(self._other_quantity(), self._changes())

    def _other_quantity(self) -> str:
        """Say which quantity of the form the function is, if it is not the one it should be."""
        if not (self.inputs.low <= TELLING[0] and TELLING[-1] <= self.inputs.high):
            return ""
        question, function = self.question, self.own.function
        got = self.own.values(held(self.question.dtype, TELLING)).astype(np.float64)
        if not function.differentiated:  # what it returns is multiplied by the gradient from above
            got = got / question.upstream if question.upstream else np.full(len(got), np.nan)
        due = "value" if function.differentiated else question.quantity
        found = _nearest_quantity(question, got, due)
        if found == due:
            return ""
        said = f"its results are close to the {found} of {question.form.label}, not to its {due}"
        return said + _remedy(found, question.quantity, function.differentiated)

    def _changes(self) -> str:
        """Say at how many inputs results change from call to call, with an example."""
        differ = total = 0
        example = ""
        for call in filter(None, (self._ordinary(), *self.calls)):
            again = self.own(call.x)
            places = np.flatnonzero(bits_differ(call.got, again))
            total += len(call.x)
            differ += len(places)
            if len(places) and not example:
                i = places[len(places) // 2]
                one, other, at = (float(each[i]) for each in (call.got, again, call.x))
                example = f"{one!r} and {other!r} at x = {at!r}"
        if not differ:
            return ""
        return (
            f"its results change from call to call, at {differ:,} of {total:,} inputs that were "
            f"asked twice: {example}"
        )

    def _ordinary(self) -> Call | None:
        """Return a call with ordinary numbers of the range, if it has any."""
        x = np.unique(nearest(self.question.dtype, SOME)[0])
        inside = x[(self.inputs.low <= x) & (x <= self.inputs.high)]
        if not len(inside):
            return None
        floats = held(self.question.dtype, inside)
        return Call(floats, self.own(floats).copy())


def remarks(seen: Sequence[Conduct]) -> list[str]:
    """Return what there is to say of a function that was seen in several processes, once each."""
    return [next(filter(None, said), "") for said in zip(*seen, strict=True) if any(said)]


def _nearest_quantity(question: Question, got: Floats, due: str) -> str:
    """Return the quantity that results at `TELLING` clearly are, or else the one that is due."""
    form = question.form
    # ReLU's gate is its gradient: of equals the first counts.
    names = ["value", "gradient", "curvature"] + ["gate"] * form.has_gate
    truths = evaluate_array(form, names, TELLING, question.result)
    off = {name: float(np.sum(abs(got - truth))) for name, truth in zip(names, truths, strict=True)}
    size = {name: float(np.sum(abs(truth))) for name, truth in zip(names, truths, strict=True)}
    best = min((due, *names), key=lambda name: off[name])
    sure = off[best] < NEAR * size[best] and CLEARLY * off[best] < off[due]
    return best if sure else due


def _remedy(found: str, judged: str, autograd: bool) -> str:
    if found == "gate":
        return "; multiply them by x"
    if found == "value":
        return "; leave --quantity gradient out, or give the function that computes the gradient"
    if found == "gradient" and autograd:
        again = "has differentiated" if judged == "gradient" else "would differentiate"
        return (
            f"; with --quantity gradient autograd {again} it again: wrap it as (upstream, x) → dx "
            "and take --quantity gradient --backward own"
        )
    return "; judge them with --quantity gradient" if found == "gradient" else ""
