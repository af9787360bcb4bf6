"""Whether results of a user's function change from call to call, told beside its errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.memory import held
from gelu_cli.arithmetic.rounding import Floats, nearest
from gelu_cli.guests.batches import Batches
from gelu_cli.guests.surroundings import bits_differ

SOME = np.linspace(-8, 8, 1024)
"""Numbers at which few results are 0, x or x/2, which never change."""


class Call(NamedTuple):
    """The inputs of a call, and its results."""

    x: Floats
    got: Floats


class Witness:
    """Calls a user's function again after a sweep, with inputs that it had.

    The sweep's inputs are from `low` to `high`; `calls` are some of it: the first, and the one with
    1 among its inputs.
    """

    def __init__(self, own: Batches, low: float, high: float, calls: Sequence[Call]) -> None:
        self.own = own
        self.low = low
        self.high = high
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
        number_format = self.own.function.calling.dtype
        x = np.unique(nearest(number_format, SOME)[0])
        inside = x[(self.low <= x) & (x <= self.high)]
        if not len(inside):
            return None
        floats = held(number_format, inside)
        return Call(floats, self.own(floats).copy())
