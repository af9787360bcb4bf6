"""A verdict on a kernel: plain data, with exact errors at listed inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from gelu_cli.accuracy.criteria import MEASURED, Outcome, Seen, outcomes
from gelu_cli.accuracy.judge import Result, result_at
from gelu_cli.accuracy.question import Question
from gelu_cli.accuracy.regions import Place, Region, cells_of
from gelu_cli.accuracy.selection import STANDARD, Inputs, Normal
from gelu_cli.accuracy.tally import COUNTS, FAILURES, Over, Rows, Tally, Within, profile
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers import FLOAT64, round_fraction
from gelu_cli.numbers.formats import LITTLE

ALIKE, UNSURE = 2.0**-18, 2.0**-11
"""Errors down to (1 − ALIKE)·largest − UNSURE, in ULP, are compared exactly with the largest."""

SPARE = 16
"""Number of rows that are kept but not listed: exact errors decide which rows are listed."""

RARE = 1e-300
"""If the sum of weights is ≤ RARE, weights have too few digits for an RMS error."""


class Peak(NamedTuple):
    """The largest error in a cell of a region; ∞ for wrong ∞ and NaN."""

    low: float
    high: float
    up_low: float | None
    up_high: float | None
    max_ulp: float


@dataclass(frozen=True)
class Verdict:
    """Findings of one kernel, in plain data.

    Attributes
    ----------
    inputs
        The inputs; None for results that were computed elsewhere.
    exhaustive, complete
        True if the inputs are all finite inputs of their range, not a sample; False if Ctrl-C ended
        the measurement.
    special, unrepeatable
        Wrong results at ±∞ and NaN; inputs whose results change from call to call. None if this
        was not measured.
    non_monotone
        The number of monotonicity violations; None for pairs.
    seen, notes, facts
        As in `KernelFindings`.
    """

    label: str
    question: Question
    regions: Mapping[Place, Tally]
    inputs: Inputs | None = None
    exhaustive: bool = True
    complete: bool = True
    ftz: bool = False
    normal: Normal = STANDARD
    keep: int = 10
    special: Rows | None = None
    unrepeatable: Rows | None = None
    non_monotone: int | None = None
    seen: Seen | None = None
    notes: Sequence[str] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    _known: dict[Any, Result] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def total(self) -> Tally:
        """The tally of all finite inputs."""
        total = Tally()
        for _, tally in self.places():
            total.add(tally, self.keep + SPARE)
        return total

    @property
    def counts(self) -> dict[str, int]:
        """The counts at all finite inputs, by name."""
        counts = {name: self.total[name] for name in COUNTS}
        return counts | ({"non_monotone": self.non_monotone} if self.non_monotone else {})

    def places(self) -> list[tuple[Place, Tally]]:
        """List the places and their tallies in the order of x."""
        return sorted(self.regions.items(), key=lambda each: each[0].order)

    def result(self, x: float, up: float, got: float) -> Result:
        """Return a result with its exact errors, from the cache if known."""
        key = np.array([x, up, got]).tobytes()
        if key not in self._known:
            self._known[key] = result_at(self.question, x, up, got, self.ftz)
        return self._known[key]

    def _results(self, rows: Rows | None) -> list[Result]:
        return [] if rows is None else [self.result(*row) for _, *row in rows.tolist()]

    def largest(self, tally: Tally | None = None) -> Result | None:
        """Return the result with the largest error in ULP, or None."""
        rows = (tally or self.total).largest("ulp")
        near = rows[rows["size"] >= rows["size"][:1] * (1 - ALIKE) - UNSURE]
        return min(self._results(near), key=lambda each: each.order, default=None)

    def errors(self) -> list[Result]:
        """List the results with the largest errors in ULP, the largest first."""
        found = self._results(self.total.largest("ulp"))
        return sorted(found, key=lambda each: each.order)

    def worst(self, most: int | None = None) -> list[Result]:
        """List wrong results at ±∞ and NaN, failures, and the largest errors.

        First come up to three results at ±∞ or NaN and one failure of each of the `FAILURES`, then
        the largest errors, then other results at ±∞ or NaN, then other failures. The list has at
        most `most` (by default `keep`) results; the largest error is always in the list.
        """
        special = self._results(self.special)
        failures = [self._results(self.total.largest(name)) for name in FAILURES]
        first = [each for some in failures for each in some[:1]]
        others = [each for some in failures for each in some[1:]]
        rows = special[:3] + first + self.errors() + special[3:] + others
        shown = [*{repr(each[:3]): each for each in rows}.values()][: most or self.keep]
        if (largest := self.largest()) and largest not in shown:
            shown[-1] = largest
        return shown

    def extreme(self, name: str) -> Result | None:
        """Return the result with the largest `abs`, `rel` or `ordinal` error."""
        rows = self.total.largest(name)
        if not len(rows) and name != "rel":
            return self.largest()
        return next(iter(self._results(rows)), None)

    def mean_ulp(self, tally: Tally | None = None) -> float | None:
        """Return the mean error of `judged` results in ULP; None without any."""
        some = tally or self.total
        mean = some["ulp"] / some["judged"] if some["judged"] else None
        return mean if not mean or mean > 2 * LITTLE else 0.0

    @property
    def rms_error(self) -> float | None:
        """√E(got − y)² for random inputs with `judged` results, or None."""
        weight = self.total["weight"]
        return sqrt(self.total["squares"] / weight) if weight > RARE else None

    @property
    def noise_ratio(self) -> float | None:
        """RMS error / RMS error of correct rounding; 1 for 0/0, None if unknown."""
        squares, least = self.total["squares"], self.total["least"]
        if least:
            return sqrt(squares / least)
        return None if self.total["weight"] <= RARE else inf if squares else 1.0

    @property
    def lost_share(self) -> float:
        """The probability that the result at a random input is not `judged`."""
        lost = self.total["lost"]
        return lost / (lost + self.total["weight"]) if lost else 0.0

    def profile(self) -> Iterator[Within]:
        """Yield the intervals within ½, 1, 2, 4, … ULP until they stop widening."""
        over = {1: Over(), -1: Over()}
        for place, tally in self.regions.items():
            over[place.x.sign] = over[place.x.sign].add(tally.over)
        ends = [end for place in self.regions for end in place.x.ends] or [-inf, inf]
        low, high = min(ends), max(ends)
        if self.inputs:
            low, high = self.inputs.low, self.inputs.high
        return profile(self.question.dtype, over, low, high, self.normal)

    def criteria(self) -> list[Outcome]:
        """List the outcomes of acceptance criteria."""
        return [*outcomes(self.seen, self.normal), self._tightest_atol()] if self.seen else []

    def _tightest_atol(self) -> Outcome:
        """Return max |got − y|; ∞ if any result is a wrong ∞ or NaN, or saturated."""
        failed = [e for name in FAILURES[:2] for e in self._results(self.total.largest(name))]
        at = failed[0] if failed else self.extreme("abs")
        x, up, error = (at.x, at.up, at.absolute) if at else (None, None, None)
        beyond = failed or self.total["saturated"]
        size = inf if beyond else float(round_fraction(FLOAT64, to_fraction(error or 0)))
        return Outcome("tightest_atol", MEASURED, None, size, None, x, up)

    def peaks(self) -> list[Peak]:
        """List the largest error in each cell with errors, in the order of x."""
        found = []
        for (x, up), tally in self.regions.items():
            starts = [*cells_of(self.question.dtype, x).tolist(), x.high]
            starts[-1] = min(starts[-1], self.question.dtype.largest)
            ends = [Region(x.sign, *each).ends for each in pairwise(starts)]
            up_low, up_high = up.ends if up else (None, None)
            both = zip(ends, tally.peaks.tolist(), strict=True)
            found += [Peak(*each, up_low, up_high, peak) for each, peak in both if peak >= 0]
        return sorted(found)
