"""Neighbours of the worst inputs of a sample: where errors grow, they lead to the largest.

An error that comes of a cancelled sum, or of a zero of the truth, grows over many inputs towards
its peak. A sample meets the slope; its neighbours lead to the top.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from gelu_cli.old.arithmetic.format_arrays import Array
from gelu_cli.old.arithmetic.formats import Format
from gelu_cli.old.sweeping.inputs import ROUND, Inputs, Patterns, ascending, numbers_at, stretches
from gelu_cli.old.sweeping.regions import Region
from gelu_cli.old.sweeping.tally import Tally

WORST = 16
"""So many of the worst inputs of each region have their neighbours looked at."""

NEAR = 8
"""So many neighbours on either side; beyond them, one at random between each two powers of 2."""

WORTHWHILE = 2.0**-8
"""Neighbours of smaller errors in ULP are not looked at."""

PATIENCE = 2
"""After so many rounds in which its worst error has not grown, a region is left."""

ROUNDS = 32
"""A round has at most max(ROUND, samples/ROUNDS) inputs."""


class Neighbours:
    """Which inputs to judge next, round by round, none of them twice.

    There are at most `ROUNDS` rounds and in all as many inputs as the sample has.
    """

    def __init__(self, number_format: Format, inputs: Inputs, sampled: Array) -> None:
        self.number_format = number_format
        self.sign_bit = 1 << (number_format.width - 1)
        self.ends = stretches(number_format, inputs.low, inputs.high)
        self.asked = ascending(self._bits(sampled))
        self.most = max(ROUND, len(sampled) // ROUNDS)
        self.left = len(sampled)
        self.rounds = 0
        self.generator = np.random.default_rng([inputs.seed, 1])
        self.peaks: dict[Region, float | Fraction] = {}
        self.waited: dict[Region, int] = {}

    def next(self, found: Mapping[Region, Tally]) -> Array:
        """Return neighbours of the worst inputs found so far; none where errors grow no more."""
        growing = [tally for region, tally in found.items() if self._grows(region, tally)]
        starts = [
            entry.x for tally in growing for entry in tally.worst[:WORST] if entry.ulp > WORTHWHILE
        ]
        self.rounds += 1
        if not starts or self.rounds > ROUNDS:
            return np.zeros(0)
        bits = self._around(self._bits(np.array(starts)))
        most = min(self.most, self.left)
        if len(bits) > most:
            bits = np.sort(self.generator.choice(bits, most, replace=False))
        self.left -= len(bits)
        self.asked = ascending(np.concatenate([self.asked, bits]))
        return numbers_at(self.number_format, bits)

    def _grows(self, region: Region, tally: Tally) -> bool:
        peak = tally.worst[0].ulp if tally.worst else 0
        grown = region not in self.peaks or peak > self.peaks[region]
        self.peaks[region] = peak
        self.waited[region] = 0 if grown else self.waited[region] + 1
        return self.waited[region] < PATIENCE

    def _around(self, bits: Patterns) -> Patterns:
        """Return neighbours, of the same sign and in the range, that were not asked for yet."""
        sizes = (bits & np.uint64(self.sign_bit - 1)).view(np.int64)
        scales = 2 ** np.arange(NEAR.bit_length() - 1, self.number_format.precision)
        shape = 2, len(bits), len(scales) - 1
        far = self.generator.integers(scales[:-1], scales[1:], shape)
        near = np.broadcast_to(np.arange(1, NEAR + 1), (*shape[:2], NEAR))
        steps = np.concatenate([near, far], axis=2)
        around = sizes[:, None] + steps * np.array([1, -1])[:, None, None]
        found = []
        for sign, first, end in self.ends:
            negative = sign < 0
            ours = around[:, (bits >= self.sign_bit) == negative]
            inside = ours[(ours >= first) & (ours < end)].astype(np.uint64)
            found.append(inside + negative * self.sign_bit)
        bits = ascending(np.concatenate(found))
        place = np.minimum(np.searchsorted(self.asked, bits), len(self.asked) - 1)
        new: Patterns = bits[self.asked[place] != bits]
        return new

    def _bits(self, x: Array) -> Patterns:
        width = self.number_format.width // 8
        return x.astype(f"f{width}").view(f"u{width}").astype(np.uint64)
