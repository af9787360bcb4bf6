"""Findings on kernels at some inputs, and the differences of two kernels.

Findings can be added in any order. Two results differ if their bits differ, unless both are NaN; 0
and −0 differ. A right ∞ or NaN counts as nearer to the exact value than every number; every number
counts as nearer than a wrong ∞ or NaN.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gelu_cli.accuracy.criteria import Seen
from gelu_cli.accuracy.judge import Block, Ends
from gelu_cli.accuracy.regions import Place
from gelu_cli.accuracy.tally import NO_ROWS, ROW, Rows, Tally, largest_of
from gelu_cli.accuracy.truth import ROUNDING
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.cells import Floats

PAIR = np.dtype([*((name, "f8") for name in ROW.names or ()), ("other", "f8")])


@dataclass
class Differences:
    """Differences of two kernels at some inputs.

    Attributes
    ----------
    inputs, differ
        Number of inputs; number of inputs at which the results differ.
    nearer_a, nearer_b
        Number of inputs at which the result of kernel a, or of kernel b, is nearer to the exact
        value.
    weight, differ_weight
        Probability that a random number rounds to one of the inputs, and that it rounds to an input
        at which the results differ.
    worst
        Rows of the results that are farthest apart, in ULP of the exact value: `got` is the result
        of a, `other` the result of b.
    """

    inputs: int = 0
    differ: int = 0
    nearer_a: int = 0
    nearer_b: int = 0
    weight: float = 0.0
    differ_weight: float = 0.0
    worst: Rows = field(default_factory=lambda: np.zeros(0, PAIR))

    @property
    def differ_share(self) -> float | None:
        """Share of `weight` at which the results differ; None if `weight` is 0."""
        return self.differ_weight / self.weight if self.weight else None

    def add(self, other: Differences, keep: int) -> None:
        """Add the differences at other inputs; keep the `keep` worst rows."""
        for name in ("inputs", "differ", "nearer_a", "nearer_b", "weight", "differ_weight"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.worst = largest_of(self.worst, other.worst, keep)


def bits_differ(a: Any, b: Any) -> Any:
    """Return the mask of results whose bits differ, except pairs of NaNs."""
    kind = f"u{a.itemsize}"
    differ = a.view(kind) != b.view(kind)
    if differ.any():
        differ &= ~(np.isnan(a.astype(np.float64)) & np.isnan(b.astype(np.float64)))
    return differ


@np.errstate(all="ignore")
def compared(block: Block, a: Any, b: Any, keep: int) -> Differences:
    """Compare the results of two kernels at the inputs of a block."""
    indices = np.flatnonzero(bits_differ(a, b))
    found = Differences(len(block.x), len(indices), weight=block.total_weight)
    if not len(indices):
        return found
    found.differ_weight = block.probability(indices)
    one, other = (each.astype(np.float64)[indices] for each in (a, b))
    nearer = _nearer(block, a, b, indices)
    found.nearer_a, found.nearer_b = (int(np.count_nonzero(nearer == sign)) for sign in (1, -1))
    apart = np.abs(one - other) / np.broadcast_to(block.truth.unit, block.x.shape)[indices]
    apart[np.isnan(apart)] = np.inf
    worst = np.argsort(-apart, kind="stable")[:keep]
    rows = block.rows(indices[worst], apart[worst], a)
    found.worst = np.array(
        [(*row, b) for row, b in zip(rows.tolist(), other[worst], strict=True)], PAIR
    )
    return found


def _nearer(block: Block, a: Any, b: Any, indices: Any) -> Any:
    """Return for each index 1 if a is nearer to y, −1 if b is nearer, else 0."""
    got, its = (block.counted(each.astype(np.float64)) for each in (a, b))
    one, other = (_distances(block, each)[indices] for each in (got, its))
    a, b = got[indices], its[indices]
    nearer = np.sign(other - one)
    nearer[(a == b) | np.isnan(nearer)] = 0  # NaN is ∞ − ∞: both results are wrong
    close = np.abs(one - other) <= 4 * block.truth.error + ROUNDING * (one + other)
    close &= (a != b) & np.isfinite(a + b) & (one >= 0) & (other >= 0)
    some = np.flatnonzero(close)
    for i, row in zip(some.tolist(), block.rows(indices[some], 0.0, got).tolist(), strict=True):
        middle = (to_fraction(float(a[i])) + to_fraction(float(b[i]))) / 2
        side = block.question.at(row[2]).side(row[1], middle)
        nearer[i] = side if a[i] > b[i] else -side
    return nearer


def _distances(block: Block, got: Floats) -> Floats:
    """Return errors in ULP; −1 for a right ∞ or NaN, ∞ for a wrong ∞ or NaN."""
    truth = block.truth
    found: Floats = np.abs(got / truth.unit - truth.m - (0.0 if truth.low is None else truth.low))
    found[~np.isfinite(got)] = np.inf
    if truth.beyond is not None:
        right = (got == truth.want) | (np.isnan(got) & np.isnan(truth.want))
        found[truth.beyond & right] = -1.0
    return found


@dataclass
class KernelFindings:
    """Findings of one kernel.

    Attributes
    ----------
    ends
        The first and last input of each block, to count monotonicity violations between blocks.
    special, unrepeatable
        Wrong results at ±∞ and NaN; inputs whose results change from call to call.
    seen
        Findings of acceptance criteria; None if no criteria are checked.
    notes, facts
        Other findings, each a sentence; the library, version and device that results depend on.
    """

    tallies: dict[Place, Tally] = field(default_factory=dict)
    ends: list[Ends] = field(default_factory=list)
    special: Rows = field(default_factory=NO_ROWS.copy)
    unrepeatable: Rows = field(default_factory=NO_ROWS.copy)
    seen: Seen | None = None
    notes: dict[str, None] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)

    def at(self, place: Place) -> Tally:
        """Return the tally of a place; create an empty tally at the first call."""
        return self.tallies.setdefault(place, Tally())

    def add(self, other: KernelFindings, keep: int) -> None:
        """Add the findings at other inputs."""
        for place, tally in other.tallies.items():
            self.at(place).add(tally, keep)
        self.ends += other.ends
        self.special = np.concatenate([self.special, other.special])
        self.unrepeatable = np.concatenate([self.unrepeatable, other.unrepeatable])
        self.see(other.seen)
        self.notes |= other.notes
        self.facts |= other.facts

    def see(self, seen: Seen | None) -> None:
        """Add findings of acceptance criteria."""
        self.seen = self.seen.add(seen) if self.seen and seen else self.seen or seen


@dataclass
class Findings:
    """Findings on kernels; differences by `Place` if two kernels are compared."""

    kernels: list[KernelFindings]
    differences: dict[Place, Differences] = field(default_factory=dict)

    @classmethod
    def none(cls, count: int) -> Findings:
        """Return empty findings on `count` kernels."""
        return cls([KernelFindings() for _ in range(count)])

    def add(self, other: Findings, keep: int) -> None:
        """Add the findings at other inputs."""
        for mine, theirs in zip(self.kernels, other.kernels, strict=True):
            mine.add(theirs, keep)
        for place, differences in other.differences.items():
            self.differences.setdefault(place, Differences()).add(differences, keep)
