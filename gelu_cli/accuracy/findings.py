"""Findings at some inputs, by kernel: parts add up in any order."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gelu_cli.accuracy.criteria import Seen
from gelu_cli.accuracy.differences import Differences
from gelu_cli.accuracy.monotony import Ends
from gelu_cli.accuracy.regions import Place
from gelu_cli.accuracy.tally import NO_ROWS, Rows, Tally


@dataclass
class KernelFindings:
    """Findings of one kernel.

    Attributes
    ----------
    tallies
        A tally for each place of the inputs.
    ends
        The ends of blocks, between which wrong steps are counted last.
    special
        Wrong results at ±∞ and NaN.
    unrepeatable
        Inputs whose results change.
    seen
        Findings of acceptance criteria; None if they are not checked.
    notes
        Other findings on the kernel, a sentence each.
    facts
        The library, version and device that its results depend on.
    """

    tallies: dict[Place, Tally] = field(default_factory=dict)
    ends: list[Ends] = field(default_factory=list)
    special: Rows = field(default_factory=NO_ROWS.copy)
    unrepeatable: Rows = field(default_factory=NO_ROWS.copy)
    seen: Seen | None = None
    notes: dict[str, None] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)

    def at(self, place: Place) -> Tally:
        """Return the tally of a place."""
        return self.tallies.setdefault(place, Tally())

    def add(self, other: KernelFindings, keep: int) -> None:
        """Add what is found at other inputs."""
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
    """Findings on kernels; of two also their differences."""

    kernels: list[KernelFindings]
    differences: dict[Place, Differences] = field(default_factory=dict)

    @classmethod
    def none(cls, count: int) -> Findings:
        """Make empty findings on `count` kernels."""
        return cls([KernelFindings() for _ in range(count)])

    def add(self, other: Findings, keep: int) -> None:
        """Add what is found at other inputs."""
        for mine, theirs in zip(self.kernels, other.kernels, strict=True):
            mine.add(theirs, keep)
        for place, differences in other.differences.items():
            self.differences.setdefault(place, Differences()).add(differences, keep)
