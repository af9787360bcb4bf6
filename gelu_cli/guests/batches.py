"""Calls of one length: what compiles for a shape does so once, and no input is near a ragged end.

A kernel may take another path in the tail of a block. All inputs of a sweep are therefore asked
inside full ones, also those that are asked later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelu_cli.arithmetic.rounding import Floats
from gelu_cli.guests.calling import UsersFunction


class Batches(NamedTuple):
    """A user's function that always gets so many inputs at once, or what there is if None.

    Longer calls are cut, and the last part of one is filled up with inputs of the same call, whose
    results are dropped.
    """

    function: UsersFunction
    size: int | None

    def __call__(self, x: Floats) -> Floats:
        """Return the results that are judged at x."""
        if self.size is None:
            return self.function(x)
        if len(x) <= self.size:
            return self.function(full(x, self.size))[: len(x)]
        # Each is copied: results stay what they are until the next call.
        parts = [
            self.function(full(x[i : i + self.size], self.size)).copy()
            for i in range(0, len(x), self.size)
        ]
        return np.concatenate(parts)[: len(x)]


def full(x: Floats, size: int) -> Floats:
    """Return inputs, repeated up to so many.

    >>> full(np.array([1.0, 2.0, 3.0]), 5)
    array([1., 2., 3., 1., 2.])
    """
    return x if len(x) == size else np.resize(x, size)
