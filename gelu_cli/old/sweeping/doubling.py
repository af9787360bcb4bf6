"""Pairs of one x whose second inputs differ by powers of 2: one of them is judged for all.

From one such second input to the next, results and truth are multiplied by the same power of 2, and
errors in ULP are equal, as long as all are normal numbers. Where the truth is less than half of the
least number and results are 0, the errors in ULP are multiplied as well. So a run of such pairs is
judged where its last one is; `Run` has the sums over the others. Every result is compared: pairs of
which this is not so are runs of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import frexp, inf
from typing import NamedTuple

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array, Floats, least_exponent
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.sweeping.judging import Indices
from gelu_cli.old.sweeping.metrics import Judged, Run
from gelu_cli.old.sweeping.tally import Worst

FEW = 4
"""Fewer second inputs are judged one by one."""

NOTHING = -(10**6)
"""The exponent that stands for that of 0, below those of all products."""


def powers_of_2(ups: Array) -> Indices | None:
    """Return the n of numbers that are the first one times 2ⁿ, if these rise; else None.

    >>> powers_of_2(np.array([1.5, 3.0, 6.0, 6.0])).tolist()
    [0, 1, 2, 2]
    """
    significands, exponents = np.frexp(ups)
    powers: Indices = (exponents - exponents[0]).astype(np.int64)
    alike = significands[0] and bool((significands == significands[0]).all())
    return powers if alike and len(ups) >= FEW and bool((np.diff(powers) >= 0).all()) else None


class Runs(NamedTuple):
    """Pairs in the order of x, and for one x in that of second inputs, in runs.

    `ends` are the places of their last pairs, which are to be judged, and `starts` the second
    inputs that they begin with, by number.
    """

    powers: Indices
    ends: Indices
    starts: Indices

    def sums(self, weights: Sequence[Array], ups: Array, got: Floats) -> Run:
        """Return what runs stand for; weights are the probabilities of x and of second inputs."""
        of_x, of_ups = weights
        row, end = np.divmod(self.ends, len(self.powers))

        def total(values: Array, base: float) -> Array:
            """Return Σ value·baseⁿ over the second inputs of each run, n being 0 for the last."""
            scale = base**self.powers
            sums = np.append(0.0, np.cumsum(values * scale))
            part: Array = (sums[end + 1] - sums[self.starts]) / scale[end]
            return part

        pairs = end - self.starts + 1
        falling = (pairs > 1) & (got[self.ends] == 0)
        ulps = np.where(falling, total(np.ones_like(of_ups), 2.0), pairs)
        drawn = of_x[row] * total(of_ups, 1.0)
        return Run(pairs, ulps, drawn, of_x[row] * total(of_ups, 4.0), ups[self.starts])

    def others(self, worst: Sequence[Worst], judged: Judged, ups: Array) -> Iterator[Worst]:
        """Yield the errors before these in their runs, at most so many of each as these are."""
        for entry in worst:
            (place,) = np.flatnonzero((judged.x == entry.x) & (judged.ups == entry.up))
            end, start = int(self.ends[place]) % len(ups), int(self.starts[place])
            for other in range(end - 1, max(start, end - len(worst)) - 1, -1):
                scale = 2.0 ** int(self.powers[other] - self.powers[end])
                share = 1.0 if entry.got else scale
                yield Worst(entry.ulp * share, entry.x, entry.got * scale, entry.rest * share,
                            float(ups[other]))  # fmt: skip


def runs_of(got: Floats, powers: Indices, first: Array, exponent: Array, result: Format) -> Runs:
    """Return the runs of results, a row for each x.

    The truth with the first of the second inputs is first·2^exponent, up to a rounding.
    """
    rows, columns, count = np.arange(len(got)), np.arange(len(powers)), len(powers)
    # The truth is between 2^(size - 1) and 2^size, or a rounding beyond; and so are its multiples.
    sizes = np.where(first == 0, NOTHING, np.frexp(first)[1] + exponent)

    def until(size: int) -> Indices:
        """Return with how many second inputs the truth has at most this size."""
        return np.searchsorted(powers, size - sizes, side="right")

    top = frexp(result.largest)[1]
    tiny, normal, finite, beyond = map(
        until, (least_exponent(result) - 2, result.emin + 1, top - 1, top + 1)
    )
    last = np.maximum(finite - 1, 0)
    final = got[rows, last]
    lowest = np.ldexp(np.abs(final), powers[np.minimum(normal, count - 1)] - powers[last])
    numbers = np.isfinite(final) & (lowest >= 2.0**result.emin)
    bits = f"i{got.itemsize}"
    steps = (powers << np.finfo(got.dtype).nmant).astype(bits)
    same = got.view(bits) - steps == (final.view(bits) - steps[last])[:, None]
    judged, runs = np.ones(got.shape, bool), []
    for low, high, alike, there in (
        (0 * rows, tiny, got == 0, tiny > 0),
        (normal, finite, same, (normal < finite) & numbers),
        (beyond, 0 * rows + count, got == np.copysign(inf, first)[:, None], beyond < count),
    ):
        if there.any():
            inside = (columns >= low[:, None]) & (columns < high[:, None])
            known = there & np.all(alike | ~inside, axis=1)
            judged &= ~(inside & known[:, None])
            if low is not beyond:  # where nothing is to be judged
                ends, starts = count * rows[known] + high[known] - 1, low[known]
                judged.ravel()[ends] = True
                runs.append((ends, starts))
    places = np.flatnonzero(judged)
    begin = places % count
    for ends, starts in runs:
        begin[np.searchsorted(places, ends)] = starts
    return Runs(powers, places, begin)
