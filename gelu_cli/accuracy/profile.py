"""Intervals of inputs around 0 in which all results are within a bound.

A NaN, a wrong infinity or a wrong sign is within no bound. Results that are 0 where the exact value
is subnormal are left out, everywhere and by that rule alone, and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf, isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gelu_cli.accuracy.weights import STANDARD, Normal, probability
from gelu_cli.numbers import Format
from gelu_cli.numbers.cells import Floats, Mask
from gelu_cli.numbers.patterns import pattern_range

BOUNDS = 2.0 ** np.arange(-1, 64)
"""In ULP."""


class Over(NamedTuple):
    """Results of one sign that exceed each of the `BOUNDS`.

    Attributes
    ----------
    errors
        The least |x| with an error over each bound; infinite if there is none.
    left_out
        Numbers of results that are left out, and would be over.
    """

    errors: Floats = np.full(len(BOUNDS), inf)
    left_out: NDArray[np.int64] = np.zeros(len(BOUNDS), np.int64)

    def add(self, other: Over) -> Over:
        """Return the same of both."""
        return Over(np.minimum(self.errors, other.errors), self.left_out + other.left_out)


def over_bounds(x: Floats, errors: Floats, zeros: Mask) -> Over:
    """Find the inputs over each bound.

    Parameters
    ----------
    x
        Inputs of one sign in the order of |x|.
    errors
        In ULP; infinite for failures, NaN for an infinity or NaN that is right.
    zeros
        Where a result is 0 and the exact value subnormal.
    """
    left_out = np.sort(errors[zeros & (errors > BOUNDS[0])])
    kept = np.where(zeros | np.isnan(errors), 0.0, errors)
    first = np.searchsorted(np.maximum.accumulate(kept), BOUNDS, "right")
    return Over(
        np.append(np.abs(x), inf)[first],
        len(left_out) - np.searchsorted(left_out, BOUNDS, "right"),
    )


class Within(NamedTuple):
    """An interval of inputs around 0, all of whose results are within a bound.

    Attributes
    ----------
    low, high
        Its ends; None if the input nearest to 0 is over the bound.
    share
        Its probability.
    left_out
        Number of results that are 0 where the exact value is subnormal, and would be over.
    """

    bound: float
    low: float | None
    high: float | None
    share: float
    left_out: int


def profile(
    dtype: Format,
    over: Mapping[int, Over],
    low: float = -inf,
    high: float = inf,
    normal: Normal = STANDARD,
) -> Iterator[Within]:
    """Yield intervals for ½, 1, 2, … ULP, as long as they widen.

    Parameters
    ----------
    dtype
        The format of inputs.
    over
        What is over bounds, by the sign of inputs, 1 and −1.
    low, high
        The range of inputs.
    normal
        The distribution of draws.

    Examples
    --------
    >>> from gelu_cli.numbers import find_format
    >>> x, errors, none = np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.5, 3.0]), np.zeros(3, bool)
    >>> over = {1: over_bounds(x, errors, none), -1: Over()}
    >>> [each[:3] for each in profile(find_format("e5m2"), over, -2, 2)][1:]
    [(1.0, -2.0, 1.75), (2.0, -2.0, 1.75), (4.0, -2.0, 2.0)]
    """
    for i, bound in enumerate(BOUNDS.tolist()):
        ends: list[float] = []
        for sign in (-1, 1):
            first, end = pattern_range(dtype, sign, low, high)
            size = float(over[sign].errors[i])
            end = min(end, dtype.bits(size)) if isfinite(size) else end
            if first < end:
                ends += sorted(sign * dtype.number(each) for each in (first, end - 1))
        around = (ends[0], ends[-1]) if ends else (None, None)
        share = probability(ends[0], ends[-1], normal) if ends else 0.0
        left_out = sum(int(each.left_out[i]) for each in over.values())
        yield Within(bound, around[0], around[1], share, left_out)
        if all(each.errors[i] == each.errors[-1] for each in over.values()):
            return
