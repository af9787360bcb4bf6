"""Whether results of a user's function change from call to call, told beside its errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.format_arrays import Floats, held, nearest
from gelu_cli.kernels.functions.batches import Batches
from gelu_cli.kernels.functions.surroundings import bits_differ
from gelu_cli.kernels.inputs import Inputs
from gelu_cli.kernels.truth import Question

SOME = np.linspace(-8, 8, 1024)
"""Numbers at which few results are 0, x or x/2, which never change."""


class Call(NamedTuple):
    """The inputs of a call, and its results."""

    x: Floats
    got: Floats


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
    def changes(self) -> str:
        """Say at how many inputs results change from call to call, with an example, if any do."""
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
