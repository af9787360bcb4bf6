"""In which interval of inputs around 0 every result keeps a bound, for each of many bounds."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import NamedTuple

import numpy as np

from gelu_cli.old.sweeping.drawn import cell_weights
from gelu_cli.old.sweeping.inputs import Stretch, stretches
from gelu_cli.old.sweeping.tally import ENDS, FAILED
from gelu_cli.old.sweeping.verdict import Verdict


class Within(NamedTuple):
    """Every result that was judged at x from `low` to `high` is within `bound` ULP.

    Both are None where the input nearest to 0 is beyond the bound already.
    """

    bound: float
    low: float | None
    high: float | None
    share: float
    """P(low ≤ X ≤ high) for the X ~ N(mean, sigma²) of the question."""


def profile(verdict: Verdict) -> Iterator[Within]:
    """Yield the interval of inputs for ½, 1, 2, 4, … ULP, up to the first that all results keep.

    The interval is around 0, or from the end of the range that is nearest to 0 on. A result that
    fails is within no bound.
    """
    places = {place for place, _ in verdict.total.first_over} - {FAILED}
    last = max(places, default=-1) + 1
    for place, bound in enumerate(ENDS[: last + 1]):
        low, high = _interval(verdict, place)
        share = 0.0
        if low is not None and high is not None:
            ends = np.array([low]), np.array([high])
            with np.errstate(over="ignore"):  # all float64s are wider than the largest
                middle, width = ends[0] / 2 + ends[1] / 2, ends[1] - ends[0]
            share = float(cell_weights(middle, width, ends, verdict.question.normal)[0])
        yield Within(bound, low, high, share)


def _interval(verdict: Verdict, place: int) -> tuple[float | None, float | None]:
    """Return the ends of the interval without an error over a bound."""
    inputs = verdict.inputs
    if inputs:
        low, high = inputs.low, inputs.high
    else:  # of results in a file, where these are
        ends = [end for region in verdict.regions for end in region.ends]
        low, high = min(ends, default=-inf), max(ends, default=inf)
    positive, negative = stretches(verdict.question.dtype, low, high)
    ends = [*reversed(_side(verdict, negative, place)), *_side(verdict, positive, place)]
    return (ends[0], ends[-1]) if ends else (None, None)


def _side(verdict: Verdict, stretch: Stretch, place: int) -> list[float]:
    """Return the inputs of one sign nearest to 0 and farthest from it before one over the bound."""
    number_format, first_over = verdict.question.dtype, verdict.total.first_over
    sign, first, end = stretch
    over = [
        first_over[each, sign < 0] for each in (place, FAILED) if (each, sign < 0) in first_over
    ]
    end = min([end, *(number_format.bits(abs(x)) for x in over)])
    return [sign * number_format.number(bits) for bits in (first, end - 1)] if first < end else []
