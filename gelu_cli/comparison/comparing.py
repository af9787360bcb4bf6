"""Two kernels compared, input by input: a sweep of both, and what is seen of their differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

import numpy as np

from gelu_cli.comparison.differences import Count, Difference, Differences, DifferencesSeen
from gelu_cli.errors import ComputationError
from gelu_cli.stages import tell
from gelu_cli.sweeping.implementations import Kernel
from gelu_cli.sweeping.inputs import Inputs
from gelu_cli.sweeping.regions import CELLS, Region, regions
from gelu_cli.sweeping.sweep import Sweep
from gelu_cli.sweeping.verdict import SPARE, Verdict

NOTHING_SEEN = DifferencesSeen({}, None, [])


class Both(NamedTuple):
    """The results of both kernels at x; None for one that is not known."""

    x: float
    a: float | None
    b: float | None


@dataclass
class Comparison:
    """What is found of two kernels: the verdict on each, and where they differ."""

    a: Verdict
    b: Verdict
    seen: DifferencesSeen = NOTHING_SEEN
    others: Mapping[int, Both] = field(default_factory=dict)
    """The results of both at the worst inputs of each, by the bits of x."""

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts on both."""
        return [self.a, self.b]

    @property
    def total(self) -> Count:
        """The count of all inputs."""
        return _sum(self.seen.cells.values())

    @property
    def first(self) -> Difference | None:
        """The first input, in the order of bit patterns, at which the results differ."""
        return self.seen.first

    @property
    def regions(self) -> Mapping[Region, Count]:
        """The counts by region of x."""
        of_cells: dict[int, list[Count]] = {}
        for cell, count in self.seen.cells.items():
            of_cells.setdefault(cell // CELLS, []).append(count)
        known = regions(self.a.question.dtype)
        return {known[place]: _sum(counts) for place, counts in of_cells.items()}


def _sum(counts: Iterable[Count]) -> Count:
    return reduce(Count.plus, counts, Count())


def sweep_of_two(
    kernels: Sequence[Kernel],
    inputs: Inputs,
    *,
    jobs: int = 1,
    keep: int = 10,
    ftz: bool = False,
) -> Sweep:
    """Return a sweep of two kernels with the same question that sees where they differ."""
    differences = Differences(kernels[0].question, keep + SPARE, ftz)
    return Sweep(kernels, inputs, jobs=jobs, keep=keep, ftz=ftz, observers=[differences])


def comparison(
    sweep: Sweep, covered: Callable[[int, int], None] = lambda done, total: None
) -> Comparison:
    """Return what `sweep_of_two` finds; Ctrl-C ends it early, and so does a kernel that fails."""
    a, b = sweep.verdicts(covered)
    found = Comparison(a, b, *sweep.seen)
    if a.complete and not (a.failure or b.failure):
        try:
            found.others = _others(sweep, found)
        except KeyboardInterrupt:
            a.complete = b.complete = False
            sweep.kill()
        except ComputationError as error:
            a.complete, a.failure = False, error
    return found


def _others(sweep: Sweep, found: Comparison) -> Mapping[int, Both]:
    """Ask for the results of both at the worst inputs of each, in the order of their bits."""
    bits = found.a.question.dtype.bits
    points: dict[int, float] = {}
    for each in found.verdicts:
        points |= {bits(entry.x): entry.x for entry in each.total.worst}
        points |= {bits(failure.x): failure.x for failure in each.failures}
    if not points:
        return {}
    tell("results of both at the worst inputs")
    x = np.array([points[place] for place in sorted(points)])
    columns = (column.tolist() for column in (x, *sweep.results_at(x)))
    return {bits(each[0]): Both(*each) for each in zip(*columns, strict=True)}
