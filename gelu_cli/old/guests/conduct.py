"""Calls of one length, and whether results change from call to call.

A kernel may take another path in the tail of a block, and what compiles for a shape does so once.
Each input of a sweep is therefore asked inside a full block, also when it is asked again later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Floats, Mask, held, nearest
from gelu_cli.old.guests.calling import UsersFunction

SOME = np.linspace(-8, 8, 1024)
"""Numbers at which few results are 0, x or x/2, which never change."""


class Batches(NamedTuple):
    """A user's function that gets `size` inputs at once; if that is None, those of the caller.

    Longer calls are cut, and the last part of one is filled up with inputs of the same call, whose
    results are dropped.
    """

    function: UsersFunction
    size: int | None

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x."""
        if self.size is None:
            return self.function(x)
        count = x.shape[-1]
        if count <= self.size:
            return self.function(full(x, self.size))[:count]
        # Each is copied: results stay what they are until the next call.
        parts = [
            self.function(full(x[..., i : i + self.size], self.size)).copy()
            for i in range(0, count, self.size)
        ]
        return np.concatenate(parts)[:count]


def full(x: Floats, size: int) -> Floats:
    """Return `size` numbers, or pairs: x, repeated from the first on.

    >>> full(np.array([1.0, 2.0, 3.0]), 5)
    array([1., 2., 3., 1., 2.])
    """
    times, rest = divmod(size, x.shape[-1])
    return x if size == x.shape[-1] else np.concatenate([*times * [x], x[..., :rest]], axis=-1)


class Call(NamedTuple):
    """The inputs of a call, and its results."""

    x: Floats
    got: Floats


@np.errstate(all="ignore")  # a signalling NaN is a NaN
def changes(own: Batches, low: float, high: float, calls: Sequence[Call]) -> str:
    """Say at how many inputs results change from call to call, with an example, if any do.

    The function is called again after a sweep with inputs from `low` to `high`. `calls` are some of
    its calls: the first, and the one with 1 among its inputs.
    """
    number_format = own.function.calling.dtype
    x = np.unique(nearest(number_format, SOME)[0])
    if not own.function.calling.second and len(ordinary := x[(low <= x) & (x <= high)]):
        floats = held(number_format, ordinary)
        calls = [Call(floats, own(floats).copy()), *calls]
    differ = total = 0
    example = ""
    for call in calls:
        again = own(call.x)
        places = np.flatnonzero(bits_differ(call.got, again))
        total += len(call.got)
        differ += len(places)
        if len(places) and not example:
            i = places[len(places) // 2]
            one, other = (float(each[i]) for each in (call.got, again))
            example = f"{one!r} and {other!r} at {own.function.calling.at(call.x[..., i])}"
    if not differ:
        return ""
    return (
        f"its results change from call to call, at {differ:,} of {total:,} inputs that were asked "
        f"twice: {example}"
    )


def bits_differ(one: Floats, other: Floats) -> Mask:
    """Return where bits differ; a NaN is a NaN.

    >>> bits_differ(np.array([0.0, 1.0, np.nan]), np.array([-0.0, 1.0, -np.nan])).tolist()
    [True, False, False]
    """
    unsigned = f"u{one.dtype.itemsize}"
    differing: Mask = one.view(unsigned) != other.view(unsigned)
    return differing & ~(np.isnan(one) & np.isnan(other))
