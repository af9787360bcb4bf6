"""Some of the results of a sweep, which tell what function they are nearest to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gelu_cli.arithmetic.rounding import Floats
from gelu_cli.kernels.nearest import NO_SAMPLE, POINTS, WITHIN, Sample, notes_on
from gelu_cli.kernels.observers import Sight

if TYPE_CHECKING:
    from gelu_cli.kernels.verdict import Verdict


LEAST = 2.0**-12
"""Parts of a range are as long as this: forms do not differ more in shorter ones."""


class Samples(NamedTuple):
    """Sees the first result in each of many equal parts of a range; `seen` has one for each kernel.

    Forms differ within `WITHIN` of 0, and what is beyond is left out.
    """

    low: float = -inf
    high: float = inf

    def see(self, sight: Sight) -> Mapping[int, Sample]:
        """Return the samples of some inputs."""
        return {place: self.sample(sight.x, got) for place, got in sight.got.items()}

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
        """Return the number of the part of the range that each input is in."""
        low, high = max(self.low, -WITHIN), min(self.high, WITHIN)
        parts: Floats = np.floor((x - low) / max((high - low) / POINTS, LEAST))
        return parts

    def add(
        self, first: Mapping[int, Sample], second: Mapping[int, Sample]
    ) -> Mapping[int, Sample]:
        """Return the samples of the inputs of both."""
        return {place: self.joined(sample, second[place]) for place, sample in first.items()}

    def joined(self, first: Sample, second: Sample) -> Sample:
        """Return one sample of the inputs of two, those of the second following."""
        if not (len(first.x) and len(second.x)):
            return first if len(first.x) else second
        x, got = second
        if self._parts(first.x[-1]) == self._parts(x[0]):
            x, got = x[1:], got[1:]
        return Sample(np.append(first.x, x), np.append(first.got, got)) if len(x) else first

    def finish(self, verdicts: Sequence[Verdict], seen: Mapping[int, Sample]) -> None:
        """Note on verdicts what their results are nearer to by far than to what they should be."""
        for place, verdict in enumerate(verdicts):
            verdict.notes += notes_on(verdict.question, seen[place])
