"""Inputs at which two kernels differ, and the nearer kernel.

Results differ if their bits do: 0 and −0 differ, NaNs do not. A NaN or an infinity that is right
is nearer than any number, and a number nearer than a NaN or an infinity that is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gelu_cli.accuracy.judge import Block
from gelu_cli.accuracy.repeats import bits_differ
from gelu_cli.accuracy.tally import order_of
from gelu_cli.formulas.pieces import to_fraction
from gelu_cli.numbers.cells import Floats

ROUNDING = 2.0**-50
PAIR = np.dtype([("ulp", "f8"), ("x", "f8"), ("up", "f8"), ("a", "f8"), ("b", "f8")])


@dataclass
class Differences:
    """Differences of two kernels at some inputs.

    Attributes
    ----------
    inputs, differ, nearer_a, nearer_b
        Numbers of inputs.
    weight, differ_weight
        How likely a draw is among the inputs, and among those that differ.
    worst
        Results that are farthest apart, in ULP of the exact value.
    """

    inputs: int = 0
    differ: int = 0
    nearer_a: int = 0
    nearer_b: int = 0
    weight: float = 0.0
    differ_weight: float = 0.0
    worst: Any = field(default_factory=lambda: np.zeros(0, PAIR))

    @property
    def differ_share(self) -> float | None:
        """The share of draws whose results differ; None if no draw meets an input."""
        return self.differ_weight / self.weight if self.weight else None

    def add(self, other: Differences, keep: int) -> None:
        """Add what is found at other inputs."""
        for name in ("inputs", "differ", "nearer_a", "nearer_b", "weight", "differ_weight"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if len(other.worst):
            both = np.concatenate([self.worst, other.worst])
            self.worst = both[np.lexsort((*order_of(both), -both["ulp"]))][:keep]


@np.errstate(all="ignore")
def compared(block: Block, a: Any, b: Any, keep: int) -> Differences:
    """Compare the results of two kernels at the inputs of a block."""
    found = Differences(len(block.x), weight=block.total_weight)
    places = np.flatnonzero(bits_differ(a, b))
    if not len(places):
        return found
    found.differ = len(places)
    if len(block.weight):
        found.differ_weight = float(block.weight[places // block.per_weight].sum())
    wide = a.astype(np.float64), b.astype(np.float64)
    nearer = _nearer(block, *wide, places)
    found.nearer_a, found.nearer_b = (int(np.count_nonzero(nearer == way)) for way in (1, -1))
    one, other = (got[places] for got in wide)
    apart = np.abs(one - other) / np.broadcast_to(block.truth.unit, block.x.shape)[places]
    apart[np.isnan(apart)] = np.inf
    worst = np.argsort(-apart, kind="stable")[:keep].tolist()
    at = [(block.x[k], block.up_of(k)) for k in places[worst].tolist()]
    found.worst = np.array(
        [(apart[i], *inputs, one[i], other[i]) for i, inputs in zip(worst, at, strict=True)], PAIR
    )
    return found


def _nearer(block: Block, a: Floats, b: Floats, places: Any) -> Any:
    """Return 1 if a is nearer to the exact value, −1 if b is, else 0."""
    (one, one_flushed), (other, other_flushed) = (_distances(block, got) for got in (a, b))
    one, other = one[places], other[places]
    nearer = np.sign(other - one)
    nearer[np.isnan(nearer)] = 0  # both are infinitely far
    slack = 4 * block.truth.error + ROUNDING * (one + other)
    plain = ~(one_flushed | other_flushed)[places] & np.isfinite(one + other)
    plain &= (a[places] != b[places]) & (one >= 0) & (other >= 0)
    for i in np.flatnonzero((np.abs(one - other) <= slack) & plain).tolist():
        k = int(places[i])
        middle = (to_fraction(float(a[k])) + to_fraction(float(b[k]))) / 2
        side = block.question.at(block.up_of(k)).side(float(block.x[k]), middle)
        nearer[i] = side if a[k] > b[k] else -side
    nearer[a[places] == b[places]] = 0
    return nearer


def _distances(block: Block, got: Floats) -> tuple[Floats, Any]:
    """Return distances in ULP, −1 of right infinities, ∞ of wrong ones.

    Also return the mask of results that are right since subnormal numbers are flushed.
    """
    truth, mine = block.truth, block.truth_for(got)
    low = 0.0 if mine.low is None else mine.low
    found = np.abs(got / mine.unit - mine.m - low)
    flushed = np.zeros(got.shape, bool)
    if block.flushed is not None:
        flushed = (mine.m != truth.m) & (got == mine.want)
        found = np.where(flushed, truth.rounding_errors, found)
    found = np.where(np.isfinite(got), found, np.inf)
    if truth.beyond is not None:
        want = truth.want
        found[truth.beyond & ((got == want) | (np.isnan(got) & np.isnan(want)))] = -1.0
    return found, flushed
