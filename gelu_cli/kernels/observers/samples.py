"""A sample of the results of a sweep, which tells what function they are nearest to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gelu_cli.arithmetic.format_arrays import Floats
from gelu_cli.kernels.nearest import NO_SAMPLE, POINTS, WITHIN, Sample, notes_on
from gelu_cli.kernels.observers import Sight

if TYPE_CHECKING:
    from gelu_cli.kernels.verdict import Verdict

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
